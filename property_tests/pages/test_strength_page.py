"""The commands of docs/strength.md are commands: they run with fewer games and less thought, and print such tables."""

import re
import shlex
from pathlib import Path

import pytest

from patchstats.agents import split_specs
from patchstats.cli import patchstats

PAGE = (Path(__file__).parents[2] / "docs" / "strength.md").read_text(encoding="utf-8")
SHOWN = [
    (command, output.strip("\n").splitlines())
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    for command, output in re.findall(r"^\$ patchstats (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
]


def quicker(command):
    """The command with few games and little thought."""
    for number, instead in ((r"iterations=\d+", "iterations=8"), (r"seconds=[\d.]+", "seconds=0.001")):
        command = re.sub(number, instead, command)
    agents = re.search(r"--agents (\S+)", command)[1]
    distinct = ",".join(dict.fromkeys(split_specs(agents)))
    return re.sub(r"--games \d+", "--games 4", command).replace(agents, distinct)


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command for command, _ in SHOWN])
def test_the_command_runs_and_prints_such_a_table(tmp_path, monkeypatch, capsys, command, output):
    arguments = shlex.split(quicker(command))
    if "--mirror" not in arguments and "," not in arguments[arguments.index("--agents") + 1]:
        arguments[arguments.index("--agents") + 1] += ",random"  # two budgets that became one
    monkeypatch.chdir(tmp_path)
    patchstats.main([*arguments, "--progress", "off"], standalone_mode=False)
    printed = capsys.readouterr().out.splitlines()
    heads = [re.sub(r" {2,}", "  ", line).strip() for line in output if not re.search(r"\d\.?\d*%|\d {2,}", line)]
    assert heads
    for head in heads:
        assert head in [re.sub(r" {2,}", "  ", line).strip() for line in printed]


def test_there_are_commands():
    assert len(SHOWN) >= 5
