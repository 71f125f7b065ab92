"""The outline of a set of cells, as closed lines around it. Who draws them, and in which colours, is not known here.

Points are (x, y): x counts columns from the left edge of the quilt and y rows from its top edge, so that cell 0 has the
corners (0, 0) and (1, 1).
"""

from __future__ import annotations

from collections.abc import Iterator

from patchstats.rules.cells import cells_in

Point = tuple[float, float]
#: A direction as (x, y), and what is to the right of who walks that way; the inside of an outline always is.
RIGHT_OF = {(1, 0): (0, 1), (0, 1): (-1, 0), (-1, 0): (0, -1), (0, -1): (1, 0)}


def outlines(cells: int, quilt_size: int, inset: float = 0.0) -> list[list[Point]]:
    """Return the corners of each closed line around these cells, with the cells on the right of who walks along it.

    The lines run `inset` (in cells) inside the edge. There is one line for each connected part and one for each hole;
    cells that only touch at a corner are not connected.

    >>> outlines(0b11, quilt_size=9)
    [[(2.0, 0.0), (2.0, 1.0), (0.0, 1.0), (0.0, 0.0)]]
    """
    steps = set(_border(cells, quilt_size))
    lines = []
    while steps:
        x, y, direction = first = min(steps)
        corners: list[Point] = []
        while True:
            steps.remove((x, y, direction))
            x, y = x + direction[0], y + direction[1]
            right, left = RIGHT_OF[direction], RIGHT_OF[RIGHT_OF[RIGHT_OF[direction]]]
            # Right comes first, so that a line stays with its cell where two cells touch at a corner.
            onward = next(way for way in (right, direction, left) if (x, y, way) in steps or (x, y, way) == first)
            if onward != direction:
                ahead = RIGHT_OF[onward]
                corners.append((x + inset * (right[0] + ahead[0]), y + inset * (right[1] + ahead[1])))
            if (x, y, onward) == first:
                break
            direction = onward
        lines.append(corners)
    return lines


def _border(cells: int, quilt_size: int) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Yield the sides of cells behind which the set ends, as start and direction of one step along each."""
    inside = {(cell % quilt_size, cell // quilt_size) for cell in cells_in(cells)}
    for x, y in inside:
        if (x, y - 1) not in inside:
            yield x, y, (1, 0)
        if (x + 1, y) not in inside:
            yield x + 1, y, (0, 1)
        if (x, y + 1) not in inside:
            yield x + 1, y + 1, (-1, 0)
        if (x - 1, y) not in inside:
            yield x, y + 1, (0, -1)
