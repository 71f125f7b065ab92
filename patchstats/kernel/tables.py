"""The tables of a ruleset, in plain Python: what the compiled routines look up.

A quilt is shown to them in windows: words that hold some of its rows each, so that a patch anywhere lies whole in one
of them and nothing is carried from word to word. A 9 by 9 quilt with patches up to 5 rows high has two: rows 0 to 6 for
patches that begin in rows 0 to 2, and rows 3 to 8 for all others.

Where a patch fits is the AND of where the runs fit that make it up (see `RUN_SHAPES`), each moved to its place.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from patchstats.kernel import layout
from patchstats.rules import Ruleset
from patchstats.rules.checking import PATCH_AMOUNTS
from patchstats.rules.shapes import Shape, orientations, parse_shape

WORD = 64
Arena = NDArray[np.uint64]

#: A single cell, rows and columns of 2 to 5 cells, and the 2 by 2 block, in the order in which the kernel works out
#: where they fit.
RUN_SHAPES: tuple[Shape, ...] = (
    frozenset({(0, 0)}),
    *(frozenset((0, column) for column in range(length)) for length in range(2, 6)),
    *(frozenset((row, 0) for row in range(length)) for length in range(2, 6)),
    frozenset({(0, 0), (0, 1), (1, 0), (1, 1)}),
)


def windows_of(quilt_size: int, height: int) -> tuple[int, ...] | None:
    """Return the first row of each window for patches up to this height, or None when there is none for a row.

    >>> windows_of(9, 5), windows_of(8, 5), windows_of(11, 5), windows_of(11, 6)
    ((0, 3), (0,), (0, 1, 2, 3, 4, 5, 6), None)
    """
    rows = WORD // quilt_size
    if rows >= quilt_size:
        return (0,)
    step = rows - height + 1
    if step < 1:
        return None
    starts = [0]
    while starts[-1] + rows < quilt_size:
        starts.append(starts[-1] + step)
    return tuple(starts)


@lru_cache(maxsize=4096)
def runs_of(shape: Shape) -> tuple[tuple[int, tuple[int, int]], ...]:
    """Return runs that cover a shape and nothing else, as few as can be up to three, each with its corner's place.

    >>> runs_of(parse_shape("010/111/010"))
    ((2, (1, 0)), (6, (0, 1)))
    >>> len(runs_of(parse_shape("11/11"))), len(runs_of(parse_shape("1")))
    (1, 1)
    """
    inside = {}
    for run, cells in enumerate(RUN_SHAPES):
        for row, column in shape:
            covered = frozenset((row + down, column + right) for down, right in cells)
            if covered <= shape:
                inside[run, (row, column)] = covered
    largest = [one for one, cells in inside.items() if not any(cells < other for other in inside.values())]
    for number in (1, 2, 3):
        for chosen in combinations(sorted(largest), number):
            if frozenset().union(*(inside[one] for one in chosen)) == shape:
                return chosen
    left, taken = set(shape), []
    while left:
        best = max(sorted(largest), key=lambda one: len(inside[one] & left))
        taken.append(best)
        left -= inside[best]
    return tuple(taken)


def can_serve(ruleset: Ruleset) -> bool:
    """Whether the kernel plays by this ruleset: only very tall patches on large quilts are beyond it.

    >>> can_serve(Ruleset.load("original"))
    True
    """
    return windows_of(ruleset.quilt_size, _height(ruleset)) is not None


def arena_for(ruleset: Ruleset) -> Arena:
    """Return an arena with the tables of a ruleset, and no game in it yet.

    Raises ValueError for a ruleset that the kernel cannot serve.
    """
    starts = windows_of(ruleset.quilt_size, _height(ruleset))
    if starts is None:
        raise ValueError(f"no window holds {_height(ruleset)} rows of a quilt of {ruleset.quilt_size} cells a side")
    ways = [ruleset.distinct_ways_to_lay[patch.id] for patch in ruleset.patches]
    shapes = [orientations(parse_shape(patch.rows)) for patch in ruleset.patches]
    runs = max(len(runs_of(shapes[number][way.number])) for number, of_patch in enumerate(ways) for way in of_patch)
    orientation_size = int(layout.CORNERS) + len(starts) + runs
    sizes = {
        layout.AT_NEXT: len(ruleset.patches),
        layout.AT_OWNER: len(ruleset.patches),
        layout.AT_INCOMES: ruleset.finish + 1,
        layout.AT_PATCHES: len(ruleset.patches) * int(layout.PATCH_SIZE),
        layout.AT_ORIENTATIONS: sum(map(len, ways)) * orientation_size,
        layout.AT_WAYS: len(ruleset.patches) * layout.MOST_WAYS,
        layout.AT_SQUARES: 2 * len(ruleset.bonus_squares),
        layout.AT_FITS: layout.MOST_OFFERS * layout.MOST_WAYS * len(starts),
    }
    arena = np.zeros(layout.TABLES + sum(sizes.values()), dtype=np.uint64)
    place = layout.TABLES
    for name, size in sizes.items():
        arena[name] = place
        place += size

    first_column = sum(1 << row * ruleset.quilt_size for row in range(ruleset.quilt_size))
    left = ruleset.quilt & ~first_column
    right = ruleset.quilt & ~(first_column << ruleset.quilt_size - 1)
    numbers = {
        layout.QUILT_SIZE: ruleset.quilt_size,
        layout.CELLS: ruleset.quilt_size**2,
        layout.QUILT_LOW: ruleset.quilt & _LOW,
        layout.QUILT_HIGH: ruleset.quilt >> WORD,
        layout.LEFT_LOW: left & _LOW,
        layout.LEFT_HIGH: left >> WORD,
        layout.RIGHT_LOW: right & _LOW,
        layout.RIGHT_HIGH: right >> WORD,
        layout.FINISH: ruleset.finish,
        layout.OFFER_SIZE: ruleset.offer_size,
        layout.START_BUTTONS: ruleset.start_buttons,
        layout.PENALTY: ruleset.empty_cell_penalty,
        layout.BONUS_POINTS: ruleset.bonus_points,
        layout.BONUS_SIDE: ruleset.bonus_square,
        layout.SQUARES: len(ruleset.bonus_squares),
        layout.PATCHES: len(ruleset.patches),
        layout.START_PATCH: ruleset.number_of(ruleset.start_patch) - 1,
        layout.RUNS: runs,
        layout.WINDOWS: len(starts),
        layout.ORIENTATION_SIZE: orientation_size,
        layout.ACCOUNT: ruleset.button_supply,
    }
    for name, number in numbers.items():
        arena[name] = number
    for window, row in enumerate(starts):
        arena[int(layout.WINDOW_START) + window] = row * ruleset.quilt_size
    put_spaces(arena, layout.LEATHERS_AT_START, ruleset.leather_marks)
    for space in range(ruleset.finish + 1):
        arena[int(arena[layout.AT_INCOMES]) + space] = sum(mark <= space for mark in ruleset.income_marks)
    for number, square in enumerate(ruleset.bonus_squares):
        entry = int(arena[layout.AT_SQUARES]) + 2 * number
        arena[entry : entry + 2] = square & _LOW, square >> WORD

    way_number = 0
    for number, patch in enumerate(ruleset.patches):
        entry = int(arena[layout.AT_PATCHES]) + number * int(layout.PATCH_SIZE)
        amounts = (patch.cost, patch.time, patch.income, patch.size, way_number, way_number + len(ways[number]))
        arena[entry : entry + len(amounts)] = amounts
        for way in ways[number]:
            entry = int(arena[layout.AT_ORIENTATIONS]) + way_number * orientation_size
            corners = [_corners_in(way.corners, window, starts, ruleset.quilt_size) for window in range(len(starts))]
            parts = [
                run << 6 | row * ruleset.quilt_size + column
                for run, (row, column) in runs_of(shapes[number][way.number])
            ]
            parts += parts[:1] * (runs - len(parts))  # a run twice changes nothing
            fields = [way.number, way.pattern & _LOW, way.pattern >> WORD, *corners, *parts]
            arena[entry : entry + len(fields)] = fields
            arena[int(arena[layout.AT_WAYS]) + number * layout.MOST_WAYS + way.number] = entry
            way_number += 1
    return arena


#: Where the numbers of a patch lie that may change from game to game.
_PRICES = {"cost": layout.COST, "time": layout.TIME, "income": layout.PATCH_INCOME}


def put_prices(arena: Arena, ruleset: Ruleset) -> None:
    """Give the patches the costs, times and incomes of a ruleset that differs in nothing else from the arena's."""
    begin, size = int(arena[layout.AT_PATCHES]), int(layout.PATCH_SIZE)
    entries = arena[begin : begin + len(ruleset.patches) * size].reshape(-1, size)
    for key, field in _PRICES.items():
        entries[:, int(field)] = [getattr(patch, key) for patch in ruleset.patches]


