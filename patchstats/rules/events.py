"""What happens during an action, one event after another, as `Position.apply` reports it.

Buttons are a closed ledger: an event that moves buttons says from which account to which, and nothing else moves any.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

BANK = "bank"

#: Where buttons lie: with seat 0, with seat 1, or in the bank.
Account = int | str


class Transfer(NamedTuple):
    """So many buttons go from one account to another."""

    source: Account
    target: Account
    buttons: int


@dataclass(frozen=True, slots=True)
class Paid:
    """The seat paid the cost of a patch to the bank, also when it is 0 (5.7)."""

    seat: int
    buttons: int

    @property
    def transfer(self) -> Transfer:
        return Transfer(self.seat, BANK, self.buttons)


@dataclass(frozen=True, slots=True)
class Placed:
    """A patch went from the ring onto the seat's quilt, over this set of cells (5.8)."""

    seat: int
    patch: str
    cells: int


@dataclass(frozen=True, slots=True)
class LeatherPlaced:
    """A leather went onto the seat's quilt (6.5)."""

    seat: int
    cell: int


@dataclass(frozen=True, slots=True)
class BonusWon:
    """The seat covered a whole bonus square first (7.1)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Moved:
    """The seat's token went from one space of the track to another."""

    seat: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Earned:
    """The bank paid for the spaces of an advance (4.2)."""

    seat: int
    buttons: int

    @property
    def transfer(self) -> Transfer:
        return Transfer(BANK, self.seat, self.buttons)


@dataclass(frozen=True, slots=True)
class Income:
    """The bank paid the seat's income at this income mark, also when it is 0 (6.2)."""

    seat: int
    mark: int
    buttons: int

    @property
    def transfer(self) -> Transfer:
        return Transfer(BANK, self.seat, self.buttons)


@dataclass(frozen=True, slots=True)
class LeatherTaken:
    """The seat took the leather from this leather mark; it waits to be placed (6.4)."""

    seat: int
    mark: int


@dataclass(frozen=True, slots=True)
class LeatherSetAside:
    """A leather was due to be placed and the seat's quilt was full (6.8)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Finished:
    """The seat's token reached the finish (8.1)."""

    seat: int


#: The events that move buttons; each has a `transfer`.
Payment = Paid | Earned | Income

Event = Payment | Placed | LeatherPlaced | BonusWon | Moved | LeatherTaken | LeatherSetAside | Finished
