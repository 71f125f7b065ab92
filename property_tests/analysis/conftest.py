"""How often intervals must hold the truth, and a run of real games."""

import numpy as np
import pytest
from hypothesis import settings


@pytest.fixture(scope="session")
def repetitions():
    """How often an interval is computed to see how often it holds the truth: 2000 times nightly, 30 in CI."""
    return settings().max_examples


@pytest.fixture(scope="session")
def holds_as_it_says(repetitions):
    """A function that takes whether 95 % intervals held the truth: a row a repetition, a column an interval.

    Each must do so in 93 to 97 % of the repetitions; of few repetitions, within four standard errors of 95 %.
    """
    slack = max(0.02, 4 * np.sqrt(0.95 * 0.05 / repetitions))

    def holds_as_it_says(held):
        shares = np.asarray(held, dtype=float).mean(axis=0)
        assert len(held) == repetitions
        assert np.all(np.abs(shares - 0.95) <= slack), shares

    return holds_as_it_says


@pytest.fixture(scope="session")
def greedy_run(tmp_path_factory):
    """A run of 400 games of `greedy` against itself, with everything logged."""
    from patchstats import simulate

    out = tmp_path_factory.mktemp("greedy") / "run"
    return simulate(games=400, seed=1, agents=["greedy", "greedy"], log="offers", out=out, workers=1)
