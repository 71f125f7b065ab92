"""A game that was played, ply by ply, as the tables of a run are computed from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from patchstats.errors import RunError
from patchstats.notation.action_log import decode_action, unpack
from patchstats.rules import Ply, Position, Ruleset


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game of a run: which one it was, who played, and its plies.

    By ply, `values` has what the agent held patches on offer to be worth, and `probabilities` how likely it was to buy
    each of them, in parts of 10**9; plies are left out at which it told nothing. `jitter` has the steps by which prices
    were changed, as `jitter.draw_steps` draws them.
    """

    game_index: int
    ring_index: int
    ring: tuple[str, ...]
    agents: tuple[str, str]
    plies: tuple[Ply, ...]
    values: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    probabilities: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    jitter: bytes = b""

    @property
    def end(self) -> Position:
        """The final position."""
        return self.plies[-1].after


class GameLog(NamedTuple):
    """What the games table holds of a game that is to be played again: its number, ring, actions, and jitter if any."""

    game_index: int
    ring: bytes
    actions: bytes
    jitter: bytes = b""


def ring_from(ruleset: Ruleset, numbers: bytes) -> tuple[str, ...]:
    """Return the ring that the games table holds as the rows of its patches in the ruleset's table, from 1.

    Raises RunError when it does not hold every patch once.
    """
    patches = ruleset.patches
    if sorted(numbers) != list(range(1, len(patches) + 1)):
        raise RunError("its ring does not hold every patch once")
    return tuple(patches[number - 1].id for number in numbers)


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
