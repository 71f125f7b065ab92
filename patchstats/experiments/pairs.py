"""Two agents in mirrored pairs: where their run lies, and what came of it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from patchstats.analysis.estimate import Estimate, mean_by_ring
from patchstats.analysis.shares import Share, share_by_ring
from patchstats.analysis.sprt import Verdict

if TYPE_CHECKING:
    import pandas as pd

#: The columns of the games table that a ladder is computed from.
COLUMNS = (
    *("ring_index", "agent_0", "agent_1", "winner", "bonus_seat"),
    *("score_0", "score_1", "empty_0", "empty_1"),
)

#: How much of a spec is seen in the name of a directory; the hash tells the rest.
_SEEN = 40


@dataclass(frozen=True, slots=True)
class PairResult:
    """What came of the games of two agents.

    Attributes:
        agents: the two, in the order in which they were named.
        run: the directory or URL of their run.
        run_id: the hash that names it.
        games: how many games; each mirrored pair is two.
        share: the share of games that the first won; the unit of its interval is the mirrored pair.
        margin: how many points the first had more than the second on average; the unit is the mirrored pair.
        verdict: what the sequential test says of the first against the second, where there is one.
    """

    agents: tuple[str, str]
    run: str
    run_id: str
    games: int
    share: Share
    margin: Estimate
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class AgentScores:
    """How an agent did on average over all its games.

    Attributes:
        agent: the agent.
        games: how many games it played.
        score: its mean final score, in points.
        empty: how many cells of its quilt were empty in the end, on average.
        bonus: the share of its games in which it got the bonus for the 7x7 square.
    """

    agent: str
    games: int
    score: float
    empty: float
    bonus: float


def directory_name(agents: Sequence[str]) -> str:
    """Return the name of the directory of the run of two agents, in whatever order they are named.

    >>> directory_name(["random-patch", "random"])
    'random-vs-random-patch-76431685'
    """
    ordered = sorted(agents)
    seen = [re.sub(r"[^A-Za-z0-9_.=]+", "-", spec)[:_SEEN].strip("-.") for spec in ordered]
    return f"{'-vs-'.join(seen)}-{hashlib.sha256(json.dumps(ordered).encode()).hexdigest()[:8]}"


def below(out: str | Path, name: str) -> str | Path:
    """Return a directory below another one, which may be a URL.

    >>> below("s3://bucket/ladder/", "pair")
    's3://bucket/ladder/pair'
    """
    return f"{str(out).rstrip('/')}/{name}" if "://" in str(out) else Path(out) / name


def half_points(games: pd.DataFrame, agent: str) -> NDArray[np.int64]:
    """Return what an agent got in each mirrored pair, in the order of the games: 4 for two wins, 2 for one, 0.

    >>> import pandas as pd
    >>> half_points(pd.DataFrame({"agent_0": ["a", "b", "a", "b"], "winner": [0, 1, 1, 1]}), "a").tolist()
    [4, 2]
    """
    won = (games["winner"] == 0).to_numpy() == (games["agent_0"] == agent).to_numpy()
    points: NDArray[np.int64] = 2 * won.reshape(-1, 2).sum(axis=1, dtype=np.int64)
    return points


def share_won(games: pd.DataFrame, agent: str, confidence: float = 0.95) -> Share:
    """Return the share of games in mirrored pairs that an agent won; the unit of its interval is the pair.

    >>> import pandas as pd
    >>> print(share_won(pd.DataFrame({"agent_0": ["a", "b"] * 50, "winner": [0, 1] * 50}), "a"))
    100.0% [92.9%, 100.0%]
    """
    wins = half_points(games, agent) // 2
    return share_by_ring(2 * len(wins), int(wins.sum()), len(wins), int(np.sum(wins**2)), confidence)


def mean_margin(games: pd.DataFrame, agent: str, confidence: float = 0.95) -> Estimate:
    """Return how many points an agent had more than its opponent, on average over the games of mirrored pairs.

    The unit of the interval is the pair, of which there must be two: see `mean_by_ring`.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"ring_index": [0, 0, 1, 1], "agent_0": ["a", "b"] * 2, "score_0": [5, 1, 9, 1],
    ...     "score_1": [2, 2, 2, 2]})
    >>> print(mean_margin(games, "a"))
    +3 [-10, +16]
    """
    sign = np.where((games["agent_0"] == agent).to_numpy(), 1, -1)
    margins = sign * (games["score_0"].to_numpy() - games["score_1"].to_numpy())
    return mean_by_ring(margins, games["ring_index"]).interval(confidence)


def scores_of(games: pd.DataFrame, agents: Sequence[str]) -> tuple[AgentScores, ...]:
    """Return how each agent did on average over all its games, from whichever seat."""
    return tuple(_scores_of(games, agent) for agent in agents)


def _scores_of(games: pd.DataFrame, agent: str) -> AgentScores:
    seats = [(games[f"agent_{seat}"] == agent).to_numpy() for seat in (0, 1)]

    def mean(*of_seats: Any) -> float:
        return float(np.concatenate([np.asarray(of)[at] for of, at in zip(of_seats, seats, strict=True)]).mean())

    return AgentScores(
        agent,
        int(sum(at.sum() for at in seats)),
        mean(games["score_0"], games["score_1"]),
        mean(games["empty_0"], games["empty_1"]),
        mean(games["bonus_seat"] == 0, games["bonus_seat"] == 1),
    )
