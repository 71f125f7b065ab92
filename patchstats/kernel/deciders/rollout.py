"""The agent that tries each move by playouts from it, and plays the one after which they came out best on average.

Flat Monte Carlo, as in B. Abramson, "Expected-outcome: a general model of static evaluation", 1990. Each turn every
move gets as many playouts, and the same numbers for its lots as every other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from patchstats.kernel.actions import ADVANCE, leather_on, slot_in
from patchstats.kernel.deciders.deciding import Decider, Memory, decider, laid_out
from patchstats.kernel.deciders.playouts import (
    STATE,
    list_on_empty,
    play_out,
    put_playouts,
    words_of_playouts,
)
from patchstats.kernel.layout import FRESH, OWN, SEAT_SIZE, SEATS, STREAM_SIZE, STREAMS, VALUE, VALUES_TOLD, WAITING
from patchstats.kernel.packing import best_leather
from patchstats.kernel.philox import word
from patchstats.kernel.search.evaluation import final, put_evaluation, words_of_evaluation
from patchstats.kernel.search.moves import ROOM, make, moves
from patchstats.kernel.search.state import load, save, words_of_state
from patchstats.kernel.search.tree import ONE, lay_offer
from patchstats.kernel.turn import seat_on_turn
from patchstats.kernel.words import U0, U1, add, scrambled
from patchstats.rules import Ruleset

#: The agent's own words: how many playouts each move gets, how many placements of a patch are looked at, and where its
#: evaluation, its playouts and its scratch are.
_PLAYOUTS_A_MOVE, _PLACEMENTS, _EVALUATION, _PLAYOUTS, _MOVES, _NOW, _AFTER = (
    OWN + np.uint64(field) for field in range(7)
)
_FIELDS = 7


@decider
def choose(a: Any, m: Any) -> Any:
    """Try every move, and play the best; of equal ones the first."""
    me = seat_on_turn(a)
    seat = SEATS + me * SEAT_SIZE
    if a[WAITING]:
        return leather_on(best_leather(a, seat))
    p, room, now, after = m[_PLAYOUTS], m[_MOVES], m[_NOW], m[_AFTER]
    if m[FRESH] == U0:
        list_on_empty(a, m, p)
        m[FRESH] = U1
    found = moves(a, m, seat, True, m[_PLACEMENTS], room)
    if found == U1:
        return m[room]
    drawn = word(a, STREAMS + (me + U1) * STREAM_SIZE)
    save(a, m, now)
    best, best_sum, told = U0, np.int64(0), U0
    for place in range(found):
        code = m[room + place]
        lay_offer(a)
        make(a, seat, code)
        save(a, m, after)
        total = np.int64(0)
        for playout in range(m[_PLAYOUTS_A_MOVE]):
            if playout:
                load(a, m, after)
            m[p + STATE] = scrambled(add(drawn, playout))
            play_out(a, m, p)
            total += final(a, m, m[_EVALUATION])[me]
        load(a, m, now)
        if place == U0 or total > best_sum:
            best, best_sum = code, total
        if code != ADVANCE:
            slot = slot_in(code)
            value = np.int64(np.float64(total) / np.float64(m[_PLAYOUTS_A_MOVE]) * (1e6 / np.float64(ONE)))
            if not told >> slot & U1 or value > np.int64(a[VALUE + slot]):
                a[VALUE + slot] = np.uint64(value)
                told |= U1 << slot
    lay_offer(a)
    a[VALUES_TOLD] = told
    return best


def rollout(
    ruleset: Ruleset,
    *,
    k: int = 16,
    objective: str = "win",
    opponent: float = 1.0,
    playout: str = "random",
    epsilon: float = 0.1,
    placements: int = 1,
) -> Decider:
    """Return what makes `k` playouts of each move.

    What comes of them counts by the `objective` and the `opponent` of `evaluation.final`, `playout` is one of
    `playouts.RULES`, with this `epsilon`; so many `placements` of each patch are tried.
    """
    state = words_of_state(len(ruleset.patches))

    def memory() -> Memory:
        rooms = {
            _EVALUATION: words_of_evaluation(),
            _PLAYOUTS: words_of_playouts(ruleset),
            _MOVES: ROOM,
            _NOW: state,
            _AFTER: state,
        }
        values = {
            _PLAYOUTS_A_MOVE: k,
            _PLACEMENTS: placements,
        }
        made = laid_out(_FIELDS, rooms, values)
        put_evaluation(made, int(made[_EVALUATION]), None, objective=objective, opponent=opponent)
        put_playouts(made, int(made[_PLAYOUTS]), playout, epsilon)
        return made

    return Decider(choose, memory)
