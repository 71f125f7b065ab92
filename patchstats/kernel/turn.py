"""A turn by the rulebook, on the arena. Each routine names the clauses it obeys and the function it equals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.layout import (
    ADVANCES,
    AT_FITS,
    AT_INCOMES,
    AT_NEXT,
    AT_ORIENTATIONS,
    AT_OWNER,
    AT_PATCHES,
    BONUS,
    BONUS_PLY,
    BONUS_POINTS,
    BONUS_SIDE,
    BOUGHT,
    BUTTONS,
    CELLS,
    CORNERS,
    COST,
    COVERED_HIGH,
    COVERED_LOW,
    EMPTY,
    FINISH,
    FIRST,
    FIRST_WAY,
    INCOME,
    LAST_MOVER,
    LAST_WAY,
    LEAD_CHANGES,
    LEADER,
    LEATHERS,
    LEATHERS_AT_START,
    LEATHERS_ON_TRACK,
    LONGEST_STREAK,
    MAY_ADVANCE,
    MOST_RUNS,
    MOST_WAYS,
    OFFER,
    OFFER_SIZE,
    ON_RING,
    ORIENTATION_SIZE,
    PATCH_INCOME,
    PATCH_SIZE,
    PATCHES,
    PATTERN_HIGH,
    PATTERN_LOW,
    PENALTY,
    PLIES,
    QUILT_HIGH,
    QUILT_LOW,
    QUILT_SIZE,
    REGIONS,
    RUN,
    RUNS,
    SEAT_SIZE,
    SEATS,
    SET_ASIDE,
    SIZE,
    SLOT_COUNT,
    SPACE,
    START_BUTTONS,
    STREAK,
    TAIL,
    TIME,
    TOP,
    TRACK_WORDS,
    WAITING,
    WINDOW_START,
    WINDOWS,
)
from patchstats.kernel.words import FULL, U0, U1, U2, U3, U4, U63, U64, nth_bit, popcount

U5 = np.uint64(5)
U6 = np.uint64(6)
U7 = np.uint64(7)
U8 = np.uint64(8)
U9 = np.uint64(9)
WAYS = np.uint64(MOST_WAYS)
RUNS_OF_WINDOW = np.uint64(MOST_RUNS)
WORDS_OF_TRACK = np.uint64(TRACK_WORDS)
NO_SEAT = U2


@njit
def set_up(a: Any) -> None:
    """Lay everything but the ring as section 2 says; equals `Position.start`."""
    for seat in (SEATS, SEATS + SEAT_SIZE):
        for field in range(SEAT_SIZE):
            a[seat + field] = U0
        a[seat + BUTTONS] = a[START_BUTTONS]  # 2.1
        a[seat + EMPTY] = a[CELLS]
        a[seat + REGIONS] = U1
    for patch in range(a[PATCHES]):
        a[a[AT_OWNER] + patch] = U0
    for word in range(WORDS_OF_TRACK):
        a[LEATHERS_ON_TRACK + word] = a[LEATHERS_AT_START + word]  # 2.6
    a[TOP] = U0  # 2.2
    a[WAITING] = U0
    a[SET_ASIDE] = U0
    a[BONUS] = U0
    a[FIRST] = U0
    a[PLIES] = U0
    a[BONUS_PLY] = FULL
    a[LEAD_CHANGES] = U0
    a[LEADER] = U0
    a[LAST_MOVER] = U0
    a[STREAK] = U0


@njit
def lay_ring(a: Any, ring: Any) -> None:
    """Close the ring of these patches, clockwise from the neutral token on (2.4, 2.5)."""
    a[ON_RING] = np.uint64(len(ring))
    if len(ring) == 0:
        return
    before = np.uint64(ring[len(ring) - 1])
    a[TAIL] = before
    for place in range(len(ring)):
        patch = np.uint64(ring[place])
        a[a[AT_NEXT] + before] = patch
        before = patch


@njit
def seat_on_turn(a: Any) -> Any:
    """Return whose turn it is, or NO_SEAT when the game is over (3.1, 3.2, 6.7, 8.1).

    Equals `Position.seat_on_turn`.
    """
    if a[WAITING]:
        return a[TOP]
    first, second = a[SEATS + SPACE], a[SEATS + SEAT_SIZE + SPACE]
    if first == second:
        return NO_SEAT if first == a[FINISH] else a[TOP]
    return U0 if first < second else U1


@njit
def number_of(seat: Any) -> Any:
    """Return the number, 0 or 1, of the seat whose words begin there."""
    return U0 if seat == SEATS else U1


@njit
def work_out_runs(a: Any, free: Any, at: Any) -> None:
    """Work out from which cells of a window each of `tables.RUN_SHAPES` meets free cells alone, and put it there."""
    down = a[QUILT_SIZE]
    a[at] = free
    pair = free & free >> U1
    a[at + U1] = pair
    a[at + U2] = pair & free >> U2
    four = pair & pair >> U2
    a[at + U3] = four
    a[at + U4] = four & free >> U4
    tower = free & free >> down
    a[at + U5] = tower
    a[at + U6] = tower & free >> (down + down)
    four = tower & tower >> (down + down)
    a[at + U7] = four
    a[at + U8] = four & free >> (down << U2)
    a[at + U9] = pair & pair >> down


@njit(forceinline=True)
def work_out_all_runs(a: Any, seat: Any) -> None:
    """Work out the runs of every window of the seat's quilt."""
    low, high = a[QUILT_LOW] & ~a[seat + COVERED_LOW], a[QUILT_HIGH] & ~a[seat + COVERED_HIGH]
    for window in range(a[WINDOWS]):
        start = a[WINDOW_START + window]
        free = low
        if start >= U64:
            free = high >> (start - U64)
        elif start:
            free = low >> start | high << (U64 - start)
        work_out_runs(a, free, RUN + window * RUNS_OF_WINDOW)


