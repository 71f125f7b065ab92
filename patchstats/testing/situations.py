"""Positions set up by hand, to ask what the rules say about one situation, whether or not a game can show it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from patchstats.rules import Outcome, Player, Position, Ruleset
from patchstats.rules.cells import set_of


def situation(
    ruleset: Ruleset,
    *,
    spaces: tuple[int, int] = (0, 0),
    top: int | None = None,
    buttons: tuple[int, int] | None = None,
    income: tuple[int, int] = (0, 0),
    covered: tuple[Iterable[int], Iterable[int]] = ((), ()),
    ring: Sequence[str] | None = None,
    leather_marks: Sequence[int] | None = None,
    waiting: int = 0,
    bonus_owner: int | None = None,
) -> Position:
    """Return a position in which the seats have what is said here, and everything else is as it must then be.

    Left out, the tokens stand on the start, the seat ahead (seat 0 when they are level) is `top`, each seat has its
    start buttons, and the `ring` holds all patches in the order of the ruleset, from the one behind the start patch.
    `covered` names the covered cells of each quilt. Leathers lie on the marks ahead of both tokens, and the bank holds
    what the seats do not.

    No patch is on a quilt, so `Position.status` objects to an income and to covered cells; play goes on all the same.

    >>> from patchstats.rules import Advance
    >>> behind = situation(Ruleset.load("original"), spaces=(9, 12), buttons=(1, 0), income=(3, 0))
    >>> behind.seat_on_turn, behind.apply(Advance()).position.players[0].buttons
    (0, 8)
    """
    if buttons is None:
        buttons = (ruleset.start_buttons, ruleset.start_buttons)
    if top is None:
        top = 1 if spaces[1] > spaces[0] else 0
    if leather_marks is None:
        leather_marks = [mark for mark in ruleset.leather_marks if mark > max(spaces)]
    if ring is None:
        ring = Position.start(ruleset, [patch.id for patch in ruleset.patches]).ring
    at_finish = [seat for seat in (0, 1) if spaces[seat] == ruleset.finish]
    first, second = (
        Player(space=spaces[seat], buttons=buttons[seat], income=income[seat], covered=set_of(covered[seat]))
        for seat in (0, 1)
    )
    return Position(
        ruleset=ruleset,
        players=(first, second),
        ring=tuple(ring),
        leather_marks=tuple(leather_marks),
        top=top,
        waiting=waiting,
        set_aside=0,
        bonus_owner=bonus_owner,
        first_finisher=1 - top if len(at_finish) == 2 else next(iter(at_finish), None),
        bank=ruleset.button_supply - sum(buttons),
    )


def buy(position: Position, patch: str) -> Outcome:
    """Buy a patch in the first placement there is, where it does not matter which.

    Raises ValueError if the patch cannot be bought.

    >>> original = Ruleset.load("original")
    >>> buy(situation(original, spaces=(10, 12), ring=["p27"], buttons=(7, 0)), "p27").position.players[0].buttons
    2
    """
    placements = position.legal_actions.purchases.of(patch)
    if not placements:
        raise ValueError(
            f"patch {patch} cannot be bought; these can: {', '.join(position.legal_actions.purchases.patches)}"
        )
    return position.apply(placements[0])
