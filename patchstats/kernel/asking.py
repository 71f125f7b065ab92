"""The compiled agents asked for one decision after another, on positions of the reference engine."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from patchstats.kernel import layout
from patchstats.kernel.cache import kept_on_disk
from patchstats.kernel.deciders.deciding import Decider
from patchstats.kernel.deciders.uniform import any_action
from patchstats.kernel.decision import asked
from patchstats.kernel.layout import PROBABILITIES_TOLD, SEAT_SIZE, SEATS, VALUES_TOLD, WAITING
from patchstats.kernel.philox import open_stream
from patchstats.kernel.positions import put_position
from patchstats.kernel.tables import Arena, arena_for
from patchstats.kernel.turn import count_legal, seat_on_turn
from patchstats.kernel.words import U1, U2
from patchstats.rules import Position, Ruleset


class Decision(NamedTuple):
    """What an agent chose.

    Attributes:
        code: the action's code in the action log.
        values: by offer slot, what it holds a patch to be worth, for those of which it told.
        probabilities: by offer slot, how likely it was to buy each patch, in parts of `layout.CERTAIN`; None if it did
            not tell.
    """

    code: int
    values: dict[int, int]
    probabilities: dict[int, int] | None


class Asked:
    """An agent that plays one game: game `game_index` of a run with this seed, whose streams are drawn from.

    The positions may be of a ruleset with other costs, times and incomes, which the agent then sees.
    """

    def __init__(self, ruleset: Ruleset, decider: Decider, seed: int, game_index: int) -> None:
        self._arena = _tables_of(ruleset).copy()
        self._decider = decider
        self._memory = decider.memory()
        self._arena[layout.SEED], self._arena[layout.INDEX] = seed, game_index
        open_stream(self._arena, layout.STREAMS + U1 * layout.STREAM_SIZE, U1)
        open_stream(self._arena, layout.STREAMS + U2 * layout.STREAM_SIZE, U2)

    def choose(self, position: Position) -> Decision:
        """Return what the agent does in a position in which its seat is on turn."""
        arena, decider = self._arena, self._decider
        put_position(arena, position)
        begun = time.thread_time()
        code = int(ask(arena, self._memory, decider.decide))
        slots = range(min(position.ruleset.offer_size, len(position.ring)))
        choice = not position.waiting and any(arena[int(layout.SLOT_COUNT) + slot] for slot in slots)
        while choice and decider.seconds is not None and time.thread_time() - begun < decider.seconds:
            code = int(ask(arena, self._memory, decider.decide))
        told, certain = int(arena[layout.VALUES_TOLD]), bool(arena[layout.PROBABILITIES_TOLD])
        return Decision(
            code,
            {slot: _signed(arena[int(layout.VALUE) + slot]) for slot in slots if told >> slot & 1},
            {slot: int(arena[int(layout.PROBABILITY) + slot]) for slot in slots} if certain else None,
        )


with kept_on_disk():

    @njit(cache=True, nogil=True)
    def ask(a: Any, memory: Any, decide: Any) -> Any:
        """Let an agent decide the game in the arena; equals a step of `games.play_game`."""
        seat = SEATS + seat_on_turn(a) * SEAT_SIZE
        if not a[WAITING]:
            count_legal(a, seat)
        a[VALUES_TOLD] = a[PROBABILITIES_TOLD] = np.uint64(0)
        return asked(a, seat, memory, decide)


def compile_asking() -> None:
    """Compile what asks agents, or load it, so that no two processes do it at once."""
    ruleset = Ruleset.load("original")
    start = Position.start(ruleset, [patch.id for patch in ruleset.patches])
    Asked(ruleset, any_action(), seed=0, game_index=0).choose(start)


@lru_cache(maxsize=8)
def _tables_of(ruleset: Ruleset) -> Arena:
    return arena_for(ruleset)


def _signed(word: Any) -> int:
    return int(np.uint64(word).astype(np.int64))
