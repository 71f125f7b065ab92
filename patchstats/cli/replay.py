"""patchstats replay: one game, as text or as a record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from patchstats.cli.options import chosen_ruleset, ruleset_options

if TYPE_CHECKING:
    from patchstats.notation import GameRecord


@click.command()
@click.argument("source", metavar="RUN|FILE", type=click.Path(path_type=Path))
@click.option("--game", type=int, help="Which game of the run.")
@click.option("--text", "form", flag_value="text", default="text", help="Tell the game, ply by ply.  [default]")
@click.option("--record", "form", flag_value="record", help="Print its game record, which scripted:FILE can play.")
@ruleset_options
def replay(source: Path, game: int | None, form: str, ruleset: str, changes: tuple[str, ...]) -> None:
    """Print one game of a run, or the game of a record file.

    --ruleset and --set are for a record file that was not played with a shipped ruleset.
    """
    from patchstats.dataset.run import open_run
    from patchstats.notation import format_record
    from patchstats.render import game_text

    if source.is_dir():
        if game is None:
            raise click.UsageError("a run has many games: choose one with --game")
        record = open_run(source).record(game)
    else:
        if game is not None:
            raise click.UsageError("--game is for a run; a record file holds one game")
        record = _read(source, ruleset, changes)
    click.echo(format_record(record) if form == "record" else game_text(record), nl=False)


def _read(file: Path, ruleset: str, changes: tuple[str, ...]) -> GameRecord:
    """The record in a file."""
    from patchstats.notation import parse_record

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file} is neither a run nor a game record: {error}") from None
    given = None if (ruleset, changes) == ("original", ()) else chosen_ruleset(ruleset, changes)
    return parse_record(text, given)
