"""patchstats bench: how fast games are played on this machine."""

from __future__ import annotations

import click

from patchstats.cli.options import json_option


@click.command()
@click.option("--games", type=click.IntRange(1), default=500, show_default=True, help="Games a round.")
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True, help="Rounds of each measurement.")
@json_option
def bench(games: int, rounds: int, as_json: bool) -> None:
    """Measure whole games a second of CPU time of one core: median, least and greatest of several rounds in turn.

    `play` is the reference engine with its agents, `simulate` the same with the tables computed and written.
    """
    import json

    from patchstats.simulation.bench import measure

    figures = measure(games, rounds)
    if as_json:
        click.echo(json.dumps([figure._asdict() for figure in figures], indent=1))
        return
    click.echo(f"{'':24}{'median':>8}{'least':>8}{'most':>8}  games/s of CPU time, {rounds} rounds of {games} games")
    for one in figures:
        click.echo(f"{one.what:24}{one.median:8.0f}{one.least:8.0f}{one.most:8.0f}")
