"""Whole games of a run: laid out, decided by the agents, and written into columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.actions import ADVANCE, leather_on, play, purchase
from patchstats.kernel.decision import asked, lot, lot_of_cells
from patchstats.kernel.layout import (
    ADVANCES,
    BONUS,
    BONUS_PLY,
    BOUGHT,
    BUTTONS,
    EMPTY,
    FIRST,
    FRESH,
    INCOME,
    INDEX,
    LEAD_CHANGES,
    LEATHERS,
    LONGEST_STREAK,
    LOTS,
    PATCHES,
    PLIES,
    PROBABILITIES_TOLD,
    SEAT_SIZE,
    SEATS,
    SEED,
    START_PATCH,
    STREAM_SIZE,
    STREAMS,
    VALUES_TOLD,
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
    nth_placement,
    place_leather,
    score,
    seat_on_turn,
    set_up,
    winner,
)
from patchstats.kernel.turn_rows import begin_row, end_row
from patchstats.kernel.words import U0, U1, U2, U3

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


@njit(cache=True, nogil=True)
def play_games(
    a: Any,
    seed: Any,
    first: Any,
    games_per_ring: Any,
    first_decides: Any,
    second_decides: Any,
    first_memory: Any,
    second_memory: Any,
    mirrored: Any,
    prices: Any,
    rings: Any,
    jitter: Any,
    actions: Any,
    columns: Any,
    turns: Any,
    offers: Any,
    offers_per_game: Any,
) -> Any:
    """Play as many games of a run as there are `rings`, from game `first` on.

    So many games in a row are laid out alike, and share what is drawn of `prices`. Of two agents, each with its decider
    and its memory, the first has seat 0, or, if the games are mirrored, seat 1 in odd ones. Writes the ring of each
    game, by how much its prices were changed into `jitter`, its action log after the one before, and a row of
    `columns`; of each ply a column of `turns`, and of each patch on offer at a turn a column of `offers`, unless these
    have none; and how many of the latter each game has. Returns how many plies there are together.
    Equals `simulation.game.play_game` and `dataset.rows`.
    """
    ring = np.empty(a[PATCHES], dtype=np.uint64)
    plies, rows = U0, U0
    for number in range(len(rings)):
        game = first + np.uint64(number)
        a[SEED] = seed
        a[INDEX] = game // games_per_ring
        shuffle_ring(a, ring)
        draw_prices(a, prices, jitter[number])
        a[INDEX] = game
        for place in range(len(ring)):
            rings[number, place] = ring[place] + U1
        set_up(a)
        lay_ring(a, ring)
        before = rows
        first_memory[FRESH] = second_memory[FRESH] = U0
        swapped = mirrored and game & U1
        memory, other_memory = (second_memory, first_memory) if swapped else (first_memory, second_memory)
        if memory[LOTS] and other_memory[LOTS]:
            plies, rows = play_game(a, None, None, memory, other_memory, actions, plies, turns, offers, rows)
        elif swapped:
            plies, rows = play_game(
                a, second_decides, first_decides, memory, other_memory, actions, plies, turns, offers, rows
            )
        else:
            plies, rows = play_game(
                a, first_decides, second_decides, memory, other_memory, actions, plies, turns, offers, rows
            )
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
def draw_prices(a: Any, prices: Any, steps: Any) -> None:
    """Change what `tables.jitter_for` lists, and write by how much into `steps`; equals `dataset.jitter.draw_steps`.

    The stream lies where that of the setup was, which is not drawn from any more.
    """
    open_stream(a, STREAMS, U3)
    for place in range(len(prices)):
        price = prices[place, 2] + below(a, STREAMS, prices[place, 3])
        a[prices[place, 0]] = price
        steps[place] = np.int64(price) - np.int64(prices[place, 1])


@njit
def play_game(
    a: Any,
    decides: Any,
    other_decides: Any,
    memory: Any,
    other_memory: Any,
    actions: Any,
    plies: Any,
    turns: Any,
    offers: Any,
    rows: Any,
) -> Any:
    """Play the game that is set up to its end, write its action log from place `plies` on and its offers from place
    `rows` on, and return where they end. Seat 0 is given first, then the other.

    Without deciders both draw lots as their memories say. That is compiled apart: so quick are they that calls which
    might come, and codes to be read again, would cost a sixth.
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
        a[PLIES] = plies - first
        legal, affordable = U0, U0
        if logged or a[WAITING] == U0:
            legal, affordable = count_legal(a, seat)
        if logged:
            begin_row(a, turns, plies, seat, a[seat + EMPTY] if a[WAITING] else legal, affordable)
        a[VALUES_TOLD] = a[PROBABILITIES_TOLD] = U0
        if decides is not None:
            code = asked(a, seat, memory, decides) if number == U0 else asked(a, seat, other_memory, other_decides)
            if offers_logged and a[WAITING] == U0:
                count_legal(a, seat)
                rows = write_offers(a, offers, rows, seat, affordable, code)
            play(a, seat, code)
        elif a[WAITING]:
            cell = lot_of_cells(a, seat)
            code = leather_on(cell)
            place_leather(a, seat, cell)
        else:
            slot, n, advances = lot(a, seat, memory[LOTS] if number == U0 else other_memory[LOTS], legal)
            way, cell, code = U0, U0, ADVANCE
            if not advances:
                way, cell = nth_placement(a, slot, n)
                code = purchase(a, slot, way, cell)
            if offers_logged:
                rows = write_offers(a, offers, rows, seat, affordable, code)
            if advances:
                advance(a, seat, SEATS + (U1 - number) * SEAT_SIZE)
            else:
                buy(a, seat, slot, way, cell)
        actions[plies] = code
        if logged:
            end_row(a, turns, plies, seat, code)
        plies += U1
        if a[WAITING] == U0:
            note_turn_end(a)


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
