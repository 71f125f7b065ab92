"""Sets of cells of a quilt, as integers.

Cell `row * size + column` is in the set if and only if that bit is 1; rows and columns count from 0 at the top left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def set_of(cells: Iterable[int]) -> int:
    """Return the set that holds these cells.

    >>> set_of([0, 2, 2])
    5
    """
    result = 0
    for cell in cells:
        result |= 1 << cell
    return result


def cells_in(cells: int) -> Iterator[int]:
    """Yield the cells of a set in rising order.

    >>> list(cells_in(5))
    [0, 2]
    """
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest


def nth_cell(cells: int, n: int) -> int:
    """Return the cell that has exactly `n` smaller ones in the set; the set must hold more than `n`.

    >>> nth_cell(0b10110, 2)
    4
    """
    for _ in range(n):
        cells &= cells - 1
    return (cells & -cells).bit_length() - 1


def all_cells(quilt_size: int) -> int:
    """Return the set of all cells of a square quilt.

    >>> all_cells(9).bit_count()
    81
    """
    return (1 << quilt_size * quilt_size) - 1
