"""patchstats audit: games that others recorded, and where each departs first from the rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from patchstats.cli.options import PLACE, chosen_ruleset, json_option, progress_option, ruleset_options, workers_option
from patchstats.errors import VerificationError

if TYPE_CHECKING:
    from patchstats.conformance.audit import Audit, Finding


@click.command()
@click.argument("file", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["auto", "letters", "records", "codes"]),
    default="auto",
    show_default=True,
    help="How the games are written; auto looks at the first line.",
)
@ruleset_options
@click.option("--out", type=PLACE, help="The directory, or URL, of a run for the games that keep the rules to the end.")
@click.option("--log", type=click.Choice(["games", "turns", "offers"]), help="What that run holds.  [default: games]")
@workers_option
@progress_option
@json_option
def audit(
    file: Path,
    format_name: str,
    ruleset: str,
    changes: tuple[str, ...],
    out: Path | str | None,
    log: str | None,
    workers: int,
    progress: str,
    as_json: bool,
) -> None:
    """Replay games that others recorded, and print where each of them departs first from the rules.

    FILE is a file of games, or a folder of our own game records. For each game that departs a line is printed, and then
    how many depart by each kind. Scores and winner are compared where the file has them. Exits with status 1 when a
    game departs. Nothing is repaired: --out keeps the games that were played to their end by the rules, as a run that
    verify, replay, metrics and report read.
    """
    import json
    import sys

    if log is not None and out is None:
        raise click.UsageError("--log goes with --out")
    findings: list[Finding] = []
    try:
        from patchstats.conformance.audit import audit as audit_file

        found = audit_file(
            file,
            format=format_name,
            ruleset=chosen_ruleset(ruleset, changes),
            out=out,
            log=log or "games",
            workers=workers,
            progress=progress,
            tell=findings.append if as_json else click.echo,
        )
    except KeyboardInterrupt:
        click.echo("patchstats: interrupted; nothing was written", err=True)
        sys.exit(130)
    click.echo(json.dumps(_values(found, findings), indent=1) if as_json else _summary(found, out))
    if found.departing:
        raise VerificationError(
            f"{found.departing} of {found.games} games in {file} depart from the rules of {found.ruleset.name}"
        )


def _summary(found: Audit, out: Path | str | None) -> str:
    from patchstats.conformance.departures import KINDS

    lines = ["1 game, clean" if found.games == 1 else f"{found.games} games, all clean"]
    if found.departing:
        clean = found.games - found.departing
        lines = [f"{found.games} games, {clean} clean; the others depart first by"]
    lines += [f"{count:>8}  {kind:<17}  {KINDS[kind]}" for kind, count in found.kinds.items()]
    if found.run is not None:
        played = "1 game was" if found.finished == 1 else f"{found.finished} games were"
        lines.append(f"{played} played to the end by the rules: {found.run}")
    elif out is not None:
        lines.append("no game was played to its end by the rules, so that there is no run")
    return "\n".join(lines)


def _values(found: Audit, findings: list[Finding]) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "file": str(found.file),
        "format": found.format,
        "ruleset": found.ruleset.name,
        "ruleset_id": found.ruleset.ruleset_id,
        "games": found.games,
        "clean": found.games - found.departing,
        "finished": found.finished,
        "run": None if found.run is None else str(found.run),
        "kinds": dict(found.kinds),
        "departures": [{"game": one.game, "where": one.where, **asdict(one.departure)} for one in findings],
    }
