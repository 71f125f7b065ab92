"""patchstats audit: what it prints, its exit status, and what it refuses."""

import json
from pathlib import Path

import pytest

from patchstats import open_run, simulate
from patchstats.cli.audit import audit as command
from patchstats.conformance.departures import KINDS
from patchstats.notation import format_record, record_of
from patchstats.notation.foreign import FORMATS, format_letters
from patchstats.rules import Advance, Ruleset

ORIGINAL = Ruleset.load("original")
RING = tuple(patch.id for patch in ORIGINAL.patches)


@pytest.fixture
def lines(patchstats):  # noqa: ARG001
    """Three games in letters; they also stand in games.csv, in the current folder, which `patchstats` has changed."""
    run = simulate(games=3, seed=1, engine="reference", out="played")
    lines = [format_letters(run.record(game)) for game in range(3)]
    Path("games.csv").write_text("\n".join(lines), encoding="utf-8")
    return lines


@pytest.fixture
def damaged(lines):
    """The same, the second game begun with a leather, and the third with a difference of scores that is none."""
    lines = [lines[0], lines[1].replace(",", ",hBCA", 1), lines[2].rpartition(",")[0] + ",99"]
    Path("games.csv").write_text("\n".join(lines), encoding="utf-8")
    return lines


@pytest.mark.usefixtures("lines")
def test_clean_games_leave_the_status_0(patchstats):
    answer = patchstats("audit", "games.csv", "--format", "letters", "--progress", "plain")
    assert (answer.status, answer.out) == (0, "3 games, all clean\n")
    assert answer.err.startswith("audit: 3 of 3 games, ")


def test_one_game_is_one_game(patchstats, lines):
    Path("games.csv").write_text(lines[0], encoding="utf-8")
    answer = patchstats("audit", "games.csv", "--out", "run", "--progress", "off")
    assert answer.out == "1 game, clean\n1 game was played to the end by the rules: run\n"


@pytest.mark.usefixtures("lines")
def test_one_that_is_interrupted_says_that_nothing_was_written(patchstats, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("patchstats.conformance.audit.audit", interrupted)
    answer = patchstats("audit", "games.csv", "--out", "run")
    assert (answer.status, answer.out, answer.err) == (130, "", "patchstats: interrupted; nothing was written\n")
    assert not Path("run").exists()


@pytest.mark.usefixtures("damaged")
def test_a_game_that_departs_has_a_line_and_leaves_the_status_1(patchstats):
    answer = patchstats("audit", "games.csv", "--progress", "off", "--out", "run", "--log", "turns")
    assert answer.status == 1
    first, second, *summary = answer.out.splitlines()
    assert first == ("line 2: extra leather: ply 0 (hBCA), seat 0: no leather waits to be placed (clause 6.5)")
    assert second.startswith("line 3: score differs: the record's difference is 99, and that of the scores ")
    assert summary == [
        "3 games, 1 clean; the others depart first by",
        f"       1  extra leather      {KINDS['extra leather']}",
        f"       1  score differs      {KINDS['score differs']}",
        "2 games were played to the end by the rules: run",
    ]
    assert answer.err == "patchstats: 2 of 3 games in games.csv depart from the rules of original\n"
    assert open_run("run").turns()["game_index"].max() == 1
    assert patchstats("verify", "run", "--progress", "off").status == 0
    assert patchstats("replay", "run", "--game", 1).status == 0


@pytest.mark.usefixtures("damaged")
def test_json_has_the_same(patchstats):
    answer = patchstats("audit", "games.csv", "--json", "--progress", "off", "--out", "run", "--workers", 1)
    assert answer.status == 1
    found = json.loads(answer.out, parse_constant=pytest.fail)
    departures = found.pop("departures")
    assert found == {
        "file": "games.csv",
        "format": "letters",
        "ruleset": "original",
        "ruleset_id": ORIGINAL.ruleset_id,
        "games": 3,
        "clean": 1,
        "finished": 2,
        "run": "run",
        "kinds": {"extra leather": 1, "score differs": 1},
    }
    assert departures[0] == {
        "game": 1,
        "where": "line 2",
        "kind": "extra leather",
        "reason": "no leather waits to be placed",
        "clause": "6.5",
        "ply": 0,
        "seat": 0,
        "word": "hBCA",
        "line": None,
        "column": None,
    }
    assert [one["game"] for one in departures] == [1, 2]


def test_text_that_cannot_be_read_is_pointed_at(patchstats):
    Path("games.csv").write_text(f"{'?'}\n", encoding="utf-8")
    answer = patchstats("audit", "games.csv", "--progress", "off", "--out", "run")
    assert answer.status == 1
    assert answer.out.splitlines()[0] == (
        "line 1, column 1: unreadable: expected the letter of a patch, each once, A to Z and a to g, found '?'"
    )
    assert answer.out.splitlines()[-1] == "no game was played to its end by the rules, so that there is no run"
    assert not Path("run").exists()


def test_a_record_file_and_a_folder_are_audited_under_the_ruleset_that_is_asked_for(patchstats):
    changed = ORIGINAL.with_changes({"start_buttons": 6})
    Path("records").mkdir()
    Path("records/one.txt").write_text(format_record(record_of(changed, RING, [Advance()])), encoding="utf-8")
    for place, where in (("records", "one.txt"), ("records/one.txt", "one.txt")):
        answer = patchstats("audit", place, "--set", "start_buttons=6", "--progress", "off")
        assert answer.status == 1
        assert answer.out.startswith(f"{where}: not finished: the record ends when seat 0 is on space 1")
    assert patchstats("audit", "records", "--progress", "off").out.startswith("one.txt, line 2, column 19: unreadable")


@pytest.mark.usefixtures("lines")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.csv"], "Path 'nowhere.csv' does not exist"),
        (["games.csv", "--format", "words"], "'words' is not one of 'auto', 'letters', 'records', 'codes'"),
        (["games.csv", "--log", "turns"], "--log goes with --out"),
        (["games.csv", "--out", "run", "--log", "summary"], "'summary' is not one of"),
        (["played", "--format", "letters"], "played is a folder, and games in letters stand in a file"),
        (["played"], "played is a run, whose games `patchstats verify` replays, and no folder of records"),
        (["games.csv", "--out", "played"], "played holds another run"),
        (["games.csv", "--out", "."], ". holds other files"),
        (["games.csv", "--format", "codes"], "games.csv: line 1, column"),
        (["games.csv", "--workers", "0"], "workers must be a whole number from 1 on"),
        (["games.csv", "--ruleset", "new"], "new: no such ruleset"),
        (["games.csv", "--set", "patches.p02.rows=11/11"], "has not the shape that letter B stands for"),
    ],
)
def test_wrong_usage_is_said_in_one_line(patchstats, arguments, said):
    before = sorted(Path().rglob("*"))
    answer = patchstats("audit", *arguments)
    assert (answer.status, answer.out) == (2, "")
    [line] = answer.err.splitlines()
    assert said in line
    assert sorted(Path().rglob("*")) == before


def test_the_command_knows_every_format():
    [option] = [one for one in command.params if one.name == "format_name"]
    assert list(option.type.choices) == ["auto", *FORMATS]
