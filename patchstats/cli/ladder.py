"""patchstats ladder: every two of some agents play mirrored pairs, and all are rated; or each plays itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from patchstats.cli.options import (
    PLACE,
    chosen_ruleset,
    engine_option,
    games_per_shard_option,
    json_option,
    log_option,
    progress_option,
    ruleset_options,
    specs,
    workers_option,
)
from patchstats.cli.tables import table

if TYPE_CHECKING:
    from patchstats.analysis.sprt import Sprt
    from patchstats.experiments import Ladder, MirrorResult


@click.command()
@click.option(
    "--agents",
    metavar="A,B,...",
    callback=specs,
    required=True,
    help="The agents, each named once (see patchstats agents).",
)
@click.option(
    "--games",
    type=int,
    required=True,
    help="How many games each two play, an even number, or at most with --sprt; with --mirror, how many each plays.",
)
@click.option("--seed", type=int, required=True, help="The seed; every two agents play the same rings.")
@click.option(
    "--out",
    type=PLACE,
    required=True,
    help="The directory, or URL, below which each two agents have a run of their own.",
)
@ruleset_options
@click.option("--gauntlet", is_flag=True, help="Let the agent named first play all others, and these not each other.")
@click.option(
    "--mirror",
    is_flag=True,
    help="Let each agent play itself instead, a game a ring: what the first seat is worth to it, and its style.",
)
@click.option(
    "--sprt",
    metavar="ELO0,ELO1",
    help="Let two agents play no more once a sequential test can tell whether the one named first is ELO0 or ELO1 Elo "
    "points stronger, such as 0,20.",
)
@click.option("--alpha", type=float, help="How often --sprt may accept ELO1 where ELO0 is true.  [default: 0.05]")
@click.option("--beta", type=float, help="How often --sprt may accept ELO0 where ELO1 is true.  [default: 0.05]")
@log_option("What the runs hold, as of patchstats simulate.")
@games_per_shard_option
@engine_option
@workers_option
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also draw the ratings, as .svg or .png by the suffix.",
)
@progress_option
@json_option
def ladder(
    ruleset: str,
    changes: tuple[str, ...],
    gauntlet: bool,
    mirror: bool,
    sprt: str | None,
    alpha: float | None,
    beta: float | None,
    plot: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Let every two agents play mirrored pairs, and rate them.

    Prints ratings, what came of the games of each two, mean scores, and how much of who beats whom ratings do not
    explain; with --mirror, how often seat 0 wins where an agent plays itself, and by how much, and mean scores.
    docs/ladder.md tells what each number means. The runs depend on the ruleset, the agents, the seed, --games,
    --sprt, --log and --games-per-shard alone. The same command again goes on with an interrupted ladder, and plays
    nothing when all is there; a larger --games adds games, and more --agents add runs.
    """
    import json

    test = _test(sprt, alpha, beta)
    if mirror and (test or plot or gauntlet):
        raise click.UsageError("--sprt, --plot and --gauntlet are for agents that play each other; leave out --mirror")
    if plot is not None:
        _check_plot(plot)
    settings["ruleset"] = chosen_ruleset(ruleset, changes)
    from patchstats import experiments

    if mirror:
        of_each = experiments.mirror(**settings)
        as_text = json.dumps([one.to_dict() for one in of_each], indent=1) if as_json else _mirror_page(of_each)
        click.echo(as_text)
        return
    found = experiments.ladder(**settings, sprt=test, gauntlet=gauntlet)
    if plot is not None:
        _draw(found, plot)
    click.echo(json.dumps(found.to_dict(), indent=1) if as_json else _page(found, cycles=not gauntlet))


def _test(sprt: str | None, alpha: float | None, beta: float | None) -> Sprt | None:
    if sprt is None:
        if alpha is not None or beta is not None:
            raise click.UsageError("--alpha and --beta are for --sprt ELO0,ELO1; give that, too")
        return None
    try:
        elo0, elo1 = map(float, sprt.split(","))
    except ValueError:
        raise click.UsageError(f"--sprt takes two numbers of Elo points, such as 0,20, not {sprt!r}") from None
    from patchstats.analysis.sprt import Sprt

    chances = {name: value for name, value in (("alpha", alpha), ("beta", beta)) if value is not None}
    return Sprt(elo0, elo1, **chances)


