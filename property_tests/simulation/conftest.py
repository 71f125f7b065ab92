"""Runs of a few games that have several shards all the same."""

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
