"""A position as one line of text: everything it holds, field by field under the names of `Position` and `Player`.

The fields stand in a fixed order, `name=value` with one blank between them:

    ruleset         the ruleset_id; the name of a shipped ruleset is read, too
    space, buttons, income, leathers
                    whole numbers, for seat 0 and seat 1 with a comma between them
    patches         patch ids with commas between them, in the order of the ruleset; a semicolon; those of seat 1
    covered         the quilts, with a semicolon between them: rows from the top with slashes between them, `#` for a
                    covered cell, a digit for so many empty cells in a row
    ring            patch ids, clockwise from the neutral token, with commas between them
    leather_marks   spaces with commas between them
    top             0 or 1
    waiting, set_aside
                    a whole number
    bonus_owner, first_finisher
                    0, 1 or -
    bank            a whole number

A list that is empty is `-`. Whether a game could lead to the position is not asked: `Position.status` tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from patchstats.notation.line import SEAT, Line, number_text, seat_text
from patchstats.notation.named_ruleset import read_ruleset_id_or_name
from patchstats.rules.checking import PATCH_ID
from patchstats.rules.player import Player
from patchstats.rules.position import Position
from patchstats.rules.ruleset import Ruleset

NONE = "-"
NONE_ALONE = re.compile(r"-(?![0-9])")
#: What may come next in a row of which so many cells are left (nine or more count as nine).
CELL_SIGNS = {longest: re.compile(f"[#1-{longest}]") for longest in range(1, 10)}


def format_position(position: Position) -> str:
    """Write everything that a position holds on one line.

    Any amounts can be written, and so can patches and leathers that lie in two places or in none. Raises ValueError for
    what has no place in the text: covered cells outside the quilt, patches that the ruleset does not have, seats other
    than 0 and 1, numbers of more than 18 digits.

    >>> text = format_position(Position.start(Ruleset.load("original"), [f"p{n:02}" for n in range(1, 34)]))
    >>> text[:101]
    'ruleset=19ef69bf0734a3e8 space=0,0 buttons=5,5 income=0,0 leathers=0,0 patches=-;- covered=9/9/9/9/9/'
    >>> text[-96:]
    'leather_marks=20,26,32,44,50 top=0 waiting=0 set_aside=0 bonus_owner=- first_finisher=- bank=152'
    """
    players, ruleset = position.players, position.ruleset
    fields = {
        "ruleset": ruleset.ruleset_id,
        "space": _joined(number_text(player.space) for player in players),
        "buttons": _joined(number_text(player.buttons) for player in players),
        "income": _joined(number_text(player.income) for player in players),
        "leathers": _joined(number_text(player.leathers) for player in players),
        "patches": ";".join(
            _joined(sorted(_known(ruleset, player.patches), key=ruleset.number_of)) for player in players
        ),
        "covered": ";".join(_quilt(ruleset, player.covered) for player in players),
        "ring": _joined(_known(ruleset, position.ring)),
        "leather_marks": _joined(number_text(mark) for mark in position.leather_marks),
        "top": seat_text(position.top),
        "waiting": number_text(position.waiting),
        "set_aside": number_text(position.set_aside),
        "bonus_owner": _seat_or_none(position.bonus_owner),
        "first_finisher": _seat_or_none(position.first_finisher),
        "bank": number_text(position.bank),
    }
    return " ".join(f"{name}={value}" for name, value in fields.items())


def parse_position(text: str, ruleset: Ruleset | None = None) -> Position:
    """Read the line that `format_position` writes, and get the same position back.

    A position of a ruleset that is not shipped needs that ruleset, whose id must be the one in the text. Some things
    are read, too, that are never written: the name of a shipped ruleset, the patches of a quilt in another order, empty
    cells counted in smaller portions, blanks and a line break at the end. Raises NotationError, with the column and
    what was expected there.

    >>> position = Position.start(Ruleset.load("original"), [f"p{n:02}" for n in range(1, 34)])
    >>> parse_position(format_position(position)) == position
    True
    """
    line = Line(text)
    line.take_literal("ruleset=", "the field ruleset=")
    rules = read_ruleset_id_or_name(line, ruleset)
    space = _read_pair(line, "space")
    buttons = _read_pair(line, "buttons")
    income = _read_pair(line, "income")
    leathers = _read_pair(line, "leathers")
    patches = _read_patches_of_both(line, rules)
    covered = _read_quilts(line, rules)
    first, second = (
        Player(space[seat], buttons[seat], income[seat], covered[seat], patches[seat], leathers[seat])
        for seat in (0, 1)
    )
    position = Position(
        ruleset=rules,
        players=(first, second),
        ring=_read_ring(line, rules),
        leather_marks=_read_marks(line),
        top=_read_seat(line, "top"),
        waiting=_read_number(line, "waiting"),
        set_aside=_read_number(line, "set_aside"),
        bonus_owner=_read_seat_or_none(line, "bonus_owner"),
        first_finisher=_read_seat_or_none(line, "first_finisher"),
        bank=_read_number(line, "bank"),
    )
    line.take_end("the end of the position")
    return position


def _joined(words: Iterable[str]) -> str:
    return ",".join(words) or NONE


def _seat_or_none(seat: int | None) -> str:
    return NONE if seat is None else seat_text(seat)


def _known(ruleset: Ruleset, patches: Iterable[str]) -> list[str]:
    words = list(patches)
    for patch in words:
        if patch not in ruleset:
            raise ValueError(f"{patch!r} is no patch of the ruleset {ruleset.name}")
    return words


def _quilt(ruleset: Ruleset, covered: int) -> str:
    if covered & ~ruleset.quilt:
        raise ValueError("cells are covered that are not on the quilt")
    size = ruleset.quilt_size
    rows = (
        "".join("#" if covered >> row * size + column & 1 else "." for column in range(size)) for row in range(size)
    )
    return "/".join(re.sub(r"\.{1,9}", lambda run: str(len(run[0])), row) for row in rows)


def _read_name(line: Line, name: str) -> None:
    line.take_literal(" ", f"a blank and the field {name}=")
    line.take_literal(f"{name}=", f"the field {name}=")


def _read_number(line: Line, name: str) -> int:
    _read_name(line, name)
    return line.take_whole_number("a whole number")


def _read_pair(line: Line, name: str) -> tuple[int, int]:
    first = _read_number(line, name)
    line.take_literal(",", "',' and the number of seat 1")
    return first, line.take_whole_number("a whole number")


def _read_marks(line: Line) -> tuple[int, ...]:
    _read_name(line, "leather_marks")
    if _takes_none(line):
        return ()
    marks = [line.take_whole_number("a space of the track, or - for none")]
    while line.ahead(","):
        line.take_literal(",")
        marks.append(line.take_whole_number("a space of the track"))
    return tuple(marks)


def _read_seat(line: Line, name: str) -> int:
    _read_name(line, name)
    return int(line.take(SEAT, "a seat, 0 or 1"))


def _read_seat_or_none(line: Line, name: str) -> int | None:
    _read_name(line, name)
    return None if _takes_none(line) else int(line.take(SEAT, "a seat, 0 or 1, or - for none"))


def _takes_none(line: Line) -> bool:
    """Take the `-` of an empty list, if there is one; a `-` with a digit behind it begins a number."""
    found = NONE_ALONE.match(line.text, line.place)
    if found:
        line.place = found.end()
    return found is not None


def _read_patches_of_both(line: Line, ruleset: Ruleset) -> tuple[frozenset[str], frozenset[str]]:
    _read_name(line, "patches")
    first = _read_patches(line, ruleset, once=True)
    line.take_literal(";", "',' and a patch, or ';' and the patches of seat 1")
    return frozenset(first), frozenset(_read_patches(line, ruleset, once=True))


def _read_ring(line: Line, ruleset: Ruleset) -> tuple[str, ...]:
    _read_name(line, "ring")
    return _read_patches(line, ruleset, once=False)


def _read_quilts(line: Line, ruleset: Ruleset) -> tuple[int, int]:
    _read_name(line, "covered")
    first = _read_quilt(line, ruleset)
    line.take_literal(";", "';' and the quilt of seat 1")
    return first, _read_quilt(line, ruleset)


def _read_patches(line: Line, ruleset: Ruleset, *, once: bool) -> tuple[str, ...]:
    if _takes_none(line):
        return ()
    patches: list[str] = []
    while True:
        start = line.place
        patch = line.take(PATCH_ID, "a patch id" if patches else "a patch id, or - for none")
        if patch not in ruleset:
            line.refuse(f"a patch of the ruleset {ruleset.name}", start)
        if once and patch in patches:
            line.refuse("a patch that is not on this quilt yet", start)
        patches.append(patch)
        if not line.ahead(","):
            return tuple(patches)
        line.take_literal(",")


def _read_quilt(line: Line, ruleset: Ruleset) -> int:
    size = ruleset.quilt_size
    covered = 0
    for row in range(size):
        if row:
            line.take_literal("/", f"'/' and row {row + 1} of {size}")
        column = 0
        while column < size:
            longest = min(9, size - column)
            mark = line.take(CELL_SIGNS[longest], f"# or a digit from 1 to {longest} in row {row + 1} of {size}")
            if mark == "#":
                covered |= 1 << row * size + column
            column += 1 if mark == "#" else int(mark)
    return covered