def _check_plot(path: Path) -> None:
    """Refuse what cannot be drawn before hours are spent on games."""
    from patchstats.analysis.figures.style import SUFFIXES

    if path.suffix.lower() not in SUFFIXES:
        raise click.UsageError(f"--plot {path}: give a file whose name ends in {' or '.join(SUFFIXES)}")
    if not path.parent.is_dir():
        raise click.UsageError(f"--plot {path}: there is no directory {path.parent}; make it")


def _draw(ladder: Ladder, path: Path) -> None:
    from patchstats.analysis.figures.forest import plot_ratings
    from patchstats.analysis.figures.style import save_plot
    from patchstats.errors import RunError

    try:
        save_plot(plot_ratings(ladder.ratings), path)
    except OSError as error:
        raise RunError(f"{path} cannot be written: {error.strerror or error}; the games are kept") from None


def _page(ladder: Ladder, cycles: bool) -> str:
    ratings = ladder.ratings
    best_first = sorted(zip(ratings.agents, ratings.elo, strict=True), key=lambda one: -one[1].value)
    tests = any(pair.verdict for pair in ladder.pairs)
    verdicts = [[_said(pair.verdict)] if tests else [] for pair in ladder.pairs]
    return "\n\n".join(
        [
            table(
                ["rating", "Elo", "95 % interval"],
                [*([agent, *_apart(elo)] for agent, elo in best_first), ["advantage of seat 0", *_apart(ratings.seat)]],
            ),
            table(
                ["pair", "against", "games", "won", "95 % interval", "margin", *(["test"] if tests else [])],
                [
                    [*pair.agents, f"{pair.games:,}", *_apart(pair.share), f"{pair.margin.value:+.1f}", *verdict]
                    for pair, verdict in zip(ladder.pairs, verdicts, strict=True)
                ],
            ),
            table(
                ["mean of", "games", "score", "empty", "7x7 bonus"],
                [
                    [one.agent, f"{one.games:,}", f"{one.score:.1f}", f"{one.empty:.1f}", f"{one.bonus:.1%}"]
                    for one in sorted(
                        ladder.scores, key=lambda one: [agent for agent, _ in best_first].index(one.agent)
                    )
                ],
            ),
            *([_cyclic(ladder)] if cycles and len(ladder.agents) > 2 else []),
        ]
    )


def _mirror_page(of_each: Sequence[MirrorResult]) -> str:
    return table(
        ["against itself", "games", "seat 0 won", "95 % interval", "margin", "score", "empty", "7x7 bonus"],
        [
            [
                *(one.agent, f"{one.games:,}", *_apart(one.share), f"{one.margin.value:+.1f}"),
                *(f"{one.score:.1f}", f"{one.empty:.1f}", f"{one.bonus:.1%}"),
            ]
            for one in of_each
        ],
    )


def _cyclic(ladder: Ladder) -> str:
    found = ladder.cyclicity
    lines = [
        f"cyclicity  {found.share:.1%} of who beats whom is not explained by ratings "
        f"({found.by_chance:.1%} would be by chance, p = {found.p_value:.2g})"
    ]
    circles = [
        f"           {' beats '.join([*triple.agents, triple.agents[0]])} (p = {triple.p_value:.2g})"
        for triple in found.triples
    ]
    return "\n".join(lines + circles)


def _apart(estimate: Any) -> list[str]:
    """What is estimated and its interval, as two cells."""
    value, _, interval = str(estimate).partition(" ")
    return [value, interval]


def _said(verdict: Any) -> str:
    if verdict.accepted is None:
        return f"open (LLR {verdict.llr:+.2f})"
    return f"{verdict.accepted} after {2 * verdict.pairs:,} games"
