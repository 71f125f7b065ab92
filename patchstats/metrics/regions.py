"""The connected parts of a set of cells, and those of a single cell."""

from __future__ import annotations

from functools import lru_cache

from patchstats.rules.cells import set_of


def regions(cells: int, quilt_size: int) -> list[int]:
    """Return the parts of a set of cells that hang together by their sides, each as a set of cells.

    >>> [part.bit_count() for part in regions(0b000_011_001, quilt_size=3)]
    [3]
    >>> [part.bit_count() for part in regions(0b100_010_001, quilt_size=3)]
    [1, 1, 1]
    """
    not_leftmost, not_rightmost = _all_but_edges(quilt_size)
    parts = []
    while cells:
        part = 0
        grown = cells & -cells
        while grown != part:
            part = grown
            grown |= (part & not_rightmost) << 1 | (part & not_leftmost) >> 1 | part << quilt_size | part >> quilt_size
            grown &= cells
        parts.append(part)
        cells ^= part
    return parts


def single_cells(cells: int, quilt_size: int) -> int:
    """Return the cells of a set that have no neighbour in it: the parts of one cell, as a set of cells.

    >>> single_cells(0b100_000_011, quilt_size=3) == 0b100_000_000
    True
    """
    not_leftmost, not_rightmost = _all_but_edges(quilt_size)
    beside = (cells & not_rightmost) << 1 | (cells & not_leftmost) >> 1 | cells << quilt_size | cells >> quilt_size
    return cells & ~beside


@lru_cache
def _all_but_edges(quilt_size: int) -> tuple[int, int]:
    """All cells but those of the leftmost column, and all but those of the rightmost."""
    cells = range(quilt_size * quilt_size)
    return (
        set_of(cell for cell in cells if cell % quilt_size != 0),
        set_of(cell for cell in cells if cell % quilt_size != quilt_size - 1),
    )
