"""Filters: which rows of a table are read."""

import operator

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.errors import RunError

OPERATORS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda column, values: column.isin(values),
    "not in": lambda column, values: ~column.isin(values),
}
ORDERED = ["==", "!=", "<", "<=", ">", ">="]
NAMES = {
    "kind": ["advance", "buy", "place leather"],
    "patch": [f"p{number:02}" for number in range(1, 34)],
    "agent_0": ["random", "random-patch", "nobody"],
}
NUMBERS = {
    "games": {"winner": (-1, 2), "plies": (0, 80), "score_0": (-100, 40), "game_index": (-1, 8)},
    "turns": {"seat": (-1, 2), "cost": (0, 10), "buttons_before": (0, 30), "ply": (-5, 80)},
    "offers": {"slot": (0, 3), "placements": (0, 300), "ply": (0, 80)},
    "patches": {"seat": (-1, 1), "place": (-1, 33), "space": (-1, 53), "slot": (-1, 2)},
}
NAMED = {"games": ["agent_0"], "turns": ["kind", "patch"], "offers": ["patch"], "patches": ["patch"]}
FLAGS = {"games": ["tie_broken"], "turns": [], "offers": ["affordable", "chosen"], "patches": []}


def triples(table):
    """Conditions on a column of a table, in all the ways in which they can be written."""
    ways = []
    for column, (least, greatest) in NUMBERS[table].items():
        number = st.integers(least, greatest)
        ways.append(st.tuples(st.just(column), st.sampled_from(ORDERED), number))
        ways.append(st.tuples(st.just(column), st.sampled_from(["in", "not in"]), st.lists(number, max_size=3)))
    for column in NAMED[table]:
        name = st.sampled_from(NAMES[column])
        several = st.lists(name) | st.sets(name) | st.lists(name).map(tuple) | st.lists(name).map(pd.Series)
        ways.append(st.tuples(st.just(column), st.sampled_from(["==", "!="]), name))
        ways.append(st.tuples(st.just(column), st.sampled_from(["in", "not in"]), several))
    ways += [st.tuples(st.just(column), st.sampled_from(["==", "!="]), st.booleans()) for column in FLAGS[table]]
    return st.one_of(ways)


def rows_that_pass(frame, groups):
    """Which rows of a frame fulfil all conditions of a group, for any of the groups."""
    passing = pd.Series(False, index=frame.index)
    for group in groups:
        fulfilled = pd.Series(True, index=frame.index)
        for column, how, value in group:
            whole = (
                frame[column].astype(object) if isinstance(frame[column].dtype, pd.CategoricalDtype) else frame[column]
            )
            fulfilled &= OPERATORS[how](whole, list(value) if "in" in how else value)
        passing |= fulfilled
    return passing


@pytest.fixture(scope="module")
def run(simulate, tmp_path_factory):
    """A run with every table, in which the agents swap seats."""
    settings = {"agents": ("random", "random-patch"), "log": "offers", "pairing": "mirrored"}
    return simulate(games=8, games_per_shard=4, seed=2, out=tmp_path_factory.mktemp("runs") / "run", **settings)


@pytest.fixture(scope="module")
def whole_tables(run):
    """Every table of the run with all its rows."""
    return {table: getattr(run, table)() for table in NUMBERS}


@given(data=st.data())
@pytest.mark.parametrize("table", ["games", "turns", "offers", "patches"])
def test_the_rows_that_all_conditions_of_any_group_let_through_are_read(run, whole_tables, table, data):
    groups = data.draw(st.lists(st.lists(triples(table), min_size=1, max_size=3), min_size=1, max_size=3))
    filters = groups[0] if len(groups) == 1 else groups
    whole = whole_tables[table]
    expected = whole[rows_that_pass(whole, groups)].reset_index(drop=True)
    pd.testing.assert_frame_equal(getattr(run, table)(filters=filters), expected)


def test_a_condition_may_be_on_a_column_that_is_not_read(run):
    turns = run.turns()
    bought = turns[(turns["kind"] == "buy") & (turns["cost"] > 5)]
    read = run.turns(["patch", "seat"], filters=[("kind", "==", "buy"), ("cost", ">", 5)])
    assert read.equals(bought[["patch", "seat"]].reset_index(drop=True))
    patches = run.patches()
    read = run.patches(["patch"], filters=[("seat", "==", -1)])
    assert read.equals(patches.loc[patches["seat"] == -1, ["patch"]].reset_index(drop=True))


def test_a_condition_may_be_a_list_as_a_file_of_settings_has_it(run):
    assert run.games(filters=[["winner", "==", 0]]).equals(run.games(filters=[("winner", "==", 0)]))


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ([("score", ">", 3)], "the turns of .* have no column 'score'; there are game_index, ply, seat"),
        ([("patch", "==", "p34")], "there is no patch 'p34'; there are p01, p02"),
        ([("patch", "in", ["p01", "21"])], "there is no patch '21'"),
        ([("kind", "==", "leather")], "there is no kind 'leather'; there are advance, buy, place leather"),
        ([("seat", "==", "first")], "cannot be used: .*int8, string"),
        ([("seat", "in", ["first"])], "cannot be used: .*int8 vs string"),
        ([("patch", "==", ["p01"])], "cannot be used"),
        (
            [("patch", "==", None)],
            r"patch == None: missing values cannot be asked for \(a patch that is missing is -1\)",
        ),
        ([("seat", "!=", None)], "seat != None: missing values cannot be asked for"),
        ([("patch", "in", ["p01", None])], "patch == None: missing values cannot be asked for"),
        ([("seat", "not in", [pd.NA])], "seat == <NA>: missing values cannot be asked for"),
        ([("seat", "==", float("nan"))], "seat == nan: missing values cannot be asked for"),
        ([("patch", "in", "p01")], "patch in must be followed by a list of values, not 'p01'"),
        ([("seat", "not in", 1)], "seat not in must be followed by a list of values, not 1"),
        ([("seat", "is", 1)], '"is" is not a valid operator'),
        ([("seat", "==", 2**70)], "cannot be used: .*too large"),
        ([("seat", "==")], r"filters must be \(column, operator, value\) triples"),
        (("seat", "==", 1), "filters must be"),
        ([], r"filters must be .*, not \[\]"),
        ([[]], "filters must be"),
        ([[("seat", "==", 1)], []], "cannot be used"),
        ("seat == 1", "filters must be"),
        ({"seat": 1}, "filters must be"),
        (3, "filters must be"),
    ],
)
def test_wrong_conditions_are_refused_with_what_is_wrong_before_anything_is_read(run, filters, message, monkeypatch):
    monkeypatch.setattr("patchstats.dataset.run.read_shard", None)
    with pytest.raises(RunError, match=message) as error:
        run.turns(filters=filters)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("filters", [[("seat", "==", "first")], [("ply", ">", "p01")], [("patch", "==", 1.5j)]])
def test_wrong_conditions_on_patches_are_refused_too(run, filters):
    with pytest.raises(RunError, match="cannot be used"):
        run.patches(filters=filters)


def test_the_patch_that_is_missing_is_asked_for_by_its_number(run):
    turns = run.turns()
    missing = turns[turns["patch"].isna()].reset_index(drop=True)
    pd.testing.assert_frame_equal(run.turns(filters=[("patch", "==", -1)]), missing)
    assert 0 < len(missing) < len(turns)
