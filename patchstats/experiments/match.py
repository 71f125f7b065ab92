"""The games of two agents in a ladder: what of them is there, and how far they are played."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from patchstats.analysis.sprt import LEAST_PAIRS, Sprt, Verdict
from patchstats.dataset.manifest import read_manifest
from patchstats.dataset.run import Run
from patchstats.dataset.shards import shard_of
from patchstats.dataset.store import store_at
from patchstats.errors import RunError
from patchstats.experiments.pairs import half_points
from patchstats.simulation.progress import say
from patchstats.simulation.simulate import prepare, simulate
from patchstats.simulation.spec import RunSpec

if TYPE_CHECKING:
    import pandas as pd

#: A sequential test looks again when there is an eighth more: it plays little that it does not need, and what it reads
#: over and over stays in proportion to what there is.
_PART_MORE = 8

#: How often it is looked which shards are finished.
_SECONDS_BETWEEN_LOOKS = 1.0

#: Those settings of `simulate` that are in the spec of a run, beside the agents and how many games.
_OF_SPEC = ("ruleset", "seed", "log", "pairing", "games_per_shard", "jitter")


class Match:
    """The games of two agents: what of them is there, and how they are played.

    `settings` are those of `simulate` but for `games`, and `columns` those of the games table that are wanted. A
    sequential test is of the agent `rated` against the other; it needs the columns agent_0 and winner.
    """

    def __init__(
        self, games: int, columns: Sequence[str], settings: dict[str, Any], sprt: Sprt | None = None, rated: str = ""
    ) -> None:
        self.most = games
        self.columns = columns
        self.settings = settings
        self.sprt = sprt
        self.rated = rated
        self.store = store_at(settings["out"])
        self.games = games
        self.there: set[int] = set()  # the shards that were there before
        self.told = 0  # how many games were reported

    def look(self, progress: str) -> int:
        """Check the settings and the directory, and return how many games are there; nothing is written."""
        chosen = {key: value for key, value in self.settings.items() if key in _OF_SPEC}
        self.spec = RunSpec(agents=tuple(self.settings["agents"]), games=self.most, **chosen)
        if self.sprt is not None:
            self.games = min(self.most, self._games_there() or next(self._stages()))
        found = prepare(**self.settings, games=self.games, progress=progress).found
        self.there = set(found)
        self.told = sum(shard.games for shard in found.values())
        return self.told

    def play(self, report: Callable[[int], None], progress: str) -> tuple[Run, pd.DataFrame, Verdict | None]:
        """Play what is missing, and return the run, its games, and what a sequential test says of the first agent."""
        run, games = self._played(report)
        verdict = None
        if self.sprt is not None:
            verdict = self.sprt.judge(half_points(games, self.rated))
            while verdict.accepted is None and self.games < self.most:
                self.games = min(self.most, next(stage for stage in self._stages() if stage > self.games))
                run, games = self._played(report)
                verdict = self.sprt.judge(half_points(games, self.rated))
            if verdict.accepted:
                [other] = set(self.spec.agents) - {self.rated}
                say(progress, f"{self.rated} against {other}: {verdict.accepted} after {2 * verdict.pairs:,} games")
        return run, games, verdict

    def _played(self, report: Callable[[int], None]) -> tuple[Run, pd.DataFrame]:
        with self._reporting(report):
            run = simulate(**self.settings, games=self.games)
        return run, run.games(self.columns)

    def _stages(self) -> Iterator[int]:
        """How many games there are when a sequential test looks at them: whole shards, whoever plays them."""
        shard = self.spec.games_per_shard
        games = 0
        while True:
            games += max(-(-2 * LEAST_PAIRS // shard), games // shard // _PART_MORE) * shard
            yield games

    def _games_there(self) -> int:
        """How many games the run in the directory has, or was to have when it was broken off."""
        with suppress(RunError):
            return int(read_manifest(self.store).spec["games"])
        with suppress(OSError):
            shards = [found[1] for name in self.store.names() if (found := shard_of(name))]
            return (max(shards, default=-1) + 1) * self.spec.games_per_shard
        return 0

    @contextmanager
    def _reporting(self, report: Callable[[int], None]) -> Iterator[None]:
        """Report the games of each shard when its file appears, and in the end whatever is left."""
        over = threading.Event()
        before = self.told

        def tell(games: int) -> None:
            if games > self.told:
                report(games - self.told)
                self.told = games

        def watch() -> None:
            while not over.wait(_SECONDS_BETWEEN_LOOKS):
                with suppress(OSError):
                    found = {
                        shard[1] for name in self.store.names() if (shard := shard_of(name)) and shard[0] == "games"
                    }
                    tell(min(self.games, before + len(found - self.there) * self.spec.games_per_shard))

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()
        tell(self.games)
        self.there |= set(range(-(-self.games // self.spec.games_per_shard)))
