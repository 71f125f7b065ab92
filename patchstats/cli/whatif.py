"""patchstats whatif: the same games by the rules as they are and as they might be, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from patchstats.cli.options import (
    PLACE,
    engine_option,
    json_option,
    pairing_option,
    progress_option,
    seats_option,
    workers_option,
)
from patchstats.cli.tables import table

if TYPE_CHECKING:
    from patchstats.experiments import WhatIf
    from patchstats.experiments.whatif import Difference


@click.command()
@click.option(
    "--set",
    "changes",
    metavar="KEY=VALUE",
    multiple=True,
    help="What is changed, such as patches.p21.cost=1, or several values in turn: patches.p21.cost=0..4. May be given "
    "several times, for changes that are made together.",
)
@click.option("--against", metavar="NAME|FOLDER", help="Compare with this ruleset, to which --set then applies.")
@click.option("--ruleset", metavar="NAME|FOLDER", default="original", show_default=True, help="The rules as they are.")
@seats_option("greedy,greedy")
@click.option("--pairs", type=int, default=20_000, show_default=True, help="How many games by each ruleset.")
@click.option("--seed", type=int, default=1, show_default=True, help="The seed; all rulesets have the same rings.")
@pairing_option("How often each ring is played by each ruleset, as of patchstats simulate.")
@click.option(
    "--out",
    type=PLACE,
    help="The directory, or URL, for the runs, a figure and the answer; without it nothing is kept.",
)
@engine_option
@workers_option
@progress_option
@json_option
def whatif(
    changes: tuple[str, ...], against: str | None, out: Path | str | None, as_json: bool, **settings: Any
) -> None:
    """Compare a ruleset with a changed one, on the same rings and random numbers.

    Prints what is so by both, the difference with its interval, how many times as many games runs that share nothing
    would take to be as sure, and how many games went exactly alike. The same command with the same --out goes on where
    it was interrupted, and more --pairs add games.
    """
    import json

    from patchstats.experiments import whatif as compare

    found = compare(**settings, changes=changes, against=against, out=out)
    answer = json.dumps(found.to_dict(), indent=1)
    if out is not None:
        _keep(found, answer, out)
    click.echo(answer if as_json else _page(found))


def _keep(found: WhatIf, answer: str, out: Path | str) -> None:
    from patchstats.analysis.figures.differences import plot_differences
    from patchstats.cli.kept import keep

    by_variant = {
        variant.label: {f"{one.name} ({one.unit})": one.found.difference for one in variant.differences}
        for variant in found.variants
    }
    keep(out, "whatif", answer, plot_differences(by_variant))


def _page(found: WhatIf) -> str:
    parts = []
    for variant in found.variants:
        heads = [variant.label, found.base, "changed", "difference", "95 % interval", "variance ratio"]
        rows = [_row(one) for one in variant.differences]
        parts.append(f"{table(heads, rows)}\nunchanged games  {variant.unchanged}")
    parts.append(f"{found.games:,} games by each ruleset, {' against '.join(found.agents)}, seed {found.seed}")
    parts += found.remarks
    return "\n\n".join(parts)


def _row(one: Difference) -> list[str]:
    found = one.found
    value, low, high = found.difference
    ratio = "same" if low == high == 0 else f"{found.variance_ratio:.1f}"
    if one.unit == "share":
        numbers = [f"{found.base:.1%}", f"{found.new:.1%}", f"{100 * value:+.2f} pp"]
        return [one.name, *numbers, f"[{100 * low:+.2f}, {100 * high:+.2f}]", ratio]
    return [one.name, f"{found.base:.2f}", f"{found.new:.2f}", f"{value:+.2f}", f"[{low:+.2f}, {high:+.2f}]", ratio]
