"""A game at one moment: everything that lies on the table, and the questions the rules ask about it.

What may be done is said in `legal.py`, what an action does in `play.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from patchstats.errors import RingError
from patchstats.rules.actions import Action
from patchstats.rules.events import Event
from patchstats.rules.legal import LegalActions, why_illegal
from patchstats.rules.play import play
from patchstats.rules.player import Player
from patchstats.rules.ruleset import Ruleset
from patchstats.rules.status import faults_of


@dataclass(frozen=True, slots=True)
class Position:
    """Everything a rule can ask about, at the moment before an action.

    Attributes:
        ruleset: what is played with.
        players: what seat 0 and seat 1 have.
        ring: the ids of the patches still on the ring, clockwise, from the first one behind the neutral token.
        leather_marks: the spaces where a leather still lies, rising.
        top: the seat that moved its token last (at the start: seat 0). When both tokens share a space its token lies on
            top (3.2), and leathers waiting to be placed are its.
        waiting: how many leathers the seat `top` has gained and not placed yet.
        set_aside: how many leathers went out of the game because a quilt was full (6.8).
        bonus_owner: the seat that has won the bonus, or None.
        first_finisher: the seat whose token reached the finish first, or None.
        bank: the buttons in the bank; below zero when the supply was not enough (9.5).

    >>> ruleset = Ruleset.load("original")
    >>> position = Position.start(ruleset, [patch.id for patch in ruleset.patches])
    >>> position.seat_on_turn, position.offer, len(position.legal_actions)
    (0, ('p02', 'p03', 'p04'), 639)
    """

    ruleset: Ruleset
    players: tuple[Player, Player]
    ring: tuple[str, ...]
    leather_marks: tuple[int, ...]
    top: int
    waiting: int
    set_aside: int
    bonus_owner: int | None
    first_finisher: int | None
    bank: int

    @classmethod
    def start(cls, ruleset: Ruleset, ring: Sequence[str]) -> Position:
        """Return the position before the first action (section 2).

        `ring` names every patch of the ruleset once, clockwise, from any of them on. Raises RingError otherwise.
        """
        if sorted(ring) != sorted(patch.id for patch in ruleset.patches):
            raise RingError("a ring names every patch of the ruleset exactly once")
        # 2.5: the neutral token stands clockwise of the start patch, which so comes last.
        behind = list(ring).index(ruleset.start_patch) + 1
        player = Player(space=0, buttons=ruleset.start_buttons)  # 2.1, 2.2
        return cls(
            ruleset=ruleset,
            players=(player, player),
            ring=(*ring[behind:], *ring[:behind]),
            leather_marks=ruleset.leather_marks,  # 2.6
            top=0,  # 2.2
            waiting=0,
            set_aside=0,
            bonus_owner=None,
            first_finisher=None,
            bank=ruleset.button_supply - 2 * ruleset.start_buttons,
        )

    @property
    def finished(self) -> bool:
        """Whether the game is over: both tokens on the finish and no leather waiting (8.1, 8.2)."""
        return not self.waiting and all(player.space == self.ruleset.finish for player in self.players)

    @property
    def seat_on_turn(self) -> int | None:
        """The seat that acts now, worked out afresh after each action (3.3), or None when the game is over.

        A token on the finish is never behind, so that its seat takes no more turns (3.4).
        """
        if self.finished:
            return None
        if self.waiting:
            return self.top  # 6.7: a leather is placed before anything else
        first, second = self.players
        if first.space == second.space:
            return self.top  # 3.2: the token on top
        return 0 if first.space < second.space else 1  # 3.1: the token further behind

    @property
    def offer(self) -> tuple[str, ...]:
        """The ids of the patches that may be chosen: the next ones on the ring or what is left, if any (5.1 to 5.3)."""
        return self.ring[: self.ruleset.offer_size]

    @property
    def legal_actions(self) -> LegalActions:
        """Every action the seat on turn may take, in a fixed order; empty when the game is over."""
        return LegalActions(self)

    def apply(self, action: Action) -> Outcome:
        """Play an action: return the new position and what happened, in the order it happened.

        Raises IllegalAction, with the clause that forbids it, for an action that is not legal; nothing changes then
        (5.13).

        >>> from patchstats.rules import Advance
        >>> ruleset = Ruleset.load("original")
        >>> position = Position.start(ruleset, [patch.id for patch in ruleset.patches])
        >>> after, events = position.apply(Advance())
        >>> after.players[0].buttons, events
        (6, (Moved(seat=0, start=0, end=1), Earned(seat=0, buttons=1)))
        """
        objection = why_illegal(self, action)
        if objection is not None:
            raise objection
        table = play(self, action)
        position = Position(
            ruleset=self.ruleset,
            players=table.players,
            ring=table.ring,
            leather_marks=table.leather_marks,
            top=table.top,
            waiting=table.waiting,
            set_aside=table.set_aside,
            bonus_owner=table.bonus_owner,
            first_finisher=table.first_finisher,
            bank=table.bank,
        )
        return Outcome(position, tuple(table.events))

    def empty_cells(self, seat: int) -> int:
        """How many cells of the seat's quilt are not covered."""
        return (self.ruleset.quilt & ~self.players[seat].covered).bit_count()

    def score(self, seat: int) -> int:
        """Buttons, plus the bonus (7.4), less the penalty for each empty cell (9.1); may be negative (9.3).

        Printed incomes do not count (9.2). The score is that of the game as it stands; it is final when the game is
        over.
        """
        bonus = self.ruleset.bonus_points if self.bonus_owner == seat else 0
        return self.players[seat].buttons + bonus - self.ruleset.empty_cell_penalty * self.empty_cells(seat)

    @property
    def winner(self) -> int | None:
        """The seat that has won, or None while the game goes on (9.4)."""
        if not self.finished:
            return None
        scores = self.score(0), self.score(1)
        if scores[0] == scores[1]:
            return self.first_finisher
        return 0 if scores[0] > scores[1] else 1

    def status(self) -> tuple[str, ...]:
        """Name everything that is wrong with the position, a line each; nothing for one that a game could show.

        Positions are not checked when they are made, so that any situation can be set up and asked about.
        """
        return faults_of(self)


class Outcome(NamedTuple):
    """What an action led to: the new position, and the events in the order they happened."""

    position: Position
    events: tuple[Event, ...]
