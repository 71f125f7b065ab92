"""Ladders of few games, in a folder with agents of one's own."""

from functools import partial

import pytest

from patchstats.experiments import ladder

AGENTS = """
from patchstats import Advance


def cheapest(position, legal, stream):
    if position.waiting or not legal.purchases.patches:
        return legal[0]
    return legal.purchases.of(min(legal.purchases.patches, key=lambda patch: position.ruleset[patch].cost))[0]


def idle(position, legal, stream):
    return legal[0] if position.waiting else Advance()
"""


@pytest.fixture(scope="session")
def agents_folder(tmp_path_factory):
    """A folder with the module of two agents, `bystander.cheapest` and `bystander.idle`."""
    folder = tmp_path_factory.mktemp("agents")
    (folder / "bystander.py").write_text(AGENTS, encoding="utf-8")
    return folder


@pytest.fixture
def play(tmp_path, monkeypatch, agents_folder):
    """A function that plays a ladder of few games in small files, with other settings where they are given."""
    monkeypatch.chdir(agents_folder)
    settings = {"agents": ["random", "random-patch", "scripted:bystander:cheapest"], "games": 20, "seed": 3}
    return partial(ladder, **settings, games_per_shard=6, out=tmp_path / "ladder")


@pytest.fixture
def times(tmp_path):
    """A function: when each file of the ladder was last written."""
    return lambda: {path: path.stat().st_mtime_ns for path in (tmp_path / "ladder").rglob("*")}
