"""Forecasts of who wins: a true model is found again, good forecasts are told from bad ones, rings are kept apart."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from patchstats import Advance, Ruleset
from patchstats.analysis.positions import positions
from patchstats.analysis.win_probability import NEEDED, describe, fit_win_model, held_out, judge
from patchstats.notation.replay import replay_record, result_of, start_of

ORIGINAL = Ruleset.load("original")


def drawn(random, number):
    """Positions by lot, who won being decided by a model of the kind that is fitted; and how likely that was."""
    spaces = np.sort(random.integers(0, 54, size=(number, 2)), axis=1)
    found = pd.DataFrame({name: random.integers(0, 10, size=number) for name in NEEDED})
    found = found.assign(seat=random.integers(0, 2, size=number), bonus=random.integers(-1, 2, size=number))
    found = found.assign(space_0=spaces[:, 0], space_1=spaces[:, 1], ring_index=np.arange(number) // 4)
    described = describe(found, ORIGINAL)
    chance = expit(0.2 + 0.05 * described["lead"] + 0.1 * described["buttons"] - 0.1 * described["holes t"])
    return found.assign(winner=(random.random(number) > chance).astype(int)), chance


@pytest.fixture(scope="module")
def played(greedy_run):
    return positions(greedy_run.turns(), greedy_run.games(), greedy_run.ruleset)


def test_a_true_model_is_found_again():
    random = np.random.default_rng(1)
    model = fit_win_model(drawn(random, 40_000)[0], ORIGINAL)
    others, chance = drawn(random, 5000)
    assert np.abs(model.predict(others) - chance).mean() < 0.015


def test_scores_are_within_their_intervals_as_often_as_they_say(repetitions, holds_as_it_says):
    # On each ring the same is won in all of its positions, of which forecasts are right on average.
    def rings(many):
        chance = random.beta(2, 2, size=many)
        won = random.random(many) < chance
        ring = np.repeat(np.arange(many), 5)
        forecast = expit(np.log(chance / (1 - chance))[ring] + random.normal(scale=0.7, size=5 * many))
        return forecast, won[ring].astype(float), ring

    random = np.random.default_rng(2)
    truth = judge(*rings(400_000)).scores["estimate"]
    held = []
    for _ in range(repetitions):
        found = judge(*rings(200)).scores
        held.append(((found["low"] <= truth) & (found["high"] >= truth)).to_numpy())
    holds_as_it_says(held)


def test_scores_are_what_their_formulas_say():
    random = np.random.default_rng(3)
    p, y = random.random(500), random.integers(0, 2, size=500).astype(float)
    found = judge(p, y, np.arange(500))
    brier, usual = np.mean((p - y) ** 2), np.mean((y - y.mean()) ** 2)
    log_loss = -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))
    assert found.scores["estimate"].to_list() == pytest.approx([brier, 1 - brier / usual, log_loss])
    off = [abs(p[here].sum() - y[here].sum()) for here in (np.floor(10 * p) == one for one in range(10))]
    assert found.calibration_error == pytest.approx(sum(off) / 500)
    assert found.reliability["n"].sum() == 500


def test_good_forecasts_are_told_from_bad_ones():
    random = np.random.default_rng(4)
    chance = random.beta(1, 1, size=50_000)
    won, ring = random.random(50_000) < chance, np.arange(50_000)
    good, bold = judge(chance, won, ring), judge(expit(3 * np.log(chance / (1 - chance))), won, ring)
    assert good.calibration_error < 0.01
    assert bold.calibration_error > 0.08
    assert good.scores.loc["skill", "low"] > bold.scores.loc["skill", "high"]
    inside = (good.reliability["low"] <= good.reliability["forecast"]) & (
        good.reliability["forecast"] <= good.reliability["high"]
    )
    assert inside.sum() >= 9
    always = judge(np.full(50_000, won.mean()), won, ring)
    assert always.scores.loc["skill"].to_list() == pytest.approx([0, 0, 0], abs=1e-12)


def test_a_ring_is_never_foretold_by_itself():
    positions, _ = drawn(np.random.default_rng(5), 2000)
    found = held_out(positions, ORIGINAL)
    part = (positions["ring_index"] % 5 == 2).to_numpy()
    upside_down = positions.assign(winner=np.where(part, 1 - positions["winner"], positions["winner"]))
    again = held_out(upside_down, ORIGINAL)
    assert again[part].to_list() == found[part].to_list()
    assert (again[~part] != found[~part]).all()


def test_the_model_foretells_real_games(played, greedy_run):
    found = held_out(played, greedy_run.ruleset)
    judged = judge(found, played["winner"] == 0, played["ring_index"])
    assert judged.scores.loc["skill", "low"] > 0.3
    assert judged.calibration_error < 0.05
    late = played["space_0"] + played["space_1"] > 100
    assert (
        judge(found[late], (played["winner"] == 0)[late], played["ring_index"][late]).scores.loc["brier", "high"] < 0.1
    )


def test_other_seats_only_turn_the_description_round(played, greedy_run):
    swapped = {name: name[:-1] + {"0": "1", "1": "0"}[name[-1]] for name in NEEDED if name[-2:] in ("_0", "_1")}
    other = played.rename(columns=swapped).assign(seat=1 - played["seat"], bonus=-played["bonus"])
    there, turned = (describe(one, greedy_run.ruleset).drop(columns="constant") for one in (played, other))
    assert np.allclose(there, -turned[there.columns])


def test_a_lead_is_the_margin_when_both_only_go_on(played, greedy_run):
    ruleset = greedy_run.ruleset
    left = 1 - (played["space_0"] + played["space_1"]) / (2 * ruleset.finish)
    leads = describe(played, ruleset)["lead"] * np.sqrt(left + 1 / ruleset.finish)
    leads = leads.set_axis(pd.MultiIndex.from_frame(played[["game_index", "ply"]]))
    seen = set()
    for game in range(40):
        record = greedy_run.record(game)
        position = start_of(record)
        for number, ply in enumerate(replay_record(record)):
            if not position.leather_marks and not position.waiting:  # a leather would cover a cell
                end = position
                while not end.finished:
                    end = end.apply(Advance()).position
                result = result_of(end)
                assert leads[game, number] == pytest.approx(result.scores[0] - result.scores[1])
                seen.add(position.bonus_owner)
            position = ply.after
    assert seen == {None, 0, 1}


def test_wrong_input_is_refused(played, greedy_run):
    ruleset = greedy_run.ruleset
    with pytest.raises(ValueError, match="the frame of positions has no column bonus"):
        describe(played.drop(columns="bonus"), ruleset)
    with pytest.raises(ValueError, match="seat 1 won all games"):
        fit_win_model(played[played["winner"] == 1], ruleset)
    with pytest.raises(ValueError, match="10 positions are too few"):
        fit_win_model(drawn(np.random.default_rng(6), 10)[0], ruleset)
    with pytest.raises(ValueError, match="20 positions are too few"):
        fit_win_model(drawn(np.random.default_rng(6), 20)[0], ruleset)
    with pytest.raises(ValueError, match="400 rings cannot be split into 401 parts"):
        held_out(played, ruleset, folds=401)
    with pytest.raises(ValueError, match=r"forecasts must be from 0 to 1, not 1\.5"):
        judge([0.5, 1.5], [0, 1], [0, 1])
    with pytest.raises(ValueError, match="outcomes must be 0 or 1, and both must occur"):
        judge([0.5, 0.5], [1, 1], [0, 1])
