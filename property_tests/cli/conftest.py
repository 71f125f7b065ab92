"""The command line, called within the test."""

import sys
from typing import NamedTuple

import pytest

from patchstats.cli import main


class Answer(NamedTuple):
    """What a command left: its exit status, and what it printed."""

    status: int
    out: str
    err: str


@pytest.fixture
def patchstats(monkeypatch, capsys, tmp_path):
    """A function that runs a command in an empty folder; arguments that are no texts are made ones."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def patchstats(*arguments):
        monkeypatch.setattr(sys, "argv", ["patchstats", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            main()
        out, err = capsys.readouterr()
        return Answer(exit_.value.code, out, err)

    return patchstats
