"""The command line, called within the test."""

import pytest


@pytest.fixture
def patchstats(monkeypatch, run_command, tmp_path):
    """A function that runs a command in an empty folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return run_command
