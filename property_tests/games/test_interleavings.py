"""Playing, copying, writing, reading, showing, illegal attempts, going back: in no order do they disturb a game."""

import copy
import dataclasses
import pickle

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from patchstats.errors import IllegalAction
from patchstats.notation import (
    format_position,
    format_record,
    parse_position,
    parse_record,
    record_of,
    replay_record,
    result_of,
)
from patchstats.render import game_text, position_text
from patchstats.rules import Advance, Buy, PlaceLeather, Position
from patchstats.testing import games

numbers = st.integers(0, 2**16 - 1)
WAYS_TO_COPY = [
    copy.copy,
    copy.deepcopy,
    dataclasses.replace,
    lambda position: pickle.loads(pickle.dumps(position)),
    lambda position: parse_position(format_position(position), position.ruleset),
]


class Interleavings(RuleBasedStateMachine):
    """One game; `kept` holds every position there has been, what it was written as, and the actions that led to it."""

    @initialize(game=games(), played=numbers)
    def set_up(self, game, played):
        self.ruleset = game.ruleset
        self.ring = game.ring
        self.position = game.positions[0]
        self.actions = ()
        self.kept = []
        self.keep()
        for action in game.actions[: played % len(game.positions)]:
            self.play_on(action)

    def keep(self):
        self.kept.append((self.position, format_position(self.position), hash(self.position), self.actions))

    @precondition(lambda self: not self.position.finished)
    @rule(choices=st.lists(numbers, min_size=1, max_size=4))
    def play(self, choices):
        for number in choices:
            legal = self.position.legal_actions
            if legal:
                self.play_on(legal[number % len(legal)])

    def play_on(self, action):
        self.position, _ = self.position.apply(action)
        self.actions += (action,)
        self.keep()

    @rule(number=numbers)
    def go_on_with_a_copy(self, number):
        copies = [way(self.position) for way in WAYS_TO_COPY]
        for copied in copies:
            assert copied == self.position
            assert hash(copied) == hash(self.position)
            assert len(copied.legal_actions) == len(self.position.legal_actions)
        self.position = copies[number % len(copies)]

    @rule()
    def write_and_read_the_record_and_show_the_game(self):
        text = format_record(record_of(self.ruleset, self.ring, self.actions))
        record = parse_record(text, self.ruleset)
        assert (record.ruleset, record.ring, record.actions) == (self.ruleset, self.ring, self.actions)
        assert record.result == result_of(self.position)
        assert [ply.after for ply in replay_record(record)][-1:] == ([self.position] if self.actions else [])
        assert game_text(record)
        assert position_text(self.position) == position_text(copy.copy(self.position))

    @rule(place=st.integers(0, 4), orientation=st.sampled_from([0, 0, 0, -1, 8]))
    def attempt_what_is_illegal(self, place, orientation):
        patch = (*self.position.ring, "p00")[place % (len(self.position.ring) + 1)]
        cells = (None, *range(-1, self.ruleset.quilt_size**2 + 1))
        attempts = {None, "advance", 0, Advance, Advance(), *map(PlaceLeather, cells)}
        attempts.update(Buy(patch, orientation, cell) for cell in cells)
        for action in attempts.difference(self.position.legal_actions):
            with pytest.raises(IllegalAction):
                self.position.apply(action)

    @rule(number=numbers)
    def go_back(self, number):
        self.position, _, _, self.actions = self.kept[number % len(self.kept)]

    @invariant()
    def the_position_is_the_one_that_the_actions_lead_to(self):
        position = Position.start(self.ruleset, self.ring)
        for action in self.actions:
            position, _ = position.apply(action)
        assert self.position == position

    @invariant()
    def nothing_is_wrong_with_the_position_and_no_button_is_lost(self):
        assert self.position.status() == ()
        buttons = sum(player.buttons for player in self.position.players)
        assert buttons + self.position.bank == self.ruleset.button_supply

    @invariant()
    def earlier_positions_stay_as_they_were(self):
        assert [hash(position) for position, _, _, _ in self.kept] == [known for _, _, known, _ in self.kept]

    def teardown(self):
        for position, text, _, _ in getattr(self, "kept", []):
            assert format_position(position) == text


class TestInterleavedUse(Interleavings.TestCase):
    pytestmark = pytest.mark.clause("5.13", "8.4", "9.5")
    settings = settings(stateful_step_count=30)
