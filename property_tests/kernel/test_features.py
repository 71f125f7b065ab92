"""What the learned evaluation sees of a position, against the same numbers from the reference's own data."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numba import njit

from patchstats.kernel.layout import SEAT_SIZE, SEATS
from patchstats.kernel.search.features import FEATURES, NEXT_PATCHES, OF_GAME, OF_PATCH, OF_SEAT, describe
from patchstats.rules import Ruleset
from patchstats.rules.cells import cells_in
from patchstats.testing import positions, situation

both = runpy.run_path(str(Path(__file__).with_name("both.py")))

ORIGINAL = Ruleset.load("original")
POSITIONS = positions(rulesets=both["RULESETS"])


@njit
def _describe(a, number, x, at):
    mine, its = SEATS + number * SEAT_SIZE, SEATS + (1 - number) * SEAT_SIZE
    describe(a, np.uint64(mine), np.uint64(its), x, at)


def described(position, seat):
    """The features of a position of which this seat is said to move, and nothing else written."""
    arena = both["arena_with"](position)
    before = arena[: int(SEATS) + 2 * int(SEAT_SIZE)].copy()
    x = np.full(len(FEATURES) + 6, 0.5, dtype=np.float32)
    _describe(arena, np.uint64(seat), x, np.uint64(3))
    assert set(x[:3].tolist()) == set(x[-3:].tolist()) == {0.5}
    assert arena[: len(before)].tolist() == before.tolist()
    return x[3:-3].tolist()


# The same in plain Python


class Quilt:
    """The empty cells of a quilt as (row, column)."""

    def __init__(self, ruleset, covered):
        self.size = ruleset.quilt_size
        self.empty = {divmod(cell, self.size) for cell in cells_in(ruleset.quilt & ~covered)}

    def count(self, cells, among=None):
        """In how many places these cells, moved there, are all empty (or all among others)."""
        among = self.empty if among is None else among
        return sum(
            all((row + down, column + right) in among for down, right in cells)
            for row in range(self.size)
            for column in range(self.size)
        )

    def with_neighbours(self, number):
        """The empty cells with so many empty neighbours."""
        return {
            (row, column)
            for row, column in self.empty
            if len({(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)} & self.empty) == number
        }

    def lacking(self, side):
        """How many cells the bonus square lacks that lacks the fewest."""
        places = range(self.size - side + 1)
        return min(
            len({(top + row, left + column) for row in range(side) for column in range(side)} & self.empty)
            for top in places
            for left in places
        )


def block(rows, columns):
    return [(row, column) for row in range(rows) for column in range(columns)]


def of_seat(position, seat):
    ruleset, player = position.ruleset, position.players[seat]
    quilt, space, left = Quilt(ruleset, player.covered), player.space, ruleset.finish - player.space
    incomes = [mark for mark in ruleset.income_marks if mark > space]
    leathers = [mark for mark in position.leather_marks if mark > space]
    bonus_open = position.bonus_owner is None
    lacking = quilt.lacking(ruleset.bonus_square) if bonus_open else 0
    dead_ends = quilt.with_neighbours(1)
    return {
        "buttons": player.buttons,
        "income": player.income,
        "income times income marks ahead": player.income * len(incomes),
        "spaces left": left,
        "empty cells": len(quilt.empty),
        "empty cells times spaces left / 16": len(quilt.empty) * left // 16,
        "pairs of empty neighbours": quilt.count(block(1, 2)) + quilt.count(block(2, 1)),
        "holes": len(quilt.with_neighbours(0)),
        "dead ends": len(dead_ends),
        "corridors": len(quilt.with_neighbours(2)),
        "empty squares of 2 by 2": quilt.count(block(2, 2)),
        "empty runs of 3": quilt.count(block(1, 3)) + quilt.count(block(3, 1)),
        "empty squares of 3 by 3": quilt.count(block(3, 3)),
        "empty runs of 5": quilt.count(block(1, 5)) + quilt.count(block(5, 1)),
        "pairs of dead ends": quilt.count(block(1, 2), dead_ends) + quilt.count(block(2, 1), dead_ends),
        "cells that the nearest bonus square lacks, while the bonus is to be won": lacking,
        "8 less those cells": 8 - lacking if bonus_open else 0,
        "has the bonus": position.bonus_owner == seat,
        "spaces to the next income mark": min(incomes, default=ruleset.finish) - space,
        "4 less buttons": 4 - player.buttons,
        "12 less spaces left": 12 - left,
        "12 less spaces to the next leather": 12 - (leathers[0] - space) if leathers else 0,
        "leathers ahead": len(leathers),
    }


def of_patch(position, patch_id, seat):
    patch = position.ruleset[patch_id]
    found = {"time": patch.time, "cost": patch.cost}
    for who, suffix, if_paid, paid in (
        (seat, "", "worth if it can be paid", "can be paid and placed"),
        (1 - seat, " to the other", "worth if the other can pay it", "can be paid and placed by the other"),
    ):
        player = position.players[who]
        free = position.ruleset.quilt & ~player.covered
        fits = any(way.fits(free) for way in position.ruleset.ways_to_lay[patch_id])
        marks = sum(mark > player.space for mark in position.ruleset.income_marks)
        worth = (2 * patch.size + patch.income * marks - patch.cost) if fits else 0
        payable = fits and patch.cost <= player.buttons
        found |= {f"worth{suffix}": worth, if_paid: worth if payable else 0, paid: payable}
    return found


def of_game(position, seat):
    first, leathers = position.first_finisher, position.ruleset.leather_marks
    return {
        "spaces ahead": position.players[1 - seat].space - position.players[seat].space,
        "finished first, or the other did": 0 if first is None else 1 if first == seat else -1,
        "patches on the ring": len(position.ring),
        "the bonus is to be won": position.bonus_owner is None,
        "the first leather lies beyond space 20 by": min(leathers, default=position.ruleset.finish) - 20,
    }


def expected(position, seat):
    """The features by name, cut off at their bounds, in the order in which they are listed."""
    nothing = dict.fromkeys((feature.name for feature in OF_PATCH), 0)
    patches = [of_patch(position, patch, seat) for patch in position.ring[:NEXT_PATCHES]]
    patches += [nothing] * (NEXT_PATCHES - len(patches))
    parts = [
        (OF_SEAT, of_seat(position, seat)),
        (OF_SEAT, of_seat(position, 1 - seat)),
        *((OF_PATCH, patch) for patch in patches),
        (OF_GAME, of_game(position, seat)),
    ]
    assert all({feature.name for feature in features} == set(values) for features, values in parts)
    return [
        (feature.name, max(feature.least, min(feature.greatest, int(values[feature.name]))))
        for features, values in parts
        for feature in features
    ]


def names_of(values):
    return [(feature.name, value) for feature, value in zip(FEATURES, values, strict=True)]


FULL_OF_CORRIDORS = [cell for cell in range(81) if cell // 9 % 2]
WIDE = ORIGINAL.with_changes({"quilt_size": 11, "bonus_square": 11})


@given(POSITIONS, st.integers(0, 1))
@example(situation(ORIGINAL), 0)
@example(situation(WIDE), 1)
@example(situation(ORIGINAL, spaces=(30, 34), covered=(FULL_OF_CORRIDORS, range(81)), bonus_owner=1), 0)
@example(situation(ORIGINAL, spaces=(40, 53), covered=(range(0, 81, 2), range(1, 81, 2)), ring=["p01"]), 1)
@example(situation(ORIGINAL, spaces=(1, 2), buttons=(99, 60), income=(60, 41), ring=[]), 0)
def test_every_feature_is_what_its_name_says_and_is_cut_off_at_its_bounds(position, seat):
    assert names_of(described(position, seat)) == expected(position, seat)


def test_positions_in_which_each_feature_takes_many_values_are_drawn(reach):
    # Bounds that are cut at, and a value that is not the usual one, of every feature.
    wanted = [
        "buttons",
        "income",
        "holes",
        "pairs of dead ends",
        "8 less those cells",
        "has the bonus",
        "12 less spaces to the next leather",
        "leathers ahead",
        "empty runs of 5",
    ]
    places = [[one.name for one in OF_SEAT].index(name) for name in wanted]
    reach(
        POSITIONS,
        *(lambda position, place=place: described(position, 0)[place] > 0 for place in places),
        lambda position: described(position, 0)[0] == 60,
        lambda position: position.players[0].space > 64,
        lambda position: position.ruleset.quilt_size > 8 and len(position.ring) < NEXT_PATCHES,
    )


@given(POSITIONS)
def test_with_the_seats_swapped_each_half_describes_the_other_seat(position):
    mine, its = described(position, 0), described(position, 1)
    seat = len(OF_SEAT)
    assert mine[:seat] == its[seat : 2 * seat]
    assert mine[seat : 2 * seat] == its[:seat]
    assert mine[-5:-3] == [-value for value in its[-5:-3]]
    assert mine[-3:] == its[-3:]
    for patch in range(NEXT_PATCHES):
        begin = 2 * seat + patch * len(OF_PATCH)
        ours, theirs = mine[begin : begin + len(OF_PATCH)], its[begin : begin + len(OF_PATCH)]
        assert ours == [theirs[place] for place in (2, 3, 0, 1, 4, 5, 7, 6)]


def test_each_name_is_given_once_to_a_seat_a_patch_and_the_game_and_its_bounds_leave_room():
    assert len(FEATURES) == 2 * len(OF_SEAT) + NEXT_PATCHES * len(OF_PATCH) + len(OF_GAME)
    for part in (OF_SEAT, OF_PATCH, OF_GAME):
        assert len({feature.name for feature in part}) == len(part)
        assert all(feature.least < feature.greatest for feature in part)


@pytest.mark.parametrize("space", [63, 64, 127, 128, 191])
def test_leathers_are_seen_across_the_words_of_a_long_track(space):
    long = ORIGINAL.with_changes({"finish": 255, "leather_marks": [space + 1, space + 5, 254]})
    for spaces in ((space, space + 2), (space + 1, space), (space - 3, 2)):
        position = situation(long, spaces=spaces)
        assert names_of(described(position, 0)) == expected(position, 0)
