"""The sequential test: its likelihood ratio against a general optimiser, and how often it errs."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from patchstats.analysis.sprt import Sprt, llr, score_of
from patchstats.errors import RunError

COUNTS = st.lists(st.integers(1, 500), min_size=5, max_size=5)
SPARSE = st.lists(st.integers(0, 500), min_size=5, max_size=5)
STRENGTHS = st.tuples(st.integers(-200, 200), st.integers(-200, 200)).filter(lambda pair: pair[0] < pair[1])


def greatest_likelihood(counts, mean):
    """The greatest log-likelihood of five chances with this mean, by an optimiser that knows nothing of the problem."""
    scores = np.arange(5) / 4
    constraints = [
        {"type": "eq", "fun": lambda chances: chances.sum() - 1},
        {"type": "eq", "fun": lambda chances: chances @ scores - mean},
    ]
    shares = np.array(counts) / sum(counts)
    found = minimize(
        lambda chances: -shares @ np.log(chances),
        np.full(5, 0.2),
        jac=lambda chances: -shares / chances,
        bounds=[(1e-9, 1)] * 5,
        constraints=constraints,
        options={"maxiter": 500, "ftol": 1e-14},
    )
    assume(found.success)
    return -sum(counts) * found.fun


@given(counts=COUNTS, strengths=STRENGTHS)
def test_the_ratio_is_that_of_the_greatest_likelihoods(counts, strengths):
    low, high = (greatest_likelihood(counts, score_of(elo)) for elo in strengths)
    assert float(llr(counts, *strengths)) == pytest.approx(high - low, rel=1e-3, abs=1e-2)


def test_the_ratio_of_a_known_example_is_the_one_computed_by_hand():
    # Only lost and won pairs: the chances are fixed by the mean, and the ratio is the one of a binomial.
    plain = 30 * np.log(score_of(50) / 0.5) + 20 * np.log((1 - score_of(50)) / 0.5)
    assert float(llr([20, 0, 0, 0, 30], 0, 50)) == pytest.approx(plain, abs=0.01)


@given(counts=SPARSE, strengths=STRENGTHS, middle=st.integers(-200, 200))
def test_the_ratio_changes_sign_with_the_question_and_adds_up(counts, strengths, middle):
    low, high = strengths
    ratio = float(llr(counts, low, high))
    assert float(llr(counts, high, low)) == pytest.approx(-ratio, abs=1e-6)
    assert float(llr(counts[::-1], -low, -high)) == pytest.approx(ratio, rel=1e-6, abs=1e-6)
    parts = float(llr(counts, low, middle)) + float(llr(counts, middle, high))
    assert parts == pytest.approx(ratio, rel=1e-6, abs=1e-6)


@given(tables=st.lists(SPARSE, min_size=1, max_size=5), strengths=STRENGTHS)
def test_many_ratios_at_once_are_those_one_by_one(tables, strengths):
    assert llr(tables, *strengths).tolist() == pytest.approx([float(llr(one, *strengths)) for one in tables])


@given(wins=st.integers(1, 10_000))
def test_pairs_that_were_all_won_have_a_finite_ratio_in_favour_of_the_stronger(wins):
    ratio = float(llr([0, 0, 0, 0, wins], 0, 20))
    assert ratio == pytest.approx(wins * np.log(score_of(20) / score_of(0)), rel=0.01)


def chances_of(mean, correlated):
    """The chances of 0, 2 and 4 half points with a mean score, games of a pair going alike or against each other."""
    both = (1.3 if correlated else 0.6) * mean * (1 - mean)
    return {4: mean - both, 2: 2 * both, 0: 1 - mean - both}


@pytest.mark.parametrize("correlated", [False, True], ids=["games that go alike", "games that go against each other"])
def test_the_test_errs_about_as_often_as_it_says_and_ends(correlated):
    random = np.random.default_rng(4)
    test = Sprt(0, 100, alpha=0.05, beta=0.1)
    wrong = {}
    for truth, error in ((0, "H1"), (100, "H0")):
        chances = chances_of(score_of(truth), correlated)
        verdicts = []
        for _ in range(400):
            results = random.choice(list(chances), 1000, p=list(chances.values()))
            verdict = test.judge(results[:100])
            verdicts.append(verdict if verdict.accepted else test.judge(results))
        assert all(verdict.accepted for verdict in verdicts)
        assert all(verdict.pairs >= 30 for verdict in verdicts)
        wrong[error] = np.mean([verdict.accepted == error for verdict in verdicts])
    assert 0.005 < wrong["H1"] < 0.075
    assert 0.02 < wrong["H0"] < 0.135


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), more=st.integers(0, 300))
def test_what_comes_after_the_end_changes_nothing(seed, more):
    results = np.random.default_rng(seed).choice([0, 2, 4], 600, p=[0.2, 0.5, 0.3])
    verdict = Sprt(0, 100).judge(results)
    assert verdict.accepted
    assert Sprt(0, 100).judge(results[: verdict.pairs + more]) == verdict
    before = Sprt(0, 100).judge(results[: verdict.pairs - 1])
    assert (before.accepted, before.pairs) == (None, verdict.pairs - 1)


def test_long_series_are_judged_as_a_whole(monkeypatch):
    results = np.random.default_rng(6).choice([0, 2, 4], 2000, p=[0.25, 0.49, 0.26])
    whole = Sprt(0, 40).judge(results)
    monkeypatch.setattr("patchstats.analysis.sprt._AT_A_TIME", 64)
    in_parts = Sprt(0, 40).judge(results)
    assert (in_parts.accepted, in_parts.pairs) == (whole.accepted, whole.pairs)
    assert in_parts.llr == pytest.approx(whole.llr)
    assert whole.pairs > 64


def test_no_test_ends_before_thirty_pairs_however_clear_they_are():
    assert Sprt(0, 400).judge([4] * 29).accepted is None
    assert (Sprt(0, 400).judge([4] * 99).accepted, Sprt(0, 400).judge([4] * 99).pairs) == ("H1", 30)
    assert (Sprt(0, 400).judge([0] * 99).accepted, Sprt(0, 400).judge([0] * 99).pairs) == ("H0", 30)


def test_four_hundred_points_are_odds_of_ten_to_one():
    assert score_of(400) == pytest.approx(10 / 11)
    assert score_of(-800) == pytest.approx(1 / 101)


def test_no_pairs_tell_nothing():
    verdict = Sprt(0, 20).judge([])
    assert (verdict.accepted, verdict.pairs, verdict.llr) == (None, 0, 0.0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ((20, 0), "the lower one first, from -1000 to 1000 Elo, such as 0,20; not 20,0"),
        ((0, 0), "the lower one first"),
        ((0, 2000), "from -1000 to 1000"),
        ((float("nan"), 20), "not nan,20"),
        ((0, "20"), "a sequential test is of numbers, not 0, '20', 0.05, 0.05"),
        ((0, 20, 0), "alpha must be between 0 and 0.5, not 0"),
        ((0, 20, 0.05, 0.5), "beta must be between 0 and 0.5, not 0.5"),
        ((0, 20, float("nan")), "alpha must be between 0 and 0.5, not nan"),
    ],
)
def test_a_test_that_cannot_be_is_refused(settings, message):
    with pytest.raises(RunError, match=message):
        Sprt(*settings)
