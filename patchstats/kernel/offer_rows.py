"""What the table of offers tells of a turn; equals `dataset.rows.offers_rows`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.actions import slot_in
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
    PROBABILITIES_TOLD,
    PROBABILITY,
    SLOT_COUNT,
    VALUE,
    VALUES_TOLD,
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
    "value": np.int32,
    "probability": np.int32,
    "chosen": np.int8,
}
_PLY, _SLOT, _PATCH, _AFFORDABLE, _PLACEMENTS, _VALUE, _PROBABILITY, _CHOSEN = range(len(OFFER_COLUMNS))
#: Stands where an agent told nothing.
NOTHING = -(2**31)


@njit
def write_offers(a: Any, offers: Any, rows: Any, seat: Any, affordable: Any, code: Any) -> Any:
    """Write a row for each patch on offer, from row `rows` on, and return where they end.

    It is the turn of the seat, `count_legal` found so many affordable patches, and the action of this code is chosen,
    but not carried out.
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
        offers[_VALUE, rows] = np.int64(a[VALUE + place]) if a[VALUES_TOLD] >> place & U1 else NOTHING
        offers[_PROBABILITY, rows] = a[PROBABILITY + place] if a[PROBABILITIES_TOLD] else NOTHING
        offers[_CHOSEN, rows] = code & U1 and place == slot_in(code)
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
