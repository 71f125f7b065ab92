"""Two one-sided tests: against statsmodels, and by how often each verdict is wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.weightstats import DescrStatsW

from patchstats.analysis.equivalence import equivalence

MARGINS = st.floats(0.1, 5)
VALUES = st.lists(st.integers(-9, 9).map(float), min_size=3, max_size=30).filter(lambda values: len(set(values)) > 1)


@given(values=VALUES, margin=MARGINS, around=st.floats(-3, 3), alpha=st.sampled_from([0.01, 0.05, 0.1]))
def test_with_a_game_a_ring_it_is_the_test_of_statsmodels(values, margin, around, alpha):
    found = equivalence(values, range(len(values)), margin, around=around, alpha=alpha)
    p_value = DescrStatsW(values).ttost_mean(around - margin, around + margin)[0]
    low, high = DescrStatsW(values).tconfint_mean(2 * alpha)
    assert found.p_value == pytest.approx(p_value, abs=1e-9)
    assert found.estimate == pytest.approx((np.mean(values), low, high))
    assert (found.verdict == "equivalent") == (p_value < alpha) or p_value == pytest.approx(alpha)
    assert (found.verdict == "different") == (low > around + margin or high < around - margin)
    assert (found.around, found.margin) == (around, margin)


@given(values=VALUES, margin=MARGINS)
def test_the_sign_does_not_matter(values, margin):
    found = equivalence(values, range(len(values)), margin, around=1)
    other = equivalence([-value for value in values], range(len(values)), margin, around=-1)
    assert found.verdict == other.verdict
    assert found.p_value == pytest.approx(other.p_value)


@pytest.mark.parametrize("truth", [-0.05, 0.05])
def test_at_the_margin_each_verdict_is_wrong_as_often_as_alpha_says(truth, repetitions):
    random = np.random.default_rng(8)
    verdicts, naive = [], []
    rings = np.repeat(np.arange(400), 5)
    for _ in range(repetitions):
        chances = random.beta(4, 4, size=400) + truth
        won = random.random(2000) < chances[rings]
        verdicts.append(equivalence(won, rings, margin=0.05, around=0.5).verdict)
        naive.append(equivalence(won, range(2000), margin=0.05, around=0.5).verdict)
    slack = 4 * (0.05 * 0.95 / repetitions) ** 0.5
    for verdict in ("equivalent", "different"):
        assert verdicts.count(verdict) / repetitions == pytest.approx(0.05, abs=slack)
    assert verdicts.count("undecided") > 0.7 * repetitions
    assert naive.count("undecided") < verdicts.count("undecided")


def test_a_difference_that_is_surely_there_and_too_small_to_matter_is_equivalent():
    values = np.tile([0.0, 1.0, 0.0], 3000) - 0.3
    found = equivalence(values, range(9000), margin=0.1)
    assert found.estimate.low > 0
    assert found.verdict == "equivalent"
    assert equivalence(values, range(9000), margin=0.01).verdict == "different"
    assert equivalence(values, range(9000), margin=0.03).verdict == "undecided"


def test_games_that_are_all_the_same_leave_no_doubt():
    same, apart = (equivalence([value] * 10, range(10), margin=1) for value in (0.0, 2.0))
    assert (same.verdict, same.p_value, same.estimate) == ("equivalent", 0.0, (0.0, 0.0, 0.0))
    assert (apart.verdict, apart.p_value) == ("different", 1.0)


@pytest.mark.parametrize("margin", [0, -0.01, float("nan"), float("inf")])
def test_a_margin_that_is_none_is_refused(margin):
    with pytest.raises(ValueError, match=f"the margin must be a number above 0, not {margin}"):
        equivalence([1, 2], [1, 2], margin)


@pytest.mark.parametrize(
    ("values", "rings", "alpha", "message"),
    [
        ([1, 2], [1, 2], 0.5, "alpha must be between 0 and 0.5, not 0.5"),
        ([1, 2], [1, 2], 0, "alpha must be between 0 and 0.5, not 0"),
        ([1, 2], [1, 1], 0.05, "games on 1 ring have no interval"),
        ([], [], 0.05, "the values of games must be one number or more"),
    ],
)
def test_games_that_cannot_tell_are_refused(values, rings, alpha, message):
    with pytest.raises(ValueError, match=message):
        equivalence(values, rings, 1, alpha=alpha)
