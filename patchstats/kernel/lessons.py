"""Games to learn from: positions as features, with how the game ended for who moved and for the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from patchstats.kernel.actions import play
from patchstats.kernel.cache import kept_on_disk
from patchstats.kernel.deciders.deciding import Decider
from patchstats.kernel.decision import asked, draw
from patchstats.kernel.games import shuffle_ring
from patchstats.kernel.layout import (
    FRESH,
    INDEX,
    PATCH_FIRST,
    PATCHES,
    SEAT_SIZE,
    SEATS,
    SEED,
    STREAM_SIZE,
    STREAMS,
    WAITING,
)
from patchstats.kernel.philox import below, open_stream
from patchstats.kernel.search.features import FEATURES, describe
from patchstats.kernel.tables import arena_for
from patchstats.kernel.turn import NO_SEAT, count_legal, lay_ring, score, seat_on_turn, set_up, winner
from patchstats.kernel.words import U0, U1, U2
from patchstats.rules import Ruleset

_FEATURES = np.uint64(len(FEATURES))
#: What a lesson ends with: the final points of who moved, those of the other, and whether who moved has won.
OUTCOMES = 3


class Teacher:
    """Plays games of one ruleset with one agent at both seats; a thread needs one of its own.

    The first moves of a game, up to `most_random` of them, are drawn by lot, so that many games are seen; there are no
    lessons before the last of these.
    """

    def __init__(self, ruleset: Ruleset, decider: Decider, most_random: int) -> None:
        self._arena = arena_for(ruleset)
        self._decide, self._memories = decider.decide, (decider.memory(), decider.memory())
        self._most_random = most_random
        self._longest = 2 * ruleset.finish

    def lessons(self, seed: int, first: int, count: int) -> tuple[NDArray[np.int16], NDArray[np.int32]]:
        """Play `count` games, from game `first` of a seed on, and return features and outcomes, a row a position."""
        features = np.empty((count * self._longest, len(FEATURES)), dtype=np.int16)
        outcomes = np.empty((count * self._longest, OUTCOMES), dtype=np.int32)
        rows = int(
            play_lessons(
                self._arena,
                self._decide,
                *self._memories,
                np.uint64(self._most_random),
                np.uint64(seed),
                np.uint64(first),
                np.uint64(count),
                features,
                outcomes,
            )
        )
        return features[:rows].copy(), outcomes[:rows].copy()


with kept_on_disk():

    @njit(cache=True, nogil=True)
    def play_lessons(
        a: Any,
        decide: Any,
        first_memory: Any,
        second_memory: Any,
        most_random: Any,
        seed: Any,
        first: Any,
        count: Any,
        features: Any,
        outcomes: Any,
    ) -> Any:
        """Play games, write a row for each position with a choice, and return how many rows there are."""
        ring = np.empty(a[PATCHES], dtype=np.uint64)
        x = np.empty(_FEATURES, dtype=np.float32)
        row = U0
        for number in range(count):
            a[SEED], a[INDEX] = seed, first + number
            shuffle_ring(a, ring)
            set_up(a)
            lay_ring(a, ring)
            first_memory[FRESH] = second_memory[FRESH] = U0
            for stream in range(U1, U2 + U1):
                open_stream(a, STREAMS + stream * STREAM_SIZE, stream)
            drawn = below(a, STREAMS + STREAM_SIZE, most_random + U1)
            begun = row
            while True:
                mover = seat_on_turn(a)
                if mover == NO_SEAT:
                    break
                seat, other = SEATS + mover * SEAT_SIZE, SEATS + (U1 - mover) * SEAT_SIZE
                if a[WAITING] == U0:
                    if drawn == U0:
                        describe(a, seat, other, x, U0)
                        for place in range(_FEATURES):
                            features[row, place] = x[place]
                        outcomes[row, 0] = mover
                        row += U1
                    count_legal(a, seat)
                if drawn and a[WAITING] == U0:
                    code = draw(a, seat, PATCH_FIRST)
                    drawn -= U1
                else:
                    code = asked(a, seat, first_memory if mover == U0 else second_memory, decide)
                play(a, seat, code)
            for place in range(begun, row):
                mover = np.uint64(outcomes[place, 0])
                outcomes[place, 0] = score(a, mover)
                outcomes[place, 1] = score(a, U1 - mover)
                outcomes[place, 2] = winner(a) == mover
        return row
