"""Playouts: the game in the arena is played to its end by a quick rule, and lost on the way.

Both seats play by the same rule, by one of three. RANDOM: every complete legal action is equally likely, and each empty
cell for a leather. TIGHT: the advance and every patch that can be bought are equally likely; a patch or a leather goes
where the fewest pairs of free neighbours are lost. BEST: the patch with the greatest `worth` or the advance, lying
likewise; but with a probability of epsilon an action as in TIGHT.

Lots are drawn from a generator of the searching agent's own, whose state is one word: SplitMix64 (Steele, Lea and
Flood, "Fast splittable pseudorandom number generators", 2014). An integer below a bound is the upper half of the
product of the bound and the word drawn; of bounds up to 2**16, as all are here, no integer is more likely than another
by more than one part in 2**48.

What playouts need lies in the memory of an agent from some place `p` on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.actions import ADVANCE, leather_on, play, purchase
from patchstats.kernel.deciders.quick import best_action, fit_slot, payable, tight_cell, tight_purchase
from patchstats.kernel.layout import (
    AT_NEXT,
    AT_ORIENTATIONS,
    AT_PATCHES,
    BUTTONS,
    CORNERS,
    COST,
    COVERED_HIGH,
    COVERED_LOW,
    EMPTY,
    FIRST_WAY,
    LAST_WAY,
    OFFER,
    OFFER_SIZE,
    ON_RING,
    ORIENTATION_SIZE,
    PATCH_SIZE,
    PATCHES,
    PATTERN_HIGH,
    PATTERN_LOW,
    SEAT_SIZE,
    SEATS,
    SIZE,
    SLOT_COUNT,
    TAIL,
    WAITING,
    WINDOW_START,
    WINDOWS,
)
from patchstats.kernel.quilt import moved
from patchstats.kernel.turn import (
    NO_SEAT,
    count_legal,
    nth_empty_cell,
    nth_placement,
    seat_on_turn,
    slot_of,
    work_out_all_runs,
)
from patchstats.kernel.words import U0, U1, U2, U3, add, multiply_high, nth_bit, popcount, scrambled
from patchstats.rules import Ruleset

#: The rules by the names that specs give them.
RULES = ("random", "tight", "best")
RANDOM, TIGHT, BEST = (np.uint64(rule) for rule in range(len(RULES)))

#: The state of the generator; the rule; epsilon, in parts of 2**16; scratch; and from there on for each patch where its
#: list of placements on an empty quilt begins, and how long it is. The lists come behind.
STATE, RULE, EPSILON, SCRATCH, _LISTS = (np.uint64(field) for field in range(5))
_PARTS = 1 << 16

#: How often a placement on an empty quilt is drawn and may turn out to be illegal before all legal ones are counted,
#: and on how many free cells at least that is tried at all. Both are for speed alone.
_TRIES = 4
_ROOMY = np.uint64(55)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_0 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_1 = np.uint64(0x94D049BB133111EB)
_U7, _U8, _U27, _U30, _U31, _U127, _U255 = (np.uint64(number) for number in (7, 8, 27, 30, 31, 127, 255))


def words_of_playouts(ruleset: Ruleset) -> int:
    """Return how many words playouts take."""
    ways = sum(map(len, ruleset.distinct_ways_to_lay.values()))
    return int(_LISTS) + 2 * len(ruleset.patches) + 3 * ways * ruleset.quilt_size**2


def put_playouts(memory: Any, at: int, rule: str, epsilon: float) -> None:
    """Write into a memory, from place `at` on, by which of RULES playouts go; `epsilon` is a probability."""
    memory[at + int(RULE)] = RULES.index(rule)
    memory[at + int(EPSILON)] = round(_PARTS * epsilon)


@njit
def list_on_empty(a: Any, m: Any, p: Any) -> None:
    """List the placements of each patch on an empty quilt, to be done before the first playout.

    Each is three words: its way, counted from the patch's first, and its cell; and the cells that it covers.
    """
    lists, size = p + _LISTS, a[ORIENTATION_SIZE]
    end = lists + U2 * a[PATCHES]
    for patch in range(a[PATCHES]):
        entry = a[AT_PATCHES] + patch * PATCH_SIZE
        first = end
        for number in range(a[entry + LAST_WAY] - a[entry + FIRST_WAY]):
            way = a[AT_ORIENTATIONS] + (a[entry + FIRST_WAY] + number) * size
            for window in range(a[WINDOWS]):
                corners = a[way + CORNERS + window]
                while corners:
                    corner = popcount(~corners & (corners - U1))
                    corners &= corners - U1
                    cell = a[WINDOW_START + window] + corner
                    m[end + U1], m[end + U2] = moved(a[way + PATTERN_LOW], a[way + PATTERN_HIGH], cell)
                    m[end] = number << _U7 | cell
                    end += U3
        m[lists + U2 * patch], m[lists + U2 * patch + U1] = first, (end - first) // U3


@njit
def draw(m: Any, p: Any, bound: Any) -> Any:
    """Draw an integer from 0 to `bound` - 1."""
    state = add(m[p + STATE], _GOLDEN)
    m[p + STATE] = state
    return multiply_high(scrambled(state), bound)


@njit
def play_out(a: Any, m: Any, p: Any) -> None:
    """Play the game in the arena to its end."""
    rule = m[p + RULE]
    while True:
        number = seat_on_turn(a)
        if number == NO_SEAT:
            return
        seat = SEATS + number * SEAT_SIZE
        if a[WAITING]:
            cell = draw_cell(a, m, p, seat) if rule == RANDOM else tight_cell(a, seat)
            play(a, seat, leather_on(cell))
        elif rule == RANDOM:
            play(a, seat, draw_any(a, m, p, seat))
        elif rule == BEST and draw(m, p, np.uint64(_PARTS)) >= m[p + EPSILON]:
            play(a, seat, best_action(a, m, p + SCRATCH, seat))
        else:
            play(a, seat, draw_tight(a, m, p, seat))


@njit
def draw_cell(a: Any, m: Any, p: Any, seat: Any) -> Any:
    """Draw a free cell of the seat's quilt; there is one."""
    return nth_empty_cell(a, seat, draw(m, p, a[seat + EMPTY]))


