"""Shard files: rows become Parquet, the same bytes for the same rows, and are read back."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from patchstats.columns import Column
from patchstats.dataset.rows import Row
from patchstats.dataset.schema import TABLES
from patchstats.dataset.store import Store, reason
from patchstats.errors import RunError

METADATA_KEY = b"patchstats"


def shard_name(table: str, shard: int) -> str:
    """Return the name of a shard of a table, in the run's directory.

    >>> shard_name("games", 3)
    'games/part-00003.parquet'
    """
    return f"{table}/part-{shard:05d}.parquet"


_SHARD_NAME = re.compile(r"(?P<table>[a-z]+)/part-(?P<shard>\d{5,})\.parquet")


def shard_of(name: str) -> tuple[str, int] | None:
    """Return the table and the number of a shard with this name, or None when it is no shard's.

    >>> shard_of("games/part-00003.parquet"), shard_of("manifest.json")
    (('games', 3), None)
    """
    found = _SHARD_NAME.fullmatch(name)
    return (found["table"], int(found["shard"])) if found and found["table"] in TABLES else None


def arrow_schema(columns: Sequence[Column], metadata: dict[str, Any]) -> pa.Schema:
    """Return the Arrow schema of a table, with the metadata as JSON under the key `patchstats`."""
    fields = [pa.field(column.name, pa.type_for_alias(column.type), nullable=column.nullable) for column in columns]
    text = json.dumps(metadata, separators=(",", ":"))
    return pa.schema(fields, metadata={METADATA_KEY: text.encode()})


def has_schema(table: pa.Table, columns: Sequence[Column], metadata: dict[str, Any]) -> bool:
    """Whether a table has exactly these columns and says of itself exactly this."""
    return bool(table.schema.equals(arrow_schema(columns, metadata), check_metadata=True))


class Binaries(NamedTuple):
    """A column of byte strings: all of them one after the other, and where each ends."""

    data: NDArray[np.uint8]
    ends: NDArray[np.int64]


class Texts(NamedTuple):
    """A column of few different texts: for each row the number of its text."""

    codes: NDArray[np.integer[Any]]
    texts: Sequence[str]


class Nullable(NamedTuple):
    """A column of numbers, and in which rows there is one; what stands in the other rows does not matter."""

    numbers: NDArray[np.integer[Any]]
    there: NDArray[np.bool_]


#: A column as the compiled engine gives it: a number or text a row, byte strings, numbers in some rows, or nothing in
#: any row.
Values = NDArray[np.integer[Any]] | Texts | Binaries | Nullable | None

#: What `Run` makes of row filters: an expression of Arrow's.
Filter = Any


class Listed(NamedTuple):
    """What a manifest says of a shard.

    Attributes:
        rows: how many it has.
        run_id: the run that it says it is of; None where files do not tell, as in schema version 1.
    """

    rows: int
    run_id: str | None


def encode_rows(rows: Sequence[Row], columns: Sequence[Column], metadata: dict[str, Any]) -> bytes:
    """Return the rows as a Parquet file, the same bytes for the same rows; columns not asked for are left out."""
    return encode_values({column.name: [row[column.name] for row in rows] for column in columns}, columns, metadata)


def encode_values(values: Mapping[str, Sequence[Any]], columns: Sequence[Column], metadata: dict[str, Any]) -> bytes:
    """Return the values of each column as a Parquet file, the same bytes as `encode_rows` makes of them."""
    schema = arrow_schema(columns, metadata)
    return _encode(pa.Table.from_pydict({name: values[name] for name in schema.names}, schema))


def encode_columns(
    rows: int, values: Mapping[str, Values], columns: Sequence[Column], metadata: dict[str, Any]
) -> bytes:
    """Return so many rows, given column by column, as a Parquet file; the same bytes as `encode_rows` makes of them."""
    schema = arrow_schema(columns, metadata)
    return _encode(
        pa.Table.from_arrays([_array(values[field.name], field.type, rows) for field in schema], schema=schema)
    )


def _array(values: Values, type_: pa.DataType, rows: int) -> pa.Array:
    """A column as Arrow has it, made of its buffers: `pa.array` would load pandas, which takes a third of a second."""
    if values is None:
        return pa.nulls(rows, type_)
    if isinstance(values, Texts):
        texts = [text.encode() for text in values.texts]
        ends = np.cumsum([len(text) for text in texts])
        strings = _strings(Binaries(np.frombuffer(b"".join(texts), dtype=np.uint8), ends), type_)
        return strings.take(_numbers(values.codes, pa.int64()))
    if isinstance(values, Binaries):
        return _strings(values, type_)
    if isinstance(values, Nullable):
        return _numbers(values.numbers, type_, pa.py_buffer(_bits(values.there)))
    return _numbers(values, type_)


def _strings(values: Binaries, type_: pa.DataType) -> pa.Array:
    starts = np.zeros(len(values.ends) + 1, dtype=np.int32)
    starts[1:] = values.ends
    return pa.Array.from_buffers(
        type_, len(values.ends), [None, pa.py_buffer(starts), pa.py_buffer(np.ascontiguousarray(values.data))]
    )


def _numbers(values: NDArray[np.integer[Any]], type_: pa.DataType, there: pa.Buffer | None = None) -> pa.Array:
    if pa.types.is_boolean(type_):
        plain = _bits(values.astype(bool))
    else:
        plain = np.ascontiguousarray(values, dtype=np.dtype(str(type_)))
    return pa.Array.from_buffers(type_, len(values), [there, pa.py_buffer(plain)])


def _bits(values: NDArray[np.bool_]) -> NDArray[np.uint8]:
    return np.packbits(values, bitorder="little")


def is_as_written(data: bytes, columns: Sequence[Column], metadata: dict[str, Any]) -> bool:
    """Whether every byte of a shard is as it was written.

    Nothing else is needed to tell: the rows that are read are written again, in memory, and the bytes compared.
    """
    try:
        table = pq.read_table(pa.BufferReader(data))
        return has_schema(table, columns, metadata) and _encode(table) == data
    except (OSError, pa.ArrowException):
        return False


def _encode(table: pa.Table) -> bytes:
    # Numbers as differences are written faster than by a dictionary, and those of games are shorter so, too.
    numbers = [field.name for field in table.schema if pa.types.is_integer(field.type)]
    repeated = [field.name for field in table.schema if pa.types.is_string(field.type)]
    file = io.BytesIO()
    pq.write_table(
        table,
        file,
        compression="zstd",
        compression_level=1,
        use_dictionary=repeated or False,
        column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
        write_page_checksum=True,
    )
    return file.getvalue()


def read_shard(
    store: Store,
    name: str,
    columns: Sequence[str] | None = None,
    where: Filter | None = None,
    listed: Listed | None = None,
    schema: pa.Schema | None = None,
) -> pa.Table:
    """Return a shard, or some of its columns and rows; of a given schema, columns that are not there hold nulls.

    Raises RunError when it is missing, damaged, or not the one that is listed. That its footer tells, of the very file
    that is read then: another one may take its name at any time.
    """
    try:
        with store.open(name) as file:
            if listed is not None:
                fault = _difference(pq.read_metadata(file), listed)
                if fault is not None:
                    raise RunError(
                        f"{store.where(name)}: {fault}; it is not the one that the manifest lists: open the run again "
                        "if it has grown meanwhile, otherwise the simulate command of this run mends it"
                    )
                file.seek(0)
            return pq.read_table(
                file,
                columns=None if columns is None else list(columns),
                filters=where,
                schema=schema,
                page_checksum_verification=True,
                partitioning=None,
            )
    except FileNotFoundError:
        command = "metrics" if name.startswith("metrics/") else "simulate"
        raise RunError(f"{store.where(name)} is missing; the {command} command of this run writes it again") from None
    except (OSError, pa.ArrowException) as error:
        raise RunError(f"{store.where(name)} cannot be read: {reason(error)}") from None


def _difference(footer: pq.FileMetaData, listed: Listed) -> str | None:
    """What tells that a file is not the one that is listed, or None."""
    if listed.run_id is not None:
        try:
            run_id = json.loads(footer.metadata[METADATA_KEY])["run_id"]
        except (TypeError, KeyError, ValueError):
            run_id = None
        if run_id != listed.run_id:
            return "its columns and metadata are not those of this run"
    if footer.num_rows != listed.rows:
        return f"it has {footer.num_rows} rows, and {listed.rows} in the manifest"
    return None


def described(store: Store, name: str) -> tuple[dict[str, Any], int] | None:
    """Return what a shard says of itself, and how many rows it has, or None when that cannot be read."""
    try:
        with store.open(name) as file:
            footer = pq.read_metadata(file)
            return json.loads(footer.metadata[METADATA_KEY]), int(footer.num_rows)
    except (OSError, pa.ArrowException, TypeError, KeyError, ValueError):
        return None


def rows_of(data: bytes) -> int:
    """Return how many rows a shard has."""
    return int(pq.read_metadata(pa.BufferReader(data)).num_rows)


def winners_of(data: bytes) -> NDArray[np.int8]:
    """Return who won each game of a shard of games."""
    winners: NDArray[np.int8] = pq.read_table(pa.BufferReader(data), columns=["winner"])["winner"].to_numpy()
    return winners
