"""Published figures: that every row is complete, and that it says what can be computed again without a simulation."""

import csv
import re
from collections import Counter
from dataclasses import fields
from math import factorial, isfinite, log10, sqrt

import numpy as np
import pytest
import statsmodels.api as sm

from patchstats.analysis.published import PublishedFigure, figure, published
from patchstats.analysis.shares import share
from patchstats.rules import Ruleset
from patchstats.rules.files import data_directory

FILES = sorted((data_directory() / "published").glob("*.csv"))
FIGURES = [figure(name) for name in published()["id"]]
PATCHES = Ruleset.load("original").patches
COST, SIZE, INCOME, TIME = (
    np.array([getattr(patch, name) for patch in PATCHES]) for name in ("cost", "size", "income", "time")
)
TEXTS = ("quantity", "unit", "definition", "sample", "source")

every_figure = pytest.mark.parametrize("one", FIGURES, ids=lambda one: one.id)


def value(name):
    return figure(name).value


def perimeter(patch):
    """How many edges of cells lie on the outline, holes included."""
    neighbours = [(row + a, column + b) for row, column in patch.shape for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))]
    return sum(neighbour not in set(patch.shape) for neighbour in neighbours)


def price(**columns):
    """The least squares of cost on these columns and a constant, and the names of its coefficients."""
    return sm.OLS(COST, np.column_stack([np.ones(len(COST)), *columns.values()])).fit(), ["intercept", *columns]


@every_figure
def test_every_figure_is_complete(one):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", one.id)
    for text in TEXTS:
        assert getattr(one, text), text
    for text in (*TEXTS, "caveat"):
        assert getattr(one, text) == " ".join(getattr(one, text).split()), text
    assert one.status in {"stated", "computed"}
    assert isfinite(one.value)


@every_figure
def test_every_address_is_one(one):
    assert re.fullmatch(r"https?://[a-z0-9-]+(\.[a-z0-9-]+)+/\S+", one.address)


@every_figure
def test_every_interval_holds_its_value_and_says_what_it_is(one):
    assert (one.low is None) == (one.high is None)
    if one.low is not None:
        assert one.low <= one.value <= one.high
        assert "interval" in one.definition


@every_figure
def test_every_share_with_its_games_is_their_share_with_wilsons_interval(one):
    assert (one.wins is None) == (one.games is None)
    if one.games is not None:
        assert (one.value, one.low, one.high) == pytest.approx(tuple(share(one.wins, one.games)), abs=5.1e-5)
        assert "Wilson" in one.definition
        assert f"{one.games:,} games" in one.sample


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_all_files_have_the_same_columns_and_hold_plain_numbers(file):
    with file.open(encoding="utf-8", newline="") as opened:
        rows = csv.DictReader(opened)
        assert rows.fieldnames == [field.name for field in fields(PublishedFigure) if field.name != "topic"]
        for row in rows:
            assert None not in row
            assert None not in row.values()
            for column in ("value", "low", "high", "wins", "games"):
                assert re.fullmatch(r"(-?\d+(\.\d+)?)?", row[column]), (row["id"], column)


def test_no_id_is_given_twice():
    ids = Counter()
    for file in FILES:
        with file.open(encoding="utf-8", newline="") as opened:
            ids.update(row["id"] for row in csv.DictReader(opened))
    assert [name for name, times in ids.items() if times > 1] == []
    assert ids.total() == len(FIGURES)


def test_a_table_has_the_figures_of_its_topic_and_that_of_all_topics_has_all():
    topics = [file.stem for file in FILES]
    tables = [published(topic) for topic in topics]
    assert [set(table["topic"]) for table in tables] == [{topic} for topic in topics]
    everything = published()
    assert list(everything.columns) == [field.name for field in fields(PublishedFigure)]
    assert [name for table in tables for name in table["id"]] == list(everything["id"])
    assert (everything["low"].isna() == [one.low is None for one in FIGURES]).all()


