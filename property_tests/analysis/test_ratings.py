"""Ratings: known strengths are found again, intervals hold them, and what must not matter does not."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit

from patchstats.analysis.ratings import ELO, NEEDED, ratings
from patchstats.analysis.shares import share_by_ring

STRENGTHS = {"a": 0.9, "b": 0.2, "c": -0.3, "d": -0.8}
SEAT = 0.3


def played(rings, random, *, strengths=STRENGTHS, of_ring=0.0, of_agent=0.0):
    """Mirrored pairs of all agents on the same rings, which favour a seat and agents as much as these spreads say."""
    seat = SEAT + of_ring * random.standard_normal(rings)
    here = {agent: strength + of_agent * random.standard_normal(rings) for agent, strength in strengths.items()}
    frames = []
    for pair in combinations(strengths, 2):
        for first, second in (pair, pair[::-1]):
            lost = random.random(rings) > expit(seat + here[first] - here[second])
            columns = {"ring_index": np.arange(rings), "agent_0": first, "agent_1": second, "winner": lost.astype(int)}
            frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


@st.composite
def tables(draw):
    """Games of three agents or four, of which each two met in both orders of seats."""
    agents = draw(st.sampled_from(["abc", "abcd"]))
    rows = []
    for pair in combinations(agents, 2):
        for first, second in (pair, pair[::-1]):
            games = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 1)), min_size=1, max_size=8))
            rows += [(ring, first, second, winner) for ring, winner in games]
    return pd.DataFrame(rows, columns=NEEDED)


def numbers(found):
    """All numbers of ratings by agent, seat 0 among them."""
    return {**dict(zip(found.agents, found.elo, strict=True)), "seat": found.seat}


def same(found, expected):
    assert found.keys() == expected.keys()
    for name, estimate in found.items():
        assert estimate == pytest.approx(expected[name], abs=1e-5), name


def test_known_strengths_and_the_advantage_of_the_seat_are_found_again():
    found = numbers(ratings(played(20_000, np.random.default_rng(1))))
    for name, truth in {**STRENGTHS, "seat": SEAT}.items():
        assert found[name].value == pytest.approx(ELO * truth, abs=5)
        assert found[name].low < ELO * truth < found[name].high
        assert 2 < found[name].high - found[name].low < 8


@given(wins=st.tuples(st.integers(0, 30), st.integers(0, 30)))
def test_two_agents_differ_by_half_the_difference_of_their_log_odds_at_seat_0(wins):
    rows = [
        (ring, agent, other, int(ring >= won))
        for (agent, other), won in zip(("ab", "ba"), wins, strict=True)
        for ring in range(30)
    ]
    found = ratings(pd.DataFrame(rows, columns=NEEDED))
    first, second = (logit((won + 0.5) / 31) for won in wins)
    assert found.elo[0].value - found.elo[1].value == pytest.approx(ELO * (first - second) / 2, abs=1e-6)
    assert found.seat.value == pytest.approx(ELO * (first + second) / 2, abs=1e-6)


@settings(max_examples=10)
@given(games=tables())
def test_coefficients_and_covariance_are_those_of_a_regression_on_games_one_by_one(games):
    from scipy.stats import t
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    found = ratings(games)
    # The last agent is the base here, and the average of all is taken off afterwards.
    base = found.agents[-1]

    def row(first, second):
        return np.array([1.0, *(float(first == one) - float(second == one) for one in found.agents if one != base)])

    rows = list(games.itertuples(index=False, name=None))
    met = [pair for two in combinations(found.agents, 2) for pair in (two, two[::-1])]
    design = np.array([row(first, second) for _, first, second, _ in rows] + [row(*pair) for pair in met])
    outcomes = np.array([1.0 - winner for *_, winner in rows] + [0.5] * len(met))
    fitted = GLM(outcomes, design, family=Binomial()).fit(tol=1e-12, maxiter=200)
    scores = {}
    for (ring, *_), x, left in zip(rows, design, outcomes - fitted.fittedvalues, strict=False):
        scores[ring] = scores.get(ring, 0) + x * left
    meat = sum(np.outer(score, score) for score in scores.values())
    for x, p in zip(design[len(rows) :], fitted.fittedvalues[len(rows) :], strict=True):
        meat = meat + np.outer(x, x) * (0.5 * (1 - p) ** 2 + 0.5 * p**2)
    rings, agents = len(scores), len(found.agents)
    factor = rings / (rings - 1) if rings > 1 else 1
    covariance = factor * fitted.normalized_cov_params @ meat @ fitted.normalized_cov_params

    centre = np.vstack([np.eye(agents - 1), np.zeros(agents - 1)]) - 1 / agents
    wide = ELO * t.ppf(0.975, max(rings - 1, 1))
    halves = wide * np.sqrt(np.diag(centre @ covariance[1:, 1:] @ centre.T))
    assert [one.value for one in found.elo] == pytest.approx(ELO * centre @ fitted.params[1:], abs=1e-4)
    assert [one.high - one.value for one in found.elo] == pytest.approx(halves, rel=1e-4)
    assert [one.value - one.low for one in found.elo] == pytest.approx(halves, rel=1e-4)
    assert found.seat.value == pytest.approx(ELO * fitted.params[0], abs=1e-4)
    assert found.seat.high - found.seat.value == pytest.approx(wide * np.sqrt(covariance[0, 0]), rel=1e-4)


def test_the_intervals_hold_the_truth_as_often_as_they_say_where_rings_differ():
    random = np.random.default_rng(3)
    spreads = {"of_ring": 1.0, "of_agent": 0.7}
    truth = numbers(ratings(played(60_000, random, **spreads)))
    held, naive = [], []
    for _ in range(150):
        games = played(100, random, **spreads)
        for kept, one in ((held, games), (naive, games.assign(ring_index=range(len(games))))):
            found = numbers(ratings(one))
            kept.append({name: found[name].low <= truth[name].value <= found[name].high for name in found})
    held, naive = pd.DataFrame(held).mean(), pd.DataFrame(naive).mean()
    assert held.min() > 0.91
    assert held.max() < 0.985
    assert naive.min() < 0.85


@settings(max_examples=15)
@given(games=tables(), data=st.data())
def test_neither_the_order_of_rows_nor_that_of_agents_nor_their_names_matter(games, data):
    expected = numbers(ratings(games))
    agents = data.draw(st.permutations(sorted(games["agent_0"].unique())))
    rows = data.draw(st.permutations(range(len(games))))
    found = ratings(games.iloc[rows], agents)
    assert found.agents == tuple(agents)
    same(numbers(found), expected)
    names = dict(zip(agents, data.draw(st.permutations(["w", "x", "y", "z"])), strict=False))
    renamed = games.assign(agent_0=games["agent_0"].map(names), agent_1=games["agent_1"].map(names))
    same(numbers(ratings(renamed)), {names.get(name, name): one for name, one in expected.items()})


@settings(max_examples=15)
@given(games=tables())
def test_other_names_for_the_seats_change_the_sign_of_the_advantage_alone(games):
    expected = numbers(ratings(games))
    swapped = games.rename(columns={"agent_0": "agent_1", "agent_1": "agent_0"}).assign(winner=1 - games["winner"])
    seat = expected["seat"]
    same(numbers(ratings(swapped)), {**expected, "seat": (-seat.value, -seat.high, -seat.low)})


@settings(max_examples=15)
@given(games=tables())
def test_games_on_more_rings_of_the_same_kind_leave_less_uncertain(games):
    more = pd.concat([games.assign(ring_index=games["ring_index"] + 100 * part) for part in range(50)])
    once, often = ratings(games), ratings(more)
    assert (often.games, often.rings) == (50 * once.games, 50 * once.rings)
    assert all(more.high - more.low < one.high - one.low for more, one in zip(often.elo, once.elo, strict=True))


@pytest.mark.parametrize("rings", [10, 100, 10_000])
def test_where_one_wins_all_games_its_rating_is_finite_and_its_interval_is_that_of_the_share(rings):
    games = pd.DataFrame(
        [(ring, *pair, lost) for ring in range(rings) for pair, lost in (("ab", 0), ("ba", 1))], columns=NEEDED
    )
    found = ratings(games)
    best = found.elo[0]
    least = ELO * logit(share_by_ring(2 * rings, 2 * rings, rings, 4 * rings).low) / 2
    assert best.low == pytest.approx(least, abs=60)
    assert 100 < best.high - best.low < 500
    assert found.seat.low < -100
    assert found.seat.high > 100
    assert best.value < 1000


@pytest.mark.parametrize(
    ("winners", "least"),
    [
        pytest.param({"ab": 0, "ba": 0}, 100, id="seat 0 wins"),
        pytest.param({"ab": 0, "ba": 1}, 100, id="an agent wins"),
        pytest.param({"ab": 0, "ba": 1, "bc": 0, "cb": 1, "ca": 0, "ac": 1}, 5, id="each beats one and loses to one"),
    ],
)
def test_no_interval_is_nothing_where_every_ring_went_alike(winners, least):
    rows = [(ring, *pair, winner) for ring in range(50) for pair, winner in winners.items()]
    found = numbers(ratings(pd.DataFrame(rows, columns=NEEDED)))
    assert all(least < estimate.high - estimate.low < 1000 for estimate in found.values())


def test_the_penalty_hardly_moves_what_is_well_observed():
    games = played(1000, np.random.default_rng(5))
    won = games["winner"] == 0
    by_pair = games.assign(won=won).groupby(["agent_0", "agent_1"])["won"].mean()
    found = numbers(ratings(games))
    # The maximum without a penalty: the expected wins of each agent and of seat 0 are those that were seen.
    strength = {name: one.value / ELO for name, one in found.items()}
    expected = {pair: expit(strength["seat"] + strength[pair[0]] - strength[pair[1]]) for pair in by_pair.index}
    for agent in STRENGTHS:
        seen = sum(by_pair[pair] if pair[0] == agent else 1 - by_pair[pair] for pair in by_pair.index if agent in pair)
        fits = sum(expected[pair] if pair[0] == agent else 1 - expected[pair] for pair in expected if agent in pair)
        assert fits == pytest.approx(seen, abs=0.003)
        assert fits != pytest.approx(seen, abs=1e-7)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(0, "a", "b", 0), (0, "b", "a", 0), (0, "c", "d", 0), (0, "d", "c", 1)], "do not tell the agents"),
        ([(0, "a", "b", 0), (1, "a", "b", 1)], "do not tell the agents and the seats apart"),
        ([(0, "a", "b", 0), (0, "b", "a", 0), (0, "a", "a", 0)], "an agent that plays itself"),
        ([(0, "a", "a", 0)], "games of a cannot rate a"),
        ([], "games of nobody cannot rate"),
    ],
)
def test_games_that_rate_nobody_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        ratings(pd.DataFrame(rows, columns=NEEDED))


def test_agents_that_are_not_those_of_the_games_are_refused():
    games = pd.DataFrame([(0, "a", "b", 0), (0, "b", "a", 0)], columns=NEEDED)
    for agents in (["a"], ["a", "b", "c"], ["a", "a"], ["a", "c"]):
        with pytest.raises(ValueError, match="games of a, b cannot rate"):
            ratings(games, agents)
    with pytest.raises(ValueError, match="confidence must be between 0 and 1, not 95"):
        ratings(games, confidence=95)
