"""What random play looks like over thousands of games: the figures that the rules themselves bring about."""

import statistics

import pytest

from patchstats.agents import make_agent
from patchstats.rules import Ruleset
from patchstats.simulation.game import play_game


@pytest.fixture(scope="module")
def ends():
    """Plies and final scores of the first 3,000 random games of seed 1."""
    ruleset = Ruleset.load("original")
    agent = make_agent("random", ruleset)
    games = (play_game(ruleset, (agent, agent), seed=1, game_index=index, ring_index=index) for index in range(3000))
    return [(len(game.plies), game.end.score(0), game.end.score(1)) for game in games]


def test_random_games_take_so_many_plies_have_so_many_ties_and_so_few_points(ends):
    plies = [plies for plies, _, _ in ends]
    assert statistics.mean(plies) == pytest.approx(42.8, abs=0.15)
    assert statistics.stdev(plies) == pytest.approx(2.83, abs=0.1)
    assert statistics.mean(first == second for _, first, second in ends) == pytest.approx(0.02, abs=0.006)
