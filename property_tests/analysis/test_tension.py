"""Tension: each measure by a plain loop over a game, means and slopes with intervals that hold the truth."""

import math
import statistics

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from patchstats import Ruleset
from patchstats.analysis.figures.tension import plot_decided, plot_fan, plot_gaps
from patchstats.analysis.positions import positions
from patchstats.analysis.surplus import greedy_advance, in_buttons
from patchstats.analysis.tension import (
    choices,
    mean_choices,
    mean_tension,
    median_of_games,
    snowball,
    tension_of_games,
    winner_fan,
)

ORIGINAL = Ruleset.load("original")

few = settings(max_examples=max(1, settings().max_examples // 4))


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


def test_the_median_is_within_its_interval_as_often_as_it_says(repetitions, holds_as_it_says):
    random = np.random.default_rng(5)
    ring = np.repeat(np.arange(100), 3)
    held = []
    for _ in range(repetitions):
        found = median_of_games(random.normal(size=100)[ring] + random.normal(size=300) + 7, ring)
        held.append([found.low <= 7 <= found.high])
    holds_as_it_says(held)


@given(values=st.lists(st.integers(-5, 5), min_size=1, max_size=30))
def test_the_median_is_the_median_and_its_ends_are_values(values):
    found = median_of_games(values, range(len(values)))
    assert found.value == statistics.median(values)
    assert found.low <= found.value <= found.high
    assert {found.low, found.high} <= set(values)
    alike = median_of_games(values * 4, [*range(len(values))] * 4)
    assert alike == found


#: Of each position of a game: where both tokens stand, and the probability that seat 0 wins.
TRACK = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 12), st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0])), max_size=14
)


@few
@given(tracks=st.lists(TRACK, min_size=1, max_size=4), winner=st.integers(0, 1), data=st.data())
def test_a_fan_is_what_a_plain_loop_finds(tracks, winner, data):
    rows, expected = [], []
    for game, steps in enumerate(tracks):
        spaces, known = [0, 0], [(0, 0.4)]
        rows.append((game, 0, winner, 0, 0, 0.4))
        for ply, (seat, forward, chance) in enumerate(steps, start=1):
            spaces[seat] = min(53, spaces[seat] + forward)
            rows.append((game, ply, winner, *spaces, chance))
            known.append((min(spaces), chance))
        curve = [[chance for back, chance in known if back <= space][-1] for space in range(53)]
        expected.append([chance if winner == 0 else 1 - chance for chance in curve])
    table = pd.DataFrame(rows, columns=["game_index", "ply", "winner", "space_0", "space_1", "chance"])
    table = table.iloc[data.draw(st.permutations(range(len(table))))]
    fan = winner_fan(table, table["chance"], ORIGINAL, (0, 0.5, 1))
    assert fan.index.to_list() == list(range(53))
    assert fan[0].to_list() == pytest.approx(list(map(min, zip(*expected, strict=True))))
    assert fan[0.5].to_list() == pytest.approx(list(map(statistics.median, zip(*expected, strict=True))))
    assert fan[1].to_list() == pytest.approx(list(map(max, zip(*expected, strict=True))))


#: The offers of a turn: whether each could be paid, and what it was worth, if the agent said so.
TURN = st.lists(st.tuples(st.booleans(), st.sampled_from([None, -2.0, 0.5, 1.0, 4.0])), min_size=1, max_size=3)


@few
@given(turns=st.lists(TURN, min_size=1, max_size=8), to_advance=st.none() | st.sampled_from([-1.0, 0.5, 9.0]))
def test_choices_are_what_a_plain_loop_finds(turns, to_advance):
    offers = [(0, 2 * ply, f"p{n:02}", *one) for ply, turn in enumerate(turns) for n, one in enumerate(turn)]
    offers = pd.DataFrame(offers, columns=["game_index", "ply", "patch", "affordable", "value"])
    games = pd.DataFrame({"game_index": [0], "ring_index": [6]})
    # It is known of all plies, of which some are no turns with offers.
    advance = {"game_index": 0, "ply": range(2 * len(turns) + 1), "value": to_advance}
    found = choices(offers, games, None if to_advance is None else pd.DataFrame(advance))
    assert found["ply"].to_list() == list(range(0, 2 * len(turns), 2))
    assert (found["ring_index"] == 6).all()
    for turn, row in zip(turns, found.itertuples(), strict=True):
        patches = [value for affordable, value in turn if affordable and value is not None]
        valued = sorted(patches + ([] if to_advance is None else [to_advance]))
        assert row.options == len(patches) + 1
        assert row.gap == valued[-1] - valued[-2] if len(valued) > 1 else math.isnan(row.gap)


def test_means_of_choices_are_within_their_intervals_as_often_as_they_say(repetitions, holds_as_it_says):
    random = np.random.default_rng(6)
    ring = np.repeat(np.arange(80), 5)
    held = []
    for _ in range(repetitions):
        luck = random.normal(size=80)[ring]
        gap = np.where(random.random(400) < 0.8, luck + random.normal(size=400), np.nan)
        chosen = pd.DataFrame({"ring_index": ring, "gap": gap, "options": random.integers(1, 5, 400)})
        found = mean_choices(chosen, within=1)
        # The sum of two normal variables has the variance 2, and P(z <= 1 / sqrt 2) = 0.760250.
        truth = np.array([2.5, 0.25, 0.760250])
        held.append(((found["low"] <= truth) & (found["high"] >= truth)).to_numpy())
    holds_as_it_says(held)
    assert found["n"].to_list() == [400, 400, np.isfinite(gap).sum()]


