"""A quilt and a position as plain text, to be read in a terminal. A whole game is told in `story.py`.

What is printed is for people and may change; what programs read back is written by `patchstats.notation`.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from itertools import product

from patchstats.render.layout import beside, table
from patchstats.render.tiles import PlacedTile
from patchstats.rules.cells import cells_in
from patchstats.rules.position import Position
from patchstats.rules.ruleset import Ruleset

EMPTY, COVERED, LEATHER, INCOME = ".", "#", "*", "+"
SPACES_A_ROW = 60


def quilt_text(ruleset: Ruleset, tiles: Sequence[PlacedTile]) -> str:
    """Draw a quilt, a letter for all cells of a patch, and beside it a legend with cost, time and income of each.

    Leathers are `*` and empty cells `.`; when there are more patches than letters, each gets two. `tiles` come from
    `quilt_tiles`.

    >>> small = Ruleset.load("original").with_changes({"quilt_size": 7})
    >>> print(quilt_text(small, [PlacedTile("p01", cells=0b11), PlacedTile(None, cells=0b100)]))
        a b c d e f g         patch  cost  time  income
     1  A A * . . . .    A      p01     2     1       0
     2  . . . . . . .    *  leather
     3  . . . . . . .
     4  . . . . . . .
     5  . . . . . . .
     6  . . . . . . .
     7  . . . . . . .
    """
    patches = [tile.patch for tile in tiles if tile.patch is not None]
    glyphs = dict(zip(patches, _glyphs(len(patches)), strict=True))
    marks = {cell: glyphs[tile.patch] if tile.patch else LEATHER for tile in tiles for cell in cells_in(tile.cells)}
    legend: list[tuple[object, ...]] = [(glyph, patch, *_numbers(ruleset, patch)) for patch, glyph in glyphs.items()]
    if len(patches) < len(tiles):
        legend.append((LEATHER, "leather", "", "", ""))
    grid = _grid(ruleset.quilt_size, marks)
    rows = max(len(grid) - 1, -(-len(legend) // 3))
    columns = [
        table(["", "patch", "cost", "time", "income"], legend[first : first + rows])
        for first in range(0, len(legend), rows)
    ]
    return "\n".join(beside(grid, *columns))


def position_text(position: Position) -> str:
    """Show a position: whose turn it is, the track, what each seat has, the offer and both quilts.

    On the track `+` is an income mark and `*` a leather that still lies there.

    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> print("\\n".join(position_text(start).splitlines()[:7]))
    Ruleset original. Seat 0 is on turn: its token lies on top.
    <BLANKLINE>
    space    0         10        20        30        40        50
    seat 0   0.....................................................
    seat 1   1.....................................................
    income   .....+.....+.....+.....+.....+.....+.....+.....+.....+
    leather  ....................*.....*.....*...........*.....*...
    """
    quilts = [
        [f"seat {seat}", *grid_text(position.ruleset, player.covered).split("\n")]
        for seat, player in enumerate(position.players)
    ]
    blocks = [
        [f"Ruleset {position.ruleset.name}. {turn_text(position)}"],
        track_text(position).split("\n"),
        _seats(position),
        _offer(position),
        beside(*quilts),
    ]
    return "\n\n".join("\n".join(block) for block in blocks)


def grid_text(ruleset: Ruleset, covered: int) -> str:
    """Draw which cells of a quilt are covered, `#`, and which are empty, `.`.

    >>> grid_text(Ruleset.load("original"), 0b101).splitlines()[1]
    ' 1  # . # . . . . . .'
    """
    return "\n".join(_grid(ruleset.quilt_size, dict.fromkeys(cells_in(covered), COVERED)))


def turn_text(position: Position) -> str:
    """Say in a sentence who acts and why, or who has won.

    >>> turn_text(Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)]))
    'Seat 0 is on turn: its token lies on top.'
    """
    seat = position.seat_on_turn
    if seat is None:
        return f"The game is over. {winner_text(position)}"
    if position.waiting:
        more = f", and {position.waiting - 1} more after it" if position.waiting > 1 else ""
        return f"Seat {seat} has a leather to place{more}."
    shared = position.players[0].space == position.players[1].space
    return f"Seat {seat} is on turn: its token {'lies on top' if shared else 'is behind'}."


def winner_text(position: Position) -> str:
    """Say in a sentence who has won a game that is over."""
    scores = position.score(0), position.score(1)
    if scores[0] == scores[1]:
        return f"The scores are equal, and seat {position.winner} wins: it finished first."
    return f"Seat {position.winner} wins, {max(scores)} to {min(scores)}."


def _glyphs(count: int) -> list[str]:
    letters = string.ascii_uppercase + string.ascii_lowercase
    if count <= len(letters):
        return list(letters[:count])
    pairs = ["".join(pair) for pair in product(letters, repeat=2)]
    return pairs[:count]


def _numbers(ruleset: Ruleset, patch_id: str) -> tuple[int, int, int]:
    patch = ruleset[patch_id]
    return patch.cost, patch.time, patch.income


def _grid(size: int, marks: Mapping[int, str]) -> list[str]:
    """Draw the cells of a quilt with letters for the columns and numbers for the rows."""
    width = max(map(len, marks.values()), default=1)
    rows = [[marks.get(row * size + column, EMPTY) for column in range(size)] for row in range(size)]
    lines = [("", string.ascii_lowercase[:size]), *((str(number), row) for number, row in enumerate(rows, start=1))]
    return [f"{name:>2}  {' '.join(cell.ljust(width) for cell in row)}".rstrip() for name, row in lines]


def track_text(position: Position) -> str:
    """Draw the track with both tokens and its marks, in as many blocks as it needs.

    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> print(track_text(start).splitlines()[2])
    seat 1   1.....................................................
    """
    ruleset = position.ruleset
    lines = {f"seat {seat}": {player.space: str(seat)} for seat, player in enumerate(position.players)}
    lines["income"] = dict.fromkeys(ruleset.income_marks, INCOME)
    lines["leather"] = dict.fromkeys(position.leather_marks, LEATHER)
    blocks = []
    for first in range(0, ruleset.finish + 1, SPACES_A_ROW):
        spaces = range(first, min(first + SPACES_A_ROW, ruleset.finish + 1))
        tens = "".join(f"{space:<10}" for space in spaces[::10])
        drawn = {name: "".join(marks.get(space, EMPTY) for space in spaces) for name, marks in lines.items()}
        blocks.append("\n".join(f"{name:<7}  {line}".rstrip() for name, line in {"space": tens, **drawn}.items()))
    return "\n\n".join(blocks)


def ring_text(position: Position) -> str:
    """List the patches of the ring clockwise from the neutral token, with their numbers; those on offer bear a `>`.

    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> print(ring_text(start)[:57])
       patch  cost  time  income
    >    p02     1     3       0
    """
    if not position.ring:
        return "No patch is left on the ring."
    offer = len(position.offer)
    rows = [
        (">" if place < offer else "", patch, *_numbers(position.ruleset, patch))
        for place, patch in enumerate(position.ring)
    ]
    return "\n".join(table(["", "patch", "cost", "time", "income"], rows))


def _seats(position: Position) -> list[str]:
    rows = [
        (
            f"seat {seat}",
            player.space,
            player.buttons,
            player.income,
            len(player.patches),
            player.leathers,
            position.empty_cells(seat),
            "yes" if position.bonus_owner == seat else "no",
            position.score(seat),
        )
        for seat, player in enumerate(position.players)
    ]
    head = ["", "space", "buttons", "income", "patches", "leathers", "empty cells", "bonus", "score"]
    aside = f"; leathers set aside: {position.set_aside}" if position.set_aside else ""
    return [*table(head, rows), f"buttons in the bank: {position.bank}{aside}"]


def _offer(position: Position) -> list[str]:
    """Draw the patches on offer with their numbers, in the order of the offer."""
    if not position.offer:
        return ["No patch is left on the ring."]
    drawings = []
    for patch_id in position.offer:
        cost, time, income = _numbers(position.ruleset, patch_id)
        rows = position.ruleset[patch_id].rows.replace("0", EMPTY).replace("1", COVERED).split("/")
        drawings.append([patch_id, f"cost {cost}", f"time {time}", f"income {income}", *rows])
    return [f"on offer, of {len(position.ring)} on the ring:", *beside(*drawings)]
