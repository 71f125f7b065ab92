"""Section 1 of the rulebook: what the two shipped rulesets are made of."""

import pytest

from patchstats.rules import Ruleset

ORIGINAL = Ruleset.load("original")
REVISED = Ruleset.load("revised")

both_boards = pytest.mark.parametrize("ruleset", [ORIGINAL, REVISED], ids=lambda ruleset: ruleset.name)


@both_boards
@pytest.mark.clause("1.1")
def test_a_quilt_has_81_cells(ruleset):
    assert ruleset.quilt_size == 9
    assert ruleset.quilt.bit_count() == 81


@both_boards
@pytest.mark.clause("1.2")
def test_there_are_33_patches_and_five_leathers_and_a_bonus_of_7_by_7(ruleset):
    assert len(ruleset.patches) == 33
    assert len({patch.id for patch in ruleset.patches}) == 33
    assert len(ruleset.leather_marks) == 5
    assert ruleset.bonus_square == 7
    assert all(square.bit_count() == 49 for square in ruleset.bonus_squares)


@both_boards
@pytest.mark.clause("1.3")
def test_the_finish_is_space_53(ruleset):
    assert ruleset.finish == 53


@both_boards
@pytest.mark.clause("1.4")
def test_every_sixth_space_from_5_to_the_finish_has_an_income_mark(ruleset):
    assert ruleset.income_marks == (5, 11, 17, 23, 29, 35, 41, 47, 53)


@pytest.mark.clause("1.5")
def test_the_first_leather_of_the_original_board_lies_18_spaces_further_on_the_revised_one():
    assert ORIGINAL.leather_marks == (20, 26, 32, 44, 50)
    assert REVISED.leather_marks == (26, 32, 38, 44, 50)


@pytest.mark.clause("1.5")
def test_the_two_boards_differ_in_nothing_else():
    original, revised = ORIGINAL.to_dict(), REVISED.to_dict()
    differing = {key for key in original if original[key] != revised[key]}
    assert differing == {"name", "title", "leather_marks"}
    assert original.keys() == revised.keys()


@pytest.mark.clause("1.6")
@pytest.mark.parametrize(
    ("value", "total", "least", "greatest"),
    [("cost", 133, 0, 10), ("time", 107, 1, 6), ("income", 38, 0, 3), ("size", 166, 2, 8)],
)
def test_the_patches_add_up(value, total, least, greatest):
    values = [getattr(patch, value) for patch in ORIGINAL.patches]
    assert (sum(values), min(values), max(values)) == (total, least, greatest)


@pytest.mark.clause("1.6")
def test_exactly_one_patch_costs_nothing():
    [free] = [patch for patch in ORIGINAL.patches if patch.cost == 0]
    assert (free.size, free.time, free.income) == (6, 3, 1)


@pytest.mark.clause("5.3")
def test_the_patches_have_more_cells_than_both_quilts():
    assert sum(patch.size for patch in ORIGINAL.patches) > 2 * ORIGINAL.quilt.bit_count()


@pytest.mark.clause("6.9")
def test_no_patch_fits_a_hole_of_one_cell():
    for patch in ORIGINAL.patches:
        for way in ORIGINAL.ways_to_lay[patch.id]:
            for hole in (0, 40, 80):
                assert way.fits(free=1 << hole) == 0
