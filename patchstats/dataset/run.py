"""Finished runs on disk, read back: their specs, their tables as pandas frames, their games.

Nothing is read before it is asked for, and never more than the columns and rows that are asked for; `batches` holds one
shard in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from patchstats.columns import Column
from patchstats.dataset.action_log import KINDS
from patchstats.dataset.manifest import NAME, Manifest, Shard, read_manifest
from patchstats.dataset.metric_tables import FOLDER, table_of
from patchstats.dataset.patches import NEEDED, patches_of
from patchstats.dataset.played import replay_to_the_end, ring_from
from patchstats.dataset.schema import LOG_LEVELS, PATCHES, TABLES
from patchstats.dataset.shards import arrow_schema, read_shard, shard_name
from patchstats.dataset.store import Store, reason, store_at, stores_like
from patchstats.errors import IllegalAction, RulesetError, RunError
from patchstats.notation import GameRecord, result_of
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    import pandas as pd

#: Rows that are wanted: (column, operator, value) triples that must all hold, or lists of which one must, as
#: `pandas.read_parquet` takes them. Operators: ==, !=, <, <=, >, >=, in, not in.
Filters = Sequence[tuple[str, str, Any]] | Sequence[Sequence[tuple[str, str, Any]]]

_Groups = list[list[tuple[str, str, Any]]]


class Run:
    """A finished run; `open_run` and `simulate` return one.

    `games`, `turns`, `offers` and `patches` return whole tables as frames, with all columns or some, and all rows or
    those that `filters` lets through, and `metric` the table of a metric; `batches` does the same shard by shard (that
    of a metric is called `metrics/holes` there). `docs/schema.md` and `docs/metrics.md` tell what the columns mean. In
    frames agents, patches and kinds of action are categories with their names, patches missing where there is none;
    the columns of metrics are as they are written. All of them raise RunError for a table or column that is not there,
    and for a missing or damaged file.

    Attributes:
        store: where its files lie.
        manifest: what was simulated, and the checksums of its files.
    """

    def __init__(self, store: Store, manifest: Manifest) -> None:
        self.store = store
        self.manifest = manifest

    def __repr__(self) -> str:
        agents = ",".join(agent["spec"] for agent in self.spec["agents"])
        return f"<run {self.path}: {self.manifest.games} games of {agents} with ruleset {self.ruleset.name}>"

    @property
    def path(self) -> Path | str:
        """Its directory, or its URL."""
        return self.store.path

    @property
    def run_id(self) -> str:
        """The hash that names it: of everything its games depend on but their number."""
        return self.manifest.run_id

    @property
    def spec(self) -> dict[str, Any]:
        """Agents, seed, number of games and the like, as plain values."""
        return self.manifest.spec

    @cached_property
    def ruleset(self) -> Ruleset:
        """The ruleset that was played."""
        return Ruleset.from_dict(self.manifest.ruleset, source=f"{self.store.where(NAME)}: ruleset")

    def games(self, columns: Sequence[str] | None = None, filters: Filters | None = None) -> pd.DataFrame:
        """Return the games table, one row a game."""
        return self._frame("games", columns, filters)

    def turns(self, columns: Sequence[str] | None = None, filters: Filters | None = None) -> pd.DataFrame:
        """Return the turns table, one row a ply, of a run with `--log turns` or `offers`."""
        return self._frame("turns", columns, filters)

    def offers(self, columns: Sequence[str] | None = None, filters: Filters | None = None) -> pd.DataFrame:
        """Return the offers table, one row a patch on offer at each turn, of a run with `--log offers`."""
        return self._frame("offers", columns, filters)

    def patches(self, columns: Sequence[str] | None = None, filters: Filters | None = None) -> pd.DataFrame:
        """Return who bought each patch of each game, and when: one row a patch and game, from the action logs."""
        return self._frame("patches", columns, filters)

    def metric(self, name: str, columns: Sequence[str] | None = None, filters: Filters | None = None) -> pd.DataFrame:
        """Return the table of a metric, as `patchstats metrics` has computed it; `docs/metrics.md` has the columns.

        Raises RunError, which names the command, when it has not, or the run has other games since.
        """
        return self._frame(FOLDER + name, columns, filters)

    def batches(
        self, table: str, columns: Sequence[str] | None = None, filters: Filters | None = None
    ) -> Iterator[pd.DataFrame]:
        """Return a table as one frame a shard, in order, each read when its turn comes: for runs larger than memory."""
        parts = self._parts(table, columns, filters)
        return (self._as_frame(table, part) for part in parts)

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
        raise RunError(f"{self.path}: there is no game {game_index}; the games are 0 to {self.manifest.games - 1}")

    def _record_of(self, row: dict[str, Any]) -> GameRecord:
        ring = ring_from(self.ruleset, row["ring"])
        plies = replay_to_the_end(self.ruleset, ring, row["actions"])
        return GameRecord(
            ruleset=self.ruleset,
            ring=ring,
            actions=tuple(ply.action for ply in plies),
            seats=tuple(ply.seat for ply in plies),
            result=result_of(plies[-1].after),
            agents=(row["agent_0"], row["agent_1"]),
        )

    def shard_table(self, shard: Shard, table: str) -> pa.Table:
        """Return one shard of a table as Arrow holds it. Raises RunError when its file is missing or damaged."""
        return read_shard(self.store, shard_name(table, shard.shard))

    def _frame(self, table: str, columns: Sequence[str] | None, filters: Filters | None) -> pd.DataFrame:
        return self._as_frame(table, pa.concat_tables(self._parts(table, columns, filters)))

    def _parts(self, table: str, columns: Sequence[str] | None, filters: Filters | None) -> Iterator[pa.Table]:
        """Check what is asked for, at once, and return the shards of a table, each read when its turn comes."""
        there = self._columns_of(table)
        names = [column.name for column in there]
        if columns is not None and not columns:
            raise RunError(f"columns is empty; leave it out for all columns, or name some of {', '.join(names)}")
        groups = _groups_of(filters)
        for column in (*(columns or ()), *(column for group in groups for column, _, _ in group)):
            if column not in names:
                raise RunError(f"the {table} of {self.path} have no column {column!r}; there are {', '.join(names)}")
        where = self._expression(there, groups, coded_columns=() if table.startswith(FOLDER) else ("kind", "patch"))
        if table == "patches":
            return self._patches(columns, where)
        return (
            read_shard(self.store, shard_name(table, shard.shard), columns, where) for shard in self.manifest.shards
        )

    def _patches(self, columns: Sequence[str] | None, where: Any) -> Iterator[pa.Table]:
        for shard in self.manifest.shards:
            games = read_shard(self.store, shard_name("games", shard.shard), NEEDED)
            patches = patches_of(self.ruleset, games)
            found = patches if where is None else patches.filter(where)
            yield found if columns is None else found.select(list(columns))

    def _columns_of(self, table: str) -> tuple[Column, ...]:
        if table.startswith(FOLDER):
            return table_of(self.store, self.manifest, table.removeprefix(FOLDER)).metric.columns
        log = self.spec["log"]
        if table == "patches" and log == "summary":
            raise RunError(f"{self.path} was simulated with --log summary; patches are computed from action logs")
        there = {**LOG_LEVELS[log], "patches": PATCHES}.get(table)
        if there is None and table in TABLES:
            raise RunError(f"{self.path} was simulated with --log {log}, which writes no table of {table}")
        if there is None:
            raise RunError(f"there is no table {table!r}; there are {', '.join(TABLES)} and patches")
        return there

    def _expression(self, there: Sequence[Column], groups: _Groups, coded_columns: Sequence[str]) -> Any:
        """The filters as Arrow understands them, patches and kinds of action by their numbers."""
        codes = {"kind": {name: code for code, name in enumerate(KINDS)}}
        codes["patch"] = {patch.id: number for number, patch in enumerate(self.ruleset.patches, start=1)}
        schema = arrow_schema(there, {})

        def coded(column: str, how: str, value: Any) -> Any:
            if how in ("in", "not in"):
                if isinstance(value, str) or not isinstance(value, Iterable):
                    raise RunError(f"filters: {column} {how} must be followed by a list of values, not {value!r}")
                values = [coded(column, "==", one) for one in value]
                return values or pa.array([], schema.field(column).type)
            if column in coded_columns and isinstance(value, str):
                if value not in codes[column]:
                    raise RunError(f"filters: there is no {column} {value!r}; there are {', '.join(codes[column])}")
                return codes[column][value]
            return value

        if not groups:
            return None
        plain = [[(column, how, coded(column, how, value)) for column, how, value in group] for group in groups]
        try:
            where = pq.filters_to_expression(plain)
            schema.empty_table().filter(where)
        except (TypeError, ValueError, OverflowError, pa.ArrowException) as error:  # another type than the column's
            raise RunError(f"filters {groups} cannot be used: {reason(error)}") from None
        return where

    def _as_frame(self, table: str, part: pa.Table) -> pd.DataFrame:
        if table.startswith(FOLDER):
            return _plain_frame(part)
        agents = [name for name in part.column_names if name.startswith("agent_")]
        frame: pd.DataFrame = part.to_pandas(categories=agents)
        for name in agents:
            frame[name] = frame[name].cat.set_categories(self._agents_at(int(name[-1])))
        if "kind" in frame:
            frame["kind"] = _categories(frame["kind"], KINDS, first=0)
        if "patch" in frame:
            frame["patch"] = _categories(frame["patch"], [patch.id for patch in self.ruleset.patches], first=1)
        if "value" in frame:
            frame["value"] = frame["value"].astype("Int32")
        return frame

    def _agents_at(self, seat: int) -> list[str]:
        agents = [agent["spec"] for agent in self.spec["agents"]]
        return list(dict.fromkeys(agents)) if self.spec["pairing"] == "mirrored" else [agents[seat]]


class Runs(Sequence[Run]):
    """Several runs, read into one frame; `open_runs` returns them.

    Every frame begins with columns of the runs' specs: run (its directory), run_id, ruleset, ruleset_id, agents (as
    `--agents` takes them), pairing, seed. The rest is as of a single `Run`.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = tuple(runs)
        for number, run in enumerate(self._runs):
            for other in self._runs[:number]:
                if other.run_id == run.run_id:
                    raise RunError(f"{other.path} and {run.path} hold the same games (run {run.run_id}); give one")

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, place: Any) -> Any:
        found = self._runs[place]
        return Runs(found) if isinstance(place, slice) else found

    def games(self, columns: Sequence[str] | None = None, filters: Filters | None = None) -> pd.DataFrame:
        """Return the games tables of all runs."""
        return self._frame("games", columns, filters)

    def turns(self, columns: Sequence[str] | None = None, filters: Filters | None = None) -> pd.DataFrame:
        """Return the turns tables of all runs."""
        return self._frame("turns", columns, filters)

    def offers(self, columns: Sequence[str] | None = None, filters: Filters | None = None) -> pd.DataFrame:
        """Return the offers tables of all runs."""
        return self._frame("offers", columns, filters)

    def patches(self, columns: Sequence[str] | None = None, filters: Filters | None = None) -> pd.DataFrame:
        """Return who bought each patch of each game of all runs."""
        return self._frame("patches", columns, filters)

    def metric(self, name: str, columns: Sequence[str] | None = None, filters: Filters | None = None) -> pd.DataFrame:
        """Return the tables of a metric of all runs."""
        return self._frame(FOLDER + name, columns, filters)

    def batches(
        self, table: str, columns: Sequence[str] | None = None, filters: Filters | None = None
    ) -> Iterator[pd.DataFrame]:
        """Return a table of all runs as one frame a shard, run by run."""
        batches = [(run, run.batches(table, columns, filters)) for run in self._runs]
        return (_with_spec(run, frame) for run, frames in batches for frame in frames)

    def _frame(self, table: str, columns: Sequence[str] | None, filters: Filters | None) -> pd.DataFrame:
        import pandas as pd

        if not self._runs:
            raise RunError("there are no runs to read; open some")
        frames = [_with_spec(run, run._frame(table, columns, filters)) for run in self._runs]
        whole = pd.concat(frames, ignore_index=True)
        for name, column in frames[0].items():
            if isinstance(column.dtype, pd.CategoricalDtype):
                whole[name] = pd.api.types.union_categoricals([frame[name] for frame in frames])
        return whole


