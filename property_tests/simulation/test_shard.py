"""One shard: what is written of it, and when it counts as there."""

import hashlib
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from patchstats.dataset.manifest import File
from patchstats.dataset.shards import shard_name
from patchstats.dataset.store import store_at
from patchstats.dataset.tally import Tally
from patchstats.rules import Ruleset
from patchstats.simulation.shard import Work, intact_shard, play_shard
from patchstats.simulation.spec import RunSpec

SPEC = RunSpec(Ruleset.load("original"), ("random", "random"), seed=3, games=5, log="turns", games_per_shard=3)


def work_on(folder, spec=SPEC):
    return Work(spec, spec.manifest(), store_at(folder))


@pytest.fixture
def work(tmp_path):
    return work_on(tmp_path)


@pytest.fixture
def entry(work):
    return play_shard(work, SPEC.make_agents(), 1)


def test_the_entry_of_a_shard_tells_its_games_and_the_rows_bytes_and_checksum_of_each_file(tmp_path, entry):
    assert (entry.shard, entry.first_game, entry.games) == (1, 3, 2)
    assert set(entry.files) == {"games", "turns"}
    for table, file in entry.files.items():
        path = tmp_path / shard_name(table, 1)
        content = path.read_bytes()
        assert file == File(pq.read_metadata(path).num_rows, len(content), hashlib.sha256(content).hexdigest())


def test_the_entry_of_a_shard_tells_how_often_seat_0_won(tmp_path, entry):
    winners = pq.read_table(tmp_path / shard_name("games", 1))["winner"].to_pylist()
    assert entry.tally == Tally(games=2, wins=winners.count(0), rings=2, squares=winners.count(0))


def test_the_file_of_the_games_is_written_last_so_that_it_stands_for_the_whole(work, monkeypatch):
    written = []
    write = type(work.store).write
    monkeypatch.setattr(
        type(work.store), "write", lambda store, name, data: (written.append(name), write(store, name, data))[1]
    )
    work = work_on(work.store.path, replace(SPEC, log="offers"))
    play_shard(work, SPEC.make_agents(), 1)
    assert len(written) == 3
    assert written[-1] == shard_name("games", 1)


def test_a_whole_shard_is_there_whether_or_not_the_manifest_lists_it(work, entry):
    assert intact_shard(work, 1, listed=None, noted={}) == entry
    assert intact_shard(work, 1, listed=entry, noted={}) == entry


def test_a_shard_that_was_never_written_is_not_there(work, entry):
    assert intact_shard(work, 0, listed=None, noted={}) is None
    tally = replace(entry.tally, games=3, rings=3)
    assert intact_shard(work, 0, listed=replace(entry, shard=0, first_game=0, tally=tally), noted={}) is None


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("table", ["games", "turns"])
@pytest.mark.parametrize("damage", ["cut", "flipped", "deleted"])
def test_a_damaged_shard_is_not_there(tmp_path, work, entry, listed, table, damage):
    path = tmp_path / shard_name(table, 1)
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    if damage == "deleted":
        path.unlink()
    else:
        path.write_bytes(content if damage == "flipped" else content[:-50])
    assert intact_shard(work, 1, entry if listed else None, {}) is None


@pytest.mark.usefixtures("entry")
def test_a_shard_of_another_run_is_not_there(tmp_path):
    other = work_on(tmp_path, replace(SPEC, seed=4))
    assert intact_shard(other, 1, listed=None, noted={}) is None


def test_a_shard_with_fewer_games_than_the_run_now_wants_is_not_there(work, entry):
    longer = work_on(work.store.path, replace(SPEC, games=6))
    assert intact_shard(longer, 1, listed=entry, noted={}) is None
    assert intact_shard(longer, 1, listed=None, noted={}) is None
