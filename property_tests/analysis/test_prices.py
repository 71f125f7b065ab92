"""The price list: published numbers, the leave-one-out error by leaving one out, and intervals that hold the truth."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats import Ruleset
from patchstats.analysis.prices import TRAITS, hedonic, perimeter, price_list

ORIGINAL = Ruleset.load("original")
PRICES = price_list(ORIGINAL)


def test_the_prices_of_the_shipped_patches_are_those_of_a_line_in_income_and_time():
    found = hedonic(PRICES)
    assert (found.r2, found.adjusted_r2, found.left_out_r2, found.rmse) == pytest.approx(
        (0.784, 0.762, 0.733, 1.394), abs=5e-4
    )
    assert found.coefficients["estimate"].to_dict() == pytest.approx(
        {"constant": 3.436, "size": 0.039, "income": 3.463, "time": -1.106}, abs=5e-4
    )
    assert found.coefficients["error"].to_list() == pytest.approx([1.04, 0.19, 0.37, 0.24], abs=5e-3)
    assert found.residuals["p21"] == found.residuals.min() == pytest.approx(-3.81, abs=5e-3)
    dear = found.residuals.idxmax()
    assert PRICES.loc[dear, ["cost", "time", "income"]].to_list() == [10, 3, 2]
    assert found.residuals[dear] == pytest.approx(2.76, abs=5e-3)


def test_with_the_perimeter_cells_have_a_price():
    found = hedonic(PRICES, TRAITS)
    assert found.r2 == pytest.approx(0.834, abs=5e-4)
    assert found.coefficients["estimate"].drop("constant").to_dict() == pytest.approx(
        {"size": 1.228, "income": 3.396, "time": -1.105, "perimeter": -0.702}, abs=5e-4
    )


def test_each_income_can_have_a_price_of_its_own():
    found = hedonic(PRICES, each_income=True)
    prices = found.coefficients["estimate"][["income 1", "income 2", "income 3"]]
    assert prices.to_list() == pytest.approx([2.02, 6.60, 10.46], abs=5e-3)
    assert found.r2 == pytest.approx(0.832, abs=5e-4)


@given(patch=st.sampled_from(ORIGINAL.patches))
def test_a_perimeter_counts_the_sides_that_face_no_cell(patch):
    around = [(0, 1), (1, 0), (0, -1), (-1, 0)]
    sides = sum(
        (row + down, column + right) not in patch.shape for row, column in patch.shape for down, right in around
    )
    assert perimeter(patch.shape) == sides


def test_what_is_left_out_is_foretold_by_the_others():
    found = hedonic(PRICES)
    missed = 0.0
    for patch in PRICES.index:
        line = hedonic(PRICES.drop(index=patch)).coefficients["estimate"]
        missed += (
            PRICES.loc[patch, "cost"] - line["constant"] - (line.drop("constant") * PRICES.loc[patch]).sum()
        ) ** 2
    assert found.left_out_r2 == pytest.approx(1 - missed / ((PRICES["cost"] - PRICES["cost"].mean()) ** 2).sum())


def test_coefficients_are_within_their_intervals_as_often_as_they_say(repetitions, holds_as_it_says):
    random = np.random.default_rng(1)
    truth = np.array([3, 0.5, 3.5, -1])
    design = np.column_stack([np.ones(33), PRICES[["size", "income", "time"]]])
    held = []
    for _ in range(repetitions):
        found = hedonic(PRICES.assign(cost=design @ truth + random.normal(scale=1.4, size=33))).coefficients
        held.append(((found["low"] <= truth) & (found["high"] >= truth)).to_numpy())
    holds_as_it_says(held)


def test_the_interval_is_wider_than_the_usual_one_where_dear_patches_deviate_more():
    random = np.random.default_rng(2)
    wider = []
    for _ in range(20):
        cost = 3 * PRICES["income"] + (PRICES["income"] == 3) * random.normal(scale=4, size=33)
        found = hedonic(PRICES.assign(cost=cost)).coefficients.loc["income"]
        wider.append((found["high"] - found["low"]) / found["error"])
    assert np.mean(wider) > 4.5  # 4.09 of an even deviation


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="the frame of prices has no column colour; it needs cost, colour"):
        hedonic(PRICES, ("colour",))
    with pytest.raises(ValueError, match="4 patches do not tell size, income, time apart"):
        hedonic(PRICES.head(4))
    with pytest.raises(ValueError, match="33 patches do not tell size, time apart"):
        hedonic(PRICES.assign(size=PRICES["time"]), ("size", "time"))
    with pytest.raises(ValueError, match="the frame of prices has no rows"):
        hedonic(pd.DataFrame(columns=["cost", *TRAITS]))
    with pytest.raises(ValueError, match="all patches cost 2; give prices that differ"):
        hedonic(PRICES.assign(cost=2))
    with pytest.raises(ValueError, match="confidence must be between 0 and 1"):
        hedonic(PRICES, confidence=2)
