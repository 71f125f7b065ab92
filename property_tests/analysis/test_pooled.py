"""An effect over agents: mean, spread, slope and another agent's effect hold the truth; a grade says what it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from patchstats.analysis.estimate import Estimate
from patchstats.analysis.pooled import grade, graded, pooled, slope

MEAN, SPREAD, SLOPE = 3.0, 1.5, -0.8
EFFECTS = st.lists(st.tuples(st.integers(-90, 90), st.integers(1, 30)), min_size=3, max_size=8)


def estimates(values, errors):
    """Effects with 95 % intervals, of agents named by number."""
    ends = [
        (value, value - 1.959964 * error, value + 1.959964 * error) for value, error in zip(values, errors, strict=True)
    ]
    return {f"agent {number}": Estimate(*one) for number, one in enumerate(ends)}


def drawn(random, agents):
    """What was seen of agents, whose own effects differ."""
    errors = random.uniform(0.2, 0.7, size=agents)
    return estimates(MEAN + SPREAD * random.standard_normal(agents) + errors * random.standard_normal(agents), errors)


@pytest.mark.parametrize("agents", [6, 12])
def test_intervals_hold_the_truth_as_often_as_they_say(agents, holds_as_it_says, repetitions):
    random = np.random.default_rng(25)
    held, naive = [], []
    for _ in range(repetitions):
        effects = drawn(random, agents)
        found = pooled(effects)
        another = MEAN + SPREAD * random.standard_normal()
        truths = ((MEAN, found.mean), (SPREAD, found.spread), (another, found.another))
        held.append([low <= truth <= high for truth, (_, low, high) in truths])
        weights = np.array([1 / (high - low) ** 2 for _, low, high in effects.values()])
        fixed = np.average([one.value for one in effects.values()], weights=weights)
        half = 1.959964 / np.sqrt(np.sum(weights * (2 * 1.959964) ** 2))
        naive.append(abs(fixed - MEAN) <= half)
    holds_as_it_says(held)
    assert np.mean(naive) < 0.85


@given(effects=EFFECTS)
def test_mean_spread_and_another_agent_are_those_of_the_formulas(effects):
    values, errors = np.array(effects, dtype=float).T
    found = pooled(estimates(values, errors))
    weights = 1 / (errors**2 + found.spread.value**2)
    squares = np.sum(weights * (values - found.mean.value) ** 2)
    assert found.mean.value == pytest.approx(np.average(values, weights=weights))
    if found.spread.value > 0:
        assert squares == pytest.approx(len(values) - 1, abs=1e-4)
    else:
        assert squares <= len(values) - 1 + 1e-4
    assert 0 <= found.spread.low <= found.spread.high
    assert 0 <= found.i2 < 1
    assert found.agents == len(values)
    half = t.ppf(0.975, len(values) - 1) * np.sqrt(squares / (len(values) - 1) / weights.sum())
    assert found.mean[1:] == pytest.approx((found.mean.value - half, found.mean.value + half), abs=1e-3)
    half = t.ppf(0.975, len(values) - 2) * np.sqrt(found.spread.value**2 + 1 / weights.sum())
    assert found.another[1:] == pytest.approx((found.mean.value - half, found.mean.value + half), abs=1e-3)


@given(effects=EFFECTS, shift=st.integers(-50, 50), data=st.data())
def test_it_moves_with_the_effects_and_not_with_their_order(effects, shift, data):
    values, errors = np.array(effects, dtype=float).T
    found = pooled(estimates(values, errors))
    order = data.draw(st.permutations(range(len(values))))
    moved = pooled(estimates(shift - 2 * values[order], 2 * errors[order]))
    for one, other in ((found.mean, moved.mean), (found.another, moved.another)):
        assert other == pytest.approx((shift - 2 * one.value, shift - 2 * one.high, shift - 2 * one.low), abs=1e-3)
    assert moved.spread == pytest.approx([2 * end for end in found.spread], abs=1e-3)
    assert moved.i2 == pytest.approx(found.i2, abs=1e-6)


@pytest.mark.parametrize("agents", [6, 12])
def test_the_interval_of_a_slope_holds_the_truth_as_often_as_it_says(agents, holds_as_it_says, repetitions):
    random = np.random.default_rng(26)
    held = []
    for _ in range(repetitions):
        along = dict(zip(estimates([0] * agents, [1] * agents), random.standard_normal(agents), strict=True))
        effects = {
            agent: (value + SLOPE * along[agent], low + SLOPE * along[agent], high + SLOPE * along[agent])
            for agent, (value, low, high) in drawn(random, agents).items()
        }
        low, high = slope(effects, along).slope[1:]
        held.append([low <= SLOPE <= high])
    holds_as_it_says(held)


@given(effects=st.lists(st.tuples(st.integers(-90, 90), st.integers(1, 30)), min_size=4, max_size=8), data=st.data())
def test_a_slope_is_that_of_the_formulas(effects, data):
    values, errors = np.array(effects, dtype=float).T
    size = len(values)
    along = np.array(
        data.draw(st.lists(st.integers(-9, 9), min_size=size, max_size=size).filter(lambda x: len({*x}) > 1))
    )
    given_effects = estimates(values, errors)
    found = slope(given_effects, dict(zip(given_effects, along, strict=True)))
    weights = 1 / (errors**2 + found.spread**2)
    middle = np.average(along, weights=weights)
    across = np.sum(weights * (along - middle) ** 2)
    rise = np.sum(weights * (along - middle) * values) / across
    about = values - np.average(values, weights=weights) - rise * (along - middle)
    squares = np.sum(weights * about**2)
    if found.spread > 0:
        assert squares == pytest.approx(size - 2, abs=1e-4)
    else:
        assert squares <= size - 2 + 1e-4
    half = t.ppf(0.975, size - 2) * np.sqrt(squares / (size - 2) / across)
    assert found.slope == pytest.approx((rise, rise - half, rise + half), abs=1e-6)
    assert found.at(middle) == pytest.approx(np.average(values, weights=weights), abs=1e-6)
    assert found.agents == size


def test_effects_on_a_line_have_its_slope_and_no_spread():
    effects = estimates([1 + 3 * number for number in range(5)], [0.5] * 5)
    found = slope(effects, {"somebody else": 99, **dict(zip(effects, range(5), strict=True))})
    assert found.slope == pytest.approx((3, 3, 3))
    assert (found.constant, found.spread) == pytest.approx((1, 0))
    assert found.at(7) == pytest.approx(22)


def test_i2_is_that_of_a_published_example():
    """The six studies of Borenstein, Hedges, Higgins and Rothstein, "Introduction to Meta-Analysis" (2009), part 4."""
    first = np.array([(94, 22, 60), (98, 21, 65), (98, 28, 40), (94, 19, 200), (98, 21, 50), (96, 21, 85)]).T
    second = np.array([(92, 20, 60), (92, 22, 65), (88, 26, 40), (82, 17, 200), (88, 22, 45), (92, 22, 85)]).T
    number = first[2] + second[2]
    within = ((first[2] - 1) * first[1] ** 2 + (second[2] - 1) * second[1] ** 2) / (number - 2)
    d = (first[0] - second[0]) / np.sqrt(within)
    variances = number / (first[2] * second[2]) + d**2 / (2 * number)
    correction = 1 - 3 / (4 * (number - 2) - 1)
    assert pooled(estimates(correction * d, correction * np.sqrt(variances))).i2 == pytest.approx(0.5834, abs=0.0005)


def test_equal_effects_have_no_spread():
    found = pooled(estimates([2.0] * 5, [1.0] * 5))
    assert (found.spread.value, found.spread.low, found.i2) == (0, 0, 0)
    assert found.another.low < 1.2


A, ZERO, MINUS = (3.0, 0.3), (0.1, 0.3), (-3.0, 0.3)


@pytest.mark.parametrize(
    ("effects", "letter"),
    [
        pytest.param([A, (3.3, 0.3), (2.8, 0.3), (3.1, 0.2)], "A", id="alike for all"),
        pytest.param([A, (9.0, 0.3), (1.0, 0.3), (15.0, 0.3)], "B", id="the same sign, but another agent may differ"),
        pytest.param([(n, 0.3) for n in range(1, 9)], "B", id="the mean is clear, but another agent may differ"),
        pytest.param([A, (2.5, 0.3), (2.8, 0.3), (1.0, 1.0)], "B", id="one agent cannot tell"),
        pytest.param([(1.0, 0.6)] * 8, "B", id="only all together can tell"),
        pytest.param([A, A, MINUS], "C", id="it helps some and harms another"),
        pytest.param([A, A, A, A, A, A, A, A, (-1.0, 0.3)], "C", id="true on average, but not for one"),
        pytest.param([A, ZERO, ZERO, ZERO], "C", id="one agent alone shows it"),
        pytest.param([ZERO, ZERO, (-0.2, 0.3)], "D", id="none shows it"),
    ],
)
def test_a_grade_says_how_far_a_claim_reaches(effects, letter):
    values, errors = np.array(effects).T
    skilled = estimates(values, errors)
    assert grade(skilled, skilled=list(skilled)) == letter
    assert grade(estimates(-values, errors), skilled=list(skilled)) == letter
    for value in (-5.0, 5.0):  # what an agent without skill shows changes nothing
        assert grade({"random": Estimate(value, value - 1, value + 1), **skilled}, skilled=list(skilled)) == letter


@pytest.mark.parametrize(
    ("effects", "letter", "verdict"),
    [
        pytest.param([A, (3.3, 0.3), (2.8, 0.3), (3.1, 0.2)], "A", "holds", id="alike for all"),
        pytest.param([(1.0, 0.6)] * 8, "B", "holds", id="only all together can tell"),
        pytest.param([A, A, MINUS], "C", "depends", id="it helps some and harms another"),
        pytest.param([ZERO, ZERO, (-0.2, 0.3)], "D", "withdrawn", id="none shows it"),
        pytest.param([MINUS, (-3.3, 0.3), (-2.8, 0.3), (-3.1, 0.2)], "A", "withdrawn", id="the opposite for all"),
    ],
)
def test_a_verdict_says_what_becomes_of_a_claim(effects, letter, verdict):
    values, errors = np.array(effects).T
    claim = estimates(values, errors)
    row = graded({"other": estimates([1, 2, 3], [1, 1, 1]), "it": claim}, [*claim, "agent 0"][: len(claim)]).loc["it"]
    assert (row["verdict"], row["grade"]) == (verdict, letter)
    found = pooled(claim)
    assert row[["mean", "low", "high"]].to_list() == list(found.mean)
    assert row[["tau", "another_low", "another_high"]].to_list() == [found.spread.value, *found.another[1:]]
    assert row[["alike", "agents"]].to_list() == [np.sum(values > 0), len(claim)]


def test_what_play_without_skill_says_stands_beside_a_claim():
    skilled = estimates([1, 2, 3], [1, 1, 1])
    said = {"a": (2.0, 1.0, 3.0), "b": (-2.0, -3.0, -1.0), "c": (0.0, 0.0, 0.0), "d": (0.5, -0.5, 1.5)}
    claims = {claim: {**skilled, "random": Estimate(*one)} for claim, one in said.items()} | {"e": skilled}
    table = graded(claims, list(skilled))
    assert table["naive"].to_list() == ["the same", "the opposite", "nothing", "nothing", ""]
    assert graded(claims, list(skilled), naive="agent 0").loc["e", "naive"] == "nothing"
    assert (table["agents"] == 3).all()


def test_skilled_agents_without_an_effect_are_left_out_of_a_claim():
    whole = estimates([1, 2, 3, 9], [1, 1, 1, 1])
    some = {agent: whole[agent] for agent in list(whole)[:3]}
    table = graded({"all": whole, "some": some}, list(whole))
    assert table["agents"].to_list() == [4, 3]
    assert table.loc["some", "mean"] == pooled(some).mean.value


def test_claims_that_cannot_be_graded_are_refused_by_their_name():
    with pytest.raises(ValueError, match="it helps: an effect is summed up over 3 agents or more, not 2"):
        graded({"it helps": estimates([1, 2], [1, 1])}, ["agent 0", "agent 1", "agent 2"])
    with pytest.raises(ValueError, match="there is no claim to grade"):
        graded({}, ["agent 0"])


@pytest.mark.parametrize(
    ("effects", "covariate", "message"),
    [
        ([1, 2, 3], [1, 2, 3], "a slope is of 4 agents or more, not 3"),
        ([1, 2, 3, 4], [1, 2, 3], "there is no covariate of agent 3; there are those of .*agent 2"),
        ([1, 2, 3, 4], [5, 5, 5, 5], "the covariate is 5 for all agents; there is no slope without a difference"),
        ([1, 2, 3, 4], [5, 5, 5, float("nan")], "the covariates must be numbers; at place 3"),
        ([1, 2, 3, float("nan")], [1, 2, 3, 4], "the effect of agent 3 must have an interval with a width, not nan"),
    ],
)
def test_a_slope_without_agents_or_covariates_is_refused(effects, covariate, message):
    given_effects = estimates(effects, [1] * len(effects))
    with pytest.raises(ValueError, match=message):
        slope(given_effects, dict(zip(given_effects, covariate, strict=False)))


@pytest.mark.parametrize(
    ("effects", "message"),
    [
        ({}, "an effect is summed up over 3 agents or more, not 0"),
        (estimates([1, 2], [1, 1]), "an effect is summed up over 3 agents or more, not 2"),
        (estimates([1, 2, 3], [1, 1, 0]), "the effect of agent 2 must have an interval with a width, not 3"),
        (
            estimates([1, 2, float("nan")], [1, 1, 1]),
            "the effect of agent 2 must have an interval with a width, not nan",
        ),
        (estimates([1, 2, 3], [1, -1, 1]), "the effect of agent 1 must have an interval with a width"),
    ],
)
def test_effects_that_cannot_be_summed_up_are_refused(effects, message):
    with pytest.raises(ValueError, match=message):
        pooled(effects)


def test_agents_without_an_effect_are_refused():
    effects = estimates([1, 2, 3], [1, 1, 1])
    with pytest.raises(ValueError, match="there is no effect of nobody; there are those of agent 0, agent 1, agent 2"):
        grade(effects, skilled=["agent 0", "nobody"])
    with pytest.raises(ValueError, match="confidence must be between 0 and 1, not 95"):
        pooled(effects, confidence=95)
