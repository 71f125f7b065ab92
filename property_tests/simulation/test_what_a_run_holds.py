"""What is in the directory of a finished run."""

import json
import re
import shutil
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from patchstats import Ruleset, open_run, open_runs, verify
from patchstats.agents import AGENTS, make_agent
from patchstats.agents.registry import Entry
from patchstats.dataset.manifest import read_manifest
from patchstats.dataset.schema import LOG_LEVELS, SCHEMA_VERSION
from patchstats.dataset.shards import METADATA_KEY
from patchstats.dataset.store import store_at
from patchstats.errors import RunError
from patchstats.simulation.spec import BEHAVIOUR_VERSION, RunSpec

RULESET = Ruleset.load("revised")
FILES = {
    "manifest.json",
    *(f"{table}/part-{shard:05d}.parquet" for table in ("games", "turns") for shard in range(3)),
}


def test_a_run_holds_a_manifest_a_log_and_a_file_for_each_table_and_shard(undisturbed, run, times):
    run()
    assert set(undisturbed) == FILES
    assert {path.relative_to(run.folder).as_posix() for path in times(run.folder)} == FILES | {"log.jsonl"}


@pytest.mark.parametrize("log", LOG_LEVELS)
def test_a_run_holds_the_tables_of_its_log_level_with_their_columns(run, log):
    run(log=log)
    for table, columns in LOG_LEVELS[log].items():
        for shard in range(3):
            schema = pq.read_schema(run.folder / table / f"part-{shard:05d}.parquet")
            assert schema.names == [column.name for column in columns]
    assert {path.name for path in run.folder.iterdir() if path.is_dir()} == set(LOG_LEVELS[log])


def test_shards_hold_their_games_in_order_and_the_last_one_the_rest(run):
    run()
    shards = [pq.read_table(run.folder / "games" / f"part-0000{shard}.parquet") for shard in range(3)]
    assert [shard["game_index"].to_pylist() for shard in shards] == [
        list(range(7)),
        list(range(7, 14)),
        list(range(14, 17)),
    ]


def test_every_file_says_which_versions_run_and_ruleset_it_is_of(run):
    run_id = run().run_id
    for name in FILES - {"manifest.json"}:
        assert json.loads(pq.read_schema(run.folder / name).metadata[METADATA_KEY]) == {
            "schema_version": SCHEMA_VERSION,
            "behaviour_version": BEHAVIOUR_VERSION,
            "run_id": run_id,
            "ruleset": RULESET.to_dict(),
        }


def test_the_manifest_says_what_was_simulated(run):
    manifest = run().manifest
    assert manifest == read_manifest(store_at(run.folder))
    assert manifest.spec == {
        "agents": [{"spec": spec, "sha256": None, "ring": None} for spec in ("random", "random-patch")],
        "games": 17,
        "games_per_shard": 7,
        "log": "turns",
        "pairing": "none",
        "ruleset_id": RULESET.ruleset_id,
        "seed": 4,
        "stop_when": None,
    }
    assert manifest.ruleset == RULESET.to_dict()
    assert manifest.versions == {"schema": SCHEMA_VERSION, "behaviour": BEHAVIOUR_VERSION}
    assert [(shard.shard, shard.first_game, shard.games) for shard in manifest.shards] == [
        (0, 0, 7),
        (1, 7, 7),
        (2, 14, 3),
    ]


@pytest.fixture
def judging_by_hand(run):
    """A function that simulates games of an agent whose network was not learned for their ruleset."""
    ruleset = Ruleset.load("original").with_changes({"start_buttons": 6})
    return lambda: run(ruleset=ruleset, agents=("random", "puct:iterations=2"), games=2)


REMARK = "agent 'puct:iterations=2' judges positions by hand-made weights, as the network was not learned for ruleset "


def without_remark(values):
    """What a manifest says that was written before there were remarks."""
    del values["spec"]["agents"][1]["remark"]


def test_the_manifest_says_what_is_remarked_on_an_agent(judging_by_hand):
    first, second = judging_by_hand().spec["agents"]
    assert first == {"spec": "random", "sha256": None, "ring": None}
    assert {**second, "remark": second["remark"][: len(REMARK)]} == {
        "spec": "puct:iterations=2",
        "sha256": None,
        "ring": None,
        "remark": REMARK,
    }


