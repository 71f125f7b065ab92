"""What a decider is: the compiled routine by which an agent chooses an action.

A decider gets the arena of the game, where `turn.count_legal` has worked out where each payable patch on offer fits,
and a memory, an array of words of its own. It returns the code of a legal action, as the action log has it. It may draw
from the stream of its seat, and it leaves everything else of the game as it is. What it chooses may depend on the game
as the rules see it, on its memory and on its stream, but not on how the game lies in the arena.

The first word of a memory, `layout.FRESH`, is 0 when a game begins; whoever keeps anything from turn to turn must
forget it then. Before each turn `layout.VALUES_TOLD` and `PROBABILITIES_TOLD` are 0; a decider may tell there what it
holds the offers to be worth, in numbers of 32 bits above -2**31, and how likely it was to buy each.

A decider is compiled when its module is imported, so that what is not played is not compiled; it must stand below the
routines that it uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import cfunc, config, types
from numpy.typing import NDArray

from patchstats.kernel.cache import kept_on_disk
from patchstats.kernel.layout import LOTS, OWN, RESTRICTIONS
from patchstats.kernel.restrictions import BITS

Memory = NDArray[np.uint64]

_WORDS = types.Array(types.uint64, 1, "C")
_SIGNATURE = types.uint64(_WORDS, _WORDS)


@dataclass(frozen=True, slots=True)
class Decider:
    """An agent as the compiled engine plays it.

    Attributes:
        decide: the compiled routine.
        memory: makes a memory, with all that the agent's parameters and the ruleset say.
        seconds: for how much CPU time it is asked again and again, going on from where it was, before its answer
            counts; None if the first answer does.
    """

    decide: Any
    memory: Callable[[], Memory]
    seconds: float | None = None


def decider(decide: Callable[[Any, Any], Any]) -> Any:
    """Compile a routine so that any game can call it, and keep what was compiled on disk."""
    if config.DISABLE_JIT:
        return decide
    with kept_on_disk():
        return cfunc(_SIGNATURE, cache=True)(decide)


def memory_of(words: int) -> Memory:
    """Return a memory with so many words of its own, all 0."""
    return np.zeros(int(OWN) + words, dtype=np.uint64)


def laid_out(fields: int, rooms: Mapping[np.uint64, int], values: Mapping[np.uint64, int], beyond: int = 0) -> Memory:
    """Return a memory with so many fields of its own, rooms behind them, and so many words `beyond`.

    Each room is named by the field that holds where it begins, and has so many words; `values` are of other fields.
    """
    place = int(OWN) + fields
    memory = memory_of(fields + sum(rooms.values()) + beyond)
    for field, words in rooms.items():
        memory[int(field)] = place
        place += words
    for field, value in values.items():
        memory[int(field)] = value
    return memory


def restricted(found: Decider, restrictions: Sequence[str]) -> Decider:
    """Return the decider of an agent that does not allow itself what these restrictions name."""
    bits = sum(BITS.get(restriction, 0) for restriction in restrictions)
    if not bits:
        return found

    def memory() -> Memory:
        made = found.memory()
        made[RESTRICTIONS] = bits
        made[LOTS] = 0
        return made

    return replace(found, memory=memory)
