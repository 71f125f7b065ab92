"""One shard: what is written of it, and when it counts as there."""

import hashlib
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from patchstats.dataset.manifest import File
from patchstats.dataset.shards import shard_path
from patchstats.rules import Ruleset
from patchstats.simulation.shard import intact_shard, play_shard
from patchstats.simulation.spec import RunSpec

SPEC = RunSpec(Ruleset.load("original"), ("random", "random"), seed=3, games=5, log="turns", games_per_shard=3)


@pytest.fixture
def entry(tmp_path):
    return play_shard(SPEC, SPEC.make_agents(), tmp_path, 1)


def test_the_entry_of_a_shard_tells_its_games_and_the_rows_bytes_and_checksum_of_each_file(tmp_path, entry):
    assert (entry.shard, entry.first_game, entry.games) == (1, 3, 2)
    assert set(entry.files) == {"games", "turns"}
    for table, file in entry.files.items():
        path = shard_path(tmp_path, table, 1)
        content = path.read_bytes()
        assert file == File(pq.read_metadata(path).num_rows, len(content), hashlib.sha256(content).hexdigest())


def test_a_whole_shard_is_there_whether_or_not_the_manifest_lists_it(tmp_path, entry):
    assert intact_shard(SPEC, tmp_path, 1, listed=None) == entry
    assert intact_shard(SPEC, tmp_path, 1, listed=entry) == entry


def test_a_shard_that_was_never_written_is_not_there(tmp_path, entry):
    assert intact_shard(SPEC, tmp_path, 0, listed=None) is None
    assert intact_shard(SPEC, tmp_path, 0, listed=replace(entry, shard=0, first_game=0, games=3)) is None


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("table", ["games", "turns"])
@pytest.mark.parametrize("damage", ["cut", "flipped", "deleted"])
def test_a_damaged_shard_is_not_there(tmp_path, entry, listed, table, damage):
    path = shard_path(tmp_path, table, 1)
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    if damage == "deleted":
        path.unlink()
    else:
        path.write_bytes(content if damage == "flipped" else content[:-50])
    assert intact_shard(SPEC, tmp_path, 1, entry if listed else None) is None


def test_a_shard_with_fewer_games_than_the_run_now_wants_is_not_there(tmp_path, entry):
    longer = replace(SPEC, games=6)
    assert intact_shard(longer, tmp_path, 1, listed=entry) is None
    assert intact_shard(longer, tmp_path, 1, listed=None) is None
