"""patchstats bench: how fast both engines are on this machine."""

from __future__ import annotations

import click

from patchstats.cli.options import json_option, processors


@click.command()
@click.option("--games", type=click.IntRange(1), default=500, show_default=True, help="Games of the reference engine.")
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True, help="Rounds of each measurement.")
@click.option("--workers", type=click.IntRange(1), help="How many the compiled engine lets write at a time.")
@json_option
def bench(games: int, rounds: int, workers: int | None, as_json: bool) -> None:
    """Measure both engines in turn: median, least and greatest of several rounds.

    The engines play whole games without writing them; then games are simulated into a directory with both, with
    the action log and with a row a ply; agents that search decide positions early in games; and the compiled
    engine counts perft. In a round the compiled engine plays 100 times as many games as the reference engine (20
    times as many by greedy), and simulates 400 times as many. The ratio is that of the two engines in the same
    round.
    """
    import json

    from patchstats.simulation.bench import measure

    figures = measure(games, rounds, workers or processors())
    if as_json:
        click.echo(json.dumps([figure._asdict() for figure in figures], indent=1))
        return
    click.echo(f"{'':32}{'median':>14}{'least':>14}{'most':>14}{'ratio':>7}  {rounds} rounds")
    for one in figures:
        ratio = f"{one.ratio:.0f}" if one.ratio else ""
        click.echo(f"{one.what:32}{one.median:14,.0f}{one.least:14,.0f}{one.most:14,.0f}{ratio:>7}  {one.unit}")
