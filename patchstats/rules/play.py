"""What the three actions do, step by step in the order of the rulebook. Whether an action is legal is said in
`legal.py`.

The steps change a `Table`: the position taken apart for the length of one action, with the events that happened on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from patchstats.rules.actions import Action, Advance, Buy, PlaceLeather
from patchstats.rules.events import (
    BANK,
    BonusWon,
    Earned,
    Event,
    Finished,
    Income,
    LeatherPlaced,
    LeatherSetAside,
    LeatherTaken,
    Moved,
    Paid,
    Payment,
    Placed,
)
from patchstats.rules.player import Player

if TYPE_CHECKING:
    from patchstats.rules.position import Position


def play(position: Position, action: Action) -> Table:
    """Play a legal action and return the table as it lies afterwards."""
    seat = position.seat_on_turn
    assert seat is not None, "nobody is on turn when the game is over"
    table = Table(position, seat)
    match action:
        case Advance():
            advance(table)
        case Buy():
            buy(table, action)
        case PlaceLeather():
            place_leather(table, action)
    table.set_leathers_aside()
    return table


def advance(table: Table) -> None:
    """Move one space beyond the other token, for a button a space (section 4)."""
    start = table.space
    table.move_to(table.other.space + 1)  # 4.1, 4.5
    table.book(Earned(table.seat, table.space - start))  # 4.2
    table.resolve_marks(start)  # 4.3


def buy(table: Table, action: Buy) -> None:
    """Buy a patch and lay it on the quilt, in the order of 5.5."""
    patch = table.ruleset[action.patch]
    table.take_from_ring(patch.id)  # 5.6
    table.book(Paid(table.seat, patch.cost))  # 5.7
    cells = table.ruleset.ways_to_lay[patch.id][action.orientation].pattern << action.cell
    table.covered |= cells  # 5.8
    table.patches |= {patch.id}
    table.income += patch.income  # 5.10: before the token moves
    table.events.append(Placed(table.seat, patch.id, cells))
    table.award_bonus()  # 7.2
    start = table.space
    table.move_to(start + patch.time)  # 5.9, 5.11
    table.resolve_marks(start)


def place_leather(table: Table, action: PlaceLeather) -> None:
    """Lay one of the leathers just gained on the quilt (6.5); no token moves (6.7)."""
    table.waiting -= 1
    table.leathers += 1
    table.covered |= 1 << action.cell
    table.events.append(LeatherPlaced(table.seat, action.cell))
    table.award_bonus()  # 7.2


class Table:
    """The table during one action of `seat`: its own things to be changed, `other` those of the other player."""

    def __init__(self, position: Position, seat: int) -> None:
        self.ruleset = position.ruleset
        self.seat = seat
        self.other = position.players[1 - seat]
        player = position.players[seat]
        self.space = player.space
        self.buttons = player.buttons
        self.income = player.income
        self.covered = player.covered
        self.patches = player.patches
        self.leathers = player.leathers
        self.ring = position.ring
        self.leather_marks = position.leather_marks
        self.top = position.top
        self.waiting = position.waiting
        self.set_aside = position.set_aside
        self.bonus_owner = position.bonus_owner
        self.first_finisher = position.first_finisher
        self.bank = position.bank
        self.events: list[Event] = []

    @property
    def players(self) -> tuple[Player, Player]:
        """What seat 0 and seat 1 have now."""
        player = Player(self.space, self.buttons, self.income, self.covered, self.patches, self.leathers)
        return (player, self.other) if self.seat == 0 else (self.other, player)

    def book(self, payment: Payment) -> None:
        """Move buttons between the bank, which is never too small (9.5), and the player."""
        source, target, buttons = payment.transfer
        assert {source, target} == {BANK, self.seat}
        gain = buttons if target == self.seat else -buttons
        self.buttons += gain
        self.bank -= gain
        self.events.append(payment)

    def take_from_ring(self, patch: str) -> None:
        """Move the neutral token to the patch's place; the patches passed over come round again (5.6)."""
        place = self.ring.index(patch)
        self.ring = self.ring[place + 1 :] + self.ring[:place]

    def move_to(self, space: int) -> None:
        """Move the token, at most to the finish (4.5, 5.11); it lies on the other if that is there (3.2, 5.12)."""
        start = self.space
        self.space = min(space, self.ruleset.finish)
        self.top = self.seat
        self.events.append(Moved(self.seat, start, self.space))

    def resolve_marks(self, start: int) -> None:
        """Take what the marks beyond `start` up to the token give, in path order, income first (6.1 to 6.6)."""
        crossed = range(start + 1, self.space + 1)
        for space in crossed:
            if space in self.ruleset.income_marks:
                self.book(Income(self.seat, space, self.income))  # 6.2, 6.3
            if space in self.leather_marks:
                self.leather_marks = tuple(mark for mark in self.leather_marks if mark != space)
                self.waiting += 1
                self.events.append(LeatherTaken(self.seat, space))  # 6.4
        if self.space == self.ruleset.finish:
            if self.first_finisher is None:
                self.first_finisher = self.seat  # 9.4
            self.events.append(Finished(self.seat))

    def award_bonus(self) -> None:
        """Give the bonus to the player if nobody has it and a whole square is covered (7.1 to 7.3)."""
        if self.bonus_owner is None and any(square & ~self.covered == 0 for square in self.ruleset.bonus_squares):
            self.bonus_owner = self.seat
            self.events.append(BonusWon(self.seat))

    def set_leathers_aside(self) -> None:
        """When a leather is due and the quilt is full, put it out of the game (6.8)."""
        while self.waiting > 0 and self.covered == self.ruleset.quilt:
            self.waiting -= 1
            self.set_aside += 1
            self.events.append(LeatherSetAside(self.seat))