def _with_spec(run: Run, frame: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    spec = {
        "run": str(run.path),
        "run_id": run.run_id,
        "ruleset": run.ruleset.name,
        "ruleset_id": run.spec["ruleset_id"],
        "agents": ",".join(agent["spec"] for agent in run.spec["agents"]),
        "pairing": run.spec["pairing"],
    }
    named = {name: pd.Categorical.from_codes([0] * len(frame), pd.Index([value])) for name, value in spec.items()}
    seed = pd.Series(run.spec["seed"], index=frame.index, dtype="uint64")
    return pd.concat([pd.DataFrame({**named, "seed": seed}, index=frame.index), frame], axis=1)


def _groups_of(filters: Any) -> _Groups:
    """The filters as lists of triples, of which one list must hold. Raises RunError for anything else."""
    if filters is None:
        return []
    try:
        groups = [filters] if isinstance(filters[0][0], str) else filters
        return [[(str(column), how, value) for column, how, value in group] for group in groups]
    except (TypeError, ValueError, IndexError, KeyError):
        example = "[('winner', '==', 0)]"
        raise RunError(
            f"filters must be (column, operator, value) triples, such as {example}, not {filters!r}"
        ) from None


def _plain_frame(part: pa.Table) -> pd.DataFrame:
    """A table as it is; in columns that may hold nulls, numbers stay whole."""
    import pandas as pd

    frame: pd.DataFrame = part.to_pandas()
    nullable = [field.name for field in part.schema if field.nullable]
    types = {
        pa.bool_(): pd.BooleanDtype(),
        pa.int8(): pd.Int8Dtype(),
        pa.int16(): pd.Int16Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
    }
    frame[nullable] = part.select(nullable).to_pandas(types_mapper=types.get)
    return frame


def _categories(codes: pd.Series[int], names: Sequence[str], first: int) -> pd.Categorical[str]:
    """The names that codes counted from `first` on stand for; a code below `first` stands for nothing."""
    import pandas as pd

    return pd.Categorical.from_codes((codes - first).clip(lower=-1), pd.Index(list(names)))


def open_run(path: str | Path) -> Run:
    """Open a finished run, in a directory or at a URL such as `s3://bucket/run`.

    Raises RunError when there is none, it is not finished, or its manifest is damaged.
    """
    store = store_at(path)
    manifest = read_manifest(store)
    if not manifest.finished:
        there = sum(name.startswith("games/part-") for name in store.names())
        needed = -(-manifest.spec["games"] // manifest.spec["games_per_shard"])
        raise RunError(
            f"{store} is not finished: {there} of {needed} shards are there; the same simulate command goes on with it"
        )
    return Run(store, manifest)


def open_runs(paths: str | Path | Sequence[str | Path]) -> Runs:
    """Open several finished runs: those whose directories or URLs are given, or that a pattern such as `runs/*` fits.

    Raises RunError for each reason of `open_run`, when a pattern fits no run, and when two runs hold the same games.
    """
    patterns = [paths] if isinstance(paths, str | Path) else paths
    found = [store for pattern in patterns for store in stores_like(pattern, NAME)]
    return Runs([open_run(store.path) for store in found])