def test_a_topic_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(ValueError, match=r"no published figures on 'weather'; topics: bounds, claims, first_player"):
        published("weather")


def test_a_figure_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="no published figure is called 'score-highest'"):
        figure("score-highest")


def test_a_figure_is_shown_with_its_interval_unit_and_source():
    assert str(figure("az3-start-first")).startswith("0.4811 [0.4486, 0.5138] of games (akaAMAZING/patchworkAZ3 (2026)")
    assert str(figure("score-least")).startswith("-106 points (NicoZeitz/Studienarbeit")


def test_the_patches_add_up_to_what_is_published():
    sums = [value(f"patches-{name}") for name in ("size", "cost", "time", "income")]
    assert sums == [SIZE.sum(), COST.sum(), TIME.sum(), INCOME.sum()]
    assert [value(f"patches-income-{income}") for income in range(4)] == np.bincount(INCOME).tolist()


def test_the_start_buttons_buy_as_many_patches_as_is_published():
    affordable = Ruleset.load("original").start_buttons >= COST
    for income in (2, 3):
        assert value(f"affordable-income-{income}") == affordable[income == INCOME].mean()


def test_the_two_corners_of_three_cells_cost_what_is_published():
    corners = {patch.time: patch.cost for patch in PATCHES if patch.size == 3 and patch.rows != "111"}
    assert {time: value(f"corner-cost-time-{time}") for time in (1, 3)} == corners


@pytest.mark.parametrize(
    ("prefix", "columns"),
    [
        ("price", {"size": SIZE, "income": INCOME, "time": TIME}),
        (
            "price-outline",
            {"size": SIZE, "income": INCOME, "time": TIME, "perimeter": np.array([perimeter(one) for one in PATCHES])},
        ),
    ],
)
def test_the_prices_are_those_of_least_squares(prefix, columns):
    fit, names = price(**columns)
    for name, coefficient, interval in zip(names, fit.params, fit.conf_int(), strict=True):
        one = figure(f"{prefix}-{name}")
        assert (one.value, one.low, one.high) == pytest.approx((coefficient, *interval), abs=5.1e-5), name
    assert value(f"{prefix}-r2") == pytest.approx(fit.rsquared, abs=5.1e-5)


def test_what_else_is_published_of_the_prices_follows_from_the_patches():
    fit, _ = price(size=SIZE, income=INCOME, time=TIME)
    left_out = fit.resid / (1 - fit.get_influence().hat_matrix_diag)
    found = {
        "price-r2-adjusted": fit.rsquared_adj,
        "price-r2-left-out": 1 - (left_out**2).sum() / fit.centered_tss,
        "price-residual-sd": sqrt(fit.scale),
        "price-cost-time": np.corrcoef(COST, TIME)[0, 1],
        "price-r2-income": price(income=INCOME)[0].rsquared,
        "price-r2-size": price(size=SIZE)[0].rsquared,
    }
    residuals = {f"price-residual-{patch.id}": resid for patch, resid in zip(PATCHES, fit.resid, strict=True)}
    printed = {one.id for one in FIGURES if one.id.startswith("price-residual-p")}
    found |= {name: residuals[name] for name in printed}
    assert len(printed) == 4
    assert {name: value(name) for name in found} == pytest.approx(found, abs=5.1e-5)
    assert value("price-residual-p21") == min(map(value, printed))
    assert value("price-residual-p19") == max(map(value, printed)) == pytest.approx(max(residuals.values()), abs=5.1e-5)


def test_the_best_and_the_worst_patch_have_the_published_values():
    worth = dict(zip([patch.id for patch in PATCHES], (2 * SIZE - COST + INCOME - TIME).tolist(), strict=True))
    assert {patch for patch in worth if worth[patch] == max(worth.values())} == {"p21", "p31"}
    assert max(worth.values()) == value("value-best")
    assert min(worth.values()) == worth["p11"] == value("value-worst")


