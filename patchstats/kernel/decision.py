"""How an agent comes to its action: its decider is asked, or a lot is drawn."""

from __future__ import annotations

from typing import Any

from numba import njit

from patchstats.kernel.actions import ADVANCE, leather_on, purchase
from patchstats.kernel.layout import (
    ANY_ACTION,
    EMPTY,
    MAY_ADVANCE,
    OFFER_SIZE,
    ON_RING,
    RESTRICTIONS,
    SLOT_COUNT,
    STREAM_SIZE,
    STREAMS,
    WAITING,
)
from patchstats.kernel.philox import below
from patchstats.kernel.restrictions import restrict
from patchstats.kernel.turn import nth_empty_cell, nth_placement, number_of, slot_of
from patchstats.kernel.words import U0, U1


@njit
def asked(a: Any, seat: Any, memory: Any, decide: Any) -> Any:
    """Return the code of the action that a decider chooses; `turn.count_legal` was asked, unless a leather waits."""
    if memory[RESTRICTIONS] and a[WAITING] == U0:
        restrict(a, seat, memory[RESTRICTIONS])
    return decide(a, memory)


@njit
def purchases(a: Any) -> Any:
    """Return how many purchases are left of those that `turn.count_legal` has found."""
    count = U0
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        count += a[SLOT_COUNT + slot]
    return count


@njit
def draw(a: Any, seat: Any, lots: Any) -> Any:
    """Draw an action of the seat on turn from its stream, in the way of ANY_ACTION or PATCH_FIRST."""
    if a[WAITING]:
        return leather_on(lot_of_cells(a, seat))
    chosen, n, advances = lot(a, seat, lots, a[MAY_ADVANCE] + purchases(a))
    if advances:
        return ADVANCE
    way, cell = nth_placement(a, chosen, n)
    return purchase(a, chosen, way, cell)


@njit
def lot_of_cells(a: Any, seat: Any) -> Any:
    """Draw an empty cell of the seat's quilt."""
    stream = STREAMS + (number_of(seat) + U1) * STREAM_SIZE
    return nth_empty_cell(a, seat, below(a, stream, a[seat + EMPTY]))


@njit(forceinline=True)
def lot(a: Any, seat: Any, lots: Any, legal: Any) -> Any:
    """Draw what is done on a turn, of so many actions: a placement, by its slot and its number there, or the advance.

    Equals `agents.uniform.choose_any` and `choose_patch_first`.
    """
    stream = STREAMS + (number_of(seat) + U1) * STREAM_SIZE
    may_advance = a[MAY_ADVANCE]
    if lots == ANY_ACTION:
        n = below(a, stream, legal)
        if n < may_advance:
            return U0, U0, True
        chosen, n = slot_of(a, n - may_advance)
        return chosen, n, False
    options = may_advance
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        if a[SLOT_COUNT + slot]:
            options += U1
    option = below(a, stream, options)
    if option < may_advance:
        return U0, U0, True
    option -= may_advance
    chosen = U0
    while True:
        if a[SLOT_COUNT + chosen]:
            if option == U0:
                break
            option -= U1
        chosen += U1
    return chosen, below(a, stream, a[SLOT_COUNT + chosen]), False
