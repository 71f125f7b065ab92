"""Whole numbers, seats, and a line of text under the reader's finger: what all texts of this package are made of.

What the pieces mean is said in `tokens.py`, `position.py` and `record.py`.
"""

from __future__ import annotations

import re
from typing import NoReturn

from patchstats.errors import NotationError

BLANKS = re.compile(r"[ \t\r]*")
COMMENT = re.compile(r"#.*")
VOID = re.compile(r"[ \t\r]*(#.*)?")
WORD = re.compile(r"\S+")
#: Whole numbers have one spelling and at most 18 digits, so that no text makes a number of absurd length.
WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")
SEAT = re.compile(r"[01]")


def number_text(value: int) -> str:
    """Write a whole number. Raises ValueError when it has more than 18 digits."""
    if abs(value) >= 10**18:
        raise ValueError("a number has more than 18 digits")
    return str(value)


def seat_text(seat: int) -> str:
    """Write a seat. Raises ValueError for anything but 0 and 1."""
    if seat not in (0, 1):
        raise ValueError(f"{seat!r} is no seat; 0 and 1 are")
    return str(seat)


class Line:
    """One line of a text, number `number` of it, read from the left; `place` is how many characters have been taken.

    A line break at its end is no part of it.
    Nothing but NotationError is ever raised, with the column of the first character that could not be used.
    """

    def __init__(self, text: str, number: int = 1) -> None:
        self.text = text.removesuffix("\n")
        self.number = number
        self.place = 0

    def ahead(self, literal: str) -> bool:
        """Whether the text goes on with `literal`."""
        return self.text.startswith(literal, self.place)

    def take(self, pattern: re.Pattern[str], expected: str) -> str:
        """Take what the pattern matches here; `expected` says in words what that is."""
        found = pattern.match(self.text, self.place)
        if found is None:
            self.refuse(expected)
        self.place = found.end()
        return found[0]

    def take_literal(self, literal: str, expected: str | None = None) -> None:
        """Take exactly these characters."""
        if not self.ahead(literal):
            self.refuse(expected or f"'{literal}'")
        self.place += len(literal)

    def take_whole_number(self, expected: str) -> int:
        """Take a whole number: no sign but a minus, no leading zeros."""
        return int(self.take(WHOLE_NUMBER, expected))

    def take_blanks(self) -> None:
        """Take the blanks here, if there are any."""
        self.take(BLANKS, "blanks")

    def take_gap(self, expected: str) -> None:
        """Take one or more blanks, behind which stands what is expected."""
        before = self.place
        self.take_blanks()
        if self.place == before or self.place == len(self.text):
            self.refuse(expected)

    def take_end(self, expected: str = "the end of the line", *, comment: bool = False) -> None:
        """Take the rest of the line, which may hold blanks and, where it is allowed, a comment behind a `#`."""
        before = self.place
        self.take_blanks()
        if comment and self.place > before and self.ahead("#"):
            self.take(COMMENT, "a comment")
        if self.place < len(self.text):
            self.refuse(expected)

    @property
    def is_void(self) -> bool:
        """Whether the line says nothing: it is blank or a comment."""
        return VOID.fullmatch(self.text) is not None

    def refuse(self, expected: str, place: int | None = None) -> NoReturn:
        """Raise the NotationError for `place`, counted from 0, or for where the reading stands."""
        start = self.place if place is None else place
        word = WORD.match(self.text, start)
        found = word[0] if word else self.text[start : start + 1]
        raise NotationError(self.number, start + 1, expected, found[:40])
