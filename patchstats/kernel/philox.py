"""The random streams of the kernel: the very words of `patchstats.streams`, a block of four at a time.

A stream lies in the arena from `layout.STREAMS` on: its kind, the number of its next block, how many words of the block
at hand are used, and the block.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.layout import BLOCK, INDEX, KIND, SEED, USED, WORDS
from patchstats.kernel.words import FULL, U0, U1, U2, U3, U4, add, multiply_high, multiply_low

_M0 = np.uint64(0xD2E7470EE14C6C93)
_M1 = np.uint64(0xCA5A826395121157)
_W0 = np.uint64(0x9E3779B97F4A7C15)
_W1 = np.uint64(0xBB67AE8584CAA73B)


@njit
def open_stream(a: Any, stream: Any, kind: Any) -> None:
    """Begin a stream at its first word."""
    a[stream + KIND] = kind
    a[stream + BLOCK] = U1
    a[stream + USED] = U4


@njit
def next_block(a: Any, stream: Any) -> None:
    """Compute the four words of the next block: ten rounds of Philox4x64."""
    c0, c1, c2, c3 = a[stream + BLOCK], a[INDEX], a[stream + KIND], U0
    k0, k1 = a[SEED], U0
    for _ in range(10):
        high0, low0 = multiply_high(_M0, c0), multiply_low(_M0, c0)
        high1, low1 = multiply_high(_M1, c2), multiply_low(_M1, c2)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = add(k0, _W0), add(k1, _W1)
    words = stream + WORDS
    a[words], a[words + U1], a[words + U2], a[words + U3] = c0, c1, c2, c3
    a[stream + BLOCK] += U1
    a[stream + USED] = U0


@njit
def word(a: Any, stream: Any) -> Any:
    """Draw the next word; equals `Stream.word`."""
    used = a[stream + USED]
    if used == U4:
        next_block(a, stream)
        used = U0
    a[stream + USED] = used + U1
    return a[stream + WORDS + used]


@njit
def below(a: Any, stream: Any, bound: Any) -> Any:
    """Draw an integer from 0 to `bound` - 1; equals `Stream.below`."""
    drawn = word(a, stream)
    low = multiply_low(drawn, bound)
    if low < bound:
        favoured = add(FULL - bound, U1) % bound
        while low < favoured:
            drawn = word(a, stream)
            low = multiply_low(drawn, bound)
    return multiply_high(drawn, bound)
