"""patchstats report: a run as one page for a designer to send on."""

from __future__ import annotations

from pathlib import Path

import click

from patchstats.cli.kept import write_file
from patchstats.cli.options import PLACE, json_option, run_argument


@click.command()
@run_argument
@click.option(
    "--out", type=PLACE, required=True, help="The page, whose name ends in .html; one that is there is replaced."
)
@json_option
def report(run: Path | str, out: Path | str, as_json: bool) -> None:
    """Write what a run tells as one HTML page that needs nothing else: no network, and no other file.

    Who begins, scores, patches, economy, bonus, tension, games to look at, and how far all that can be relied on. Where
    the run lacks a table, the page names the command that would log it. Prints the path of the page, or with --json its
    numbers.
    """
    import json

    from patchstats.analysis.report import collect, page
    from patchstats.dataset.run import open_run

    if not str(out).endswith(".html"):
        raise click.UsageError(f"--out {out}: the name of a page ends in .html")
    found = collect(open_run(run))
    write_file(out, page(found))
    click.echo(json.dumps(found.to_dict(), indent=1) if as_json else out)
