"""The tables of a ruleset: windows that show every place whole, and runs that make up every shape."""

import runpy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.kernel import layout
from patchstats.kernel.tables import RUN_SHAPES, WORD, arena_for, can_serve, runs_of, windows_of
from patchstats.rules import Ruleset
from patchstats.rules.cells import cells_in
from patchstats.rules.shapes import orientations
from patchstats.testing import shapes, situation

both = runpy.run_path(str(Path(__file__).with_name("both.py")))

ORIGINAL = Ruleset.load("original")
SIZES = range(3, 12)


def with_one_patch(quilt_size, rows):
    """A ruleset whose only patch looks like this."""
    patches = {"p01": {"rows": rows, "cost": 0, "time": 1, "income": 0}}
    changes = {"quilt_size": quilt_size, "bonus_square": 1, "start_patch": "p01", "patches": patches}
    return Ruleset.from_dict({**ORIGINAL.to_dict(), **changes})


def covered_by(runs):
    return frozenset((row + down, column + right) for run, (row, column) in runs for down, right in RUN_SHAPES[run])


@given(shapes() | shapes(side=8, most_cells=40))
def test_the_runs_of_a_shape_cover_that_shape_and_nothing_else(shape):
    assert covered_by(runs_of(shape)) == shape


@pytest.mark.parametrize("ruleset", ["original", "revised"])
def test_no_orientation_of_a_shipped_patch_has_more_than_three_runs(ruleset):
    found = [runs_of(way) for patch in Ruleset.load(ruleset).patches for way in orientations(patch.shape)]
    assert max(map(len, found)) == 3


def test_a_run_is_one_run():
    assert [runs_of(shape) for shape in RUN_SHAPES] == [((number, (0, 0)),) for number in range(len(RUN_SHAPES))]


@pytest.mark.parametrize("quilt_size", SIZES)
def test_every_corner_is_served_by_one_window_which_holds_the_whole_patch(quilt_size):
    for height in range(1, both["tallest"](quilt_size) + 1):
        ruleset = with_one_patch(quilt_size, "/".join("1" * height))
        arena = arena_for(ruleset)
        starts = [int(arena[int(layout.WINDOW_START) + window]) for window in range(int(arena[layout.WINDOWS]))]
        size = int(arena[layout.ORIENTATION_SIZE])
        for number, way in enumerate(ruleset.distinct_ways_to_lay["p01"]):
            entry = int(arena[layout.AT_ORIENTATIONS]) + number * size + int(layout.CORNERS)
            corners = [int(arena[entry + window]) for window in range(len(starts))]
            served = [start + cell for start, here in zip(starts, corners, strict=True) for cell in cells_in(here)]
            assert served == list(cells_in(way.corners))
            assert all((way.pattern << cell).bit_length() <= WORD for here in corners for cell in cells_in(here))


@pytest.mark.parametrize("quilt_size", SIZES)
def test_there_are_windows_up_to_the_height_that_a_word_holds_and_room_for_all_of_them(quilt_size):
    heights = range(1, quilt_size + 1)
    assert [height for height in heights if windows_of(quilt_size, height)] == [
        height for height in heights if height <= both["tallest"](quilt_size)
    ]
    assert all(len(windows_of(quilt_size, height) or ()) <= layout.MOST_WINDOWS for height in heights)


@pytest.mark.parametrize(
    ("quilt_size", "rows"), [(11, "1/1/1/1/1/1"), (11, "111111"), (10, "1111111"), (9, "11111111"), (9, "1/" * 8 + "1")]
)
def test_a_patch_that_no_window_holds_in_each_of_its_orientations_cannot_be_served(quilt_size, rows):
    ruleset = with_one_patch(quilt_size, rows)
    assert not can_serve(ruleset)
    with pytest.raises(ValueError, match=f"no window holds . rows of a quilt of {quilt_size} cells a side"):
        arena_for(ruleset)


@pytest.mark.parametrize(("quilt_size", "rows"), [(11, "11111"), (10, "1/1/1/1/1/1"), (9, "1111111"), (8, "11111111")])
def test_the_longest_patch_that_a_window_holds_can_be_served(quilt_size, rows):
    ruleset = with_one_patch(quilt_size, rows)
    assert can_serve(ruleset)
    position = situation(ruleset)
    legal = [
        both["kernel_action"](both["arena_with"](position), ruleset, n) for n in range(len(position.legal_actions))
    ]
    assert legal == list(position.legal_actions)


@given(ruleset=both["RULESETS"], data=st.data())
def test_patches_fit_where_the_reference_finds_all_their_cells_free(ruleset, data):
    cells = ruleset.quilt_size**2
    sets = st.sets(st.integers(0, cells - 1), max_size=cells) | st.sets(st.integers(0, cells - 1), max_size=cells // 8)
    position = situation(ruleset, buttons=(2000, 2000), covered=(data.draw(sets), ()))
    arena = both["arena_with"](position)
    assert both["kernel_answers"](arena, ruleset) == both["reference_answers"](position)
    legal = list(position.legal_actions)
    assert [both["kernel_action"](arena, ruleset, n) for n in range(len(legal))] == legal
