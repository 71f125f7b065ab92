"""The pieces that the sections of a report are built from, as HTML: tables, figures, and what is said in their place.

What is put into them is HTML already; what a user wrote is escaped before, by `pictures.text`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from patchstats.analysis.estimate import Estimate
from patchstats.analysis.report.numbers import Missing, Report, Spread
from patchstats.analysis.report.pictures import text


class Cell(NamedTuple):
    """A cell of a table: what it shows, as HTML, and the number it is sorted by, if any."""

    shown: str
    value: float | None = None


def part_of(report: Report, table: str) -> str:
    """Of how many games a sample is; nothing where it is all of them."""
    return f" (the first of {report.games:,})" if report.seen[table] < report.games else ""


def reasons(found: Iterable[Any]) -> list[str]:
    """Why some of these are missing, each reason once."""
    return [not_told(one) for one in dict.fromkeys(one for one in found if isinstance(one, Missing))]


def not_told(missing: Missing) -> str:
    """What is missing and why, and the command that logs it."""
    how = f"; this logs it: <code>{text(missing.command)}</code>" if missing.command else ""
    return f'<p class="missing">Not told here: {text(missing.why)}{how}.</p>'


def captioned(picture: str, caption: str) -> str:
    """A picture with its caption."""
    return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"


def tabled(name: str, heads: Sequence[str], rows: Sequence[Sequence[Cell]], *, sortable: bool = False) -> str:
    """A table in a box of its own, which scrolls where it is too wide for the page; heads are HTML already."""
    sorts = [sortable and any(row[place].value is not None for row in rows) for place in range(len(heads))]
    head = "".join(
        f'<th scope="col"{" data-sorts" if can else ""}>{one}</th>' for one, can in zip(heads, sorts, strict=True)
    )
    body = "\n".join(f"<tr>{''.join(_cell(cell, place) for place, cell in enumerate(row))}</tr>" for row in rows)
    kind = ' class="sortable"' if sortable else ""
    return (
        f'<div class="box" tabindex="0" role="region" aria-label="{text(name)}"><table{kind}>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def _cell(cell: Cell, place: int) -> str:
    value = "" if cell.value is None else f' data-value="{cell.value:.9g}"'
    return f'<th scope="row"{value}>{cell.shown}</th>' if place == 0 else f"<td{value}>{cell.shown}</td>"


def number_cell(value: float, form: str) -> Cell:
    """A cell that is sorted by its number; an empty one for what is no number."""
    return Cell("") if math.isnan(value) else Cell(f"{value:{form}}", float(value))


def interval_of(estimate: Estimate, factor: float = 1, form: str = "+.2f") -> str:
    """An estimate with its interval, all of it times a factor."""
    return f"{Estimate(*(factor * end for end in estimate)):{form}}"


def mean_of(spread: Spread) -> str:
    """The mean with its interval, or why it has none."""
    return "no interval: " + text(spread.mean.why) if isinstance(spread.mean, Missing) else f"{spread.mean:.2f}"
