"""Both engines side by side: after every action each field is the same, and so is what may be done next."""

import runpy
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.kernel.positions import position_in, put_position
from patchstats.rules import Buy, PlaceLeather, Ruleset
from patchstats.rules.cells import cells_in
from patchstats.rules.events import BonusWon
from patchstats.testing import games, positions, rulesets, situation

both = runpy.run_path(str(Path(__file__).with_name("both.py")))

ORIGINAL = Ruleset.load("original")
SMALL = rulesets(shipped=False, quilt_sizes=(3, 5), most_patches=5)
GAMES = games(rulesets=both["RULESETS"])
POSITIONS = positions(rulesets=both["RULESETS"])


def agree(arena, position):
    """Compare all that the engines say of a game."""
    assert both["kernel_answers"](arena, position.ruleset) == both["reference_answers"](position)


def play_along(game):
    arena = both["arena_with"](game.positions[0])
    agree(arena, game.positions[0])
    for ply in game.plies:
        both["play"](arena, list(ply.before.legal_actions).index(ply.action))
        agree(arena, ply.after)


@given(GAMES | games(rulesets=SMALL))
def test_after_every_ply_of_a_game_both_engines_say_the_same(game):
    play_along(game)


def test_games_with_all_that_is_rare_are_among_the_drawn_ones(reach):
    reach(
        GAMES,
        lambda game: game.final.set_aside > 0,
        lambda game: any(isinstance(event, BonusWon) for event in game.log),
        lambda game: any(space > 192 for space in game.ruleset.leather_marks) and game.ruleset.quilt_size > 8,
        lambda game: any(before.waiting > 1 for before in game.positions),
        lambda game: game.final.score(0) == game.final.score(1),
        lambda game: not game.final.ring,
        lambda game: any(isinstance(one, Buy) and one.cell >= 64 for one in game.actions),
        lambda game: any(isinstance(one, PlaceLeather) and one.cell >= 64 for one in game.actions),
    )


@given(games(rulesets=SMALL))
def test_every_legal_action_stands_at_the_same_place_in_both_lists(game):
    for position in islice(game.positions, 12):
        arena = both["arena_with"](position)
        legal = list(position.legal_actions)
        assert [both["kernel_action"](arena, game.ruleset, n) for n in range(len(legal))] == legal


@given(position=POSITIONS, data=st.data())
def test_a_drawn_action_stands_at_the_same_place_in_both_lists_and_leads_to_the_same_position(position, data):
    if position.finished:
        return
    n = data.draw(st.integers(0, len(position.legal_actions) - 1))
    arena = both["arena_with"](position)
    action = position.legal_actions[n]
    assert both["kernel_action"](arena, position.ruleset, n) == action
    both["play"](arena, n)
    agree(arena, position.apply(action).position)


@given(POSITIONS)
def test_a_position_is_the_same_after_it_was_in_an_arena(position):
    agree(both["arena_with"](position), position)


@given(first=games(rulesets=SMALL), places=st.lists(st.integers(0, 10**6), min_size=1, max_size=5))
def test_nothing_is_left_of_what_was_in_an_arena_before(first, places):
    arena = both["arena_with"](first.final)
    for place in places:
        position = first.positions[place % len(first.positions)]
        put_position(arena, position)
        agree(arena, position)


@given(position=POSITIONS, bank=st.integers(-(10**6), 10**6))
def test_a_bank_below_zero_is_not_lost(position, bank):
    owing = replace(position, bank=bank)
    assert position_in(both["arena_with"](owing), position.ruleset) == owing


def test_a_bank_runs_below_zero_as_in_the_reference():
    poor = ORIGINAL.with_changes({"button_supply": 10})
    position = situation(poor, spaces=(0, 30))
    arena = both["arena_with"](position)
    both["play"](arena, 0)
    after = position.apply(position.legal_actions[0]).position
    assert after.bank < 0
    agree(arena, after)


@given(ruleset=both["RULESETS"], seat=st.integers(0, 1), data=st.data())
def test_a_leather_that_completes_a_square_anywhere_wins_the_bonus_in_both_engines(ruleset, seat, data):
    square = data.draw(st.sampled_from(ruleset.bonus_squares))
    cells = list(cells_in(square))
    missing = data.draw(st.sets(st.sampled_from(cells), min_size=1, max_size=2))
    covered = set(cells) - missing
    position = situation(ruleset, top=seat, covered=(covered, ()) if seat == 0 else ((), covered), waiting=1)
    free = list(cells_in(ruleset.quilt & ~position.players[seat].covered))
    n = free.index(data.draw(st.sampled_from(sorted(missing))))
    after = position.apply(position.legal_actions[n]).position
    assert (after.bonus_owner == seat) >= (len(missing) == 1)
    arena = both["arena_with"](position)
    both["play"](arena, n)
    agree(arena, after)


@given(ruleset=both["RULESETS"], waiting=st.integers(1, 5), data=st.data())
def test_leathers_that_find_no_empty_cell_are_set_aside_in_both_engines(ruleset, waiting, data):
    cells = set(cells_in(ruleset.quilt))
    all_but_one = cells - {data.draw(st.sampled_from(sorted(cells)))}
    crossing = {"spaces": (0, ruleset.finish), "top": 1, "leather_marks": ruleset.leather_marks}
    for position in (
        situation(ruleset, covered=(all_but_one, ()), waiting=waiting),
        situation(ruleset, covered=(cells, ()), **crossing),
    ):
        arena = both["arena_with"](position)
        both["play"](arena, 0)
        agree(arena, position.apply(position.legal_actions[0]).position)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("field", ["space", "buttons", "income", "covered", "leathers"])
def test_a_seat_with_less_than_nothing_is_refused(seat, field):
    position = situation(ORIGINAL, spaces=(3, 4))
    players = [
        replace(player, **{field: -1}) if number == seat else player for number, player in enumerate(position.players)
    ]
    with pytest.raises(ValueError, match=f"seat {seat} has less than nothing"):
        both["arena_with"](replace(position, players=tuple(players)))


@pytest.mark.parametrize("field", ["waiting", "set_aside"])
def test_less_than_no_leather_is_refused(field):
    with pytest.raises(ValueError, match="less than nothing"):
        both["arena_with"](replace(situation(ORIGINAL), **{field: -1}))


@pytest.mark.parametrize("ruleset", ["original", "revised"])
def test_a_game_of_advances_alone_ends_the_same(ruleset):
    position = situation(Ruleset.load(ruleset))
    arena = both["arena_with"](position)
    while not position.finished:
        both["play"](arena, 0)
        position = position.apply(position.legal_actions[0]).position
        agree(arena, position)
