"""patchstats train: the learned evaluation, again from nothing."""

from __future__ import annotations

import click

from patchstats.cli.options import PLACE, json_option, progress_option, workers_option


@click.command()
@click.option("--out", type=PLACE, required=True, help="The directory for lessons and networks.")
@click.option(
    "--ruleset",
    "rulesets",
    metavar="NAME|FOLDER",
    multiple=True,
    help="A ruleset to be learned; may be given several times.  [default: original and revised]",
)
@click.option("--seed", type=int, default=1, show_default=True, help="The seed of the games and of the fit.")
@workers_option
@progress_option
@json_option
def train(out: str, rulesets: tuple[str, ...], seed: int, workers: int, progress: str, as_json: bool) -> None:
    """Learn the evaluation of positions from nothing, by rounds of self-play.

    Prints where the network is; `puct:network=FILE` plays with it. The same command again goes on with a training that
    was broken off, and does nothing when all is there.
    """
    import json
    from functools import partial
    from importlib import import_module

    from patchstats.simulation.threads import aside

    training = aside(partial(import_module, "patchstats.training"))  # it compiles something, once
    network = training.train(
        out=out,
        rulesets=rulesets or ("original", "revised"),
        seed=seed,
        workers=workers,
        progress=progress,
    )
    click.echo(json.dumps({"network": network}, indent=1) if as_json else network)
