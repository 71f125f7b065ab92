"""Whole games of a run: laid out, decided by the agents of chance, and written into columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.layout import (
    ADVANCES,
    BONUS,
    BONUS_PLY,
    BOUGHT,
    BUTTONS,
    EMPTY,
    FIRST,
    INCOME,
    INDEX,
    LEAD_CHANGES,
    LEATHERS,
    LONGEST_STREAK,
    NUMBER,
    OFFER_SIZE,
    ON_RING,
    PATCHES,
    PLIES,
    SEAT_SIZE,
    SEATS,
    SEED,
    SLOT_COUNT,
    START_PATCH,
    STREAM_SIZE,
    STREAMS,
    WAITING,
)
from patchstats.kernel.offer_rows import write_offers
from patchstats.kernel.philox import below, open_stream
from patchstats.kernel.turn import (
    NO_SEAT,
    advance,
    buy,
    count_legal,
    lay_ring,
    note_turn_end,
    nth_empty_cell,
    nth_placement,
    place_leather,
    score,
    seat_on_turn,
    set_up,
    slot_of,
    winner,
)
from patchstats.kernel.turn_rows import begin_row, end_row
from patchstats.kernel.words import U0, U1, U2

#: The agents that the kernel knows, by the number it knows them by.
AGENTS = {"random": 0, "random-patch": 1}
#: What `play_games` writes of each game, a row each of its `columns`.
GAME_COLUMNS = (
    "winner",
    "tie_broken",
    "first_finisher",
    "bonus_seat",
    "bonus_ply",
    "plies",
    "lead_changes",
    *(
        f"{name}_{seat}"
        for seat in (0, 1)
        for name in ("score", "buttons", "empty", "income", "leathers", "patches", "advances", "longest_streak")
    ),
)
_RANDOM = U0
_U5, _U8 = np.uint64(5), np.uint64(8)


@njit(cache=True, nogil=True)
def play_games(
    a: Any,
    seed: Any,
    first: Any,
    games_per_ring: Any,
    seatings: Any,
    rings: Any,
    actions: Any,
    columns: Any,
    turns: Any,
    offers: Any,
    offers_per_game: Any,
) -> Any:
    """Play as many games of a run as there are `rings`, from game `first` on.

    So many games in a row are laid out alike; `seatings` has the agents of both seats in even games, then in odd ones.
    Writes the ring of each, its action log after the one before, and a row of `columns`; of each ply a column of
    `turns`, and of each patch on offer at a turn a column of `offers`, unless these have none; and how many of the
    latter each game has. Returns how many plies there are together.
    Equals `simulation.game.play_game` and `dataset.rows`.
    """
    ring = np.empty(a[PATCHES], dtype=np.uint64)
    plies, rows = U0, U0
    for number in range(len(rings)):
        game = first + np.uint64(number)
        a[SEED] = seed
        a[INDEX] = game // games_per_ring
        shuffle_ring(a, ring)
        a[INDEX] = game
        for place in range(len(ring)):
            rings[number, place] = ring[place] + U1
        set_up(a)
        lay_ring(a, ring)
        before = rows
        plies, rows = play_game(a, seatings[game & U1], actions, plies, turns, offers, rows)
        offers_per_game[number] = rows - before
        write_columns(a, columns[number])
    return plies


@njit
def shuffle_ring(a: Any, ring: Any) -> None:
    """Put the ring of a game into `ring`, clockwise from the neutral token on; equals `simulation.game.ring_of`."""
    start = a[START_PATCH]
    last = a[PATCHES] - U1
    for place in range(last):
        ring[place] = place if place < start else place + U1
    ring[last] = start
    open_stream(a, STREAMS, U0)
    for step in range(last):
        place = last - U1 - step
        if place:
            chosen = below(a, STREAMS, place + U1)
            ring[place], ring[chosen] = ring[chosen], ring[place]


@njit
def play_game(a: Any, agents: Any, actions: Any, plies: Any, turns: Any, offers: Any, rows: Any) -> Any:
    """Play the game that is set up to its end, write its action log from place `plies` on and its offers from place
    `rows` on, and return where they end.
    """
    open_stream(a, STREAMS + STREAM_SIZE, U1)
    open_stream(a, STREAMS + U2 * STREAM_SIZE, U2)
    logged, offers_logged = turns.shape[1] > 0, offers.shape[1] > 0
    first = plies
    while True:
        number = seat_on_turn(a)
        if number == NO_SEAT:
            return plies, rows
        seat = SEATS + number * SEAT_SIZE
        stream = STREAMS + (number + U1) * STREAM_SIZE
        a[PLIES] = plies - first
        if a[WAITING]:
            if logged:
                _, affordable = count_legal(a, seat)
                begin_row(a, turns, plies, seat, a[seat + EMPTY], affordable)
            cell = nth_empty_cell(a, seat, below(a, stream, a[seat + EMPTY]))
            place_leather(a, seat, cell)
            code = U2 | cell << _U8
        else:
            legal, affordable = count_legal(a, seat)
            if logged:
                begin_row(a, turns, plies, seat, legal, affordable)
            slot, n, advances = choose(a, stream, agents[number], legal)
            if offers_logged:
                rows = write_offers(a, offers, rows, seat, affordable, slot, advances)
            if advances:
                advance(a, seat, SEATS + (U1 - number) * SEAT_SIZE)
                code = U0
            else:
                way, cell = nth_placement(a, slot, n)
                buy(a, seat, slot, way, cell)
                code = U1 | slot << U2 | a[way + NUMBER] << _U5 | cell << _U8
        actions[plies] = code
        if logged:
            end_row(a, turns, plies, seat, code)
        plies += U1
        if a[WAITING] == U0:
            note_turn_end(a)


@njit
def choose(a: Any, stream: Any, agent: Any, legal: Any) -> Any:
    """Let an agent choose among the legal actions of a turn: a placement by its slot and its number there, or the
    advance.

    Equals `agents.uniform.choose_any` and `choose_patch_first`.
    """
    if agent == _RANDOM:
        n = below(a, stream, legal)
        if n == U0:
            return U0, U0, True
        slot, n = slot_of(a, n - U1)
        return slot, n, False
    options = U1
    if legal > U1:
        for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
            if a[SLOT_COUNT + slot]:
                options += U1
    option = below(a, stream, options)
    if option == U0:
        return U0, U0, True
    slot = U0
    while True:
        if a[SLOT_COUNT + slot]:
            option -= U1
            if option == U0:
                break
        slot += U1
    return slot, below(a, stream, a[SLOT_COUNT + slot]), False


@njit
def write_columns(a: Any, row: Any) -> None:
    """Write what `GAME_COLUMNS` names of the game that is over; equals `dataset.rows.games_row`."""
    row[0] = winner(a)
    row[1] = score(a, U0) == score(a, U1)
    row[2] = a[FIRST] - U1
    row[3] = np.int64(a[BONUS]) - 1
    row[4] = np.int64(a[BONUS_PLY])
    row[5] = a[PLIES] + U1
    row[6] = a[LEAD_CHANGES]
    column = 7
    for number in range(U2):
        seat = SEATS + number * SEAT_SIZE
        row[column] = score(a, number)
        row[column + 1] = a[seat + BUTTONS]
        row[column + 2] = a[seat + EMPTY]
        row[column + 3] = a[seat + INCOME]
        row[column + 4] = a[seat + LEATHERS]
        row[column + 5] = a[seat + BOUGHT]
        row[column + 6] = a[seat + ADVANCES]
        row[column + 7] = a[seat + LONGEST_STREAK]
        column += 8
