"""The patches in a report: the table that can be sorted, and what its columns mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from patchstats.analysis.estimate import Estimate
from patchstats.analysis.report.elements import Cell, interval_of, number_cell, part_of, reasons, tabled
from patchstats.analysis.report.numbers import Missing, Report
from patchstats.analysis.report.pictures import small_patch, text

if TYPE_CHECKING:
    import pandas as pd


def patches(report: Report) -> str:
    """The section about the patches."""
    parts = [
        "<ul><li><b>Bought</b>: the share of games in which anybody bought it; <b>space</b>: where the buyer's token "
        "stood on average.</li>"
        "<li><b>Buyer wins (confounded)</b>: how often who bought it won. This is no effect of the patch: who buys a "
        "patch chose it, could pay it and had room for it. q-value of one half.</li>"
        f"<li><b>First offer</b>: by how many percentage points seat 0 wins more often when the patch is among the "
        f"first {report.ruleset.offer_size} of the ring than when it is not. That is drawn by lot, so that it is an "
        "effect: of being the first who may buy it.</li>"
        "<li><b>Price residual</b>: what it costs more than its cells, income and time explain, by a regression over "
        "all patches of the list; no game is needed for it.</li>"
        "<li><b>Surplus</b>: by how many buttons it was worth more than the best other option, to the agent that was "
        "offered it and could pay it: below 0 it is seldom the best choice at its price.</li></ul>"
    ]
    parts += reasons([report.holders, report.access, *report.surplus.values()])
    if not report.patches["residual"].notna().any():
        parts.append('<p class="missing">The prices are too few or too much alike for a price residual.</p>')
    columns = _columns(report)
    heads = [head for head, _ in columns]
    rows = [[cell(str(patch)) for _, cell in columns] for patch in report.patches.index]
    parts.append('<p class="screen">Click the head of a column to sort by it.</p>')
    parts.append(f'<div class="wide">{tabled("The patches", heads, rows, sortable=True)}</div>')
    if "patches" in report.seen:
        parts.append(f"<p>Who bought what: from {report.seen['patches']:,} games{part_of(report, 'patches')}.</p>")
    if "offers" in report.seen:
        parts.append(f"<p>Surplus: from {report.seen['offers']:,} games{part_of(report, 'offers')}.</p>")
    return "\n".join(parts)


def _columns(report: Report) -> list[tuple[str, Any]]:
    """The heads of the table of patches, and for each what it shows of a patch."""
    numbers: Mapping[Any, Any] = report.patches.to_dict("index")
    ruleset = report.ruleset

    def number(name: str, form: str) -> Any:
        return lambda patch: number_cell(numbers[patch][name], form)

    columns: list[tuple[str, Any]] = [
        ("patch", lambda patch: Cell(text(patch), ruleset.number_of(patch))),
        ("shape", lambda patch: Cell(small_patch(ruleset, patch))),
        *((head, number(name, "g")) for head, name in (("cost", "cost"), ("time", "time"), ("income", "income"))),
        ("cells", number("size", "g")),
    ]
    if "bought" in report.patches:
        columns += [("bought", number("bought", ".1%")), ("space", number("space", ".1f"))]
    for head, found, factor, form in (
        ("buyer wins, % (confounded)", report.holders, 100, ".1f"),
        ("first offer, pp", report.access, 100, "+.1f"),
    ):
        columns += _estimates(head, found, factor, form)
    columns.append(("price residual, buttons", number("residual", "+.2f")))
    for agent, surplus in report.surplus.items():
        head = "surplus, buttons" if len(report.surplus) == 1 else f"surplus to {text(agent)}, buttons"
        columns += _estimates(head, surplus, 1, "+.2f")
    return columns


def _estimates(head: str, found: pd.DataFrame | Missing, factor: float, form: str) -> list[tuple[str, Any]]:
    """The columns of an estimate of each patch and of its q-value; none where there is no estimate of any."""
    if isinstance(found, Missing) or not found["estimate"].notna().any():
        return []

    rows: Mapping[Any, Any] = found.to_dict("index")

    def estimate(patch: str) -> Cell:
        row = rows.get(patch)
        if row is None or math.isnan(row["estimate"]):
            return Cell("")
        return Cell(interval_of(Estimate(row["estimate"], row["low"], row["high"]), factor, form), row["estimate"])

    def q_value(patch: str) -> Cell:
        value = rows.get(patch, {}).get("q_value", math.nan)
        return Cell("&lt;0.001", value) if value < 0.001 else number_cell(value, ".3f")

    return [(head, estimate), (f"q of {head.partition(',')[0]}", q_value)]
