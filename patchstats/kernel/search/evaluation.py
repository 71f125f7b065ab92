"""What a position is worth to both seats, by hand-made weights or by the learned network.

An evaluation lies in the memory of an agent from some place `e` on; `numbers` is the same memory, seen as 32-bit
floating point.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.layout import (
    AT_INCOMES,
    BONUS,
    BONUS_POINTS,
    BUTTONS,
    EMPTY,
    FINISH,
    FIRST,
    INCOME,
    SEAT_SIZE,
    SEATS,
    SPACE,
)
from patchstats.kernel.quilt import free_cells, missing_of_bonus, pairs
from patchstats.kernel.search.dense import HIDDEN, dense
from patchstats.kernel.search.features import FEATURES, describe
from patchstats.kernel.search.tree import ONE
from patchstats.kernel.search.weights import HEADS, Network
from patchstats.kernel.turn import NO_SEAT, number_of, score
from patchstats.kernel.words import U0, U1, U2

#: What an evaluation is made of: whether it is learned; how far it is for winning, not for points, and the opponent's
#: weight in points, both in thousandths; and of a network: where, in 32-bit numbers, the inputs, the weights and the
#: hidden numbers are, where, in words, the weights of the heads are, and by how many bits their sums are made smaller.
LEARNED, WINNING, OPPONENT, INPUTS, WEIGHTS, SUMS, HEADS_AT, SHIFT = (np.uint64(field) for field in range(8))
_FIELDS = 8

#: So many points are much: the worth of a score is x / sqrt(1 + x * x) of score / MUCH, so that the last point of a
#: sure win counts for less than that of a close game. An own score is worth nothing at USUAL points.
MUCH = 15.0
USUAL = 15.0

_INPUTS, _HIDDEN = np.uint64(len(FEATURES)), np.uint64(HIDDEN)
_OWN, _OTHER, _WIN = (np.uint64(head) for head in range(HEADS))


def words_of_evaluation() -> int:
    """Return how many words an evaluation takes."""
    numbers = len(FEATURES) + (len(FEATURES) + 1) * HIDDEN + HIDDEN
    return _FIELDS + -(-numbers // 2) + HEADS * (HIDDEN + 1)


def put_evaluation(
    memory: Any, at: int, network: Network | None, *, objective: str = "margin", opponent: float = 1.0
) -> None:
    """Write an evaluation into a memory from place `at` on; without a network, the hand-made one."""
    memory[at : at + _FIELDS] = 0
    winning, counted = OBJECTIVES[objective]
    memory[at + int(WINNING)] = round(1000 * winning)
    memory[at + int(OPPONENT)] = round(1000 * opponent * counted)
    if network is None:
        return
    inputs = 2 * (at + _FIELDS)
    weights = inputs + len(FEATURES)
    sums = weights + (len(FEATURES) + 1) * HIDDEN
    heads = -(-(sums + HIDDEN) // 2)
    numbers = memory.view(np.float32)
    numbers[weights:sums] = network.hidden.reshape(-1)
    memory[heads : heads + HEADS * (HIDDEN + 1)] = network.heads.reshape(-1).astype(np.int64).view(np.uint64)
    fields = {LEARNED: 1, INPUTS: inputs, WEIGHTS: weights, SUMS: sums, HEADS_AT: heads, SHIFT: network.shift}
    for field, value in fields.items():
        memory[at + int(field)] = value


#: How far each objective is for winning, and how much of the opponent's points then counts, of what it would.
OBJECTIVES = {"margin": (0.0, 1.0), "own": (0.0, 0.0), "win": (1.0, 1.0), "blend": (0.5, 1.0)}


@njit
def evaluate(a: Any, m: Any, numbers: Any, e: Any, mover: Any) -> Any:
    """Return what the game in the arena is worth to seat 0 and to seat 1, in parts of ONE; `mover` is on turn."""
    if mover == NO_SEAT:
        return final(a, m, e)
    seat = SEATS + mover * SEAT_SIZE
    other = SEATS + (U1 - mover) * SEAT_SIZE
    if m[e + LEARNED]:
        own_points, other_points, win = ask_network(a, m, numbers, e, seat, other)
    else:
        own_points, other_points = by_hand(a, seat), by_hand(a, other)
        win = (own_points - other_points) / MUCH
    own, its = _worths(m, e, own_points, other_points, squashed(win))
    return (own, its) if mover == U0 else (its, own)


@njit
def final(a: Any, m: Any, e: Any) -> Any:
    """Return what a finished game is worth to both seats; after equal scores the first finisher is half a point up."""
    first, second = np.float64(score(a, U0)), np.float64(score(a, U1))
    if first == second:
        first += 0.25 if a[FIRST] == U1 else -0.25
        second += 0.25 if a[FIRST] == U2 else -0.25
    return _worths(m, e, first, second, 1.0 if first > second else -1.0)


@njit
def _worths(m: Any, e: Any, own: Any, other: Any, win: Any) -> Any:
    """What points, and a win between -1 and 1, are worth to a seat and to the other."""
    winning = np.float64(m[e + WINNING]) / 1000.0
    weight = np.float64(m[e + OPPONENT]) / 1000.0
    even = (1.0 - weight) * USUAL
    return (
        parts(winning * win + (1.0 - winning) * squashed((own - weight * other - even) / MUCH)),
        parts(winning * -win + (1.0 - winning) * squashed((other - weight * own - even) / MUCH)),
    )


@njit
def squashed(x: Any) -> Any:
    """Return x / sqrt(1 + x * x), which is between -1 and 1."""
    return x / math.sqrt(1.0 + x * x)


@njit
def parts(worth: Any) -> Any:
    """Return a worth in parts of ONE."""
    return np.int64(np.float64(ONE) * worth)


@njit
def by_hand(a: Any, seat: Any) -> Any:
    """Return about what a seat will have in the end, in points, but for a number that is the same for both seats.

    The weights are about those that a linear regression of final margins on such numbers gives.
    """
    incomes = a[AT_INCOMES]
    space = a[seat + SPACE]
    low, high = free_cells(a, seat)
    points = np.float64(a[seat + BUTTONS] + a[seat + INCOME] * (a[incomes + a[FINISH]] - a[incomes + space]))
    points += (
        3.4 * np.float64(a[FINISH] - space) - 1.7 * np.float64(a[seat + EMPTY]) + 0.3 * np.float64(pairs(a, low, high))
    )
    if a[BONUS] == U0:
        points -= 0.5 * np.float64(missing_of_bonus(a, low, high))
    elif a[BONUS] == U1 + number_of(seat):
        points += np.float64(a[BONUS_POINTS])
    return points


@njit
def ask_network(a: Any, m: Any, numbers: Any, e: Any, seat: Any, other: Any) -> Any:
    """Return what the network expects: the final points of who moves and of the other, and how sure the win is."""
    describe(a, seat, other, numbers, m[e + INPUTS])
    dense(numbers, m[e + INPUTS], _INPUTS, m[e + WEIGHTS], m[e + SUMS])
    scale = 1.0 / np.float64(U1 << m[e + SHIFT])
    return (
        np.float64(_head(m, numbers, e, _OWN)) * scale,
        np.float64(_head(m, numbers, e, _OTHER)) * scale,
        np.float64(_head(m, numbers, e, _WIN)) * scale,
    )


@njit
def _head(m: Any, numbers: Any, e: Any, head: Any) -> Any:
    at = m[e + HEADS_AT] + head * (_HIDDEN + U1)
    sums = m[e + SUMS]
    total = np.int64(m[at])
    for place in range(_HIDDEN):
        total += np.int64(m[at + U1 + place]) * np.int64(numbers[sums + place])
    return total
