"""What the commands print and leave behind when all is well, and when they are interrupted."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import patchstats as package
from patchstats import open_run
from patchstats.agents import AGENTS, RESTRICTIONS
from patchstats.dataset.schema import LOG_LEVELS
from patchstats.notation import parse_record, replay_record
from patchstats.rules import Ruleset
from patchstats.rules.loading import shipped_rulesets
from patchstats.rules.rulebook import clauses

SIMULATE = ("simulate", "--games", 3, "--seed", 1)


def modules_after(code):
    """The modules that a fresh interpreter has loaded when it has run the code."""
    code = f"{code}\nimport sys\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stderr.split())


def test_simulate_prints_the_directory_alone(patchstats):
    answer = patchstats(*SIMULATE, "--out", "runs/first")
    assert (answer.status, answer.out) == (0, f"{Path('runs/first')}\n")
    assert answer.err.splitlines()[-1].startswith("simulate: 3 of 3 games, ")
    assert len(open_run("runs/first").games()) == 3


def test_simulate_without_progress_prints_nothing_else(patchstats):
    assert patchstats(*SIMULATE, "--out", "run", "--progress", "off") == (0, "run\n", "")


def test_simulate_prints_as_json_which_run_it_is_and_how_much_of_it_there_is(patchstats):
    shards = ("--games-per-shard", 2)
    for games, options in ((3, ()), (4, ("--stop-when", "ci:0.9"))):
        answer = patchstats("simulate", "--games", games, "--seed", 1, *shards, *options, "--out", games, "--json")
        run = open_run(str(games))
        assert json.loads(answer.out) == {
            "run": str(games),
            "run_id": run.run_id,
            "games": len(run.games()),
            "shards": len(list(Path(f"{games}/games").iterdir())),
        }


def test_simulate_gives_the_run_that_python_gives(patchstats, contents):
    patchstats(
        *("simulate", "--games", "4", "--seed", "7", "--agents", "random-patch,random", "--ruleset", "revised"),
        *("--set", "patches.p21.cost=1", "--set", "start_buttons=6", "--log", "turns", "--out", "shell"),
        *("--pairing", "mirrored", "--stop-when", "ci:0.9", "--games-per-shard", "2"),
    )
    ruleset = Ruleset.load("revised").with_changes({"patches.p21.cost": 1, "start_buttons": 6})
    package.simulate(
        games=4,
        seed=7,
        agents=["random-patch", "random"],
        ruleset=ruleset,
        pairing="mirrored",
        stop_when="ci:0.9",
        games_per_shard=2,
        log="turns",
        out=Path("python"),
    )
    assert contents(Path("shell")) == contents(Path("python"))


def test_simulate_again_does_nothing_and_says_the_same(patchstats):
    first = patchstats(*SIMULATE, "--out", "run", "--progress", "off")
    before = {path: path.stat().st_mtime_ns for path in Path("run").rglob("*")}
    assert patchstats(*SIMULATE, "--out", "run", "--progress", "off") == first
    assert {path: path.stat().st_mtime_ns for path in Path("run").rglob("*")} == before


def test_simulate_with_more_games_adds_them(patchstats):
    patchstats(*SIMULATE, "--out", "run")
    assert patchstats("simulate", "--games", 5, "--seed", 1, "--out", "run").status == 0
    assert len(open_run("run").games()) == 5


def test_verify_says_how_many_games_were_replayed(patchstats):
    patchstats(*SIMULATE, "--out", "run")
    for arguments, games in ((), 3), (("--games", "all"), 3), (("--games", 2), 2):
        answer = patchstats("verify", "run", *arguments, "--progress", "off")
        assert answer == (0, f"run: every checksum right, {games} games replayed, every column right\n", "")


def test_verify_of_a_run_with_a_flipped_byte_says_where_and_exits_with_1(patchstats):
    patchstats(*SIMULATE, "--out", "run")
    shard = Path("run/games/part-00000.parquet")
    content = bytearray(shard.read_bytes())
    content[1000] ^= 1
    shard.write_bytes(content)
    answer = patchstats("verify", "run", "--progress", "off")
    assert (answer.status, answer.out) == (1, "")
    assert answer.err.startswith(f"patchstats: {shard}: its sha256 is ")


def test_replay_tells_a_game_of_a_run(patchstats):
    patchstats(*SIMULATE, "--out", "run")
    answer = patchstats("replay", "run", "--game", 2)
    assert answer == (0, patchstats("replay", "run", "--game", 2, "--text").out, "")
    row = open_run("run").games().iloc[2]
    assert f"({Ruleset.load('original').ruleset_id})" in answer.out
    assert answer.out.count("advances") == row["advances_0"] + row["advances_1"]


def test_replay_prints_a_record_that_can_be_replayed_and_played(patchstats):
    patchstats(*SIMULATE, "--out", "run")
    record = patchstats("replay", "run", "--game", 1, "--record")
    Path("game.txt").write_text(record.out, encoding="utf-8")
    assert patchstats("replay", "game.txt", "--record") == record
    assert patchstats("replay", "game.txt").out == patchstats("replay", "run", "--game", 1).out
    plies = replay_record(parse_record(record.out))
    assert len(plies) == open_run("run").games()["plies"][1]
    answer = patchstats(
        *("simulate", "--games", 1, "--seed", 9, "--agents", "scripted:game.txt,scripted:game.txt", "--out", "again")
    )
    assert answer.status == 0
    assert open_run("again").games()["actions"][0] == open_run("run").games()["actions"][1]


def test_replay_of_a_record_of_another_ruleset_needs_to_be_told_which(patchstats):
    patchstats(*SIMULATE, "--set", "patches.p21.cost=1", "--out", "run")
    record = patchstats("replay", "run", "--game", 0, "--record")
    Path("game.txt").write_text(record.out, encoding="utf-8")
    assert patchstats("replay", "game.txt").status == 2
    assert patchstats("replay", "game.txt", "--set", "patches.p21.cost=1", "--record") == record


def test_rules_prints_every_clause_or_those_asked_for(patchstats):
    numbers = [clause.number for clause in clauses()]
    lines = patchstats("rules").out.splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == numbers
    lines = patchstats("rules", "4", "5.8").out.splitlines()
    asked_for = [number for number in numbers if number.startswith("4.") or number == "5.8"]
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == asked_for
    printed = json.loads(patchstats("rules", "5.8", "--json").out)
    assert printed == [clause._asdict() for clause in clauses() if clause.number == "5.8"]


def test_rules_prints_who_says_so_under_each_clause(patchstats):
    for clause in clauses():
        printed = " ".join(patchstats("rules", clause.number).out.split())
        medium = {"high": "", "medium": ", medium confidence"}[clause.confidence]
        paragraphs = [clause.text, clause.ruling, f"Sources ({clause.standing}{medium}): {clause.sources}"]
        if clause.untestable:
            paragraphs.append(f"Untestable: {clause.untestable}")
        assert printed == " ".join([clause.number, clause.title, *filter(None, paragraphs)])


def test_rulesets_lists_what_is_shipped(patchstats):
    lines = patchstats("rulesets").out.splitlines()
    assert [line.split()[:2] for line in lines] == [[n, Ruleset.load(n).ruleset_id] for n in shipped_rulesets()]
    for values in json.loads(patchstats("rulesets", "--json").out):
        assert Ruleset.from_dict({key: value for key, value in values.items() if key != "ruleset_id"}) == Ruleset.load(
            values["name"]
        )


def test_agents_lists_every_agent_with_a_line_and_what_it_costs_and_the_restrictions(patchstats):
    lines = patchstats("agents").out.splitlines()
    for entry in AGENTS.values():
        at = lines.index(entry.usage)
        assert lines[at + 1] == f"    {entry.line}"
        if entry.card:
            lots = "draws lots" if entry.card.stochastic else "draws no lots"
            assert lines[at + 2] == f"    {entry.card.cost}; style: {entry.card.style}; {lots}"
    at = lines.index("Before the name of an agent of patchstats, with a +:")
    assert lines[at + 1 :] == [line for name, told in RESTRICTIONS.items() for line in (name, f"    {told}")]
    assert at == 1 + sum(3 if entry.card else 2 for entry in AGENTS.values())


def test_agents_prints_as_json_all_that_is_known_of_them(patchstats):
    printed = json.loads(patchstats("agents", "--json").out)
    assert printed["restrictions"] == RESTRICTIONS
    assert list(printed["agents"]) == list(AGENTS)
    for name, entry in AGENTS.items():
        told = printed["agents"][name]
        assert json.loads(patchstats("agents", name, "--json").out) == told
        assert (told["usage"], told["line"]) == (entry.usage, entry.line)
        if entry.card is None:
            assert set(told) == {"usage", "line"}
            continue
        card = entry.card
        assert [told[key] for key in ("cost", "style", "source", "stochastic")] == [
            *(card.cost, card.style, card.source, card.stochastic)
        ]
        assert list(told["parameters"]) == [one.name for one in card.parameters]
        for one in card.parameters:
            known = told["parameters"][one.name]
            assert (known["line"], known["default"], known["kind"]) == (one.line, one.default, one.kind.__name__)
            assert known.get("choices", []) == list(one.choices)
            if one.kind is not str:
                greatest = None if math.isinf(one.greatest) else one.greatest
                assert (known["least"], known["greatest"]) == (one.least, greatest)


@pytest.mark.parametrize("name", AGENTS)
def test_agents_with_a_name_tells_all_of_that_agent(patchstats, name):
    answer = patchstats("agents", name)
    entry = AGENTS[name]
    assert (answer.status, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[:2] == [entry.usage, f"    {entry.line}"]
    if entry.card is None:
        assert len(lines) == 2
        return
    lots = "draws lots" if entry.card.stochastic else "draws no lots"
    assert lines[2].startswith(f"cost    {entry.card.cost}: ")
    assert lines[3:5] == [f"style   {entry.card.style}; {lots}", f"source  {entry.card.source}"]
    assert lines[5:] == [
        line
        for one in entry.card.parameters
        for line in (
            f"{one.name}={'none' if one.default is None else one.default}",
            f"    {one.line}; {one.bounds}",
        )
    ]


@pytest.mark.parametrize(("name", "hint"), [("randon", "did you mean random?"), ("zebra", "there are random, ")])
def test_agents_with_a_name_that_no_agent_has_is_refused_with_a_hint(patchstats, name, hint):
    answer = patchstats("agents", name)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"patchstats: agent {name!r} is unknown; {hint}")


def test_simulate_takes_agents_with_parameters_that_have_commas_between_them(patchstats):
    card = next(entry.card for entry in AGENTS.values() if entry.card and len(entry.card.parameters) > 1)
    first, second = card.parameters[:2]
    spec = f"{card.name}:{first.name}={first.default / 2:g},{second.name}={second.default / 2:g}"
    assert patchstats(*SIMULATE, "--agents", f"{spec},random", "--out", "run").status == 0
    assert [agent["spec"] for agent in open_run("run").spec["agents"]] == [spec, "random"]
    assert patchstats(*SIMULATE, "--agents", f"random,{spec}", "--out", "other").status == 0
    assert [agent["spec"] for agent in open_run("other").spec["agents"]] == ["random", spec]


def test_bench_prints_how_fast_each_engine_does_what_and_how_many_times_as_fast_the_kernel_is(patchstats):
    figures = json.loads(patchstats("bench", "--games", 2, "--rounds", 1, "--json").out)
    assert [figure["what"] for figure in figures] == [
        "reference, random",
        "kernel, random",
        "reference, random-patch",
        "kernel, random-patch",
        "kernel, greedy",
        "kernel, mcts",
        "kernel, puct",
        "kernel, rollout",
        "kernel, perft",
        *(f"{engine}, simulate --log {log}" for log in LOG_LEVELS for engine in ("reference", "kernel")),
    ]
    assert all(figure["least"] == figure["median"] == figure["most"] > 0 for figure in figures)
    assert [round(figure["ratio"], 6) for figure in figures[:4]] == [
        0,
        round(figures[1]["median"] / figures[0]["median"], 6),
        0,
        round(figures[3]["median"] / figures[2]["median"], 6),
    ]
    assert len(patchstats("bench", "--games", 1, "--rounds", 2).out.splitlines()) == 1 + len(figures)


@pytest.mark.parametrize("command", ["simulate", "verify", "replay", "rules", "rulesets", "agents", "bench"])
def test_every_command_has_a_help_that_begins_with_what_it_does(patchstats, command):
    answer = patchstats(command, "--help")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.startswith(f"Usage: patchstats {command}")
    assert command in patchstats("-h").out


def test_the_version_is_that_of_the_package(patchstats):
    assert patchstats("--version") == (0, f"patchstats {package.__version__}\n", "")


def test_importing_patchstats_loads_nothing_that_takes_long():
    loaded = modules_after("import patchstats")
    assert "patchstats" in loaded
    assert not loaded & {"numpy", "pandas", "pyarrow", "click", "matplotlib", "hypothesis", "rich"}


def test_the_public_names_are_loaded_when_they_are_used():
    code = "import patchstats\npatchstats.Ruleset.load('original')"
    assert "patchstats.rules" in modules_after(code)
    assert not modules_after(code) & {"numpy", "pandas", "pyarrow"}
    for name in package.__all__:
        assert getattr(package, name).__name__ == name
        assert name in dir(package)
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        _ = package.simulat


@pytest.mark.parametrize("arguments", [["--help"], ["simulate", "--help"]])
def test_help_loads_nothing_that_takes_long(arguments):
    loaded = modules_after(
        f"""
