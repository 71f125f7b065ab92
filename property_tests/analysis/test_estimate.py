"""Means and shares whose unit is the ring: against their formulas, scipy, and how often they hold the truth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t, ttest_1samp

from patchstats.analysis.estimate import (
    Estimate,
    Mean,
    effective_games,
    mean_by_ring,
    ring_means,
    share_of_rings,
)
from patchstats.analysis.shares import share, share_by_ring
from patchstats.dataset.tally import tally_of

VALUES = st.integers(-60, 60).map(float)
#: Games on rings, each with the number of its ring; two rings at least.
GAMES = st.lists(st.tuples(st.integers(0, 5), VALUES), max_size=30).map(lambda rows: [(6, 1.0), (7, 4.0), *rows])


def on_rings(random, rings):
    """Rings that are played once to nine times, how much each favours seat 0, and the ring of each game."""
    played = random.integers(1, 10, size=rings)
    return np.repeat(random.beta(2, 3, size=rings), played), np.repeat(np.arange(rings), played)


@given(games=GAMES)
def test_the_standard_error_is_that_of_the_sums_of_rings(games):
    found = mean_by_ring([value for _, value in games], [ring for ring, _ in games])
    mean = sum(value for _, value in games) / len(games)
    rings = {ring for ring, _ in games}
    squares = sum(sum(value - mean for ring, value in games if ring == one) ** 2 for one in rings)
    variance = len(rings) / (len(rings) - 1) * squares / len(games) ** 2
    assert found.value == pytest.approx(mean)
    assert found.error == pytest.approx(variance**0.5)
    assert found.freedom == len(rings) - 1
    half = t.ppf(0.95, len(rings) - 1) * variance**0.5
    assert found.interval(0.9) == pytest.approx((mean, mean - half, mean + half))


@given(values=st.lists(VALUES, min_size=3, max_size=30).filter(lambda values: len(set(values)) > 1))
def test_with_a_game_a_ring_the_interval_of_a_mean_is_students(values):
    ends = ttest_1samp(values, 0).confidence_interval(0.95)
    found = mean_by_ring(values, range(len(values))).interval()
    assert found == pytest.approx((np.mean(values), ends.low, ends.high))


@given(value=st.floats(-10, 10), games=st.integers(2, 40))
def test_equal_games_have_no_error(value, games):
    assert mean_by_ring([value] * games, [game // 2 * (games > 2) + game % 2 for game in range(games)])[:2] == (
        value,
        0,
    )


@given(winners=st.lists(st.integers(0, 1), min_size=1, max_size=60), repeats=st.integers(1, 5))
def test_of_rings_played_equally_often_the_share_is_that_of_share_by_ring(winners, repeats):
    winners = winners[: len(winners) // repeats * repeats] or [0] * repeats
    tally = tally_of(winners, games_per_ring=repeats)
    expected = share_by_ring(tally.games, tally.wins, tally.rings, tally.squares)
    won, rings = np.array(winners) == 0, np.arange(len(winners)) // repeats
    assert share_of_rings(won, rings) == pytest.approx(expected, abs=1e-9)


@given(wins=st.integers(0, 7), sizes=st.lists(st.integers(1, 9), min_size=1, max_size=20))
def test_where_all_rings_have_the_same_share_each_counts_as_one_game(wins, sizes):
    won = [game < wins * size for size in sizes for game in range(7 * size)]
    rings = [ring for ring, size in enumerate(sizes) for _ in range(7 * size)]
    assert effective_games(won, rings) == len(sizes)
    assert share_of_rings(won, rings) == pytest.approx(share(wins / 7 * len(sizes), len(sizes)))


@given(games=GAMES, data=st.data())
def test_neither_the_order_of_games_nor_the_names_of_rings_matter(games, data):
    def found(rows):
        rings, values = zip(*rows, strict=True)
        won = np.array(values) > 0
        return (*mean_by_ring(values, rings), *share_of_rings(won, rings))

    names = dict(zip(range(8), data.draw(st.permutations(range(100, 108))), strict=True))
    shuffled = [(names[ring], value) for ring, value in data.draw(st.permutations(games))]
    assert found(shuffled) == pytest.approx(found(games), abs=1e-9)


def test_intervals_hold_the_truth_as_often_as_they_say_where_rings_are_played_unequally_often(
    holds_as_it_says, repetitions
):
    random = np.random.default_rng(1)
    held, naive = [], []
    for _ in range(repetitions):
        chances, rings = on_rings(random, 150)
        won = random.random(len(rings)) < chances
        points = 20 * (chances - 0.4) + random.normal(0, 3, size=len(rings))
        share_found, mean = share_of_rings(won, rings), mean_by_ring(points, rings).interval()
        held.append([share_found.low <= 0.4 <= share_found.high, mean.low <= 0 <= mean.high])
        alone = share(int(won.sum()), len(won))
        naive.append(alone.low <= 0.4 <= alone.high)
    holds_as_it_says(held)
    assert np.mean(naive) < 0.9


def test_the_means_of_rings_come_in_the_order_of_the_games():
    assert ring_means([1, 0, 4, 6, 2], [9, 9, 2, 5, 2]).tolist() == [0.5, 3.0, 6.0]


def test_an_estimate_is_shown_in_whole_numbers_unless_it_is_said_otherwise():
    estimate = Estimate(1.26, -0.5, 3.02)
    assert str(estimate) == f"{estimate}" == "+1 [-0, +3]"
    assert f"{estimate:.1f}" == "1.3 [-0.5, 3.0]"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_by_ring([], []), r"must be one number or more in a row, not an array of shape \(0,\)"),
        (lambda: mean_by_ring([1, 2], [1]), r"each game needs its ring; there are 2 games and rings of shape \(1,\)"),
        (lambda: mean_by_ring([1, 2], [1, 1]), "games on 1 ring have no interval; give games on 2 rings or more"),
        (lambda: mean_by_ring([1, float("nan")], [1, 2]), "at place 1 .from 0. there is nan"),
        (lambda: mean_by_ring([1, float("inf")], [1, 2]), "at place 1 .from 0. there is inf"),
        (lambda: share_of_rings([0, 2], [1, 2]), "give True or False, or 1 or 0"),
        (lambda: share_of_rings([0, 1], [1, 2], confidence=95), "confidence must be between 0 and 1, not 95"),
        (lambda: Mean(0, 1, 9).interval(1), "confidence must be between 0 and 1, not 1"),
    ],
)
def test_what_is_no_games_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
