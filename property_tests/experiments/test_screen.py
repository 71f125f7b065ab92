"""All prices changed by lot: what is found is what the games hold, and what whatif finds one by one."""

import numpy as np
import pandas as pd
import pytest

import patchstats
from patchstats import Ruleset
from patchstats.errors import AgentError, RunError
from patchstats.experiments import screen, whatif

GREEDY = ["greedy", "greedy"]


@pytest.fixture(scope="module")
def screened(tmp_path_factory):
    """A screening of costs by greedy agents, with its run."""
    out = tmp_path_factory.mktemp("screen")
    found = screen(agents=GREEDY, games=3000, seed=7, out=out)
    return found, patchstats.open_run(out / "run")


def test_effects_are_the_regression_on_all_steps(screened):
    found, run = screened
    games, steps = run.games(), run.jitter()
    outcomes = {
        "seat 0 wins": games["winner"] == 0,
        "margin of seat 0": games["score_0"] - games["score_1"],
        "score": (games["score_0"] + games["score_1"]) / 2,
        "empty cells": (games["empty_0"] + games["empty_1"]) / 2,
        "7x7 bonus": games["bonus_seat"] != -1,
    }
    assert [*outcomes, "is bought"] == list(found.effects)
    design = np.column_stack([np.ones(len(steps)), steps.to_numpy()])
    for name, outcome in outcomes.items():
        coefficients = np.linalg.lstsq(design, outcome.to_numpy(dtype=float), rcond=None)[0][1:]
        expected = pd.Series(coefficients, index=steps.columns)
        assert found.effects[name]["estimate"].to_dict() == pytest.approx(expected.to_dict())
        assert found.effects[name]["estimate"].abs().is_monotonic_decreasing


def test_what_is_bought_depends_on_its_own_price(screened):
    found, run = screened
    effects = found.effects["is bought"]
    assert len(effects) == 33
    patches = run.patches(["patch", "seat"], filters=[("patch", "==", "p10")])
    bought, step = (patches["seat"] >= 0).to_numpy(dtype=float), run.jitter()["p10.cost"].to_numpy()
    assert effects.loc["p10.cost", "estimate"] == pytest.approx(np.polyfit(step, bought, 1)[0])
    assert effects.loc["p10.cost", "high"] < 0


def test_the_same_step_by_whatif_has_the_same_effect(screened):
    found, _ = screened
    [variant] = whatif(agents=GREEDY, pairs=3000, seed=8, changes=["patches.p21.cost=1"]).variants
    alone = variant.differences[2].found.difference
    effect = found.effects["score"].loc["p21.cost"]
    apart = np.hypot(alone.high - alone.value, effect["high"] - effect["estimate"])
    assert abs(alone.value - effect["estimate"]) < 1.5 * apart
    assert alone.high < 0
    assert effect["high"] < 0


def test_several_numbers_of_a_patch_are_told_apart(tmp_path):
    found = screen(agents=["random", "random"], games=2000, jitter="cost+income", out=tmp_path)
    assert len(found.effects["score"]) == len(found.effects["is bought"]) == 66
    assert found.effects["score"].loc[[f"p{n:02}.income" for n in range(1, 34)], "estimate"].mean() > 0


def test_it_is_gone_on_with_and_without_a_directory_says_the_same(tmp_path):
    settings = {"agents": GREEDY, "games": 700, "seed": 2}
    first = screen(**settings, out=tmp_path)
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "run").rglob("*")}
    again, gone = screen(**settings, out=tmp_path), screen(**settings)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "run").rglob("*")} == times
    for other in (again, gone):
        assert other.to_dict()["effects"] == first.to_dict()["effects"]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"games": 600}, RunError, "games must be a whole number from 660 on, to tell so many prices apart, not 600"),
        ({"jitter": ""}, RunError, "jitter must say what of each patch is changed"),
        ({"jitter": "price"}, RunError, "jitter 'price' is none of"),
        ({"agents": ["greedy"]}, RunError, "two agents are needed"),
        ({"agents": ["greedy", "gredy"]}, AgentError, "did you mean greedy"),
    ],
)
def test_what_cannot_be_screened_is_refused_before_anything_is_played(tmp_path, settings, error, message):
    given = {"agents": GREEDY, "games": 1000, "out": tmp_path / "run", **settings}
    with pytest.raises(error, match=message):
        screen(**given)
    assert not list(tmp_path.iterdir())


def test_of_a_ruleset_its_own_prices_are_changed(tmp_path):
    dear = Ruleset.load("revised").with_changes({"patches.p21.cost": 5})
    found = screen(agents=["random", "random"], games=700, ruleset=dear, out=tmp_path)
    assert found.ruleset_id == dear.ruleset_id
    assert set(patchstats.open_run(tmp_path / "run").jitter()["p21.cost"].unique()) == {-1, 0, 1}