import sys
from patchstats.cli import main
sys.argv = ["patchstats", *{arguments}]
try:
    main()
except SystemExit as done:
    assert done.code == 0
"""
    )
    assert "click" in loaded
    assert not loaded & {"numpy", "pandas", "pyarrow", "rich", "matplotlib", "hypothesis"}


# What a terminal does on Ctrl-C: every process of the command is interrupted.


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, contents):
    folder = tmp_path_factory.mktemp("undisturbed")
    done = subprocess.run(long_simulation(1), cwd=folder, capture_output=True, check=True, timeout=120)
    assert done.stdout.split() == [b"run"]
    return contents(folder / "run")


def long_simulation(workers):
    """A simulation of twenty shards."""
    arguments = "simulate --games 400 --games-per-shard 20 --seed 3 --out run --progress off --engine reference"
    command = "from patchstats.cli import main; main()"
    return [sys.executable, "-c", command, *arguments.split(), "--workers", str(workers)]


def interrupted(command, folder, moment):
    """Start a command, interrupt it when the moment has come, and return its answer."""
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        until = time.monotonic() + 60
        while not moment() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err.strip()


INTERRUPTED = "patchstats: interrupted; what was finished is kept, and the same command goes on from there"


@pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX")
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_run_says_how_to_go_on_and_does_so_to_the_same_bytes(tmp_path, undisturbed, contents, workers):
    command = long_simulation(workers)
    shards = tmp_path / "run" / "games"
    answer = interrupted(command, tmp_path, lambda: len(list(shards.glob("part-*"))) >= workers)
    assert answer == (130, "", INTERRUPTED)
    left = {name: content for name, content in contents(tmp_path / "run").items() if name.endswith(".parquet")}
    assert 0 < len(left) < 20
    assert left.items() <= undisturbed.items()

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "run\n"
    assert contents(tmp_path / "run") == undisturbed


@pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX")
def test_a_run_interrupted_while_its_workers_start_says_so_in_one_line(tmp_path):
    def starting():
        started = (tmp_path / "run" / "log.jsonl").exists()
        time.sleep(0.3 if started else 0)
        return started

    assert interrupted(long_simulation(2), tmp_path, starting) == (130, "", INTERRUPTED)
