"""Screening: each of many effects is found as if it alone had been changed, with intervals that hold it."""

import numpy as np
import pytest

from patchstats.analysis.screening import screen

FACTORS = [f"patches.p{number:02}.cost" for number in range(1, 11)]
EFFECTS = np.array([-2.0, 1.0, 0.5, -0.5, *[0.0] * 6])


def jittered(random, rings=150, repeats=2):
    """Games on rings that go alike, the rules changed by lot for each game; one factor makes outcomes more uneven."""
    games = rings * repeats
    ring = np.repeat(np.arange(rings), repeats)
    jitter = random.integers(-1, 2, size=(games, len(FACTORS)))
    noise = 3 * random.normal(size=rings)[ring] + (2 + jitter[:, 0]) * random.normal(size=games)
    return 20 + jitter @ EFFECTS + noise, jitter, FACTORS, ring


def test_effects_are_within_their_intervals_as_often_as_they_say(repetitions, holds_as_it_says):
    random = np.random.default_rng(1)
    held = []
    for _ in range(repetitions):
        found = screen(*jittered(random)).loc[FACTORS]
        held.append(((found["low"] <= EFFECTS) & (found["high"] >= EFFECTS)).to_numpy())
    holds_as_it_says(held)


def test_as_much_is_false_of_what_is_reported_as_is_said(repetitions):
    random = np.random.default_rng(2)
    false = []
    for _ in range(repetitions):
        found = screen(*jittered(random))
        reported = found.index[found["q_value"] <= 0.05]
        false.append(sum(EFFECTS[FACTORS.index(one)] == 0 for one in reported) / max(len(reported), 1))
    assert np.mean(false) < 0.05 + 4 * 0.2 / np.sqrt(repetitions)


def test_the_greatest_effects_come_first():
    found = screen(*jittered(np.random.default_rng(3), rings=3000))
    assert found.index[:2].to_list() == FACTORS[:2]
    assert found["estimate"].abs().is_monotonic_decreasing
    assert found["estimate"][FACTORS[:4]].to_list() == pytest.approx(EFFECTS[:4], abs=0.2)
    assert (found["q_value"] >= found["p_value"]).all()


def test_one_ring_played_often_tells_no_more_than_once():
    outcome, jitter, factors, ring = jittered(np.random.default_rng(4), repeats=1)
    once = screen(outcome, jitter, factors, ring)
    often = screen(np.tile(outcome, 3), np.tile(jitter, (3, 1)), factors, np.tile(ring, 3))
    assert (often["high"] - often["low"]).to_list() == pytest.approx(once["high"] - once["low"], rel=0.06)


def test_wrong_input_is_refused():
    outcome, jitter, factors, ring = jittered(np.random.default_rng(5))
    with pytest.raises(ValueError, match=r"a column for each of 10 factors, not \(300, 9\)"):
        screen(outcome, jitter[:, 1:], factors, ring)
    with pytest.raises(ValueError, match="factors are named twice: a"):
        screen(outcome, jitter[:, :2], ["a", "a"], ring)
    with pytest.raises(ValueError, match="whole steps"):
        screen(outcome, jitter / 2, factors, ring)
    with pytest.raises(ValueError, match=r"patches.p01.cost is the same in all games"):
        screen(outcome, jitter * (np.arange(10) > 0), factors, ring)
    with pytest.raises(ValueError, match="299 outcomes, 300 rows"):
        screen(outcome[1:], jitter, factors, ring)
    with pytest.raises(ValueError, match=r"factors, not \(0,\)"):
        screen([], [], factors, [])
