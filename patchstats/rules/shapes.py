"""Polyomino shapes and their orientations, as patterns of cells on a quilt of a given size.

What a patch costs and what a placement does lives elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from patchstats.rules.cells import set_of

Shape = frozenset[tuple[int, int]]


def parse_shape(rows: str) -> Shape:
    """Return the (row, column) cells of a drawing: rows from the top, separated by `/`, `1` for a cell of the patch.

    Raises ValueError, with the reason, for a drawing that is no polyomino in its tightest box.

    >>> sorted(parse_shape("110/011"))
    [(0, 0), (0, 1), (1, 1), (1, 2)]
    """
    lines = rows.split("/")
    if not rows or set(rows) - set("01/"):
        raise ValueError(f"{rows!r} is no drawing of a shape: rows of 0 and 1 separated by /, such as 110/011, are")
    if len({len(line) for line in lines}) > 1:
        raise ValueError(f"the rows of {rows!r} differ in length")
    cells = frozenset(
        (row, column) for row, line in enumerate(lines) for column, mark in enumerate(line) if mark == "1"
    )
    if not cells:
        raise ValueError(f"{rows!r} has no cell")
    if normalised(cells) != cells or _last_row_and_column(cells) != (len(lines) - 1, len(lines[0]) - 1):
        raise ValueError(f"{rows!r} has an empty row or column at its edge")
    if not _is_connected(cells):
        raise ValueError(f"the cells of {rows!r} do not hang together by their sides")
    return cells


def normalised(cells: Shape) -> Shape:
    """Move a shape to the top left: its box begins in row 0 and column 0."""
    top = min(row for row, _ in cells)
    left = min(column for _, column in cells)
    return frozenset((row - top, column - left) for row, column in cells)


def orientations(shape: Shape) -> tuple[Shape, ...]:
    """Return the eight orientations: 0 to 3 quarter turns clockwise, 4 to 7 the same after a left-right flip (5.8).

    >>> [len(set(orientations(parse_shape(rows)))) for rows in ("11/11", "111", "110/011", "1111/1000")]
    [1, 2, 4, 8]
    """
    turned = []
    for face in (shape, normalised(frozenset((row, -column) for row, column in shape))):
        for _ in range(4):
            turned.append(face)
            face = normalised(frozenset((column, -row) for row, column in face))
    return tuple(turned)


@dataclass(frozen=True, slots=True)
class Orientation:
    """One way to lay a patch on a quilt: its orientation `number` and where it can go.

    `pattern` is the set of cells it covers with its box in the top left corner of the quilt, `offsets` the same as bit
    numbers, and `corners` the cells on which the top left corner of its box may lie.
    """

    number: int
    pattern: int
    corners: int
    offsets: tuple[int, ...] = field(repr=False)

    def fits(self, free: int) -> int:
        """Return the corners from which every cell of the patch meets a cell of `free`."""
        corners = self.corners
        for offset in self.offsets:
            corners &= free >> offset
        return corners


@lru_cache(maxsize=4096)
def ways_to_lay(shape: Shape, quilt_size: int) -> tuple[Orientation, ...]:
    """Return for each of the eight orientation numbers the way to lay the shape on a square quilt.

    Orientations that cover the same cells are the same object, under the lowest of their numbers.

    >>> [way.number for way in ways_to_lay(parse_shape("111"), quilt_size=9)]
    [0, 1, 0, 1, 0, 1, 0, 1]
    """
    known: dict[Shape, Orientation] = {}
    for number, cells in enumerate(orientations(shape)):
        if cells not in known:
            last_row, last_column = _last_row_and_column(cells)
            offsets = tuple(sorted(row * quilt_size + column for row, column in cells))
            corners = (
                row * quilt_size + column
                for row in range(quilt_size - last_row)
                for column in range(quilt_size - last_column)
            )
            known[cells] = Orientation(number, set_of(offsets), set_of(corners), offsets)
    return tuple(known[cells] for cells in orientations(shape))


def squares(side: int, quilt_size: int) -> tuple[int, ...]:
    """Return every square block of cells of this side on the quilt, as sets of cells, top left first (7.1).

    >>> len(squares(7, quilt_size=9))
    9
    """
    places = range(quilt_size - side + 1)
    return tuple(
        set_of((top + row) * quilt_size + left + column for row in range(side) for column in range(side))
        for top in places
        for left in places
    )


def _last_row_and_column(cells: Shape) -> tuple[int, int]:
    return max(row for row, _ in cells), max(column for _, column in cells)


def _is_connected(cells: Shape) -> bool:
    reached: set[tuple[int, int]] = set()
    frontier = [next(iter(cells))]
    while frontier:
        row, column = frontier.pop()
        if (row, column) in cells and (row, column) not in reached:
            reached.add((row, column))
            frontier += [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return len(reached) == len(cells)
