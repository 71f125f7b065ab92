"""A game that was played, ply by ply, as the tables of a run are computed from it."""

from __future__ import annotations

from dataclasses import dataclass

from patchstats.dataset.action_log import decode_action, unpack
from patchstats.errors import RunError
from patchstats.rules import Ply, Position, Ruleset


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game of a run: which one it was, who played, and its plies."""

    game_index: int
    ring_index: int
    ring: tuple[str, ...]
    agents: tuple[str, str]
    plies: tuple[Ply, ...]

    @property
    def end(self) -> Position:
        """The final position."""
        return self.plies[-1].after


def replay_to_the_end(ruleset: Ruleset, ring: tuple[str, ...], log: bytes) -> tuple[Ply, ...]:
    """Play a whole game from its action log.

    Raises RunError or IllegalAction, at the first code that is no legal action, and RunError when the game is not over
    after the last one.
    """
    position = Position.start(ruleset, ring)
    plies = []
    for code in unpack(log):
        plies.append(Ply.played(position, decode_action(position, code)))
        position = plies[-1].after
    if not position.finished:
        raise RunError(f"after the {len(plies)} plies of the log the game is not over")
    return tuple(plies)
