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
def draw(a: Any, seat: Any, lots: Any) -> Any:
    """Draw an action of the seat on turn from its stream, in the way of ANY_ACTION or PATCH_FIRST."""
    stream = STREAMS + (number_of(seat) + U1) * STREAM_SIZE
    if a[WAITING]:
        return leather_on(nth_empty_cell(a, seat, below(a, stream, a[seat + EMPTY])))
    if lots == ANY_ACTION:
        return draw_any(a, stream)
    return draw_patch_first(a, stream)


@njit
def draw_any(a: Any, stream: Any) -> Any:
    """Draw any complete legal action of a turn; equals `agents.uniform.choose_any`."""
    advances = a[MAY_ADVANCE]
    legal = advances
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        legal += a[SLOT_COUNT + slot]
    n = below(a, stream, legal)
    if n < advances:
        return ADVANCE
    slot, n = slot_of(a, n - advances)
    way, cell = nth_placement(a, slot, n)
    return purchase(a, slot, way, cell)


@njit
def draw_patch_first(a: Any, stream: Any) -> Any:
    """Draw the advance or a patch, then a placement; equals `agents.uniform.choose_patch_first`."""
    advances = a[MAY_ADVANCE]
    options = advances
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        if a[SLOT_COUNT + slot]:
            options += U1
    option = below(a, stream, options)
    if option < advances:
        return ADVANCE
    option -= advances
    chosen = U0
    while True:
        if a[SLOT_COUNT + chosen]:
            if option == U0:
                break
            option -= U1
        chosen += U1
    way, cell = nth_placement(a, chosen, below(a, stream, a[SLOT_COUNT + chosen]))
    return purchase(a, chosen, way, cell)
