"""A game in the arena, saved into other words, loaded again, and compared."""

from __future__ import annotations

from typing import Any

from numba import njit

from patchstats.kernel.layout import (
    AT_NEXT,
    BONUS,
    BUTTONS,
    COVERED_HIGH,
    COVERED_LOW,
    FIRST,
    INCOME,
    LEATHERS_ON_TRACK,
    ON_RING,
    PATCHES,
    SEAT_SIZE,
    SEATS,
    SEED,
    SPACE,
    TAIL,
    TOP,
    WAITING,
)
from patchstats.kernel.turn import WORDS_OF_TRACK
from patchstats.kernel.words import U0, U2

#: How many words of the arena hold the game, but for the ring and whose each patch is.
_FIXED = SEED - SEATS


def words_of_state(patches: int) -> int:
    """Return how many words a saved game takes."""
    return int(_FIXED) + 2 * patches


@njit
def save(a: Any, m: Any, at: Any) -> None:
    """Save the game into `m` from place `at` on."""
    for word in range(_FIXED):
        m[at + word] = a[SEATS + word]
    at += _FIXED
    ring = a[AT_NEXT]
    for word in range(U2 * a[PATCHES]):
        m[at + word] = a[ring + word]


@njit
def load(a: Any, m: Any, at: Any) -> None:
    """Load the game that was saved there."""
    for word in range(_FIXED):
        a[SEATS + word] = m[at + word]
    at += _FIXED
    ring = a[AT_NEXT]
    for word in range(U2 * a[PATCHES]):
        a[ring + word] = m[at + word]


@njit
def same(a: Any, m: Any, at: Any) -> Any:
    """Whether the game in the arena and the one saved are the same to the rules."""
    at -= SEATS
    for seat in (SEATS, SEATS + SEAT_SIZE):
        for field in (SPACE, BUTTONS, INCOME, COVERED_LOW, COVERED_HIGH):
            if a[seat + field] != m[at + seat + field]:
                return False
    for field in (TOP, WAITING, BONUS, FIRST, ON_RING):
        if a[field] != m[at + field]:
            return False
    for word in range(WORDS_OF_TRACK):
        if a[LEATHERS_ON_TRACK + word] != m[at + LEATHERS_ON_TRACK + word]:
            return False
    if a[ON_RING] == U0:
        return True
    patch = a[TAIL]
    if m[at + TAIL] != patch:
        return False
    ring = at + SEED
    for _ in range(a[ON_RING]):
        following = a[a[AT_NEXT] + patch]
        if m[ring + patch] != following:
            return False
        patch = following
    return True


@njit
def may_lead_to(a: Any, m: Any, at: Any) -> Any:
    """Whether the saved game may come of the one in the arena: nobody has gone further or covered anything else."""
    at -= SEATS
    if a[ON_RING] < m[at + ON_RING]:
        return False
    for seat in (SEATS, SEATS + SEAT_SIZE):
        if a[seat + SPACE] > m[at + seat + SPACE]:
            return False
        if a[seat + COVERED_LOW] & ~m[at + seat + COVERED_LOW] or a[seat + COVERED_HIGH] & ~m[at + seat + COVERED_HIGH]:
            return False
    return True
