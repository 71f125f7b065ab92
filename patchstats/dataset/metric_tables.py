"""The tables of metrics, beside the tables of their run: what they are of, and whether they still fit the run.

A metric has a folder in the run's directory, `metrics/<name>`, with a file for each shard of the run and a manifest,
which is written last. Every file tells in its metadata of which metric it is, and from which games.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from patchstats.columns import Column
from patchstats.dataset.manifest import NAME, File, Manifest, Shard, checked, write_checked
from patchstats.dataset.played import GameLog
from patchstats.dataset.schema import SCHEMA_VERSION
from patchstats.dataset.shards import encode_values, is_as_written, shard_name
from patchstats.dataset.store import Store, reason, sha256_of
from patchstats.errors import DamagedManifest, RunError
from patchstats.metrics import METRICS

#: What the names of all files of metrics begin with.
FOLDER = "metrics/"


@dataclass(frozen=True, slots=True)
class Definition:
    """What the rows of a table depend on, but for the games: a metric.

    Attributes:
        name: what the table is called.
        spec: the string that names the metric, such as `holes` or `mine:Advances`.
        sha256: the hash of its module, or None for a shipped one.
        columns: the columns of the table.
    """

    name: str
    spec: str
    sha256: str | None
    columns: tuple[Column, ...]

    @property
    def table(self) -> str:
        """The folder of the table in the run's directory."""
        return FOLDER + self.name


@dataclass(frozen=True, slots=True)
class Part:
    """The file of a table that was computed from one shard: its number, the checksum of its games, and the file."""

    shard: int
    source: str
    file: File


@dataclass(frozen=True, slots=True)
class MetricTable:
    """The manifest of the table of a metric: the run, the metric, the version of the file, and all its parts."""

    run_id: str
    metric: Definition
    schema_version: int
    parts: tuple[Part, ...]

    def fits(self, run: Manifest) -> bool:
        """Whether it was computed from this very run, and from the games that the run has now."""
        sources = [(shard.shard, shard.files["games"].sha256) for shard in run.shards]
        return self.run_id == run.run_id and [(part.shard, part.source) for part in self.parts] == sources


def write_table(store: Store, table: MetricTable) -> None:
    """Write the manifest of a metric's table, whole or not at all."""
    write_checked(store, f"{table.metric.table}/{NAME}", asdict(table))


def read_table(store: Store, name: str) -> MetricTable | None:
    """Return the manifest of a metric's table, or None when there is none.

    Raises DamagedManifest when it cannot be understood, and RunError when it cannot be read.
    """
    where = store.where(f"{FOLDER}{name}/{NAME}")
    try:
        values = checked(store.read(f"{FOLDER}{name}/{NAME}"))
        version = values["schema_version"]
        if version > SCHEMA_VERSION:
            raise RunError(
                f"{where} is of schema version {version}, and this patchstats reads {SCHEMA_VERSION}; update it"
            )
        metric = values["metric"]
        if metric["name"] != name:
            raise ValueError(f"it is of the metric {metric['name']!r}")
        columns = tuple(Column(**column) for column in metric.pop("columns"))
        parts = tuple(Part(part["shard"], part["source"], File(**part["file"])) for part in values["parts"])
        return MetricTable(values["run_id"], Definition(**metric, columns=columns), version, parts)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RunError(f"{where} cannot be read: {reason(error)}") from None
    except (AttributeError, KeyError, ValueError, TypeError, RecursionError) as error:
        raise DamagedManifest(f"{where} is damaged ({error})") from None


def table_of(store: Store, run: Manifest, name: str) -> MetricTable:
    """Return the manifest of a metric's table that is whole and of the games that the run has now.

    Raises RunError, which names the command that computes it, when there is none such.
    """
    try:
        table = read_table(store, name)
    except DamagedManifest as error:
        raise RunError(f"{error}; {_mended_by(store, name)}") from None
    if table is None:
        raise RunError(f"{store} has no table of the metric {name!r}; {_mended_by(store, name)}")
    if not table.fits(run):
        raise RunError(
            f"{store.where(table.metric.table)} is not of the games that the run has now; "
            f"{_mended_by(store, name, table.metric.spec)}"
        )
    return table