def test_greedy_always_does_what_the_gap_is_counted_from(greedy_run):
    games, turns, offers = greedy_run.games(), greedy_run.turns(), greedy_run.offers()
    offers = offers.assign(value=in_buttons(offers["value"], "greedy"))
    found = choices(offers, games, greedy_advance(turns, games, greedy_run.ruleset))
    assert len(found) == (turns["kind"] != "place leather").sum()
    turns = found.merge(turns, on=["game_index", "ply"])
    assert (turns["kind"][turns["options"] == 1] == "advance").all()
    assert (turns["gap"].isna() == (turns["options"] == 1)).all()
    assert (turns["gap"].dropna() >= 0).all()
    without = choices(offers, games)
    assert (without["gap"].isna() == (without["options"] < 3)).all()
    assert mean_choices(without).loc["options", "estimate"] == mean_choices(found).loc["options", "estimate"]


def test_titles_say_what_was_found():
    fan = pd.DataFrame({0.05: 0.2, 0.5: [0.5, 0.95, 0.89, 0.9, 0.99], 0.95: 1.0})
    figure = plot_fan({"greedy": fan, "puct": fan.assign(x=0.5).rename(columns={"x": 0.6}), "early": fan * 2})
    told = [axes.get_title(loc="left").splitlines() for axes in figure.axes]
    assert [name for name, _ in told] == ["greedy", "puct", "early"]
    assert [found for _, found in told] == [f"half of the winners have 90% by space {space}" for space in (3, 3, 0)]
    late = plot_fan({"a": fan / 2}).axes[0].get_title(loc="left")
    assert late == "a\nhalf of the winners have 90% on no space before the end"
    [band] = figure.axes[0].collections
    assert band.get_label() == "90% of games"
    gaps = plot_gaps({"a": [0.5, 1.0, 1.2, np.nan, 99], "b": [2.0, 3.0]}, within=1.1).axes[0]
    assert gaps.get_title(loc="left") == "The second best option is at most 1.1 buttons behind in 0% to 50% of turns"
    assert [text.get_text() for text in gaps.get_legend().get_texts()] == ["a, 50% within 1.1", "b, 0% within 1.1"]
    assert gaps.patches[0].get_data().values.sum() == pytest.approx(1)
    assert gaps.patches[0].get_data().values[-1] == 0.25
    decided = plot_decided({"a": [0.5, 0.9, 0.7]}).axes[0]
    assert decided.get_title(loc="left") == "Half of the games are decided only after 70% of their plies"
    assert decided.lines[0].get_xydata().tolist() == pytest.approx(np.array([[0.5, 1 / 3], [0.7, 2 / 3], [0.9, 1]]))
    for drawn in (plot_fan, plot_gaps, plot_decided):
        with pytest.raises(ValueError, match="there is nothing to draw"):
            drawn({})
    with pytest.raises(ValueError, match="the fan of a has no median"):
        plot_fan({"a": fan[[0.05]]})
    with pytest.raises(ValueError, match="no turn of a has a gap"):
        plot_gaps({"a": [np.nan]})


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
    places = rows.assign(winner=0, space_0=[0, 4], space_1=[0, 2])
    with pytest.raises(ValueError, match="each of 2 positions needs a probability from 0 to 1; there are 1"):
        winner_fan(places, [0.5], ORIGINAL)
    with pytest.raises(ValueError, match=r"quantiles must be from 0 to 1, not \[5, 95\]"):
        winner_fan(places, [0.5, 0.5], ORIGINAL, (5, 95))
    with pytest.raises(ValueError, match="the first positions of game 3 are missing"):
        winner_fan(places.tail(1), [0.5], ORIGINAL)
    with pytest.raises(ValueError, match="the frame of positions has no column winner"):
        winner_fan(rows, [0.5, 0.5], ORIGINAL)
    with pytest.raises(ValueError, match="the values of games"):
        median_of_games([1, np.nan], [0, 1])
    with pytest.raises(ValueError, match="each game needs its ring"):
        median_of_games([1, 2], [0])
    with pytest.raises(ValueError, match="the frame of offers has no column value"):
        choices(greedy_run.offers().drop(columns="value"), greedy_run.games())
    with pytest.raises(ValueError, match="game 399 is not among the games"):
        choices(greedy_run.offers(), greedy_run.games().head(399))
    nothing = pd.DataFrame({"ring_index": [0, 1], "options": 1, "gap": np.nan})
    with pytest.raises(ValueError, match="in none of 2 turns two options have a value"):
        mean_choices(nothing)
    with pytest.raises(ValueError, match="the frame of tension of games has no column lead_changes"):
        mean_tension(games[["ring_index"]])
    with pytest.raises(ValueError, match="there is no space 54 to be passed; they are 1 to 53"):
        snowball(greedy_run.games(), greedy_run.patches(), ORIGINAL, spaces=(54,))
    with pytest.raises(ValueError, match="the frame of patches has no column space"):
        snowball(greedy_run.games(), greedy_run.patches().drop(columns="space"), ORIGINAL)
    nobody = greedy_run.patches().assign(seat=-1)
    with pytest.raises(ValueError, match="do not tell constant, lead apart"):
        snowball(greedy_run.games(), nobody, ORIGINAL)
