"""What the table of turns tells of a ply; equals `dataset.rows.turns_rows`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.layout import (
    AT_INCOMES,
    AT_PATCHES,
    BUTTONS,
    COST,
    COVERED_HIGH,
    COVERED_LOW,
    HOLES,
    INCOME,
    LEFT_HIGH,
    LEFT_LOW,
    OFFER,
    PATCH_SIZE,
    PLIES,
    QUILT_HIGH,
    QUILT_LOW,
    QUILT_SIZE,
    REGIONS,
    RIGHT_HIGH,
    RIGHT_LOW,
    SET_ASIDE,
    SPACE,
    WAITING,
)
from patchstats.kernel.turn import count_placeable, number_of
from patchstats.kernel.words import U0, U1, U2, U3, U63, U64

_U5, _U7, _U8 = np.uint64(5), np.uint64(7), np.uint64(8)
#: What the rows of `turns` hold, in this order, and how wide a number must be for it; the columns of `turns` are plies.
TURN_COLUMNS: dict[str, type[np.signedinteger[Any]]] = {
    "ply": np.int16,
    "seat": np.int16,
    "kind": np.int16,
    "patch": np.int16,
    "slot": np.int16,
    "orientation": np.int16,
    "cell": np.int16,
    "time_before": np.int16,
    "time_after": np.int16,
    "buttons_before": np.int32,
    "buttons_after": np.int32,
    "cost": np.int16,
    "income_gained": np.int32,
    "marks_crossed": np.int16,
    "leather_gained": np.int16,
    "legal_actions": np.int16,
    "affordable": np.int16,
    "placeable": np.int16,
    "holes": np.int16,
    "regions": np.int16,
}
(
    _PLY,
    _SEAT,
    _KIND,
    _PATCH,
    _SLOT,
    _ORIENTATION,
    _CELL,
    _TIME_BEFORE,
    _TIME_AFTER,
    _BUTTONS_BEFORE,
    _BUTTONS_AFTER,
    _COST,
    _INCOME_GAINED,
    _MARKS_CROSSED,
    _LEATHER_GAINED,
    _LEGAL_ACTIONS,
    _AFFORDABLE,
    _PLACEABLE,
    _HOLES,
    _REGIONS,
) = range(len(TURN_COLUMNS))


@njit
def begin_row(a: Any, turns: Any, ply: Any, seat: Any, legal: Any, affordable: Any) -> None:
    """Write what is so before the ply, in which so many actions are legal and so many patches affordable."""
    turns[_PLY, ply] = a[PLIES]
    turns[_SEAT, ply] = number_of(seat)
    turns[_TIME_BEFORE, ply] = a[seat + SPACE]
    turns[_BUTTONS_BEFORE, ply] = a[seat + BUTTONS]
    turns[_LEGAL_ACTIONS, ply] = legal
    turns[_AFFORDABLE, ply] = affordable
    turns[_PLACEABLE, ply] = count_placeable(a, seat, affordable)
    turns[_LEATHER_GAINED, ply] = a[SET_ASIDE]


@njit
def end_row(a: Any, turns: Any, ply: Any, seat: Any, code: Any) -> None:
    """Write what the action of this code was and what is so after it."""
    kind, slot, cell = code & U3, code >> U2 & _U7, code >> _U8
    turns[_KIND, ply] = kind
    turns[_PATCH, ply] = a[OFFER + slot] + U1 if kind == U1 else -1
    turns[_SLOT, ply] = slot if kind == U1 else -1
    turns[_ORIENTATION, ply] = code >> _U5 & _U7 if kind == U1 else -1
    turns[_CELL, ply] = cell if kind else -1
    turns[_TIME_AFTER, ply] = a[seat + SPACE]
    turns[_BUTTONS_AFTER, ply] = a[seat + BUTTONS]
    turns[_COST, ply] = a[a[AT_PATCHES] + a[OFFER + slot] * PATCH_SIZE + COST] if kind == U1 else U0
    incomes = a[AT_INCOMES]
    marks = a[incomes + a[seat + SPACE]] - a[incomes + np.uint64(turns[_TIME_BEFORE, ply])]
    turns[_MARKS_CROSSED, ply] = marks
    turns[_INCOME_GAINED, ply] = marks * a[seat + INCOME]
    set_aside_before = np.uint64(turns[_LEATHER_GAINED, ply])
    turns[_LEATHER_GAINED, ply] = a[WAITING] + a[SET_ASIDE] - set_aside_before if kind != U2 else U0
    if kind:
        count_regions(a, seat)
    turns[_HOLES, ply] = a[seat + HOLES]
    turns[_REGIONS, ply] = a[seat + REGIONS]


@njit
def count_regions(a: Any, seat: Any) -> None:
    """Count the empty regions of the seat's quilt, and those of one cell; equals `metrics.regions.regions`."""
    size = a[QUILT_SIZE]
    low, high = a[QUILT_LOW] & ~a[seat + COVERED_LOW], a[QUILT_HIGH] & ~a[seat + COVERED_HIGH]
    rows = U64 - size
    holes, regions = U0, U0
    while low | high:
        part_low, part_high = low, high
        if low:
            part_low, part_high = low & ~(low - U1), U0
        else:
            part_high = high & ~(high - U1)
        alone = True
        while True:
            low_to_left, high_to_left = part_low & a[LEFT_LOW], part_high & a[LEFT_HIGH]
            low_to_right, high_to_right = part_low & a[RIGHT_LOW], part_high & a[RIGHT_HIGH]
            grown_low = part_low | low_to_left >> U1 | high_to_left << U63 | low_to_right << U1
            grown_high = part_high | high_to_left >> U1 | high_to_right << U1 | low_to_right >> U63
            grown_low |= part_low << size | part_low >> size | part_high << rows
            grown_high |= part_high << size | part_high >> size | part_low >> rows
            grown_low &= low
            grown_high &= high
            if grown_low == part_low and grown_high == part_high:
                break
            part_low, part_high = grown_low, grown_high
            alone = False
        regions += U1
        if alone:
            holes += U1
        low ^= part_low
        high ^= part_high
    a[seat + HOLES] = holes
    a[seat + REGIONS] = regions
