"""What a run would come to: counted and estimated beforehand, with nothing written."""

import json
from dataclasses import asdict, replace

import pytest

from patchstats.dataset.manifest import write_manifest
from patchstats.dataset.schema import LOG_LEVELS
from patchstats.errors import PatchstatsError
from patchstats.simulation import plan as module

SETTINGS = {"games": 24, "seed": 4, "agents": ("random", "random-patch"), "log": "turns"}


class Interrupted(BaseException):
    """As Ctrl-C ends a run, but for the test session, which goes on when a test lets it through."""


@pytest.fixture
def one_shard(monkeypatch):
    """Let a calibration end with a whole shard, which is small here, however slow the machine is."""
    monkeypatch.setattr(module, "_SECONDS", 60)


def size_of(run):
    return sum(file.bytes for shard in run.manifest.shards for file in shard.files.values())


@pytest.mark.usefixtures("one_shard")
@pytest.mark.parametrize("workers", [1, 3])
def test_of_a_fresh_run_every_shard_is_missing_and_nothing_is_written(tmp_path, planned, simulate, workers):
    plan = planned(**SETTINGS, workers=workers, out=tmp_path / "way" / "run")
    assert list(tmp_path.iterdir()) == []
    run = simulate(**SETTINGS, out=tmp_path / "run")
    assert replace(plan, bytes=0, seconds=0) == module.Plan(
        run=str(tmp_path / "way" / "run"),
        run_id=run.run_id,
        games=24,
        stop_when=None,
        shards=4,
        shards_missing=4,
        engine="kernel",
        workers=workers,
        bytes=0,
        seconds=0,
        calibration_games=7,
    )
    assert plan.seconds > 0


