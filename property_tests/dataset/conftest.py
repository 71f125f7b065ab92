"""Runs of a few games that have several shards all the same, and their games played without a run."""

from functools import partial

import pytest

import patchstats
from patchstats.simulation.game import play_game
from patchstats.simulation.spec import RunSpec


@pytest.fixture(scope="session")
def simulate():
    """`patchstats.simulate` with three games a shard, or as many as are asked for."""
    return partial(patchstats.simulate, games_per_shard=3)


@pytest.fixture(scope="session")
def played_games():
    """A function: the games of a run, played one by one by the reference engine."""

    def played_games(run):
        spec = RunSpec.of(run.manifest)
        agents = spec.make_agents()
        return [
            play_game(spec.ruleset, spec.seated(agents, index), spec.seed, index, spec.ring_index(index))
            for index in range(run.manifest.games)
        ]

    return played_games
