"""What an agent is: something that chooses an action. The agents themselves live in the modules beside this one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from patchstats.rules import Action, LegalActions, Position
from patchstats.streams import Stream


@dataclass(frozen=True, slots=True)
class Choice:
    """An action with what the agent held the patches on offer to be worth; a log of offers keeps that.

    Attributes:
        action: the chosen action.
        values: for as many of the patches on offer as the agent likes, by their ids, the worth of buying it: a whole
            number of 32 bits in a unit of the agent's own.
    """

    action: Action
    values: Mapping[str, int]


#: Decides one ply: gets the position, its legal actions and the random stream of its seat, and returns an action, or an
#: action with the worth of the offers.
Choose = Callable[[Position, LegalActions, Stream], Action | Choice]


@dataclass(frozen=True, slots=True)
class Agent:
    """A player to be sat down at any number of games.

    Attributes:
        spec: the string that names it, such as `random`.
        sit_down: called with the seat (0 or 1) at the start of each game; returns what chooses the actions there.
        sha256: the hash of the script or record it plays, or None for an agent of patchstats.
        ring: the patch ids of the ring it must be played on, for a recorded game; None for any ring.
    """

    spec: str
    sit_down: Callable[[int], Choose]
    sha256: str | None = None
    ring: tuple[str, ...] | None = None
