"""How many games a question takes: with so many, it is answered as often as was asked for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from patchstats.analysis.equivalence import equivalence
from patchstats.analysis.estimate import mean_by_ring, share_of_rings
from patchstats.analysis.power import detectable, games_for_share, units, units_for_equivalence

POWERS = st.floats(0.5, 0.99)
ALPHAS = st.floats(0.001, 0.2)


def as_asked(answers, power):
    """Whether a share of answers is the power, within four standard errors."""
    slack = 4 * (power * (1 - power) / len(answers)) ** 0.5 + 0.01
    return np.mean(answers) == pytest.approx(power, abs=slack)


@pytest.mark.parametrize("power", [0.8, 0.9])
def test_a_difference_is_found_as_often_as_was_asked_for(power, repetitions):
    random = np.random.default_rng(26)
    number = units(0.5, sd=3.0, power=power)
    found = [mean_by_ring(random.normal(0.5, 3.0, number), range(number)).interval() for _ in range(repetitions)]
    assert as_asked([one.low > 0 or one.high < 0 for one in found], power)


def test_a_share_is_told_from_one_half_as_often_as_was_asked_for_where_rings_repeat(repetitions):
    random = np.random.default_rng(27)
    rings = games_for_share(0.05, games_per_ring=4, icc=1 / 9) // 4
    ring = np.repeat(np.arange(rings), 4)
    answers = []
    for _ in range(repetitions):
        chances = random.beta(4.4, 3.6, size=rings)  # 55 % on average
        found = share_of_rings(random.random(4 * rings) < chances[ring], ring)
        answers.append(found.low > 0.5 or found.high < 0.5)
    assert as_asked(answers, 0.8)


def test_equivalence_is_shown_as_often_as_was_asked_for(repetitions):
    random = np.random.default_rng(28)
    number = units_for_equivalence(0.5, sd=3.0)
    found = [equivalence(random.normal(0, 3.0, number), range(number), 0.5) for _ in range(repetitions)]
    assert as_asked([one.verdict == "equivalent" for one in found], 0.8)


@given(difference=st.floats(0.01, 2), sd=st.floats(0.1, 9), power=POWERS, alpha=ALPHAS)
def test_what_so_many_units_can_tell_is_what_they_were_asked_for(difference, sd, power, alpha):
    number = units(difference, sd, power, alpha)
    assert detectable(number, sd, power, alpha) <= difference + 1e-9
    if number > 1:
        assert detectable(number - 1, sd, power, alpha) >= difference - 1e-9


@given(difference=st.floats(0.005, 0.2), repeats=st.integers(1, 50), power=POWERS, alpha=ALPHAS)
def test_repeating_a_ring_takes_more_games_unless_it_tells_nothing(difference, repeats, power, alpha):
    once = games_for_share(difference, power=power, alpha=alpha)
    assert once == units(difference, 0.5, power, alpha)
    assert games_for_share(difference, repeats, 0.0, power, alpha) == once
    assert games_for_share(difference, repeats, 1.0, power, alpha) == pytest.approx(repeats * once, abs=repeats)
    assert games_for_share(difference, repeats, 0.3, power, alpha) >= once


@given(margin=st.floats(0.01, 2), sd=st.floats(0.1, 9), power=POWERS, alpha=ALPHAS)
def test_units_are_those_of_the_formulas(margin, sd, power, alpha):
    apart = (norm.isf(alpha / 2) + norm.ppf(power)) ** 2 * (sd / margin) ** 2
    alike = (norm.isf(alpha) + norm.ppf((1 + power) / 2)) ** 2 * (sd / margin) ** 2
    assert apart * (1 - 1e-9) <= units(margin, sd, power, alpha) <= apart * (1 + 1e-9) + 1
    assert alike * (1 - 1e-9) <= units_for_equivalence(margin, sd, power, alpha) <= alike * (1 + 1e-9) + 1


def test_more_is_asked_of_more_games():
    assert units(1, 3, power=0.9) > units(1, 3) > units(1, 3, alpha=0.1) > units(2, 3)
    assert units_for_equivalence(1, 3, power=0.9) > units_for_equivalence(1, 3) > units_for_equivalence(1, 3, alpha=0.1)
    assert units_for_equivalence(1, 3) > units(1, 3)
    assert units(100, 1) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: units(0, 1), "the difference must be a number above 0, not 0"),
        (lambda: units(0.1, -1), "the sd must be a number above 0, not -1"),
        (lambda: units(0.1, float("nan")), "the sd must be a number above 0, not nan"),
        (lambda: units(0.1, 1, power=1), "power must be between 0 and 1, not 1"),
        (lambda: units(0.1, 1, alpha=0), "alpha must be between 0 and 1, not 0"),
        (lambda: games_for_share(0.7), "the difference of a share from 1/2 must be at most 0.5, not 0.7"),
        (lambda: games_for_share(0.1, games_per_ring=0), "a ring is played once or more, not 0 times"),
        (lambda: games_for_share(0.1, 2, icc=1.5), "icc must be from 0 to 1, not 1.5"),
        (lambda: games_for_share(0.1, 2, icc=float("nan")), "icc must be from 0 to 1, not nan"),
        (lambda: units_for_equivalence(0, 1), "the margin must be a number above 0, not 0"),
        (lambda: units_for_equivalence(0.1, 1, power=80), "power must be between 0 and 1, not 80"),
        (lambda: units_for_equivalence(0.1, 1, alpha=0.5), "alpha must be between 0 and 0.5, not 0.5"),
        (lambda: detectable(0, 1), "the number of units must be a number above 0, not 0"),
        (lambda: detectable(10, 0), "the sd must be a number above 0, not 0"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
