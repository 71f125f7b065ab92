"""Choices that cost little: what can be bought, where it lies tightly, and what is worth most at fixed prices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.actions import ADVANCE, purchase
from patchstats.kernel.layout import (
    AT_FITS,
    AT_INCOMES,
    AT_NEXT,
    AT_ORIENTATIONS,
    AT_PATCHES,
    BUTTONS,
    COST,
    EMPTY,
    FINISH,
    FIRST_WAY,
    LAST_WAY,
    OFFER,
    OFFER_SIZE,
    ON_RING,
    ORIENTATION_SIZE,
    PATCH_INCOME,
    PATCH_SIZE,
    RUNS,
    SEAT_SIZE,
    SEATS,
    SIZE,
    SPACE,
    TAIL,
    TIME,
    WINDOWS,
)
from patchstats.kernel.packing import list_placements
from patchstats.kernel.quilt import free_cells, neighbours
from patchstats.kernel.turn import WAYS, fit, fit_usual, number_of, work_out_all_runs
from patchstats.kernel.words import FULL, U0, U1, U2, U3, U64, nth_bit

_U7, _U15, _U127 = (np.uint64(number) for number in (7, 15, 127))


@njit
def payable(a: Any, seat: Any) -> Any:
    """Lay the offer, and return which slots have a patch that the seat can pay and that is not larger than what is
    free, a bit each.
    """
    found = U0
    patch = a[TAIL]
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        patch = a[a[AT_NEXT] + patch]
        a[OFFER + slot] = patch
        entry = a[AT_PATCHES] + patch * PATCH_SIZE
        if a[entry + COST] <= a[seat + BUTTONS] and a[entry + SIZE] <= a[seat + EMPTY]:
            found |= U1 << slot
    return found


@njit
def fit_slot(a: Any, slot: Any) -> Any:
    """Work out where the patch of a slot fits, the runs being worked out, and return how many placements it has."""
    entry, windows = a[AT_PATCHES] + a[OFFER + slot] * PATCH_SIZE, a[WINDOWS]
    way, ways = (
        a[AT_ORIENTATIONS] + a[entry + FIRST_WAY] * a[ORIENTATION_SIZE],
        a[entry + LAST_WAY] - a[entry + FIRST_WAY],
    )
    fits = a[AT_FITS] + slot * WAYS * windows
    return fit_usual(a, way, ways, fits) if windows == U2 and a[RUNS] == U3 else fit(a, way, ways, fits)


@njit
def tight_purchase(a: Any, m: Any, at: Any, seat: Any, slot: Any) -> Any:
    """Return the purchase of a slot's patch, which fits, where the fewest pairs of free neighbours are lost.

    Of equal placements the first goes, by its way, then by its cell. One word of the memory is used, at place `at`.
    """
    low, high = free_cells(a, seat)
    list_placements(a, slot, low, high, U1, m, at)
    first_way = a[AT_ORIENTATIONS] + a[a[AT_PATCHES] + a[OFFER + slot] * PATCH_SIZE + FIRST_WAY] * a[ORIENTATION_SIZE]
    way = first_way + (m[at] >> _U7 & _U15) * a[ORIENTATION_SIZE]
    return purchase(a, slot, way, m[at] & _U127)


@njit
def tight_cell(a: Any, seat: Any) -> Any:
    """Return the free cell, there is one, with the fewest free neighbours; of equals the lowest."""
    low, high = free_cells(a, seat)
    one_low, one_high, two_low, two_high, four_low, four_high = neighbours(a, low, high)
    for number in range(5):
        one, two, four = FULL if number & 1 else U0, FULL if number & 2 else U0, FULL if number & 4 else U0
        here_low = low & ~(one_low ^ one) & ~(two_low ^ two) & ~(four_low ^ four)
        here_high = high & ~(one_high ^ one) & ~(two_high ^ two) & ~(four_high ^ four)
        if here_low:
            return nth_bit(here_low, U0)
        if here_high:
            return U64 + nth_bit(here_high, U0)
    return U0


@njit
def best_action(a: Any, m: Any, at: Any, seat: Any) -> Any:
    """Return what is worth most; of equals the advance goes first, then the earlier on offer.

    One word of the memory is used, at place `at`.
    """
    options = payable(a, seat)
    if options:
        work_out_all_runs(a, seat)
    space = a[seat + SPACE]
    ahead = min(a[SEATS + (U1 - number_of(seat)) * SEAT_SIZE + SPACE] + U1, a[FINISH]) - space
    advancing = -8 * np.int64(ahead)
    while options:
        greatest, chosen = advancing, a[OFFER_SIZE]
        for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
            if options >> slot & U1:
                there = worth(a, seat, a[AT_PATCHES] + a[OFFER + slot] * PATCH_SIZE)
                if there > greatest:
                    greatest, chosen = there, np.uint64(slot)
        if chosen == a[OFFER_SIZE]:
            break
        if fit_slot(a, chosen):
            return tight_purchase(a, m, at, seat, chosen)
        options &= ~(U1 << chosen)
    return ADVANCE


@njit
def worth(a: Any, seat: Any, entry: Any) -> Any:
    """Return what the patch with this entry is worth for a seat, in tenths of a button: 2 buttons a cell, 0.9 for each
    button of income at each mark ahead, less its cost and 1.8 a space. An advance is worth 1 - 1.8 a space.
    """
    incomes, space = a[AT_INCOMES], a[seat + SPACE]
    spaces = min(a[entry + TIME], a[FINISH] - space)
    income = a[entry + PATCH_INCOME] * (a[incomes + a[FINISH]] - a[incomes + space])
    return (
        20 * np.int64(a[entry + SIZE]) + 9 * np.int64(income) - 10 * np.int64(a[entry + COST]) - 18 * np.int64(spaces)
    )
