"""Actions as codes of the action log: made of their parts, and played."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.layout import (
    AT_WAYS,
    NUMBER,
    OFFER,
    SEAT_SIZE,
    SEATS,
)
from patchstats.kernel.turn import WAYS, advance, buy, number_of, place_leather
from patchstats.kernel.words import U0, U1, U2, U3

_U5, _U7, _U8 = np.uint64(5), np.uint64(7), np.uint64(8)
ADVANCE = U0


@njit
def purchase(a: Any, slot: Any, way: Any, cell: Any) -> Any:
    """Return the code of buying the patch of an offer slot and laying it in a way with its corner on a cell."""
    return U1 | slot << U2 | a[way + NUMBER] << _U5 | cell << _U8


@njit
def leather_on(cell: Any) -> Any:
    """Return the code of placing a leather."""
    return U2 | cell << _U8


@njit
def slot_in(code: Any) -> Any:
    """Return the offer slot of a purchase."""
    return code >> U2 & _U7


@njit
def cell_in(code: Any) -> Any:
    """Return the cell of a purchase or a leather."""
    return code >> _U8


@njit
def way_in(a: Any, code: Any) -> Any:
    """Return the way in which a purchase lays its patch, as its place in the arena; the offer must lie in the arena."""
    return a[a[AT_WAYS] + a[OFFER + slot_in(code)] * WAYS + (code >> _U5 & _U7)]


@njit
def play(a: Any, seat: Any, code: Any) -> None:
    """Play a legal action of the seat on turn; of a purchase the offer must lie in the arena."""
    kind = code & U3
    if kind == U1:
        buy(a, seat, slot_in(code), way_in(a, code), cell_in(code))
    elif kind == U2:
        place_leather(a, seat, cell_in(code))
    else:
        advance(a, seat, SEATS + (U1 - number_of(seat)) * SEAT_SIZE)
