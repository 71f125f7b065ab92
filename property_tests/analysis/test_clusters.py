"""Regressions by ring: intervals hold the truth where games on a ring go alike, and wrong frames are refused."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import false_discovery_control

from patchstats.analysis.clusters import mean_of, of_games, regress, ring_numbers, share_row, some_missing, with_q

RINGS, GAMES = 80, 4


def drawn(random, logistic=False):
    """Games on rings that go alike, with a trait of the ring and one of the game that count 0.5 and -0.8."""
    ring = np.repeat(np.arange(RINGS), GAMES)
    design = pd.DataFrame(
        {"constant": 1.0, "ring": random.normal(size=RINGS)[ring], "game": random.normal(size=len(ring))}
    )
    linear = design.to_numpy() @ [1, 0.5, -0.8]
    if logistic:  # the same lot for all games of a ring
        return random.random(RINGS)[ring] < expit(linear), design, ring
    return linear + random.normal(size=RINGS)[ring] + random.normal(size=len(ring)), design, ring


@pytest.mark.parametrize("logistic", [False, True])
def test_coefficients_are_within_their_intervals_as_often_as_they_say(repetitions, holds_as_it_says, logistic):
    random = np.random.default_rng(1)
    held, naive = [], []
    for _ in range(repetitions):
        outcome, design, ring = drawn(random, logistic)
        for kept, rings in ((held, ring), (naive, np.arange(len(ring)))):
            found = regress(outcome, design, rings, logistic=logistic)
            kept.append(((found["low"] <= [1, 0.5, -0.8]) & (found["high"] >= [1, 0.5, -0.8])).to_numpy())
    holds_as_it_says(held)
    assert np.mean(naive, axis=0)[:2].max() < 0.88


def test_a_ratio_is_within_its_interval_as_often_as_it_says(repetitions, holds_as_it_says):
    random = np.random.default_rng(2)
    held = []
    for _ in range(repetitions):
        ring = np.repeat(np.arange(RINGS), GAMES)
        weight = random.gamma(3, size=RINGS)[ring]
        values = 2 + weight / 6 + random.normal(size=RINGS)[ring] + random.normal(size=len(ring))
        found = mean_of(values, ring, weights=weight)
        # E[w (2 + w/6)] / E[w], with mean 3 and variance 3 of w
        held.append([found["low"] <= 2 + (3 + 9) / 18 <= found["high"]])
    holds_as_it_says(held)


def test_the_p_value_of_a_share_is_small_where_its_interval_leaves_out_one_half():
    ring = np.repeat(np.arange(60), 2)
    seen = set()
    for won in range(10, 51):
        found = share_row(np.repeat(np.arange(60) < won, 2), ring)
        leaves_out = not found["low"] <= 0.5 <= found["high"]
        assert (found["p_value"] < 0.05) == leaves_out
        seen.add(leaves_out)
    assert seen == {True, False}


def test_q_values_are_those_of_the_hypotheses_that_there_are():
    p = [0.04, np.nan, 0.001, 0.3, np.nan]
    found = with_q(pd.DataFrame({"p_value": p}, index=list("abcde")))["q_value"]
    assert found.dropna().to_list() == false_discovery_control([0.04, 0.001, 0.3]).tolist()
    assert found.isna().to_list() == [False, True, False, False, True]
    assert with_q(pd.DataFrame({"p_value": [np.nan]}))["q_value"].isna().all()


def test_wrong_input_is_refused():
    design = pd.DataFrame({"constant": 1.0, "x": [1.0, 2, 3, 4]})
    with pytest.raises(ValueError, match="played on 1 ring; give games on two"):
        regress([1, 2, 3, 4], design, [7] * 4)
    with pytest.raises(ValueError, match="4 rows do not tell constant, x, y apart"):
        regress([1, 2, 3, 4], design.assign(y=2 * design["x"]), range(4))
    with pytest.raises(ValueError, match="3 outcomes, 4 rows of the design and 4 rings do not match"):
        regress([1, 2, 3], design, range(4))
    with pytest.raises(ValueError, match="the column x must be numbers"):
        regress([1, 2, 3, 4], design.assign(x=[1, 2, np.nan, 4]), range(4))
    with pytest.raises(ValueError, match="confidence must be between 0 and 1, not 95"):
        regress([1, 2, 3, 4], design, range(4), confidence=95)
    with pytest.raises(ValueError, match="can be foretold without an error"):
        regress([0, 0, 1, 1], design, range(4), logistic=True)
    with pytest.raises(ValueError, match="played on 0 ring"):
        ring_numbers([])
    games = pd.DataFrame({"game_index": [1, 2, 2], "winner": 0})
    with pytest.raises(ValueError, match="there are several games 2; give the games of one run"):
        of_games(games, games, ("winner",))
    with pytest.raises(ValueError, match="game 2 is not among the games"):
        of_games(games, games.head(1), ("winner",))
    with pytest.raises(ValueError, match="the frame of offers has no column value"):
        some_missing(games, ("game_index", "value"), "offers")
