"""Agents by a rule so simple that everybody can foresee what they do."""

from __future__ import annotations

from typing import Any

import numpy as np

from patchstats.kernel.actions import ADVANCE, leather_on, purchase
from patchstats.kernel.deciders.deciding import Decider, decider, memory_of
from patchstats.kernel.layout import (
    AT_PATCHES,
    COST,
    MAY_ADVANCE,
    OFFER,
    OFFER_SIZE,
    ON_RING,
    OWN,
    PATCH_INCOME,
    PATCH_SIZE,
    SEAT_SIZE,
    SEATS,
    SIZE,
    SLOT_COUNT,
    WAITING,
)
from patchstats.kernel.turn import nth_empty_cell, nth_placement, seat_on_turn
from patchstats.kernel.words import U0
from patchstats.rules import Ruleset

#: What makes a patch the one to be bought.
_NOTHING, _FIRST, _LOW_COST, _CELLS, _INCOME = (np.uint64(number) for number in range(5))


@decider
def choose(a: Any, memory: Any) -> Any:
    """Buy the patch that the rule in the memory prefers, of equal ones the first on offer, at its first placement; or
    advance.
    """
    seat = SEATS + seat_on_turn(a) * SEAT_SIZE
    rule = memory[OWN]
    if a[WAITING]:
        return leather_on(nth_empty_cell(a, seat, U0))
    if rule == _NOTHING and a[MAY_ADVANCE]:
        return ADVANCE
    found, best, best_slot = False, np.int64(0), U0
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        if a[SLOT_COUNT + slot] == U0:
            continue
        entry = a[AT_PATCHES] + a[OFFER + slot] * PATCH_SIZE
        worth = np.int64(0)
        if rule == _LOW_COST:
            worth = -np.int64(a[entry + COST])
        elif rule == _CELLS:
            worth = np.int64(a[entry + SIZE])
        elif rule == _INCOME:
            worth = np.int64(a[entry + PATCH_INCOME])
        if not found or worth > best:
            found, best, best_slot = True, worth, np.uint64(slot)
    if not found:
        return ADVANCE
    way, cell = nth_placement(a, best_slot, U0)
    return purchase(a, best_slot, way, cell)


def advance_only(_: Ruleset) -> Decider:
    """Return what buys nothing unless it must not advance."""
    return _by(_NOTHING)


def first_legal(_: Ruleset) -> Decider:
    """Return what buys the first patch on offer."""
    return _by(_FIRST)


def cheapest(_: Ruleset) -> Decider:
    """Return what buys the patch with the lowest cost."""
    return _by(_LOW_COST)


def biggest(_: Ruleset) -> Decider:
    """Return what buys the patch with the most cells."""
    return _by(_CELLS)


def most_income(_: Ruleset) -> Decider:
    """Return what buys the patch with the most income."""
    return _by(_INCOME)


def _by(rule: np.uint64) -> Decider:
    def memory() -> Any:
        made = memory_of(1)
        made[OWN] = rule
        return made

    return Decider(choose, memory)
