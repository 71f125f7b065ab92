"""Shard files: rows become Parquet under their final name only when they are complete, and are read back.

A shard exists if and only if its final name does. pyarrow is used here and in `run.py` alone.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from patchstats.dataset.rows import Row
from patchstats.dataset.schema import Column
from patchstats.errors import RunError

METADATA_KEY = b"patchstats"


def shard_path(run: Path, table: str, shard: int) -> Path:
    """Return where a shard of a table lies.

    >>> shard_path(Path("run"), "games", 3).as_posix()
    'run/games/part-00003.parquet'
    """
    return run / table / f"part-{shard:05d}.parquet"


def arrow_schema(columns: Sequence[Column], metadata: dict[str, Any]) -> pa.Schema:
    """Return the Arrow schema of a table: no column nullable, the metadata as JSON under the key `patchstats`."""
    fields = [pa.field(column.name, pa.type_for_alias(column.type), nullable=False) for column in columns]
    text = json.dumps(metadata, separators=(",", ":"))
    return pa.schema(fields, metadata={METADATA_KEY: text.encode()})


def has_schema(table: pa.Table, columns: Sequence[Column], metadata: dict[str, Any]) -> bool:
    """Whether a table has exactly these columns and says of itself exactly this."""
    return bool(table.schema.equals(arrow_schema(columns, metadata), check_metadata=True))


class Binaries(NamedTuple):
    """A column of byte strings: all of them one after the other, and where each ends."""

    data: NDArray[np.uint8]
    ends: NDArray[np.int64]


#: A column as the compiled engine gives it: a number a row, one text for all rows, or byte strings.
Values = NDArray[np.integer[Any]] | str | Binaries


def write_shard(path: Path, rows: Sequence[Row], columns: Sequence[Column], metadata: dict[str, Any]) -> None:
    """Write the rows as one Parquet file, the same bytes for the same rows; columns that are not asked for are left
    out.

    The file is written under a temporary name in the same folder, synced, and renamed.
    """
    table = pa.Table.from_pylist(
        [{column.name: row[column.name] for column in columns} for row in rows], arrow_schema(columns, metadata)
    )
    with whole_file(path) as file:
        _write(table, file)


def write_columns(
    path: Path, rows: int, values: Mapping[str, Values], columns: Sequence[Column], metadata: dict[str, Any]
) -> None:
    """Write so many rows, given column by column; the same bytes as `write_shard` writes of the same rows."""
    schema = arrow_schema(columns, metadata)
    arrays = [_array(values[field.name], field.type, rows) for field in schema]
    with whole_file(path) as file:
        _write(pa.Table.from_arrays(arrays, schema=schema), file)


def _array(values: Values, type_: pa.DataType, rows: int) -> pa.Array:
    if isinstance(values, str):
        return pa.repeat(pa.scalar(values, type_), rows)
    if isinstance(values, Binaries):
        starts = np.zeros(rows + 1, dtype=np.int32)
        starts[1:] = values.ends
        buffers = [None, pa.py_buffer(starts), pa.py_buffer(np.ascontiguousarray(values.data))]
        return pa.Array.from_buffers(type_, rows, buffers)
    return pa.array(values.astype(type_.to_pandas_dtype(), copy=False), type_)


def rows_as_written(path: Path, columns: Sequence[Column], metadata: dict[str, Any]) -> int | None:
    """Return how many rows a shard has, or None when a single byte of it is not as `write_shard` wrote it.

    Nothing else is needed to tell: the rows that are read are written again, in memory, and the bytes compared.
    """
    try:
        table = read_shard(path)
        if not has_schema(table, columns, metadata):
            return None
        again = io.BytesIO()
        _write(table, again)
        return int(table.num_rows) if again.getvalue() == path.read_bytes() else None
    except (OSError, RunError):
        return None


def _write(table: pa.Table, file: BinaryIO) -> None:
    # Numbers as differences are written faster than by a dictionary, and those of games are shorter so, too.
    numbers = [field.name for field in table.schema if pa.types.is_integer(field.type)]
    repeated = [field.name for field in table.schema if pa.types.is_string(field.type)]
    pq.write_table(
        table,
        file,
        compression="zstd",
        compression_level=1,
        use_dictionary=repeated or False,
        column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
        write_page_checksum=True,
    )


def is_temporary(path: Path) -> bool:
    """Whether a file is one that `whole_file` had not finished when its process ended."""
    return path.name.startswith(".") and path.suffix == ".tmp"


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be written under a temporary name; it gets its own name when all is written and synced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read_shard(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Return a shard, or some of its columns. Raises RunError when it is missing or damaged."""
    try:
        return pq.read_table(path, columns=columns, page_checksum_verification=True, partitioning=None)
    except FileNotFoundError:
        raise RunError(f"{path} is missing; the simulate command of this run writes it again") from None
    except (OSError, pa.ArrowException) as error:
        raise RunError(f"{path} cannot be read: {str(error).splitlines()[0]}") from None


def sha256_of(path: Path) -> str:
    """Return the checksum of a file, in hexadecimal. Raises RunError when the file is missing."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}") from None
