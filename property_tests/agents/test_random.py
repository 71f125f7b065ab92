"""The agents that choose by lot."""

from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chisquare

from patchstats.agents import make_agent
from patchstats.notation import format_action
from patchstats.rules import Advance, Buy, PlaceLeather, Position, Ruleset
from patchstats.simulation.game import play_game
from patchstats.streams import SEATS, Stream
from patchstats.testing import positions, situation

ORIGINAL = Ruleset.load("original")
SEEDS = st.integers(0, 2**64 - 1)
START = Position.start(ORIGINAL, [f"p{number:02}" for number in range(1, 34)])


class CountingStream(Stream):
    """A stream that keeps the bounds it was asked for."""

    __slots__ = ("bounds",)

    def __init__(self, seed):
        super().__init__(seed, SEATS[0], 0)
        self.bounds = []

    def below(self, bound):
        self.bounds.append(bound)
        return super().below(bound)


def choice(spec, position, stream):
    agent = make_agent(spec, position.ruleset)
    return agent.sit_down(position.seat_on_turn)(position, position.legal_actions, stream)


def transcript(spec, plies):
    """The first plies of game 0 of seed 1, a token each."""
    agent = make_agent(spec, ORIGINAL)
    game = play_game(ORIGINAL, (agent, agent), seed=1, game_index=0, ring_index=0)
    return [f"{ply.seat} {format_action(ply.action, 9)}" for ply in game.plies[:plies]]


@given(position=positions(), seed=SEEDS)
def test_random_draws_one_of_all_legal_actions(position, seed):
    assume(not position.finished)
    actions = list(position.legal_actions)
    stream = CountingStream(seed)
    assert choice("random", position, stream) == actions[CountingStream(seed).below(len(actions))]
    assert stream.bounds == [len(actions)]


@given(position=positions(), seed=SEEDS)
def test_random_patch_draws_the_advance_or_a_patch_and_then_one_of_its_placements(position, seed):
    assume(not position.finished and not position.waiting)
    placements = {}
    for action in position.legal_actions:
        if isinstance(action, Buy):
            placements.setdefault(action.patch, []).append(action)
    by_slot = [placements[patch] for patch in position.offer if patch in placements]
    stream, draws = CountingStream(seed), CountingStream(seed)
    option = draws.below(1 + len(by_slot))
    expected = by_slot[option - 1][draws.below(len(by_slot[option - 1]))] if option else Advance()
    assert choice("random-patch", position, stream) == expected
    assert stream.bounds == draws.bounds


@pytest.mark.parametrize("spec", ["random", "random-patch"])
@given(covered=st.sets(st.integers(0, 80), max_size=80), seed=SEEDS)
def test_a_waiting_leather_goes_on_any_empty_cell(spec, covered, seed):
    position = situation(ORIGINAL, spaces=(20, 5), covered=(covered, ()), waiting=1)
    empty = [cell for cell in range(81) if cell not in covered]
    stream = CountingStream(seed)
    assert choice(spec, position, stream) == PlaceLeather(empty[CountingStream(seed).below(len(empty))])
    assert stream.bounds == [len(empty)]


def test_random_chooses_every_action_equally_often():
    stream = CountingStream(1)
    counts = Counter(choice("random", START, stream) for _ in range(20_000))
    assert chisquare([counts[action] for action in START.legal_actions]).pvalue > 1e-3


def test_random_patch_chooses_every_patch_equally_often_and_every_placement_of_one():
    stream = CountingStream(1)
    counts = Counter(choice("random-patch", START, stream) for _ in range(20_000))
    of_patch = {patch: [counts[buy] for buy in START.legal_actions.purchases.of(patch)] for patch in START.offer}
    assert len(of_patch) == 3
    assert chisquare([counts[Advance()], *map(sum, of_patch.values())]).pvalue > 1e-3
    for placements in of_patch.values():
        assert chisquare(placements).pvalue > 1e-3


def test_the_first_plies_of_random_with_seed_1_are_these():
    assert transcript("random", 12) == [
        "0 p17/2@b3",
        "1 p24/4@a3",
        "1 p15/5@f5",
        "1 advance",
        "0 p32/1@f5",
        "1 p14/2@c5",
        "0 advance",
        "1 advance",
        "0 p12/2@g2",
        "1 p25/2@c1",
        "0 p22/5@b6",
        "0 p13/5@d2",
    ]


def test_the_first_plies_of_random_patch_with_seed_1_are_these():
    assert transcript("random-patch", 12) == [
        "0 advance",
        "1 advance",
        "0 p24/4@b2",
        "0 p23/3@h1",
        "1 p10/0@f7",
        "1 advance",
        "0 p04/2@d7",
        "0 advance",
        "1 advance",
        "0 p14/2@e4",
        "1 advance",
        "0 p12/1@b5",
    ]
