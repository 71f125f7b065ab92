"""The moves that a search looks at: an advance, or a purchase with one of the best placements; leathers go by rule."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.actions import ADVANCE, leather_on, play, purchase
from patchstats.kernel.layout import CELLS, EMPTY, MAY_ADVANCE, OFFER_SIZE, ON_RING, RESTRICTIONS, SLOT_COUNT, WAITING
from patchstats.kernel.packing import best_leather, best_placements
from patchstats.kernel.restrictions import restrict
from patchstats.kernel.turn import count_legal
from patchstats.kernel.words import U0, U1, U3

#: The most moves that are looked at in a position.
MOST_MOVES = 64
#: The most placements of a patch that are looked at.
MOST_PLACEMENTS = 7
MOVES = np.uint64(MOST_MOVES)
#: How many placements are looked at twice, and how much a cell counts that the nearest bonus square lacks: more than
#: where one is looked at, so that among the few that are kept there is one for the bonus.
_SHORT_LIST, _PULL = np.uint64(12), np.int64(4)
#: How many words `moves` needs.
ROOM = MOST_MOVES + 64


@njit
def moves(a: Any, m: Any, seat: Any, restricted: Any, placements: Any, room: Any) -> Any:
    """Write the codes of the moves of the seat on turn into `m` from place `room` on, and return how many they are.

    So many placements of each patch are looked at, on an empty quilt one. What the memory restricts is left out if
    `restricted`. After the codes the room is used for other things.
    """
    count_legal(a, seat)
    if restricted and m[RESTRICTIONS]:
        restrict(a, seat, m[RESTRICTIONS])
    found = U0
    if a[MAY_ADVANCE]:
        m[room] = ADVANCE
        found = U1
    keep = U1 if a[seat + EMPTY] == a[CELLS] else placements
    ranked = room + MOVES
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        if a[SLOT_COUNT + slot]:
            kept = best_placements(a, seat, slot, keep, _SHORT_LIST, _PULL, m, ranked)
            for place in range(kept):
                m[room + found] = purchase(a, slot, m[ranked + U3 * place], m[ranked + U3 * place + U1])
                found += U1
    return found


@njit
def make(a: Any, seat: Any, code: Any) -> None:
    """Play a move, and place the leathers that it gains, by `packing.best_leather`; the offer must lie in the arena."""
    play(a, seat, code)
    while a[WAITING]:
        play(a, seat, leather_on(best_leather(a, seat)))
