"""An agent of the tests that tells all that a compiled agent can tell of the offers, and remembers its game's turns.

Loaded with `runpy`, as no test module can import another.
"""

import numpy as np

from patchstats.agents import Agent
from patchstats.agents.registry import Entry, _asked
from patchstats.kernel.deciders.deciding import Decider, decider, memory_of
from patchstats.kernel.decision import draw
from patchstats.kernel.layout import (
    CERTAIN,
    FRESH,
    OFFER_SIZE,
    ON_RING,
    OWN,
    PATCH_FIRST,
    PROBABILITIES_TOLD,
    PROBABILITY,
    SEAT_SIZE,
    SEATS,
    VALUE,
    VALUES_TOLD,
)
from patchstats.kernel.turn import seat_on_turn
from patchstats.kernel.words import U0, U1

_U3, _SLOTS = np.uint64(3), np.uint64(10)


@decider
def _tell(a, memory):
    """Draw a lot; tell of each second turn's even slots, and of each third turn how likely each patch was."""
    if memory[FRESH] == U0:
        memory[FRESH], memory[OWN] = U1, U0
    memory[OWN] += U1
    turn = memory[OWN]
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        place = np.uint64(slot)
        if (turn + place) & U1:
            a[VALUES_TOLD] |= U1 << place
            a[VALUE + place] = turn if place & _U3 else -np.int64(turn)
        a[PROBABILITY + place] = CERTAIN // (_SLOTS + place) // turn
    a[PROBABILITIES_TOLD] = turn % _U3 == U0
    return draw(a, SEATS + seat_on_turn(a) * SEAT_SIZE, PATCH_FIRST)


def _make(spec, _, ruleset, __):
    """Return the agent, which both engines ask through its decider."""
    found = Decider(_tell, lambda: memory_of(1))
    return Agent(spec, lambda _: _asked(spec, ruleset, found), decider=lambda: found)


#: To be put among `AGENTS` as `telling`.
ENTRY = Entry("telling", "draws a lot, and tells something of the offers", _make)