def test_the_published_size_of_the_tree_is_that_of_even_chances_below_2_to_the_128():
    assert value("random-tree-mean") == pytest.approx(2**127, rel=0.02)
    assert value("random-tree-sd") == pytest.approx(2**128 / sqrt(12), rel=0.01)
    assert 0.999 * 2**128 < value("random-tree-max") < 2**128
    assert all("overflow" in figure(f"random-tree-{what}").caveat for what in ("mean", "sd", "max"))


def test_the_power_of_means_is_the_one_that_is_published():
    power = value("random-plies-mean") * log10(value("random-actions-mean"))
    assert value("random-tree-power") == pytest.approx(power, abs=5.1e-5)


def test_the_ten_million_games_are_five_thousand():
    assert all(value(f"random-{what}-count") % 2000 == 0 for what in ("plies-min", "plies-max", "actions-min"))
    assert value("random-tree-max-count") % 1000 == 0
    assert 5000 * value("random-plies-mean") == pytest.approx(round(5000 * value("random-plies-mean")), abs=1e-6)
    mean = figure("random-plies-mean")
    half = 1.959964 * value("random-plies-sd") / sqrt(5000)
    assert (mean.low, mean.high) == pytest.approx((mean.value - half, mean.value + half), abs=5.1e-5)


def test_the_bounds_follow_from_the_ruleset():
    ruleset = Ruleset.load("original")
    cells = ruleset.quilt_size**2
    empty = -ruleset.empty_cell_penalty * cells
    incomes, leathers = len(ruleset.income_marks), len(ruleset.leather_marks)
    loss = next(patch for patch in PATCHES if patch.id == "p11")
    walked = ruleset.finish - loss.time
    income = value("income-most-in-time")
    found = {
        "plies-most": ruleset.finish + 1 + np.count_nonzero(TIME == 1) + leathers,
        "placements-most": 8 * (ruleset.quilt_size - 1) * (ruleset.quilt_size - 2),
        "actions-most": 1 + 3 * value("placements-most"),
        "score-walking": ruleset.start_buttons + ruleset.finish + empty,
        "score-least": ruleset.start_buttons + empty + walked - loss.cost + 2 * loss.size + loss.income,
        "score-simple-bound": ruleset.start_buttons + ruleset.bonus_points + incomes * income,
        "starts": factorial(len(PATCHES) - 1),
        "tree-bound": value("plies-most") * log10(value("actions-most")),
        "states": log10(3) + 2 * log10(2**cells * (ruleset.finish + 1) * (income + 1) * 184),
    }
    assert {name: value(name) for name in found} == pytest.approx(found, rel=1e-12, abs=5.1e-5)


def test_the_first_leather_was_moved_as_is_published():
    original, revised = (Ruleset.load(name).leather_marks for name in ("original", "revised"))
    assert original[0] + value("leather-moved") == revised[int(value("leather-third")) - 1]


def test_a_claim_that_the_ruleset_contradicts_says_so():
    ruleset = Ruleset.load("original")
    wrong = {"first-patch-incomes": len(ruleset.income_marks), "track-spaces": ruleset.finish}
    for name, right in wrong.items():
        assert value(name) != right
        assert str(right) in figure(name).caveat


def test_matches_that_were_added_up_are_the_sum_of_their_parts():
    parts = figure("mcts-5000-first"), figure("mcts-long-first")
    whole = figure("mcts-first")
    assert (whole.wins, whole.games) == (sum(one.wins for one in parts), sum(one.games for one in parts))
    part, whole = figure("az3-b-33-first"), figure("az3-b-first")
    assert 0 < part.wins < whole.wins
    assert 0 <= part.games - part.wins < whole.games - whole.wins


@pytest.mark.parametrize("data", ["anu-02", "anu-03"])
def test_shares_without_their_games_have_the_interval_of_so_many(data):
    one = figure(f"{data}-first")
    games = 20_000 * (1 - value(f"{data}-ties"))
    assert (one.low, one.high) == pytest.approx(share(one.value * games, games)[1:], abs=1e-3)
