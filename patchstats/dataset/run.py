"""A finished run on disk, read back: its spec, its ruleset, its tables as pandas frames, its games."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from patchstats.dataset.action_log import KINDS
from patchstats.dataset.manifest import Manifest, Shard, read_manifest
from patchstats.dataset.played import replay_to_the_end
from patchstats.dataset.schema import LOG_LEVELS
from patchstats.dataset.shards import read_shard, shard_path
from patchstats.errors import IllegalAction, RulesetError, RunError
from patchstats.notation import GameRecord, result_of
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    import pandas as pd


class Run:
    """A finished run; `open_run` and `simulate` return one.

    Attributes:
        path: its directory.
        manifest: what was simulated, and the checksums of its files.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest

    def __repr__(self) -> str:
        agents = ",".join(agent["spec"] for agent in self.spec["agents"])
        return f"<run {self.path}: {self.spec['games']} games of {agents} with ruleset {self.ruleset.name}>"

    @property
    def spec(self) -> dict[str, Any]:
        """Agents, seed, number of games and the like, as plain values."""
        return self.manifest.spec

    @cached_property
    def ruleset(self) -> Ruleset:
        """The ruleset that was played."""
        return Ruleset.from_dict(self.manifest.ruleset, source=f"{self.path}/manifest.json: ruleset")

    def games(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return the games table, one row a game; all columns or some. `docs/schema.md` tells what they mean.

        Agents are a categorical column. Raises RunError for a column that is not there and for a damaged file.
        """
        return self._frame("games", columns)

    def turns(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return the turns table, one row a ply; all columns or some. `docs/schema.md` tells what they mean.

        Patches are categories by their ids, missing where no patch was bought, and kinds by their names. Raises
        RunError when the run was logged without turns, for a column that is not there, and for a damaged file.
        """
        return self._frame("turns", columns)

    def record(self, game_index: int) -> GameRecord:
        """Return the record of one game of the run: its ring, every action, and how it ended.

        `patchstats.render` shows records. Raises RunError when the game is not there or its log cannot be played.
        """
        if self.spec["log"] == "summary":
            raise RunError(f"{self.path}: a run with --log summary has no action logs")
        for shard in self.manifest.shards:
            if shard.first_game <= game_index < shard.first_game + shard.games:
                [row] = self.shard_table(shard, "games").slice(game_index - shard.first_game, 1).to_pylist()
                try:
                    return self._record_of(row)
                except (RunError, RulesetError, IllegalAction) as error:
                    raise RunError(f"{self.path}: game {game_index}: {error}") from None
        raise RunError(f"{self.path}: there is no game {game_index}; the games are 0 to {self.spec['games'] - 1}")

    def _record_of(self, row: dict[str, Any]) -> GameRecord:
        patches = self.ruleset.patches
        if sorted(row["ring"]) != list(range(1, len(patches) + 1)):
            raise RunError("its ring does not hold every patch once")
        ring = tuple(patches[number - 1].id for number in row["ring"])
        plies = replay_to_the_end(self.ruleset, ring, row["actions"])
        return GameRecord(
            ruleset=self.ruleset,
            ring=ring,
            actions=tuple(ply.action for ply in plies),
            seats=tuple(ply.seat for ply in plies),
            result=result_of(plies[-1].after),
            agents=(row["agent_0"], row["agent_1"]),
        )

    def shard_table(self, shard: Shard, table: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return one shard of a table as Arrow holds it. Raises RunError when its file is missing or damaged."""
        return read_shard(shard_path(self.path, table, shard.shard), columns)

    def _frame(self, table: str, columns: Sequence[str] | None) -> pd.DataFrame:
        there = LOG_LEVELS[self.spec["log"]].get(table)
        if there is None:
            raise RunError(f"{self.path} was simulated with --log {self.spec['log']}, which writes no table of {table}")
        names = [column.name for column in there]
        if columns is not None and not columns:
            raise RunError(f"columns is empty; leave it out for all columns, or name some of {', '.join(names)}")
        for column in columns or ():
            if column not in names:
                raise RunError(f"the {table} of {self.path} have no column {column!r}; there are {', '.join(names)}")
        shards = [self.shard_table(shard, table, columns) for shard in self.manifest.shards]
        agents = [name for name in shards[0].column_names if name.startswith("agent_")]
        frame: pd.DataFrame = pa.concat_tables(shards).to_pandas(categories=agents)
        if "kind" in frame:
            frame["kind"] = _categories(frame["kind"], KINDS, first=0)
        if "patch" in frame:
            frame["patch"] = _categories(frame["patch"], [patch.id for patch in self.ruleset.patches], first=1)
        return frame


def _categories(codes: pd.Series[int], names: Sequence[str], first: int) -> pd.Categorical[str]:
    """The names that codes counted from `first` on stand for; a code below `first` stands for nothing."""
    import pandas as pd

    return pd.Categorical.from_codes((codes - first).clip(lower=-1), pd.Index(list(names)))


def open_run(path: str | Path) -> Run:
    """Open a finished run. Raises RunError when there is none, it is not finished, or its manifest is damaged."""
    run = Path(path)
    manifest = read_manifest(run)
    if not manifest.finished:
        there = len(list(run.glob("games/part-*.parquet")))
        needed = -(-manifest.spec["games"] // manifest.spec["games_per_shard"])
        raise RunError(
            f"{run} is not finished: {there} of {needed} shards are there; the same simulate command goes on with it"
        )
    return Run(run, manifest)
