"""One shard of a run: its games are played and written by whoever asks for it, in whatever process."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from patchstats.agents import Agent
from patchstats.columns import Column
from patchstats.dataset.manifest import File, Manifest, Shard
from patchstats.dataset.rows import Row, games_row, offers_rows, turns_rows
from patchstats.dataset.shards import encode_rows, is_as_written, rows_of, shard_name, winners_of
from patchstats.dataset.store import Store, sha256_of
from patchstats.dataset.tally import tally_of
from patchstats.errors import RunError
from patchstats.simulation.game import play_game
from patchstats.simulation.spec import RunSpec


@dataclass(frozen=True, slots=True)
class Work:
    """What whoever plays shards of a run must know.

    Attributes:
        spec: what is played.
        planned: the manifest of the run before anything is simulated, which says the same as plain values.
        store: where the files go.
    """

    spec: RunSpec
    planned: Manifest
    store: Store

    @property
    def tables(self) -> dict[str, tuple[Column, ...]]:
        """The columns of each table that is written."""
        return self.spec.tables


#: Plays a shard of a run, writes its files, and returns the manifest's entry for it.
PlayShard = Callable[[int], Shard]

#: Makes the file of a table with these columns; returns how many rows it has, and its bytes.
_Encode = Callable[[str, Sequence[Column]], tuple[int, bytes]]


def play_shard(work: Work, agents: tuple[Agent, Agent], shard: int) -> Shard:
    """Let the reference engine play a shard, write its files, and return the manifest's entry for it.

    Raises AgentError when an agent fails, and OSError when a file cannot be written.
    """
    spec = work.spec
    tables: dict[str, list[Row]] = {table: [] for table in work.tables}
    for game_index in spec.games_of(shard):
        seated = spec.seated(agents, game_index)
        game = play_game(spec.ruleset, seated, spec.seed, game_index, spec.ring_index(game_index), spec.jitter)
        tables["games"].append(games_row(game))
        if "turns" in tables:
            tables["turns"] += turns_rows(game)
        if "offers" in tables:
            tables["offers"] += offers_rows(game)
    metadata = work.planned.metadata()

    def encode(table: str, columns: Sequence[Column]) -> tuple[int, bytes]:
        return len(tables[table]), encode_rows(tables[table], columns, metadata)

    return write_shard(work, shard, [row["winner"] for row in tables["games"]], encode)


def write_shard(work: Work, shard: int, winners: ArrayLike, encode: _Encode) -> Shard:
    """Write the files of a shard, that of the games last, so that it stands for the whole."""
    files = {}
    for table, columns in sorted(work.tables.items(), key=lambda table: table[0] == "games"):
        rows, data = encode(table, columns)
        work.store.write(shard_name(table, shard), data)
        files[table] = File(rows, len(data), hashlib.sha256(data).hexdigest())
    return _listed(work, shard, winners, files)


def intact_shard(work: Work, shard: int, listed: Shard | None, noted: Mapping[str, str]) -> Shard | None:
    """Return the manifest's entry for a shard that is there with all its games and undamaged, else None.

    A shard that the manifest lists must be the very one it lists. Another one must have the checksums that were noted
    of each table when it was written, or else it is read and compared with itself written again.
    """
    try:
        if listed is not None and listed.games == len(work.spec.games_of(shard)):
            found = {table: sha256_of(work.store, shard_name(table, shard)) for table in work.tables}
            return listed if found == {table: file.sha256 for table, file in listed.files.items()} else None
        files, winners = {}, None
        for table, columns in work.tables.items():
            data = work.store.read(shard_name(table, shard))
            sha256 = hashlib.sha256(data).hexdigest()
            if sha256 != noted.get(table) and not is_as_written(data, columns, work.planned.metadata()):
                return None
            files[table] = File(rows_of(data), len(data), sha256)
            if table == "games":
                winners = winners_of(data)
        if winners is None or len(winners) != len(work.spec.games_of(shard)):
            return None
        return _listed(work, shard, winners, files)
    except (OSError, RunError):
        return None


def _listed(work: Work, shard: int, winners: ArrayLike, files: dict[str, File]) -> Shard:
    first = work.spec.games_of(shard).start
    tally = tally_of(winners, work.spec.games_per_ring)
    return Shard(shard, first, tally, {table: files[table] for table in work.tables})
