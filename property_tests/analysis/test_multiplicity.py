"""Adjusted p-values: by their definition, and by how many of the reports are false."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from patchstats.analysis.multiplicity import adjusted


@given(p_values=st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_a_q_value_is_the_least_level_at_which_the_step_up_procedure_finds_the_row(p_values):
    found = adjusted(pd.DataFrame({"p_value": p_values}))
    rising = sorted(p_values)
    for p_value, q_value in zip(p_values, found["q_value"], strict=True):
        levels = [p * len(rising) / place for place, p in enumerate(rising, 1) if p >= p_value]
        assert q_value == pytest.approx(min(1.0, *levels))


def test_of_what_is_reported_no_more_is_false_than_the_level_says(repetitions):
    random = np.random.default_rng(7)
    effects = np.repeat([0.0, 3.5], [25, 8])
    false, unadjusted, power = [], [], []
    for _ in range(repetitions):
        p_values = 2 * norm.sf(np.abs(effects + random.standard_normal(33)))
        found = adjusted(pd.DataFrame({"patch": range(33), "p": p_values}), column="p", level=0.1)["found"].to_numpy()
        false.append((found & (effects == 0)).sum() / max(1, found.sum()))
        unadjusted.append(((p_values < 0.1) & (effects == 0)).sum() / (p_values < 0.1).sum())
        power.append(found[effects > 0].mean())
    slack = 4 * np.std(false) / repetitions**0.5
    # Of independent questions the share is known: the level times the share of questions without an effect.
    assert np.mean(false) == pytest.approx(0.1 * 25 / 33, abs=slack)
    assert np.mean(unadjusted) > 0.15
    assert np.mean(power) > 0.7


def test_rows_stay_as_they_are():
    frame = pd.DataFrame({"patch": ["p09", "p02"], "p_value": [0.5, 0.001]}, index=[4, 2])
    found = adjusted(frame)
    assert found[["patch", "p_value"]].equals(frame)
    assert found["found"].tolist() == [False, True]
    assert adjusted(frame, level=0.0005)["found"].tolist() == [False, False]
    assert "q_value" not in frame


@pytest.mark.parametrize(
    ("p_values", "message"),
    [
        ([], "the frame of p-values has no rows"),
        ([0.1, None], "no value in column p_value at row 1"),
        ([0.1, 1.5], "the column p_value must hold p-values, from 0 to 1, not 1.5"),
        ([-0.1, 0.5], "the column p_value must hold p-values, from 0 to 1, not -0.1"),
    ],
)
def test_what_is_no_p_value_is_refused(p_values, message):
    with pytest.raises(ValueError, match=message):
        adjusted(pd.DataFrame({"p_value": p_values}, dtype=float))


def test_a_column_or_a_level_that_is_none_is_refused():
    with pytest.raises(ValueError, match="the frame of p-values has no column p; it needs p"):
        adjusted(pd.DataFrame({"p_value": [0.1]}), column="p")
    with pytest.raises(ValueError, match="level must be between 0 and 1, not 5"):
        adjusted(pd.DataFrame({"p_value": [0.1]}), level=5)
