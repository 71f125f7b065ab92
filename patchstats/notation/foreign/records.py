"""Game records of our own, a file each, alone or in a folder, read as others' games are. `notation.record` has the
format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from patchstats.errors import NotationError
from patchstats.notation.foreign.game import ForeignGame, GameText
from patchstats.notation.record import parse_record
from patchstats.notation.tokens import format_action
from patchstats.rules.ruleset import Ruleset

#: What the names of records end in, where a folder holds them.
SUFFIX = ".txt"


def records_of(place: Path) -> Iterator[GameText]:
    """Yield the text of a record file, or of each file in a folder whose name ends in .txt, by name.

    Raises OSError when one cannot be read.
    """
    files = sorted(place.glob(f"*{SUFFIX}")) if place.is_dir() else [place]
    for file in files:
        yield GameText(file.read_text(encoding="utf-8-sig", errors="surrogateescape"), file=file.name)


def records_reader(ruleset: Ruleset) -> Callable[[GameText], ForeignGame]:
    """Return what reads records of games by this ruleset, or by another one that is shipped, which the game then names.

    It raises NotationError, with line and column, for a text that is no record.
    """

    def read(text: GameText) -> ForeignGame:
        try:
            record = parse_record(text.text, ruleset)
        except NotationError as error:
            try:
                record = parse_record(text.text)  # of another ruleset, perhaps
            except NotationError:
                raise error from None
        result = record.result
        return ForeignGame(
            ring=record.ring,
            plies=record.actions,
            words=tuple(format_action(action, record.ruleset.quilt_size) for action in record.actions),
            seats=record.seats,
            scores=None if result is None else result.scores,
            winner=None if result is None else result.winner,
            ruleset=record.ruleset,
        )

    return read
