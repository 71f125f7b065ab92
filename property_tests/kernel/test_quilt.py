"""Measures of the free cells of a quilt, against the same counted cell by cell."""

from functools import lru_cache

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from numba import njit

from patchstats.kernel import layout
from patchstats.kernel.quilt import (
    free_cells,
    holes,
    missing_of_bonus,
    moved,
    narrow_cells,
    neighbours,
    pairs,
)
from patchstats.kernel.tables import arena_for
from patchstats.rules import Ruleset
from patchstats.rules.cells import cells_in

ORIGINAL = Ruleset.load("original")
LOW = 2**64 - 1


@lru_cache
def arena_of(size, side):
    """A small ruleset with quilts of this size, and its arena."""
    patches = {"p01": {"rows": "1", "cost": 0, "time": 1, "income": 0}}
    changes = {"quilt_size": size, "bonus_square": side, "start_patch": "p01", "patches": patches}
    return arena_for(Ruleset.from_dict({**ORIGINAL.to_dict(), **changes}))


@st.composite
def quilts(draw):
    """The size of a quilt, the side of a bonus square, and free cells: few, many, or all but few."""
    size = draw(st.integers(3, 11))
    side = draw(st.integers(1, size))
    everything = (1 << size * size) - 1
    bits = st.integers(0, everything)
    free = draw(st.one_of(bits, st.builds(int.__and__, bits, bits), st.builds(int.__or__, bits, bits)))
    return size, side, free


@njit
def _measures(a, low, high):
    return pairs(a, low, high), narrow_cells(a, low, high), holes(a, low, high), missing_of_bonus(a, low, high)


@njit
def _neighbours(a, low, high):
    return neighbours(a, low, high)


@njit
def _moved(low, high, cells):
    return moved(low, high, cells)


@njit
def _free_cells(a, seat):
    return free_cells(a, seat)


def words(cells):
    return np.uint64(cells & LOW), np.uint64(cells >> 64)


def beside(cell, size):
    """The cells that share an edge with this one."""
    row, column = divmod(cell, size)
    places = (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)
    return {r * size + c for r, c in places if 0 <= r < size and 0 <= c < size}


def squares_of(size, side):
    for top in range(size - side + 1):
        for left in range(size - side + 1):
            yield {(top + row) * size + left + column for row in range(side) for column in range(side)}


@given(quilts())
@example((9, 7, (1 << 81) - 1))
@example((11, 11, (1 << 121) - 1))
@example((3, 1, 0))
def test_each_measure_is_what_counting_cell_by_cell_gives(drawn):
    size, side, free = drawn
    cells = set(cells_in(free))
    around = [len(beside(cell, size) & cells) for cell in cells]
    expected = (
        sum(around) // 2,
        (around.count(0), around.count(1), around.count(2)),
        around.count(0),
        min(len(square & cells) for square in squares_of(size, side)),
    )
    assert _measures(arena_of(size, side), *words(free)) == expected


@given(quilts())
@example((9, 7, (1 << 81) - 1))
def test_every_cell_is_told_how_many_free_neighbours_it_has(drawn):
    size, side, free = drawn
    cells = set(cells_in(free))
    found = [int(word) for word in _neighbours(arena_of(size, side), *words(free))]
    planes = [low | high << 64 for low, high in zip(found[::2], found[1::2], strict=True)]
    for cell in range(size * size):
        number = sum((plane >> cell & 1) << bit for bit, plane in enumerate(planes))
        assert number == len(beside(cell, size) & cells)


@given(st.integers(0, LOW), st.integers(0, 127))
def test_cells_are_moved_across_the_two_words(cells, distance):
    low, high = _moved(np.uint64(cells), np.uint64(0), np.uint64(distance))
    assert int(low) | int(high) << 64 == cells << distance & (1 << 128) - 1


@given(quilts(), st.integers(0, 1))
def test_free_is_what_a_seat_has_not_covered(drawn, seat):
    size, side, free = drawn
    arena = arena_of(size, side).copy()
    covered = (1 << size * size) - 1 & ~free
    at = int(layout.SEATS) + seat * int(layout.SEAT_SIZE)
    arena[at + int(layout.COVERED_LOW)], arena[at + int(layout.COVERED_HIGH)] = words(covered)
    assert tuple(map(int, _free_cells(arena, np.uint64(at)))) == tuple(map(int, words(free)))
