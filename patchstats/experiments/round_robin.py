"""The ladder: some agents play mirrored pairs, every two or one against all, and are rated by what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patchstats.analysis.estimate import Estimate
from patchstats.analysis.ratings import Cyclicity, Ratings, cyclicity, ratings
from patchstats.analysis.sprt import Sprt, Verdict
from patchstats.errors import RunError
from patchstats.experiments.field import distinct, played, refuse_a_run
from patchstats.experiments.match import Match
from patchstats.experiments.pairs import (
    COLUMNS,
    AgentScores,
    PairResult,
    below,
    directory_name,
    mean_margin,
    scores_of,
    share_won,
)
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Ladder:
    """What a ladder says of its agents; `docs/ladder.md` tells how to read it.

    Attributes:
        agents: the agents, in the order in which they were named.
        ruleset_id: what they played with.
        seed: the seed of all runs: every two agents played the same rings.
        ratings: how strong each is, and what it is worth to sit at seat 0.
        pairs: what came of the games of each two.
        scores: how each did on average.
        cyclicity: how much of who beats whom the ratings do not explain.
    """

    agents: tuple[str, ...]
    ruleset_id: str
    seed: int
    ratings: Ratings
    pairs: tuple[PairResult, ...]
    scores: tuple[AgentScores, ...]
    cyclicity: Cyclicity

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, as `patchstats ladder --json` prints them."""
        rated = zip(self.ratings.agents, self.ratings.elo, strict=True)
        cyclic = self.cyclicity
        return {
            "agents": list(self.agents),
            "ruleset_id": self.ruleset_id,
            "seed": self.seed,
            "games": self.ratings.games,
            "ratings": [{"agent": agent, **_named("elo", elo)} for agent, elo in rated],
            "seat": _named("elo", self.ratings.seat),
            "pairs": [
                {
                    "agents": list(pair.agents),
                    "run": pair.run,
                    "run_id": pair.run_id,
                    "games": pair.games,
                    "share": pair.share._asdict(),
                    "margin": _named("points", pair.margin),
                    "sprt": pair.verdict and {name: getattr(pair.verdict, name) for name in Verdict.__slots__},
                }
                for pair in self.pairs
            ],
            "scores": [{name: getattr(one, name) for name in AgentScores.__slots__} for one in self.scores],
            "cyclicity": {
                "share": cyclic.share,
                "by_chance": cyclic.by_chance,
                "p_value": cyclic.p_value,
                "triples": [{"agents": list(triple.agents), "p_value": triple.p_value} for triple in cyclic.triples],
            },
        }


def _named(what: str, estimate: Estimate) -> dict[str, float]:
    return {what: estimate.value, "low": estimate.low, "high": estimate.high}


def ladder(
    *,
    agents: Sequence[str],
    games: int,
    seed: int,
    out: str | Path,
    ruleset: str | Ruleset = "original",
    log: str = "games",
    sprt: Sprt | None = None,
    gauntlet: bool = False,
    games_per_shard: int = 0,
    engine: str = "auto",
    workers: int = 1,
    progress: str = "off",
) -> Ladder:
    """Let every two agents play mirrored pairs, and rate them; the same as `patchstats ladder` on the command line.

    Args:
        agents: the spec strings of two agents or more.
        games: how many games each two play, an even number from 4 on; with `sprt` at most so many.
        seed: the seed of every run, so that every two agents play the same rings.
        out: the directory, or URL, below which each two agents have a run of their own. Runs that are there are gone
            on with, and extended to a larger number of games; agents may be added.
        ruleset, log, games_per_shard, engine, workers, progress: as of `simulate`.
        sprt: a sequential test of the agent named first against the other one, for each two; they play no more once
            it has come to an end, but for the games of the shards that were begun.
        gauntlet: let the agent named first play all others, and these not each other.

    Raises what `simulate` raises, before anything is played where that is possible, and RunError for fewer than two
    agents or one that is named twice.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = ladder(agents=["random", "random-patch"], games=400, seed=1, out=folder)
    >>> found.pairs[0].games, str(found.pairs[0].share)
    (400, '66.5% [61.7%, 71.0%]')
    """
    played_with = Ruleset.load(ruleset)
    named = distinct(agents, played_with, least=2)
    if isinstance(games, bool) or not isinstance(games, int) or games < 4 or games % 2:
        raise RunError(f"games must be an even number from 4 on, two games a mirrored pair, not {games!r}")
    if sprt is not None and not isinstance(sprt, Sprt):
        raise RunError(f"sprt must be a sequential test such as Sprt(0, 20), not {sprt!r}")
    refuse_a_run(out)
    of_games = {"seed": seed, "ruleset": played_with, "log": log, "games_per_shard": games_per_shard}
    settings = {**of_games, "pairing": "mirrored", "engine": engine, "workers": workers}
    twos = [(named[0], other) for other in named[1:]] if gauntlet else list(combinations(named, 2))
    matches = [
        # The run is the same in whatever order agents are named.
        Match(games, COLUMNS, {**settings, "agents": sorted(two), "out": below(out, directory_name(two))}, sprt, two[0])
        for two in twos
    ]
    pairs, of_pairs = [], []
    for two, (run, frame, verdict) in zip(twos, played(matches, progress, "ladder"), strict=True):
        share, margin = share_won(frame, two[0]), mean_margin(frame, two[0])
        pairs.append(PairResult(two, str(run.path), run.run_id, len(frame), share, margin, verdict))
        of_pairs.append(frame)
    return _rated(named, played_with, seed, pairs, of_pairs)


def _rated(
    agents: tuple[str, ...], ruleset: Ruleset, seed: int, pairs: list[PairResult], of_pairs: list[pd.DataFrame]
) -> Ladder:
    import pandas as pd

    kind = pd.CategoricalDtype(list(agents))
    games = pd.concat([frame.astype({"agent_0": kind, "agent_1": kind}) for frame in of_pairs], ignore_index=True)
    return Ladder(
        agents,
        ruleset.ruleset_id,
        seed,
        ratings(games, agents),
        tuple(pairs),
        scores_of(games, agents),
        cyclicity(games, agents),
    )
