"""What is known of positions by their keys: the key of a position, and the table of what a search found there."""

from __future__ import annotations

from typing import Any

import numpy as np
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
    SEAT_SIZE,
    SEATS,
    SPACE,
    TAIL,
    TOP,
    WAITING,
)
from patchstats.kernel.turn import WORDS_OF_TRACK
from patchstats.kernel.words import U0, U1, U2, U3, add, scrambled

#: Words of an entry of the table.
ENTRY_SIZE = np.uint64(2)
#: What an entry says of the value of a position: that it is at least, at most, or exactly so much.
AT_LEAST, AT_MOST, EXACTLY = U1, U2, U3

_ODD = np.uint64(0x9E3779B97F4A7C15)
_FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
_U8, _U16, _U18, _U26, _U27, _U30, _U31 = (np.uint64(bits) for bits in (8, 16, 18, 26, 27, 30, 31))
_MIDDLE = np.int64(1 << 31)


@njit
def mixed(key: Any, word: Any) -> Any:
    """Return the key of what has been seen so far and one more word.

    The finisher of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): for a
    given key, different words give different keys.
    """
    return scrambled(add(key ^ word, _ODD))


@njit
def key_of(a: Any) -> Any:
    """Return the key of the game in the arena: 64 bits of everything that the rules see of it, as `state.same` lists.

    How the game came there, whose the patches are that have left the ring, and how it lies in the arena say nothing.
    """
    key = U0
    for seat in (SEATS, SEATS + SEAT_SIZE):
        key = mixed(key, a[seat + SPACE])
        key = mixed(key, a[seat + BUTTONS])
        key = mixed(key, a[seat + INCOME])
        key = mixed(key, a[seat + COVERED_LOW])
        key = mixed(key, a[seat + COVERED_HIGH])
    key = mixed(key, a[TOP] | a[BONUS] << U2 | a[FIRST] << np.uint64(4) | a[WAITING] << _U8)
    for word in range(WORDS_OF_TRACK):
        key = mixed(key, a[LEATHERS_ON_TRACK + word])
    key = mixed(key, a[ON_RING])
    patch = a[TAIL]
    for _ in range(a[ON_RING]):
        patch = a[a[AT_NEXT] + patch]
        key = mixed(key, patch)
    return key


@njit
def look_up(m: Any, table: Any, entries: Any, key: Any) -> Any:
    """Return what is known of a position, as `noted` packs it, or 0.

    The table lies in `m` from place `table` on; its number of entries is a power of 2, or 0.
    """
    if entries == U0:
        return U0
    at = table + (key & (entries - U1)) * ENTRY_SIZE
    return m[at + U1] if m[at] == key else U0


@njit
def note(m: Any, table: Any, entries: Any, key: Any, what: Any) -> None:
    """Keep what is known of a position, in the place of whatever was there."""
    if entries:
        at = table + (key & (entries - U1)) * ENTRY_SIZE
        m[at] = key
        m[at + U1] = what


@njit
def forget(m: Any, table: Any, entries: Any) -> None:
    """Empty the table."""
    for word in range(entries * ENTRY_SIZE):
        m[table + word] = U0


@njit
def noted(move: Any, bound: Any, left: Any, value: Any) -> Any:
    """Pack what was found in one word, never 0: the best move, AT_LEAST, AT_MOST or EXACTLY, and the value, from so
    many moves of looking ahead, fewer than 256; the value is a signed number of at most 31 bits.
    """
    return move | bound << _U16 | left << _U18 | np.uint64(value + _MIDDLE) << _U26


@njit
def move_in(what: Any) -> Any:
    """Return the best move."""
    return what & np.uint64(0xFFFF)


@njit
def bound_in(what: Any) -> Any:
    """Return AT_LEAST, AT_MOST or EXACTLY; 0 if nothing is known."""
    return what >> _U16 & U3


@njit
def left_in(what: Any) -> Any:
    """Return from how many moves of looking ahead it was found."""
    return what >> _U18 & np.uint64(0xFF)


@njit
def value_in(what: Any) -> Any:
    """Return the value."""
    return np.int64(what >> _U26) - _MIDDLE