@njit
def draw_any(a: Any, m: Any, p: Any, seat: Any) -> Any:
    """Draw any complete legal action of a turn, all of them equally likely.

    Drawn is the advance, or any placement on an empty quilt of a patch that the seat can pay, until a legal one comes.
    What follows so many misses, all legal actions counted, is as likely, so that it does not matter how many.
    """
    lists = p + _LISTS
    at_next, at_patches, buttons, empty = a[AT_NEXT], a[AT_PATCHES], a[seat + BUTTONS], a[seat + EMPTY]
    total = U1
    patch = a[TAIL]
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        patch = a[at_next + patch]
        a[OFFER + slot] = patch
        entry = at_patches + patch * PATCH_SIZE
        most = U0
        if a[entry + COST] <= buttons and a[entry + SIZE] <= empty:
            most = m[lists + U2 * patch + U1]
        a[SLOT_COUNT + slot] = most
        total += most
    if total == U1:
        return ADVANCE
    low, high = a[seat + COVERED_LOW], a[seat + COVERED_HIGH]
    tries = _TRIES if empty >= _ROOMY else 0
    for _ in range(tries):
        n = draw(m, p, total)
        if n == U0:
            return ADVANCE
        slot, n = slot_of(a, n - U1)
        patch = a[OFFER + slot]
        listed = m[lists + U2 * patch] + U3 * n
        if (m[listed + U1] & low | m[listed + U2] & high) == U0:
            first = a[at_patches + patch * PATCH_SIZE + FIRST_WAY]
            way = a[AT_ORIENTATIONS] + (first + (m[listed] >> _U7)) * a[ORIENTATION_SIZE]
            return purchase(a, slot, way, m[listed] & _U127)
    n = draw(m, p, count_legal(a, seat)[0])
    if n == U0:
        return ADVANCE
    slot, n = slot_of(a, n - U1)
    way, cell = nth_placement(a, slot, n)
    return purchase(a, slot, way, cell)


@njit
def draw_tight(a: Any, m: Any, p: Any, seat: Any) -> Any:
    """Draw the advance or a patch that can be bought, all equally likely; the patch goes where it lies tightly.

    Of the patches that the seat can pay one is drawn, and left out if it does not fit, until the advance or one that
    fits comes: so one list of placements is made, not one for each patch.
    """
    options = payable(a, seat)
    if options:
        work_out_all_runs(a, seat)
    while options:
        n = draw(m, p, U1 + popcount(options))
        if n == U0:
            return ADVANCE
        slot = nth_bit(options, n - U1)
        if fit_slot(a, slot):
            return tight_purchase(a, m, p + SCRATCH, seat, slot)
        options &= ~(U1 << slot)
    return ADVANCE
