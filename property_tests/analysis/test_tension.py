"""Tension: each measure by a plain loop over a game, means and slopes with intervals that hold the truth."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from patchstats import Ruleset
from patchstats.analysis.positions import positions
from patchstats.analysis.tension import mean_tension, snowball, tension_of_games

ORIGINAL = Ruleset.load("original")


def tables(chances, winner, margin=5):
    """The positions of a game with these probabilities that seat 0 wins, and its row of the games table."""
    rows = pd.DataFrame({"game_index": 3, "ply": range(len(chances)), "plies": len(chances)})
    games = {"game_index": 3, "ring_index": 8, "winner": winner, "score_0": margin, "score_1": 0, "lead_changes": 1}
    return rows, pd.DataFrame([games])


@given(
    chances=st.lists(st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.5, 0.6, 0.91, 1.0]), min_size=1, max_size=12),
    winner=st.integers(0, 1),
    margin=st.integers(-5, 5),
)
def test_each_measure_is_what_a_plain_loop_finds(chances, winner, margin):
    rows, games = tables(chances, winner, margin)
    found = tension_of_games(rows, chances, games).loc[3]
    of_winner = [chance if winner == 0 else 1 - chance for chance in chances]
    changes, side = 0, 0
    for chance in of_winner:
        here = (chance > 0.5) - (chance < 0.5)
        changes += here * side < 0
        side = here or side
    bad = [(1 - 2 * chance) ** 0.5 for chance in of_winner if chance < 0.5]
    ply = len(chances)
    while ply and of_winner[ply - 1] > 0.9:
        ply -= 1
    assert found["favourite_changes"] == changes
    assert found["drama"] == pytest.approx(sum(bad) / len(bad) if bad else 0)
    assert (found["decided_ply"], found["decided_share"]) == (ply, pytest.approx(ply / len(chances)))
    assert (found["close"], found["tie"]) == (abs(margin) <= 3, margin == 0)
    assert (found["ring_index"], found["lead_changes"]) == (8, 1)


def test_games_do_not_mix():
    parts = [tables(chances, winner) for chances, winner in (([0.2, 0.95], 0), ([0.95, 0.4, 0.2], 1), ([0.7], 0))]
    rows = pd.concat([part.assign(game_index=number) for number, (part, _) in enumerate(parts)])
    games = pd.concat([part.assign(game_index=number) for number, (_, part) in enumerate(parts)])
    chances = np.array([0.2, 0.95, 0.95, 0.4, 0.2, 0.7])
    order = [4, 0, 5, 2, 3, 1]
    found = tension_of_games(rows.iloc[order], chances[order], games.iloc[::-1])
    assert found["favourite_changes"].to_list() == [1, 1, 0]
    assert found["decided_ply"].to_list() == [1, 3, 1]
    assert found.index.to_list() == [0, 1, 2]


def test_means_are_within_their_intervals_as_often_as_they_say(repetitions, holds_as_it_says):
    random = np.random.default_rng(1)
    ring = np.repeat(np.arange(100), 3)
    held = []
    for _ in range(repetitions):
        luck = random.normal(size=100)[ring]
        games = pd.DataFrame({"ring_index": ring, "lead_changes": random.poisson(6 * np.exp(luck / 4))})
        games = games.assign(close=luck + random.normal(size=300) > 1.5)
        found = mean_tension(games)
        # E exp(l/4) = exp(1/32); the sum of two normal variables has the variance 2, and P(z > 1.5 / sqrt 2) = 0.1444.
        truth = np.array([6 * np.exp(1 / 32), 0.144422])
        held.append(((found["low"] <= truth) & (found["high"] >= truth)).to_numpy())
    holds_as_it_says(held)


def snowballing(random, rings=120, slope=0.3):
    """Games of two a ring, won by who has more income on space 11; nobody buys any more behind it."""
    number = 2 * rings
    ring = np.arange(number) // 2
    names = [patch.id for patch in ORIGINAL.patches]
    seat = random.integers(-1, 2, size=(number, len(names)))
    space = np.where(seat >= 0, random.integers(0, 22, size=seat.shape), -1)
    income = np.array([patch.income for patch in ORIGINAL.patches])
    lead = ((seat == 0) * (space < 11) * income - (seat == 1) * (space < 11) * income).sum(axis=1)
    won = random.random(number) < expit(0.2 + slope * lead)
    games = pd.DataFrame({"game_index": range(number), "ring_index": ring, "winner": 1 - won.astype(int)})
    rows = {"game_index": np.repeat(np.arange(number), len(names)), "patch": np.tile(names, number)}
    return games, pd.DataFrame({**rows, "seat": seat.ravel(), "space": space.ravel()})


def test_the_slope_of_winning_on_income_is_within_its_interval_as_often_as_it_says(repetitions, holds_as_it_says):
    random = np.random.default_rng(2)
    held = []
    for _ in range(repetitions):
        found = snowball(*snowballing(random), ORIGINAL, spaces=(11,)).loc[11]
        held.append([found["low"] <= 0.3 <= found["high"]])
    holds_as_it_says(held)


def test_the_slope_is_the_same_by_other_names_of_the_seats():
    games, patches = snowballing(np.random.default_rng(4))
    found = snowball(games, patches, ORIGINAL).to_numpy()
    swapped = patches.assign(seat=patches["seat"].map({0: 1, 1: 0, -1: -1}))
    assert snowball(games.assign(winner=1 - games["winner"]), swapped, ORIGINAL).to_numpy() == pytest.approx(found)


def test_what_is_bought_on_a_space_counts_when_the_token_has_left_it():
    games, patches = snowballing(np.random.default_rng(3))
    patches["space"] = np.where(patches["seat"] >= 0, 11, -1)
    with pytest.raises(ValueError, match="do not tell constant, lead apart"):
        snowball(games, patches, ORIGINAL, spaces=(11,))
    assert snowball(games, patches, ORIGINAL, spaces=(12,)).loc[12, "n"] == len(games)


def test_all_is_found_of_a_run(greedy_run):
    games = greedy_run.games()
    rows = positions(greedy_run.turns(), games, greedy_run.ruleset)
    chance = expit((rows["income_0"] - rows["income_1"]) / 3)
    found = mean_tension(tension_of_games(rows, chance, games))
    assert found.loc["lead_changes", "estimate"] == pytest.approx(games["lead_changes"].mean())
    assert found.loc["tie", "estimate"] == pytest.approx(games["tie_broken"].mean())
    assert 0.05 < found.loc["close", "low"] < found.loc["close", "high"] < 0.3
    slopes = snowball(games, greedy_run.patches(), greedy_run.ruleset)
    assert slopes.index.to_list() == [11, 23, 35]
    assert (slopes["low"] > 0).all()


def test_wrong_input_is_refused(greedy_run):
    rows, games = tables([0.5, 0.6], 0)
    with pytest.raises(ValueError, match="each of 2 positions needs a probability from 0 to 1; there are 1"):
        tension_of_games(rows, [0.5], games)
    with pytest.raises(ValueError, match="each of 2 positions needs a probability"):
        tension_of_games(rows, [0.5, 1.5], games)
    with pytest.raises(ValueError, match="decided must be between 0 and 1, not 90"):
        tension_of_games(rows, [0.5, 0.5], games, decided=90)
    with pytest.raises(ValueError, match="the frame of games has no column lead_changes"):
        tension_of_games(rows, [0.5, 0.5], games.drop(columns="lead_changes"))
    with pytest.raises(ValueError, match="the frame of tension of games has no column lead_changes"):
        mean_tension(games[["ring_index"]])
    with pytest.raises(ValueError, match="there is no space 54 to be passed; they are 1 to 53"):
        snowball(greedy_run.games(), greedy_run.patches(), ORIGINAL, spaces=(54,))
    with pytest.raises(ValueError, match="the frame of patches has no column space"):
        snowball(greedy_run.games(), greedy_run.patches().drop(columns="space"), ORIGINAL)
    nobody = greedy_run.patches().assign(seat=-1)
    with pytest.raises(ValueError, match="do not tell constant, lead apart"):
        snowball(greedy_run.games(), nobody, ORIGINAL)