def encode_part(
    values: Mapping[str, Sequence[Any]], run: Manifest, metric: Definition, shard: Shard
) -> tuple[Part, bytes]:
    """Return the file of a shard's part of a table, from the values of each column, and the manifest's entry for it."""
    data = encode_values(values, metric.columns, _metadata(run, metric, shard))
    return _listed(shard, len(values[metric.columns[0].name]), data), data


def intact_part(store: Store, run: Manifest, metric: Definition, shard: Shard, listed: Part | None) -> Part | None:
    """Return the manifest's entry for a part that is there, undamaged, and of the games that the run has now.

    Otherwise None. A part that no manifest lists is compared with itself written again.
    """
    try:
        data = store.read(shard_name(metric.table, shard.shard))
    except OSError:
        return None
    if listed is not None and listed == _listed(shard, listed.file.rows, data):
        return listed
    if not is_as_written(data, metric.columns, _metadata(run, metric, shard)):
        return None
    return _listed(shard, pq.read_metadata(pa.BufferReader(data)).num_rows, data)


def logs_of(store: Store, run: Manifest, shard: Shard) -> list[GameLog]:
    """Return for each game of a shard what the games table has of it.

    Raises RunError when the file is missing, or not the one that the manifest lists.
    """
    name = shard_name("games", shard.shard)
    mended = "the simulate command of this run writes it again"
    try:
        data = store.read(name)
    except OSError as error:
        raise RunError(f"{store.where(name)} cannot be read: {reason(error)}; {mended}") from None
    if hashlib.sha256(data).hexdigest() != shard.files["games"].sha256:
        raise RunError(f"{store.where(name)}: its sha256 is not that in the manifest; {mended}")
    columns = run.with_jitter(("game_index", "ring", "actions"))
    games = pq.read_table(pa.BufferReader(data), columns=columns)
    return [GameLog(*row) for row in zip(*(games[column].to_pylist() for column in columns), strict=True)]


def findings(store: Store, run: Manifest) -> Iterator[str]:
    """Say of each table of a metric that is not whole, stale or damaged what is wrong and which command mends it.

    Name the files that belong to none of them, too: whoever reads a whole folder would read them.
    """
    among = [name for name in store.names() if name.startswith(FOLDER)]
    folders = {name.rpartition("/")[0] for name in among if name.count("/") == 2}
    own = {shard_name(folder, shard.shard) for folder in folders for shard in run.shards}
    own |= {f"{folder}/{NAME}" for folder in folders}
    names = [name for name in among if name in own]
    for metric in sorted({name.split("/")[1] for name in names}):
        if f"{FOLDER}{metric}/{NAME}" not in names:
            yield f"{store.where(FOLDER + metric)} is not finished; {_mended_by(store, metric)}"
            continue
        try:
            table = table_of(store, run, metric)
        except RunError as error:
            yield str(error)
            continue
        mended = _mended_by(store, metric, table.metric.spec)
        for part in table.parts:
            name = shard_name(table.metric.table, part.shard)
            try:
                sha256 = sha256_of(store, name)
            except RunError as error:
                yield f"{error}; {mended}"
                continue
            if sha256 != part.file.sha256:
                yield f"{store.where(name)}: its sha256 is {sha256}, and {part.file.sha256} in the manifest; {mended}"
    for name in among:
        if name not in own:
            yield f"{store.where(name)} is no part of this table; remove it"


def _mended_by(store: Store, name: str, spec: str | None = None) -> str:
    """The command that computes a table. Where nothing tells of whose class it is, the user must know."""
    return f"patchstats metrics {store} --metric {spec or (name if name in METRICS else 'module:Class')} computes it"


def _metadata(run: Manifest, metric: Definition, shard: Shard) -> dict[str, Any]:
    """What a part says of itself."""
    return {
        **run.metadata(),
        "schema_version": SCHEMA_VERSION,
        "metric": {"name": metric.name, "spec": metric.spec, "sha256": metric.sha256},
        "source": shard.files["games"].sha256,
    }


def _listed(shard: Shard, rows: int, data: bytes) -> Part:
    file = File(rows, len(data), hashlib.sha256(data).hexdigest())
    return Part(shard.shard, shard.files["games"].sha256, file)
