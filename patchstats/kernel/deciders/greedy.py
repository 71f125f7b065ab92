"""The greedy agent: what each thing that it could do now is worth in buttons, and the most valuable one is done.

A patch is worth its cells, its income at each income mark ahead of the token before it moves (it counts at those that
this move crosses, too), the leathers that it takes the token to, and how well it lies where `packing` would lay it;
less its cost, and less a price for the spaces that the token moves. An advance is worth its buttons and leathers, less
the same price for its spaces.

The default prices were found by coordinate ascent in mirrored games of the agent against itself. From 2 buttons a cell,
0.9 for income, 1.8 for time and 0.2 for the edge, one price after the other was raised or lowered by a step, where that
won more of 60,000 games than the prices before (by 1.5 times the half-width of the 95 % interval); where no step did,
the steps were halved. The result wins 59.6 % (+- 0.4) of 40,000 games against the prices it came from, and 99.0 %
(+- 0.1) against `random`. A price of cells, income, time, edge, holes or bonus moved by its last step or more wins no
more than 49.6 % against it. `denial` would help, 0.3 of it wins 51.1 % (+- 0.3), but is 0, so that the agent as it is
does not look at its opponent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.actions import ADVANCE, leather_on, purchase
from patchstats.kernel.deciders.deciding import Decider, Memory, decider, memory_of
from patchstats.kernel.layout import (
    AT_FITS,
    AT_INCOMES,
    AT_ORIENTATIONS,
    AT_PATCHES,
    BONUS,
    BUTTONS,
    CERTAIN,
    COST,
    FINISH,
    FIRST_WAY,
    LAST_WAY,
    MAY_ADVANCE,
    MOST_OFFERS,
    OFFER,
    OFFER_SIZE,
    ON_RING,
    ORIENTATION_SIZE,
    OWN,
    PATCH_INCOME,
    PATCH_SIZE,
    PATTERN_HIGH,
    PATTERN_LOW,
    PROBABILITIES_TOLD,
    PROBABILITY,
    SEAT_SIZE,
    SEATS,
    SIZE,
    SLOT_COUNT,
    SPACE,
    STREAM_SIZE,
    STREAMS,
    TIME,
    VALUE,
    VALUES_TOLD,
    WAITING,
    WINDOWS,
)
from patchstats.kernel.packing import PULL, SHORT_LIST, WORDS_OF_PLACEMENT, best_leather, best_placements
from patchstats.kernel.philox import below
from patchstats.kernel.quilt import free_cells, holes, missing_of_bonus, moved, pairs
from patchstats.kernel.turn import WAYS, fit, leathers_between, number_of, seat_on_turn, work_out_all_runs
from patchstats.kernel.words import U0, U1, U63
from patchstats.rules import Ruleset

#: Parts of a button: all prices are kept as whole numbers of these.
PARTS = 1000
#: The agent's own words: its prices, see `greedy`; then, for each offer slot, the way and the cell it would take, and
#: how likely that is; then room for the short list.
_SQUARE, _INCOME, _TIME, _PACKING, _HOLES, _BONUS, _LEATHER, _DENIAL, _TEMPERATURE = (
    np.uint64(number) for number in range(9)
)
_PLACED = np.uint64(9)
_WORTH = _PLACED + np.uint64(2 * MOST_OFFERS)
_ROOM = _WORTH + np.uint64(MOST_OFFERS)
WORDS = int(_ROOM + SHORT_LIST * WORDS_OF_PLACEMENT)
_U2 = np.uint64(2)
_U6 = np.uint64(6)
#: What is told of a patch fits in 32 bits.
_LEAST, _MOST = np.int64(1 - 2**31), np.int64(2**31 - 1)

#: round(2**31 * exp(-n)) for n from 0 on, and the same of n / 64 for n from 0 to 64, computed to 40 decimal places.
# fmt: off
_EXP_WHOLE = np.array([
    2147483648, 790015084, 290630308, 106916915, 39332535, 14469631, 5323080, 1958252, 720401, 265021, 97496,
    35867, 13195, 4854, 1786, 657, 242, 89, 33, 12, 4, 2, 1,
], dtype=np.uint64)
_EXP_64TH = np.array([
    2147483648, 2114190000, 2081412522, 2049143212, 2017374191, 1986097703, 1955306112, 1924991901,
    1895147668, 1865766126, 1836840104, 1808362538, 1780326475, 1752725071, 1725551588, 1698799390,
    1672461947, 1646532828, 1621005702, 1595874338, 1571132600, 1546774447, 1522793931, 1499185200,
    1475942488, 1453060120, 1430532511, 1408354160, 1386519653, 1365023658, 1343860928, 1323026295,
    1302514674, 1282321055, 1262440510, 1242868184, 1223599299, 1204629150, 1185953106, 1167566608,
    1149465165, 1131644360, 1114099840, 1096827323, 1079822591, 1063081494, 1046599943, 1030373915,
    1014399448, 998672642, 983189658, 967946715, 952940092, 938166125, 923621208, 909301788, 895204371,
    881325513, 867661828, 854209978, 840966680, 827928700, 815092855, 802456012, 790015084,
], dtype=np.uint64)
# fmt: on


@njit
def worth_without_place(a: Any, seat: Any, entry: Any, memory: Any, at: Any) -> Any:
    """Return what the patch with this entry is worth for a seat, in parts of a button, wherever it would lie."""
    space = a[seat + SPACE]
    end = min(space + a[entry + TIME], a[FINISH])
    incomes = a[AT_INCOMES]
    marks_left = np.int64(a[incomes + a[FINISH]] - a[incomes + space])
    return (
        np.int64(memory[at + _SQUARE]) * np.int64(a[entry + SIZE])
        + np.int64(memory[at + _INCOME]) * np.int64(a[entry + PATCH_INCOME]) * marks_left
        + np.int64(memory[at + _LEATHER]) * np.int64(leathers_between(a, space, end))
        - PARTS * np.int64(a[entry + COST])
        - np.int64(memory[at + _TIME]) * np.int64(end - space)
    )


@njit
def worth_of_advance(a: Any, seat: Any, memory: Any, at: Any) -> Any:
    """Return what it is worth for a seat to advance, in parts of a button."""
    space = a[seat + SPACE]
    end = min(a[SEATS + (U1 - number_of(seat)) * SEAT_SIZE + SPACE] + U1, a[FINISH])
    leathers = np.int64(memory[at + _LEATHER]) * np.int64(leathers_between(a, space, end))
    return (PARTS - np.int64(memory[at + _TIME])) * np.int64(end - space) + leathers


@njit
def denied(a: Any, seat: Any, slot: Any, memory: Any, at: Any) -> Any:
    """Return what the other seat, `seat`, would have of a patch on offer, in parts of a button, and never below 0.

    The runs must be worked out of its quilt. What is kept of where the patch fits is lost.
    """
    entry = a[AT_PATCHES] + a[OFFER + slot] * PATCH_SIZE
    if a[entry + COST] > a[seat + BUTTONS]:
        return np.int64(0)
    worth = worth_without_place(a, seat, entry, memory, at)
    if worth <= 0:
        return np.int64(0)
    way = a[AT_ORIENTATIONS] + a[entry + FIRST_WAY] * a[ORIENTATION_SIZE]
    if fit(a, way, a[entry + LAST_WAY] - a[entry + FIRST_WAY], a[AT_FITS] + slot * WAYS * a[WINDOWS]) == U0:
        return np.int64(0)
    return worth


@njit
def weight(less: Any, temperature: Any) -> Any:
    """Return 2**31 * exp(-less / temperature), to about one part in 30,000 and never by libm: the same everywhere."""
    # As a whole number, 64ths, and 1024ths of those, between which the weight is taken to be straight.
    if less >= temperature * np.int64(len(_EXP_WHOLE)):
        return U0
    x = np.uint64(less * 65536 // temperature)
    part, rest = x >> np.uint64(10) & U63, x & np.uint64(1023)
    high, low = _EXP_64TH[part], _EXP_64TH[part + U1]
    return _EXP_WHOLE[x >> np.uint64(16)] * (high - ((high - low) * rest >> np.uint64(10))) >> np.uint64(31)


@njit
def best(a: Any, seat: Any, told: Any, memory: Any, at: Any) -> Any:
    """Return the slot, of those told, with the greatest worth, or the number of offers to advance.

    Of equals the advance goes first, then the earlier on offer.
    """
    offered = min(a[OFFER_SIZE], a[ON_RING])
    found, greatest, chosen = a[MAY_ADVANCE] != U0, worth_of_advance(a, seat, memory, at), offered
    for slot in range(offered):
        if told >> slot & U1:
            worth = np.int64(memory[at + _WORTH + slot])
            if not found or worth > greatest:
                found, greatest, chosen = True, worth, np.uint64(slot)
    return chosen


@njit
def drawn(a: Any, seat: Any, told: Any, memory: Any, at: Any) -> Any:
    """Return the slot that the seat's stream draws, each with a probability proportional to exp(worth / temperature).

    The number of offers stands for the advance. How likely each patch was is told.
    """
    offered = min(a[OFFER_SIZE], a[ON_RING])
    first = best(a, seat, told, memory, at)
    advancing = worth_of_advance(a, seat, memory, at)
    greatest = advancing if first == offered else np.int64(memory[at + _WORTH + first])
    temperature = np.int64(memory[at + _TEMPERATURE])
    to_advance = weight(greatest - advancing, temperature) if a[MAY_ADVANCE] or told == U0 else U0
    total = to_advance
    for slot in range(offered):
        here = U0
        if told >> slot & U1:
            here = weight(greatest - np.int64(memory[at + _WORTH + slot]), temperature)
        memory[at + _WORTH + slot] = here
        total += here
    for slot in range(offered):
        a[PROBABILITY + slot] = memory[at + _WORTH + slot] * CERTAIN // total
    a[PROBABILITIES_TOLD] = U1
    lot = below(a, STREAMS + (number_of(seat) + U1) * STREAM_SIZE, total)
    if lot < to_advance:
        return offered
    lot -= to_advance
    chosen = U0
    while lot >= memory[at + _WORTH + chosen]:
        lot -= memory[at + _WORTH + chosen]
        chosen += U1
    return chosen


@njit
def greedy_action(a: Any, seat: Any, memory: Any, at: Any) -> Any:
    """Return the code of the greedy action; the prices, and WORDS in all, are in the memory from `at` on.

    It is the turn of the seat; `turn.count_legal` was asked, unless a leather waits.
    """
    if a[WAITING]:
        return leather_on(best_leather(a, seat))
    offered = min(a[OFFER_SIZE], a[ON_RING])
    low, high = free_cells(a, seat)
    pairs_before, holes_before = np.int64(pairs(a, low, high)), np.int64(holes(a, low, high))
    bonus_open = memory[at + _BONUS] and a[BONUS] == U0
    missing_before = np.int64(missing_of_bonus(a, low, high)) if bonus_open else np.int64(0)
    told = U0
    for slot in range(offered):
        if a[SLOT_COUNT + slot] == U0:
            continue
        entry = a[AT_PATCHES] + a[OFFER + slot] * PATCH_SIZE
        best_placements(a, seat, slot, U1, SHORT_LIST, PULL, memory, at + _ROOM)
        way, cell = memory[at + _ROOM], memory[at + _ROOM + U1]
        memory[at + _PLACED + _U2 * slot], memory[at + _PLACED + _U2 * slot + U1] = way, cell
        covered_low, covered_high = moved(a[way + PATTERN_LOW], a[way + PATTERN_HIGH], cell)
        left_low, left_high = low & ~covered_low, high & ~covered_high
        edge = 4 * np.int64(a[entry + SIZE]) - 2 * (pairs_before - np.int64(pairs(a, left_low, left_high)))
        worth = worth_without_place(a, seat, entry, memory, at)
        worth += np.int64(memory[at + _PACKING]) * edge
        worth += np.int64(memory[at + _HOLES]) * (holes_before - np.int64(holes(a, left_low, left_high)))
        if bonus_open:
            nearer = missing_before - np.int64(missing_of_bonus(a, left_low, left_high))
            worth += np.int64(memory[at + _BONUS]) * nearer
        memory[at + _WORTH + slot] = np.uint64(worth)
        told |= U1 << slot
    if memory[at + _DENIAL] and told:
        other = SEATS + (U1 - number_of(seat)) * SEAT_SIZE
        work_out_all_runs(a, other)
        for slot in range(offered):
            if told >> slot & U1:
                worth = np.int64(memory[at + _WORTH + slot])
                worth += np.int64(memory[at + _DENIAL]) * denied(a, other, slot, memory, at) // PARTS
                memory[at + _WORTH + slot] = np.uint64(worth)
    for slot in range(offered):
        if told >> slot & U1:
            worth = (np.int64(memory[at + _WORTH + slot]) + 5) // 10
            a[VALUE + slot] = np.uint64(min(max(worth, _LEAST), _MOST))
    a[VALUES_TOLD] = told
    slot = drawn(a, seat, told, memory, at) if memory[at + _TEMPERATURE] else best(a, seat, told, memory, at)
    if slot == offered:
        return ADVANCE
    return purchase(a, slot, memory[at + _PLACED + _U2 * slot], memory[at + _PLACED + _U2 * slot + U1])


@decider
def choose(a: Any, memory: Any) -> Any:
    """Do the greedy action."""
    return greedy_action(a, SEATS + seat_on_turn(a) * SEAT_SIZE, memory, OWN)


def greedy(_: Ruleset, **prices: Any) -> Decider:
    """Return what does the most valuable thing by these prices, all in buttons."""

    def memory() -> Memory:
        made = memory_of(WORDS)
        put_prices(made, int(OWN), **prices)
        return made

    return Decider(choose, memory)


def put_prices(
    memory: Memory,
    at: int,
    *,
    square_price: float,
    income_price: float,
    time_price: float,
    packing: float,
    holes: float,
    bonus: float,
    leather: float,
    denial: float,
    temperature: float,
) -> None:
    """Write the prices of `greedy_action` into a memory, from a place on.

    All are in buttons: `square_price` for each cell covered, `income_price` for each button of income at each mark
    ahead, `time_price` for each space moved, `packing` for each side of a cell by which the edge of the free cells gets
    shorter, `holes` against each new hole, `bonus` for each cell that the nearest bonus square lacks less than before,
    as long as the bonus is to be won, `leather` for each leather reached; `denial` is the part of what the other seat
    would have of a patch that counts for buying it; `temperature`, see `drawn`.
    """
    prices = (square_price, income_price, time_price, packing, holes, bonus, leather, denial, temperature)
    for place, price in enumerate(prices):
        memory[at + place] = np.int64(round(price * PARTS)).astype(np.uint64)
    if temperature > 0:
        memory[at + int(_TEMPERATURE)] = max(1, round(temperature * PARTS))
