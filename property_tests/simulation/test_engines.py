"""Runs by the compiled engine and by the reference are file for file the same, and it is said which one played."""

import json
import runpy
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from patchstats import verify
from patchstats.agents import AGENTS
from patchstats.cli import main
from patchstats.dataset.schema import LOG_LEVELS
from patchstats.errors import AgentError, RunError
from patchstats.rules import Ruleset
from patchstats.simulation import compiled
from patchstats.testing import rulesets

KERNEL_TESTS = Path(__file__).parents[1] / "kernel"
both = runpy.run_path(str(KERNEL_TESTS / "both.py"))
telling = runpy.run_path(str(KERNEL_TESTS / "telling.py"))["ENTRY"]

ORIGINAL = Ruleset.load("original")
#: Small, with leathers side by side, and names and a start patch of its own.
INVENTED = Ruleset.from_dict(
    {
        **ORIGINAL.to_dict(),
        "name": "invented",
        "quilt_size": 10,
        "finish": 70,
        "leather_marks": [1, 2, 3, 64, 70],
        "income_marks": [2, 63, 64, 65],
        "offer_size": 5,
        "bonus_square": 3,
        "start_patch": "tall",
        "patches": {
            "bar": {"rows": "111", "cost": 1, "time": 2, "income": 1},
            "tall": {"rows": "1/1/1/1/1/1", "cost": 3, "time": 3, "income": 2},
            "hook": {"rows": "111/100/100", "cost": 0, "time": 4, "income": 0},
            "dot": {"rows": "1", "cost": 0, "time": 1, "income": 0},
            "ring": {"rows": "111/101/111", "cost": 5, "time": 6, "income": 3},
        },
    }
)
TALL = ORIGINAL.with_changes({"quilt_size": 11, "patches.p01.rows": "111111"})
REASON = "ruleset original*: its patches are too tall for a quilt of 11 cells a side"
SETTINGS = {"games": 17, "seed": 11, "agents": ("random", "random-patch"), "log": "turns"}


class Interrupted(BaseException):
    """As Ctrl-C ends a run, but for the test session, which goes on when a test lets it through."""


def engines_of(folder):
    """Which engines the log of a run says have played."""
    notes = map(json.loads, (folder / "log.jsonl").read_text(encoding="utf-8").splitlines())
    return [note["engine"] for note in notes if note["event"] == "start"]


