"""Input that looks like something and is nothing: empty paths, impossible positions, keys given twice, full disks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from patchstats.notation import format_position
from patchstats.rules import Ruleset
from patchstats.testing import situation

SIMULATE = ("simulate", "--games", "2", "--seed", "1", "--progress", "off", "--workers", "1")
START = format_position(situation(Ruleset.load("original")))


def refusal(answer):
    """The one line that a refused command says."""
    assert (answer.status, answer.out) == (2, "")
    [line] = answer.err.splitlines()
    return line


@pytest.mark.parametrize("command", [(*SIMULATE, "--out", ""), ("verify", ""), ("replay", "", "--game", "0")])
def test_an_empty_text_is_no_path(patchstats, command):
    assert "an empty text is no path" in refusal(patchstats(*command))
    assert list(Path().iterdir()) == []


def test_a_path_that_cannot_be_made_leaves_no_folder_on_the_way(patchstats):
    assert "cannot be written" in refusal(patchstats(*SIMULATE, "--out", f"way/{'x' * 300}"))
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (f"start_buttons={'9' * 5000}", "start_buttons: '9999"),
        (f"start_buttons={'[' * 3000}", "start_buttons: '[[["),
        ("start_buttons=6\nfinish=3", "start_buttons: '6"),
    ],
)
def test_a_value_that_is_no_value_is_refused_with_its_key(patchstats, change, message):
    assert message in refusal(patchstats(*SIMULATE, "--out", "run", "--set", change))


def test_a_key_is_set_once(patchstats):
    twice = ("--set", "finish=40", "--set", "finish=50")
    assert "--set gives finish twice" in refusal(patchstats(*SIMULATE, "--out", "run", *twice))


@pytest.mark.parametrize(
    ("part", "instead", "message"),
    [
        ("space=0,0", "space=99,0", "outside 0 to 53"),
        ("waiting=0", "waiting=-1", "-1 leathers are waiting"),
        ("buttons=5,5", "buttons=-5,5", "-5 buttons"),
        ("buttons=5,5", "buttons=9,5", "nobody has moved"),
    ],
)
def test_perft_counts_from_no_position_that_a_game_cannot_show(patchstats, part, instead, message):
    position = START.replace(part, instead)
    assert position != START
    said = refusal(patchstats("perft", "--depth", "1", "--position", position))
    assert "no game shows this position" in said
    assert message in said


def test_perft_counts_from_a_position_or_from_a_seed(patchstats):
    assert patchstats("perft", "--depth", "1", "--position", START).out == "639\n"
    assert patchstats("perft", "--depth", "1").out == patchstats("perft", "--depth", "1", "--seed", "1").out == "365\n"
    assert "give one of them" in refusal(patchstats("perft", "--depth", "1", "--seed", "1", "--position", START))
    assert "expected" in refusal(patchstats("perft", "--depth", "1", "--position", ""))


def test_a_run_is_replayed_with_its_own_ruleset(patchstats):
    patchstats(*SIMULATE, "--out", "run")
    assert "a run knows its ruleset" in refusal(patchstats("replay", "run", "--game", "0", "--ruleset", "revised"))


def test_a_bad_record_is_named_by_its_file(patchstats):
    Path("game.txt").write_text("no record", encoding="utf-8")
    assert refusal(patchstats("replay", "game.txt")).startswith("patchstats: game.txt: line 1, column 1: ")


def test_a_summary_is_not_verified_with_a_script_that_was_changed(patchstats):
    Path("mine.py").write_text("def choose(position, legal, stream):\n    return legal[0]\n", encoding="utf-8")
    patchstats(*SIMULATE, "--out", "run", "--log", "summary", "--agents", "scripted:mine:choose,random")
    assert patchstats("verify", "run", "--progress", "off").status == 0
    Path("mine.py").write_text("def choose(position, legal, stream):\n    return legal[-1]\n", encoding="utf-8")
    assert "is another one than" in refusal(patchstats("verify", "run", "--progress", "off"))


def test_a_failed_verification_names_its_command_and_prints_its_findings_as_json(patchstats):
    patchstats(*SIMULATE, "--out", "run")
    shard = Path("run/games/part-00000.parquet")
    shard.write_bytes(shard.read_bytes()[:-9])
    answer = patchstats("verify", "run", "--json", "--progress", "off")
    assert answer.status == 1
    assert json.loads(answer.out)["findings"]
    assert answer.err.splitlines()[-1] == "the same again: patchstats verify run --games all"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_behind_standard_output_is_said_in_one_line():
    command = [sys.executable, "-c", "from patchstats.cli import main; main()", "rules"]
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("patchstats: standard output cannot be written: ")
    assert len(done.stderr.splitlines()) == 1
