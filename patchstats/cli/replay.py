"""patchstats replay: one game, as text or as a record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

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
@ruleset_options
def replay(source: Path | str, game: int | None, form: str, ruleset: str, changes: tuple[str, ...]) -> None:
    """Print one game of a run, or the game of a record file.

    --ruleset and --set are for a record file that was not played with a shipped ruleset.
    """
    from patchstats.dataset.run import open_run
    from patchstats.notation import format_record
    from patchstats.render import game_text

    given = (ruleset, changes) != ("original", ())
    if isinstance(source, str) or source.is_dir():
        if game is None:
            raise click.UsageError("a run has many games: choose one with --game")
        if given:
            raise click.UsageError("--ruleset and --set are for a record file; a run knows its ruleset")
        record = open_run(source).record(game)
    elif game is not None and source.exists():
        raise click.UsageError("--game is for a run; a record file holds one game")
    else:
        record = _read(source, chosen_ruleset(ruleset, changes) if given else None)
    try:
        text = format_record(record) if form == "record" else game_text(record)
    except RecordError as error:
        raise PatchstatsError(f"{source}: {error}") from None
    click.echo(text, nl=form != "record")


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
