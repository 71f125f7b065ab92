"""Mirror play: an agent against itself, which shows what the seats are worth to it, and its style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from patchstats.analysis.estimate import Estimate, mean_by_ring
from patchstats.analysis.shares import Share, share
from patchstats.experiments.field import distinct, played, refuse_a_run, whole_number
from patchstats.experiments.match import Match
from patchstats.experiments.pairs import below, directory_name
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    import pandas as pd

#: The columns of the games table that mirror play is judged by.
COLUMNS = ("ring_index", "winner", "bonus_seat", "score_0", "score_1", "empty_0", "empty_1")


@dataclass(frozen=True, slots=True)
class MirrorResult:
    """What came of the games of an agent against itself, each on a ring of its own.

    Attributes:
        agent: the agent.
        run: the directory or URL of the run.
        run_id: the hash that names it.
        games: how many games.
        share: the share of games that seat 0 won; the ring, which is the game here, is the unit of its interval.
        margin: how many points seat 0 had more than seat 1 on average.
        score: the mean final score of both seats, in points.
        empty: how many cells of a quilt were empty in the end, on average.
        bonus: the share of games in which somebody got the bonus for the 7x7 square.
    """

    agent: str
    run: str
    run_id: str
    games: int
    share: Share
    margin: Estimate
    score: float
    empty: float
    bonus: float

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, as `patchstats ladder --mirror --json` prints them."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        margin = {"points": self.margin.value, "low": self.margin.low, "high": self.margin.high}
        return {**plain, "share": self.share._asdict(), "margin": margin}


def mirror(
    *,
    agents: Sequence[str],
    games: int,
    seed: int,
    out: str | Path,
    ruleset: str | Ruleset = "original",
    log: str = "games",
    games_per_shard: int = 0,
    engine: str = "auto",
    workers: int = 1,
    progress: str = "off",
) -> tuple[MirrorResult, ...]:
    """Let each agent play itself, a game a ring; the same as `patchstats ladder --mirror` on the command line.

    All arguments, and what is raised, are as of `ladder`, but for `agents`, of which one is enough, and for `games`, of
    which each agent plays so many, 2 at least.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (found,) = mirror(agents=["random"], games=400, seed=1, out=folder)
    >>> print(found.agent, found.share, round(found.empty, 1))
    random 46.8% [41.9%, 51.6%] 24.5
    """
    played_with = Ruleset.load(ruleset)
    named = distinct(agents, played_with, least=1)
    whole_number("games", games, 2)
    refuse_a_run(out)
    of_games = {"seed": seed, "ruleset": played_with, "log": log, "games_per_shard": games_per_shard}
    settings = {**of_games, "pairing": "none", "engine": engine, "workers": workers}
    pairs = [[one, one] for one in named]
    matches = [
        Match(games, COLUMNS, {**settings, "agents": two, "out": below(out, directory_name(two))}) for two in pairs
    ]
    return tuple(
        _judged(agent, str(run.path), run.run_id, frame)
        for agent, (run, frame, _) in zip(named, played(matches, progress, "ladder"), strict=True)
    )


def _judged(agent: str, run: str, run_id: str, games: pd.DataFrame) -> MirrorResult:
    return MirrorResult(
        agent,
        run,
        run_id,
        len(games),
        share(int((games["winner"] == 0).sum()), len(games)),
        mean_by_ring(games["score_0"] - games["score_1"], games["ring_index"]).interval(),
        float(np.mean(games[["score_0", "score_1"]].to_numpy())),
        float(np.mean(games[["empty_0", "empty_1"]].to_numpy())),
        float((games["bonus_seat"] >= 0).mean()),
    )
