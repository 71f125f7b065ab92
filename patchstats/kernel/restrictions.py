"""What an agent does not allow itself to do: actions are taken away from those that `turn.count_legal` has found.

Where several restrictions are named, each takes away from what those before it in `BITS` have left, in whatever order
they are named. None takes everything; what each does when nothing else would be left stands with its routine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.layout import (
    AT_FITS,
    AT_NEXT,
    AT_ORIENTATIONS,
    AT_PATCHES,
    BONUS,
    FINISH,
    FIRST_WAY,
    LAST_WAY,
    MAY_ADVANCE,
    OFFER,
    OFFER_SIZE,
    ON_RING,
    ORIENTATION_SIZE,
    PATCH_INCOME,
    PATCH_SIZE,
    PATTERN_HIGH,
    PATTERN_LOW,
    SEAT_SIZE,
    SEATS,
    SIZE,
    SLOT_COUNT,
    SPACE,
    TAIL,
    TIME,
    WINDOW_START,
    WINDOWS,
)
from patchstats.kernel.quilt import free_cells, missing_of_bonus, moved, neighbours
from patchstats.kernel.turn import WAYS, leathers_between, number_of
from patchstats.kernel.words import FULL, U0, U1, U3, popcount

#: The restrictions by the names that specs give them, each with its bit, in the order in which they are applied.
BITS = {"no-income-3": 1, "no-advance-unless-forced": 2, "seven-by-seven": 4, "leather-racer": 8}
NO_INCOME_3, NO_ADVANCE, SEVEN_BY_SEVEN, LEATHER_RACER = (np.uint64(bit) for bit in BITS.values())


@njit
def restrict(a: Any, seat: Any, restrictions: Any) -> None:
    """Take away what is not allowed; at least one action is left. It is the turn of the seat, and no leather waits."""
    if restrictions & NO_INCOME_3:
        leave_low_incomes(a)
    if restrictions & NO_ADVANCE:
        leave_purchases(a)
    if restrictions & SEVEN_BY_SEVEN and a[BONUS] == U0 and bonus_in_reach(a, seat):
        for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
            if a[SLOT_COUNT + slot]:
                leave_nearest_to_bonus(a, seat, slot)
    if restrictions & LEATHER_RACER:
        leave_leathers(a, seat)


@njit
def leave_low_incomes(a: Any) -> None:
    """Take away every patch with an income of 3 or more.

    It goes first, so the advance is always left: who may buy nothing else is forced to advance.
    """
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        if a[a[AT_PATCHES] + a[OFFER + slot] * PATCH_SIZE + PATCH_INCOME] >= U3:
            a[SLOT_COUNT + slot] = U0


@njit
def leave_purchases(a: Any) -> None:
    """Take away the advance, unless no purchase is left."""
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        if a[SLOT_COUNT + slot]:
            a[MAY_ADVANCE] = U0


@njit
def bonus_in_reach(a: Any, seat: Any) -> Any:
    """Whether the seat may still complete a bonus square, as far as a glance tells.

    A free cell without a free neighbour takes a leather, or a patch of one cell. A square is beyond reach if it has
    more of them than there are leathers ahead and such patches on the ring.
    """
    low, high = free_cells(a, seat)
    one_low, one_high, two_low, two_high, four_low, four_high = neighbours(a, low, high)
    alone_low, alone_high = low & ~(one_low | two_low | four_low), high & ~(one_high | two_high | four_high)
    least = missing_of_bonus(a, alone_low, alone_high)
    return least == U0 or least <= leathers_between(a, a[seat + SPACE], a[FINISH]) + single_cells(a)


@njit
def single_cells(a: Any) -> Any:
    """Return how many patches of one cell are on the ring."""
    count, patch = U0, a[TAIL]
    for _ in range(a[ON_RING]):
        patch = a[a[AT_NEXT] + patch]
        if a[a[AT_PATCHES] + patch * PATCH_SIZE + SIZE] == U1:
            count += U1
    return count


@njit
def leave_nearest_to_bonus(a: Any, seat: Any, slot: Any) -> None:
    """Of a buyable patch leave only those placements after which the nearest bonus square lacks the fewest cells."""
    free_low, free_high = free_cells(a, seat)
    size, windows = a[ORIENTATION_SIZE], a[WINDOWS]
    entry = a[AT_PATCHES] + a[OFFER + slot] * PATCH_SIZE
    way = a[AT_ORIENTATIONS] + a[entry + FIRST_WAY] * size
    first = a[AT_FITS] + slot * WAYS * windows
    fits, least, count = first, FULL, U0
    for _ in range(a[entry + LAST_WAY] - a[entry + FIRST_WAY]):
        for window in range(windows):
            corners, left = a[fits], U0
            while corners:
                corner = popcount(~corners & (corners - U1))
                low, high = moved(a[way + PATTERN_LOW], a[way + PATTERN_HIGH], a[WINDOW_START + window] + corner)
                missing = missing_of_bonus(a, free_low & ~low, free_high & ~high)
                if missing < least:
                    least, count, left = missing, U0, U0
                    for worse in range(first, fits):
                        a[worse] = U0
                if missing == least:
                    left |= U1 << corner
                    count += U1
                corners &= corners - U1
            a[fits] = left
            fits += U1
        way += size
    a[SLOT_COUNT + slot] = count


@njit
def leave_leathers(a: Any, seat: Any) -> None:
    """If an action that is left takes the token onto or past a leather, leave only those that do; else leave all."""
    offered = min(a[OFFER_SIZE], a[ON_RING])
    start, finish = a[seat + SPACE], a[FINISH]
    beyond = a[SEATS + (U1 - number_of(seat)) * SEAT_SIZE + SPACE] + U1
    advance_takes = leathers_between(a, start, min(beyond, finish)) > U0
    taken = advance_takes and a[MAY_ADVANCE] > U0
    passed_by = U0
    for slot in range(offered):
        if a[SLOT_COUNT + slot]:
            time = a[a[AT_PATCHES] + a[OFFER + slot] * PATCH_SIZE + TIME]
            if leathers_between(a, start, min(start + time, finish)):
                taken = True
            else:
                passed_by |= U1 << slot
    if not taken:
        return
    if not advance_takes:
        a[MAY_ADVANCE] = U0
    for slot in range(offered):
        if passed_by >> slot & U1:
            a[SLOT_COUNT + slot] = U0
