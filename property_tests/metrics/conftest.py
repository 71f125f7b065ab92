"""Runs of a few games in several shards, whose games are watched a few at a time, and modules of the user's own."""

import importlib
import sys
import textwrap
from functools import partial
from pathlib import Path

import pytest

import patchstats


@pytest.fixture(scope="session")
def simulate():
    """`patchstats.simulate` by the reference engine, four games a shard."""
    return partial(patchstats.simulate, seed=5, engine="reference", games_per_shard=4)


@pytest.fixture(autouse=True)
def few_games_at_a_time(monkeypatch):
    monkeypatch.setattr("patchstats.simulation.metrics._GAMES_AT_A_TIME", 3)


@pytest.fixture
def script(tmp_path, monkeypatch):
    """A function that writes a module `mine` into the current folder; what a metric needs is imported there."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(text):
        imports = "from patchstats import Advance, Column, Metric\n"
        Path("mine.py").write_text(imports + textwrap.dedent(text), encoding="utf-8")
        importlib.invalidate_caches()

    yield write
    sys.modules.pop("patchstats_script_mine", None)
