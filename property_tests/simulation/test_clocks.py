"""Runs of agents that are limited by seconds: their games cannot be played again, and it is said so."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from patchstats import compute_metrics, verify
from patchstats.agents import AGENTS, Agent, Choice
from patchstats.agents.registry import Entry
from patchstats.dataset.manifest import NAME
from patchstats.dataset.schema import LOG_LEVELS
from patchstats.errors import RunError, VerificationError

SETTINGS = {"games": 8, "seed": 1, "agents": ("hasty", "random"), "games_per_shard": 5}


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    """An agent that does otherwise in every game that it ever plays, as if it had had another time to think."""
    games = []

    def sit_down(_):
        games.append(None)
        plies = len(games)

        def choose(position, legal, stream):
            nonlocal plies
            plies += 1
            values = dict.fromkeys(position.offer, plies)
            return Choice(legal[(stream.below(10**6) + plies) % len(legal)], values, {position.offer[0]: plies})

        return choose

    def make(spec, *_):
        return Agent(spec, sit_down, decider=lambda: None, reproducible=False)

    monkeypatch.setitem(AGENTS, "hasty", Entry("hasty", "thinks for some seconds", make))


@pytest.fixture
def run(tmp_path, simulate):
    """A function that simulates a run of that agent."""
    return lambda **changes: simulate(**{**SETTINGS, **changes}, out=tmp_path / "run")


def test_the_manifest_says_of_such_an_agent_and_of_no_other_that_its_games_cannot_be_played_again(run):
    agents = json.loads((run().path / NAME).read_text(encoding="utf-8"))["spec"]["agents"]
    assert agents == [
        {"spec": "hasty", "sha256": None, "ring": None, "reproducible": False},
        {"spec": "random", "sha256": None, "ring": None},
    ]


def test_the_reference_engine_plays_it_and_the_compiled_one_refuses(tmp_path, run, simulate):
    notes = (run().path / "log.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(note)["engine"] for note in notes if "engine" in note] == ["reference"]
    with pytest.raises(
        RunError, match="agent 'hasty' is limited by seconds, and the compiled engine looks at no clock"
    ):
        simulate(**SETTINGS, engine="kernel", out=tmp_path / "kernel")
    assert not (tmp_path / "kernel").exists()


@pytest.mark.parametrize("pairing", ["none", "mirrored"])
@pytest.mark.parametrize("log", [log for log in LOG_LEVELS if log != "summary"])
def test_a_run_with_action_logs_is_checked_by_them_whatever_the_agent_would_do_now(run, log, pairing):
    found = run(log=log, pairing=pairing, games_per_shard=6)
    assert verify(found.path) == 8
    if log == "offers":
        assert found.offers()["value"].notna().any()
        assert found.offers()["probability"].notna().any()


def test_of_a_summary_it_is_said_why_nothing_can_be_checked_but_the_files_and_what_to_do(run):
    path = run(log="summary").path
    assert verify(path, games=0) == 0
    for games in (None, 1):
        with pytest.raises(RunError) as error:
            verify(path, games=games)
        assert str(error.value) == (
            f"{path}: the games cannot be played again, since agent 'hasty' is limited by seconds, and a summary has "
            "no action logs; give --games 0 to check the files alone, or simulate with --log games"
        )
    shard = path / "games" / "part-00001.parquet"
    shard.write_bytes(shard.read_bytes()[:-1])
    with pytest.raises(VerificationError, match="its sha256 is "):
        verify(path, games=0)


@pytest.mark.parametrize(
    ("column", "change", "found"),
    [
        ("placements", lambda value: value + 1, True),
        ("chosen", lambda value: not value, True),
        ("value", lambda _: 12345, False),
        ("value", lambda _: None, False),
        ("probability", lambda _: None, False),
    ],
)
def test_of_its_offers_everything_is_compared_but_what_only_the_agent_could_say(
    run, change_manifest, sha256_of_file, column, change, found
):
    path = run(log="offers").path / "offers" / "part-00000.parquet"
    table = pq.read_table(path, partitioning=None)
    values, at = table[column].to_pylist(), table.column_names.index(column)
    values[0] = change(values[0])
    pq.write_table(table.set_column(at, table.schema.field(at), pa.array(values, table.schema.field(at).type)), path)
    facts = {"bytes": path.stat().st_size, "sha256": sha256_of_file(path)}
    change_manifest(path.parents[1], lambda manifest: manifest["shards"][0]["files"]["offers"].update(facts))
    if found:
        with pytest.raises(VerificationError, match=f"game 0, ply 0, slot 0: {column} is "):
            verify(path.parents[1])
    else:
        assert verify(path.parents[1]) == 8


def test_a_shard_that_is_missing_is_played_otherwise_and_the_run_is_whole_again(run, contents):
    path = run(log="turns").path
    before = contents(path)
    for table in ("games", "turns"):
        (path / table / "part-00001.parquet").unlink()
    run(log="turns")
    after = contents(path)
    assert after["games/part-00000.parquet"] == before["games/part-00000.parquet"]
    assert after["games/part-00001.parquet"] != before["games/part-00001.parquet"]
    assert verify(path) == 8


def test_metrics_of_such_a_run_are_computed_from_its_action_logs(run):
    path = run().path
    table = compute_metrics(path, ["holes"])
    assert table is not None
    assert verify(path) == 8


@pytest.mark.parametrize("value", [True, None, 0, "no"])
def test_a_manifest_that_says_anything_else_there_is_refused(run, change_manifest, value):
    path = run().path
    change_manifest(path, lambda manifest: manifest["spec"]["agents"][0].update(reproducible=value))
    with pytest.raises(VerificationError, match=r"manifest\.json is damaged"):
        verify(path)
