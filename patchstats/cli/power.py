"""patchstats power: how many games a question takes, and what so many games can tell."""

from __future__ import annotations

import json

import click

from patchstats.cli.options import json_option


@click.command()
@click.option(
    "--difference",
    type=float,
    help="What is to be found: how far a share of games is from another (0.01 is one percentage point), or, with --sd, "
    "a mean.",
)
@click.option("--games", type=int, help="Instead: what can so many games find?")
@click.option(
    "--sd",
    type=float,
    default=0.5,
    show_default=True,
    help="The standard deviation of what is averaged: of a share 0.5; of paired games, that of their difference.",
)
@click.option("--equivalence", is_flag=True, help="It is to be shown that there is no difference so large.")
@click.option("--games-per-ring", type=int, default=1, show_default=True, help="How often each ring is played.")
@click.option(
    "--icc",
    type=float,
    default=0.0,
    show_default=True,
    help="How alike games on a ring go, from 0 to 1.",
)
@click.option("--power", type=float, default=0.8, show_default=True, help="How often it is to be found if it is there.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="How often it may be found if it is not.")
@json_option
def power(
    difference: float | None,
    games: int | None,
    sd: float,
    equivalence: bool,
    games_per_ring: int,
    icc: float,
    power: float,
    alpha: float,
    as_json: bool,
) -> None:
    """Tell how many games a question takes.

    Is the first player ahead by a percentage point? --difference 0.01. Does a dearer patch change the mean score by a
    quarter of a point, if the difference of paired games has the standard deviation 4.4? --difference 0.25 --sd 4.4.
    """
    from patchstats.analysis.checks import positive
    from patchstats.analysis.power import design_effect, detectable, units, units_for_equivalence

    if (difference is None) == (games is None):
        raise click.UsageError("give either --difference, such as 0.01, or --games")
    try:
        spread = positive(sd, "the sd") * design_effect(games_per_ring, icc) ** 0.5
        if games is not None:
            if equivalence:
                raise click.UsageError("--equivalence goes with --difference")
            found = detectable(games, spread, power, alpha)
            answer = {"games": games, "difference": found}
            text = f"{games:,} games can tell a difference of {found:.4g}"
        else:
            assert difference is not None, "one of the two is given"
            needed = (units_for_equivalence if equivalence else units)(difference, spread, power, alpha)
            needed = -(-needed // games_per_ring) * games_per_ring
            answer = {"games": needed, "difference": difference}
            what = "show that there is no" if equivalence else "can tell a"
            text = f"{needed:,} games {what} difference of {difference:g}"
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    chances = f"found in {power:.0%} of such runs if it is there, and in {alpha:.0%} if it is not"
    if equivalence:
        chances = f"shown in {power:.0%} of such runs if there is none, and in {alpha:.0%} if there is one"
    click.echo(json.dumps(answer) if as_json else f"{text}, {chances}")
