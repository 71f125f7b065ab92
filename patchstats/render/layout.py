"""Lines of text set in tables and side by side. What is printed with them is decided in `text.py` and `story.py`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

GAP = "    "


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Set rows under their heads: the first column to the left, the others to the right.

    >>> table(["", "buttons"], [["seat 0", 5], ["seat 1", 12]])
    ['        buttons', 'seat 0        5', 'seat 1       12']
    """
    cells = [list(head), *([str(value) for value in row] for row in rows)]
    first, *others = (max(map(len, column)) for column in zip(*cells, strict=True))
    return ["  ".join([row[0].ljust(first), *map(str.rjust, row[1:], others)]).rstrip() for row in cells]


def beside(*blocks: Sequence[str]) -> list[str]:
    """Set blocks of lines next to each other.

    >>> beside(["a", "bcd"], ["e"])
    ['a      e', 'bcd']
    """
    widths = [max(map(len, block), default=0) for block in blocks]
    return [GAP.join(map(str.ljust, lines, widths)).rstrip() for lines in zip_longest(*blocks, fillvalue="")]
