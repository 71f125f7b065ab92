"""One action of a game, seen from both sides. A game that was played is a sequence of these."""

from __future__ import annotations

from typing import NamedTuple

from patchstats.rules.actions import Action
from patchstats.rules.events import Event
from patchstats.rules.position import Position


class Ply(NamedTuple):
    """An action with the position it was played in, what happened, and the position it led to.

    >>> from patchstats.rules import Advance, Ruleset
    >>> ruleset = Ruleset.load("original")
    >>> ply = Ply.played(Position.start(ruleset, [patch.id for patch in ruleset.patches]), Advance())
    >>> ply.seat, ply.after.seat_on_turn
    (0, 1)
    """

    before: Position
    action: Action
    events: tuple[Event, ...]
    after: Position

    @classmethod
    def played(cls, position: Position, action: Action) -> Ply:
        """Play the action. Raises IllegalAction when the rules forbid it."""
        after, events = position.apply(action)
        return cls(position, action, events, after)

    @property
    def seat(self) -> int:
        """Who acted."""
        seat = self.before.seat_on_turn
        assert seat is not None, "an action was played, so somebody was on turn"
        return seat
