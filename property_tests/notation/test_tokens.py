"""Actions and cells as tokens."""

import pytest
from hypothesis import given

from patchstats.errors import NotationError
from patchstats.notation import format_action, format_cell, parse_action, parse_cell
from patchstats.rules import Advance, Buy, PlaceLeather
from patchstats.testing import positions

QUILT_SIZES = range(3, 12)


@pytest.mark.parametrize(
    ("action", "token"),
    [
        (Advance(), "advance"),
        (Buy("p21", 3, 40), "p21/3@e5"),
        (Buy("p01", 0, 0), "p01/0@a1"),
        (Buy("advance", 7, 8), "advance/7@i1"),
        (Buy("leather", 4, 72), "leather/4@a9"),
        (Buy("L-shape_2", 1, 80), "L-shape_2/1@i9"),
        (PlaceLeather(57), "leather@d7"),
    ],
)
def test_an_action_is_written_in_this_way_and_no_other(action, token):
    assert format_action(action, quilt_size=9) == token
    assert parse_action(token, quilt_size=9) == action


@given(positions())
def test_every_legal_action_of_a_position_has_a_token_of_its_own_that_leads_back_to_it(position):
    size = position.ruleset.quilt_size
    legal = list(position.legal_actions)
    tokens = [format_action(action, size) for action in legal]
    assert [parse_action(token, size) for token in tokens] == legal
    assert len(set(tokens)) == len(tokens)


@pytest.mark.parametrize("size", QUILT_SIZES)
def test_the_cells_of_a_quilt_are_named_by_column_letter_and_row_number(size):
    names = [format_cell(cell, size) for cell in range(size * size)]
    assert names == [f"{column}{row}" for row in range(1, size + 1) for column in "abcdefghijk"[:size]]
    assert [parse_cell(name, size) for name in names] == list(range(size * size))


@pytest.mark.parametrize(
    ("token", "column", "expected"),
    [
        ("", 1, "an action"),
        (" advance", 1, "an action"),
        ("21/3@e5", 1, "an action"),
        ("advances", 9, "an orientation"),
        ("advance now", 9, "the end of the action"),
        ("p21", 4, "an orientation behind the patch p21"),
        ("p21@e5", 4, "an orientation behind the patch p21"),
        ("p21/8@e5", 5, "an orientation from 0 to 7"),
        ("p21/31@e5", 6, "'@' and a cell"),
        ("p21/3", 6, "'@' and a cell"),
        ("p21/3@5e", 7, "a column from a to i"),
        ("p21/3@j5", 7, "a column from a to i"),
        ("p21/3@E5", 7, "a column from a to i"),
        ("p21/3@e", 8, "a row from 1 to 9"),
        ("p21/3@e0", 8, "a row from 1 to 9"),
        ("p21/3@e10", 8, "a row from 1 to 9"),
        ("p21/3@e5e", 9, "the end of the action"),
        ("leather", 8, "'@' and a cell"),
        ("leather@d77", 10, "a row from 1 to 9"),
    ],
)
def test_a_bad_token_is_refused_with_the_column_and_what_was_expected_there(token, column, expected):
    with pytest.raises(NotationError) as refusal:
        parse_action(token, quilt_size=9)
    assert (refusal.value.line, refusal.value.column) == (1, column)
    assert expected in refusal.value.expected
    assert token[column - 1 :].startswith(refusal.value.found)


@pytest.mark.parametrize(
    "action", [PlaceLeather(81), PlaceLeather(-1), Buy("p01", 8, 0), Buy("p01", -1, 0), Buy("p 1", 0, 0), Buy("", 0, 0)]
)
def test_an_action_that_no_token_can_mean_is_not_written(action):
    with pytest.raises(ValueError, match=r"cell|orientation|patch"):
        format_action(action, quilt_size=9)
