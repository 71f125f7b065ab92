"""The agent that searches by playouts and grows a tree of what came out well: Monte-Carlo tree search by UCT.

An iteration goes down the tree, at each node to a move that was never tried, or else to the one with the greatest upper
confidence bound; it adds one node, plays the game out from there, and counts what came of that for every node of the
way. Played is the move that was tried most. What was grown below the position that then comes about is used again.
Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", 2006; Coulom, "Efficient selectivity and backup operators in
Monte-Carlo tree search", 2006; Browne et al., "A survey of Monte Carlo tree search methods", 2012.

Everything is computed by whole numbers, or by such steps of floating point as every machine rounds alike.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.actions import ADVANCE, leather_on
from patchstats.kernel.deciders.deciding import Decider, Memory, decider, laid_out
from patchstats.kernel.deciders.playouts import (
    STATE,
    list_on_empty,
    play_out,
    put_playouts,
    words_of_playouts,
)
from patchstats.kernel.decision import purchases
from patchstats.kernel.layout import (
    FRESH,
    OWN,
    SEAT_SIZE,
    SEATS,
    STREAM_SIZE,
    STREAMS,
    WAITING,
)
from patchstats.kernel.packing import best_leather
from patchstats.kernel.philox import word
from patchstats.kernel.search.evaluation import final, put_evaluation, words_of_evaluation
from patchstats.kernel.search.moves import ROOM, moves
from patchstats.kernel.search.state import load, words_of_state
from patchstats.kernel.search.tree import (
    BRANCHES,
    CHILDREN,
    DEPTH,
    ITERATIONS_AT_A_TIME,
    MOST_NODES,
    MOVE,
    MOVER,
    NODE_SIZE,
    ONE,
    ROOT,
    SUM,
    TREE_SIZE,
    VISITS,
    back_up,
    found_again,
    keep,
    lay_offer,
    most_visited,
    new_nodes,
    plant,
    put_tree,
    room_for,
    step,
    take_over,
    tell,
)
from patchstats.kernel.turn import NO_SEAT, seat_on_turn
from patchstats.kernel.words import U0, U1, popcount
from patchstats.rules import Ruleset

#: The agent's own words: how many iterations it makes when it is asked, how many placements of a patch it looks at in
#: the root and elsewhere, the exploration in thousandths, and where its evaluation, its playouts, its tree and its
#: scratch are.
(
    _ITERATIONS,
    _PLACEMENTS_AT_ROOT,
    _PLACEMENTS,
    _EXPLORATION,
    _EVALUATION,
    _PLAYOUTS,
    _TREE,
    _MOVES,
    _PATH,
    _BEFORE,
    _NOW,
    _STEPS,
    _STATE_SIZE,
) = (OWN + np.uint64(field) for field in range(13))
_FIELDS = 13

_LN_2 = 0.6931471805599453
_SQRT_2 = 1.4142135623730951


@njit
def ln(n: Any) -> Any:
    """Return the natural logarithm of a whole number from 1 on, to about 1e-10, the same on every machine.

    With n = x * 2**k and x between sqrt(1/2) and sqrt(2), ln(n) is k ln(2) + ln(x), and ln(x) is twice the sum of
    s**i / i for odd i, where s = (x - 1) / (x + 1), below 0.172 in size.
    """
    top = n
    for shift in range(6):
        top |= top >> (U1 << np.uint64(shift))
    power = popcount(top) - U1
    x = np.float64(n) / np.float64(U1 << power)
    k = np.float64(power)
    if x > _SQRT_2:
        x *= 0.5
        k += 1.0
    s = (x - 1.0) / (x + 1.0)
    square = s * s
    total = 1.0 / 11.0
    for odd in (9.0, 7.0, 5.0, 3.0, 1.0):
        total = total * square + 1.0 / odd
    return k * _LN_2 + 2.0 * s * total


@njit
def most_urgent(m: Any, node: Any, exploration: Any) -> Any:
    """Return the child to be visited next: the first that never was, or the one with the greatest mean plus
    exploration * sqrt(ln(N + 1) / n), for N visits of the node and n of the child (UCB1).
    """
    branches, first, mover = m[node + BRANCHES], m[node + CHILDREN], m[node + MOVER]
    width = exploration * math.sqrt(ln(m[node + VISITS] + U1))
    best, best_score = first, -1e300
    for place in range(branches):
        child = first + place * NODE_SIZE
        if m[child + VISITS] == U0:
            return child
        visits = np.float64(m[child + VISITS])
        score = np.float64(np.int64(m[child + SUM + mover])) / visits + width / math.sqrt(visits)
        if score > best_score:
            best, best_score = child, score
    return best


@njit
def grow(a: Any, m: Any, node: Any, me: Any, placements: Any) -> None:
    """Give a node, whose game is in the arena, its children, none of them visited; without room it stays as it is."""
    seat = SEATS + m[node + MOVER] * SEAT_SIZE
    found = moves(a, m, seat, m[node + MOVER] == me, placements, m[_MOVES])
    if not room_for(m, m[_TREE], found):
        return
    first = new_nodes(m, m[_TREE], found)
    for place in range(found):
        m[first + place * NODE_SIZE + MOVE] = m[m[_MOVES] + place]
    m[node + CHILDREN], m[node + BRANCHES] = first, found


@njit
def widen(a: Any, m: Any, root: Any, me: Any) -> None:
    """Let a node that was grown within the tree have all the children of a root; what it had is kept."""
    old, branches = m[root + CHILDREN], m[root + BRANCHES]
    grow(a, m, root, me, m[_PLACEMENTS_AT_ROOT])
    if m[root + CHILDREN] == old:
        return
    take_over(m, root, old, branches)


@njit
def iterate(a: Any, m: Any, root: Any, me: Any) -> None:
    """Make one iteration."""
    load(a, m, m[_BEFORE])
    path, length = m[_PATH], U1
    exploration = np.float64(m[_EXPLORATION]) * (np.float64(ONE) / 1000.0)
    node = root
    m[path] = node
    while m[node + MOVER] != NO_SEAT:
        if m[node + BRANCHES] == U0:
            grow(a, m, node, me, m[_PLACEMENTS])
            if m[node + BRANCHES] == U0:
                break
        child = most_urgent(m, node, exploration)
        step(a, m, node, child)
        node = child
        m[path + length] = node
        length += U1
        if m[node + VISITS] == U0:
            m[node + MOVER] = seat_on_turn(a)
            break
    play_out(a, m, m[_PLAYOUTS])
    first, second = final(a, m, m[_EVALUATION])
    back_up(m, path, length, first, second)


@njit
def root_of(a: Any, m: Any, me: Any) -> Any:
    """Return the root for the game in the arena, of the tree of the turn before if that has it, and save the game."""
    tree = m[_TREE]
    if m[FRESH] == U0:
        list_on_empty(a, m, m[_PLAYOUTS])
    found = found_again(a, m, tree, m[_BEFORE], m[_NOW], m[_STEPS], m[_STATE_SIZE])
    if found == U0 or m[found + VISITS] == U0:
        root = plant(m, tree, me)
        grow(a, m, root, me, m[_PLACEMENTS_AT_ROOT])
        return root
    if found == m[tree + ROOT]:
        return found
    root = keep(m, tree, found)
    if m[root + BRANCHES] == U0 or m[_PLACEMENTS] != m[_PLACEMENTS_AT_ROOT]:
        widen(a, m, root, me)
    return root


@decider
def choose(a: Any, m: Any) -> Any:
    """Make so many iterations, and play the move that was tried most."""
    me = seat_on_turn(a)
    seat = SEATS + me * SEAT_SIZE
    if a[WAITING]:
        return leather_on(best_leather(a, seat))
    if purchases(a) == U0:
        return ADVANCE
    m[m[_PLAYOUTS] + STATE] = word(a, STREAMS + (me + U1) * STREAM_SIZE)
    root = root_of(a, m, me)
    for _ in range(m[_ITERATIONS]):
        iterate(a, m, root, me)
    load(a, m, m[_BEFORE])
    lay_offer(a)
    tell(a, m, root, me, U0)
    return m[most_visited(m, root) + MOVE]


def mcts(
    ruleset: Ruleset,
    *,
    iterations: int = 1000,
    seconds: float | None = None,
    exploration: float = 1.0,
    objective: str = "win",
    opponent: float = 1.0,
    playout: str = "random",
    epsilon: float = 0.1,
    root_placements: int = 1,
    placements: int = 1,
) -> Decider:
    """Return what makes so many iterations a turn; with `seconds`, ITERATIONS_AT_A_TIME whenever it is asked.

    `exploration` is the factor of the root in UCB1; what comes of playouts counts by the `objective` and the `opponent`
    of `evaluation.final`; `playout` is one of `playouts.RULES`, with this `epsilon`.
    """
    if seconds is not None:
        iterations = ITERATIONS_AT_A_TIME
    state = words_of_state(len(ruleset.patches))
    depth = 2 * ruleset.finish + 2
    capacity = min(8 * iterations + 8192, MOST_NODES) if seconds is None else MOST_NODES

    def memory() -> Memory:
        rooms = {
            _EVALUATION: words_of_evaluation(),
            _PLAYOUTS: words_of_playouts(ruleset),
            _TREE: TREE_SIZE,
            _MOVES: ROOM,
            _PATH: depth,
            _BEFORE: state,
            _NOW: state,
            _STEPS: 2 * DEPTH + DEPTH * state,
        }
        values = {
            _ITERATIONS: iterations,
            _PLACEMENTS_AT_ROOT: root_placements,
            _PLACEMENTS: placements,
            _EXPLORATION: round(1000 * exploration),
            _STATE_SIZE: state,
        }
        made = laid_out(_FIELDS, rooms, values, 2 * capacity * int(NODE_SIZE))
        put_tree(made, int(made[_TREE]), capacity)
        put_evaluation(made, int(made[_EVALUATION]), None, objective=objective, opponent=opponent)
        put_playouts(made, int(made[_PLAYOUTS]), playout, epsilon)
        return made

    return Decider(choose, memory, seconds)
