"""Shard files: the same bytes for the same rows, under their name only when they are whole."""

import errno
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from patchstats.dataset.schema import Column
from patchstats.dataset.shards import METADATA_KEY, read_shard, sha256_of, shard_path, write_shard
from patchstats.errors import RunError

COLUMNS = (
    Column("number", "int16", "", "", ""),
    Column("name", "string", "", "", ""),
    Column("log", "binary", "", "", ""),
    Column("even", "bool", "", "", ""),
)
ROWS = [{"number": n, "name": f"row {n}", "log": bytes([n % 256] * 3), "even": n % 2 == 0} for n in range(500)]
METADATA = {"version": 1, "ruleset": {"name": "original", "finish": 53}}


@pytest.fixture
def shard(tmp_path):
    path = tmp_path / "games" / "part-00000.parquet"
    write_shard(path, ROWS, COLUMNS, METADATA)
    return path


@pytest.fixture
def failing_disk(monkeypatch):
    """Nothing more can be written once some bytes of a file have been."""

    def write_a_little(_, file, **__):
        file.write(b"PAR1, and then no more")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pq, "write_table", write_a_little)


def test_the_same_rows_give_the_same_bytes(tmp_path, shard):
    again = tmp_path / "elsewhere" / "part-00007.parquet"
    write_shard(again, [dict(reversed(row.items())) for row in ROWS], COLUMNS, METADATA)
    assert again.read_bytes() == shard.read_bytes()


def test_other_rows_or_other_metadata_give_other_bytes(tmp_path, shard):
    for name, rows, metadata in (("rows", ROWS[:-1], METADATA), ("metadata", ROWS, {**METADATA, "version": 2})):
        write_shard(tmp_path / name, rows, COLUMNS, metadata)
        assert (tmp_path / name).read_bytes() != shard.read_bytes()


def test_rows_are_read_back_as_they_were_written(shard):
    assert read_shard(shard).to_pylist() == ROWS


def test_some_columns_are_read_in_the_order_they_are_asked_for(shard):
    assert read_shard(shard, ["even", "number"]).column_names == ["even", "number"]


def test_columns_have_their_types_and_hold_no_nulls(shard):
    schema = read_shard(shard).schema
    assert schema.names == [column.name for column in COLUMNS]
    assert [str(field.type) for field in schema] == [column.type for column in COLUMNS]
    assert not any(field.nullable for field in schema)


def test_columns_that_are_not_asked_for_are_left_out(tmp_path):
    write_shard(tmp_path / "part", ROWS, COLUMNS[:2], METADATA)
    assert read_shard(tmp_path / "part").column_names == ["number", "name"]


def test_the_metadata_stands_in_the_file_as_json_in_its_own_order(shard):
    written = json.loads(pq.read_schema(shard).metadata[METADATA_KEY])
    assert written == METADATA
    assert list(written["ruleset"]) == list(METADATA["ruleset"])


def test_a_shard_is_numbered_with_five_digits():
    names = [shard_path(Path("run"), "turns", shard).as_posix() for shard in (0, 12345, 123456)]
    assert names == [f"run/turns/part-{number}.parquet" for number in ("00000", "12345", "123456")]


@pytest.mark.usefixtures("failing_disk")
def test_nothing_is_left_when_writing_fails_midway(tmp_path):
    with pytest.raises(OSError, match="No space left"):
        write_shard(tmp_path / "games" / "part-00000.parquet", ROWS, COLUMNS, METADATA)
    assert list((tmp_path / "games").iterdir()) == []


def test_nothing_is_left_when_a_value_does_not_fit_its_column(tmp_path):
    with pytest.raises(pa.ArrowInvalid):
        write_shard(tmp_path / "part", [{**ROWS[0], "number": 2**15}], COLUMNS, METADATA)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("failing_disk")
def test_an_older_file_stays_as_it_was_when_writing_fails_midway(tmp_path):
    path = tmp_path / "part-00000.parquet"
    path.write_bytes(b"what was there before")
    with pytest.raises(OSError, match="No space left"):
        write_shard(path, ROWS, COLUMNS, METADATA)
    assert path.read_bytes() == b"what was there before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_gets_its_name_when_it_is_whole_and_on_the_disk(tmp_path, monkeypatch):
    path = tmp_path / "part-00000.parquet"
    log = []

    def recorded(name, function):
        def call(*arguments, **options):
            assert not path.exists()
            result = function(*arguments, **options)
            log.append(name)
            return result

        return call

    monkeypatch.setattr(pq, "write_table", recorded("write", pq.write_table))
    monkeypatch.setattr(os, "fsync", recorded("sync", os.fsync))
    monkeypatch.setattr(Path, "replace", recorded("name", Path.replace))
    write_shard(path, ROWS, COLUMNS, METADATA)
    assert log == ["write", "sync", "name"]
    assert path.exists()


def damaged(shard, how):
    content = shard.read_bytes()
    return {
        "cut in half": content[: len(content) // 2],
        "cut by a byte": content[:-1],
        "empty": b"",
        "something else": b"Once upon a time",
        "without its end": content[:-8] + bytes(8),
    }[how]


@pytest.mark.parametrize("how", ["cut in half", "cut by a byte", "empty", "something else", "without its end"])
def test_a_damaged_shard_is_refused_by_its_name_and_has_no_rows(shard, how):
    shard.write_bytes(damaged(shard, how))
    with pytest.raises(RunError) as error:
        read_shard(shard)
    assert str(error.value).startswith(f"{shard} cannot be read: ")
    assert "\n" not in str(error.value)


def test_a_flipped_byte_in_the_rows_is_found_when_they_are_read(shard):
    content = shard.read_bytes()
    group = pq.read_metadata(shard).row_group(0)
    for chunk in map(group.column, range(group.num_columns)):
        first = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
        place = first + chunk.total_compressed_size - 1  # the last byte of its last page
        shard.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(RunError, match="cannot be read"):
            read_shard(shard)


def test_a_missing_shard_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "part-00000.parquet"
    with pytest.raises(RunError, match="is missing; the simulate command of this run writes it again"):
        read_shard(path)
    with pytest.raises(RunError, match="cannot be read: No such file"):
        sha256_of(path)