@njit
def fit(a: Any, way: Any, ways: Any, fits: Any) -> Any:
    """Work out the corners of so many ways to lay a patch, from the first on, and return how many there are.

    Equals `Orientation.fits`.
    """
    windows, size = a[WINDOWS], a[ORIENTATION_SIZE]
    count = U0
    for _ in range(ways):
        for window in range(windows):
            corners = a[way + CORNERS + window]
            for part in range(a[RUNS]):
                run = a[way + CORNERS + windows + part]
                corners &= a[RUN + window * RUNS_OF_WINDOW + (run >> U6)] >> (run & U63)
            a[fits] = corners
            count += popcount(corners)
            fits += U1
        way += size
    return count


@njit(forceinline=True)
def fit_usual(a: Any, way: Any, ways: Any, fits: Any) -> Any:
    """Do the same as `fit` for two windows and three runs, so for a 9 by 9 quilt and the printed patches, faster."""
    size = a[ORIENTATION_SIZE]
    count = U0
    for _ in range(ways):
        first, second = a[way + CORNERS], a[way + CORNERS + U1]
        for part in range(U3):
            run = a[way + CORNERS + U2 + part]
            place, shift = RUN + (run >> U6), run & U63
            first &= a[place] >> shift
            second &= a[place + RUNS_OF_WINDOW] >> shift
        a[fits], a[fits + U1] = first, second
        count += popcount(first) + popcount(second)
        fits += U2
        way += size
    return count


@njit(forceinline=True)
def count_legal(a: Any, seat: Any) -> Any:
    """Return how many actions the seat may take on its turn, and how many patches it can pay.

    Where they fit is kept for `nth_placement`; `restrictions` may then take something away. Equals
    `LegalActions.__len__` (4.6, 5.1, 5.2, 5.4, 5.8).
    """
    offered = min(a[OFFER_SIZE], a[ON_RING])
    at_next, at_patches, buttons = a[AT_NEXT], a[AT_PATCHES], a[seat + BUTTONS]
    affordable = U0
    a[MAY_ADVANCE] = U1
    patch = a[TAIL]
    for slot in range(offered):
        patch = a[at_next + patch]
        a[OFFER + slot] = patch
        a[SLOT_COUNT + slot] = U0
        if a[at_patches + patch * PATCH_SIZE + COST] <= buttons:
            affordable += U1
    if affordable == U0:
        return U1, U0
    work_out_all_runs(a, seat)
    windows = a[WINDOWS]
    usual = windows == U2 and a[RUNS] == U3
    legal = U1
    for slot in range(offered):
        entry = at_patches + a[OFFER + slot] * PATCH_SIZE
        if a[entry + COST] <= buttons:
            way = a[AT_ORIENTATIONS] + a[entry + FIRST_WAY] * a[ORIENTATION_SIZE]
            ways = a[entry + LAST_WAY] - a[entry + FIRST_WAY]
            fits = a[AT_FITS] + slot * WAYS * windows
            count = fit_usual(a, way, ways, fits) if usual else fit(a, way, ways, fits)
            a[SLOT_COUNT + slot] = count
            legal += count
    return legal, affordable


