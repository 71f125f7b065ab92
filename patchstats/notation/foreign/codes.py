"""Games as the numbers that the games table of a run has, in a file of fields between commas, a line a game.

    ring,actions,winner,score_0,score_1
    2 3 4 ... 33 1,24577 0 2562 ...,1,-4,13

The first line names the columns. `ring` has the patches by their rows in the ruleset's table, from 1, clockwise;
`actions` the numbers of the action log; `winner` a seat, and `score_0` and `score_1` the scores. The last three may be
missing, and other columns are passed over. How an action becomes a number is said in `notation.action_log`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from patchstats.errors import NotationError
from patchstats.notation.action_log import ADVANCE, BUY, PLACE_LEATHER, encode_action
from patchstats.notation.foreign.fields import Field, fields_of, lines_of
from patchstats.notation.foreign.game import ForeignGame, GameText
from patchstats.notation.record import GameRecord
from patchstats.notation.replay import start_of
from patchstats.rules.ruleset import Ruleset

_NEEDED = ("ring", "actions")
_SCORES = ("score_0", "score_1")
_KNOWN = (*_NEEDED, "winner", *_SCORES)
#: The first line of a file that `format_codes` writes the others of.
CODES_HEADER = ",".join(_KNOWN)
_WORD = re.compile(r"[^ \t]+")
_CODE = re.compile(r"0|[1-9][0-9]{0,4}")


def codes_of(file: Path) -> Iterator[GameText]:
    """Yield the lines of a file, each with the names of the columns.

    Raises NotationError for a first line that names no such columns, and OSError when the file cannot be read.
    """
    lines = lines_of(file)
    first = next(lines, None)
    if first is None:
        return
    header = _header(fields_of(first))
    for line in lines:
        yield GameText(line.text, line.line, header=header)


def codes_reader(ruleset: Ruleset) -> Callable[[GameText], ForeignGame]:
    """Return what reads games in numbers; it raises NotationError, with line and column, for what is none.

    >>> read = codes_reader(Ruleset.load("original"))
    >>> numbers = " ".join(str(number) for number in range(1, 34))
    >>> game = read(GameText(f"{numbers},0 1,1", header=("ring", "actions", "winner")))
    >>> game.ring[:2], game.plies, game.winner
    (('p01', 'p02'), (0, 1), 1)
    """
    patches = {str(number): patch.id for number, patch in enumerate(ruleset.patches, start=1)}

    def read(text: GameText) -> ForeignGame:
        fields = fields_of(text)
        if len(fields) != len(text.header):
            last = fields[-1]
            raise last.refuse(f"{len(text.header)} fields in all, as in the first line", len(last.text))
        named = dict(zip(text.header, fields, strict=True))
        missing = dict(patches)
        ring = []
        for word in _WORD.finditer(named["ring"].text):
            if word[0] not in missing:
                expected = f"the number of a patch from 1 to {len(patches)}, each once"
                raise named["ring"].refuse(expected, word.start())
            ring.append(missing.pop(word[0]))
        if missing:
            expected = f"{len(missing)} more patches of the ring, such as {min(missing, key=int)}"
            raise named["ring"].refuse(expected, len(named["ring"].text))
        words = tuple(_WORD.findall(named["actions"].text))
        plies = tuple(_code(named["actions"], word) for word in _WORD.finditer(named["actions"].text))
        winner = scores = None
        if "winner" in named:
            if named["winner"].text not in ("0", "1"):
                raise named["winner"].refuse("the seat that won, 0 or 1")
            winner = int(named["winner"].text)
        if _SCORES[0] in named:
            first, second = (named[name].whole_number(f"the {name}, a whole number") for name in _SCORES)
            scores = (first, second)
        return ForeignGame(tuple(ring), plies, words, scores=scores, winner=winner)

    return read


def format_codes(record: GameRecord) -> str:
    """Write a finished game as a line under `CODES_HEADER`; the reader is the way back.

    Raises ValueError for a game that is not over, and IllegalAction or RecordError for one that cannot be played.

    >>> from patchstats.notation import record_of
    >>> from patchstats.rules import Advance
    >>> ring = tuple(patch.id for patch in Ruleset.load("original").patches)
    >>> format_codes(record_of(Ruleset.load("original"), ring, [Advance()]))
    Traceback (most recent call last):
      ...
    ValueError: the game is not over, and a line has its winner and scores
    """
    if record.result is None:
        raise ValueError("the game is not over, and a line has its winner and scores")
    position = start_of(record)
    codes = []
    for action in record.actions:
        after = position.apply(action).position
        codes.append(encode_action(position, action))
        position = after
    ring = " ".join(str(record.ruleset.number_of(patch)) for patch in record.ring)
    return ",".join([ring, " ".join(map(str, codes)), *map(str, (record.result.winner, *record.result.scores))])


def _header(fields: list[Field]) -> tuple[str, ...]:
    names = [field.text for field in fields]
    for place, field in enumerate(fields):
        if field.text in _KNOWN and field.text in names[:place]:
            raise field.refuse("another column: this one is there already")
    end = fields[-1]
    for name in (*_NEEDED, *(_SCORES if any(one in names for one in _SCORES) else ())):
        if name not in names:
            raise end.refuse(f"a column named {name}", len(end.text))
    return tuple(names)


def _code(field: Field, word: re.Match[str]) -> int:
    """The number of an action, which is of one of the three kinds; what it means there is left to the position."""
    code = int(word[0]) if _CODE.fullmatch(word[0]) else -1
    kind, placed = code & 3, code >> 2 & 63
    if code < 1 << 15 and (code == ADVANCE or kind == BUY or (kind == PLACE_LEATHER and not placed)):
        return code
    raise _no_code(field, word)


def _no_code(field: Field, word: re.Match[str]) -> NotationError:
    return field.refuse("the number of an action", word.start())
