"""`patchstats replay --svg` and `--html`: which files are written, with which position, and what is refused."""

import os
from xml.etree import ElementTree

import pytest

from patchstats.notation import format_record, record_of
from patchstats.render import game_page, game_svg
from patchstats.rules import Advance, Buy, Ruleset

RING = tuple(f"p{number:02}" for number in range(1, 34))
RECORD = record_of(Ruleset.load("original"), RING, [Buy("p02", 1, 0), Advance(), Advance()])


@pytest.fixture
def replay(monkeypatch, tmp_path, run_command):
    """A function that replays a game of three plies, in a folder that holds nothing else but its record."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.txt").write_text(format_record(RECORD), encoding="utf-8")
    return lambda *arguments: run_command("replay", "game.txt", *arguments)


@pytest.mark.parametrize(
    ("arguments", "plies"),
    [([], 3), (["--ply", "end"], 3), (["--ply", "2"], 3), (["--ply", "0"], 1), (["--ply", "start"], 0)],
)
def test_the_picture_shows_the_game_after_the_ply(replay, tmp_path, arguments, plies):
    assert replay("--svg", "game.svg", *arguments) == (0, "game.svg\n", "")
    written = (tmp_path / "game.svg").read_text(encoding="utf-8")
    assert written == game_svg(RECORD, plies)
    ElementTree.fromstring(written)


def test_the_page_is_written_and_both_can_be(replay, tmp_path):
    assert replay("--html", "game.html") == (0, "game.html\n", "")
    assert (tmp_path / "game.html").read_text(encoding="utf-8") == game_page(RECORD)
    assert replay("--html", "new/other.html", "--svg", "game.svg", "--ply", "1") == (
        0,
        "game.svg\nnew/other.html\n",
        "",
    )
    assert (tmp_path / "new" / "other.html").read_bytes() == (tmp_path / "game.html").read_bytes()


def test_a_game_of_a_run_has_a_page_with_its_agents(monkeypatch, tmp_path, run_command):
    monkeypatch.chdir(tmp_path)
    spec = ("--games", 3, "--seed", 1, "--agents", "random,random-patch", "--engine", "reference", "--workers", 1)
    assert run_command("simulate", *spec, "--out", "run", "--progress", "off").status == 0
    assert run_command("replay", "run", "--game", 2, "--html", "game.html", "--svg", "game.svg").status == 0
    assert "<strong>random-patch</strong>" in (tmp_path / "game.html").read_text(encoding="utf-8")
    assert "seat 1: random-patch" in (tmp_path / "game.svg").read_text(encoding="utf-8")


def test_a_file_that_is_there_is_replaced_and_kept_when_that_fails(replay, tmp_path, monkeypatch):
    (tmp_path / "game.svg").write_text("before", encoding="utf-8")

    def full(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", full)
        answer = replay("--svg", "game.svg")
    assert answer == (2, "", "patchstats: game.svg cannot be written: No space left on device\n")
    assert (tmp_path / "game.svg").read_text(encoding="utf-8") == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.svg", "game.txt"]
    assert replay("--svg", "game.svg").status == 0
    assert (tmp_path / "game.svg").read_text(encoding="utf-8") == game_svg(RECORD)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--svg", "game.png"], "--svg game.png: the name of the file ends in .svg"),
        (["--html", "game.svg"], "--html game.svg: the name of the file ends in .html"),
        (["--svg", "game.svg", "--ply", "3"], "--ply 3: the game has no such ply; its plies are 0 to 2"),
        (["--svg", "game.svg", "--ply", "9" * 5000], "the game has no such ply"),
        (["--svg", "game.svg", "--ply", "-1"], "--ply -1: a ply is a number, counted from 0, or start or end"),
        (["--svg", "game.svg", "--ply", "\u0663"], "a ply is a number, counted from 0, or start or end"),
        (["--ply", "1"], "--ply is for --svg"),
        (["--html", "game.html", "--ply", "1"], "--ply is for --svg"),
        (["--svg", "game.svg", "--record"], "--record prints the game"),
        (["--html", "game.html", "--text"], "--text prints the game"),
        (["--svg", ""], "an empty text is no path"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_is_written(replay, tmp_path, arguments, told):
    answer = replay(*arguments)
    assert (answer.status, answer.out) == (2, "")
    assert told in answer.err
    assert [path.name for path in tmp_path.iterdir()] == ["game.txt"]


def test_a_record_that_cannot_be_played_makes_no_picture(replay, tmp_path):
    lines = (tmp_path / "game.txt").read_text(encoding="utf-8").replace("0 p02/1@a1", "0 p09/1@a1")
    (tmp_path / "game.txt").write_text(lines, encoding="utf-8")
    answer = replay("--svg", "game.svg", "--html", "game.html")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("patchstats: game.txt: ")
    assert [path.name for path in tmp_path.iterdir()] == ["game.txt"]


def test_a_game_without_plies_has_a_picture(monkeypatch, tmp_path, run_command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.txt").write_text(format_record(record_of(RECORD.ruleset, RING, [])), encoding="utf-8")
    assert run_command("replay", "game.txt", "--svg", "game.svg", "--html", "game.html").status == 0
    answer = run_command("replay", "game.txt", "--svg", "game.svg", "--ply", "0")
    assert "--ply 0: the game has no such ply; it has no ply" in answer.err
