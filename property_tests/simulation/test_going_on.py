"""The same command again: what is there is left alone, and what is missing or damaged is made, byte for byte."""

import json
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from patchstats import open_run
from patchstats.dataset.manifest import NAME, read_manifest, write_manifest
from patchstats.dataset.store import store_at
from patchstats.errors import RunError

SHARDS = sorted(f"{table}/part-{shard:05d}.parquet" for table in ("games", "turns") for shard in range(3))


class Interrupted(BaseException):
    """As Ctrl-C ends a run, but for the test session, which goes on when a test lets it through."""


def test_the_same_command_again_leaves_every_file_as_it_is(run, times):
    first = run()
    before = times(run.folder)
    second = run()
    assert times(run.folder) == before
    assert second.manifest == first.manifest


@pytest.mark.parametrize(
    "deleted",
    [
        pytest.param(["games/part-00000.parquet"], id="the games of a shard"),
        pytest.param(["turns/part-00002.parquet"], id="the turns of a shard"),
        pytest.param(SHARDS, id="every shard"),
    ],
)
def test_deleted_shards_are_written_again_and_the_others_left_alone(run, undisturbed, contents, times, deleted):
    run()
    before = times(run.folder)
    for name in deleted:
        (run.folder / name).unlink()
    run()
    assert contents(run.folder) == undisturbed
    shards = {Path(name).name for name in deleted}
    for path, time in times(run.folder).items():
        if path.name != "log.jsonl":
            assert (time == before[path]) == (path.name not in shards)


@pytest.mark.parametrize("games", [0, 3, 7, 10, 16])
@pytest.mark.parametrize("error", [Interrupted(), OSError(28, "No space left on device")], ids=["Ctrl-C", "full"])
def test_a_run_broken_off_anywhere_goes_on_to_the_same_bytes(
    run, undisturbed, contents, times, plays_before, games, error
):
    mend = plays_before(games, error)
    with pytest.raises((Interrupted, RunError)):
        run(engine="reference")
    finished = {name: content for name, content in contents(run.folder).items() if name.endswith(".parquet")}
    assert len(finished) == 2 * (games // 7)
    assert finished.items() <= undisturbed.items()
    with pytest.raises(RunError, match=r"is not finished|is no run"):
        open_run(run.folder)
    mend()
    before = times(run.folder)
    run()
    assert contents(run.folder) == undisturbed
    assert all(times(run.folder)[run.folder / name] == before[run.folder / name] for name in finished)


@pytest.mark.parametrize("games", [3, 8])
def test_what_is_said_of_a_full_disk_tells_whether_anything_was_kept(run, plays_before, games):
    plays_before(games, OSError(28, "No space left on device"))
    with pytest.raises(RunError) as said:
        run(engine="reference")
    kept = "; what was finished is kept, and the same command goes on with it"
    assert str(said.value) == f"{run.folder} cannot be written: No space left on device{kept if games > 7 else ''}"


@pytest.mark.parametrize("kept", [0, 2])
def test_a_run_killed_between_its_last_shard_and_its_manifest_is_completed(run, undisturbed, contents, kept):
    manifest = run().manifest
    write_manifest(store_at(run.folder), replace(manifest, shards=manifest.shards[:kept]))
    assert run().manifest.finished
    assert contents(run.folder) == undisturbed


def test_a_cut_shard_is_played_again(run, undisturbed, contents):
    run()
    shard = run.folder / "games" / "part-00001.parquet"
    shard.write_bytes(shard.read_bytes()[:-100])
    run()
    assert contents(run.folder) == undisturbed


def test_a_flipped_byte_never_gets_a_checksum_of_its_own(run, undisturbed, contents):
    run(games=10)
    shard = run.folder / "games" / "part-00000.parquet"
    content = bytearray(shard.read_bytes())
    content[len(content) // 3] ^= 1
    shard.write_bytes(content)
    with suppress(RunError):
        run(games=17)
    assert not read_manifest(store_at(run.folder)).finished or contents(run.folder) == undisturbed


# A manifest that cannot be read


def without(key):
    def damage(text):
        values = json.loads(text)
        del values["spec"][key]
        return json.dumps(values)

    return damage


DAMAGED = pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda _: "", id="empty"),
        pytest.param(lambda _: "{", id="begun"),
        pytest.param(lambda _: "[]", id="a list"),
        pytest.param(lambda _: "null", id="null"),
        pytest.param(lambda text: text[:-200], id="cut"),
        pytest.param(lambda text: text.replace('"seed": 4', '"seed": 5'), id="another seed"),
        pytest.param(without("games"), id="no games"),
        pytest.param(None, id="deleted"),
    ],
)


