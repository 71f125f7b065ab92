"""The agents that choose by lot; equal to `agents.uniform`.

Where both seats draw lots, `games.play_game` does it itself, see there.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from patchstats.kernel.deciders.deciding import Decider, Memory, decider, memory_of
from patchstats.kernel.decision import draw
from patchstats.kernel.layout import ANY_ACTION, LOTS, OWN, PATCH_FIRST, SEAT_SIZE, SEATS
from patchstats.kernel.turn import seat_on_turn


@decider
def choose(a: Any, memory: Any) -> Any:
    """Draw an action."""
    return draw(a, SEATS + seat_on_turn(a) * SEAT_SIZE, memory[OWN])


def any_action(_: object = None) -> Decider:
    """Return what chooses any complete legal action."""
    return Decider(choose, partial(_memory, ANY_ACTION))


def patch_first(_: object = None) -> Decider:
    """Return what chooses the advance or a patch, then a placement."""
    return Decider(choose, partial(_memory, PATCH_FIRST))


def _memory(lots: np.uint64) -> Memory:
    memory = memory_of(1)
    memory[LOTS] = memory[OWN] = lots
    return memory
