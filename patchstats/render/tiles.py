"""Which tile lies where on a quilt, gathered from what happened. How a quilt looks lives in `text.py` and `figures.py`.

A position knows only which cells are covered, as no rule asks for more; a picture wants to know by what.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from patchstats.rules.events import BonusWon, Event, LeatherPlaced, Placed
from patchstats.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class PlacedTile:
    """A patch or a leather on a quilt: the id of the patch, or None for a leather, and the set of cells it covers."""

    patch: str | None
    cells: int


def quilt_tiles(events: Iterable[Event], seat: int) -> tuple[PlacedTile, ...]:
    """Return the tiles that the seat has placed in these events, in that order.

    >>> from patchstats.rules.events import LeatherPlaced, Placed
    >>> quilt_tiles([Placed(0, "p01", cells=0b11), Placed(1, "p03", cells=0b111), LeatherPlaced(0, cell=2)], seat=0)
    (PlacedTile(patch='p01', cells=3), PlacedTile(patch=None, cells=4))
    """
    tiles = []
    for event in events:
        match event:
            case Placed(seat=owner, patch=patch, cells=cells) if owner == seat:
                tiles.append(PlacedTile(patch, cells))
            case LeatherPlaced(seat=owner, cell=cell) if owner == seat:
                tiles.append(PlacedTile(None, 1 << cell))
    return tuple(tiles)


def bonus_square(ruleset: Ruleset, events: Iterable[Event], seat: int) -> int | None:
    """Return the set of cells of the square that won the seat the bonus, or None when it did not win it.

    If one tile completes several squares at once, the first of them from the top left is returned.

    >>> from patchstats.rules.events import BonusWon, Placed
    >>> tiny = Ruleset.load("original").with_changes({"bonus_square": 2})
    >>> bonus_square(tiny, [Placed(0, "p07", cells=0b11_000000011), BonusWon(0)], seat=0) == 0b11_000000011
    True
    """
    covered = 0
    for event in events:
        match event:
            case Placed(seat=owner, cells=cells) if owner == seat:
                covered |= cells
            case LeatherPlaced(seat=owner, cell=cell) if owner == seat:
                covered |= 1 << cell
            case BonusWon(seat=owner) if owner == seat:
                return next(square for square in ruleset.bonus_squares if square & ~covered == 0)
    return None
