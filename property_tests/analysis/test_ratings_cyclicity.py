"""Cyclicity: nothing where ratings explain everything, all of it in rock, paper, scissors, and no more than chance."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import norm, t

from patchstats.analysis.ratings import ELO, NEEDED, cyclic_share, cyclicity, ratings

NUMBERS = st.floats(-5, 5)


def flows(least=2):
    """Antisymmetric tables of so many agents or more."""

    def flow(numbers):
        size = round((1 + (1 + 8 * len(numbers)) ** 0.5) / 2)
        table = np.zeros((size, size))
        table[np.triu_indices(size, 1)] = numbers
        return table - table.T

    sizes = st.integers(least, 6)
    return sizes.flatmap(lambda n: st.lists(NUMBERS, min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2)).map(flow)


def played(odds, rings, random, seat=0.2):
    """Mirrored pairs of agents, the first beating the second with these log-odds."""
    frames = []
    for (first, second), log_odds in odds.items():
        for agents, sign in (((first, second), 1), ((second, first), -1)):
            lost = random.random(rings) > expit(seat + sign * log_odds)
            columns = (np.arange(rings), *agents, lost.astype(int))
            frames.append(pd.DataFrame(dict(zip(NEEDED, columns, strict=True))))
    return pd.concat(frames, ignore_index=True)


@given(strengths=st.lists(NUMBERS, min_size=2, max_size=7), data=st.data())
def test_differences_of_ratings_have_no_cyclic_share(strengths, data):
    flow = np.subtract.outer(strengths, strengths)
    assume(np.abs(flow).max() > 1e-3)
    weights = np.zeros_like(flow)
    for pair in combinations(range(len(strengths)), 2):
        weights[pair] = weights[pair[::-1]] = data.draw(st.sampled_from([0.0, 0.5, 1.0, 20.0]))
    assert cyclic_share(flow) == pytest.approx(0, abs=1e-9)
    assert cyclic_share(flow, weights) == pytest.approx(0, abs=1e-9)


@given(odds=st.tuples(NUMBERS, NUMBERS, NUMBERS), weights=st.tuples(*[st.floats(0.1, 10)] * 3))
def test_of_three_agents_the_cyclic_share_is_that_of_their_sum_round_the_circle(odds, weights):
    (ab, bc, ca), (w, v, u) = odds, weights
    whole = w * ab**2 + v * bc**2 + u * ca**2
    assume(whole > 1e-3)
    flow = np.array([[0, ab, -ca], [-ab, 0, bc], [ca, -bc, 0]])
    table = np.array([[0, w, u], [w, 0, v], [u, v, 0]])
    # What is left of the sum is spread over the circle, the more on a pair the less it weighs.
    cyclic = (ab + bc + ca) ** 2 / (1 / w + 1 / v + 1 / u)
    assert cyclic_share(flow, table) == pytest.approx(cyclic / whole, abs=1e-9)
    assert cyclic_share(flow) == pytest.approx((ab + bc + ca) ** 2 / 3 / (ab**2 + bc**2 + ca**2), abs=1e-9)


@given(flow=flows(), scale=st.floats(0.1, 10), data=st.data())
def test_the_share_depends_neither_on_scale_nor_on_order(flow, scale, data):
    assume(np.abs(flow).max() > 1e-3)
    share = cyclic_share(flow)
    assert -1e-12 <= share <= 1 + 1e-12
    order = data.draw(st.permutations(range(len(flow))))
    assert cyclic_share(-scale * flow[np.ix_(order, order)], scale * np.ones_like(flow)) == pytest.approx(share)


@given(flow=flows(least=3), strengths=st.lists(NUMBERS, min_size=6, max_size=6))
def test_what_ratings_add_leaves_the_cyclic_part_as_it_is(flow, strengths):
    added = flow + np.subtract.outer(strengths[: len(flow)], strengths[: len(flow)])
    assume(np.abs(flow).max() > 1e-3)
    assume(np.abs(added).max() > 1e-3)
    assert cyclic_share(added) * np.sum(added**2) == pytest.approx(cyclic_share(flow) * np.sum(flow**2), abs=1e-6)


def test_log_odds_that_are_none_are_refused():
    for table, weights in (([[0, 1], [1, 0]], None), ([0, 1], None), ([[0, 1], [-1, 0]], [[1, 2], [3, 1]])):
        with pytest.raises(ValueError, match=r"log_odds\[i\]\[j\] must be"):
            cyclic_share(table, weights)
    assert cyclic_share([[0, 0], [0, 0]]) == 0


def test_rock_paper_and_scissors_are_told_from_an_agent_that_all_of_them_beat():
    odds = {("rock", "scissors"): 1, ("scissors", "paper"): 1, ("paper", "rock"): 1}
    odds |= {(agent, "random"): 2 for agent in ("rock", "scissors", "paper")}
    found = cyclicity(played(odds, 400, np.random.default_rng(1)))
    assert [triple.agents for triple in found.triples] == [("paper", "rock", "scissors")]
    assert found.triples[0].p_value < 1e-6
    assert 0.2 < found.share < 0.8
    assert found.by_chance < 0.01
    assert found.p_value < 1e-6


def test_log_odds_and_weights_are_those_of_the_ratings_of_each_two_alone():
    odds = {("a", "b"): 2.5, ("b", "c"): 0.6, ("c", "a"): 0.4, ("a", "d"): 0.1, ("b", "d"): 1.5, ("c", "d"): -0.5}
    games = played(odds, 300, np.random.default_rng(8))
    found = cyclicity(games)
    flow, errors = np.zeros((4, 4)), np.ones((4, 4))
    for i, j in combinations(range(4), 2):
        two = ["abcd"[i], "abcd"[j]]
        of_two = ratings(games[games["agent_0"].isin(two) & games["agent_1"].isin(two)], two).elo[0]
        flow[i, j] = 2 * of_two.value / ELO  # two ratings are 0 on average
        errors[i, j] = errors[j, i] = 2 * (of_two.high - of_two.value) / ELO / t.ppf(0.975, 299)
    flow -= flow.T
    assert found.share == pytest.approx(cyclic_share(flow, 1 / errors**2), rel=1e-6)
    assert found.share != pytest.approx(cyclic_share(flow), rel=0.05)
    z = flow / errors
    assert [triple.agents for triple in found.triples] == [("a", "b", "c")]
    circles = 2 * 4  # two ways round each of four triples
    assert found.triples[0].p_value == pytest.approx(circles * norm.sf(min(z[0, 1], z[1, 2], z[2, 0])), rel=1e-4)


@pytest.mark.parametrize("strengths", [(0.0, 0.0, 0.0, 0.0), (1.0, 0.3, -0.2, -1.1)], ids=["equal", "different"])
def test_where_ratings_explain_everything_cycles_are_found_no_more_often_than_said(strengths):
    random = np.random.default_rng(2)
    odds = {pair: strengths[pair[0]] - strengths[pair[1]] for pair in combinations(range(4), 2)}
    odds = {tuple("abcd"[agent] for agent in pair): one for pair, one in odds.items()}
    found = [cyclicity(played(odds, 150, random)) for _ in range(200)]
    assert 0.02 < np.mean([one.p_value < 0.05 for one in found]) < 0.085
    assert 0.4 < np.mean([one.p_value < 0.5 for one in found]) < 0.6
    assert np.mean([bool(one.triples) for one in found]) < 0.05
    assert np.mean([one.share for one in found]) == pytest.approx(np.mean([one.by_chance for one in found]), rel=0.2)


def test_two_agents_make_no_circle():
    found = cyclicity(played({("a", "b"): 1}, 20, np.random.default_rng(1)))
    assert found == (type(found))(0.0, 0.0, 1.0, ())


def test_agents_that_met_in_one_order_of_seats_only_are_refused():
    games = played({("a", "b"): 1, ("b", "c"): 1, ("a", "c"): 1}, 3, np.random.default_rng(1))
    with pytest.raises(ValueError, match="met in one order of seats only"):
        cyclicity(games[(games["agent_0"] != "b") | (games["agent_1"] != "a")])
