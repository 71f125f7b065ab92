"""Lines of fields between commas, as spreadsheets and other programs write them, cut so that every character keeps its
column.

Python's csv module reads the same lines, and does not say where a field stands; what the fields mean is said in
`letters.py` and `codes.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from patchstats.errors import NotationError
from patchstats.notation.foreign.game import GameText
from patchstats.notation.line import WHOLE_NUMBER, Line

_FIELD = re.compile(r'[ \t]*(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>[^",]*?))[ \t]*(?:,|$)')


class Field(NamedTuple):
    """What stands between two commas, and behind how many characters of its line, and of what number that is."""

    text: str
    place: int
    line: Line

    def refuse(self, expected: str, place: int = 0) -> NotationError:
        """Return the error for the character at a place of the field, from 0."""
        found = self.text[place : place + 40].split(" ")[0]
        return NotationError(self.line.number, self.place + place + 1, expected, found)

    def whole_number(self, expected: str) -> int:
        """Return the whole number that the field is. Raises NotationError when it is none."""
        if not WHOLE_NUMBER.fullmatch(self.text):
            raise self.refuse(expected)
        return int(self.text)


def fields_of(text: GameText) -> list[Field]:
    """Cut a line into its fields, without the blanks and the quotes around them.

    Raises NotationError for quotes that are not closed, or stand within a field.

    >>> [(field.text, field.place) for field in fields_of(GameText('abc, "d,e",-1'))]
    [('abc', 0), ('d,e', 6), ('-1', 11)]
    """
    line = Line(text.text, text.line)
    fields = []
    while True:
        found = _FIELD.match(line.text, line.place)
        if found is None:
            line.refuse("a field, with quotes around the whole of it or none")
        quoted = found["quoted"]
        if quoted is None:
            fields.append(Field(found["plain"], found.start("plain"), line))
        else:
            fields.append(Field(quoted.replace('""', '"'), found.start("quoted"), line))
        line.place = found.end()
        if not found[0].endswith(","):
            return fields


def lines_of(file: Path) -> Iterator[GameText]:
    """Yield the lines of a file that are not blank. Bytes that are no UTF-8 are left for the readers to stumble on.

    Raises OSError when the file cannot be read.
    """
    with file.open(encoding="utf-8-sig", errors="surrogateescape") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield GameText(line.removesuffix("\n"), number)
