"""The agent that looks so many moves ahead and takes the best line of play for granted: alpha-beta.

The moves of a position are those of `search.moves`. It is valued by the best of them for who moves, and a position so
many moves ahead by an evaluation; what can no longer matter to the choice at some position above is left out. Knuth and
Moore, "An analysis of alpha-beta pruning", 1975. It looks one move ahead, then two, and so on; each time the moves that
were best before, by a table of the positions met, or else by the evaluation of where they lead, are looked at first:
Marsland, "A review of game-tree pruning", 1986. None of this changes the value that is found, which is that of looking
at everything.

The same seat may move several times in a row. What is valued is what the game is worth to the agent; the opponent is
taken to go for the opposite, whatever the agent goes for. Values are those for who moves, and change their sign where
that changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.actions import ADVANCE, leather_on, slot_in
from patchstats.kernel.deciders.deciding import Decider, Memory, decider, laid_out
from patchstats.kernel.decision import purchases
from patchstats.kernel.layout import (
    FRESH,
    OFFER_SIZE,
    ON_RING,
    OWN,
    SEAT_SIZE,
    SEATS,
    VALUE,
    VALUES_TOLD,
    WAITING,
)
from patchstats.kernel.packing import best_leather
from patchstats.kernel.search.evaluation import evaluate, put_evaluation, words_of_evaluation
from patchstats.kernel.search.key import (
    AT_LEAST,
    AT_MOST,
    ENTRY_SIZE,
    EXACTLY,
    bound_in,
    forget,
    key_of,
    left_in,
    look_up,
    move_in,
    note,
    noted,
    value_in,
)
from patchstats.kernel.search.moves import ROOM, make, moves
from patchstats.kernel.search.state import load, save, words_of_state
from patchstats.kernel.search.tree import ONE
from patchstats.kernel.search.weights import Network, network_in
from patchstats.kernel.turn import NO_SEAT, count_legal, seat_on_turn
from patchstats.kernel.words import U0, U1, U2
from patchstats.rules import Ruleset

#: The agent's own words: how many moves it looks ahead, how many placements of a patch it looks at in the root and
#: elsewhere; where its evaluation, the room for moves, the saved game and the nodes are; how large a node is and a
#: child in it; where its table is and how many entries that has; whether the search under way has met a position that
#: it did not look beyond; and how many positions were evaluated since the memory was made.
(
    DEPTH,
    _PLACEMENTS_AT_ROOT,
    _PLACEMENTS,
    _EVALUATION,
    _MOVES,
    _NOW,
    _NODES,
    _NODE_SIZE,
    _CHILD_SIZE,
    _TABLE,
    _ENTRIES,
    _CUT_OFF,
    EVALUATED,
) = (OWN + np.uint64(field) for field in range(13))
_FIELDS = 13

#: There is a node for each position on the line that is looked at, the root first. It holds who moves; how many moves
#: are looked ahead; its key; the move that is looked at first; how many children it has, which of them, as bits, were
#: looked at, and which one is; the bounds between which its value matters, and the lower one as it was at first; the
#: best value so far, and the move to it. Its children follow.
(
    _MOVER,
    _LEFT,
    _KEY,
    _PREFERRED,
    _COUNT,
    _SEEN,
    _CHILD,
    _ALPHA,
    _BETA,
    _LOWEST,
    _BEST,
    _BEST_MOVE,
    _CHILDREN,
) = (np.uint64(field) for field in range(13))
#: A child holds the move, who moves then, what it is worth to who moves in the node as far as is known, and the game.
_MOVE, _NEXT_MOVER, _WORTH, _STATE = (np.uint64(field) for field in range(4))

#: No move.
NOTHING = np.uint64(2**64 - 1)
#: More than any value.
_INFINITY = np.int64(4 * ONE)


@njit
def grow(a: Any, m: Any, numbers: Any, node: Any, me: Any, placements: Any) -> Any:
    """Write the children of a node, whose game is in the arena, evaluate them, and return the best value.

    Where only one move is looked ahead, this is the value of the node; then the games of the children are not kept, and
    as soon as one of them is worth as much as matters, the others are left out.
    """
    mover, last, beta = m[node + _MOVER], m[node + _LEFT] == U1, np.int64(m[node + _BETA])
    seat = SEATS + mover * SEAT_SIZE
    found = moves(a, m, seat, mover == me, placements, m[_MOVES])
    child, best = node + _CHILDREN, -_INFINITY
    # The game itself lies where that of the last child goes in the end.
    game = child + (found - U1) * m[_CHILD_SIZE] + _STATE
    save(a, m, game)
    for place in range(found):
        if place:
            load(a, m, game)
        m[child + _MOVE] = m[m[_MOVES] + place]
        make(a, seat, m[child + _MOVE])
        m[child + _NEXT_MOVER] = seat_on_turn(a)
        worth = evaluate(a, m, numbers, m[_EVALUATION], m[child + _NEXT_MOVER])[me]
        worth = worth if mover == me else -worth
        m[EVALUATED] += U1
        m[child + _WORTH] = np.uint64(worth)
        best = max(best, worth)
        if last:
            if m[child + _NEXT_MOVER] != NO_SEAT:
                m[_CUT_OFF] = U1
            if worth >= beta:
                break
        else:
            save(a, m, child + _STATE)
        child += m[_CHILD_SIZE]
    m[node + _COUNT] = found
    return best


@njit
def next_child(m: Any, node: Any) -> Any:
    """Return the child of a node to be looked at next, or 0 when nothing more matters.

    The preferred move goes first, then what is worth most as far as is known, of equal ones the first.
    """
    if np.int64(m[node + _BEST]) >= np.int64(m[node + _BETA]):
        return U0
    found, best, bit = U0, -_INFINITY, U0
    child = node + _CHILDREN
    for place in range(m[node + _COUNT]):
        if not m[node + _SEEN] >> place & U1:
            worth = np.int64(m[child + _WORTH])
            if m[child + _MOVE] == m[node + _PREFERRED]:
                worth = _INFINITY
            if worth > best:
                found, best, bit = child, worth, U1 << place
        child += m[_CHILD_SIZE]
    m[node + _SEEN] |= bit
    m[node + _CHILD] = found
    return found


@njit
def take(m: Any, node: Any, value: Any) -> None:
    """Take what the child that is looked at turned out to be worth."""
    child = m[node + _CHILD]
    m[child + _WORTH] = np.uint64(value)
    if value > np.int64(m[node + _BEST]):
        m[node + _BEST], m[node + _BEST_MOVE] = np.uint64(value), m[child + _MOVE]
    if value > np.int64(m[node + _ALPHA]):
        m[node + _ALPHA] = np.uint64(value)


@njit
def kind_of(move: Any) -> Any:
    """Return 0 for an advance, else the offer slot + 1."""
    return U0 if move == ADVANCE else slot_in(move) + U1


@njit
def best_of_kind(m: Any, node: Any, kind: Any) -> Any:
    """Return the greatest worth of the children that were looked at whose moves are of that kind."""
    best = -_INFINITY
    child = node + _CHILDREN
    for place in range(m[node + _COUNT]):
        if m[node + _SEEN] >> place & U1 and child != m[node + _CHILD] and kind_of(m[child + _MOVE]) == kind:
            best = max(best, np.int64(m[child + _WORTH]))
        child += m[_CHILD_SIZE]
    return best


@njit
def begin(m: Any, node: Any, left: Any, alpha: Any, beta: Any) -> None:
    """Begin to look at a node."""
    m[node + _LEFT], m[node + _SEEN] = left, U0
    m[node + _ALPHA], m[node + _LOWEST], m[node + _BETA] = np.uint64(alpha), np.uint64(alpha), np.uint64(beta)
    m[node + _BEST] = np.uint64(-_INFINITY)


@njit
def enter(a: Any, m: Any, node: Any, alpha: Any, beta: Any) -> Any:
    """Begin to look at the node below this one that the child at hand leads to, and load its game."""
    child, below = m[node + _CHILD], node + m[_NODE_SIZE]
    load(a, m, child + _STATE)
    m[below + _MOVER] = m[child + _NEXT_MOVER]
    if m[below + _MOVER] == m[node + _MOVER]:
        begin(m, below, m[node + _LEFT] - U1, alpha, beta)
    else:
        begin(m, below, m[node + _LEFT] - U1, -beta, -alpha)
    return below


@njit
def is_known(a: Any, m: Any, node: Any) -> Any:
    """Look the node up in the table; whether its value is known there as well as matters, which then is its best."""
    m[node + _KEY] = key_of(a)
    known = look_up(m, m[_TABLE], m[_ENTRIES], m[node + _KEY])
    bound, value = bound_in(known), value_in(known)
    m[node + _PREFERRED] = move_in(known) if bound else NOTHING
    # What was found by looking further ahead is not what is asked for here.
    if left_in(known) != m[node + _LEFT]:
        return False
    if (
        bound == EXACTLY
        or (bound == AT_LEAST and value >= np.int64(m[node + _BETA]))
        or (bound == AT_MOST and value <= np.int64(m[node + _ALPHA]))
    ):
        m[node + _BEST] = np.uint64(value)
        return True
    return False


@njit
def write_down(m: Any, node: Any) -> None:
    """Put into the table what was found at a node."""
    best = np.int64(m[node + _BEST])
    bound = EXACTLY
    if best >= np.int64(m[node + _BETA]):
        bound = AT_LEAST
    elif best <= np.int64(m[node + _LOWEST]):
        bound = AT_MOST
    note(m, m[_TABLE], m[_ENTRIES], m[node + _KEY], noted(m[node + _BEST_MOVE], bound, m[node + _LEFT], best))


@njit
def look_ahead(a: Any, m: Any, numbers: Any, me: Any, left: Any, each_kind: Any) -> None:
    """Look so many moves ahead from the root, which is grown.

    Its best value and move are right then; and, if `each_kind`, so is the greatest worth of the children of each kind.
    Of the others it is only known that they are worth no more than stands there.
    """
    root = m[_NODES]
    node = root
    begin(m, root, left, -_INFINITY, _INFINITY)
    m[_CUT_OFF] = U0
    while True:
        child = next_child(m, node)
        if child == U0:
            if node == root:
                return
            write_down(m, node)
            below, node = node, node - m[_NODE_SIZE]
        elif m[node + _LEFT] == U1 or m[child + _NEXT_MOVER] == NO_SEAT:
            if m[child + _NEXT_MOVER] != NO_SEAT:
                m[_CUT_OFF] = U1
            take(m, node, np.int64(m[child + _WORTH]))
            continue
        else:
            alpha = np.int64(m[node + _ALPHA])
            if each_kind and node == root:
                alpha = best_of_kind(m, root, kind_of(m[child + _MOVE]))
            below = enter(a, m, node, alpha, np.int64(m[node + _BETA]))
            if m[below + _LEFT] > U1 and is_known(a, m, below):
                m[_CUT_OFF] = U1
            else:
                best = grow(a, m, numbers, below, me, m[_PLACEMENTS])
                if m[below + _LEFT] > U1:
                    node = below
                    continue
                m[below + _BEST] = np.uint64(best)
        value = np.int64(m[below + _BEST])
        take(m, node, value if m[below + _MOVER] == m[node + _MOVER] else -value)


@njit
def tell(a: Any, m: Any, root: Any) -> None:
    """Tell what each patch is held to be worth, in millionths: its best placement."""
    m[root + _CHILD] = U0
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        best = best_of_kind(m, root, slot + U1)
        if best > -_INFINITY:
            a[VALUE + slot] = np.uint64(np.int64(np.float64(best) * (1e6 / np.float64(ONE))))
            a[VALUES_TOLD] |= U1 << slot


@decider
def choose(a: Any, m: Any) -> Any:
    """Look one move ahead, then two, and so on, and play what is best in the end."""
    me = seat_on_turn(a)
    seat = SEATS + me * SEAT_SIZE
    if m[FRESH] == U0:
        forget(m, m[_TABLE], m[_ENTRIES])
        m[FRESH] = U1
    if a[WAITING]:
        return leather_on(best_leather(a, seat))
    if purchases(a) == U0:
        return ADVANCE
    numbers = m.view(np.float32)
    root = m[_NODES]
    save(a, m, m[_NOW])
    m[root + _MOVER], m[root + _PREFERRED] = me, NOTHING
    begin(m, root, U2, -_INFINITY, _INFINITY)
    grow(a, m, numbers, root, me, m[_PLACEMENTS_AT_ROOT])
    left = U1
    while True:
        look_ahead(a, m, numbers, me, left, left == m[DEPTH])
        m[root + _PREFERRED] = m[root + _BEST_MOVE]
        if left == m[DEPTH]:
            break
        # Whoever has seen the end of the game on every line has no use for what lies between.
        left = left + U1 if m[_CUT_OFF] else m[DEPTH]
    load(a, m, m[_NOW])
    count_legal(a, seat)
    tell(a, m, root)
    return m[root + _BEST_MOVE]


def alphabeta(
    ruleset: Ruleset,
    network: Network | str | None = None,
    depth: int = 3,
    *,
    objective: str = "margin",
    opponent: float = 1.0,
    root_placements: int = 3,
    placements: int = 2,
    entries: int | None = None,
) -> Decider:
    """Return what looks `depth` moves ahead, by the evaluation of the network (or its text), or without one by hand.

    Its table has so many `entries`, a power of 2, or 0 for none; that changes no value that is found.
    """
    if isinstance(network, str):
        network = network_in(network, "its network")
    if entries is None:
        entries = 0 if depth < 3 else 1 << min(8 + 2 * depth, 18)
    state = words_of_state(len(ruleset.patches))
    child = int(_STATE) + state
    most_moves = 1 + min(ruleset.offer_size, len(ruleset.patches)) * max(root_placements, placements)
    node = int(_CHILDREN) + most_moves * child

    def memory() -> Memory:
        rooms = {
            _EVALUATION: words_of_evaluation(),
            _MOVES: ROOM,
            _NOW: state,
            _NODES: depth * node,
            _TABLE: entries * int(ENTRY_SIZE),
        }
        values = {
            DEPTH: depth,
            _PLACEMENTS_AT_ROOT: root_placements,
            _PLACEMENTS: placements,
            _NODE_SIZE: node,
            _CHILD_SIZE: child,
            _ENTRIES: entries,
        }
        made = laid_out(_FIELDS, rooms, values)
        put_evaluation(made, int(made[_EVALUATION]), network, objective=objective, opponent=opponent)
        return made

    return Decider(choose, memory)
