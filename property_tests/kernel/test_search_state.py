"""A game that a search saves comes back as it was, and games are told apart by all that the rules see of them."""

import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from patchstats.kernel import layout
from patchstats.kernel.actions import play
from patchstats.kernel.layout import SEAT_SIZE, SEATS
from patchstats.kernel.positions import position_in
from patchstats.kernel.search.state import load, may_lead_to, same, save, words_of_state
from patchstats.kernel.search.tree import lay_offer
from patchstats.kernel.turn import seat_on_turn
from patchstats.notation.action_log import encode_action
from patchstats.rules import Position, Ruleset
from patchstats.testing import games, positions, situation

both = runpy.run_path(str(Path(__file__).with_name("both.py")))

ORIGINAL = Ruleset.load("original")
GAMES = games(rulesets=both["RULESETS"])
PLACES = st.integers(0, 10**6)
#: Where games are saved in these tests, and what stands before and behind them.
AT, GUARD = 3, 0xFEED


@njit
def _play(a, code):
    lay_offer(a)
    play(a, SEATS + seat_on_turn(a) * SEAT_SIZE, code)


@njit
def _save(a, m, at):
    save(a, m, at)


@njit
def _load(a, m, at):
    load(a, m, at)


@njit
def _same(a, m, at):
    return same(a, m, at)


@njit
def _may_lead_to(a, m, at):
    return may_lead_to(a, m, at)


def saved(arena, ruleset):
    """A memory with the game of an arena, and nothing else written."""
    memory = np.full(AT + words_of_state(len(ruleset.patches)) + AT, GUARD, dtype=np.uint64)
    _save(arena, memory, np.uint64(AT))
    assert set(memory[:AT].tolist()) == set(memory[-AT:].tolist()) == {GUARD}
    return memory


def are_same(first, second):
    """Whether one position is the other one to the kernel, which must say so both ways."""
    one, other = (both["arena_with"](position) for position in (first, second))
    told = bool(_same(one, saved(other, second.ruleset), np.uint64(AT)))
    assert told == bool(_same(other, saved(one, first.ruleset), np.uint64(AT)))
    return told


def seen_by_the_rules(position):
    """All on which it depends what may be done from here on, and what comes of it."""
    players = [(one.space, one.buttons, one.income, one.covered) for one in position.players]
    others = position.leather_marks, position.top, position.waiting, position.bonus_owner, position.first_finisher
    return players, position.ring, others


def play_on(arena, position, numbers):
    """Play legal actions, by numbers, in an arena with this position, and return the one that is reached."""
    for number in numbers:
        if not position.finished:
            action = position.legal_actions[number % len(position.legal_actions)]
            _play(arena, np.uint64(encode_action(position, action)))
            position = position.apply(action).position
    return position


def played(game, plies):
    """An arena in which so many plies of a game were played."""
    arena = both["arena_with"](game.positions[0])
    for ply in list(game.plies)[:plies]:
        _play(arena, np.uint64(encode_action(ply.before, ply.action)))
    return arena


@given(GAMES, PLACES, st.lists(PLACES, max_size=6))
def test_a_game_loaded_again_is_the_one_that_was_saved_whatever_was_played_meanwhile(game, place, numbers):
    position = game.positions[place % len(game.positions)]
    arena = both["arena_with"](position)
    memory = saved(arena, game.ruleset)
    kept = memory.copy()
    after = play_on(arena, position, numbers)
    assert position_in(arena, game.ruleset) == after
    assert bool(_same(arena, memory, np.uint64(AT))) == (after == position)
    _load(arena, memory, np.uint64(AT))
    assert (memory == kept).all()
    assert position_in(arena, game.ruleset) == position
    assert _same(arena, memory, np.uint64(AT))


@given(GAMES, PLACES, st.lists(PLACES, max_size=6))
def test_all_that_the_logs_say_of_a_game_comes_back_too(game, place, numbers):
    plies = place % len(game.positions)
    arena = played(game, plies)
    words = slice(int(layout.SEATS), int(layout.SEED))
    before, memory = arena[words].copy(), saved(arena, game.ruleset)
    play_on(arena, game.positions[plies], numbers)
    _load(arena, memory, np.uint64(AT))
    assert arena[words].tolist() == before.tolist()


@given(GAMES, PLACES)
def test_a_game_is_the_same_whether_it_was_played_or_laid_out(game, place):
    plies = place % len(game.positions)
    first, second = played(game, plies), both["arena_with"](game.positions[plies])
    assert _same(first, saved(second, game.ruleset), np.uint64(AT))
    assert _same(second, saved(first, game.ruleset), np.uint64(AT))


@given(st.data(), positions(rulesets=both["RULESETS"]))
def test_two_positions_are_the_same_just_when_the_rules_see_the_same_of_both(data, position):
    players = list(position.players)
    other = replace(
        position,
        top=data.draw(st.sampled_from([position.top, 1 - position.top])),
        waiting=position.waiting + data.draw(st.integers(0, 1)),
        set_aside=position.set_aside + data.draw(st.integers(0, 1)),
        bonus_owner=data.draw(st.sampled_from([position.bonus_owner, None, 0, 1])),
        first_finisher=data.draw(st.sampled_from([position.first_finisher, None, 0, 1])),
        bank=position.bank - data.draw(st.integers(0, 1)),
        ring=data.draw(st.just(position.ring) | st.permutations(position.ring).map(tuple)),
        players=tuple(data.draw(st.sampled_from([players, players[::-1]]))),
    )
    assert are_same(position, other) == (seen_by_the_rules(position) == seen_by_the_rules(other))


