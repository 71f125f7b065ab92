"""Shard files: the same bytes for the same rows, read back whole or in part, and never when they are damaged."""

import json
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patchstats.columns import Column
from patchstats.dataset.shards import (
    METADATA_KEY,
    Binaries,
    Nullable,
    Texts,
    arrow_schema,
    described,
    encode_columns,
    encode_rows,
    is_as_written,
    read_shard,
    shard_name,
    shard_of,
)
from patchstats.dataset.store import sha256_of, store_at
from patchstats.errors import RunError

COLUMNS = (
    Column("number", "int16", "", "", ""),
    Column("name", "string", "", "", ""),
    Column("log", "binary", "", "", ""),
    Column("even", "bool", "", "", ""),
    Column("worth", "int32", "", "", "", nullable=True),
)
ROWS = [
    {"number": n, "name": f"row {n % 7}", "log": bytes([n % 256] * (n % 3)), "even": n % 2 == 0, "worth": n or None}
    for n in range(500)
]
METADATA = {"version": 1, "ruleset": {"name": "original", "finish": 53}}
SHARD = encode_rows(ROWS, COLUMNS, METADATA)
NAME = "games/part-00000.parquet"


@pytest.fixture
def store(tmp_path):
    """A store that holds the shard."""
    store = store_at(tmp_path)
    store.write(NAME, SHARD)
    return store


@pytest.fixture(scope="module")
def damaged():
    """A store for damaged shards."""
    store = store_at("memory://test_shards")
    yield store
    store.remove(NAME)


def test_the_same_rows_give_the_same_bytes():
    assert encode_rows([dict(reversed(row.items())) for row in ROWS], COLUMNS, METADATA) == SHARD


def test_other_rows_or_other_metadata_give_other_bytes():
    for rows, metadata in ((ROWS[:-1], METADATA), (ROWS, {**METADATA, "version": 2})):
        assert encode_rows(rows, COLUMNS, metadata) != SHARD


@given(
    rows=st.lists(
        st.fixed_dictionaries(
            {
                "number": st.integers(-(2**15), 2**15 - 1),
                "name": st.sampled_from(["random", "random-patch", ""]),
                "log": st.binary(max_size=6),
                "even": st.booleans(),
                "worth": st.none() | st.integers(-(2**31), 2**31 - 1),
            }
        )
    )
)
def test_columns_give_the_same_bytes_as_rows_that_say_the_same(rows):
    texts = sorted({row["name"] for row in rows})
    logs = [row["log"] for row in rows]
    values = {
        "even": np.array([row["even"] for row in rows], dtype=np.uint8),
        "log": Binaries(
            np.frombuffer(b"".join(logs), dtype=np.uint8), np.cumsum([len(log) for log in logs], dtype=int)
        ),
        "name": Texts(np.array([texts.index(row["name"]) for row in rows], dtype=np.int8), texts),
        "number": np.array([row["number"] for row in rows], dtype=np.int64),
        "worth": Nullable(
            np.array([-1 if row["worth"] is None else row["worth"] for row in rows], dtype=np.int32),
            np.array([row["worth"] is not None for row in rows], dtype=bool),
        ),
    }
    assert encode_columns(len(rows), values, COLUMNS, METADATA) == encode_rows(rows, COLUMNS, METADATA)


@pytest.mark.parametrize("rows", [0, 1, 500])
def test_a_column_that_is_null_in_every_row_gives_the_same_bytes_however_it_is_given(rows):
    numbers, nowhere = np.arange(rows, dtype=np.int32), np.zeros(rows, dtype=bool)
    expected = encode_rows([{"worth": None}] * rows, COLUMNS[-1:], METADATA)
    for values in (None, Nullable(numbers, nowhere)):
        assert encode_columns(rows, {"worth": values}, COLUMNS[-1:], METADATA) == expected


def test_columns_that_a_given_schema_has_and_the_file_has_not_hold_nulls(store):
    more = (*COLUMNS, Column("later", "int32", "", "", "", nullable=True))
    schema = arrow_schema(more, {})
    assert read_shard(store, NAME, schema=schema).to_pylist() == [row | {"later": None} for row in ROWS]
    where = pq.filters_to_expression([("name", "==", "row 3")])
    found = read_shard(store, NAME, ["later", "number"], where, schema=schema)
    assert found.schema.field("later").nullable
    assert found.to_pylist() == [{"later": None, "number": row["number"]} for row in ROWS if row["name"] == "row 3"]


def test_rows_are_read_back_as_they_were_written(store):
    assert read_shard(store, NAME).to_pylist() == ROWS


def test_some_columns_are_read_in_the_order_they_are_asked_for(store):
    assert read_shard(store, NAME, ["even", "number"]).column_names == ["even", "number"]
    assert read_shard(
        store, NAME, ["even", "number"], pq.filters_to_expression([("name", "==", "row 3")])
    ).to_pylist() == [{"even": row["even"], "number": row["number"]} for row in ROWS if row["name"] == "row 3"]


