"""Ring luck: the spread between rings is found again, without that of chance, and with none there is none."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import beta

from patchstats.analysis.rings import RingLuck, ring_luck

FEW = 99


def played(random, chances, repeats):
    """Games on rings on which seat 0 has these chances."""
    rings = np.repeat(np.arange(len(chances)), repeats)
    lost = random.random(len(rings)) > np.asarray(chances)[rings]
    return pd.DataFrame({"ring_index": rings, "winner": lost.astype(int)})


def truth_of(first, second):
    """What ring luck is where the chances of rings are a beta variable."""
    of = beta(first, second)
    pie, _ = quad(lambda p: abs(p - 0.5) * of.pdf(p), 0, 1, points=[0.5])
    return {"icc": 1 / (first + second + 1), "sd": of.std(), "low": of.ppf(0.05), "high": of.ppf(0.95), "pie": pie}


@pytest.mark.parametrize("repeats", [np.full(200, 6), np.arange(300) % 8 + 2], ids=["equally often", "unequally often"])
def test_intervals_hold_the_truth_as_often_as_they_say(repeats, holds_as_it_says, repetitions):
    random = np.random.default_rng(9)
    truth = truth_of(2.5, 2.0)
    held = []
    for _ in range(repetitions):
        games = played(random, random.beta(2.5, 2.0, size=len(repeats)), repeats)
        found = ring_luck(games, resamples=499)
        held.append([getattr(found, name).low <= true <= getattr(found, name).high for name, true in truth.items()])
    holds_as_it_says(held)


@pytest.mark.parametrize("repeats", [2, 5, 20])
@pytest.mark.parametrize(("first", "second"), [(2.5, 2.0), (30.0, 25.0), (0.8, 0.6)])
def test_what_chance_adds_is_taken_off_however_few_games_a_ring_has(first, second, repeats):
    random = np.random.default_rng(10)
    games = played(random, random.beta(first, second, size=40_000), repeats)
    found = ring_luck(games, resamples=FEW)
    for name, true in truth_of(first, second).items():
        assert getattr(found, name).value == pytest.approx(true, abs=0.012), name
    by_ring = 1 - games.groupby("ring_index")["winner"].mean()
    assert by_ring.std() > found.sd.value + 0.005
    assert (by_ring - 0.5).abs().mean() > found.pie.value + 0.001
    assert (found.games, found.rings) == (40_000 * repeats, 40_000)


def test_chances_that_are_no_beta_variable_are_told_nearly_as_well():
    random = np.random.default_rng(11)
    chances = expit(0.2 + 0.9 * random.standard_normal(40_000))
    found = ring_luck(played(random, chances, 4), resamples=FEW)
    assert found.sd.value == pytest.approx(chances.std(), abs=0.005)
    assert found.pie.value == pytest.approx(np.abs(chances - 0.5).mean(), abs=0.01)
    assert (found.low.value, found.high.value) == pytest.approx(np.quantile(chances, [0.05, 0.95]), abs=0.02)


@given(rings=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=20))
def test_the_icc_is_that_of_the_analysis_of_variance(rings):
    rows = [(ring, seat) for ring, (won, lost) in enumerate([(1, 1), *rings]) for seat in [0] * won + [1] * lost]
    games = pd.DataFrame(rows, columns=["ring_index", "winner"])
    groups = [(group == 0).to_numpy(dtype=float) for _, group in games.groupby("ring_index")["winner"]]
    count, whole = len(groups), len(games)
    if count < 2:
        return
    mean = sum(group.sum() for group in groups) / whole
    between = sum(len(group) * (group.mean() - mean) ** 2 for group in groups) / (count - 1)
    within = sum(((group - group.mean()) ** 2).sum() for group in groups) / (whole - count)
    size = (whole - sum(len(group) ** 2 for group in groups) / whole) / (count - 1)
    variance = (between - within) / size
    found = ring_luck(games, resamples=FEW)
    assert found.icc.value == pytest.approx(variance / (variance + within), abs=1e-9)
    assert found.sd.value == pytest.approx(max(0, variance) ** 0.5, abs=1e-6)


def test_where_rings_do_not_differ_there_is_no_luck():
    found = ring_luck(played(np.random.default_rng(12), np.full(20_000, 0.53), 5), resamples=FEW)
    assert found.icc.value == pytest.approx(0, abs=0.01)
    assert found.icc.low < 0 < found.icc.high
    assert found.sd.value < 0.06
    assert found.pie.value == pytest.approx(0.03, abs=0.02)


def test_where_the_games_on_a_ring_balance_each_other_the_icc_is_below_zero():
    found = ring_luck(pd.DataFrame({"ring_index": np.arange(200) // 2, "winner": [0, 1] * 100}), resamples=FEW)
    assert found.icc == pytest.approx((-1, -1, -1))
    assert found.sd.value == 0
    assert (found.low.value, found.high.value, found.pie.value) == pytest.approx((0.5, 0.5, 0), abs=0.001)


def test_where_the_ring_decides_every_game_it_decides_all():
    games = pd.DataFrame({"ring_index": np.arange(400) // 4, "winner": (np.arange(400) // 4) % 2})
    found = ring_luck(games, resamples=FEW)
    assert found.icc.value == pytest.approx(1)
    assert (found.low.value, found.high.value, found.pie.value) == pytest.approx((0, 1, 0.5), abs=1e-5)


def test_the_same_seed_gives_the_same_intervals():
    games = played(np.random.default_rng(13), np.random.default_rng(13).random(50), 3)
    found = ring_luck(games, resamples=FEW)
    assert isinstance(found, RingLuck)
    assert ring_luck(games.iloc[::-1], resamples=FEW) == found
    other = ring_luck(games, resamples=FEW, seed=1)
    assert other.icc.value == found.icc.value
    assert other.icc.low != found.icc.low


@pytest.mark.parametrize(
    ("rings", "winners", "message"),
    [
        ([], [], "the frame of games has no rows"),
        ([1, 1], [0, None], "no value in column winner at row 1"),
        ([1, 1, 1], [0, 1, 0], "3 games on 1 rings tell nothing of rings; play 2 rings or more twice each"),
        ([1, 2, 3], [0, 1, 0], "3 games on 3 rings tell nothing of rings; play 2 rings or more twice each"),
        ([1, 1, 2, 2], [0, 0, 0, 0], "the same seat won all games"),
        ([1, 1, 2, 2], [1, 1, 1, 1], "the same seat won all games"),
        ([1, 1, 2, 2], [1, 2, 0, 1], "the column winner of the games must be 0 or 1"),
    ],
)
def test_games_that_tell_nothing_of_rings_are_refused(rings, winners, message):
    with pytest.raises(ValueError, match=message):
        ring_luck(pd.DataFrame({"ring_index": rings, "winner": winners}))


def test_a_confidence_that_is_none_is_refused():
    games = pd.DataFrame({"ring_index": [1, 1, 2, 2], "winner": [0, 1, 0, 1]})
    with pytest.raises(ValueError, match="confidence must be between 0 and 1, not 95"):
        ring_luck(games, confidence=95)
    with pytest.raises(ValueError, match="resamples must be 1 or more, not 0"):
        ring_luck(games, resamples=0)
