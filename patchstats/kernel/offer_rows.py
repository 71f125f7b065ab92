"""What the table of offers tells of a turn; equals `dataset.rows.offers_rows`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.layout import (
    AT_FITS,
    AT_ORIENTATIONS,
    AT_PATCHES,
    BUTTONS,
    COST,
    FIRST_WAY,
    LAST_WAY,
    OFFER,
    OFFER_SIZE,
    ON_RING,
    ORIENTATION_SIZE,
    PATCH_SIZE,
    PLIES,
    SLOT_COUNT,
    WINDOWS,
)
from patchstats.kernel.turn import WAYS, fit, work_out_all_runs
from patchstats.kernel.words import U0, U1

#: What the rows of `offers` hold, in this order, and how wide a number must be for it; the columns of `offers` are
#: patches on offer at one turn after the other.
OFFER_COLUMNS: dict[str, type[np.signedinteger[Any]]] = {
    "ply": np.int16,
    "slot": np.int8,
    "patch": np.int16,
    "affordable": np.int8,
    "placements": np.int16,
    "chosen": np.int8,
}
_PLY, _SLOT, _PATCH, _AFFORDABLE, _PLACEMENTS, _CHOSEN = range(len(OFFER_COLUMNS))


@njit
def write_offers(a: Any, offers: Any, rows: Any, seat: Any, affordable: Any, slot: Any, advances: Any) -> Any:
    """Write a row for each patch on offer, from row `rows` on, and return where they end.

    It is the turn of the seat, `count_legal` found so many affordable patches, and the choice, to advance or to buy
    what lies in the slot, is made but not carried out.
    """
    buttons = a[seat + BUTTONS]
    if affordable == U0:
        work_out_all_runs(a, seat)
    for place in range(min(a[OFFER_SIZE], a[ON_RING])):
        patch = a[OFFER + place]
        payable = a[a[AT_PATCHES] + patch * PATCH_SIZE + COST] <= buttons
        offers[_PLY, rows] = a[PLIES]
        offers[_SLOT, rows] = place
        offers[_PATCH, rows] = patch + U1
        offers[_AFFORDABLE, rows] = payable
        offers[_PLACEMENTS, rows] = a[SLOT_COUNT + place] if payable else count_unpayable(a, place)
        offers[_CHOSEN, rows] = place == slot and not advances
        rows += U1
    return rows


@njit
def count_unpayable(a: Any, slot: Any) -> Any:
    """Return how many placements of a patch that cannot be paid fit on the quilt that the runs are worked out of.

    Where they are is kept in the room of that slot alone, which is never looked at.
    """
    entry = a[AT_PATCHES] + a[OFFER + slot] * PATCH_SIZE
    way = a[AT_ORIENTATIONS] + a[entry + FIRST_WAY] * a[ORIENTATION_SIZE]
    return fit(a, way, a[entry + LAST_WAY] - a[entry + FIRST_WAY], a[AT_FITS] + slot * WAYS * a[WINDOWS])