def spoil(manifest, damage):
    if damage is None:
        manifest.unlink()
        return
    text = manifest.read_text(encoding="utf-8")
    assert damage(text) != text
    manifest.write_text(damage(text), encoding="utf-8")


@DAMAGED
def test_a_damaged_manifest_is_mended_from_the_shards_of_this_run(run, undisturbed, contents, times, damage):
    run()
    before = times(run.folder)
    spoil(run.folder / NAME, damage)
    with pytest.raises(RunError):
        open_run(run.folder)
    run()
    assert contents(run.folder) == undisturbed
    for path in map(run.folder.joinpath, SHARDS):
        assert times(run.folder)[path] == before[path]


@DAMAGED
def test_shards_of_another_run_are_refused_where_no_manifest_tells_of_them(run, times, damage):
    run()
    spoil(run.folder / NAME, damage)
    before = times(run.folder)
    message = f"{run.folder} has no manifest that can be read, and games/part-00000.parquet is of another run; "
    with pytest.raises(RunError, match=re.escape(message)):
        run(seed=5)
    assert times(run.folder) == before


def test_shards_that_do_not_say_of_which_run_they_are_are_not_taken_over(run, undisturbed, contents):
    run()
    (run.folder / NAME).unlink()
    shard = run.folder / "games" / "part-00001.parquet"
    pq.write_table(pq.read_table(shard, partitioning=None).replace_schema_metadata({}), shard)
    run()
    assert contents(run.folder) == undisturbed


def test_a_damaged_shard_beside_a_lost_manifest_is_played_again(run, undisturbed, contents):
    run()
    (run.folder / NAME).unlink()
    shard = run.folder / "turns" / "part-00001.parquet"
    shard.write_bytes(shard.read_bytes()[:-100])
    run()
    assert contents(run.folder) == undisturbed


def test_without_a_manifest_a_run_of_more_games_than_asked_for_is_left_alone(run, times):
    run()
    (run.folder / NAME).unlink()
    before = times(run.folder)
    with pytest.raises(RunError, match=r"part-00002\.parquet is of a run of more than 14 games; ask for as many"):
        run(games=14)
    assert times(run.folder) == before


def test_shards_whose_checksums_were_noted_are_not_examined_when_a_run_goes_on(
    run, undisturbed, contents, plays_before, monkeypatch
):
    mend = plays_before(16, Interrupted())
    with pytest.raises(Interrupted):
        run(engine="reference")
    mend()
    monkeypatch.setattr("patchstats.simulation.shard.is_as_written", lambda *_: pytest.fail("a shard was examined"))
    run()
    assert contents(run.folder) == undisturbed


def test_a_checksum_that_was_noted_is_not_that_of_a_damaged_shard(run, undisturbed, contents, plays_before):
    mend = plays_before(16, Interrupted())
    with pytest.raises(Interrupted):
        run(engine="reference")
    mend()
    shard = run.folder / "turns" / "part-00000.parquet"
    shard.write_bytes(shard.read_bytes()[:-20])
    run()
    assert contents(run.folder) == undisturbed


@pytest.mark.parametrize(
    "line", ["{", "[]", "3", '{"event": "shards"}', '{"event": "shards", "run_id": 1, "sha256": 2}']
)
def test_a_line_of_the_log_that_makes_no_sense_is_passed_over(run, undisturbed, contents, line):
    run(games=10)
    with (run.folder / "log.jsonl").open("a", encoding="utf-8") as log:
        log.write(line + "\n")
    run()
    assert contents(run.folder) == undisturbed
