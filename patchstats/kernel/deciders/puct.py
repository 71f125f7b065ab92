"""The agent that looks ahead along promising moves, by an evaluation of positions: PUCT.

A visit goes down the tree, at each node to the move with the greatest sum of what it is worth to who moves and of a
bonus for what was little visited and is expected to be good. At a node that it finds without children, all of these are
grown, each is evaluated, and what the best is worth counts for every node of the way. Expectations (priors) come of the
evaluations of the children, too. Rosin, "Multi-armed bandits with episode context", 2011; Silver et al., "Mastering the
game of Go without human knowledge", 2017, whose policy network is left out here.

Everything is computed by whole numbers, or by such steps of floating point as every machine rounds alike.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.actions import ADVANCE, leather_on
from patchstats.kernel.deciders.deciding import Decider, Memory, decider, laid_out
from patchstats.kernel.decision import purchases
from patchstats.kernel.layout import (
    OWN,
    SEAT_SIZE,
    SEATS,
    WAITING,
)
from patchstats.kernel.packing import best_leather
from patchstats.kernel.search.evaluation import evaluate, put_evaluation, words_of_evaluation
from patchstats.kernel.search.moves import ROOM, make, moves
from patchstats.kernel.search.state import load, save, words_of_state
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
    PRIOR,
    ROOT,
    TREE_SIZE,
    VISITS,
    WORTH,
    back_up,
    found_again,
    keep,
    mean,
    most_visited,
    new_nodes,
    plant,
    put_tree,
    room_for,
    step,
    take_over,
    tell,
)
from patchstats.kernel.search.weights import Network, network_in
from patchstats.kernel.turn import NO_SEAT, count_legal, seat_on_turn
from patchstats.kernel.words import U0, U1
from patchstats.rules import Ruleset

#: The agent's own words: how many visits it makes a turn, how many placements of a patch it looks at in the root and
#: elsewhere, the three numbers of the formula (in thousandths), and where its evaluation, its tree and its scratch are;
#: and where the children are that the root had, and how many, before it was grown again.
(
    _VISITS_A_TURN,
    _PLACEMENTS_AT_ROOT,
    _PLACEMENTS,
    _EXPLORATION,
    _SHARPNESS,
    _EVENNESS,
    _EVALUATION,
    _TREE,
    _MOVES,
    _PATH,
    _BEFORE,
    _NOW,
    _STEPS,
    _LEAF,
    _STATE_SIZE,
    _KNOWN,
    _KNOWN_BRANCHES,
) = (OWN + np.uint64(field) for field in range(17))
_FIELDS = 17


@njit
def grow(a: Any, m: Any, numbers: Any, node: Any, me: Any, placements: Any) -> Any:
    """Grow the children of a node, whose game is in the arena, and return what the best is worth to both seats.

    Without room for them the node stays as it is, and what it is worth itself counts.
    """
    mover = m[node + MOVER]
    seat = SEATS + mover * SEAT_SIZE
    room = m[_MOVES]
    found = moves(a, m, seat, mover == me, placements, room)
    if not room_for(m, m[_TREE], found):
        return np.int64(m[node + WORTH]), np.int64(m[node + WORTH + U1])
    first = new_nodes(m, m[_TREE], found)
    save(a, m, m[_LEAF])
    best = U0
    for place in range(found):
        child = first + place * NODE_SIZE
        if place:
            load(a, m, m[_LEAF])
        m[child + MOVE] = m[room + place]
        make(a, seat, m[child + MOVE])
        m[child + MOVER] = seat_on_turn(a)
        own, its = evaluate(a, m, numbers, m[_EVALUATION], m[child + MOVER])
        m[child + WORTH], m[child + WORTH + U1] = np.uint64(own), np.uint64(its)
        if best == U0 or np.int64(m[child + WORTH + mover]) > np.int64(m[best + WORTH + mover]):
            best = child
    m[node + CHILDREN], m[node + BRANCHES] = first, found
    expect(m, node, np.int64(m[best + WORTH + mover]))
    return np.int64(m[best + WORTH]), np.int64(m[best + WORTH + U1])


@njit
def expect(m: Any, node: Any, greatest: Any) -> Any:
    """Give the children of a node their priors, of which `greatest` is the greatest worth to who moves.

    Nearly those of a softmax: exp(-x) is (1 + x / 8) ** -8 here, which needs no function that machines round
    differently.
    """
    branches, first, mover = m[node + BRANCHES], m[node + CHILDREN], m[node + MOVER]
    sharpness = np.float64(m[_SHARPNESS]) * (np.float64(ONE) / 1000.0)
    total = 0.0
    for place in range(branches):
        total += _falling(np.float64(greatest - np.int64(m[first + place * NODE_SIZE + WORTH + mover])) / sharpness)
    even = np.float64(m[_EVENNESS]) / 1000.0
    for place in range(branches):
        child = first + place * NODE_SIZE
        share = _falling(np.float64(greatest - np.int64(m[child + WORTH + mover])) / sharpness) / total
        m[child + PRIOR] = np.uint64(np.float64(ONE) * ((1.0 - even) * share + even / np.float64(branches)))


@njit
def _falling(x: Any) -> Any:
    eighth = 1.0 + x * 0.125
    eighth *= eighth
    eighth *= eighth
    return 1.0 / (eighth * eighth)


@njit
def most_promising(m: Any, node: Any, exploration: Any) -> Any:
    """Return the child to be visited next."""
    branches, first, mover = m[node + BRANCHES], m[node + CHILDREN], m[node + MOVER]
    scale = exploration * math.sqrt(np.float64(m[node + VISITS]))
    best, best_score = first, -1e300
    for place in range(branches):
        child = first + place * NODE_SIZE
        score = mean(m, child, mover) + scale * np.float64(m[child + PRIOR]) / np.float64(m[child + VISITS] + U1)
        if score > best_score:
            best, best_score = child, score
    return best


@njit
def visit(a: Any, m: Any, numbers: Any, root: Any, me: Any, counts: Any) -> None:
    """Make one visit; that which only grows the root does not count."""
    load(a, m, m[_BEFORE])
    path, length = m[_PATH], U1
    exploration = np.float64(m[_EXPLORATION]) / 1000.0
    node = root
    m[path] = node
    while m[node + BRANCHES]:
        child = most_promising(m, node, exploration)
        step(a, m, node, child)
        node = child
        m[path + length] = node
        length += U1
    if m[node + MOVER] == NO_SEAT:
        own, its = np.int64(m[node + WORTH]), np.int64(m[node + WORTH + U1])
    else:
        own, its = grow(a, m, numbers, node, me, m[_PLACEMENTS_AT_ROOT] if node == root else m[_PLACEMENTS])
    if counts:
        back_up(m, path, length, own, its)
    else:
        take_over(m, root, m[_KNOWN], m[_KNOWN_BRANCHES])


@decider
def choose(a: Any, m: Any) -> Any:
    """Make so many visits, and play the move that was visited most."""
    me = seat_on_turn(a)
    seat = SEATS + me * SEAT_SIZE
    if a[WAITING]:
        return leather_on(best_leather(a, seat))
    if purchases(a) == U0:
        return ADVANCE
    numbers = m.view(np.float32)
    tree = m[_TREE]
    root = found_again(a, m, tree, m[_BEFORE], m[_NOW], m[_STEPS], m[_STATE_SIZE])
    m[_KNOWN_BRANCHES] = U0
    if root == U0:
        root = plant(m, tree, me)
    elif root != m[tree + ROOT]:
        root = keep(m, tree, root)
        if room_for(m, tree, np.uint64(ROOM)):  # it has the children of an inner node; a root has more
            m[_KNOWN], m[_KNOWN_BRANCHES] = m[root + CHILDREN], m[root + BRANCHES]
            m[root + BRANCHES] = U0
    visits = m[_VISITS_A_TURN]
    if m[root + BRANCHES] == U0:
        visits += U1
    for _ in range(visits):
        if not room_for(m, tree, np.uint64(ROOM)):
            break
        visit(a, m, numbers, root, me, m[root + BRANCHES] > U0)
    load(a, m, m[_BEFORE])
    count_legal(a, seat)
    tell(a, m, root, me, U1)
    return m[most_visited(m, root) + MOVE]


def puct(
    ruleset: Ruleset,
    network: Network | str | None = None,
    iterations: int = 1000,
    *,
    seconds: float | None = None,
    objective: str = "blend",
    opponent: float = 1.0,
    exploration: float = 0.4,
    sharpness: float = 0.2,
    evenness: float = 0.05,
    root_placements: int = 3,
    placements: int = 2,
) -> Decider:
    """Return what searches by an evaluation: that of the network (or its text), or without one the hand-made one.

    With `seconds` it makes ITERATIONS_AT_A_TIME visits whenever it is asked, and may keep a tree of MOST_NODES.
    """
    if isinstance(network, str):
        network = network_in(network, "its network")
    if seconds is not None:
        iterations = ITERATIONS_AT_A_TIME
    state = words_of_state(len(ruleset.patches))
    depth = 2 * ruleset.finish + 2
    capacity = min(16 * iterations + 8192, MOST_NODES) if seconds is None else MOST_NODES

    def memory() -> Memory:
        rooms = {
            _EVALUATION: words_of_evaluation(),
            _TREE: TREE_SIZE,
            _MOVES: ROOM,
            _PATH: depth,
            _BEFORE: state,
            _NOW: state,
            _LEAF: state,
            _STEPS: 2 * DEPTH + DEPTH * state,
        }
        values = {
            _VISITS_A_TURN: iterations,
            _PLACEMENTS_AT_ROOT: root_placements,
            _PLACEMENTS: placements,
            _EXPLORATION: round(1000 * exploration),
            _SHARPNESS: round(1000 * sharpness),
            _EVENNESS: round(1000 * evenness),
            _STATE_SIZE: state,
        }
        made = laid_out(_FIELDS, rooms, values, 2 * capacity * int(NODE_SIZE))
        put_tree(made, int(made[_TREE]), capacity)
        put_evaluation(made, int(made[_EVALUATION]), network, objective=objective, opponent=opponent)
        return made

    return Decider(choose, memory, seconds)