def jitter_for(arena: Arena, ruleset: Ruleset, jitter: str) -> Arena:
    """Return what `games.draw_prices` looks up, a row for each number that is changed: where it lies in the arena, what
    it is in the ruleset, the least that it may become, and how many different numbers.

    >>> ruleset = Ruleset.load("original")
    >>> jitter_for(arena_for(ruleset), ruleset, "cost")[20:22, 1:].tolist()
    [[0, 0, 2], [1, 0, 3]]
    """
    rows = []
    for key in jitter.split("+") if jitter else ():
        least, greatest = PATCH_AMOUNTS[key]
        for number, patch in enumerate(ruleset.patches):
            place = int(arena[layout.AT_PATCHES]) + number * int(layout.PATCH_SIZE) + int(_PRICES[key])
            amount = getattr(patch, key)
            lowest, highest = max(amount - 1, least), min(amount + 1, greatest)
            rows.append((place, amount, lowest, highest - lowest + 1))
    return np.array(rows, dtype=np.uint64).reshape(-1, 4)


def put_spaces(arena: Arena, place: np.uint64, spaces: tuple[int, ...]) -> None:
    """Set the bit of each of these spaces, and no other, in the words from a place on."""
    words = [sum(1 << space % WORD for space in spaces if space // WORD == word) for word in range(layout.TRACK_WORDS)]
    arena[int(place) : int(place) + layout.TRACK_WORDS] = words


_LOW = 2**WORD - 1


def _height(ruleset: Ruleset) -> int:
    """The rows of the tallest orientation of any patch."""
    return 1 + max(max(cell) for patch in ruleset.patches for cell in parse_shape(patch.rows))


def _corners_in(corners: int, window: int, starts: tuple[int, ...], quilt_size: int) -> int:
    """Of these corners, those that a window is for, counted from its first cell."""
    first = starts[window] * quilt_size
    end = starts[window + 1] * quilt_size if window + 1 < len(starts) else quilt_size**2
    return corners >> first & (1 << end - first) - 1
