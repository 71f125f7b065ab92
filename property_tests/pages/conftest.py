"""How the examples of a page are found and run."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

CHECKOUT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)


class Block(NamedTuple):
    """A block of a page: of which kind it says it is, and its text."""

    kind: str
    text: str


@pytest.fixture
def blocks_of():
    """A function: the blocks of a page, in order."""

    def blocks_of(page):
        return [Block(*found.groups()) for found in BLOCK.finditer((CHECKOUT / page).read_text(encoding="utf-8"))]

    return blocks_of


#: What commands say on the way, which a page does not show.
_PROGRESS = r"(simulate|verify|metrics|ladder|whatif|screen): |the engine is being compiled"


@pytest.fixture
def run_python():
    """A function that runs the examples of a block, and fails with the usual report when they print something else."""

    def run_python(text, names, page):
        examples = doctest.DocTestParser().get_doctest(text, names, page, page, 0)
        report = []
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=report.append, clear_globs=False)
        names |= examples.globs
        assert not report, "".join(report)

    return run_python


@pytest.fixture
def environment():
    """The environment of a shell that finds the commands of this installation."""
    return {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}


@pytest.fixture
def run_commands(environment):
    """A function that runs the commands of a block in the shell; errors count as output, progress does not."""

    def run_commands(text, folder):
        for command, expected in COMMAND.findall(text):
            ran = subprocess.run(
                ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            lines = ran.stderr.splitlines(keepends=True)
            errors = [line for line in lines if not re.match(_PROGRESS, line)]
            found = ran.stdout + "".join(errors)
            assert doctest.OutputChecker().check_output(expected, found, doctest.ELLIPSIS), f"$ {command}\n{found}"

    return run_commands
