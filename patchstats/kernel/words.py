"""What the kernel does with single 64-bit words: count, find and multiply. All values are unsigned.

numba has no instruction for these; each is a few lines of LLVM. With the JIT off (NUMBA_DISABLE_JIT=1) Python's
integers do the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, njit, types
from numba.extending import intrinsic

U0 = np.uint64(0)
U1 = np.uint64(1)
U2 = np.uint64(2)
U3 = np.uint64(3)
U4 = np.uint64(4)
U63 = np.uint64(63)
U64 = np.uint64(64)
FULL = np.uint64(2**64 - 1)

_U8, _U27, _U30, _U31, _U255 = (np.uint64(number) for number in (8, 27, 30, 31, 255))
_MIX_0, _MIX_1 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
#: A word of eight bytes, each with the same bits.
_TOPS, _ONES, _FIFTHS, _THIRDS, _HALVES = (
    np.uint64(byte * 0x0101010101010101) for byte in (0x80, 0x01, 0x0F, 0x33, 0x55)
)

if config.DISABLE_JIT:

    def popcount(word: Any) -> Any:
        """Return how many bits of a word are 1."""
        return np.uint64(int(word).bit_count())

    def multiply_high(first: Any, second: Any) -> Any:
        """Return the upper 64 bits of a product."""
        return np.uint64(int(first) * int(second) >> 64)

    def multiply_low(first: Any, second: Any) -> Any:
        """Return the lower 64 bits of a product."""
        return np.uint64(int(first) * int(second) & (2**64 - 1))

    def add(first: Any, second: Any) -> Any:
        """Return a sum modulo 2**64."""
        return np.uint64((int(first) + int(second)) & (2**64 - 1))

else:

    @intrinsic
    def popcount(_typing: Any, word: Any) -> Any:  # noqa: ARG001
        """Return how many bits of a word are 1."""

        def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.uint64(types.uint64), build

    @intrinsic
    def multiply_high(_typing: Any, first: Any, second: Any) -> Any:  # noqa: ARG001
        """Return the upper 64 bits of a product."""

        def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            wide = ir.IntType(128)
            product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
            return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

        return types.uint64(types.uint64, types.uint64), build

    @njit
    def multiply_low(first: Any, second: Any) -> Any:
        """Return the lower 64 bits of a product."""
        return first * second

    @njit
    def add(first: Any, second: Any) -> Any:
        """Return a sum modulo 2**64."""
        return first + second


@njit(forceinline=True)
def nth_bit(word: Any, n: Any) -> Any:
    """Return the number of the bit of a word that has exactly `n` ones below it; equals `cells.nth_cell`.

    Without branches: of a number that is drawn, hardware cannot foresee them.
    """
    sums = word - (word >> U1 & _HALVES)
    sums = (sums & _THIRDS) + (sums >> U2 & _THIRDS)
    # Each byte then has how many bits there are in it and in those below.
    sums = multiply_low(sums + (sums >> U4) & _FIFTHS, _ONES)
    place = popcount((n * _ONES | _TOPS) - sums & _TOPS) << U3
    n -= multiply_low(sums, U1 << _U8) >> place & _U255
    word >>= place
    for half in (U4, U2, U1):
        below = popcount(word & ((U1 << half) - U1))
        above = np.uint64(n >= below)
        n -= below * above
        word >>= half * above
        place += half * above
    return place


@njit
def scrambled(word: Any) -> Any:
    """Return the word that the finisher of SplitMix64 makes of another one; different words give different ones.

    Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
    """
    word = multiply_low(word ^ word >> _U30, _MIX_0)
    word = multiply_low(word ^ word >> _U27, _MIX_1)
    return word ^ word >> _U31
