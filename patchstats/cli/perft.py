"""patchstats perft: how many sequences of actions there are, to find where two engines part."""

from __future__ import annotations

import click

from patchstats.cli.options import chosen_ruleset, engine_option, json_option, ruleset_options


@click.command()
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="Lays the ring, as for game 0 of a run.  [default: 1]")
@click.option("--position", metavar="TEXT", help="Count from this position string instead of the start.")
@click.option("--depth", type=click.IntRange(0), required=True, help="How many actions long the sequences are.")
@click.option("--divide", "divided", is_flag=True, help="Print the count behind each first action.")
@engine_option
@ruleset_options
@json_option
def perft(
    seed: int | None,
    position: str | None,
    depth: int,
    divided: bool,
    engine: str,
    ruleset: str,
    changes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Count the sequences of legal actions of a length, placements of patches and of leathers included.

    A right engine gives the same counts. Where it does not, --divide shows which first action to follow.
    """
    import json

    from patchstats.conformance.perft import counter, divide
    from patchstats.notation import format_position, parse_position
    from patchstats.rules import Position
    from patchstats.simulation.game import ring_of

    chosen = chosen_ruleset(ruleset, changes)
    if position is None:
        start = Position.start(chosen, ring_of(chosen, 1 if seed is None else seed, 0))
    elif seed is not None:
        raise click.UsageError("--seed lays a ring, and --position has one already: give one of them")
    else:
        start = parse_position(position, chosen)
        for fault in start.status():
            raise click.UsageError(f"no game shows this position: {fault}")
    if divided and depth == 0:
        raise click.UsageError("--divide needs a --depth of 1 or more")
    count = counter(chosen, engine)
    behind = divide(start, depth, count) if divided else {}
    nodes = sum(behind.values()) if divided else count(start, depth)
    if as_json:
        answer = {"position": format_position(start), "depth": depth, "nodes": nodes}
        click.echo(json.dumps({**answer, "divide": behind} if divided else answer, indent=1))
        return
    for token, number in behind.items():
        click.echo(f"{token} {number}")
    click.echo(nodes)
