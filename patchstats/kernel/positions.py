"""Positions as games in an arena, and back; nothing is lost on the way."""

from __future__ import annotations

import numpy as np

from patchstats.kernel import layout
from patchstats.kernel.tables import WORD, Arena, put_prices, put_spaces
from patchstats.kernel.turn import lay_ring, set_up
from patchstats.rules import Player, Position, Ruleset

_LOW = 2**WORD - 1


def put_position(arena: Arena, position: Position) -> None:
    """Set up a position in an arena that was made for its ruleset, or for one with other costs, times and incomes.

    Raises ValueError for amounts below zero, which no game shows and an arena cannot hold; the bank may be.
    """
    ruleset = position.ruleset
    if min(position.waiting, position.set_aside) < 0:
        raise ValueError(f"less than nothing of leathers: {position.waiting} waiting, {position.set_aside} set aside")
    set_up(arena)
    put_prices(arena, ruleset)
    numbers = {patch.id: number for number, patch in enumerate(ruleset.patches)}
    lay_ring(arena, np.array([numbers[patch] for patch in position.ring], dtype=np.uint64))
    for seat, player in enumerate(position.players):
        if min(player.space, player.buttons, player.income, player.covered, player.leathers) < 0:
            raise ValueError(f"seat {seat} has less than nothing of something: {player}")
        fields = {
            layout.SPACE: player.space,
            layout.BUTTONS: player.buttons,
            layout.INCOME: player.income,
            layout.COVERED_LOW: player.covered & _LOW,
            layout.COVERED_HIGH: player.covered >> WORD,
            layout.EMPTY: position.empty_cells(seat),
            layout.LEATHERS: player.leathers,
            layout.BOUGHT: len(player.patches),
        }
        for field, amount in fields.items():
            arena[_seat(seat) + int(field)] = amount
        for patch in player.patches:
            arena[int(arena[layout.AT_OWNER]) + numbers[patch]] = 1 + seat
    put_spaces(arena, layout.LEATHERS_ON_TRACK, position.leather_marks)
    arena[layout.TOP] = position.top
    arena[layout.WAITING] = position.waiting
    arena[layout.SET_ASIDE] = position.set_aside
    arena[layout.BONUS] = 0 if position.bonus_owner is None else 1 + position.bonus_owner
    arena[layout.FIRST] = 0 if position.first_finisher is None else 1 + position.first_finisher
    arena[layout.ACCOUNT] = (position.bank + sum(player.buttons for player in position.players)) & _LOW


def position_in(arena: Arena, ruleset: Ruleset) -> Position:
    """Return the position of the game in an arena that was made for the ruleset."""
    ids = [patch.id for patch in ruleset.patches]
    owners = [int(arena[int(arena[layout.AT_OWNER]) + number]) for number in range(len(ids))]
    ring = []
    patch = int(arena[layout.TAIL])
    for _ in range(int(arena[layout.ON_RING])):
        patch = int(arena[int(arena[layout.AT_NEXT]) + patch])
        ring.append(ids[patch])
    first, second = (
        Player(
            space=int(arena[_seat(seat) + int(layout.SPACE)]),
            buttons=int(arena[_seat(seat) + int(layout.BUTTONS)]),
            income=int(arena[_seat(seat) + int(layout.INCOME)]),
            covered=_wide(arena, _seat(seat) + int(layout.COVERED_LOW)),
            patches=frozenset(name for name, owner in zip(ids, owners, strict=True) if owner == 1 + seat),
            leathers=int(arena[_seat(seat) + int(layout.LEATHERS)]),
        )
        for seat in (0, 1)
    )
    account = int(arena[layout.ACCOUNT])
    held = account - 2**WORD if account >= 2 ** (WORD - 1) else account
    return Position(
        ruleset=ruleset,
        players=(first, second),
        ring=tuple(ring),
        leather_marks=_spaces(arena, int(layout.LEATHERS_ON_TRACK)),
        top=int(arena[layout.TOP]),
        waiting=int(arena[layout.WAITING]),
        set_aside=int(arena[layout.SET_ASIDE]),
        bonus_owner=_seat_or_none(arena, layout.BONUS),
        first_finisher=_seat_or_none(arena, layout.FIRST),
        bank=held - first.buttons - second.buttons,
    )


def _seat(number: int) -> int:
    return int(layout.SEATS) + number * int(layout.SEAT_SIZE)


def _wide(arena: Arena, place: int) -> int:
    return int(arena[place]) | int(arena[place + 1]) << WORD


def _spaces(arena: Arena, place: int) -> tuple[int, ...]:
    words = range(layout.TRACK_WORDS)
    bits = sum(int(arena[place + word]) << WORD * word for word in words)
    return tuple(space for space in range(WORD * layout.TRACK_WORDS) if bits >> space & 1)


def _seat_or_none(arena: Arena, place: np.uint64) -> int | None:
    return int(arena[place]) - 1 if arena[place] else None
