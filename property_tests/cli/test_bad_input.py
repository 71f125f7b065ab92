"""Bad input of every kind: exit status 2, one clear line on standard error, and nothing left behind."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from patchstats.dataset.manifest import read_manifest, write_manifest
from patchstats.dataset.store import store_at

SIMULATE = ("simulate", "--games", "2", "--seed", "1", "--out", "run", "--workers", "1")


def simulate(**options):
    """The arguments of a simulation, with some options otherwise than they should be."""
    given = {"games": "2", "seed": "1", "out": "run", **options}
    return ["simulate", *(part for name, value in given.items() for part in (f"--{name}", value))]


def what_lies(folder):
    """Every file with its bytes, and every folder."""
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.fixture
def refused(patchstats):
    """A function that runs a command, checks that it is refused in one line with nothing changed, and returns that."""

    def refused(*arguments):
        before = what_lies(Path())
        answer = patchstats(*arguments)
        assert answer.status == 2
        assert answer.out == ""
        assert what_lies(Path()) == before
        [line] = answer.err.splitlines()
        assert line.startswith("patchstats: ")
        return line.removeprefix("patchstats: ")

    return refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"agents": "random,randon"}, "agent 'randon' is unknown; did you mean random?"),
        ({"agents": "random"}, "two agents are needed, one a seat, such as random,random; given 1: random"),
        ({"agents": "random,random,random"}, "two agents are needed"),
        ({"agents": ","}, "agent '' is unknown"),
        ({"agents": "random:3,random"}, "agent 'random:3': '3' is no parameter of it; it takes none"),
        ({"agents": "random,scripted:nothing.txt"}, "nothing.txt: no game record there"),
        ({"agents": "random,scripted:no_module:choose"}, "module no_module cannot be imported"),
        ({"agents": "random,scripted:json:choose"}, "module json has no function choose"),
        ({"agents": f"random,scripted:{'m' * 300}:choose"}, "m" * 300),
        ({"ruleset": "orignal"}, "ruleset: orignal: no such ruleset; give original or revised, or a folder"),
        ({"ruleset": ""}, "no such ruleset"),
        ({"set": "patches.p21.price=1"}, "changed ruleset: patches.p21.price: no such key; "),
        ({"set": "buttons=1"}, "buttons: no such key"),
        ({"set": "patches.p21=1"}, "changed ruleset: patches.p21: is a table; "),
        ({"set": "start_buttons=many"}, "changed ruleset: start_buttons: 'many'"),
        ({"set": "start_buttons=-1"}, "changed ruleset: start_buttons: -1"),
        ({"set": "start_buttons="}, "changed ruleset: start_buttons: ''"),
        ({"set": "patches.p21.time=0"}, "changed ruleset: patches.p21.time: 0"),
        ({"set": "patches.p21.rows=101/101"}, "patches.p21.rows: the cells of '101/101' do not hang together"),
        ({"set": "leather_marks=[99]"}, "changed ruleset: leather_marks: "),
        ({"set": "start_buttons"}, "--set: start_buttons: is not of the form key=value, such as patches.p21.cost=1"),
        ({"set": "=1"}, "--set: =1: is not of the form key=value"),
        ({"games": "-1"}, "games must be a whole number from 1 to 1000000000, not -1"),
        ({"games": "0"}, "games must be a whole number from 1"),
        ({"games": "1e3"}, "Invalid value for '--games': '1e3' is not a valid integer"),
        ({"games": "9" * 5000}, "--games"),
        ({"seed": "-1"}, "seed must be a whole number from 0 to 18446744073709551615, not -1"),
        ({"seed": str(2**64)}, "seed must be a whole number from 0 to 18446744073709551615"),
        ({"seed": "one"}, "Invalid value for '--seed'"),
        ({"workers": "0"}, "workers must be a whole number from 1 on, not 0"),
        ({"workers": "-2"}, "workers must be a whole number from 1 on, not -2"),
        ({"workers": "two"}, "Invalid value for '--workers'"),
        ({"log": "everything"}, "'everything' is not one of 'summary', 'games', 'turns', 'offers'"),
        ({"pairing": "rings:1"}, "pairing 'rings:1' is none of none, mirrored, and rings:K with a number K from 2 on"),
        ({"pairing": "mirrored", "games": "3"}, "games must be a multiple of 2 with pairing mirrored, not 3"),
        ({"stop-when": "ci:2"}, "stop_when 'ci:2' is not ci:W with a width W between 0 and 1, such as ci:0.01"),
        ({"executor": "slurm"}, "Invalid value for '--executor'"),
        ({"executor": "dask"}, "executor dask and the address of its scheduler belong together"),
        ({"executor": "dask", "workers": "2"}, "--workers is for --executor local"),
        ({"out": "nowhere://bucket/run"}, "nowhere://bucket/run cannot be reached: "),
        ({"progress": "loud"}, "Invalid value for '--progress'"),
        ({"colour": "red"}, "No such option"),
    ],
)
def test_what_cannot_be_simulated_is_refused(refused, options, message):
    assert message in refused(*simulate(**options))


@pytest.mark.parametrize("missing", ["games", "seed", "out"])
def test_a_missing_option_is_named_with_where_to_read_on(refused, missing):
    arguments = simulate()
    at = arguments.index(f"--{missing}")
    line = refused(*arguments[:at], *arguments[at + 2 :])
    assert line == f"Missing option '--{missing}'. (see patchstats simulate --help)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["simulat"], "No such command 'simulat'"),
        (["--colour"], "No such option"),
        (["verify"], "Missing argument 'RUN'"),
        (["verify", "nowhere"], "nowhere is no run: manifest.json in it: No such file or directory"),
        (["verify", "."], ". is no run"),
        (["replay"], "Missing argument"),
        (["replay", "nowhere"], "nowhere is neither a run nor a game record"),
        (["replay", ".", "--game", "0"], ". is no run"),
        (["rules", "12.3"], "no clause or section of the rulebook has the number 12.3"),
        (["bench", "--games", "0"], "Invalid value for '--games'"),
        ([*SIMULATE, "extra"], "unexpected extra argument (extra)"),
    ],
)
def test_a_command_that_makes_no_sense_is_refused(refused, arguments, message):
    assert message in refused(*arguments)


def test_without_a_command_the_help_is_shown(patchstats):
    answer = patchstats()
    assert answer.status == 2
    assert "Usage: patchstats" in answer.out + answer.err


@pytest.mark.parametrize("below", ["", "/run", "/deep/down/run"])
def test_a_directory_that_cannot_be_is_refused(refused, below):
    Path("file").write_text("no directory", encoding="utf-8")
    line = refused(*simulate(out=f"file{below}"))
    assert line == f"{Path(f'file{below}') / 'manifest.json'} cannot be read: Not a directory"


def test_a_directory_with_other_files_is_refused(refused):
    Path("run").mkdir()
    Path("run/notes.txt").write_text("mine", encoding="utf-8")
    assert "run holds other files (notes.txt) and no run" in refused(*simulate())


def test_a_directory_that_holds_another_run_is_refused_with_the_keys_that_differ(patchstats, refused):
    patchstats(*SIMULATE)
    assert "run holds another run (seed: 1 there, 2 asked for)" in refused(*simulate(seed="2"))
    line = refused(*simulate(agents="random-patch,random", log="summary", games="1"))
    assert "agents.0.spec: 'random' there, 'random-patch' asked for" in line
    assert "log: 'games' there, 'summary' asked for" in line
    assert "is a run of 2 games, more than 1" in refused(*simulate(games="1"))


def test_a_damaged_manifest_is_refused_until_the_command_of_its_run_mends_it(patchstats, refused):
    patchstats(*SIMULATE)
    text = Path("run/manifest.json").read_text(encoding="utf-8")
    without_games = json.loads(text)
    del without_games["spec"]["games"]
    for damaged in (text[:200], "[]", json.dumps(without_games)):
        Path("run/manifest.json").write_text(damaged, encoding="utf-8")
        assert "manifest.json is damaged" in refused("replay", "run", "--game", "0")
        answer = patchstats("verify", "run")
        assert (answer.status, answer.out) == (1, "")
        assert "manifest.json is damaged" in answer.err
        assert "games/part-00000.parquet is of another run" in refused(*simulate(seed="2"))
        assert patchstats(*SIMULATE).status == 0
        assert Path("run/manifest.json").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["replay", "run"], "a run has many games: choose one with --game"),
        (["replay", "."], ". is no run: manifest.json in it: No such file or directory"),
        (["replay", "run", "--game", "2"], "run: there is no game 2; the games are 0 to 1"),
        (["replay", "run", "--game", "-1"], "run: there is no game -1; the games are 0 to 1"),
        (["replay", "run", "--game", "first"], "Invalid value for '--game'"),
        (["verify", "run", "--games", "some"], "'some' is neither a number of games nor all"),
        (["verify", "run", "--games", "-1"], "'-1' is neither a number of games nor all"),
        (["verify", "run", "--games", "9" * 5000], "number of games"),
        (["verify", "run", "--progress", "loud"], "Invalid value for '--progress'"),
    ],
)
def test_a_run_is_not_asked_for_what_it_does_not_have(patchstats, refused, arguments, message):
    patchstats(*SIMULATE)
    assert message in refused(*arguments)


def test_a_summary_has_no_game_to_replay(patchstats, refused):
    patchstats(*SIMULATE, "--log", "summary")
    assert "a run with --log summary has no action logs" in refused("replay", "run", "--game", "0")


def test_a_run_that_is_not_finished_is_refused_with_what_to_do(patchstats, refused):
    patchstats(*SIMULATE)
    store = store_at("run")
    write_manifest(store, replace(read_manifest(store), shards=()))
    for command in ("verify", "run"), ("replay", "run", "--game", "0"):
        assert "not finished: 1 of 1 shards are there; the same simulate command goes on with it" in refused(*command)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("once upon a time", "line 1, column 1: expected the first line of a record"),
        ("", "line 1, column 1: expected the first line of a record"),
        ("\udcff", "bad.txt is neither a run nor a game record"),
    ],
)
def test_a_file_that_is_no_record_is_refused(refused, text, message):
    Path("bad.txt").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert message in refused("replay", "bad.txt")


def test_a_record_that_cannot_be_played_is_refused_with_the_ply(patchstats, refused):
    patchstats(*SIMULATE)
    record = patchstats("replay", "run", "--game", "0", "--record").out
    lines = record.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("0 "))
    lines[first] = "0 leather@a1"
    Path("bad.txt").write_text("\n".join(lines), encoding="utf-8")
    assert "ply 0, seat 0: no leather waits to be placed (clause 6.5)" in refused("replay", "bad.txt")


def test_a_record_file_holds_one_game(patchstats, refused):
    patchstats(*SIMULATE)
    Path("game.txt").write_text(patchstats("replay", "run", "--game", "0", "--record").out, encoding="utf-8")
    assert "--game is for a run; a record file holds one game" in refused("replay", "game.txt", "--game", "0")


def agent(name, body):
    """The spec of an agent in a module of the current folder."""
    Path(f"{name}.py").write_text(
        f"import sys\n\n\ndef choose(position, legal, stream):\n    {body}\n", encoding="utf-8"
    )
    return f"scripted:{name}:choose"


@pytest.mark.parametrize("out", ["run", "runs/first"])
def test_an_agent_that_fails_is_told_in_one_line_and_leaves_nothing(refused, out):
    agents = f"random,{agent('wrong_agent', 'return 7')}"
    assert refused(*simulate(agents=agents, out=out, progress="off")) == (
        "game 0, ply 1, seat 1: agent 'scripted:wrong_agent:choose': 7 is no action: advance, buy or place a leather"
        " (clause 3.5)"
    )


def test_an_agent_that_ends_the_program_is_an_agent_that_fails(refused):
    agents = f"random,{agent('quitting_agent', 'sys.exit()')}"
    assert "game 0, ply 1, seat 1: " in refused(*simulate(agents=agents, progress="off"))
