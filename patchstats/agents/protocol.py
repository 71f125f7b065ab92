"""What an agent is: something that chooses an action. The agents themselves live in the modules beside this one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from patchstats.rules import Action, LegalActions, Position
from patchstats.streams import Stream

#: A probability of 1, in the parts in which agents tell theirs.
CERTAIN = 10**9


@dataclass(frozen=True, slots=True)
class Choice:
    """An action with what the agent held of the patches on offer; a log of offers keeps that.

    Attributes:
        action: the chosen action.
        values: for as many of the patches on offer as the agent likes, by their ids, the worth of buying it: a whole
            number of 32 bits in a unit of the agent's own.
        probabilities: by their ids, how likely the agent was to buy each patch on offer, in parts of 10**9; 0 for those
            that are left out, and what is left of all of them is the advance. None if it does not tell.
    """

    action: Action
    values: Mapping[str, int] = field(default_factory=dict)
    probabilities: Mapping[str, int] | None = None


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
        decider: makes the `kernel.deciders.deciding.Decider` by which the compiled engine plays it; None for an agent
            that the reference engine alone can play.
        module: the module of the compiled engine that this decider is in.
        asked: whether the reference engine asks that decider, so that it must be compiled for it, too.
        remark: what is to be said to whoever lets it play, or nothing.
        reproducible: whether its games can be played again; not so for an agent that thinks for a number of seconds.
        seconds_a_game: about how long it plays at a game on one core.
    """

    spec: str
    sit_down: Callable[[int], Choose]
    sha256: str | None = None
    ring: tuple[str, ...] | None = None
    decider: Callable[[], Any] | None = None
    module: str = ""
    asked: bool = False
    remark: str = ""
    reproducible: bool = True
    seconds_a_game: float = 0.001
