"""Which actions are legal, in which order they are listed, and which clause forbids the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

from patchstats.errors import IllegalAction
from patchstats.rules.actions import Action, Advance, Buy, PlaceLeather
from patchstats.rules.cells import cells_in, nth_cell

if TYPE_CHECKING:
    from patchstats.rules.position import Position


class LegalActions(Sequence[Action]):
    """The legal actions of a position, listed lazily; `len`, `in`, truth, indexing and iteration all work.

    The order is part of the contract: first the advance, then the purchases by offer slot, by orientation (each
    distinct set of covered cells once, under its lowest orientation number) and by cell. While a leather waits there is
    nothing but its placements, by cell. When the game is over the list is empty.

    `in` says whether an action may be played. That holds, too, for a purchase in an orientation that covers the same
    cells as a lower one, although only the lower one is listed.

    >>> from patchstats.rules import Position, Ruleset
    >>> ruleset = Ruleset.load("original")
    >>> legal = Position.start(ruleset, [patch.id for patch in ruleset.patches]).legal_actions
    >>> len(legal), legal[0], legal[1], Buy("p21", 0, 0) in legal
    (639, Advance(), Buy(patch='p02', orientation=0, cell=0), False)
    """

    __slots__ = ("_advances", "_leathers", "_length", "_position", "_purchases")

    def __init__(self, position: Position) -> None:
        self._position = position
        #: How many advances there are, one or none; the cells where a waiting leather may go; and for each distinct way
        #: to lay a buyable patch the patch, the orientation number and the corners it may lie on.
        self._advances = 0
        self._leathers = 0
        self._purchases: list[tuple[str, int, int]] = []
        seat = position.seat_on_turn
        if seat is not None:
            player = position.players[seat]
            free = position.ruleset.quilt & ~player.covered
            if position.waiting:
                self._leathers = free  # 6.5, 6.7
            else:
                self._advances = 1  # 4.6
                self._purchases = _purchases(position, player.buttons, free)
        self._length = self._advances + self._leathers.bit_count()
        for _, _, corners in self._purchases:
            self._length += corners.bit_count()

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Action]:
        if self._advances:
            yield Advance()
        for patch_id, orientation, corners in self._purchases:
            for cell in cells_in(corners):
                yield Buy(patch_id, orientation, cell)
        for cell in cells_in(self._leathers):
            yield PlaceLeather(cell)

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Action]: ...
    def __getitem__(self, index: int | slice) -> Action | Sequence[Action]:
        if isinstance(index, slice):
            return list(self)[index]
        if index < 0:
            index += self._length
        if not 0 <= index < self._length:
            raise IndexError(f"there are {self._length} legal actions")
        if self._leathers:
            return PlaceLeather(nth_cell(self._leathers, index))
        if index == 0:
            return Advance()
        index -= 1
        for patch_id, orientation, corners in self._purchases:
            here = corners.bit_count()
            if index < here:
                return Buy(patch_id, orientation, nth_cell(corners, index))
            index -= here
        raise AssertionError("the length counts every corner")

    def __contains__(self, action: object) -> bool:
        return why_illegal(self._position, action) is None

    @property
    def buyable(self) -> tuple[str, ...]:
        """The ids of the patches on offer that can be paid and placed, by offer slot."""
        return tuple(dict.fromkeys(patch_id for patch_id, _, _ in self._purchases))

    def placements(self, patch_id: str) -> list[Buy]:
        """Every purchase of this patch, in the order of the list; empty when it cannot be bought."""
        return [
            Buy(patch_id, orientation, cell)
            for buyable, orientation, corners in self._purchases
            if buyable == patch_id
            for cell in cells_in(corners)
        ]


def _purchases(position: Position, buttons: int, free: int) -> list[tuple[str, int, int]]:
    ruleset = position.ruleset
    purchases = []
    for patch_id in position.offer:  # 5.1, 5.2
        if ruleset[patch_id].cost <= buttons:  # 5.4
            for way in ruleset.distinct_ways_to_lay[patch_id]:
                corners = way.fits(free)  # 5.8
                if corners:
                    purchases.append((patch_id, way.number, corners))
    return purchases


def why_illegal(position: Position, action: object) -> IllegalAction | None:
    """Return what forbids the action, as the exception that `Position.apply` raises, or None for a legal action."""
    seat = position.seat_on_turn
    if not isinstance(action, Advance | Buy | PlaceLeather):
        return IllegalAction("3.5", f"{action!r} is no action: advance, buy or place a leather")
    if seat is None:
        return IllegalAction("8.4", "the game is over")
    free = position.ruleset.quilt & ~position.players[seat].covered
    if isinstance(action, PlaceLeather):
        if not position.waiting:
            return IllegalAction("6.5", "no leather waits to be placed")
        if not _holds(position.ruleset.quilt, action.cell):
            return IllegalAction("6.5", f"cell {action.cell!r} is not on the quilt")
        if not _holds(free, action.cell):
            return IllegalAction("6.5", f"cell {action.cell} is covered, and a leather goes on an empty cell")
        return None
    if position.waiting:
        return IllegalAction("6.7", f"seat {seat} has a leather to place first")
    if isinstance(action, Buy):
        return _why_no_purchase(position, action, position.players[seat].buttons, free)
    return None  # 4.6: an advance is always legal


def _why_no_purchase(position: Position, action: Buy, buttons: int, free: int) -> IllegalAction | None:
    if action.patch not in position.offer:
        offer = ", ".join(position.offer) or "nothing"
        return IllegalAction("5.1", f"patch {action.patch} is not on offer; on offer: {offer}")
    cost = position.ruleset[action.patch].cost
    if cost > buttons:
        return IllegalAction(
            "5.4", f"patch {action.patch} costs {cost} buttons, and seat {position.seat_on_turn} has {buttons}"
        )
    ways = position.ruleset.ways_to_lay[action.patch]
    if not isinstance(action.orientation, int) or not 0 <= action.orientation < len(ways):
        return IllegalAction("5.8", f"orientation {action.orientation!r} is none of 0 to {len(ways) - 1}")
    way = ways[action.orientation]
    where = f"patch {action.patch} in orientation {action.orientation} with its corner on cell {action.cell!r}"
    if not _holds(way.corners, action.cell):
        return IllegalAction("5.8", f"{where} leaves the quilt")
    if (way.pattern << action.cell) & ~free:
        return IllegalAction("5.8", f"{where} overlaps covered cells")
    return None


def _holds(cells: int, cell: object) -> bool:
    """Whether `cell` is the number of a cell in the set, whatever else it may be."""
    return isinstance(cell, int) and cell >= 0 and bool(cells >> cell & 1)
