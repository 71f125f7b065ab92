"""Intervals that may be looked at at any time: they hold the truth at all looks together."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from patchstats.analysis.anytime import anytime, log_mixture

#: How rings turn out, from 0 to 1, with what is true of them: even games, rare wins, mirrored pairs, and any number.
KINDS = {
    "even games": (0.5, lambda random, rings: random.random(rings) < 0.5),
    "rare wins": (0.03, lambda random, rings: random.random(rings) < 0.03),
    "mirrored pairs": (0.55, lambda random, rings: random.choice([0, 0.5, 1], p=[0.15, 0.6, 0.25], size=rings)),
    "any number": (0.25, lambda random, rings: random.beta(1, 3, size=rings)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_all_intervals_together_hold_the_truth_as_often_as_they_say(kind, repetitions):
    truth, draw = KINDS[kind]
    random = np.random.default_rng(22)
    held, naive = [], []
    for _ in range(repetitions):
        means = np.asarray(draw(random, 1000), dtype=float)
        found = anytime(means, narrowest_at=200)
        held.append(((found["low"] <= truth) & (truth <= found["high"])).all())
        rings, so_far = np.arange(1, 1001), np.cumsum(means)
        half = 1.96 * means.std() / np.sqrt(rings)
        naive.append((np.abs(so_far / rings - truth) <= half)[29:].all())
    assert np.mean(held) >= 0.95
    assert np.mean(naive) < 0.85


@pytest.mark.parametrize("rate", [0.5, 4.0, 60.0])
@pytest.mark.parametrize(("total", "spread"), [(0.0, 0.1), (3.0, 5.0), (-2.0, 5.0), (40.0, 200.0), (9.0, 0.0)])
def test_the_mixture_is_the_mean_over_its_density(total, spread, rate):
    def density(bet):
        return math.exp(rate * bet) * (1 - bet) ** (rate - 1)

    def wealth(bet):
        return math.exp(bet * total + spread * (math.log1p(-bet) + bet)) * density(bet)

    # The density may be infinite at 1, where it can be integrated all the same.
    whole, mixed = (quad(of, 0, 1 - 1e-12, limit=500, epsabs=1e-13)[0] for of in (density, wealth))
    assert log_mixture(total, spread, rate) == pytest.approx(math.log(mixed / whole), abs=2e-5)


def test_the_bound_is_where_the_mixture_reaches_its_threshold():
    means = np.random.default_rng(23).random(500)
    found = anytime(means, confidence=0.9, narrowest_at=300)
    odds = 2 * math.log(10)
    rate = 75 / (odds + math.log1p(odds))
    before = np.concatenate([[0.5], (0.5 + np.cumsum(means)[:-1]) / np.arange(2, 501)])
    spread = np.cumsum((means - before) ** 2)
    total = np.arange(1, 501) * (found["high"] - found["mean"])
    inside = (found["high"] < 1).to_numpy()
    assert inside.sum() > 400
    assert log_mixture(total, spread, rate)[inside] == pytest.approx(math.log(20), abs=1e-6)


def test_it_is_hardly_wider_than_an_interval_of_fixed_size_where_it_is_narrowest():
    random = np.random.default_rng(24)
    widths = {}
    for at in (500, 5000):
        found = anytime(random.random(20_000) < 0.5, narrowest_at=at, looks=[500, 5000, 20_000])
        widths[at] = ((found["high"] - found["low"]) * np.sqrt(found["rings"]) / (2 * 1.96 * 0.5)).to_numpy()
    assert widths[500][0] < 1.75
    assert widths[5000][1] < 1.65
    assert widths[500][0] < widths[5000][0]
    assert widths[500][1] > widths[5000][1]
    assert max(*widths[500], *widths[5000]) < 2.7


@given(
    means=st.lists(st.floats(0, 1, allow_subnormal=False), min_size=2, max_size=60),
    low=st.integers(-9, 9),
    width=st.integers(1, 9),
    data=st.data(),
)
def test_neither_the_scale_nor_what_comes_later_matters(means, low, width, data):
    found = anytime(means)
    scaled = anytime([low + width * mean for mean in means], low=low, high=low + width)
    ends = ["mean", "low", "high"]
    assert scaled[ends].to_numpy() == pytest.approx(low + width * found[ends].to_numpy(), abs=1e-6)
    seen = data.draw(st.integers(1, len(means)))
    assert anytime(means[:seen])[ends].to_numpy() == pytest.approx(found[ends].to_numpy()[:seen])
    looks = sorted(data.draw(st.sets(st.integers(1, len(means)), min_size=1)))
    some = anytime(means, looks=looks)
    assert some["rings"].tolist() == looks
    assert some[ends].to_numpy() == pytest.approx(found[ends].to_numpy()[np.array(looks) - 1])


@given(means=st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=60))
def test_the_other_way_round_the_intervals_are_the_other_way_round(means):
    found, other = anytime(means), anytime([1 - mean for mean in means])
    assert other["low"].to_numpy() == pytest.approx(1 - found["high"].to_numpy(), abs=1e-9)
    assert found["mean"].iloc[-1] == pytest.approx(np.mean(means))
    assert ((found["low"] >= 0) & (found["low"] <= found["mean"]) & (found["high"] <= 1)).all()


@pytest.mark.parametrize(
    ("means", "settings", "message"),
    [
        ([], {}, "the means of rings must be one number or more"),
        ([0.5, float("nan")], {}, "the means of rings must be numbers; at place 1 .from 0. there is nan"),
        ([0.5, 1.5], {}, "the means of rings must be from 0.0 to 1.0; at place 1 .from 0. there is 1.5"),
        ([-0.1], {}, "there is -0.1"),
        ([0.5], {"low": 1, "high": 1}, "low must be less than high, and both finite; not 1 and 1"),
        ([0.5], {"high": float("inf")}, "both finite; not 0.0 and inf"),
        ([0.5], {"low": float("nan")}, "both finite; not nan and 1.0"),
        ([0.5], {"confidence": 95}, "confidence must be between 0 and 1, not 95"),
        ([0.5], {"narrowest_at": 0}, "narrowest_at must be a number above 0, not 0"),
        ([0.5], {"looks": []}, "looks must be numbers of rings from 1 to 1"),
        ([0.5], {"looks": [0]}, "looks must be numbers of rings from 1 to 1"),
        ([0.5], {"looks": [2]}, "looks must be numbers of rings from 1 to 1"),
        ([0.5, 0.5], {"looks": [2, 1]}, "each once, in rising order"),
    ],
)
def test_what_cannot_be_is_refused(means, settings, message):
    with pytest.raises(ValueError, match=message):
        anytime(means, **settings)