@pytest.fixture
def patchstats(monkeypatch, capsys):
    """A function that runs a command and returns its exit status, what it printed, and its errors."""

    def patchstats(*arguments):
        monkeypatch.setattr("sys.argv", ["patchstats", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            main()
        return exit_.value.code, *capsys.readouterr()

    return patchstats


@pytest.fixture
def _telling(monkeypatch):
    """Let there be the agent `telling`."""
    monkeypatch.setitem(AGENTS, "telling", telling)


@pytest.mark.parametrize("ruleset", [ORIGINAL, Ruleset.load("revised"), INVENTED], ids=lambda ruleset: ruleset.name)
@pytest.mark.parametrize("log", LOG_LEVELS)
def test_both_engines_write_the_same_files(tmp_path, simulate, contents, ruleset, log):
    asked = {**SETTINGS, "ruleset": ruleset, "log": log, "agents": ("random", "most-income")}
    simulate(**asked, engine="reference", out=tmp_path / "reference")
    expected = contents(tmp_path / "reference")
    assert len(expected) == 1 + 3 * len(LOG_LEVELS[log])
    for workers in (1, 2):
        simulate(**asked, engine="kernel", workers=workers, out=tmp_path / str(workers))
        assert contents(tmp_path / str(workers)) == expected


@pytest.mark.usefixtures("_telling")
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ruleset=rulesets(shipped=False),
    seed=st.integers(0, 2**64 - 1),
    agents=st.tuples(*[st.sampled_from([*both["LOTS"], *both["ASKED"], "telling"])] * 2),
    pairs=st.integers(1, 5),
    pairs_per_shard=st.integers(1, 5),
    pairing=st.sampled_from(["none", "mirrored", "rings:2"]),
)
def test_both_engines_write_the_same_files_of_any_agents_by_any_rules(
    tmp_path_factory, simulate, contents, pairs, pairs_per_shard, **asked
):
    folder = tmp_path_factory.mktemp("engines")
    asked |= {"games": 2 * pairs, "games_per_shard": 2 * pairs_per_shard, "log": "offers"}
    for engine in ("kernel", "reference"):
        simulate(**asked, engine=engine, out=folder / engine)
    assert contents(folder / "kernel") == contents(folder / "reference")


@pytest.mark.usefixtures("_telling")
def test_what_an_agent_tells_of_the_offers_is_written_by_both_engines_and_stands_its_check(
    tmp_path, simulate, contents
):
    asked = {"games": 9, "seed": 3, "agents": ("telling", "cheapest"), "log": "offers", "games_per_shard": 4}
    run = simulate(**asked, engine="reference", out=tmp_path / "reference")
    for workers in (1, 2):
        simulate(**asked, engine="kernel", workers=workers, out=tmp_path / str(workers))
        assert contents(tmp_path / str(workers)) == contents(tmp_path / "reference")
    offers = run.offers().merge(run.turns(["game_index", "ply", "seat"]))
    assert offers["value"].notna().groupby(offers["seat"]).mean().between([0.3, 0], [0.7, 0]).all()
    assert offers["probability"].notna().groupby(offers["seat"]).mean().between([0.2, 0], [0.5, 0]).all()
    assert verify(run.path) == 9


@pytest.mark.parametrize(
    ("engine", "agents", "ruleset", "played_by"),
    [
        ("kernel", ("random", "random"), ORIGINAL, "kernel"),
        ("reference", ("random", "random"), ORIGINAL, "reference"),
        ("auto", ("random", "random-patch"), ORIGINAL, "kernel"),
        ("auto", ("cheapest", "no-income-3+random"), ORIGINAL, "kernel"),
        ("auto", ("random", "random"), TALL, "reference"),
    ],
)
def test_the_log_names_the_engine(tmp_path, simulate, engine, agents, ruleset, played_by):
    simulate(games=3, seed=1, agents=agents, ruleset=ruleset, engine=engine, out=tmp_path / "run")
    assert engines_of(tmp_path / "run") == [played_by]


def test_scripted_agents_are_left_to_the_reference(tmp_path, simulate, script, capsys):
    script = script("return legal[0]")
    asked = {"games": 2, "seed": 1, "agents": (script, "random"), "progress": "plain"}
    simulate(**asked, engine="auto", out=tmp_path / "auto")
    assert engines_of(tmp_path / "auto") == ["reference"]
    assert "engine" not in capsys.readouterr().err
    with pytest.raises(RunError, match=f"the compiled engine cannot play this: agent '{script}' is none of patchstats"):
        simulate(**asked, engine="kernel", out=tmp_path / "kernel")
    assert not (tmp_path / "kernel").exists()


def test_on_the_command_line_a_scripted_agent_for_the_compiled_engine_is_refused_in_a_line(
    tmp_path, script, patchstats
):
    script = script("return legal[0]")
    out = tmp_path / "run"
    status, printed, errors = patchstats(
        *("simulate", "--games", 2, "--seed", 1, "--agents", f"random,{script}", "--engine", "kernel", "--out", out)
    )
    assert (status, printed, errors.count("\n")) == (2, "", 1)
    assert f"the compiled engine cannot play this: agent '{script}' is none of patchstats" in errors
    assert not out.exists()


@pytest.mark.parametrize("progress", ["plain", "json", "off"])
def test_a_ruleset_that_cannot_be_served_is_played_by_the_reference_which_is_said(
    tmp_path, simulate, contents, capsys, progress
):
    asked = {**SETTINGS, "games": 3, "ruleset": TALL}
    simulate(**asked, progress=progress, out=tmp_path / "auto")
    message = f"played by the reference engine, which is slower: {REASON}"
    first, *_ = [*capsys.readouterr().err.splitlines(), ""]
    assert first == {"plain": message, "json": json.dumps({"message": message}), "off": ""}[progress]
    simulate(**asked, engine="reference", out=tmp_path / "reference")
    assert contents(tmp_path / "auto") == contents(tmp_path / "reference")
    with pytest.raises(RunError, match="the compiled engine cannot play this: ") as refused:
        simulate(**asked, engine="kernel", out=tmp_path / "kernel")
    assert str(refused.value).endswith(REASON)
    assert not (tmp_path / "kernel").exists()


@pytest.mark.parametrize("engine", ["auto", "reference"])
def test_by_a_ruleset_that_cannot_be_served_an_agent_that_is_compiled_is_refused(tmp_path, simulate, engine):
    asked = {**SETTINGS, "games": 3, "ruleset": TALL, "agents": ("random", "cheapest")}
    with pytest.raises(AgentError) as refused:
        simulate(**asked, engine=engine, out=tmp_path / "run")
    assert str(refused.value) == f"agent 'cheapest' needs the compiled engine, which cannot play this: {REASON}"
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("first", ["kernel", "auto"])
@pytest.mark.parametrize("then", ["kernel", "reference"])
@pytest.mark.parametrize("error", [Interrupted(), OSError(28, "No space left on device")], ids=["Ctrl-C", "full"])
def test_a_run_broken_off_by_one_engine_is_completed_by_any(
    tmp_path, simulate, contents, monkeypatch, first, then, error
):
    simulate(**SETTINGS, engine="reference", out=tmp_path / "undisturbed")
    write_played, written, lock = compiled.write_played, [], threading.Lock()

    def broken_off(*arguments):
        with lock:
            if len(written) == 1:
                raise error
            written.append(arguments)
        return write_played(*arguments)

    monkeypatch.setattr(compiled, "write_played", broken_off)
    with pytest.raises((Interrupted, RunError)):
        simulate(**SETTINGS, engine=first, out=tmp_path / "run")
    finished = {name for name in contents(tmp_path / "run") if name.endswith(".parquet")}
    assert finished == {"games/part-00000.parquet", "turns/part-00000.parquet"}
    monkeypatch.undo()
    simulate(**SETTINGS, engine=then, out=tmp_path / "run")
    assert contents(tmp_path / "run") == contents(tmp_path / "undisturbed")
    assert engines_of(tmp_path / "run") == ["kernel", then]


def test_a_run_of_the_reference_is_extended_by_the_kernel(tmp_path, simulate, contents):
    simulate(**{**SETTINGS, "games": 10}, engine="reference", out=tmp_path / "run")
    simulate(**SETTINGS, engine="kernel", out=tmp_path / "run")
    simulate(**SETTINGS, engine="reference", out=tmp_path / "at once")
    assert contents(tmp_path / "run") == contents(tmp_path / "at once")


@pytest.mark.parametrize("engine", ["compiled", "", None, "Kernel"])
def test_an_engine_that_does_not_exist_is_refused(tmp_path, simulate, engine):
    with pytest.raises(RunError, match=f"engine {engine!r} is none of auto, kernel, reference"):
        simulate(**SETTINGS, engine=engine, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_on_the_command_line_an_engine_that_does_not_exist_is_refused(tmp_path, patchstats):
    status, printed, errors = patchstats(
        "simulate", "--games", 2, "--seed", 1, "--engine", "fast", "--out", tmp_path / "run"
    )
    assert (status, printed) == (2, "")
    assert "'fast'" in errors