def test_a_run_without_its_remark_is_the_same_run(judging_by_hand, change_manifest, contents, tmp_path):
    made = judging_by_hand()
    before = contents(made.path)
    earlier = shutil.copytree(made.path, tmp_path / "earlier")
    for folder in (made.path, earlier):
        change_manifest(folder, without_remark)
    assert open_run(earlier).run_id == made.run_id
    assert verify(earlier) == 2
    assert judging_by_hand().run_id == made.run_id
    assert contents(made.path) == before
    with pytest.raises(RunError, match="hold the same games"):
        open_runs([made.path, earlier]).games(["winner"])


def test_the_command_says_in_json_what_is_remarked_on_agents_and_nothing_of_others(tmp_path, run_command):
    for agents, remarks in (("puct:iterations=2,puct:iterations=2", 1), ("random,random", 0)):
        spec = ("--games", 2, "--seed", 1, "--set", "start_buttons=6", "--agents", agents)
        answer = run_command("simulate", *spec, "--out", tmp_path / agents, "--progress", "off", "--json")
        told = json.loads(answer.out).get("remarks", [])
        assert [remark.startswith(REMARK) for remark in told] == [True] * remarks


@pytest.mark.parametrize("pairing", ["none", "mirrored", "rings:4"])
def test_the_manifest_counts_the_games_that_seat_0_won_and_on_each_ring(run, pairing):
    made = run(games=16, games_per_shard=8, pairing=pairing)
    for shard, games in zip(made.manifest.shards, made.batches("games"), strict=True):
        wins = (games["winner"] == 0).groupby(games["ring_index"]).sum()
        tally = shard.tally
        assert (tally.games, tally.wins, tally.rings) == (8, wins.sum(), len(wins))
        assert tally.squares == sum(number**2 for number in wins)


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_the_log_notes_when_what_was_played_and_nothing_of_the_machine(run, engine):
    run(workers=1, engine=engine)
    notes = [json.loads(line) for line in (run.folder / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [note["event"] for note in notes] == ["start", "end"]
    assert {key: value for key, value in notes[0].items() if key not in {"time", "event"}} == {
        "workers": 1,
        "executor": "local",
        "run_id": read_manifest(store_at(run.folder)).run_id,
        "engine": engine,
        "shards_missing": 3,
    }
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", note["time"]) for note in notes)
    assert set(notes[1]) == {"time", "event"}


@pytest.mark.parametrize("form", [str, lambda folder: f"file://{folder}"], ids=["text", "URL"])
def test_a_ruleset_may_be_given_as_itself_and_a_directory_as_a_text(run, undisturbed, contents, form):
    given = run(ruleset=RULESET, out=form(run.folder))
    assert given.path == run.folder
    assert contents(run.folder) == undisturbed


@pytest.mark.parametrize(
    ("agents", "size"),
    [
        (("random", "random-patch"), 20_000),
        (("cheapest", "random"), 20_000),
        (("random", "a script"), 1000),
        (("slow 0.003", "random"), 5000),
        (("random", "slow 1"), 20),
        (("slow 30", "slow 1"), 1),
    ],
)
def test_a_shard_holds_as_many_games_as_suit_the_agents_and_the_last_one_the_rest(monkeypatch, script, agents, size):
    def slow(spec, _, ruleset, __):
        return replace(make_agent("random", ruleset), spec=spec, seconds_a_game=float(spec.split()[1]))

    for seconds in ("0.003", "1", "30"):
        monkeypatch.setitem(AGENTS, f"slow {seconds}", Entry("slow", "takes so many seconds a game", slow))
    agents = tuple(script("return legal[0]") if agent == "a script" else agent for agent in agents)
    spec = RunSpec(RULESET, agents, seed=1, games=2 * size + 1)
    assert [spec.games_of(shard) for shard in spec.shards] == [
        range(size),
        range(size, 2 * size),
        range(2 * size, 2 * size + 1),
    ]
    assert len(replace(spec, games=2 * size).shards) == 2
