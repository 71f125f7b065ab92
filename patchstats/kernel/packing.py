"""Where a patch or a leather lies well: the placement that leaves the free cells of a quilt in one compact piece.

The rule has two stages. Of all placements of a patch those that leave the most pairs of neighbouring free cells make
the short list; of these the one with the greatest `placement_score` is best. In both stages a placement goes before
its equals if it stands earlier among the legal ones: by its way, then by its cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from patchstats.kernel.layout import (
    AT_FITS,
    AT_ORIENTATIONS,
    AT_PATCHES,
    AT_SQUARES,
    BONUS,
    FIRST_WAY,
    LAST_WAY,
    OFFER,
    ORIENTATION_SIZE,
    PATCH_SIZE,
    PATTERN_HIGH,
    PATTERN_LOW,
    SIZE,
    SQUARES,
    WINDOW_START,
    WINDOWS,
)
from patchstats.kernel.quilt import free_cells, missing_of_bonus, moved, narrow_cells, neighbours, pairs
from patchstats.kernel.turn import WAYS
from patchstats.kernel.words import FULL, U0, U1, U2, U64, popcount

#: How many placements are looked at twice, and how much a cell counts that the nearest bonus square lacks: by agents
#: that look at one placement.
SHORT_LIST, PULL = np.uint64(6), np.int64(2)
#: Words that `best_placements` writes of a placement: its way, its cell, its score.
WORDS_OF_PLACEMENT = np.uint64(3)

#: So few corners of an orientation in a window are quicker looked at one by one, and the patches of more cells must be.
FEW = np.uint64(4)
MOST_AT_ONCE = np.uint64(15)

_U7, _U11, _U127, _U2047 = (np.uint64(number) for number in (7, 11, 127, 2047))
_LOWEST = np.int64(-(2**63))
#: By how much covering a cell with 0 to 4 free neighbours may raise the score, but for the bonus.
_GAINS = np.array([8, 4 - 4, -8, -12, -16], dtype=np.int64)


@njit(forceinline=True)
def placement_score(a: Any, free_low: Any, free_high: Any, pull: Any) -> Any:
    """Return how good it is to leave these cells free: a signed number, of no unit.

    Four for each pair of free neighbours, less eight for each hole and four for each dead end, and less `pull` for each
    cell that the nearest bonus square lacks; that is 0 when the bonus is won.
    """
    holes, dead_ends, _ = narrow_cells(a, free_low, free_high)
    score = 4 * np.int64(pairs(a, free_low, free_high)) - 8 * np.int64(holes) - 4 * np.int64(dead_ends)
    if pull:
        score -= pull * np.int64(missing_of_bonus(a, free_low, free_high))
    return score


@njit
def best_placements(a: Any, seat: Any, slot: Any, keep: Any, short_list: Any, pull: Any, room: Any, at: Any) -> Any:
    """Find the best placements of a patch on offer, at most `keep`, and return how many they are.

    Best are they of so many on the short list, by `placement_score`, with this `pull` as long as the bonus is to be
    won. `turn.count_legal` was asked. They are written into `room` from `at` on, the best first, each in three words:
    its way (as its place in the arena), its cell, its score (a signed number). Of `room` three words are used for each
    placement of the short list, so `room` must have 3 * max(keep, short_list) words from `at` on.
    """
    low, high = free_cells(a, seat)
    longest = max(keep, short_list)
    list_placements(a, slot, low, high, longest, room, at)
    entry = a[AT_PATCHES] + a[OFFER + slot] * PATCH_SIZE
    size = a[ORIENTATION_SIZE]
    first_way = a[AT_ORIENTATIONS] + a[entry + FIRST_WAY] * size
    pull = pull if a[BONUS] == U0 else np.int64(0)
    pattern_low, pattern_high = a[first_way + PATTERN_LOW], a[first_way + PATTERN_HIGH]
    pairs_at_most = pairs(a, low, high) + pairs(a, pattern_low, pattern_high)
    nearest = np.int64(missing_of_bonus(a, low, high)) - np.int64(a[entry + SIZE]) if pull else np.int64(0)
    hopeless = pull * max(nearest, np.int64(0))

    found = U0
    for number in range(longest):
        key = room[at + WORDS_OF_PLACEMENT * number]
        if key == FULL:
            break
        worst = np.int64(room[at + WORDS_OF_PLACEMENT * (keep - U1) + U2]) if found == keep else _LOWEST
        # The score, but the parts that take longest to find out last, and only as long as there is hope.
        score = 4 * np.int64(pairs_at_most - (key >> _U11))
        if score - hopeless < worst:
            break
        rank = key & _U2047
        way = first_way + (rank >> _U7) * size
        covered_low, covered_high = moved(a[way + PATTERN_LOW], a[way + PATTERN_HIGH], rank & _U127)
        left_low, left_high = low & ~covered_low, high & ~covered_high
        holes, dead_ends, _ = narrow_cells(a, left_low, left_high)
        score -= 8 * np.int64(holes) + 4 * np.int64(dead_ends)
        if score - hopeless < worst:
            continue
        if pull:
            score -= pull * np.int64(missing_of_bonus(a, left_low, left_high))
        if found == keep:
            before = at + WORDS_OF_PLACEMENT * (keep - U1)
            if score < worst or (score == worst and room[before + U1] < rank):
                continue
        else:
            found += U1
        place = at + WORDS_OF_PLACEMENT * (found - U1)
        while place > at:
            before = place - WORDS_OF_PLACEMENT
            better = np.int64(room[before + U2])
            if better > score or (better == score and room[before + U1] < rank):
                break
            room[place + U1], room[place + U2] = room[before + U1], room[before + U2]
            place = before
        room[place + U1], room[place + U2] = rank, np.uint64(score)

    for number in range(found):
        place = at + WORDS_OF_PLACEMENT * number
        rank = room[place + U1]
        room[place], room[place + U1] = first_way + (rank >> _U7) * size, rank & _U127
    return found


@njit(forceinline=True)
def list_placements(a: Any, slot: Any, low: Any, high: Any, longest: Any, room: Any, at: Any) -> None:
    """Write the placements that leave most pairs of these free cells, at most `longest`, and FULL for those missing.

    Each is one word in every third of `room` from `at` on, by which the list is ordered: the lost neighbours of its
    cells, its way, its cell. The pairs that go with a patch are those neighbours less the pairs within the patch, of
    which each placement has as many.
    """
    entry = a[AT_PATCHES] + a[OFFER + slot] * PATCH_SIZE
    size, windows = a[ORIENTATION_SIZE], a[WINDOWS]
    first_way = a[AT_ORIENTATIONS] + a[entry + FIRST_WAY] * size
    ways = a[entry + LAST_WAY] - a[entry + FIRST_WAY]
    few = FEW if a[entry + SIZE] <= MOST_AT_ONCE else U64
    one_low, one_high, two_low, two_high, four_low, four_high = neighbours(a, low, high)
    bound = FULL
    for number in range(longest):
        room[at + WORDS_OF_PLACEMENT * number] = FULL
    for window in range(windows):
        start = a[WINDOW_START + window]
        ones, twos, fours = (
            _seen(one_low, one_high, start),
            _seen(two_low, two_high, start),
            _seen(four_low, four_high, start),
        )
        fits, way = a[AT_FITS] + slot * WAYS * windows + window, first_way
        for number in range(ways):
            corners, pattern = a[fits], a[way + PATTERN_LOW]
            fits += windows
            way += size
            if popcount(corners) <= few:
                while corners:
                    corner = popcount(~corners & (corners - U1))
                    corners &= corners - U1
                    cells = pattern << corner
                    lost = popcount(cells & ones) + (popcount(cells & twos) << U1) + (popcount(cells & fours) << U2)
                    key = lost << _U11 | number << _U7 | (start + corner)
                    if key < bound:
                        bound = _enlist(room, at, longest, key)
                continue
            bits = _sums(pattern, ones, twos, fours)
            while corners:
                least, lost = _smallest(corners, bits)
                corners ^= least
                first = lost << _U11 | number << _U7
                if first > bound:
                    break
                while least:
                    corner = popcount(~least & (least - U1))
                    least &= least - U1
                    key = first | (start + corner)
                    if key >= bound:
                        break
                    bound = _enlist(room, at, longest, key)


@njit
def _sums(pattern: Any, ones: Any, twos: Any, fours: Any) -> Any:
    """Return for all corners at once the sum, over the cells of a pattern, of a number that each cell has.

    The numbers are given, and the sums returned, bit by bit: a word has that bit of all of them.
    """
    bit_0 = bit_1 = bit_2 = bit_3 = bit_4 = bit_5 = U0
    while pattern:
        cell = popcount(~pattern & (pattern - U1))
        pattern &= pattern - U1
        more = ones >> cell
        bit_0, carry = bit_0 ^ more, bit_0 & more
        more = twos >> cell
        half = bit_1 ^ more
        bit_1, carry = half ^ carry, bit_1 & more | half & carry
        more = fours >> cell
        half = bit_2 ^ more
        bit_2, carry = half ^ carry, bit_2 & more | half & carry
        bit_3, carry = bit_3 ^ carry, bit_3 & carry
        bit_4, carry = bit_4 ^ carry, bit_4 & carry
        bit_5 |= carry
    return bit_5, bit_4, bit_3, bit_2, bit_1, bit_0


@njit
def _smallest(corners: Any, bits: Any) -> Any:
    """Return those of these corners that have the smallest number, and that; the highest bit comes first."""
    number = U0
    for bit in bits:
        without = corners & ~bit
        number = number << U1 | (U0 if without else U1)
        corners = without if without else corners
    return corners, number


@njit
def _enlist(room: Any, at: Any, longest: Any, key: Any) -> Any:
    """Put a word into the ordered list, whose last word is dropped, and return the one that is last now."""
    last = key
    for number in range(longest):
        place = at + WORDS_OF_PLACEMENT * number
        # Without a branch, which would be foreseen badly.
        here = room[place]
        last = min(here, key)
        room[place] = last
        key = max(here, key)
    return last


@njit
def best_leather(a: Any, seat: Any) -> Any:
    """Return the free cell on which a leather lies best; there is one.

    One that completes a bonus square goes first, if the bonus is still to be won; then the greatest `placement_score`
    decides, then the lowest cell.
    """
    low, high = free_cells(a, seat)
    pull = PULL if a[BONUS] == U0 else np.int64(0)
    among_low, among_high = low, high
    if pull and missing_of_bonus(a, low, high) == U1:
        among_low, among_high = _last_missing(a, low, high)
    one_low, one_high, two_low, two_high, four_low, four_high = neighbours(a, low, high)
    before = placement_score(a, low, high, pull)
    best, best_cell = _LOWEST, U0
    for number in range(5):
        # Covering a cell with so many free neighbours can raise the score by no more than this: it takes away so many
        # pairs, and a hole or a dead end; its neighbours get no better by it; a bonus square may lack a cell less.
        if best > before + _GAINS[number] + PULL:
            break
        one = FULL if number & 1 else U0
        two = FULL if number & 2 else U0
        four = FULL if number & 4 else U0
        left_low = among_low & ~(one_low ^ one) & ~(two_low ^ two) & ~(four_low ^ four)
        left_high = among_high & ~(one_high ^ one) & ~(two_high ^ two) & ~(four_high ^ four)
        while left_low | left_high:
            if left_low:
                bit_low, bit_high = left_low & ~(left_low - U1), U0
                cell = popcount(bit_low - U1)
            else:
                bit_low, bit_high = U0, left_high & ~(left_high - U1)
                cell = U64 + popcount(bit_high - U1)
            left_low ^= bit_low
            left_high ^= bit_high
            score = placement_score(a, low ^ bit_low, high ^ bit_high, pull)
            if score > best or (score == best and cell < best_cell):
                best, best_cell = score, cell
    return best_cell


@njit
def _last_missing(a: Any, low: Any, high: Any) -> Any:
    """Return the free cells that are the last that a bonus square lacks."""
    found_low, found_high = U0, U0
    square = a[AT_SQUARES]
    for _ in range(a[SQUARES]):
        lacks_low, lacks_high = low & a[square], high & a[square + U1]
        if popcount(lacks_low) + popcount(lacks_high) == U1:
            found_low |= lacks_low
            found_high |= lacks_high
        square += U2
    return found_low, found_high


@njit(forceinline=True)
def _seen(low: Any, high: Any, start: Any) -> Any:
    """Return what of a set of cells lies in the word that begins with this cell."""
    if start >= U64:
        return high >> (start - U64)
    if start:
        return low >> start | high << (U64 - start)
    return low
