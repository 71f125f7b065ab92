"""Where patches and leathers lie best, against every placement tried one by one."""

import runpy
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numba import njit

from patchstats.kernel import layout
from patchstats.kernel.layout import SEAT_SIZE, SEATS
from patchstats.kernel.packing import PULL, best_leather, best_placements, placement_score
from patchstats.kernel.turn import count_legal, seat_on_turn
from patchstats.rules import Buy, Ruleset
from patchstats.rules.cells import cells_in
from patchstats.testing import positions, rulesets, situation

both = runpy.run_path(str(Path(__file__).with_name("both.py")))

ORIGINAL = Ruleset.load("original")
POSITIONS = positions(rulesets=rulesets() | both["RULESETS"])


@njit
def _best_placements(a, slot, keep, short_list, pull, room, at):
    seat = SEATS + seat_on_turn(a) * SEAT_SIZE
    count_legal(a, seat)
    return best_placements(a, seat, slot, keep, short_list, pull, room, at)


@njit
def _best_leather(a):
    return best_leather(a, SEATS + seat_on_turn(a) * SEAT_SIZE)


@njit
def _score(a, low, high, pull):
    return placement_score(a, low, high, pull)


def found_by_kernel(position, slot, keep, arena=None, short_list=6, pull=2):
    """What `best_placements` writes: orientation, cell and score of each."""
    arena = both["arena_with"](position) if arena is None else arena
    room = np.full(3 * max(keep, short_list) + 4, 77, dtype=np.uint64)
    counts = (np.uint64(number) for number in (slot, keep, short_list))
    found = int(_best_placements(arena, *counts, np.int64(pull), room, np.uint64(2)))
    assert room[:2].tolist() == room[-2:].tolist() == [77, 77]
    rows = room[2 : 2 + 3 * found].reshape(found, 3)
    return [
        (int(arena[int(way) + int(layout.NUMBER)]), int(cell), int(score.astype(np.int64))) for way, cell, score in rows
    ]


@lru_cache(maxsize=1 << 16)
def _beside(size):
    """For each cell the set of those that share an edge with it, as bits."""
    sets = []
    for cell in range(size * size):
        row, column = divmod(cell, size)
        places = (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)
        sets.append(sum(1 << r * size + c for r, c in places if 0 <= r < size and 0 <= c < size))
    return sets


def pairs_of(ruleset, free):
    beside = _beside(ruleset.quilt_size)
    return sum((beside[cell] & free).bit_count() for cell in cells_in(free)) // 2


def score_of(ruleset, free, pull):
    beside = _beside(ruleset.quilt_size)
    around = [(beside[cell] & free).bit_count() for cell in cells_in(free)]
    missing = min((square & free).bit_count() for square in ruleset.bonus_squares)
    return 2 * sum(around) - 8 * around.count(0) - 4 * around.count(1) - pull * missing


def found_by_trying(position, slot, keep, short_list=6, pull=2):
    """The same by the rule as it is written, over all legal actions."""
    ruleset, player = position.ruleset, position.players[position.seat_on_turn]
    patch = position.offer[slot]
    pull = pull if position.bonus_owner is None else 0
    tried = []
    for action in position.legal_actions:
        if isinstance(action, Buy) and action.patch == patch:
            pattern = ruleset.ways_to_lay[patch][action.orientation].pattern << action.cell
            free = ruleset.quilt & ~player.covered & ~pattern
            tried.append((pairs_of(ruleset, free), action.orientation, action.cell, free))
    tried.sort(key=lambda one: (-one[0], one[1], one[2]))
    short = [(way, cell, score_of(ruleset, free, pull)) for _, way, cell, free in tried[: max(short_list, keep)]]
    return sorted(short, key=lambda one: (-one[2], one[0], one[1]))[:keep]


def turns(reachable):
    """Positions in which somebody is on turn who has a patch to choose."""
    return reachable.filter(lambda position: not position.finished and not position.waiting and len(position.ring) > 0)


