"""Games in letters, a line each: the ring, the plies, and perhaps how the game ended.

    eTLc...Qg,dAAAFAAA..h...,2,-12,-29,17

33 letters name the patches, A to Z and a to g, clockwise; the neutral token starts behind A, the patch of two cells. A
purchase is four letters: the patch, the column A to I and the row A to I of the top left corner of its box, and how it
is laid: A to D quarter turns clockwise, E to H the same after a left-right flip. A leather is four letters, too, the
first of them h, and an advance is a dot. Then there may follow the player who won, 1 or 2; and the scores of both, with
their difference or without. Which patch a letter is, and how it lies in A, is data: `data/foreign/letters.csv`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from patchstats.errors import NotationError, RulesetError
from patchstats.notation.foreign.fields import Field, fields_of
from patchstats.notation.foreign.game import ForeignGame, GameText
from patchstats.notation.record import GameRecord
from patchstats.rules.actions import Action, Advance, Buy, PlaceLeather
from patchstats.rules.files import data_directory
from patchstats.rules.ruleset import Ruleset
from patchstats.rules.shapes import orientations, parse_shape

ADVANCE, LEATHER = ".", "h"
_LAID = "ABCDEFGH"
_WORD = re.compile(r"\.|[A-Za-h][A-K]{2}[A-H]")
_NUMBER_OF_FIELDS = (2, 3, 5, 6)


class _Lettering(NamedTuple):
    """How a ruleset is written in letters.

    Attributes:
        patches: the patch of each letter.
        laid: for a letter of a patch and one of how it is laid, such as `OD`, the patch and the lowest orientation of
            ours that covers these cells.
        letters: the way back: for a patch and each of our orientations the two letters, the second the lowest.
        columns: the letters of the columns, and of the rows, of the quilt.
    """

    patches: dict[str, str]
    laid: dict[str, tuple[str, int]]
    letters: dict[tuple[str, int], str]
    columns: str


@lru_cache(maxsize=8)
def lettering(ruleset: Ruleset) -> _Lettering:
    """Return how a ruleset is written in letters.

    Raises RulesetError when its patches are not those that have a letter.
    """
    patches: dict[str, str] = {}
    laid: dict[str, tuple[str, int]] = {}
    letters: dict[tuple[str, int], str] = {}
    with (data_directory() / "foreign" / "letters.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            letter, patch = row["letter"], row["patch"]
            if patch not in ruleset:
                raise RulesetError(
                    f"ruleset {ruleset.name}", "patches", f"{patch} is missing, which letter {letter} is"
                )
            patches[letter] = patch
            ours = orientations(ruleset[patch].shape)
            theirs = orientations(parse_shape(row["rows"]))
            for way, shape in zip(_LAID, theirs, strict=True):
                if shape not in ours:
                    reason = f"has not the shape that letter {letter} stands for, {row['rows']}"
                    raise RulesetError(f"ruleset {ruleset.name}", f"patches.{patch}", reason)
                laid[letter + way] = patch, ours.index(shape)
            for orientation, shape in enumerate(ours):
                letters[patch, orientation] = letter + _LAID[theirs.index(shape)]
    if len(patches) != len(ruleset.patches):
        unnamed = next(patch.id for patch in ruleset.patches if patch.id not in patches.values())
        raise RulesetError(f"ruleset {ruleset.name}", f"patches.{unnamed}", "has no letter")
    return _Lettering(patches, laid, letters, "ABCDEFGHIJK"[: ruleset.quilt_size])


def letters_reader(ruleset: Ruleset) -> Callable[[GameText], ForeignGame]:
    """Return what reads games in letters. Raises RulesetError when the ruleset's patches have no letters.

    What is returned raises NotationError, with line and column, for a text that is no game in letters.

    >>> read = letters_reader(Ruleset.load("original"))
    >>> read(GameText("BCDEFGHIJKLMNOPQRSTUVWXYZabcdefgA,BAAA.DDDB")).plies
    (Buy(patch='p02', orientation=2, cell=0), Advance(), Buy(patch='p03', orientation=0, cell=30))
    """
    table = lettering(ruleset)
    size = ruleset.quilt_size
    places = {letter: number for number, letter in enumerate(table.columns)}

    def action(word: str) -> Action:
        """The action of a word; raises KeyError when there is no such patch, column or row."""
        if word == ADVANCE:
            return Advance()
        cell = places[word[2]] * size + places[word[1]]
        if word[0] == LEATHER:
            return PlaceLeather(cell)
        patch, orientation = table.laid[word[0] + word[3]]
        return Buy(patch, orientation, cell)

    def read(text: GameText) -> ForeignGame:
        fields = fields_of(text)
        ring = _ring(fields[0], table)
        if len(fields) < 2:
            raise fields[0].refuse("',' and the plies", len(fields[0].text))
        words = _WORD.findall(fields[1].text)
        try:
            plies = tuple(map(action, words)) if len("".join(words)) == len(fields[1].text) else None
        except KeyError:
            plies = None
        if plies is None:
            raise _fault(fields[1], table)
        winner, scores, difference = _result(fields)
        return ForeignGame(ring, plies, tuple(words), scores=scores, difference=difference, winner=winner)

    return read


def format_letters(record: GameRecord) -> str:
    """Write a game in letters, in a line, with winner, scores and difference when it is over; the reader is the way
    back.

    The orientations are the lowest ones that cover the same cells. Agents and seats have no place there. Raises
    ValueError for an action beside the quilt and a ring that does not name every patch once, and RulesetError when the
    ruleset's patches have no letters.

    >>> from patchstats.rules import Ruleset
    >>> original = Ruleset.load("original")
    >>> ring = tuple(patch.id for patch in original.patches)
    >>> format_letters(GameRecord(original, ring, (Buy("p02", 3, 0), Advance()), (0, 1), None))
    'ABDCKEMaSIfdFeOTXNWcHZLRQJbPgYGUV,BAAB.'
    """
    table = lettering(record.ruleset)
    if sorted(record.ring) != sorted(table.patches.values()):
        raise ValueError("the ring does not name every patch of the ruleset exactly once")
    letter_of = {patch: letter for letter, patch in table.patches.items()}
    words = [_word(action, table, record.ruleset.quilt_size) for action in record.actions]
    fields = ["".join(letter_of[patch] for patch in record.ring), "".join(words)]
    if record.result is not None:
        first, second = record.result.scores
        fields += map(str, (record.result.winner + 1, first, second, abs(first - second)))
    return ",".join(fields)


def _word(action: Action, table: _Lettering, size: int) -> str:
    if isinstance(action, Advance):
        return ADVANCE
    if not 0 <= action.cell < size * size:
        raise ValueError(f"cell {action.cell} is not on a quilt of {size} cells a side")
    row, column = divmod(action.cell, size)
    kind = f"{LEATHER}A" if isinstance(action, PlaceLeather) else table.letters[action.patch, action.orientation]
    return f"{kind[0]}{table.columns[column]}{table.columns[row]}{kind[1]}"


def _ring(field: Field, table: _Lettering) -> tuple[str, ...]:
    missing = dict.fromkeys(table.patches)
    for place, letter in enumerate(field.text):
        if letter not in missing:
            raise field.refuse(
                "the letter of a patch, each once, A to Z and a to g" if missing else "',' and the plies", place
            )
        del missing[letter]
    if missing:
        more = "1 more letter" if len(missing) == 1 else f"{len(missing)} more letters"
        raise field.refuse(f"{more} of the ring, such as {min(missing)}", len(field.text))
    return tuple(table.patches[letter] for letter in field.text)


def _fault(field: Field, table: _Lettering) -> NotationError:
    """What is wrong with the plies: the first character that cannot stand where it does."""
    expected = (
        ("the letter of a patch, h for a leather, or '.' for an advance", {*table.patches, LEATHER}),
        (f"a column from A to {table.columns[-1]}", set(table.columns)),
        (f"a row from A to {table.columns[-1]}", set(table.columns)),
        ("how it is laid, A to H", set(_LAID)),
    )
    part = 0
    for place, letter in enumerate(field.text):
        if part == 0 and letter == ADVANCE:
            continue
        if letter not in expected[part][1]:
            return field.refuse(expected[part][0], place)
        part = (part + 1) % len(expected)
    return field.refuse(expected[part][0], len(field.text))


def _result(fields: list[Field]) -> tuple[int | None, tuple[int, int] | None, int | None]:
    """Winner, scores and difference, where they are there."""
    if len(fields) not in _NUMBER_OF_FIELDS:
        if len(fields) == 4:
            raise fields[3].refuse("',' and the score of player 2", len(fields[3].text))
        raise fields[6].refuse("nothing more behind the difference of the scores")
    winner, scores, difference = None, None, None
    if len(fields) > 2:
        if fields[2].text not in ("1", "2"):
            raise fields[2].refuse("the player who won, 1 or 2")
        winner = int(fields[2].text) - 1
    if len(fields) > 3:
        scores = (fields[3].whole_number("the score of player 1"), fields[4].whole_number("the score of player 2"))
    if len(fields) > 5:
        difference = fields[5].whole_number("the difference of the scores")
    return winner, scores, difference
