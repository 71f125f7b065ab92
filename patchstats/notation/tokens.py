"""One action as a readable token: `advance`, `p21/3@e5`, `leather@d7`.

Cells have a letter for the column, `a` the leftmost, and a number for the row, 1 at the top. Whether an action is legal
is not asked here.
"""

from __future__ import annotations

import re

from patchstats.notation.line import Line
from patchstats.rules.actions import Action, Advance, Buy, PlaceLeather
from patchstats.rules.checking import PATCH_ID

COLUMN = re.compile(r"[a-z]")
ROW = re.compile(r"[1-9][0-9]?")
ORIENTATION = re.compile(r"[0-7]")


def format_cell(cell: int, quilt_size: int) -> str:
    """Name a cell of a quilt of so many cells a side: column letter, then row number from the top.

    Raises ValueError for a cell that is not on the quilt.

    >>> format_cell(0, quilt_size=9), format_cell(40, quilt_size=9), format_cell(80, quilt_size=9)
    ('a1', 'e5', 'i9')
    """
    if not 0 <= cell < quilt_size * quilt_size:
        raise ValueError(f"cell {cell} is not on a quilt of {quilt_size} cells a side")
    row, column = divmod(cell, quilt_size)
    return f"{chr(ord('a') + column)}{row + 1}"


def parse_cell(text: str, quilt_size: int) -> int:
    """Return the cell of that name, the way back from `format_cell`.

    Raises NotationError with line, column and what was expected.

    >>> parse_cell("e5", quilt_size=9)
    40
    """
    line = Line(text)
    cell = read_cell(line, quilt_size)
    line.take_end("the end of the cell")
    return cell


def format_action(action: Action, quilt_size: int) -> str:
    """Write an action as a token: patch, orientation and the cell of the top left corner of the patch's box.

    Raises ValueError for an action that no quilt of this size can see: a cell beside it, an orientation beyond 0 to 7.

    >>> format_action(Buy("p21", orientation=3, cell=40), quilt_size=9)
    'p21/3@e5'
    >>> format_action(Advance(), quilt_size=9), format_action(PlaceLeather(57), quilt_size=9)
    ('advance', 'leather@d7')
    """
    match action:
        case Advance():
            return "advance"
        case PlaceLeather(cell):
            return f"leather@{format_cell(cell, quilt_size)}"
        case Buy(patch, orientation, cell):
            if not PATCH_ID.fullmatch(patch):
                raise ValueError(f"{patch!r} is no id of a patch")
            if orientation not in range(8):
                raise ValueError(f"orientation {orientation} is none of 0 to 7")
            return f"{patch}/{orientation}@{format_cell(cell, quilt_size)}"


def parse_action(text: str, quilt_size: int) -> Action:
    """Return the action that a token stands for, the way back from `format_action`.

    Blanks behind the token are let pass. Raises NotationError with line, column and what was expected.

    >>> parse_action("p21/3@e5", quilt_size=9)
    Buy(patch='p21', orientation=3, cell=40)
    """
    line = Line(text)
    action = read_action(line, quilt_size)
    line.take_end("the end of the action")
    return action


def read_cell(line: Line, quilt_size: int) -> int:
    """Take the name of a cell from the line."""
    last_column = chr(ord("a") + quilt_size - 1)
    expected = f"a column from a to {last_column}"
    start = line.place
    column = ord(line.take(COLUMN, expected)) - ord("a")
    if column >= quilt_size:
        line.refuse(expected, start)
    expected = f"a row from 1 to {quilt_size}"
    start = line.place
    row = int(line.take(ROW, expected)) - 1
    if row >= quilt_size:
        line.refuse(expected, start)
    return row * quilt_size + column


def read_action(line: Line, quilt_size: int) -> Action:
    """Take the token of an action from the line."""
    word = line.take(PATCH_ID, "an action: advance, patch/orientation@cell such as p21/3@e5, or leather@cell")
    if word == "advance" and not line.ahead("/"):
        return Advance()
    if word == "leather" and not line.ahead("/"):
        line.take_literal("@", "'@' and a cell")
        return PlaceLeather(read_cell(line, quilt_size))
    line.take_literal("/", f"'/' and an orientation behind the patch {word}")
    orientation = int(line.take(ORIENTATION, "an orientation from 0 to 7"))
    line.take_literal("@", "'@' and a cell")
    return Buy(word, orientation, read_cell(line, quilt_size))
