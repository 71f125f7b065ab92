"""Leathers: who takes them and when, and what the quilt was like for the first, as the reference engine has it."""

import numpy as np
import pandas as pd
import pytest

from patchstats import Ruleset
from patchstats.analysis.estimate import Estimate
from patchstats.analysis.figures.leathers import plot_useless
from patchstats.analysis.figures.sweep import plot_sweep
from patchstats.analysis.leathers import first_leather, leathers_taken
from patchstats.analysis.shares import Share
from patchstats.notation.replay import replay_record
from patchstats.rules.events import LeatherTaken

SOME = 12
ORIGINAL = Ruleset.load("original")


@pytest.fixture(scope="module")
def tables(greedy_run):
    """The turns and games of a few games, and their plies by the reference engine."""
    wanted = [("game_index", "in", range(SOME))]
    plies = [list(replay_record(greedy_run.record(game))) for game in range(SOME)]
    return greedy_run.turns(filters=wanted), greedy_run.games(filters=wanted), plies


def reachable(cell, free):
    """The cells of a set that hang together with one of them, found one by one."""
    found, looked_at = {cell}, [cell]
    while looked_at:
        row, column = looked_at.pop()
        for other in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if other in free and other not in found:
                found.add(other)
                looked_at.append(other)
    return frozenset(found)


def holes_of(player, most):
    free = {divmod(cell, 9) for cell in range(81) if not player.covered >> cell & 1}
    return sum(len(region) <= most for region in {reachable(cell, free) for cell in free})


def test_leathers_are_taken_where_when_and_by_whom_the_reference_engine_says(tables):
    turns, games, plies = tables
    wanted = [
        [game, event.mark, ply.seat, number, ply.after.players[ply.seat].space]
        for game, of_game in enumerate(plies)
        for number, ply in enumerate(of_game)
        for event in ply.events
        if isinstance(event, LeatherTaken)
    ]
    found = leathers_taken(turns, games, ORIGINAL)
    assert found[["game_index", "mark", "seat", "ply", "space"]].to_numpy().tolist() == wanted
    assert found["ring_index"].to_list() == found["game_index"].to_list()
    assert len({ply for _, _, _, ply, _ in wanted if ply > 0}) > 5


@pytest.mark.parametrize("hole", [1, 2, 5, 81])
def test_holes_for_the_first_leather_are_those_of_the_taker_before_it_is_laid(tables, hole):
    turns, games, plies = tables
    found = first_leather(turns, games, ORIGINAL, hole)
    for row, of_game in zip(found.itertuples(), plies, strict=True):
        ply = of_game[row.ply]
        assert any(isinstance(event, LeatherTaken) for event in ply.events)
        assert not any(isinstance(event, LeatherTaken) for earlier in of_game[: row.ply] for event in earlier.events)
        assert row.seat == ply.seat
        assert row.holes == holes_of(ply.after.players[ply.seat], hole)
    assert found["holes"].nunique() > 1


def test_holes_of_one_cell_are_those_of_the_turns_table(greedy_run):
    turns, games = greedy_run.turns(), greedy_run.games()
    found = first_leather(turns, games, greedy_run.ruleset, hole=1)
    logged = turns.merge(found[["game_index", "ply"]], on=["game_index", "ply"])["holes"]
    assert found["holes"].to_list() == logged.to_list()
    assert 0.3 < (found["holes"] == 0).mean() < 0.8
    assert (first_leather(turns, games, greedy_run.ruleset, hole=2)["holes"] >= found["holes"]).all()


def a_game(leathers, **more):
    """The turns of a game in which seat 1 first buys p03, then takes so many leathers in one ply; seat 0 the others."""
    rows = {
        "game_index": 0,
        "ply": range(4),
        "seat": [0, 1, 1, 0],
        "kind": ["advance", "buy", "advance", "advance"],
        "patch": [None, "p03", None, None],
        "orientation": [-1, 0, -1, -1],
        "cell": [-1, 1, -1, -1],
        "time_after": [1, 2, 45, 53],
        "leather_gained": [0, 0, leathers, 5 - leathers],
    }
    return pd.DataFrame({**rows, **more})


def test_a_ply_may_take_several_leathers_and_the_patch_of_the_taker_lies_already():
    games = pd.DataFrame({"game_index": [0], "ring_index": [7]})
    found = leathers_taken(a_game(4), games, ORIGINAL)
    assert found["mark"].to_list() == [20, 26, 32, 44, 50]
    assert found["seat"].to_list() == [1, 1, 1, 1, 0]
    assert found["ring_index"].to_list() == [7] * 5
    first = first_leather(a_game(4), games, ORIGINAL, hole=78)
    assert first[["seat", "ply", "space", "holes"]].to_numpy().tolist() == [[1, 2, 45, 1]]
    assert first_leather(a_game(4), games, ORIGINAL, hole=77)["holes"].to_list() == [0]


