"""Measures of the free cells of a quilt, by which an agent tells a good place from a bad one.

Free cells are given as two words: bit `cell` of `low`, and bit `cell - 64` of `high`. All measures are unsigned.
"""

from __future__ import annotations

from typing import Any

from numba import njit

from patchstats.kernel.layout import (
    AT_SQUARES,
    COVERED_HIGH,
    COVERED_LOW,
    LEFT_HIGH,
    LEFT_LOW,
    QUILT_HIGH,
    QUILT_LOW,
    QUILT_SIZE,
    RIGHT_HIGH,
    RIGHT_LOW,
    SQUARES,
)
from patchstats.kernel.words import FULL, U0, U1, U2, U63, U64, popcount


@njit(forceinline=True)
def free_cells(a: Any, seat: Any) -> Any:
    """Return the free cells of the seat's quilt."""
    return a[QUILT_LOW] & ~a[seat + COVERED_LOW], a[QUILT_HIGH] & ~a[seat + COVERED_HIGH]


@njit(forceinline=True)
def moved(low: Any, high: Any, cells: Any) -> Any:
    """Return a set of cells, so many cells further on; a patch with its corner on cell 0 with its corner there."""
    if cells >= U64:
        return U0, low << (cells - U64)
    if cells == U0:
        return low, high
    return low << cells, high << cells | low >> (U64 - cells)


@njit(forceinline=True)
def neighbours(a: Any, low: Any, high: Any) -> Any:
    """Return how many free neighbours each cell has, as sets of cells: bit 0 of the number, bit 1, and bit 2.

    Each is two words, low and high. Cells that are not free are counted for, too, and bits beyond the quilt mean
    nothing.
    """
    size = a[QUILT_SIZE]
    rest = U64 - size
    right_low, right_high = low & a[RIGHT_LOW], high & a[RIGHT_HIGH]
    left_low, left_high = low & a[LEFT_LOW], high & a[LEFT_HIGH]
    w_low, w_high = right_low << U1, right_high << U1 | right_low >> U63
    e_low, e_high = left_low >> U1 | left_high << U63, left_high >> U1
    n_low, n_high = low << size, high << size | low >> rest
    s_low, s_high = low >> size | high << rest, high >> size
    # Two half adders, whose carries never meet that of the third but where all four neighbours are free.
    across_low, across_high, along_low, along_high = w_low ^ e_low, w_high ^ e_high, n_low ^ s_low, n_high ^ s_high
    both_low, both_high, ends_low, ends_high = w_low & e_low, w_high & e_high, n_low & s_low, n_high & s_high
    return (
        across_low ^ along_low,
        across_high ^ along_high,
        (both_low ^ ends_low) | (across_low & along_low),
        (both_high ^ ends_high) | (across_high & along_high),
        both_low & ends_low,
        both_high & ends_high,
    )


@njit(forceinline=True)
def pairs(a: Any, low: Any, high: Any) -> Any:
    """Return how many pairs of free cells are neighbours; the more, the shorter the edge of what is free.

    Of so many free cells the edge is 4 * cells - 2 * pairs long, holes included.
    """
    size = a[QUILT_SIZE]
    rest = U64 - size
    left_low, left_high = low & a[LEFT_LOW], high & a[LEFT_HIGH]
    return (
        popcount(low & (left_low >> U1 | left_high << U63))
        + popcount(high & left_high >> U1)
        + popcount(low & (low >> size | high << rest))
        + popcount(high & high >> size)
    )


@njit(forceinline=True)
def narrow_cells(a: Any, low: Any, high: Any) -> Any:
    """Return how many free cells have no free neighbour, exactly one, and exactly two: holes, dead ends, corridors."""
    one_low, one_high, two_low, two_high, four_low, four_high = neighbours(a, low, high)
    holes = popcount(low & ~(one_low | two_low | four_low)) + popcount(high & ~(one_high | two_high | four_high))
    dead_ends = popcount(low & one_low & ~two_low) + popcount(high & one_high & ~two_high)
    corridors = popcount(low & two_low & ~one_low) + popcount(high & two_high & ~one_high)
    return holes, dead_ends, corridors


@njit
def holes(a: Any, low: Any, high: Any) -> Any:
    """Return how many free cells have no free neighbour."""
    return narrow_cells(a, low, high)[0]


@njit(forceinline=True)
def missing_of_bonus(a: Any, low: Any, high: Any) -> Any:
    """Return how many cells are still to be covered of that bonus square (7.1) that lacks the fewest."""
    least = FULL
    square = a[AT_SQUARES]
    for _ in range(a[SQUARES]):
        least = min(least, popcount(low & a[square]) + popcount(high & a[square + U1]))
        square += U2
    return least