PLAIN = {
    "spaces": (9, 12),
    "buttons": (3, 4),
    "income": (1, 2),
    "covered": ([3, 70], [4, 71]),
    "ring": ["p01", "p02", "p03", "p04"],
    "leather_marks": [26, 32],
}


@pytest.mark.parametrize(
    "change",
    [
        {"spaces": (8, 12)},
        {"spaces": (9, 11), "top": 1},
        {"top": 0},
        {"buttons": (4, 4)},
        {"buttons": (3, 3)},
        {"income": (2, 2)},
        {"income": (1, 1)},
        {"covered": ([2, 70], [4, 71])},
        {"covered": ([3, 71], [4, 71])},
        {"covered": ([3, 70], [5, 71])},
        {"covered": ([3, 70], [4, 72])},
        {"ring": ["p02", "p03", "p04"]},
        {"ring": ["p02", "p03", "p04", "p01"]},
        {"ring": ["p01", "p03", "p02", "p04"]},
        {"ring": []},
        {"leather_marks": [32]},
        {"leather_marks": [26]},
        {"bonus_owner": 0},
        {"bonus_owner": 1},
        {"waiting": 1},
    ],
    ids=str,
)
def test_positions_that_differ_in_one_thing_are_not_the_same(change):
    plain = situation(ORIGINAL, **PLAIN)
    assert are_same(plain, situation(ORIGINAL, **PLAIN))
    assert not are_same(plain, situation(ORIGINAL, **(PLAIN | change)))


def test_a_leather_far_along_the_track_and_who_finished_first_tell_positions_apart():
    long = ORIGINAL.with_changes({"finish": 255, "leather_marks": [70, 130, 200]})
    for left in ([70, 130], [70, 200], [130, 200]):
        assert not are_same(situation(long), situation(long, leather_marks=left))
    over = situation(ORIGINAL, spaces=(53, 53), top=0)
    assert not are_same(over, replace(over, first_finisher=0))


def test_what_the_rules_do_not_ask_for_tells_no_positions_apart():
    plain = situation(ORIGINAL, **PLAIN)
    first, second = plain.players
    with_patches = replace(first, patches=frozenset(["p20"]), leathers=1), replace(second, leathers=2)
    assert are_same(plain, replace(plain, players=with_patches, set_aside=2, bank=0))


@given(GAMES, PLACES, PLACES)
def test_the_positions_of_a_game_lead_to_the_later_ones_and_never_to_the_earlier(game, first, second):
    places = [place % len(game.positions) for place in (first, second)]
    arenas = [both["arena_with"](game.positions[place]) for place in places]
    memories = [saved(arena, game.ruleset) for arena in arenas]
    assert bool(_may_lead_to(arenas[0], memories[1], np.uint64(AT))) == (places[0] <= places[1])
    assert bool(_may_lead_to(arenas[1], memories[0], np.uint64(AT))) == (places[1] <= places[0])


def test_a_position_leads_to_none_in_which_another_patch_is_gone_or_another_cell_covered():
    start = Position.start(ORIGINAL, [patch.id for patch in ORIGINAL.patches])
    arena = both["arena_with"](start)
    of_patch = [start.legal_actions.purchases.of(patch) for patch in start.offer]
    after = [start.apply(action).position for action in (start.legal_actions[0], *(one[0] for one in of_patch))]
    elsewhere = start.apply(of_patch[0][5]).position
    for position in (*after, elsewhere):
        assert _may_lead_to(arena, saved(both["arena_with"](position), ORIGINAL), np.uint64(AT))
    bought, moved = both["arena_with"](after[1]), both["arena_with"](after[0])
    for arena, position in ((bought, elsewhere), (bought, after[0]), (moved, start)):
        assert not _may_lead_to(arena, saved(both["arena_with"](position), ORIGINAL), np.uint64(AT))


@pytest.mark.parametrize("cell", [3, 70])
def test_what_is_covered_stays_covered_in_all_that_a_position_leads_to(cell):
    for here, there in (([cell], []), ([], [cell])):
        arena = both["arena_with"](situation(ORIGINAL, spaces=(9, 12), covered=(here, there)))
        for change in ((here, []), ([], there), ([cell + 1], [cell + 1])):
            other = situation(ORIGINAL, spaces=(9, 12), covered=change)
            told = _may_lead_to(arena, saved(both["arena_with"](other), ORIGINAL), np.uint64(AT))
            assert bool(told) == (change == (here, there))


def test_games_with_rare_things_to_be_saved_are_drawn(reach):
    reach(
        GAMES,
        lambda game: game.final.set_aside > 0,
        lambda game: any(one.waiting > 1 for one in game.positions),
        lambda game: any(mark > 64 for mark in game.ruleset.leather_marks),
        lambda game: game.ruleset.quilt_size > 8 and not game.final.ring,
    )
