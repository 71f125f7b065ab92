"""Runs of a few games that have several shards all the same, and what their files hold."""

from functools import partial

import pytest

import patchstats
from patchstats.simulation.spec import RunSpec


@pytest.fixture(scope="session")
def simulate():
    """`patchstats.simulate` with seven games a shard, or as many as are asked for."""

    def simulate(*, games_per_shard=7, **settings):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("patchstats.simulation.simulate.RunSpec", partial(RunSpec, games_per_shard=games_per_shard))
            return patchstats.simulate(**settings)

    return simulate


@pytest.fixture(scope="session")
def contents():
    """A function: the bytes of every file in a folder by its name, but for the log of what no spec determines."""

    def contents(folder):
        files = (path for path in folder.rglob("*") if path.is_file() and path.name != "log.jsonl")
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}

    return contents
