"""The tree of a search: nodes in the memory of an agent, and the tree of the turn before used again.

A node is NODE_SIZE words: the move that leads to it, who moves then (or NO_SEAT), where its children begin, how many
they are (0 as long as it is not expanded), how often it was visited, its prior, what it is worth by itself to seat 0
and to seat 1, and the sum of what those visits were worth to each. Worths are signed, in parts of ONE, and each seat
goes for its own; priors are in parts of ONE. Children lie one after the other. Nodes go by the places where they begin.

The tree has two halves of the same size. What is kept of the tree of the turn before is copied from one to the other,
so that the place of what can no longer come about is free again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from patchstats.kernel.actions import ADVANCE, slot_in
from patchstats.kernel.layout import (
    AT_NEXT,
    FRESH,
    OFFER,
    OFFER_SIZE,
    ON_RING,
    SEAT_SIZE,
    SEATS,
    TAIL,
    VALUE,
    VALUES_TOLD,
)
from patchstats.kernel.search.moves import make
from patchstats.kernel.search.state import load, may_lead_to, same, save
from patchstats.kernel.words import U0, U1, add

MOVE, MOVER, CHILDREN, BRANCHES, VISITS, PRIOR, WORTH, SUM = (np.uint64(field) for field in (0, 1, 2, 3, 4, 5, 6, 8))
NODE_SIZE = np.uint64(10)
ONE = 1 << 20

#: What a tree needs to know, from some place of the memory on: where its two halves begin, how many nodes each may
#: hold, which half is in use, where the next node begins, and where the root is (0 if there is no tree).
HALVES, CAPACITY, IN_USE, NEXT, ROOT = (np.uint64(field) for field in range(5))
TREE_SIZE = 5
#: How many moves may have been made since the tree was grown, to be looked for.
DEPTH = 24
#: The most nodes of a half; who has no room for more makes do with those there are.
MOST_NODES = 1 << 21
#: How often an agent that is limited by time goes down the tree between two looks at the clock.
ITERATIONS_AT_A_TIME = 64


def put_tree(m: NDArray[np.uint64], tree: int, capacity: int) -> None:
    """Lay out an empty tree, whose halves are the last 2 * capacity * NODE_SIZE words of the memory."""
    m[tree + int(HALVES)] = len(m) - 2 * capacity * int(NODE_SIZE)
    m[tree + int(CAPACITY)] = capacity


@njit
def plant(m: Any, tree: Any, mover: Any) -> Any:
    """Begin a tree with a root alone, and return that."""
    m[tree + NEXT] = m[tree + HALVES] + m[tree + IN_USE] * m[tree + CAPACITY] * NODE_SIZE
    root = new_nodes(m, tree, U1)
    m[root + MOVER] = mover
    m[tree + ROOT] = root
    return root


@njit
def room_for(m: Any, tree: Any, nodes: Any) -> Any:
    """Whether so many more nodes can be grown."""
    end = m[tree + HALVES] + (m[tree + IN_USE] + U1) * m[tree + CAPACITY] * NODE_SIZE
    return m[tree + NEXT] + nodes * NODE_SIZE <= end


@njit
def new_nodes(m: Any, tree: Any, nodes: Any) -> Any:
    """Return so many new nodes, one after the other, all their words 0; there must be room for them."""
    first = m[tree + NEXT]
    m[tree + NEXT] = first + nodes * NODE_SIZE
    for word in range(first, m[tree + NEXT]):
        m[word] = U0
    return first


@njit
def lay_offer(a: Any) -> None:
    """Put the patches on offer where a purchase looks for them."""
    patch = a[TAIL]
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        patch = a[a[AT_NEXT] + patch]
        a[OFFER + slot] = patch


@njit
def step(a: Any, m: Any, node: Any, child: Any) -> None:
    """Make the move that leads from a node, whose game is in the arena, to a child."""
    lay_offer(a)
    make(a, SEATS + m[node + MOVER] * SEAT_SIZE, m[child + MOVE])


@njit
def find(a: Any, m: Any, tree: Any, before: Any, now: Any, steps: Any, state_size: Any) -> Any:
    """Return the node of the game saved at `now`, or 0 if the tree does not have it; the root's is saved at `before`.

    DEPTH pairs of words from `steps` on, and as many saved games behind them, are used on the way; whatever is in the
    arena is lost.
    """
    states = steps + np.uint64(2 * DEPTH)
    load(a, m, before)
    node = m[tree + ROOT]
    depth = U0
    child = U0
    while True:
        if child == U0 and same(a, m, now):
            return node
        found = False
        if depth < np.uint64(DEPTH):
            save(a, m, states + depth * state_size)
            while child < m[node + BRANCHES]:
                following = m[node + CHILDREN] + child * NODE_SIZE
                child += U1
                step(a, m, node, following)
                if may_lead_to(a, m, now):
                    m[steps + depth + depth] = node
                    m[steps + depth + depth + U1] = child
                    depth += U1
                    node = following
                    child = U0
                    found = True
                    break
                load(a, m, states + depth * state_size)
        if not found:
            if depth == U0:
                return U0
            depth -= U1
            node = m[steps + depth + depth]
            child = m[steps + depth + depth + U1]
            load(a, m, states + depth * state_size)


@njit
def found_again(a: Any, m: Any, tree: Any, before: Any, now: Any, steps: Any, state_size: Any) -> Any:
    """Return the node that the game in the arena has in the tree of the turn before, or 0, and save it at `before`."""
    save(a, m, now)
    node = find(a, m, tree, before, now, steps, state_size) if m[FRESH] else U0
    m[FRESH] = U1
    load(a, m, now)
    save(a, m, before)
    return node


@njit
def keep(m: Any, tree: Any, node: Any) -> Any:
    """Make a node the root, with all that grows from it, in the other half of the tree; return where it is now."""
    m[tree + IN_USE] = U1 - m[tree + IN_USE]
    m[tree + NEXT] = m[tree + HALVES] + m[tree + IN_USE] * m[tree + CAPACITY] * NODE_SIZE
    root = new_nodes(m, tree, U1)
    for word in range(NODE_SIZE):
        m[root + word] = m[node + word]
    copied = root
    while copied < m[tree + NEXT]:
        branches = m[copied + BRANCHES]
        if branches:
            old = m[copied + CHILDREN]
            first = m[tree + NEXT]
            for word in range(branches * NODE_SIZE):
                m[first + word] = m[old + word]
            m[tree + NEXT] = first + branches * NODE_SIZE
            m[copied + CHILDREN] = first
        copied += NODE_SIZE
    m[tree + ROOT] = root
    return root


@njit
def take_over(m: Any, node: Any, known: Any, branches: Any) -> None:
    """Let the new children of a node take over what is known, but for priors, of so many that it had before."""
    for place in range(m[node + BRANCHES]):
        child = m[node + CHILDREN] + place * NODE_SIZE
        for earlier in range(branches):
            old = known + earlier * NODE_SIZE
            if m[old + MOVE] == m[child + MOVE]:
                prior = m[child + PRIOR]
                for word in range(NODE_SIZE):
                    m[child + word] = m[old + word]
                m[child + PRIOR] = prior


@njit
def most_visited(m: Any, node: Any) -> Any:
    """Return the child that was visited most, of equal ones the one that is worth most to who moves, then the first."""
    best, best_visits, best_worth = U0, U0, 0.0
    for place in range(m[node + BRANCHES]):
        child = m[node + CHILDREN] + place * NODE_SIZE
        worth = mean(m, child, m[node + MOVER])
        if best == U0 or m[child + VISITS] > best_visits or (m[child + VISITS] == best_visits and worth > best_worth):
            best, best_visits, best_worth = child, m[child + VISITS], worth
    return best


@njit
def tell(a: Any, m: Any, root: Any, me: Any, evaluated: Any) -> None:
    """Tell what each patch on offer is held to be worth, in millionths: the mean of its most visited placement.

    With `evaluated` (1, else 0) what a node is worth by itself counts like a visit.
    """
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        most = U0
        for place in range(m[root + BRANCHES]):
            child = m[root + CHILDREN] + place * NODE_SIZE
            visits = m[child + VISITS] + evaluated
            if m[child + MOVE] != ADVANCE and slot_in(m[child + MOVE]) == slot and visits > most:
                most = visits
                worth = np.int64(m[child + SUM + me]) + np.int64(evaluated) * np.int64(m[child + WORTH + me])
                a[VALUE + slot] = np.uint64(np.int64(np.float64(worth) / np.float64(visits) * (1e6 / np.float64(ONE))))
                a[VALUES_TOLD] |= U1 << np.uint64(slot)


@njit
def mean(m: Any, node: Any, mover: Any) -> Any:
    """Return what a node is worth to a seat, by itself and by its visits, in parts of ONE."""
    worth = np.int64(m[node + WORTH + mover]) + np.int64(m[node + SUM + mover])
    return np.float64(worth) / np.float64(m[node + VISITS] + U1)


@njit
def back_up(m: Any, path: Any, length: Any, first: Any, second: Any) -> None:
    """Count a visit of so many nodes, which stand from place `path` on, and what it was worth to both seats."""
    for place in range(length):
        node = m[path + place]
        m[node + VISITS] += U1
        m[node + SUM] = add(m[node + SUM], np.uint64(first))
        m[node + SUM + U1] = add(m[node + SUM + U1], np.uint64(second))
