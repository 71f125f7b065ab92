"""What many agents' games say beyond ratings, held against games whose answer is known."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.analysis.figures.payoffs import plot_payoffs
from patchstats.analysis.sprt import elo_of, score_of
from patchstats.analysis.strategies import alpha_rank, levels, share_table

AGENTS = ["a", "b", "c", "d"]


@st.composite
def tables(draw, count=4):
    """Tables of shares of that many agents."""
    share = st.integers(0, 20).map(lambda number: number / 20)
    shares = {(one, two): draw(share) for i, one in enumerate(AGENTS[:count]) for two in AGENTS[:i]}
    return share_table(shares, AGENTS[:count])


@given(tables())
def test_a_table_of_shares_and_its_mirror_image_add_up_to_one(table):
    assert np.allclose(table + table.T, 1)


def test_two_who_did_not_meet_have_no_share():
    with pytest.raises(ValueError, match="no share of games for a against c"):
        share_table({("a", "b"): 0.5, ("b", "c"): 0.5}, ["a", "b", "c"])


@given(tables())
def test_weights_are_the_stationary_distribution_of_what_takes_over(table):
    selection, population = 3.0, 5
    weights = alpha_rank(table, selection, population)
    flow = np.zeros((4, 4))
    for i in range(4):
        for j in range(4):
            d = selection * (table.iloc[i, j] - table.iloc[j, i])
            if i != j:  # i takes over from j
                flow[j, i] = 1 / population if abs(d) < 1e-12 else (1 - np.exp(-d)) / (1 - np.exp(-population * d))
    into, out_of = weights.to_numpy() @ flow, weights.to_numpy() * flow.sum(axis=1)
    assert np.allclose(into, out_of, rtol=1e-9)
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()


@given(st.floats(0.6, 1.0))
def test_who_beats_all_is_left_alone_and_equals_share_alike(share):
    best = share_table({("a", "b"): share, ("a", "c"): share, ("b", "c"): 0.5}, ["a", "b", "c"])
    weights = alpha_rank(best)
    assert weights["a"] > 0.999
    assert weights["b"] == pytest.approx(weights["c"], rel=1e-6)


def test_the_weakest_of_a_circle_is_met_by_nobody_who_is_beaten():
    shares = {("b", "a"): 0.9, ("c", "a"): 0.9, ("d", "a"): 0.9, ("b", "c"): 0.8, ("c", "d"): 0.8, ("d", "b"): 0.8}
    weights = alpha_rank(share_table(shares, AGENTS))
    assert weights["a"] < 1e-6
    assert weights[["b", "c", "d"]].to_numpy() == pytest.approx([1 / 3] * 3, rel=1e-6)


@pytest.mark.parametrize(
    ("shares", "settings", "message"),
    [
        (pd.DataFrame([[0.5, 0.7], [0.7, 0.5]], ["a", "b"], ["a", "b"]), {}, "both of a pair add up to 1"),
        (pd.DataFrame([[0.5, 0.7], [0.3, 0.5]], ["a", "b"], ["b", "a"]), {}, "must be a square table"),
        (pd.DataFrame([[0.5]], ["a"], ["a"]), {}, "two agents or more"),
        (share_table({("a", "b"): 0.7}, ["a", "b"]), {"population": 1}, "two players or more, not 1"),
        (share_table({("a", "b"): 0.7}, ["a", "b"]), {"selection": 0}, "the selection must be a number above 0"),
        (share_table({("a", "b"): 0.7}, ["a", "b"]), {"selection": 1e4}, "give a smaller one"),
    ],
)
def test_what_is_no_table_of_shares_has_no_weights(shares, settings, message):
    with pytest.raises(ValueError, match=message):
        alpha_rank(shares, **settings)


@given(tables(), st.sampled_from([0.5, 0.6, 0.75]))
def test_levels_are_a_longest_chain_from_weak_to_strong(table, least):
    chain = levels(table, least)
    places = [AGENTS.index(agent) for agent in chain]
    assert places == sorted(set(places))
    assert all(table.loc[high, low] >= least for low, high in pairwise(chain))
    for mask in range(1, 16):
        other = [agent for place, agent in enumerate(AGENTS) if mask >> place & 1]
        if all(table.loc[high, low] >= least for low, high in pairwise(other)):
            assert len(chain) >= len(other)


@given(st.floats(-2000, 2000))
def test_elo_points_and_shares_are_inverse_to_each_other(elo):
    assert elo_of(score_of(elo)) == pytest.approx(elo, abs=1e-6)


def test_what_is_no_share_has_no_elo_points():
    assert (elo_of(0), elo_of(1)) == (-np.inf, np.inf)
    with pytest.raises(ValueError, match=r"between 0 and 1, not 1\.5"):
        elo_of(1.5)


def test_the_title_of_who_beats_whom_says_who_is_not_beaten():
    beaten = share_table({("a", "b"): 0.9, ("a", "c"): 0.45, ("b", "c"): 0.5}, ["a", "b", "c"])
    figure = plot_payoffs(beaten)
    assert figure.axes[0].get_title(loc="left") == "a does not beat c: it wins 45 % of games"
    assert [text.get_text() for text in figure.axes[0].texts] == ["90", "45", "10", "50", "55", "50"]