@given(turns(POSITIONS), st.integers(0, 7), st.integers(1, 9), st.sampled_from([(6, 2), (12, 4), (1, 30)]))
@example(situation(ORIGINAL), 1, 1, (6, 2))
@example(situation(ORIGINAL), 2, 9, (6, 2))
def test_the_best_placements_are_those_that_trying_all_of_them_finds(position, number, keep, how):
    slot = number % len(position.offer)
    affordable = position.ruleset[position.offer[slot]].cost <= position.players[position.seat_on_turn].buttons
    if affordable:
        short_list, pull = how
        found = found_by_kernel(position, slot, keep, short_list=short_list, pull=pull)
        assert found == found_by_trying(position, slot, keep, short_list, pull)


def test_the_list_is_short_of_placements_only_when_there_are_no_more(reach):
    def few(position):
        count = sum(isinstance(one, Buy) and one.patch == position.offer[0] for one in position.legal_actions)
        return 0 < count < 6

    position = reach(turns(POSITIONS), few)
    assert found_by_kernel(position, 0, 6) == found_by_trying(position, 0, 6)
    assert 0 < len(found_by_kernel(position, 0, 6)) < 6


@given(turns(POSITIONS), st.integers(0, 7))
def test_asking_for_fewer_gives_the_first_of_the_same(position, number):
    slot = number % len(position.offer)
    if position.ruleset[position.offer[slot]].cost <= position.players[position.seat_on_turn].buttons:
        three = found_by_kernel(position, slot, 3)
        assert [found_by_kernel(position, slot, keep) for keep in (1, 2)] == [three[:1], three[:2]]


def test_on_an_empty_quilt_a_patch_goes_into_the_first_corner():
    position = situation(ORIGINAL, buttons=(50, 50))
    [(way, cell, _)] = found_by_kernel(position, 0, 1)
    assert (way, cell) == found_by_trying(position, 0, 1)[0][:2]
    pattern = ORIGINAL.ways_to_lay[position.offer[0]][way].pattern << cell
    assert pattern & 0b1111111111


@given(POSITIONS.filter(lambda position: position.waiting))
@example(situation(ORIGINAL, waiting=1))
def test_a_leather_goes_where_trying_every_free_cell_finds_it_best(position):
    ruleset, player = position.ruleset, position.players[position.seat_on_turn]
    free, bonus_open = ruleset.quilt & ~player.covered, position.bonus_owner is None

    def rank(cell):
        left = free & ~(1 << cell)
        completes = bonus_open and any(not square & left for square in ruleset.bonus_squares)
        return -completes, -score_of(ruleset, left, int(PULL) * bonus_open), cell

    assert int(_best_leather(both["arena_with"](position))) == min(cells_in(free), key=rank)


def square_without(cell):
    """The cells of the first bonus square, less one."""
    return set(cells_in(ORIGINAL.bonus_squares[0])) - {cell}


def test_a_leather_completes_the_bonus_square_though_another_cell_is_a_hole():
    free = {30, 80}
    covered = set(range(81)) - free
    position = situation(ORIGINAL, covered=(covered, ()), waiting=1)
    assert int(_best_leather(both["arena_with"](position))) == 30


@pytest.mark.parametrize("seat", [0, 1])
def test_once_the_bonus_is_won_the_square_draws_no_leather(seat):
    covered = square_without(30)
    owned = set(cells_in(ORIGINAL.bonus_squares[0]))
    quilts = (covered, owned) if seat == 0 else (owned, covered)
    position = situation(ORIGINAL, top=seat, covered=quilts, bonus_owner=1 - seat, waiting=1)
    arena = both["arena_with"](position)
    free = ORIGINAL.quilt & ~sum(1 << cell for cell in covered)
    best = max(cells_in(free), key=lambda cell: (score_of(ORIGINAL, free & ~(1 << cell), 0), -cell))
    assert int(_best_leather(arena)) == best


@given(POSITIONS, st.sampled_from([0, 2, 4]))
def test_the_score_is_what_it_says(position, pull):
    free = position.ruleset.quilt & ~position.players[0].covered
    arena = both["arena_with"](position)
    low, high = np.uint64(free & 2**64 - 1), np.uint64(free >> 64)
    assert _score(arena, low, high, np.int64(pull)) == score_of(position.ruleset, free, pull)


def test_positions_with_leathers_and_with_little_room_are_drawn(reach):
    reach(
        POSITIONS,
        lambda position: position.waiting and position.bonus_owner is None,
        lambda position: position.waiting and position.bonus_owner is not None,
        lambda position: position.ruleset.quilt_size > 8 and position.empty_cells(0) < 20,
    )
