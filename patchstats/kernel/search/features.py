"""What a position looks like to the learned evaluation: small whole numbers, of who moves and of the other.

The same numbers describe positions of every ruleset; which time board is played is one of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from patchstats.kernel.layout import (
    AT_INCOMES,
    AT_NEXT,
    AT_ORIENTATIONS,
    AT_PATCHES,
    BONUS,
    BUTTONS,
    CORNERS,
    COST,
    EMPTY,
    FINISH,
    FIRST,
    FIRST_WAY,
    INCOME,
    LAST_WAY,
    LEATHERS_AT_START,
    LEATHERS_ON_TRACK,
    LEFT_HIGH,
    LEFT_LOW,
    ON_RING,
    ORIENTATION_SIZE,
    PATCH_INCOME,
    PATCH_SIZE,
    QUILT_SIZE,
    RUN,
    RUNS,
    SIZE,
    SPACE,
    TAIL,
    TIME,
    WINDOWS,
)
from patchstats.kernel.quilt import free_cells, missing_of_bonus, neighbours, pairs
from patchstats.kernel.turn import RUNS_OF_WINDOW, U6, WORDS_OF_TRACK, leathers_between, number_of, work_out_all_runs
from patchstats.kernel.words import U0, U1, U2, U63, U64, popcount


class Feature(NamedTuple):
    """A number that describes a position: its name, and its bounds, beyond which it is cut off."""

    name: str
    least: int
    greatest: int


#: Of a seat.
OF_SEAT = (
    Feature("buttons", 0, 60),
    Feature("income", 0, 40),
    Feature("income times income marks ahead", 0, 200),
    Feature("spaces left", 0, 60),
    Feature("empty cells", 0, 121),
    Feature("empty cells times spaces left / 16", 0, 255),
    Feature("pairs of empty neighbours", 0, 220),
    Feature("holes", 0, 20),
    Feature("dead ends", 0, 30),
    Feature("corridors", 0, 50),
    Feature("empty squares of 2 by 2", 0, 100),
    Feature("empty runs of 3", 0, 200),
    Feature("empty squares of 3 by 3", 0, 81),
    Feature("empty runs of 5", 0, 155),
    Feature("pairs of dead ends", 0, 15),
    Feature("cells that the nearest bonus square lacks, while the bonus is to be won", 0, 81),
    Feature("8 less those cells", 0, 8),
    Feature("has the bonus", 0, 1),
    Feature("spaces to the next income mark", 0, 20),
    Feature("4 less buttons", 0, 4),
    Feature("12 less spaces left", 0, 12),
    Feature("12 less spaces to the next leather", 0, 12),
    Feature("leathers ahead", 0, 10),
)
#: Of one of the next patches: worth is 2 * cells + income * income marks ahead - cost, or 0 if it fits nowhere.
OF_PATCH = (
    Feature("worth if it can be paid", -60, 60),
    Feature("can be paid and placed", 0, 1),
    Feature("worth if the other can pay it", -60, 60),
    Feature("can be paid and placed by the other", 0, 1),
    Feature("time", 0, 20),
    Feature("cost", 0, 20),
    Feature("worth", -60, 60),
    Feature("worth to the other", -60, 60),
)
OF_GAME = (
    Feature("spaces ahead", -60, 60),
    Feature("finished first, or the other did", -1, 1),
    Feature("patches on the ring", 0, 63),
    Feature("the bonus is to be won", 0, 1),
    Feature("the first leather lies beyond space 20 by", -20, 20),
)
#: How many of the next patches are described.
NEXT_PATCHES = 5
FEATURES = (*OF_SEAT, *OF_SEAT, *(OF_PATCH * NEXT_PATCHES), *OF_GAME)

_SEAT, _PATCH = np.uint64(len(OF_SEAT)), np.uint64(len(OF_PATCH))
_NEXT = np.uint64(NEXT_PATCHES)


@njit
def describe(a: Any, seat: Any, other: Any, x: Any, at: Any) -> None:
    """Write the features of a position into `x` from place `at` on; `seat` moves."""
    describe_seat(a, seat, x, at)
    describe_seat(a, other, x, at + _SEAT)
    at += _SEAT + _SEAT
    describe_patches(a, seat, other, x, at)
    at += _NEXT * _PATCH
    x[at] = _cut(np.int64(a[other + SPACE]) - np.int64(a[seat + SPACE]), 60)
    first = a[FIRST]
    x[at + U1] = 0.0 if first == U0 else 1.0 if first == U1 + number_of(seat) else -1.0
    x[at + U2] = min(a[ON_RING], U63)
    x[at + np.uint64(3)] = 1.0 if a[BONUS] == U0 else 0.0
    x[at + np.uint64(4)] = _cut(np.int64(_next_space(a, LEATHERS_AT_START, U0, a[FINISH])) - 20, 20)


@njit
def describe_seat(a: Any, seat: Any, x: Any, at: Any) -> None:
    """Write the features of a seat, in the order of `OF_SEAT`."""
    space, buttons, income = a[seat + SPACE], a[seat + BUTTONS], a[seat + INCOME]
    left = a[FINISH] - space
    incomes = a[AT_INCOMES]
    marks = a[incomes + a[FINISH]] - a[incomes + space]
    low, high = free_cells(a, seat)
    size = a[QUILT_SIZE]
    one_low, one_high, two_low, two_high, four_low, four_high = neighbours(a, low, high)
    dead_low, dead_high = low & one_low & ~two_low, high & one_high & ~two_high
    pair_low, pair_high = (
        low & ((low & a[LEFT_LOW]) >> U1 | (high & a[LEFT_HIGH]) << U63),
        high & (high & a[LEFT_HIGH]) >> U1,
    )
    tower_low, tower_high = _and_below(low, high, size)
    square_low, square_high = _and_below(pair_low, pair_high, size)
    row_low, row_high = pair_low & (pair_low >> U1 | pair_high << U63), pair_high & pair_high >> U1
    column_low, column_high = _and_below(tower_low, tower_high, size)
    block_low, block_high = _and_below(row_low, row_high, size)
    block_low, block_high = _and_below(block_low, block_high, size)
    long_low, long_high = row_low & (row_low >> U2 | row_high << (U64 - U2)), row_high & row_high >> U2
    tall_low, tall_high = _and_below(column_low, column_high, size + size)
    has_bonus = a[BONUS] == U1 + number_of(seat)
    missing = missing_of_bonus(a, low, high) if a[BONUS] == U0 else U0
    x[at] = min(buttons, np.uint64(60))
    x[at + np.uint64(1)] = min(income, np.uint64(40))
    x[at + np.uint64(2)] = min(income * marks, np.uint64(200))
    x[at + np.uint64(3)] = min(left, np.uint64(60))
    x[at + np.uint64(4)] = a[seat + EMPTY]
    x[at + np.uint64(5)] = min(a[seat + EMPTY] * left >> np.uint64(4), np.uint64(255))
    x[at + np.uint64(6)] = pairs(a, low, high)
    x[at + np.uint64(7)] = min(
        popcount(low & ~(one_low | two_low | four_low)) + popcount(high & ~(one_high | two_high | four_high)),
        np.uint64(20),
    )
    x[at + np.uint64(8)] = min(popcount(dead_low) + popcount(dead_high), np.uint64(30))
    x[at + np.uint64(9)] = min(
        popcount(low & two_low & ~one_low) + popcount(high & two_high & ~one_high), np.uint64(50)
    )
    x[at + np.uint64(10)] = popcount(square_low) + popcount(square_high)
    x[at + np.uint64(11)] = min(
        popcount(row_low) + popcount(row_high) + popcount(column_low) + popcount(column_high), np.uint64(200)
    )
    x[at + np.uint64(12)] = popcount(block_low) + popcount(block_high)
    x[at + np.uint64(13)] = min(
        popcount(long_low) + popcount(long_high) + popcount(tall_low) + popcount(tall_high), np.uint64(155)
    )
    x[at + np.uint64(14)] = min(pairs(a, dead_low, dead_high), np.uint64(15))
    x[at + np.uint64(15)] = min(missing, np.uint64(81))
    x[at + np.uint64(16)] = np.uint64(8) - missing if missing < np.uint64(8) and a[BONUS] == U0 else U0
    x[at + np.uint64(17)] = 1.0 if has_bonus else 0.0
    next_income = space
    while next_income < a[FINISH] and a[incomes + next_income] == a[incomes + space]:
        next_income += U1
    x[at + np.uint64(18)] = min(next_income - space, np.uint64(20))
    x[at + np.uint64(19)] = np.uint64(4) - buttons if buttons < np.uint64(4) else U0
    x[at + np.uint64(20)] = np.uint64(12) - left if left < np.uint64(12) else U0
    next_leather = _next_space(a, LEATHERS_ON_TRACK, space, a[FINISH] + np.uint64(12)) - space
    x[at + np.uint64(21)] = np.uint64(12) - next_leather if next_leather < np.uint64(12) else U0
    x[at + np.uint64(22)] = min(leathers_between(a, space, a[FINISH]), np.uint64(10))


@njit
def describe_patches(a: Any, seat: Any, other: Any, x: Any, at: Any) -> None:
    """Write the features of the next patches, in the order of `OF_PATCH`."""
    for place in range(_NEXT * _PATCH):
        x[at + place] = 0.0
    incomes = a[AT_INCOMES]
    for turn in range(U2):
        who = seat if turn == U0 else other
        marks = np.int64(a[incomes + a[FINISH]] - a[incomes + a[who + SPACE]])
        buttons = a[who + BUTTONS]
        work_out_all_runs(a, who)
        patch = a[TAIL]
        place = at
        for _ in range(min(_NEXT, a[ON_RING])):
            patch = a[a[AT_NEXT] + patch]
            entry = a[AT_PATCHES] + patch * PATCH_SIZE
            if fits_somewhere(a, entry):
                worth = (
                    2 * np.int64(a[entry + SIZE])
                    + np.int64(a[entry + PATCH_INCOME]) * marks
                    - np.int64(a[entry + COST])
                )
                worth = max(min(worth, np.int64(60)), np.int64(-60))
                x[place + np.uint64(6) + turn] = worth
                if a[entry + COST] <= buttons:
                    x[place + turn + turn] = worth
                    x[place + turn + turn + U1] = 1.0
            x[place + np.uint64(4)] = min(a[entry + TIME], np.uint64(20))
            x[place + np.uint64(5)] = min(a[entry + COST], np.uint64(20))
            place += _PATCH


@njit
def fits_somewhere(a: Any, entry: Any) -> Any:
    """Whether a patch fits on the quilt that the runs were worked out of."""
    size, windows, runs = a[ORIENTATION_SIZE], a[WINDOWS], a[RUNS]
    way = a[AT_ORIENTATIONS] + a[entry + FIRST_WAY] * size
    for _ in range(a[entry + LAST_WAY] - a[entry + FIRST_WAY]):
        for window in range(windows):
            corners = a[way + CORNERS + window]
            for part in range(runs):
                run = a[way + CORNERS + windows + part]
                corners &= a[RUN + window * RUNS_OF_WINDOW + (run >> U6)] >> (run & U63)
            if corners:
                return True
        way += size
    return False


@njit
def _and_below(low: Any, high: Any, cells: Any) -> Any:
    """Return the cells of a set whose neighbours so many cells further on are in it, too."""
    return low & (low >> cells | high << (U64 - cells)), high & high >> cells


@njit
def _cut(number: Any, bound: Any) -> Any:
    return max(min(number, np.int64(bound)), np.int64(-bound))


@njit
def _next_space(a: Any, marks: Any, space: Any, none: Any) -> Any:
    """Return the first marked space beyond a space, or `none`."""
    for word in range(space >> U6, WORDS_OF_TRACK):
        bits = a[marks + word]
        if word == space >> U6:
            bits &= (~U0 << (space & U63)) << U1
        if bits:
            return word << U6 | popcount((bits & ~(bits - U1)) - U1)
    return none
