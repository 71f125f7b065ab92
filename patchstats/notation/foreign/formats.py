"""Which formats of foreign records there are. A further one is a further row here, and a module beside this one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from patchstats.notation.foreign.codes import codes_of, codes_reader
from patchstats.notation.foreign.fields import lines_of
from patchstats.notation.foreign.game import ForeignGame, GameText
from patchstats.notation.foreign.letters import letters_reader
from patchstats.notation.foreign.records import records_of, records_reader
from patchstats.notation.record import TITLE
from patchstats.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Format:
    """A way to record games.

    Attributes:
        name: what it is called on the command line.
        line: what it is, in a line.
        texts: cuts a file, or a folder, into the texts of its games, one after another; raises OSError when it cannot
            be read, and NotationError when it cannot be cut.
        reader: for a ruleset, returns what makes of such a text the game, and raises NotationError when it is none;
            raises RulesetError for a ruleset whose games cannot be written so.
    """

    name: str
    line: str
    texts: Callable[[Path], Iterator[GameText]]
    reader: Callable[[Ruleset], Callable[[GameText], ForeignGame]]


FORMATS = {
    one.name: one
    for one in (
        Format(
            "letters", "a line a game: 33 letters, the plies in letters, perhaps the result", lines_of, letters_reader
        ),
        Format("records", "game records of patchstats: a file, or a folder of them", records_of, records_reader),
        Format(
            "codes", "a line a game, in numbers as in the games table of a run, columns named", codes_of, codes_reader
        ),
    )
}


def guessed_format(place: Path) -> str:
    """Return the name of the format that a file or folder seems to have, by its first line.

    Raises OSError when it cannot be read.
    """
    if place.is_dir():
        return "records"
    first = next(lines_of(place), GameText("")).text
    if first.lstrip().startswith((TITLE, "#")):
        return "records"
    return "codes" if {"ring", "actions"} <= {name.strip(' \t"') for name in first.split(",")} else "letters"