@njit
def count_placeable(a: Any, seat: Any, affordable: Any) -> Any:
    """After `count_legal` found so many affordable ones, return how many patches on offer fit, payable or not.

    Equals `rows._placeable`.
    """
    at_patches, buttons = a[AT_PATCHES], a[seat + BUTTONS]
    if affordable == U0:
        work_out_all_runs(a, seat)
    placeable = U0
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        entry = at_patches + a[OFFER + slot] * PATCH_SIZE
        if a[entry + COST] <= buttons:
            fits = a[SLOT_COUNT + slot] > U0
        else:
            way = a[AT_ORIENTATIONS] + a[entry + FIRST_WAY] * a[ORIENTATION_SIZE]
            fits = False
            for _ in range(a[entry + LAST_WAY] - a[entry + FIRST_WAY]):
                # What is kept of a slot that cannot be paid is never looked at.
                if fit(a, way, U1, a[AT_FITS] + slot * WAYS * a[WINDOWS]):
                    fits = True
                    break
                way += a[ORIENTATION_SIZE]
        placeable += U1 if fits else U0
    return placeable


@njit
def slot_of(a: Any, n: Any) -> Any:
    """Return the slot of the placement that has `n` others before it, and how many of those are of the same slot."""
    slot = U0
    while n >= a[SLOT_COUNT + slot]:
        n -= a[SLOT_COUNT + slot]
        slot += U1
    return slot, n


@njit(forceinline=True)
def nth_placement(a: Any, slot: Any, n: Any) -> Any:
    """Return the way (its place in the arena) and the cell of the slot's placement that has `n` others before it.

    Equals `Placements.__getitem__`: by orientation, then by cell.
    """
    windows = a[WINDOWS]
    entry = a[AT_PATCHES] + a[OFFER + slot] * PATCH_SIZE
    fits = a[AT_FITS] + slot * WAYS * windows
    # All are gone through, so that there is no branch which nobody can foresee.
    place, before, passed = U0, U0, U0
    for corners in range(fits, fits + (a[entry + LAST_WAY] - a[entry + FIRST_WAY]) * windows):
        passed += popcount(a[corners])
        beyond = np.uint64(passed <= n)
        place += beyond
        before = passed if beyond else before
    number = place >> U1 if windows == U2 else place // windows  # a division takes long
    window = place - number * windows
    way = a[AT_ORIENTATIONS] + (a[entry + FIRST_WAY] + number) * a[ORIENTATION_SIZE]
    return way, a[WINDOW_START + window] + nth_bit(a[fits + place], n - before)


@njit
def nth_empty_cell(a: Any, seat: Any, n: Any) -> Any:
    """Return the empty cell of the seat's quilt that has `n` others before it; equals `cells.nth_cell`."""
    low = a[QUILT_LOW] & ~a[seat + COVERED_LOW]
    here = popcount(low)
    if n < here:
        return nth_bit(low, n)
    return U64 + nth_bit(a[QUILT_HIGH] & ~a[seat + COVERED_HIGH], n - here)


@njit(forceinline=True)
def advance(a: Any, seat: Any, other: Any) -> None:
    """Move one space beyond the other token, for a button a space; equals `play.advance` (section 4)."""
    start = a[seat + SPACE]
    end = min(a[other + SPACE] + U1, a[FINISH])  # 4.1, 4.5
    a[seat + BUTTONS] += end - start  # 4.2
    a[seat + ADVANCES] += U1
    move(a, seat, start, end)  # 4.3


@njit(forceinline=True)
def buy(a: Any, seat: Any, slot: Any, way: Any, cell: Any) -> None:
    """Buy a patch on offer and lay it; equals `play.buy`, in the order of 5.5."""
    patch = a[OFFER + slot]
    entry = a[AT_PATCHES] + patch * PATCH_SIZE
    before = a[TAIL] if slot == U0 else a[OFFER + slot - U1]
    a[a[AT_NEXT] + before] = a[a[AT_NEXT] + patch]  # 5.6
    a[TAIL] = before
    a[ON_RING] -= U1
    a[a[AT_OWNER] + patch] = U1 + number_of(seat)
    a[seat + BUTTONS] -= a[entry + COST]  # 5.7
    low, high = a[way + PATTERN_LOW], a[way + PATTERN_HIGH]
    if cell >= U64:
        high = low << (cell - U64)
        low = U0
    elif cell:
        high = high << cell | low >> (U64 - cell)
        low = low << cell
    cover(a, seat, low, high, a[entry + SIZE])  # 5.8
    a[seat + BOUGHT] += U1
    a[seat + INCOME] += a[entry + PATCH_INCOME]  # 5.10
    start = a[seat + SPACE]
    move(a, seat, start, min(start + a[entry + TIME], a[FINISH]))  # 5.9, 5.11


@njit(forceinline=True)
def place_leather(a: Any, seat: Any, cell: Any) -> None:
    """Lay a waiting leather; equals `play.place_leather` (6.5, 6.7)."""
    a[WAITING] -= U1
    a[seat + LEATHERS] += U1
    low = U1 << cell if cell < U64 else U0
    high = U1 << (cell - U64) if cell >= U64 else U0
    cover(a, seat, low, high, U1)
    set_leathers_aside(a, seat)


