"""What is refused, before anything is written or changed: settings that cannot be, and directories that hold more."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from patchstats import Ruleset
from patchstats.dataset.manifest import write_manifest
from patchstats.dataset.schema import SCHEMA_VERSION
from patchstats.dataset.store import store_at
from patchstats.errors import PatchstatsError, RunError

RULESET = Ruleset.load("revised")


@pytest.mark.parametrize(
    ("changes", "keys"),
    [
        pytest.param({"seed": 5}, ["seed: 4 there, 5 asked for"], id="seed"),
        pytest.param({"log": "games"}, ["log: 'turns' there, 'games' asked for"], id="log"),
        pytest.param({"games_per_shard": 5}, ["games_per_shard: 7 there, 5 asked for"], id="shards"),
        pytest.param({"stop_when": "ci:0.1"}, ["stop_when: None there, 'ci:0.1' asked for"], id="end"),
        pytest.param({"pairing": "rings:7", "games": 21}, ["pairing: 'none' there, 'rings:7' asked for"], id="pairing"),
        pytest.param({"jitter": "cost"}, ["jitter: None there, 'cost' asked for"], id="jitter"),
        pytest.param(
            {"agents": ("random", "random")},
            ["agents.1.spec: 'random-patch' there, 'random' asked for"],
            id="agent",
        ),
        pytest.param(
            {"ruleset": RULESET.with_changes({"name": "revised", "patches.p21.cost": 1})},
            ["ruleset.patches.p21.cost: 0 there, 1 asked for", "ruleset_id: "],
            id="ruleset",
        ),
        pytest.param(
            {"seed": 9, "log": "summary", "games": 3},
            ["games: 17 there, 3 asked for", "log: ", "seed: "],
            id="several",
        ),
    ],
)
def test_another_spec_is_refused_with_the_keys_that_differ_and_nothing_is_changed(run, times, changes, keys):
    run()
    before = times(run.folder)
    with pytest.raises(RunError) as error:
        run(**changes)
    [listed] = re.findall(r"holds another run \((.*)\); choose another directory", str(error.value))
    assert len(listed.split("; ")) == len(keys)
    assert all(part.startswith(key) for part, key in zip(listed.split("; "), keys, strict=True))
    assert times(run.folder) == before


def test_a_run_of_another_behaviour_is_refused(run):
    manifest = run().manifest
    write_manifest(store_at(run.folder), replace(manifest, versions={**manifest.versions, "behaviour": 0}))
    with pytest.raises(RunError, match=r"another run \(behaviour: 0 there, \d asked for\)"):
        run()


def test_a_run_of_an_earlier_schema_is_refused_and_left_as_it_was(run, times):
    earlier = Path(__file__).parents[1] / "dataset" / "earlier" / "version_1"
    shutil.copytree(earlier, run.folder)
    before = times(run.folder)
    with pytest.raises(RunError, match=rf"another run \(schema: 1 there, {SCHEMA_VERSION} asked for\)"):
        run(games=5, seed=1, ruleset="original", games_per_shard=3)
    assert times(run.folder) == before


def test_a_run_of_a_later_schema_is_refused(run, times, change_manifest):
    run()
    change_manifest(run.folder, lambda values: values["versions"].update(schema=99))
    before = times(run.folder)
    with pytest.raises(RunError, match="is of schema version 99, and this patchstats reads 1 to"):
        run()
    assert times(run.folder) == before


@pytest.mark.parametrize("name", ["notes.txt", "games/notes.txt", "games/part-00000.parquet.bak"])
def test_a_directory_with_foreign_files_is_refused_and_left_as_it_was(run, times, name):
    path = run.folder / name
    path.parent.mkdir(parents=True)
    path.write_text("mine", encoding="utf-8")
    before = times(run.folder)
    message = f"{run.folder} holds other files ({name}) and no run; choose a directory that is empty"
    with pytest.raises(RunError, match=re.escape(message)):
        run()
    assert times(run.folder) == before


def test_an_empty_directory_and_one_that_is_not_there_yet_will_do(run, undisturbed, contents):
    run.folder.mkdir(parents=True)
    run()
    assert contents(run.folder) == undisturbed


@pytest.mark.parametrize("below", [".", "run", "deep/down/run"])
def test_a_directory_that_cannot_be_is_refused_and_nothing_is_left(tmp_path, run, below):
    file = tmp_path / "file"
    file.write_text("no directory", encoding="utf-8")
    with pytest.raises(RunError, match=f"{file}.* cannot be read: Not a directory"):
        run(out=file / below)
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_text(encoding="utf-8") == "no directory"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games": 0}, "games must be a whole number from 1 to 1000000000, not 0"),
        ({"games": -1}, "games must be a whole number from 1 to 1000000000, not -1"),
        ({"games": 10**12 + 1}, "games must be a whole number"),
        ({"games": 1.5}, "games must be a whole number .* not 1.5"),
        ({"games": True}, "games must be a whole number .* not True"),
        ({"seed": -1}, "seed must be a whole number from 0 to 18446744073709551615, not -1"),
        ({"seed": 2**64}, "seed must be a whole number"),
        ({"seed": "1"}, "seed must be a whole number .* not '1'"),
        ({"workers": 0}, "workers must be a whole number from 1 on, not 0"),
        ({"workers": 1.0}, "workers must be a whole number from 1 on, not 1.0"),
        ({"workers": True}, "workers must be a whole number from 1 on, not True"),
        ({"log": "everything"}, "log 'everything' is none of summary, games, turns, offers"),
        ({"agents": ["random"]}, "two agents are needed, one a seat, such as random,random; given 1: random"),
        ({"agents": ["random"] * 3}, "two agents are needed"),
        ({"agents": ["random", "randon"]}, "agent 'randon' is unknown; did you mean random"),
        ({"ruleset": "orignal"}, "orignal: no such ruleset"),
        ({"executor": "slurm"}, "executor 'slurm' is none of local, dask"),
        ({"executor": "dask"}, "executor dask and the address of its scheduler belong together"),
        ({"scheduler": "tcp://127.0.0.1:1"}, "executor dask and the address of its scheduler belong together"),
        ({"out": "nowhere://bucket/run"}, "nowhere://bucket/run cannot be reached: "),
    ],
)
def test_settings_that_cannot_be_are_refused_before_anything_is_written(tmp_path, run, changes, message):
    with pytest.raises(PatchstatsError, match=message):
        run(**changes)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("agents", "random"),
        ("agents", ["random", 5]),
        ("ruleset", 5),
        ("log", ["games"]),
        ("pairing", 2),
        ("stop_when", 0.01),
        ("out", None),
        ("out", ""),
    ],
)
def test_a_setting_of_another_type_is_refused_and_named(tmp_path, run, setting, value):
    with pytest.raises(RunError, match=setting):
        run(**{setting: value})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("games", "seed"), [(1, 0), (1, 2**64 - 1)])
def test_the_least_and_the_greatest_settings_will_do(run, games, seed):
    assert len(run(games=games, seed=seed).games()) == games


# What is not a run's


@pytest.mark.parametrize("files", [["manifest.json"], ["log.jsonl"], ["manifest.json", "log.jsonl"]], ids=" and ".join)
def test_files_of_somebody_else_with_the_names_of_a_run_are_left_alone(run, files):
    run.folder.mkdir(parents=True)
    for name in files:
        (run.folder / name).write_text('{"name": "my app"}', encoding="utf-8")
    with pytest.raises(RunError, match=r"holds other files \(.*\) and no run"):
        run()
    assert {path.name: path.read_text(encoding="utf-8") for path in run.folder.iterdir()} == dict.fromkeys(
        files, '{"name": "my app"}'
    )


def test_an_empty_folder_of_somebody_else_stays_when_a_run_comes_to_nothing(run, plays_before):
    (run.folder / "notes").mkdir(parents=True)
    plays_before(0, OSError(28, "No space left on device"))
    with pytest.raises(RunError, match="No space left on device"):
        run(engine="reference")
    assert list(run.folder.iterdir()) == [run.folder / "notes"]


def test_fewer_games_are_refused_also_where_the_manifest_is_lost(run, contents):
    run(games=17)
    (run.folder / "manifest.json").unlink()
    before = contents(run.folder)
    with pytest.raises(RunError, match="is of a run of more than 16 games"):
        run(games=16)
    assert contents(run.folder) == before


def test_a_store_of_this_process_alone_is_refused_where_others_are_to_write(simulate):
    asked = {"games": 20, "seed": 1, "out": "memory://alone/run", "engine": "reference"}
    with pytest.raises(RunError, match="memory://alone/run is of this process alone"):
        simulate(**asked, workers=2)
    assert len(simulate(**asked).games()) == 20
