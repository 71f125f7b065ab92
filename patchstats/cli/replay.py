"""patchstats replay: one game, as text, as a record, as a picture or as a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from patchstats.cli.kept import write_file
from patchstats.cli.options import PLACE, chosen_ruleset, ruleset_options
from patchstats.errors import NotationError, PatchstatsError, RecordError

if TYPE_CHECKING:
    from patchstats.notation import GameRecord
    from patchstats.rules import Ruleset


@click.command()
@click.argument("source", metavar="RUN|FILE", type=PLACE)
@click.option("--game", type=int, help="Which game of the run.")
@click.option("--text", "form", flag_value="text", default="text", help="Tell the game, ply by ply.  [default]")
@click.option(
    "--record",
    "form",
    flag_value="record",
    help="Print its game record, which scripted:FILE can play, unless --jitter changed its prices.",
)
@click.option(
    "--svg", metavar="FILE", type=PLACE, help="Write a picture of the game as it stands at its end, or --ply."
)
@click.option("--ply", metavar="N|start|end", help="With --svg: after which ply, counted from 0.  [default: end]")
@click.option(
    "--html", metavar="FILE", type=PLACE, help="Write a page that steps through the game and needs no network."
)
@ruleset_options
def replay(
    source: Path | str,
    game: int | None,
    form: str,
    svg: Path | str | None,
    ply: str | None,
    html: Path | str | None,
    ruleset: str,
    changes: tuple[str, ...],
) -> None:
    """Show one game of a run, or the game of a record file.

    --text and --record print it. --svg and --html write files, whole or not at all, over what had that name, and print
    their paths. --ruleset and --set are for a record file that was not played with a shipped ruleset.
    """
    from patchstats.dataset.run import open_run

    asked = click.get_current_context().get_parameter_source("form") is not click.core.ParameterSource.DEFAULT
    _check(form if asked else "", svg, ply, html)
    given = (ruleset, changes) != ("original", ())
    if isinstance(source, str) or source.is_dir():
        run = open_run(source)
        if game is None:
            raise click.UsageError("a run has many games: choose one with --game")
        if given:
            raise click.UsageError("--ruleset and --set are for a record file; a run knows its ruleset")
        record = run.record(game)
    elif game is not None and source.exists():
        raise click.UsageError("--game is for a run; a record file holds one game")
    else:
        record = _read(source, chosen_ruleset(ruleset, changes) if given else None)
    try:
        files = {}
        if svg is not None:
            files[svg] = _picture(record, ply)
        if html is not None:
            files[html] = _page(record)
        text = "" if files else _text(record, form)
    except RecordError as error:
        raise PatchstatsError(f"{source}: {error}") from None
    for place, content in files.items():
        write_file(place, content)
        click.echo(place)
    click.echo(text, nl=False)


def _check(form: str, svg: Path | str | None, ply: str | None, html: Path | str | None) -> None:
    """Refuse what cannot be meant, before anything is read."""
    for option, place, end in (("--svg", svg, ".svg"), ("--html", html, ".html")):
        if place is not None and not str(place).endswith(end):
            raise click.UsageError(f"{option} {place}: the name of the file ends in {end}")
    if form and (svg is not None or html is not None):
        raise click.UsageError(f"--{form} prints the game; with --svg or --html nothing is printed but their paths")
    if ply is not None and svg is None:
        raise click.UsageError("--ply is for --svg: it says which position the picture shows")
    if ply is not None and ply not in ("start", "end") and not (ply.isascii() and ply.isdigit()):
        raise click.UsageError(f"--ply {ply}: a ply is a number, counted from 0, or start or end")


def _text(record: GameRecord, form: str) -> str:
    from patchstats.notation import format_record
    from patchstats.render import game_text

    return format_record(record) if form == "record" else f"{game_text(record)}\n"


def _picture(record: GameRecord, ply: str | None) -> str:
    """The game after a ply, all of it, or before its first ply."""
    from patchstats.render import game_svg

    played = len(record.actions)
    if ply in (None, "end"):
        return game_svg(record)
    count = 0 if ply == "start" else int(str(ply)[:9]) + 1
    if count > played:
        last = f"its plies are 0 to {played - 1}" if played else "it has no ply"
        raise click.UsageError(f"--ply {ply}: the game has no such ply; {last}")
    return game_svg(record, plies=count)


def _page(record: GameRecord) -> str:
    from patchstats.render import game_page

    return game_page(record)


def _read(file: Path, ruleset: Ruleset | None) -> GameRecord:
    """The record in a file."""
    from patchstats.notation import parse_record

    try:
        return parse_record(file.read_text(encoding="utf-8"), ruleset)
    except OSError as error:
        raise click.UsageError(f"{file} is neither a run nor a game record: {error.strerror}") from None
    except UnicodeDecodeError:
        raise click.UsageError(f"{file} is neither a run nor a game record: it is no UTF-8 text") from None
    except NotationError as error:
        raise PatchstatsError(f"{file}: {error}") from None
