"""Whole games as one value, played from a list of integers. Which lists are drawn is decided in `strategies.py`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from patchstats.rules import Action, Event, Ply, Position, Ruleset
from patchstats.rules.loading import shipped_rulesets


@dataclass(frozen=True, slots=True, repr=False)
class Game:
    """A game from its start to its end.

    Attributes:
        ruleset: what was played with.
        ring: the patch ids clockwise, as the game was set up with them.
        positions: every position, the first and the final one included; one more than there are actions.
        actions: what was played, in order.
        events: for each action what happened, in order.
    """

    ruleset: Ruleset
    ring: tuple[str, ...]
    positions: tuple[Position, ...]
    actions: tuple[Action, ...]
    events: tuple[tuple[Event, ...], ...]

    @property
    def final(self) -> Position:
        """The position in which the game is over."""
        return self.positions[-1]

    @property
    def plies(self) -> Iterator[Ply]:
        """The game action by action."""
        return map(Ply, self.positions, self.actions, self.events, self.positions[1:])

    @property
    def log(self) -> Iterator[Event]:
        """Everything that happened, in order."""
        return (event for events in self.events for event in events)

    def __repr__(self) -> str:
        """What brings the game back: the rest follows from it, and would fill a book."""
        if self.ruleset.name in shipped_rulesets() and Ruleset.load(self.ruleset.name) == self.ruleset:
            ruleset = f"Ruleset.load({self.ruleset.name!r})"
        else:
            ruleset = f"Ruleset.from_dict({self.ruleset.to_dict()!r})"
        return f"Game(ruleset={ruleset}, ring={self.ring!r}, actions={self.actions!r})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ARG002
        """The same for Hypothesis and IPython, which would print every field of a dataclass."""
        printer.text(repr(self))


def play_game(ruleset: Ruleset, ring: Sequence[str], choices: Iterable[int]) -> Game:
    """Play a whole game by numbers: each, modulo the number of legal actions, says which of them is played next.

    When the numbers run out the game goes on with 0: by advances, and with each leather on the lowest empty cell.
    Numbers that are left when the game is over are ignored. Raises ValueError for a ring that is none of this ruleset,
    and AssertionError for a game that does not end though every space of the track has been walked.

    >>> original = Ruleset.load("original")
    >>> game = play_game(original, [patch.id for patch in original.patches], choices=[1])
    >>> game.actions[:2], len(game.actions), [player.buttons for player in game.final.players]
    ((Buy(patch='p02', orientation=0, cell=0), Advance()), 57, [54, 58])
    """
    position = Position.start(ruleset, ring)
    positions = [position]
    actions: list[Action] = []
    log: list[tuple[Event, ...]] = []
    numbers = iter(choices)
    longest = 2 * ruleset.finish + len(ruleset.leather_marks)
    while not position.finished:
        assert len(actions) < longest, f"a game of {longest} plies that is not over: a turn moved no token"
        legal = position.legal_actions
        action = legal[next(numbers, 0) % len(legal)]
        position, events = position.apply(action)
        positions.append(position)
        actions.append(action)
        log.append(events)
    return Game(ruleset, tuple(ring), tuple(positions), tuple(actions), tuple(log))
