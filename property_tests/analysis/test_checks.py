"""What the estimators refuse: the message says what is wrong, where, and what would be right."""

import pandas as pd
import pytest

from patchstats.analysis.checks import chance, columns, finite, positive

FRAME = pd.DataFrame({"ring_index": [3, 4], "winner": [0, None], "plies": [40, 41]}, index=[7, 8])


@pytest.mark.parametrize(
    ("frame", "names", "message"),
    [
        (FRAME, ("plies", "score_0"), "the frame of games has no column score_0; it needs plies, score_0"),
        (FRAME.iloc[:0], ("plies",), "the frame of games has no rows; give one row or more"),
        (FRAME, ("plies", "winner"), "no value in column winner at row 8; leave such rows out"),
    ],
)
def test_a_frame_that_lacks_something_is_refused(frame, names, message):
    with pytest.raises(ValueError, match=message):
        columns(frame, names)


def test_what_is_asked_for_is_returned():
    assert columns(FRAME, ("plies", "ring_index")).equals(FRAME[["plies", "ring_index"]])
    assert finite((1, 2), "the margins").tolist() == [1.0, 2.0]
    assert chance(0.5, "power") == positive(0.5, "the sd") == 0.5


@pytest.mark.parametrize("number", [0, 1, -0.5, float("nan")])
def test_a_number_that_is_no_chance_is_refused(number):
    with pytest.raises(ValueError, match=f"power must be between 0 and 1, not {number}"):
        chance(number, "power")


@pytest.mark.parametrize("number", [0, -1, float("nan"), float("inf")])
def test_a_number_that_is_not_above_zero_is_refused(number):
    with pytest.raises(ValueError, match=f"the sd must be a number above 0, not {number}"):
        positive(number, "the sd")


@pytest.mark.parametrize("values", [[], [[1.0]], 1.0])
def test_what_is_no_row_of_numbers_is_refused(values):
    with pytest.raises(ValueError, match="the margins must be one number or more in a row, not an array of shape"):
        finite(values, "the margins")
