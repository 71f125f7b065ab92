"""patchstats simulate: games into a run directory."""

from __future__ import annotations

from pathlib import Path

import click

from patchstats.cli.options import PLACE, chosen_ruleset, engine_option, processors, progress_option, ruleset_options


@click.command()
@click.option("--games", type=int, required=True, help="How many games.")
@click.option("--seed", type=int, required=True, help="The seed; the same seed gives the same games.")
@click.option("--out", type=PLACE, required=True, help="The directory of the run.")
@click.option(
    "--agents",
    metavar="A,B",
    default="random,random",
    show_default=True,
    help="The agents at seat 0, which moves first, and seat 1 (see patchstats agents).",
)
@ruleset_options
@click.option(
    "--log",
    type=click.Choice(["summary", "games", "turns"]),
    default="games",
    show_default=True,
    help="A row a game; the same with its actions, so that it can be replayed; also a row a ply.",
)
@click.option("--workers", type=int, default=None, help="How many play at a time.  [default: one a processor]")
@engine_option
@progress_option
def simulate(
    games: int,
    seed: int,
    out: Path,
    agents: str,
    ruleset: str,
    changes: tuple[str, ...],
    log: str,
    workers: int | None,
    engine: str,
    progress: str,
) -> None:
    """Simulate games and write them as Parquet tables.

    Prints the run directory. The files depend on the ruleset, the agents, the seed, the number of games and --log
    alone. The same command again goes on with an interrupted run, and does nothing when all is there; a larger --games
    adds games.
    """
    from patchstats.simulation.simulate import simulate as simulate_run

    run = simulate_run(
        games=games,
        seed=seed,
        out=out,
        agents=agents.split(","),
        ruleset=chosen_ruleset(ruleset, changes),
        log=log,
        workers=processors() if workers is None else workers,
        progress=progress,
        engine=engine,
    )
    click.echo(run.path)
