"""A finished run on disk, read back: its spec, its tables as pandas frames, its games.

Nothing is read before it is asked for, and never more than the columns and rows that are asked for; `batches` holds one
shard in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from patchstats.columns import GAME_INDEX, Column
from patchstats.dataset.frames import Asked, Frames, categories, expression_of, in_a_line, plain_frame
from patchstats.dataset.jitter import jitter_of, ruleset_of
from patchstats.dataset.manifest import NAME, Manifest, Shard, read_manifest
from patchstats.dataset.metric_tables import FOLDER, table_of
from patchstats.dataset.patches import NEEDED, patches_of
from patchstats.dataset.played import replay_to_the_end, ring_from
from patchstats.dataset.schema import JITTER, PATCHES, SCHEMA_VERSION, TABLES, tables_of
from patchstats.dataset.shards import Filter, Listed, arrow_schema, read_shard, shard_name
from patchstats.dataset.store import Store, store_at
from patchstats.errors import IllegalAction, RulesetError, RunError
from patchstats.notation import GameRecord, result_of
from patchstats.notation.action_log import KINDS
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    import pandas as pd


class Wanted(NamedTuple):
    """What is read of each shard of a run: a table of it, columns that are there, and rows that Arrow chooses."""

    table: str
    columns: tuple[Column, ...]
    where: Filter | None

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]


class Run(Frames):
    """A finished run; `open_run` and `simulate` return one.

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
        """The hash that names it: of its spec and versions, but for the number of games."""
        return self.manifest.run_id

    @property
    def spec(self) -> dict[str, Any]:
        """Agents, seed, number of games and the like, as plain values."""
        return self.manifest.spec

    @cached_property
    def ruleset(self) -> Ruleset:
        """The ruleset that was played, before the changes of single games where the run has jitter."""
        return Ruleset.from_dict(self.manifest.ruleset, source=f"{self.store.where(NAME)}: ruleset")

    def jitter(self) -> pd.DataFrame:
        """Return by how much prices were changed: a row a game, as `games` has them, and a column such as `p21.cost`
        for each number that is changed, with -1, 0 or 1.

        `dataset.jitter.jitter_of` does the same for any rows of the games. Raises RunError for a run without jitter.

        >>> import tempfile
        >>> from patchstats import simulate
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = simulate(games=1000, seed=1, jitter="cost+time", out=folder)
        ...     jitter = run.jitter()
        >>> jitter.shape, jitter["p21.cost"].value_counts().sort_index().to_dict()
        ((1000, 66), {0: 520, 1: 480})
        """
        return jitter_of(self.games([JITTER.name]), self.ruleset, self.manifest.jitter)

    def record(self, game_index: int) -> GameRecord:
        """Return the record of one game of the run: its ring, every action, and how it ended.

        `patchstats.render` shows records. Raises RunError when the game is not there or its log cannot be played.

        >>> import tempfile
        >>> from patchstats import simulate
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     record = simulate(games=3, seed=1, out=folder).record(2)
        >>> record.agents, len(record.actions), record.result.winner
        (('random', 'random'), 41, 1)
        """
        if isinstance(game_index, bool) or not isinstance(game_index, Integral):
            raise RunError(f"game_index must be a whole number, not {in_a_line(game_index)}")
        if self.spec["log"] == "summary":
            raise RunError(f"{self.path}: a run with --log summary has no action logs")
        for shard in self.manifest.shards:
            if shard.first_game <= game_index < shard.first_game + shard.games:
                columns = self.manifest.with_jitter(_RECORDED)
                rows = self._read(shard, "games", columns, pc.field(GAME_INDEX.name) == int(game_index))
                if rows.num_rows != 1:
                    name = self.store.where(shard_name("games", shard.shard))
                    raise RunError(f"{name}: it has {rows.num_rows} rows of game {game_index}, not one")
                try:
                    return self._record_of(*rows.to_pylist())
                except (RunError, RulesetError, IllegalAction) as error:
                    raise RunError(f"{self.path}: game {game_index}: {error}") from None
        raise RunError(f"{self.path}: there is no game {game_index}; the games are 0 to {self.manifest.games - 1}")

    def _record_of(self, row: dict[str, Any]) -> GameRecord:
        ruleset = ruleset_of(self.ruleset, self.manifest.jitter, row.get(JITTER.name, b""))
        ring = ring_from(ruleset, row["ring"])
        plies = replay_to_the_end(ruleset, ring, row["actions"])
        return GameRecord(
            ruleset=ruleset,
            ring=ring,
            actions=tuple(ply.action for ply in plies),
            seats=tuple(ply.seat for ply in plies),
            result=result_of(plies[-1].after),
            agents=(row["agent_0"], row["agent_1"]),
            base=None if ruleset is self.ruleset else self.ruleset,
        )

    def _read(self, shard: Shard, table: str, columns: Sequence[str], where: Filter | None = None) -> pa.Table:
        """Read some of a shard, of a table of the run or of a metric, and never of a file that is not its own."""
        run_id = self.run_id if self.manifest.versions["schema"] > 1 else None
        if table.startswith(FOLDER):
            return read_shard(self.store, shard_name(table, shard.shard), columns, where)
        earlier = self.manifest.versions["schema"] < SCHEMA_VERSION
        schema = arrow_schema(self._columns_of(table), {}) if earlier else None
        listed = Listed(shard.files[table].rows, run_id)
        return read_shard(self.store, shard_name(table, shard.shard), columns, where, listed, schema)

    def _batches(self, asked: Asked) -> Iterator[pd.DataFrame]:
        return self._read_batches(self._wanted(asked))

    def _frame(self, asked: Asked) -> pd.DataFrame:
        return self._read_frame(self._wanted(asked))

    def _wanted(self, asked: Asked) -> Wanted:
        """Return what is to be read. Raises RunError when that is not there; no shard is looked at for it."""
        there = {column.name: column for column in self._columns_of(asked.table)}
        for column in (*(asked.columns or ()), *(column for group in asked.groups for column, _, _ in group)):
            if column not in there:
                raise RunError(
                    f"the {asked.table} of {self.path} have no column {column!r}; there are {', '.join(there)}"
                )
        codes = {} if asked.table.startswith(FOLDER) else self._codes
        where = expression_of(asked.groups, tuple(there.values()), codes)
        return Wanted(asked.table, tuple(there[name] for name in asked.columns or there), where)

    def _read_batches(self, wanted: Wanted) -> Iterator[pd.DataFrame]:
        return (self._as_frame(wanted.table, part) for part in self._parts(wanted))

    def _read_frame(self, wanted: Wanted) -> pd.DataFrame:
        return self._as_frame(wanted.table, pa.concat_tables(self._parts(wanted)))

    def _parts(self, wanted: Wanted) -> Iterator[pa.Table]:
        """Return what is wanted of each shard, read when its turn comes."""
        for shard in self.manifest.shards:
            if wanted.table == "patches":
                games = self._read(shard, "games", self.manifest.with_jitter(NEEDED))
                patches = patches_of(self.ruleset, games, self.manifest.jitter)
                found = patches if wanted.where is None else patches.filter(wanted.where)
                yield found.select(wanted.names)
            else:
                yield self._read(shard, wanted.table, wanted.names, wanted.where)

    def _columns_of(self, table: str) -> tuple[Column, ...]:
        if table.startswith(FOLDER):
            return table_of(self.store, self.manifest, table.removeprefix(FOLDER)).metric.columns
        log = self.spec["log"]
        if table == "patches" and log == "summary":
            raise RunError(f"{self.path} was simulated with --log summary; patches are computed from action logs")
        there = {**tables_of(log, self.manifest.jitter), "patches": PATCHES}.get(table)
        if there is None and table in TABLES:
            raise RunError(f"{self.path} was simulated with --log {log}, which writes no table of {table}")
        if there is None:
            raise RunError(f"there is no table {table!r}; there are {', '.join(TABLES)} and patches")
        return there

    @cached_property
    def _codes(self) -> dict[str, dict[str, int]]:
        """What the names of patches and kinds of action are in the files, by column."""
        patches = {patch.id: number for number, patch in enumerate(self.ruleset.patches, start=1)}
        return {"kind": {name: code for code, name in enumerate(KINDS)}, "patch": patches}

    def _as_frame(self, table: str, part: pa.Table) -> pd.DataFrame:
        if table.startswith(FOLDER):
            return plain_frame(part)
        agents = [name for name in part.column_names if name.startswith("agent_")]
        frame: pd.DataFrame = part.to_pandas(categories=agents)
        for name in agents:
            frame[name] = frame[name].cat.set_categories(self._agents_at(int(name[-1])))
        for column, codes in self._codes.items():
            if column in frame:
                frame[column] = categories(frame[column], codes)
        for field in part.schema:
            if field.nullable:
                frame[field.name] = frame[field.name].astype("Int32")
        return frame

    def _agents_at(self, seat: int) -> list[str]:
        agents = [agent["spec"] for agent in self.spec["agents"]]
        return list(dict.fromkeys(agents)) if self.spec["pairing"] == "mirrored" else [agents[seat]]


#: What a record is made of: columns of the games table.
_RECORDED = ("ring", "actions", "agent_0", "agent_1")


def open_run(path: str | Path) -> Run:
    """Open a finished run, in a directory or at a URL such as `s3://bucket/run`.

    Raises RunError when there is none, it is not finished, or its manifest is damaged.

    >>> import tempfile
    >>> from patchstats import simulate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = simulate(games=100, seed=1, out=folder)
    ...     won = open_run(folder).games(["score_0"], filters=[("winner", "==", 0)])
    >>> len(won), list(won.columns)
    (43, ['score_0'])
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