def test_columns_have_their_types_and_only_those_that_may_hold_nulls(store):
    schema = read_shard(store, NAME).schema
    assert schema.names == [column.name for column in COLUMNS]
    assert [str(field.type) for field in schema] == [column.type for column in COLUMNS]
    assert [field.name for field in schema if field.nullable] == ["worth"]


def test_columns_that_are_not_asked_for_are_left_out(store):
    store.write(NAME, encode_rows(ROWS, COLUMNS[:2], METADATA))
    assert read_shard(store, NAME).column_names == ["number", "name"]


def test_the_metadata_stands_in_the_file_as_json_in_its_own_order(store):
    written = json.loads(pq.read_schema(pa.BufferReader(SHARD)).metadata[METADATA_KEY])
    assert written == described(store, NAME)[0] == METADATA
    assert list(written["ruleset"]) == list(METADATA["ruleset"])


@pytest.mark.parametrize("content", [b"", b"Once upon a time", SHARD[:-1], None])
def test_what_is_no_shard_says_nothing_of_itself(store, content):
    store.remove(NAME)
    if content is not None:
        store.write(NAME, content)
    assert described(store, NAME) is None


def test_a_shard_is_numbered_with_five_digits():
    names = [shard_name("turns", shard) for shard in (0, 12345, 123456)]
    assert names == [f"turns/part-{number}.parquet" for number in ("00000", "12345", "123456")]


@given(table=st.sampled_from(["games", "turns", "offers"]), shard=st.integers(0, 10**9))
def test_a_shard_is_known_by_its_name(table, shard):
    assert shard_of(shard_name(table, shard)) == (table, shard)


@pytest.mark.parametrize(
    "name", ["manifest.json", "games/part-0000.parquet", "patches/part-00000.parquet", "x/games/part-00000.parquet", ""]
)
def test_what_has_another_name_is_no_shard(name):
    assert shard_of(name) is None
    assert shard_of(f"{shard_name('games', 0)}.tmp") is None


def test_a_value_that_does_not_fit_its_column_is_not_made_to():
    with pytest.raises(pa.ArrowInvalid):
        encode_rows([{**ROWS[0], "number": 2**15}], COLUMNS, METADATA)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(SHARD[: len(SHARD) // 2], id="cut in half"),
        pytest.param(SHARD[:-1], id="cut by a byte"),
        pytest.param(b"", id="empty"),
        pytest.param(b"Once upon a time", id="something else"),
        pytest.param(SHARD[:-8] + bytes(8), id="without its end"),
    ],
)
def test_a_damaged_shard_is_refused_by_its_name_and_has_no_rows(store, content):
    store.write(NAME, content)
    with pytest.raises(RunError) as error:
        read_shard(store, NAME)
    assert str(error.value).startswith(f"{store}/{NAME} cannot be read: ")
    assert "\n" not in str(error.value)
    assert not is_as_written(content, COLUMNS, METADATA)


def test_a_flipped_byte_in_the_rows_is_found_when_they_are_read(store):
    group = pq.read_metadata(pa.BufferReader(SHARD)).row_group(0)
    for chunk in map(group.column, range(group.num_columns)):
        first = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
        end = first + chunk.total_compressed_size
        for place in range(end - 8, end):  # the last bytes of its last page
            store.write(NAME, SHARD[:place] + bytes([SHARD[place] ^ 1]) + SHARD[place + 1 :])
            with pytest.raises(RunError, match="cannot be read"):
                read_shard(store, NAME)


def test_a_shard_is_as_it_was_written_with_its_columns_and_metadata_alone():
    assert is_as_written(SHARD, COLUMNS, METADATA)
    assert not is_as_written(SHARD, COLUMNS[:-1], METADATA)
    assert not is_as_written(SHARD, COLUMNS, {**METADATA, "version": 2})
    assert not is_as_written(SHARD + b"\0", COLUMNS, METADATA)


@settings(max_examples=10 * settings().max_examples)
@given(data=st.data())
def test_a_flipped_bit_anywhere_in_a_shard_is_noticed(damaged, data):
    place = data.draw(st.integers(0, len(SHARD) - 1))
    flipped = SHARD[:place] + bytes([SHARD[place] ^ 1 << data.draw(st.integers(0, 7))]) + SHARD[place + 1 :]
    assert not is_as_written(flipped, COLUMNS, METADATA)
    damaged.write(NAME, flipped)
    described(damaged, NAME)
    with suppress(RunError):  # the bytes that rows and columns do not come from are not looked at
        read_shard(damaged, NAME)


def test_a_missing_shard_is_refused_with_what_to_do(tmp_path):
    store = store_at(tmp_path)
    with pytest.raises(RunError, match="is missing; the simulate command of this run writes it again"):
        read_shard(store, NAME)
    with pytest.raises(RunError, match="cannot be read: No such file"):
        sha256_of(store, NAME)
