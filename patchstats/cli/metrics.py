"""patchstats metrics: tables of metrics, shipped ones and one's own, beside a run."""

from __future__ import annotations

from typing import Any

import click

from patchstats.cli.options import PLACE, json_option, processors, progress_option


@click.command()
@click.argument("run", type=PLACE, required=False)
@click.option(
    "--metric",
    "metrics",
    metavar="NAME|module:Class",
    multiple=True,
    help="A shipped metric, or a class of one's own; may be given several times.",
)
@click.option("--workers", type=int, help="How many processes replay games.  [default: one a processor]")
@click.option("--again", is_flag=True, help="Compute everything again, and replace another metric of the same name.")
@progress_option
@json_option
def metrics(run: Any, metrics: tuple[str, ...], workers: int | None, again: bool, progress: str, as_json: bool) -> None:
    """Compute metrics of a finished run by replaying its games, each into a table beside the others.

    Prints the directories of the tables. The same command again goes on with an interrupted computation, and after the
    run was extended or mended computes what has changed. Without RUN it lists the shipped metrics.
    """
    import json

    if run is None and metrics:
        raise click.UsageError("--metric needs the RUN whose games are to be watched")
    if run is None:
        from patchstats.metrics import METRICS, line_about

        lines = {name: line_about(kind) for name, kind in METRICS.items()}
        click.echo(
            json.dumps(lines, indent=1) if as_json else "\n".join(f"{name}\n    {lines[name]}" for name in lines)
        )
        return
    if not metrics:
        raise click.UsageError("name a metric of the run with --metric; patchstats metrics lists the shipped ones")
    from patchstats.dataset.store import store_at
    from patchstats.simulation.metrics import compute_metrics

    workers = processors() if workers is None else workers
    tables = compute_metrics(run, metrics, workers=workers, again=again, progress=progress)
    found = [
        {
            "metric": table.metric.spec,
            "table": store_at(run).where(table.metric.table),
            "rows": sum(part.file.rows for part in table.parts),
            "sha256": table.metric.sha256,
        }
        for table in tables
    ]
    click.echo(json.dumps(found, indent=1) if as_json else "\n".join(str(one["table"]) for one in found))
