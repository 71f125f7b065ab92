"""Tables as text."""

from __future__ import annotations

from collections.abc import Sequence


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return columns of text, those of numbers to the right: all whose cells begin with a digit or a sign.

    >>> print(table(["patch", "cost"], [["p01", "2"], ["p33", "10"]]))
    patch  cost
    p01       2
    p33      10
    """
    columns = list(zip(heads, *rows, strict=True))
    number = [all(cell[:1] in "+-0123456789" for cell in column[1:]) for column in columns]
    widths = [max(map(len, column)) for column in columns]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, number, strict=True)
        ).rstrip()
        for row in [heads, *rows]
    )
