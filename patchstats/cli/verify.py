"""patchstats verify: whether the files of a run say what its games were."""

from __future__ import annotations

import re
from pathlib import Path

import click

from patchstats.cli.options import json_option, progress_option, run_argument
from patchstats.errors import VerificationError


@click.command()
@run_argument
@click.option(
    "--games", metavar="N|all", default="all", show_default=True, help="How many games, evenly spread, to replay."
)
@progress_option
@json_option
def verify(run: Path, games: str, progress: str, as_json: bool) -> None:
    """Check a run: checksums, and every column of every game against the game replayed by the reference engine.

    Exits with status 1 and a line for each finding when something is wrong.
    """
    import json

    from patchstats.simulation.verify import verify as verify_run

    if games != "all" and not re.fullmatch("[0-9]{1,18}", games):
        raise click.BadParameter(f"{games!r} is neither a number of games nor all", param_hint="--games")
    try:
        checked = verify_run(run, None if games == "all" else int(games), progress)
    except VerificationError as error:
        if as_json:
            click.echo(json.dumps({"run": str(run), "findings": str(error).splitlines()}, indent=1))
        raise VerificationError(f"{error}\nthe same again: patchstats verify {run} --games {games}") from None
    if as_json:
        click.echo(json.dumps({"run": str(run), "games": checked, "findings": []}, indent=1))
    else:
        replayed = f", {checked} games replayed, every column right" if checked else ""
        click.echo(f"{run}: every checksum right{replayed}")