def test_a_patch_that_the_ply_with_the_leather_lays_counts_and_one_of_the_other_seat_does_not():
    games = pd.DataFrame({"game_index": [0], "ring_index": [0]})
    laid = a_game(4, kind=["buy", "buy", "buy", "advance"], patch=["p33", "p03", "p02", None])
    # p02, a corner of cells 9, 18 and 19, leaves of the upper left nothing but cell 0 beside p03 on cells 1 to 3.
    laid = laid.assign(orientation=[0, 0, 0, -1], cell=[0, 1, 9, -1])
    assert first_leather(laid, games, ORIGINAL, hole=1)["holes"].to_list() == [1]


def test_the_order_of_rows_does_not_matter(tables):
    turns, games, _ = tables
    mixed = turns.iloc[np.random.default_rng(1).permutation(len(turns))]
    for one, other in (
        (leathers_taken(turns, games, ORIGINAL), leathers_taken(mixed, games.iloc[::-1], ORIGINAL)),
        (first_leather(turns, games, ORIGINAL, 2), first_leather(mixed, games.iloc[::-1], ORIGINAL, 2)),
    ):
        pd.testing.assert_frame_equal(one, other)


def test_wrong_input_is_refused(tables):
    turns, games, _ = tables
    gained = turns[turns["leather_gained"] > 0]
    assert leathers_taken(gained, games, ORIGINAL).equals(leathers_taken(turns, games, ORIGINAL))
    with pytest.raises(ValueError, match="the turns lack plies before the first leather of some games"):
        first_leather(gained, games, ORIGINAL, 1)
    with pytest.raises(ValueError, match="hole must be 1 or more, not 0"):
        first_leather(turns, games, ORIGINAL, 0)
    with pytest.raises(ValueError, match="of the 5 leathers of game 0 the turns tell of 4"):
        leathers_taken(gained.iloc[1:], games, ORIGINAL)
    with pytest.raises(ValueError, match="of the 5 leathers of game 3 the turns tell of 0"):
        leathers_taken(turns[turns["game_index"] != 3], games, ORIGINAL)
    with pytest.raises(ValueError, match="game 11 is not among the games"):
        leathers_taken(turns, games.head(11), ORIGINAL)
    with pytest.raises(ValueError, match=r"the ruleset original\* has no leathers on its track"):
        leathers_taken(turns, games, ORIGINAL.with_changes({"leather_marks": ()}))
    with pytest.raises(ValueError, match="the frame of turns has no column leather_gained"):
        leathers_taken(turns.drop(columns="leather_gained"), games, ORIGINAL)
    with pytest.raises(ValueError, match="the frame of turns has no rows"):
        first_leather(turns.head(0), games, ORIGINAL, 1)


def test_useless_leathers_are_drawn_where_they_are():
    shares = {
        "greedy": {"original": Share(0.6, 0.55, 0.65), "revised": Share(0.5, 0.45, 0.55)},
        "random": {"original": Share(0.55, 0.45, 0.65), "revised": Share(0.7, 0.6, 0.8)},
    }
    figure = plot_useless({"one": shares, "two": {"greedy": shares["greedy"]}}, claim=0.5)
    first, second = figure.axes
    assert first.get_title(loc="left") == "one:\nabove 50% for 1 of 2 by original, 1 of 2 by revised"
    assert second.get_title(loc="left") == "two:\nabove 50% for 1 of 1 by original, 0 of 1 by revised"
    claim, *marks = first.get_lines()
    assert claim.get_xdata() == [0.5, 0.5]
    assert [line.get_xdata().tolist() for line in marks] == [[0.6, 0.55], [0.5, 0.7]]
    ends = [[segment[:, 0].tolist() for segment in lines.get_segments()] for lines in first.collections]
    assert ends == [[[0.55, 0.65], [0.45, 0.65]], [[0.45, 0.55], [0.6, 0.8]]]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["original", "revised"]
    for nothing in ({}, {"one": {}}, {"one": {"greedy": {}}}):
        with pytest.raises(ValueError, match="there is nothing to draw"):
            plot_useless(nothing, claim=0.5)
    with pytest.raises(ValueError, match="the claim must be between 0 and 1, not 50"):
        plot_useless({"one": shares}, claim=50)


def test_a_sweep_is_drawn_in_the_order_of_its_values():
    points = {4: Estimate(-5, -5.5, -4.5), 0: Estimate(0, 0, 0), 2: Estimate(-2, -2.5, -1.5)}
    above = {0: Estimate(3, 2, 4), 1: Estimate(2, 1, 3)}
    figure = plot_sweep({"score (points)": points, "a": above, "b": above, "c": above}, "cost (buttons)")
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert len(shown) == 4
    assert shown[0].get_title(loc="left") == "score (points): 0 at 0, -5 at 4"
    zero, curve = shown[0].get_lines()
    assert zero.get_ydata() == [0, 0]
    assert (curve.get_xdata().tolist(), curve.get_ydata().tolist()) == ([0, 2, 4], [0, -2, -5])
    ends = [segment[:, 1].tolist() for segment in shown[0].collections[0].get_segments()]
    assert ends == [[0, 0], [-2.5, -1.5], [-5.5, -4.5]]
    assert len(shown[1].get_lines()) == 1
    assert {axes.get_xlabel() for axes in shown} == {"cost (buttons)"}
    for nothing in ({}, {"score": {}}):
        with pytest.raises(ValueError, match="there is nothing to draw"):
            plot_sweep(nothing, "cost (buttons)")