@pytest.mark.usefixtures("one_shard")
@pytest.mark.parametrize("games", [3, 7, 16])
def test_of_a_run_broken_off_the_finished_shards_are_not_missing_and_it_stays_as_it_is(
    tmp_path, planned, simulate, plays_before, times, games
):
    mend = plays_before(games, Interrupted())
    with pytest.raises(Interrupted):
        simulate(**SETTINGS, engine="reference", out=tmp_path / "run")
    mend()
    before = times(tmp_path)
    plan = planned(**SETTINGS, out=tmp_path / "run")
    assert (plan.games, plan.shards, plan.shards_missing) == (24, 4, 4 - games // 7)
    assert times(tmp_path) == before


@pytest.mark.usefixtures("one_shard")
def test_of_a_finished_run_nothing_is_missing_and_it_stays_as_it_is(tmp_path, planned, simulate, times):
    simulate(**SETTINGS, out=tmp_path / "run")
    before = times(tmp_path)
    plan = planned(**SETTINGS, out=tmp_path / "run")
    assert (plan.games, plan.shards, plan.shards_missing, plan.seconds) == (24, 4, 0, 0)
    assert times(tmp_path) == before


@pytest.mark.usefixtures("one_shard")
def test_of_a_run_that_is_to_grow_the_partial_shard_is_missing(tmp_path, planned, simulate):
    simulate(**{**SETTINGS, "games": 10}, out=tmp_path / "run")
    plan = planned(**SETTINGS, out=tmp_path / "run")
    assert (plan.games, plan.shards, plan.shards_missing) == (24, 4, 3)


@pytest.mark.usefixtures("one_shard")
def test_a_run_that_may_end_early_is_planned_to_its_last_game_until_it_has_ended(tmp_path, planned, simulate):
    asked = {**SETTINGS, "games": 140, "stop_when": "ci:0.3"}
    fresh = planned(**asked, out=tmp_path / "run")
    assert (fresh.games, fresh.shards, fresh.shards_missing) == (140, 20, 20)
    run = simulate(**asked, out=tmp_path / "run")
    ended = planned(**asked, out=tmp_path / "run")
    assert (ended.games, ended.shards, ended.shards_missing) == (run.manifest.games, len(run.manifest.shards), 0)
    assert ended.games < 140
    assert ended.bytes < fresh.bytes / 2
    write_manifest(run.store, replace(run.manifest, shards=()))
    run.store.remove("games/part-00000.parquet")
    half = planned(**asked, out=tmp_path / "run")
    assert (half.games, half.shards, half.shards_missing) == (140, 20, 20 - ended.shards + 1)


@pytest.mark.usefixtures("one_shard")
def test_more_workers_than_missing_shards_save_no_time(tmp_path, planned, monkeypatch):
    monkeypatch.setattr(module, "_measured", lambda _, games, __: (games, 1000 + games, games / 1000))
    seconds = {workers: planned(**SETTINGS, workers=workers, out=tmp_path / "run").seconds for workers in (1, 2, 4, 64)}
    assert seconds == pytest.approx({1: 0.024, 2: 0.012, 4: 0.006, 64: 0.006})


@pytest.mark.usefixtures("one_shard")
def test_bytes_are_those_of_each_game_and_of_each_file(tmp_path, planned, monkeypatch):
    monkeypatch.setattr(module, "_measured", lambda _, games, __: (games, 1000 + 50 * games, 1.0))
    assert planned(**SETTINGS, out=tmp_path / "run").bytes == 24 * 50 + 4 * 1000


@pytest.mark.usefixtures("one_shard")
@pytest.mark.parametrize("log", LOG_LEVELS)
@pytest.mark.parametrize(
    ("games", "games_per_shard", "pairing"),
    [(100, 7, "none"), (2000, 500, "none"), (120, 30, "mirrored"), (1200, 600, "rings:3"), (1200, 600, "rings:300")],
)
def test_as_many_bytes_are_estimated_as_are_written_or_not_many_more_or_fewer(
    tmp_path, planned, simulate, log, games, games_per_shard, pairing
):
    asked = {**SETTINGS, "log": log, "games": games, "games_per_shard": games_per_shard, "pairing": pairing}
    estimated = planned(**asked, out=tmp_path / "run").bytes
    written = size_of(simulate(**asked, out=tmp_path / "run"))
    assert written / 1.5 < estimated < 1.5 * written


def test_a_calibration_plays_games_until_it_took_long_enough_and_no_more_than_a_shard(tmp_path, planned, monkeypatch):
    played = []

    def measured(_, games, __):
        played.append(games)
        return games, 1000 + games, games / 4000

    monkeypatch.setattr(module, "_measured", measured)
    plan = planned(**{**SETTINGS, "games": 9000}, games_per_shard=0, out=tmp_path / "run")
    assert plan.calibration_games == played[-1] == 2048
    planned(**{**SETTINGS, "games": 9000}, games_per_shard=1000, out=tmp_path / "run")
    planned(**SETTINGS, games_per_shard=0, out=tmp_path / "run")
    assert played == [2, 8, 32, 128, 512, 2048, 2, 8, 32, 128, 512, 1000, 2, 8, 24]


def test_agents_that_take_long_are_measured_by_their_first_games_alone(tmp_path, planned, monkeypatch):
    monkeypatch.setattr(module, "_measured", lambda _, games, __: (games, 1000, 5.0))
    plan = planned(**SETTINGS, out=tmp_path / "run")
    assert (plan.calibration_games, plan.bytes, plan.seconds) == (2, 24 * 500, pytest.approx(24 * 2.5))


def test_of_a_finished_run_nothing_is_estimated(tmp_path, planned, simulate, monkeypatch):
    run = simulate(**SETTINGS, out=tmp_path / "run")
    monkeypatch.setattr(module, "_measured", None)
    plan = planned(**SETTINGS, out=tmp_path / "run")
    assert (plan.calibration_games, plan.bytes, plan.seconds) == (0, size_of(run), 0)


@pytest.mark.usefixtures("one_shard")
def test_a_script_is_planned_to_be_played_by_the_reference(tmp_path, planned, script):
    plan = planned(**{**SETTINGS, "agents": (script("return legal[0]"), "random")}, out=tmp_path / "run")
    assert plan.engine == "reference"


@pytest.mark.parametrize(
    "changes",
    [
        {"games": 0},
        {"seed": -1},
        {"agents": ("random", "randon")},
        {"ruleset": "orignal"},
        {"log": "all"},
        {"pairing": "rings:1"},
        {"pairing": "mirrored", "games": 25, "games_per_shard": 8},
        {"stop_when": "ci:1"},
        {"engine": "fast"},
        {"workers": 0},
        {"out": ""},
        {"executor": "dask"},
    ],
)
def test_what_simulate_refuses_is_refused_in_the_same_words(tmp_path, planned, simulate, changes):
    asked = {**SETTINGS, "out": tmp_path / "run", **changes}
    said = []
    for function in (planned, simulate):
        with pytest.raises(PatchstatsError) as error:
            function(**asked)
        said.append(str(error.value))
    assert said[0] == said[1]
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_simulate_refuses_is_refused_in_the_same_words(tmp_path, planned, simulate, contents):
    run = tmp_path / "run"
    simulate(**SETTINGS, out=run)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine", encoding="utf-8")
    before = contents(tmp_path)
    for changes in ({"out": tmp_path / "mine"}, {"out": run, "seed": 9}, {"out": run, "games": 8}):
        said = []
        for function in (planned, simulate):
            with pytest.raises(PatchstatsError) as error:
                function(**{**SETTINGS, **changes})
            said.append(str(error.value))
        assert said[0] == said[1]
    assert contents(tmp_path) == before


# On the command line


@pytest.fixture
def dry_run(tmp_path, monkeypatch, run_command):
    """A function that plans a run in an empty folder, after a calibration as short as can be."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "_SECONDS", 1e-9)

    def dry_run(*options, games=24):
        return run_command(
            *("simulate", "--games", games, "--seed", 4, "--workers", 2, "--out", "run", "--progress", "off"),
            *("--dry-run", *options),
        )

    return dry_run


def test_on_the_command_line_a_plan_is_printed_as_a_page_or_as_json(tmp_path, dry_run, simulate):
    answer = dry_run()
    assert (answer.status, answer.err) == (0, "")
    assert [line[:10].strip() for line in answer.out.splitlines()] == ["run", "games", "played by", "bytes", "time"]
    assert "24 in 1 shards, of which 0 are there" in answer.out
    values = json.loads(dry_run("--json").out)
    assert list(values) == list(module.Plan.__dataclass_fields__)
    assert (values["run"], values["games"], values["shards"], values["workers"]) == ("run", 24, 1, 2)
    assert list(tmp_path.iterdir()) == []
    run = simulate(games=24, seed=4, games_per_shard=0, out=tmp_path / "run")
    assert values["run_id"] == run.run_id
    assert json.loads(dry_run("--json").out)["shards_missing"] == 0
    assert [line[:10].strip() for line in dry_run().out.splitlines()] == ["run", "games", "bytes"]
    assert "at most 24 in 1 shards" in dry_run("--stop-when", "ci:0.5", "--out", "other").out


def test_on_the_command_line_what_cannot_be_planned_is_refused_in_a_line(tmp_path, dry_run):
    answer = dry_run("--pairing", "mirrored", games=25)
    message = "patchstats: games must be a multiple of 2 with pairing mirrored, not 25\n"
    assert answer == (2, "", message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("amount", "page"),
    [
        ({"bytes": 999, "seconds": 0.04}, ["999 bytes", "0.1 s"]),
        ({"bytes": 123_456, "seconds": 59.6}, ["123 kB", "60 s"]),
        ({"bytes": 12_345_678, "seconds": 150}, ["12.3 MB", "2 min"]),
        ({"bytes": 5_000_000_000, "seconds": 3 * 3600 + 300}, ["5 GB", "3 h 5 min"]),
        ({"bytes": 7 * 10**12, "seconds": 10**6}, ["7 TB", "277 h 47 min"]),
    ],
)
def test_amounts_are_printed_in_units_that_people_read(dry_run, monkeypatch, amount, page):
    whole = module.Plan("run", "id", 24, None, 1, 1, "kernel", 2, **amount, calibration_games=80)
    monkeypatch.setattr(module, "plan", lambda **_: whole)
    lines = dry_run().out.splitlines()
    assert lines[3] == f"bytes     about {page[0]}"
    assert lines[4] == f"time      about {page[1]}, judging by 80 games played now"
    assert json.loads(dry_run("--json").out) == asdict(whole)