@njit(forceinline=True)
def cover(a: Any, seat: Any, low: Any, high: Any, cells: Any) -> None:
    """Cover these cells, so many, and give the bonus if they complete a square (7.1 to 7.3).

    Equals `Table.award_bonus`.
    """
    a[seat + COVERED_LOW] |= low
    a[seat + COVERED_HIGH] |= high
    a[seat + EMPTY] -= cells
    side = a[BONUS_SIDE]
    if a[BONUS] == U0 and a[CELLS] - a[seat + EMPTY] >= side * side and has_square(a, seat):
        a[BONUS] = U1 + number_of(seat)
        a[BONUS_PLY] = a[PLIES]


@njit
def has_square(a: Any, seat: Any) -> Any:
    """Whether a whole bonus square is covered anywhere on the seat's quilt (7.1)."""
    size, side = a[QUILT_SIZE], a[BONUS_SIDE]
    row_mask = (U1 << size) - U1
    low, high = a[seat + COVERED_LOW], a[seat + COVERED_HIGH]
    for top in range(size - side + U1):
        columns = row_mask
        for row in range(side):
            shift = (top + row) * size
            if shift >= U64:
                columns &= high >> (shift - U64)
            elif shift:
                columns &= low >> shift | high << (U64 - shift)
            else:
                columns &= low
        for _ in range(side - U1):
            columns &= columns >> U1
        if columns:
            return True
    return False


@njit(forceinline=True)
def move(a: Any, seat: Any, start: Any, end: Any) -> None:
    """Move the token and resolve what it crosses (3.2, 6.1 to 6.8).

    Equals `Table.move_to` and `Table.resolve_marks`.
    """
    number = number_of(seat)
    a[seat + SPACE] = end
    a[TOP] = number
    incomes = a[AT_INCOMES]
    a[seat + BUTTONS] += (a[incomes + end] - a[incomes + start]) * a[seat + INCOME]  # 6.2, 6.3
    for word in range(start >> U6, (end >> U6) + U1):
        at_word = LEATHERS_ON_TRACK + word
        if a[at_word]:
            crossed = FULL
            if word == start >> U6:
                crossed &= (FULL << (start & U63)) << U1
            if word == end >> U6:
                crossed &= FULL >> (U63 - (end & U63))
            a[WAITING] += popcount(a[at_word] & crossed)  # 6.4
            a[at_word] &= ~crossed
    if end == a[FINISH] and a[FIRST] == U0:
        a[FIRST] = U1 + number  # 9.4
    if a[WAITING]:
        set_leathers_aside(a, seat)
    if a[LAST_MOVER] == U1 + number:
        a[STREAK] += U1
    else:
        a[LAST_MOVER] = U1 + number
        a[STREAK] = U1
    a[seat + LONGEST_STREAK] = max(a[seat + LONGEST_STREAK], a[STREAK])


@njit
def leathers_between(a: Any, start: Any, end: Any) -> Any:
    """Return how many leathers lie on the track beyond the space `start`, up to and on the space `end`."""
    found = U0
    for word in range(start >> U6, (end >> U6) + U1):
        here = a[LEATHERS_ON_TRACK + word]
        if word == start >> U6:
            here &= (FULL << (start & U63)) << U1
        if word == end >> U6:
            here &= FULL >> (U63 - (end & U63))
        found += popcount(here)
    return found


@njit
def set_leathers_aside(a: Any, seat: Any) -> None:
    """When the quilt is full, put the leathers that wait for it out of the game; equals the like of `Table` (6.8)."""
    if a[seat + EMPTY] == U0:
        a[SET_ASIDE] += a[WAITING]
        a[WAITING] = U0


@njit
def score(a: Any, number: Any) -> Any:
    """Return a seat's score as a signed number; equals `Position.score` (9.1, 9.3)."""
    seat = SEATS + number * SEAT_SIZE
    bonus = a[BONUS_POINTS] if a[BONUS] == U1 + number else U0
    return np.int64(a[seat + BUTTONS] + bonus) - np.int64(a[PENALTY] * a[seat + EMPTY])


@njit
def winner(a: Any) -> Any:
    """Return who has won a finished game; equals `Position.winner` (9.4)."""
    first, second = score(a, U0), score(a, U1)
    if first == second:
        return a[FIRST] - U1
    return U0 if first > second else U1


@njit
def note_turn_end(a: Any) -> None:
    """After a turn is over, see whether the lead has changed; equals a step of `rows._lead_changes`."""
    difference = score(a, U0) - score(a, U1)
    if difference != 0:
        leader = U1 if difference > 0 else U2
        if a[LEADER] != U0 and a[LEADER] != leader:
            a[LEAD_CHANGES] += U1
        a[LEADER] = leader
