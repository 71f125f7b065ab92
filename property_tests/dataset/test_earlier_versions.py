"""Runs of earlier schema versions can be read. For each there is a small one in `earlier`.

Before the schema version is raised, the run of the present one is written, and its `log.jsonl` removed:

    patchstats simulate --games 5 --games-per-shard 3 --seed 1 --agents random,random-patch --log offers \\
        --out property_tests/dataset/earlier/version_2

Version 1 had no offers; its run was written with `--log turns`.
"""

import json
from pathlib import Path

import pandas as pd
import pytest

from patchstats import open_run, open_runs
from patchstats.dataset.manifest import NAME
from patchstats.dataset.schema import SCHEMA_VERSION
from patchstats.dataset.tally import Tally

EARLIER = Path(__file__).parent / "earlier"
FOLDERS = sorted(EARLIER.iterdir())


@pytest.fixture(scope="module")
def now(simulate, tmp_path_factory):
    """The same run, simulated by this version."""
    out = tmp_path_factory.mktemp("now") / "run"
    return simulate(games=5, seed=1, agents=("random", "random-patch"), log="offers", out=out)


def tables_of(run):
    return ["games", "turns", "patches", *(["offers"] if run.spec["log"] == "offers" else [])]


def test_there_is_a_run_of_every_earlier_version():
    versions = {
        folder.name: json.loads((folder / NAME).read_text(encoding="utf-8"))["versions"]["schema"] for folder in FOLDERS
    }
    assert versions == {f"version_{version}": version for version in range(1, SCHEMA_VERSION)}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_run_of_an_earlier_version_is_read_as_one_of_today(folder, now):
    run = open_run(folder)
    for table in tables_of(run):
        pd.testing.assert_frame_equal(getattr(run, table)(), getattr(now, table)())
        assert [len(frame) for frame in run.batches(table)] == [len(frame) for frame in now.batches(table)]
    assert [run.record(index) for index in range(5)] == [now.record(index) for index in range(5)]
    assert run.turns(["cost"], [("patch", "==", "p07")]).equals(now.turns(["cost"], [("patch", "==", "p07")]))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_manifest_of_an_earlier_version_says_what_one_of_today_says(folder, now):
    then = open_run(folder).manifest
    assert {**then.spec, "log": "offers"} == now.manifest.spec
    assert then.ruleset == now.manifest.ruleset
    assert then.finished
    for shard, today in zip(then.shards, now.manifest.shards, strict=True):
        unknown = Tally(today.games, wins=-1, rings=-1, squares=-1)
        assert (shard.shard, shard.first_game, shard.games) == (today.shard, today.first_game, today.games)
        assert shard.tally in (today.tally, unknown)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_runs_of_all_versions_are_read_together(folder, simulate, tmp_path):
    other = simulate(games=3, seed=2, out=tmp_path / "run")
    frame = open_runs([folder, other.path]).games(["winner"])
    assert frame["run"].value_counts().to_dict() == {str(folder): 5, str(other.path): 3}
