"""What every reader of foreign records takes and gives: the text of one game, and the game it tells.

How the texts are written lives in the modules beside this one, one a format.
"""

from __future__ import annotations

from dataclasses import dataclass

from patchstats.rules.actions import Action
from patchstats.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class GameText:
    """The text of one game, as it was cut out of a file.

    Attributes:
        text: the text, without the line break at its end.
        line: the number of its first line in the file, from 1.
        file: the name of its file, where a folder holds a file a game; else nothing.
        header: the names of the columns, where the file says them.
    """

    text: str
    line: int = 1
    file: str = ""
    header: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """What the game is called in messages.

        >>> GameText("...", line=3).where, GameText("...", file="tie.txt").where
        ('line 3', 'tie.txt')
        """
        return self.file or f"line {self.line}"


@dataclass(frozen=True, slots=True)
class ForeignGame:
    """A game as somebody else recorded it. It need not be one: nothing of it is checked against the rules.

    Attributes:
        ring: the ids of the patches, clockwise, from any of them on.
        plies: what was done, an action each, or a number as the action log has them, which means an action only in the
            position in which it is played.
        words: how each ply is written in its text.
        seats: for each ply the seat that is said to have done it, or None where the format does not say.
        scores: the scores that the record claims, of seat 0 and of seat 1, or None.
        difference: the difference of the scores that it claims, or None.
        winner: the seat that it claims won, or None.
        ruleset: the ruleset that it names, or None.
    """

    ring: tuple[str, ...]
    plies: tuple[Action | int, ...]
    words: tuple[str, ...]
    seats: tuple[int, ...] | None = None
    scores: tuple[int, int] | None = None
    difference: int | None = None
    winner: int | None = None
    ruleset: Ruleset | None = None
