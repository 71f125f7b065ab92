"""What is estimated of random play: legal actions of turns, and the size of the game tree."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.analysis.figures.random_play import plot_tree
from patchstats.analysis.random_play import actions_of_games, mean_actions, median_actions, spread, tree_size

LOGS = st.lists(st.floats(0, 12), min_size=2, max_size=40)
GAMES = st.lists(st.lists(st.integers(1, 1345), min_size=1, max_size=12), min_size=2, max_size=20)


def tables_of(counts):
    """Turns with these numbers of legal actions, a list a game, and the games, each on a ring of its own."""
    turns = [(game, count) for game, all_of in enumerate(counts) for count in all_of]
    numbers = range(len(counts))
    return (
        pd.DataFrame(turns, columns=["game_index", "legal_actions"]),
        pd.DataFrame({"game_index": numbers, "ring_index": numbers}),
    )


@given(counts=GAMES)
def test_legal_actions_are_added_up_and_multiplied_game_by_game(counts):
    turns, games = tables_of(counts)
    found = actions_of_games(turns.sample(frac=1, random_state=1), games)
    assert found["turns"].to_list() == list(map(len, counts))
    assert found["actions"].to_list() == list(map(sum, counts))
    assert found["log10_product"].to_list() == pytest.approx([math.log10(math.prod(one)) for one in counts])
    assert mean_actions(found).value == pytest.approx(turns["legal_actions"].mean())


@given(counts=GAMES)
def test_the_median_is_between_its_ends_and_a_number_that_was_seen(counts):
    turns, games = tables_of(counts)
    found = median_actions(turns, games)
    assert found.value == np.median(turns["legal_actions"])
    assert {found.low, found.high} <= set(turns["legal_actions"])
    assert found.low <= math.ceil(found.value)
    assert found.high >= math.floor(found.value)


@given(logs=LOGS)
def test_the_size_of_the_tree_is_the_mean_product(logs):
    found = tree_size(logs, resamples=50)
    products = 10 ** np.array(logs)
    assert found.log10.value == pytest.approx(math.log10(products.mean()))
    assert min(logs) - 1e-9 <= found.log10.low <= found.log10.high <= max(logs) + 1e-9
    assert 1 - 1e-9 <= found.effective <= len(logs) + 1e-9


@given(logs=LOGS, more=st.integers(100, 400))
def test_products_that_no_float_holds_are_the_same_but_larger(logs, more):
    small, large = (tree_size([log + plus for log in logs], resamples=20) for plus in (0, more))
    assert np.subtract(large.log10, more) == pytest.approx(small.log10, abs=1e-6)
    assert large.effective == pytest.approx(small.effective)
    assert (small.overflowing.share, large.overflowing.share) == (0, 1)


@given(values=st.lists(st.floats(-100, 100), min_size=2, max_size=50))
def test_the_spread_is_the_standard_deviation(values):
    found = spread(values, range(len(values)))
    assert found.value == pytest.approx(np.std(values), abs=1e-6)
    assert found.low <= found.value <= found.high


def test_the_title_says_what_overflows():
    logs = np.linspace(30, 46, 400)
    title = plot_tree(logs, tree_size(logs), 1.68e38).axes[0].get_title(loc="left")
    assert title.startswith(f"{(logs >= 128 * math.log10(2)).mean():.1%} of the products overflow 128 bits")
