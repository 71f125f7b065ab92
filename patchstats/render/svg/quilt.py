"""A quilt as a picture: cloth, tiles, holes, the square that won the bonus. The pieces are in `pieces.py`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from patchstats.render.figures import BONUS, CLOTH, FRAME, GRID, INK
from patchstats.render.outlines import outlines
from patchstats.render.svg.pieces import COVERED, QUIET, buttons_of, cloth, cloth_of, leather
from patchstats.render.svg.writer import element, group, label, path_of, picture, words
from patchstats.render.text import grid_text, quilt_text
from patchstats.render.tiles import PlacedTile, bonus_square, quilt_tiles
from patchstats.rules.cells import cells_in
from patchstats.rules.events import Event
from patchstats.rules.position import Position
from patchstats.rules.ruleset import Ruleset

#: In pixels: the side of any quilt, and the margin at its left and above it, where rows and columns are named.
SIDE, MARGIN = 288, 20
#: How wide a letter is, in heights of the letters.
LETTER = 0.6
SMALLEST_LABEL = 4.5


@dataclass(frozen=True)
class Quilt:
    """What lies on the quilt of a seat, which a notebook shows as a picture.

    Attributes:
        ruleset: what is played with.
        tiles: the patches and leathers, in the order in which they were placed.
        covered: the set of all covered cells; those that belong to no tile are covered by something unknown.
        bonus: the cells of the square that won the bonus, or None.
        fresh: the cells to point out, such as those of the tile placed last.

    >>> quilt = Quilt.of_tiles(Ruleset.load("original"), [PlacedTile("p01", cells=0b11), PlacedTile(None, cells=0b100)])
    >>> quilt.summary
    '1 patch, 1 leather, 78 of 81 cells empty'
    """

    ruleset: Ruleset
    tiles: tuple[PlacedTile, ...]
    covered: int
    bonus: int | None = None
    fresh: int = 0

    @classmethod
    def of_tiles(cls, ruleset: Ruleset, tiles: Sequence[PlacedTile], bonus: int | None = None) -> Quilt:
        """Return the quilt with these tiles, from `quilt_tiles`, and the square that won the bonus, if any."""
        return cls(ruleset, tuple(tiles), sum(tile.cells for tile in tiles), bonus)

    @classmethod
    def after(cls, ruleset: Ruleset, events: Iterable[Event], seat: int) -> Quilt:
        """Return the quilt of a seat after these events, which begin with those of the first ply.

        >>> from patchstats.rules.events import Placed
        >>> Quilt.after(Ruleset.load("original"), [Placed(0, "p01", cells=0b11)], seat=0).covered
        3
        """
        log = tuple(events)
        return cls.of_tiles(ruleset, quilt_tiles(log, seat), bonus_square(ruleset, log, seat))

    @classmethod
    def in_position(cls, position: Position, seat: int) -> Quilt:
        """Return the quilt of a seat as a position knows it: which cells are covered, and not by what."""
        return cls(position.ruleset, (), position.players[seat].covered)

    @cached_property
    def empty(self) -> int:
        """How many cells are empty."""
        return (self.ruleset.quilt & ~self.covered).bit_count()

    @property
    def unknown(self) -> int:
        """The covered cells of which it is not known what covers them."""
        return self.covered & ~sum(tile.cells for tile in self.tiles)

    @property
    def summary(self) -> str:
        """What lies there, in a few words."""
        patches = sum(tile.patch is not None for tile in self.tiles)
        counts = {"patch": patches, "leather": len(self.tiles) - patches}
        told = [
            f"{count} {name if count == 1 else {'patch': 'patches'}.get(name, f'{name}s')}"
            for name, count in counts.items()
            if not self.unknown or count
        ]
        cells = f"{self.empty} of {self.ruleset.quilt_size**2} cells empty"
        return ", ".join([*told, cells, *(["with the bonus"] if self.bonus is not None else [])])

    def _repr_svg_(self) -> str:
        return quilt_svg(self)


def quilt_svg(quilt: Quilt, title: str = "A quilt") -> str:
    """Return a quilt as SVG: each patch in its colour with its buttons, leathers, empty cells, the bonus square.

    The title and what lies there are in it as text, too, drawn as `quilt_text` does.

    >>> svg = quilt_svg(Quilt.of_tiles(Ruleset.load("original"), [PlacedTile("p01", cells=0b11)]), "Seat 0")
    >>> svg.partition("<desc>")[0].rpartition("<title>")[2]
    'Seat 0: 1 patch, 0 leathers, 79 of 81 cells empty</title>'
    """
    side = SIDE + MARGIN + 4
    return picture((side, side), f"{title}: {quilt.summary}", text_of(quilt), group(drawn(quilt), at=(MARGIN, MARGIN)))


def text_of(quilt: Quilt) -> str:
    """Return a quilt as text: by its tiles where they are known, else which cells are covered.

    >>> text_of(Quilt(Ruleset.load("original"), (), covered=0b101)).splitlines()[1]
    ' 1  # . # . . . . . .'
    """
    return grid_text(quilt.ruleset, quilt.covered) if quilt.unknown else quilt_text(quilt.ruleset, quilt.tiles)


def drawn(quilt: Quilt, since: Sequence[int] | None = None, bonus_since: int | None = None) -> str:
    """Return a quilt as elements, the top left corner of its cells at (0, 0) and `SIDE` pixels wide.

    `since` says for each tile, and `bonus_since` for the bonus, the number of plies after which it lies there; it
    stands in the attribute `data-since`.
    """
    ruleset = quilt.ruleset
    size, side = ruleset.quilt_size, SIDE / ruleset.quilt_size
    parts = [_ground(size, side)]
    if quilt.unknown:
        parts.append(cloth(quilt.unknown, size, side, COVERED))
    for place, tile in enumerate(quilt.tiles):
        fresh = "tile fresh" if tile.cells & quilt.fresh else "tile"
        parts.append(
            group(_tile(ruleset, tile, side), class_=fresh, data_since=None if since is None else since[place])
        )
    if quilt.bonus is not None:
        parts.append(_bonus(quilt, side, bonus_since))
    if quilt.fresh:
        frame = path_of(outlines(quilt.fresh, size, inset=0.02), side, corner=0.14)
        parts.append(element("path", d=frame, fill="none", stroke=INK, stroke_width=0.1 * side))
    return "".join(parts)


def _ground(size: int, side: float) -> str:
    """The empty quilt: cloth with a thin grid, letters above, numbers at the left, as cells are named in a record."""
    lines = "".join(f"M{at * side:.1f} 0V{SIDE}M0 {at * side:.1f}H{SIDE}" for at in range(1, size))
    middles = [(place + 0.5) * side for place in range(size)]
    names = [label(chr(ord("a") + place), (at, -9), 12, fill=QUIET) for place, at in enumerate(middles)]
    names += [label(place + 1, (-10, at), 12, fill=QUIET) for place, at in enumerate(middles)]
    return "".join(
        [
            element("rect", width=SIDE, height=SIDE, rx=3, fill=CLOTH),
            element("path", d=lines, fill="none", stroke=GRID),
            element("rect", width=SIDE, height=SIDE, rx=3, fill="none", stroke=FRAME, stroke_width=1.4),
            group(*names, class_="names"),
        ]
    )


def _tile(ruleset: Ruleset, tile: PlacedTile, side: float) -> str:
    size = ruleset.quilt_size
    if tile.patch is None:
        return element("title", "leather") + leather(tile.cells.bit_length() - 1, size, side)
    patch = ruleset[tile.patch]
    numbers = f"{tile.patch}: cost {patch.cost}, time {patch.time}, income {patch.income}"
    return "".join(
        [
            element("title", words(numbers)),
            cloth(tile.cells, size, side, cloth_of(ruleset, tile.patch)),
            buttons_of(patch, tile.cells, size, side),
            _name(tile.patch, patch.income, list(cells_in(tile.cells)), size, side),
        ]
    )


def _name(patch_id: str, income: int, cells: list[int], size: int, side: float) -> str:
    """The id of a patch on its longest row of cells without a button, if it can be read there."""
    alone = len(cells) == 1
    free = cells[: len(cells) - (income if income < len(cells) else 1)] if income and not alone else cells
    run = max(_rows_of(free, size), key=len)
    height = min(0.34 * side, (len(run) - 0.3) * side / (LETTER * len(patch_id)), 16)
    if height < SMALLEST_LABEL:
        return ""
    x = (run[0] % size + len(run) / 2) * side
    y = (run[0] // size + (0.3 if alone and income else 0.5)) * side
    return label(patch_id, (x, y), height, fill=INK, class_="id")


def _rows_of(cells: list[int], size: int) -> list[list[int]]:
    """Cells that lie beside each other, from left to right."""
    runs: list[list[int]] = []
    for cell in cells:
        if runs and runs[-1][-1] == cell - 1 and cell % size:
            runs[-1].append(cell)
        else:
            runs.append([cell])
    return runs


def _bonus(quilt: Quilt, side: float, since: int | None) -> str:
    assert quilt.bonus is not None
    frame = path_of(outlines(quilt.bonus, quilt.ruleset.quilt_size), side, corner=0.14)
    around = [
        element("path", d=frame, fill="none", stroke=colour, stroke_width=width)
        for colour, width in (("#fff", 6), (BONUS, 3.5))
    ]
    size = quilt.ruleset.bonus_square
    return group(
        element("title", f"the {size}x{size} square that won the bonus"), *around, class_="bonus", data_since=since
    )
