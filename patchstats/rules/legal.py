"""Which actions are legal, in which order they are listed, and which clause forbids the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

from patchstats.errors import IllegalAction
from patchstats.rules.actions import Action, Advance, Buy, PlaceLeather
from patchstats.rules.cells import cells_in, nth_cell

if TYPE_CHECKING:
    from patchstats.rules.position import Position


class Placements(Sequence[Buy]):
    """Purchases with their placements, by offer slot, orientation and cell; none is made before it is asked for."""

    __slots__ = ("_length", "_ways")

    def __init__(self, ways: list[tuple[str, int, int]]) -> None:
        #: For each distinct way to lay a patch: the patch, the orientation number, the corners it may lie on.
        self._ways = ways
        self._length = sum(corners.bit_count() for _, _, corners in ways)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Buy]:
        for patch_id, orientation, corners in self._ways:
            for cell in cells_in(corners):
                yield Buy(patch_id, orientation, cell)

    @overload
    def __getitem__(self, index: int) -> Buy: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Buy]: ...
    def __getitem__(self, index: int | slice) -> Buy | Sequence[Buy]:
        if isinstance(index, slice):
            return list(self)[index]
        left = index + self._length if index < 0 else index
        if left >= 0:
            for patch_id, orientation, corners in self._ways:
                here = corners.bit_count()
                if left < here:
                    return Buy(patch_id, orientation, nth_cell(corners, left))
                left -= here
        raise IndexError(f"there is no placement {index}; there are {self._length}")

    @property
    def patches(self) -> tuple[str, ...]:
        """The ids of the patches that can be laid, each once, in their order."""
        return tuple(dict.fromkeys(patch_id for patch_id, _, _ in self._ways))

    def of(self, patch_id: str) -> Placements:
        """Return the placements of one patch; none when it cannot be laid."""
        return Placements([way for way in self._ways if way[0] == patch_id])


class LegalActions(Sequence[Action]):
    """The legal actions of a position, listed lazily; `len`, `in`, truth, indexing and iteration all work.

    The order is part of the contract: first the advance, then the purchases by offer slot, by orientation (each
    distinct set of covered cells once, under its lowest orientation number) and by cell. While a leather waits there is
    nothing but its placements, by cell. When the game is over the list is empty.

    `in` says whether an action may be played. That holds, too, for a purchase in an orientation that covers the same
    cells as a lower one, although only the lower one is listed.

    Attributes:
        purchases: the purchases alone, a sequence as well, whose `of` narrows them to one patch.

    >>> from patchstats.rules import Position, Ruleset
    >>> ruleset = Ruleset.load("original")
    >>> legal = Position.start(ruleset, [patch.id for patch in ruleset.patches]).legal_actions
    >>> len(legal), legal[0], legal[1], Buy("p21", 0, 0) in legal
    (639, Advance(), Buy(patch='p02', orientation=0, cell=0), False)
    >>> legal.purchases.patches, len(legal.purchases.of("p03"))
    (('p02', 'p03', 'p04'), 126)
    """

    __slots__ = ("_advances", "_leathers", "_position", "purchases")

    def __init__(self, position: Position) -> None:
        self._position = position
        #: The advance, unless the game is over or a leather waits; and the cells where a waiting leather may go.
        self._advances: tuple[Advance, ...] = ()
        self._leathers = 0
        self.purchases = Placements([])
        seat = position.seat_on_turn
        if seat is not None:
            player = position.players[seat]
            free = position.ruleset.quilt & ~player.covered
            if position.waiting:
                self._leathers = free  # 6.5, 6.7
            else:
                self._advances = (Advance(),)  # 4.6, and with a full quilt 8.3
                self.purchases = Placements(_ways_to_buy(position, player.buttons, free))

    def __len__(self) -> int:
        return len(self._advances) + len(self.purchases) + self._leathers.bit_count()

    def __iter__(self) -> Iterator[Action]:
        yield from self._advances
        yield from self.purchases
        for cell in cells_in(self._leathers):
            yield PlaceLeather(cell)

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Action]: ...
    def __getitem__(self, index: int | slice) -> Action | Sequence[Action]:
        if isinstance(index, slice):
            return list(self)[index]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"there is no legal action {index}; there are {len(self)}")
        if self._leathers:
            return PlaceLeather(nth_cell(self._leathers, place))
        return self.purchases[place - 1] if place else self._advances[0]

    def __contains__(self, action: object) -> bool:
        return why_illegal(self._position, action) is None


def _ways_to_buy(position: Position, buttons: int, free: int) -> list[tuple[str, int, int]]:
    ruleset = position.ruleset
    ways = []
    for patch_id in position.offer:  # 5.1, 5.2
        if ruleset[patch_id].cost <= buttons:  # 5.4
            for way in ruleset.distinct_ways_to_lay[patch_id]:
                corners = way.fits(free)  # 5.8
                if corners:
                    ways.append((patch_id, way.number, corners))
    return ways


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
