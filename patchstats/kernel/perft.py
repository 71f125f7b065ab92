"""Counting sequences of actions, as `conformance.perft` does."""

from __future__ import annotations

from typing import Any

from numba import njit

from patchstats.kernel.layout import AT_INCOMES, AT_NEXT, EMPTY, OFFER, OFFER_SIZE, SEAT_SIZE, SEATS, STREAMS, WAITING
from patchstats.kernel.turn import (
    NO_SEAT,
    advance,
    buy,
    count_legal,
    nth_empty_cell,
    nth_placement,
    place_leather,
    seat_on_turn,
    slot_of,
)
from patchstats.kernel.words import U0, U1


@njit
def copy_game(source: Any, target: Any) -> None:
    """Copy a game and its offer, not the tables, into another arena of the same ruleset."""
    for place in range(SEATS, STREAMS):
        target[place] = source[place]
    for slot in range(source[OFFER_SIZE]):
        target[OFFER + slot] = source[OFFER + slot]
    for place in range(source[AT_NEXT], source[AT_INCOMES]):
        target[place] = source[place]


@njit(cache=True, nogil=True)
def perft(arenas: Any, level: int, depth: int) -> Any:
    """Return how many sequences of `depth` legal actions there are from the game in the arena of a level.

    The arenas of the levels above are written over; there must be `depth` levels. The last action is counted, not
    played. Equals `conformance.perft.perft`.
    """
    if depth == 0:
        return U1
    a = arenas[level]
    number = seat_on_turn(a)
    if number == NO_SEAT:
        return U0
    seat = SEATS + number * SEAT_SIZE
    other = SEATS + (U1 - number) * SEAT_SIZE
    total = U0
    if a[WAITING]:
        if depth == 1:
            return a[seat + EMPTY]
        for n in range(a[seat + EMPTY]):
            cell = nth_empty_cell(a, seat, n)
            copy_game(a, arenas[level + 1])
            place_leather(arenas[level + 1], seat, cell)
            total += perft(arenas, level + 1, depth - 1)
        return total
    legal, _ = count_legal(a, seat)
    if depth == 1:
        return legal
    copy_game(a, arenas[level + 1])
    advance(arenas[level + 1], seat, other)
    total += perft(arenas, level + 1, depth - 1)
    for action in range(legal - U1):
        slot, n = slot_of(a, action)
        way, cell = nth_placement(a, slot, n)
        copy_game(a, arenas[level + 1])
        buy(arenas[level + 1], seat, slot, way, cell)
        total += perft(arenas, level + 1, depth - 1)
    return total
