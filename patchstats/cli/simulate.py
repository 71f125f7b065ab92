"""patchstats simulate: games into a run directory."""

from __future__ import annotations

from typing import Any

import click

from patchstats.cli.options import (
    PLACE,
    chosen_ruleset,
    engine_option,
    games_per_shard_option,
    json_option,
    log_option,
    pairing_option,
    progress_option,
    ruleset_options,
    seats_option,
    workers_option,
)


@click.command()
@click.option("--games", type=int, required=True, help="How many games; with --stop-when at most so many.")
@click.option("--seed", type=int, required=True, help="The seed; the same seed gives the same games.")
@click.option("--out", type=PLACE, required=True, help="The directory of the run, or a URL such as s3://bucket/run.")
@seats_option("random,random")
@ruleset_options
@pairing_option("A ring a game; each ring twice, the agents swapping seats; or K games a ring.")
@click.option(
    "--stop-when",
    metavar="ci:W",
    help="End with the first shard after which the 95 % interval of the share of games that seat 0 won is at most W "
    "wide, such as ci:0.005.",
)
@log_option(
    "A row a game; the same with its actions, so that it can be replayed; also a row a ply; also a row a patch on "
    "offer."
)
@games_per_shard_option
@click.option(
    "--jitter",
    metavar="KEYS",
    default="",
    help="Change numbers of each patch by -1, 0 or 1, by lot, anew for each ring: cost, time, income, or several of "
    "them in this order, such as cost+time.  [default: none]",
)
@engine_option
@workers_option
@click.option(
    "--executor",
    type=click.Choice(["local", "dask"]),
    default="local",
    show_default=True,
    help="Who plays: this machine, or the workers of a Dask cluster.",
)
@click.option("--scheduler", metavar="ADDR", help="The address of the Dask scheduler, such as tcp://127.0.0.1:8786.")
@click.option("--dry-run", is_flag=True, help="Print what would be done, with estimates from a short calibration.")
@progress_option
@json_option
@click.pass_context
def simulate(
    context: click.Context, /, ruleset: str, changes: tuple[str, ...], dry_run: bool, as_json: bool, **settings: Any
) -> None:
    """Simulate games and write them as Parquet tables.

    Prints the run directory. The files depend on the ruleset, the agents, the seed, the number of games, --pairing,
    --stop-when, --log, --games-per-shard and --jitter alone. The same command again goes on with an interrupted run,
    mends a damaged one, and does nothing when all is there; a larger --games adds games.
    """
    import json
    from dataclasses import asdict

    given = context.get_parameter_source("workers") is not click.core.ParameterSource.DEFAULT
    if given and settings["executor"] == "dask":
        raise click.UsageError("--workers is for --executor local; a Dask cluster has the workers it was started with")
    settings["ruleset"] = chosen_ruleset(ruleset, changes)
    if dry_run:
        from patchstats.simulation.plan import plan

        found = plan(**settings)
        click.echo(json.dumps(asdict(found), indent=1) if as_json else _plan_page(found))
        return
    from patchstats.simulation.simulate import simulate as simulate_run

    run = simulate_run(**settings)
    if as_json:
        values = {"run": str(run.path), "run_id": run.run_id, "games": run.manifest.games}
        remarks = list(dict.fromkeys(agent["remark"] for agent in run.spec["agents"] if "remark" in agent))
        more = {"remarks": remarks} if remarks else {}
        click.echo(json.dumps({**values, "shards": len(run.manifest.shards), **more}, indent=1))
    else:
        click.echo(run.path)


def _plan_page(plan: Any) -> str:
    there = plan.shards - plan.shards_missing
    games = f"{plan.games:,}" if plan.stop_when is None else f"at most {plan.games:,}"
    lines = [
        f"run       {plan.run} (id {plan.run_id})",
        f"games     {games} in {plan.shards:,} shards, of which {there:,} are there",
    ]
    if plan.jitter:
        lines.append(f"jitter    {plan.jitter}, by -1, 0 or 1 for each patch, anew for each ring")
    if not plan.shards_missing:
        return "\n".join([*lines, f"bytes     {_size(plan.bytes)}"])
    return "\n".join(
        [
            *lines,
            f"played by {plan.engine} engine, {plan.workers} at a time",
            f"bytes     about {_size(plan.bytes)}",
            f"time      about {_duration(plan.seconds)}, judging by {plan.calibration_games:,} games played now",
        ]
    )


def _size(size: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:,.3g} {unit}"
        size /= 1000
    return f"{size:,.3g} TB"


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{max(seconds, 0.1):.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
