"""patchstats screen: all prices are changed by lot in every game, to see which of them matter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from patchstats.cli.options import (
    PLACE,
    chosen_ruleset,
    engine_option,
    json_option,
    pairing_option,
    progress_option,
    ruleset_options,
    seats_option,
    workers_option,
)
from patchstats.cli.tables import table

if TYPE_CHECKING:
    from patchstats.experiments import Screening


@click.command()
@ruleset_options
@seats_option("greedy,greedy")
@click.option("--games", type=int, default=40_000, show_default=True, help="How many games.")
@click.option("--seed", type=int, default=1, show_default=True, help="The seed.")
@click.option(
    "--jitter",
    default="cost",
    show_default=True,
    help="Which numbers of each patch are changed by a step: cost, time, income, or several, such as cost+time+income.",
)
@click.option("--top", type=click.IntRange(1), default=5, show_default=True, help="How many factors are printed.")
@pairing_option("How often each ring is played, as of patchstats simulate; all games on a ring have the same prices.")
@click.option(
    "--out", type=PLACE, help="The directory, or URL, for the run, a figure and the answer; without it nothing is kept."
)
@engine_option
@workers_option
@progress_option
@json_option
def screen(
    ruleset: str, changes: tuple[str, ...], top: int, out: Path | str | None, as_json: bool, **settings: Any
) -> None:
    """Estimate what each price does, from games in which all of them are changed by lot.

    Prints for each outcome the factors with the greatest effects of one step up, with intervals and q-values, and last
    what a step does to how often somebody buys the patch itself. The same command with the same --out goes on where it
    was interrupted, and more --games add games.
    """
    import json

    from patchstats.experiments import screen as find

    found = find(**settings, ruleset=chosen_ruleset(ruleset, changes), out=out)
    answer = json.dumps(found.to_dict(), indent=1)
    if out is not None:
        _keep(found, answer, out)
    click.echo(answer if as_json else _page(found, top))


def _keep(found: Screening, answer: str, out: Path | str) -> None:
    from patchstats.analysis.figures.tornado import tornado
    from patchstats.cli.kept import keep

    keep(out, "screen", answer, tornado({f"{name} ({found.units[name]})": one for name, one in found.effects.items()}))


def _page(found: Screening, top: int) -> str:
    parts = []
    for outcome, frame in found.effects.items():
        unit, scale = ("pp", 100.0) if found.units[outcome] == "share" else (found.units[outcome], 1.0)
        rows = [
            [
                str(factor),
                f"{scale * row['estimate']:+.2f} {unit}",
                f"[{scale * row['low']:+.2f}, {scale * row['high']:+.2f}]",
                f"{row['q_value']:.2g}",
            ]
            for factor, row in frame.head(top).iterrows()
        ]
        apart = int((frame["q_value"] <= 0.05).sum())
        parts.append(
            table([outcome, "one step up", "95 % interval", "q"], rows)
            + f"\n{apart} of {len(frame)} with a q-value of at most 0.05"
        )
    parts.append(f"{found.games:,} games on {found.ruleset}, {' against '.join(found.agents)}, seed {found.seed}")
    return "\n\n".join(parts)
