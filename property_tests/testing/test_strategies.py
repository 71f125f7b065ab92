"""The strategies of `patchstats.testing`: what they draw is what they say, and the odd things are drawn, too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.rules import Advance, Buy, PlaceLeather, Position, Ruleset
from patchstats.testing import buy, games, play_game, positions, rings, rulesets, shapes, situation

ORIGINAL = Ruleset.load("original")
IDS = [patch.id for patch in ORIGINAL.patches]


@given(shapes())
def test_drawn_shapes_hang_together_and_fit_their_box(shape):
    assert min(row for row, _ in shape) == min(column for _, column in shape) == 0
    assert max(max(cell) for cell in shape) < 5
    reached, frontier = set(), [min(shape)]
    while frontier:
        row, column = frontier.pop()
        if (row, column) in shape - reached:
            reached.add((row, column))
            frontier += [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
    assert reached == shape


def test_odd_shapes_are_drawn(reach):
    reach(
        shapes(),
        lambda shape: len(shape) == 1,
        lambda shape: {max(row for row, _ in shape), max(column for _, column in shape)} == {4},
        lambda shape: {(0, 0), (0, 2)} <= shape and (0, 1) not in shape,
    )


def test_rulesets_of_every_kind_are_drawn(reach):
    reach(
        rulesets(),
        lambda ruleset: ruleset.quilt_size == 3,
        lambda ruleset: ruleset.quilt_size == 11,
        lambda ruleset: ruleset.offer_size == 8,
        lambda ruleset: ruleset.name == "original",
        lambda ruleset: ruleset.name == "revised",
        lambda ruleset: 1 in ruleset.income_marks and ruleset.finish in ruleset.leather_marks,
        lambda ruleset: set(ruleset.income_marks) & set(ruleset.leather_marks),
        lambda ruleset: {2, 3, 4} <= {mark - ruleset.leather_marks[0] for mark in ruleset.leather_marks},
        lambda ruleset: ruleset.finish < max(patch.time for patch in ruleset.patches),
        lambda ruleset: len(ruleset.patches) == 1,
        lambda ruleset: len(ruleset.patches) > 8,
        lambda ruleset: ruleset.patches[0].id != ruleset.start_patch,
        lambda ruleset: any(len(ways) == 8 for ways in ruleset.distinct_ways_to_lay.values()),
    )


def test_rings_of_every_order_are_drawn(reach):
    reach(
        rings(ORIGINAL),
        *(lambda ring, end=end, patch=patch: ring[end] == patch for end in (0, -1) for patch in ("p01", "p17", "p33")),
    )


@given(rulesets(shipped=False, quilt_sizes=(4, 6), most_patches=3))
def test_invented_rulesets_keep_to_what_was_asked_for(ruleset):
    assert 4 <= ruleset.quilt_size <= 6
    assert 1 <= len(ruleset.patches) <= 3
    assert ruleset.name == "invented"


def test_rulesets_of_no_kind_are_refused():
    with pytest.raises(ValueError, match="nothing to draw"):
        rulesets(shipped=False, invented=False)


@given(games())
def test_a_drawn_game_is_told_in_full_and_ends(game):
    assert game.positions[0] == Position.start(game.ruleset, game.ring)
    assert game.final.finished
    assert len(game.positions) == len(game.actions) + 1 == len(game.events) + 1
    for before, action, events, after in game.plies:
        assert before.apply(action) == (after, events)
    assert tuple(game.log) == sum(game.events, ())


def test_games_of_every_manner_are_drawn(reach):
    reach(
        games(),
        lambda game: all(isinstance(action, Advance | PlaceLeather) for action in game.actions),
        lambda game: sum(isinstance(action, Buy) for action in game.actions) > 20,
        lambda game: any(isinstance(action, Buy) for action in game.actions[-3:]),
    )


def test_rich_buyers_and_densely_packed_quilts_are_drawn_by_the_shipped_rulesets(reach):
    def most_buttons_of_a_buyer(game):
        return max(
            (ply.before.players[ply.seat].buttons for ply in game.plies if isinstance(ply.action, Buy)), default=0
        )

    reach(
        games(rulesets=rulesets(invented=False)),
        lambda game: most_buttons_of_a_buyer(game) > 52,
        lambda game: max(player.covered.bit_count() for player in game.final.players) > 68,
    )


def test_positions_from_start_to_end_are_drawn(reach):
    reach(
        positions(),
        lambda position: position.finished,
        lambda position: position.waiting,
        lambda position: position.first_finisher is not None and not position.finished,
        lambda position: len(position.legal_actions) > 600,
    )


@given(st.sampled_from(["original", "revised"]), st.lists(st.integers(), max_size=80))
def test_the_same_numbers_play_the_same_game(name, choices):
    ruleset = Ruleset.load(name)
    game = play_game(ruleset, IDS, choices)
    assert play_game(ruleset, IDS, choices) == game
    legal = game.positions[0].legal_actions
    assert game.actions[0] == legal[(choices or [0])[0] % len(legal)]


def test_a_game_is_shown_by_what_brings_it_back():
    game = play_game(ORIGINAL, IDS, [1, 2])
    assert repr(game).startswith("Game(ruleset=Ruleset.load('original'), ring=('p01', 'p02',")
    changed = play_game(ORIGINAL.with_changes({"finish": 60}), IDS, [])
    assert "ruleset=Ruleset.from_dict({'name': 'original*'" in repr(changed)
    assert "Position(" not in repr(game)


def test_a_situation_is_as_it_must_be_where_nothing_is_said():
    position = situation(ORIGINAL, spaces=(30, 53), buttons=(100, 3))
    assert (position.top, position.seat_on_turn, position.first_finisher) == (1, 0, 1)
    assert (position.leather_marks, position.bank) == ((), 162 - 103)
    assert situation(ORIGINAL) == Position.start(ORIGINAL, IDS)
    assert situation(ORIGINAL, spaces=(53, 53), top=0).first_finisher == 1
    assert situation(ORIGINAL, spaces=(27, 9)).leather_marks == (32, 44, 50)


def test_what_cannot_be_bought_is_named_with_what_can():
    position = situation(ORIGINAL, ring=["p02", "p33", "p03"], buttons=(4, 0))
    with pytest.raises(ValueError, match="p33 cannot be bought; these can: p02, p03"):
        buy(position, "p33")
