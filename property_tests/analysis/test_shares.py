"""Shares and their intervals: against scipy, and against how often they hold the truth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from patchstats.analysis.shares import Share, share, share_by_ring
from patchstats.dataset.tally import tally_of

CONFIDENCES = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


@settings(max_examples=5 * settings().max_examples)
@given(data=st.data(), games=st.integers(1, 10**6), confidence=CONFIDENCES)
def test_the_interval_is_the_one_of_scipy(data, games, confidence):
    successes = data.draw(st.sampled_from([0, games]) | st.integers(0, games))
    expected = binomtest(successes, games).proportion_ci(confidence, method="wilson")
    found = share(successes, games, confidence)
    assert found == pytest.approx((successes / games, expected.low, expected.high), rel=0, abs=1e-12)
    assert 0 <= found.low <= found.share <= found.high <= 1


@given(winners=st.lists(st.integers(0, 1), min_size=1), confidence=CONFIDENCES)
def test_with_one_game_on_each_ring_the_interval_is_that_of_independent_games(winners, confidence):
    tally = tally_of(winners, games_per_ring=1)
    found = share_by_ring(tally.games, tally.wins, tally.rings, tally.squares, confidence)
    assert found == pytest.approx(share(tally.wins, tally.games, confidence), rel=0, abs=1e-12)


@given(rings=st.lists(st.integers(0, 1), min_size=1), repeats=st.integers(1, 50), confidence=CONFIDENCES)
def test_games_that_only_repeat_the_first_on_their_ring_tell_no_more_than_it(rings, repeats, confidence):
    tally = tally_of(np.repeat(rings, repeats), games_per_ring=repeats)
    found = share_by_ring(tally.games, tally.wins, tally.rings, tally.squares, confidence)
    assert found == pytest.approx(share(rings.count(0), len(rings), confidence), rel=0, abs=1e-9)


@given(wins=st.integers(0, 10), rings=st.integers(1, 1000))
def test_where_every_ring_gave_the_same_each_counts_as_one_game(wins, rings):
    found = share_by_ring(10 * rings, wins * rings, rings, wins**2 * rings)
    assert found == pytest.approx(share(wins / 10 * rings, rings), rel=0, abs=1e-12)


def test_an_interval_is_narrower_where_the_games_on_a_ring_balance_each_other():
    independent = share_by_ring(games=2000, successes=1000, rings=1000, squares=1500)
    balanced = share_by_ring(games=2000, successes=1000, rings=1000, squares=1100)
    assert independent == pytest.approx(share(1000, 2000), abs=1e-12)
    assert balanced.high - balanced.low < 0.6 * (independent.high - independent.low)


@pytest.mark.parametrize(
    ("rings", "repeats", "beta"),
    [
        pytest.param(200, 20, (4, 5), id="many games on each ring"),
        pytest.param(1000, 5, (1, 1), id="a few games on rings that differ widely"),
        pytest.param(400, 50, (3, 27), id="rare successes"),
    ],
)
def test_the_interval_holds_the_true_share_as_often_as_it_says_where_rings_differ(rings, repeats, beta):
    repetitions = 2000
    truth = beta[0] / sum(beta)
    random = np.random.default_rng(20)
    wins = random.binomial(repeats, random.beta(*beta, size=(repetitions, rings)))
    held = naive = 0
    for one in wins:
        found = share_by_ring(rings * repeats, int(one.sum()), rings, int((one**2).sum()))
        held += found.low <= truth <= found.high
        independent = share(int(one.sum()), rings * repeats)
        naive += independent.low <= truth <= independent.high
    assert 0.93 < held / repetitions < 0.97
    assert naive / repetitions < 0.9


def test_a_share_is_shown_in_per_cent():
    assert str(Share(0.489, 0.4581, 0.52)) == "48.9% [45.8%, 52.0%]"


@pytest.mark.parametrize(("successes", "games"), [(0, 0), (1, 0), (-1, 10), (11, 10), (float("nan"), 10), (-3, -1)])
def test_numbers_that_are_no_share_are_refused(successes, games):
    with pytest.raises(ValueError, match=f"{successes} successes of {games} games are no share"):
        share(successes, games)


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95, float("nan")])
def test_a_confidence_that_is_no_share_is_refused(confidence):
    with pytest.raises(ValueError, match="confidence must be between 0 and 1, not"):
        share(1, 2, confidence)
    with pytest.raises(ValueError, match="confidence must be between 0 and 1, not"):
        share_by_ring(4, 2, 2, 2, confidence)


@pytest.mark.parametrize(
    ("games", "successes", "rings", "squares"),
    [
        pytest.param(0, 0, 0, 0, id="no games"),
        pytest.param(10, 5, 0, 5, id="no rings"),
        pytest.param(10, 0, 20, 0, id="more rings than games"),
        pytest.param(10, 11, 5, 25, id="more successes than games"),
        pytest.param(10, 5, 10, 4, id="squares smaller than the successes"),
        pytest.param(10, 6, 2, 17, id="squares smaller than those of equal rings"),
        pytest.param(10, 5, 5, 11, id="squares greater than those of the most unequal rings"),
        pytest.param(10, -1, -1, -1, id="the unknown numbers of schema version 1"),
    ],
)
def test_numbers_that_no_games_on_rings_give_are_refused(games, successes, rings, squares):
    with pytest.raises(ValueError, match=f"{successes} successes of {games} games on {rings} rings"):
        share_by_ring(games, successes, rings, squares)
