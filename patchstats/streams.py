"""The random streams: counter-based words, and the one way in which words become bounded integers.

A stream is named by a seed, a kind (`SETUP`, `SEATS[seat]` or `JITTER`) and an index. Its word number `k`, counted from
0, is word `k % 4` of the Philox4x64-10 block with the key `(seed, 0)` and the counter `(1 + k // 4, index, kind, 0)`,
so that no stream depends on any other. Philox: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1,
2, 3", SC 2011; the words come from numpy's implementation.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any

import numpy as np

#: The kind of the stream that shuffles the ring, of the streams the agents of seat 0 and 1 draw from, and of the one by
#: which prices change.
SETUP = 0
SEATS = (1, 2)
JITTER = 3

GREATEST_SEED = 2**64 - 1

_WORD = 2**64 - 1
_WORDS_AT_A_TIME = 64


class Stream:
    """A sequence of random words, drawn one after another; `seed`, `kind` and `index` name it.

    >>> stream = Stream(seed=1, kind=SETUP, index=0)
    >>> [stream.below(6) for _ in range(8)]
    [1, 5, 0, 0, 5, 0, 4, 1]
    """

    __slots__ = ("_generator", "_words", "index", "kind", "seed")

    def __init__(self, seed: int, kind: int, index: int) -> None:
        self.seed, self.kind, self.index = seed, kind, index
        self._generator = np.random.Philox(key=seed, counter=index << 64 | kind << 128)
        self._words: list[int] = []

    def word(self) -> int:
        """Draw the next word, an integer from 0 to 2**64 - 1."""
        if not self._words:
            self._words = self._generator.random_raw(_WORDS_AT_A_TIME).tolist()
            self._words.reverse()
        return self._words.pop()

    def below(self, bound: int) -> int:
        """Draw an integer from 0 to `bound` - 1, each equally likely; `bound` is 1 to 2**64 - 1.

        The integer is the upper half of word times bound; a word whose lower half falls among the 2**64 mod bound
        values that would favour some integers is drawn again. Lemire, "Fast random integer generation in an interval",
        ACM TOMACS 29 (2019). At least one word is used, also when `bound` is 1.
        """
        product = self.word() * bound
        if product & _WORD < bound:
            favoured = 2**64 % bound
            while product & _WORD < favoured:
                product = self.word() * bound
        return product >> 64

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Put the items into a random order, each equally likely: from the last place on, swap with a place up to it.

        Fisher and Yates's method as in Knuth, The Art of Computer Programming 2, algorithm 3.4.2P.
        """
        for last in range(len(items) - 1, 0, -1):
            chosen = self.below(last + 1)
            items[last], items[chosen] = items[chosen], items[last]
