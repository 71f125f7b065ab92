"""Section 7 of the rulebook: the bonus for a square of covered cells."""

import dataclasses
import itertools

import pytest
from hypothesis import given

from patchstats.rules import Buy, PlaceLeather, Ruleset
from patchstats.rules.cells import cells_in
from patchstats.rules.events import BonusWon, Income, LeatherPlaced, Moved, Placed
from patchstats.testing import games, rulesets, situation

ORIGINAL = Ruleset.load("original")
NINE_PLACES = [(top, left) for top in range(3) for left in range(3)]


def block(top, left, rows=7, columns=7):
    """The cells of a rectangle on a quilt of 9 by 9 cells."""
    return {row * 9 + column for row in range(top, top + rows) for column in range(left, left + columns)}


def about_to_place(covered, cell, **more):
    """Seat 0 has these cells covered, but for one, and a leather to place on it."""
    return situation(ORIGINAL, spaces=(21, 19), covered=(set(covered) - {cell}, ()), waiting=1, **more)


def has_square(ruleset, covered):
    """Whether a square of the bonus size is covered, found by trying every place."""
    size, side = ruleset.quilt_size, ruleset.bonus_square
    cells = {divmod(cell, size) for cell in cells_in(covered)}
    return any(
        all((top + row, left + column) in cells for row in range(side) for column in range(side))
        for top in range(size - side + 1)
        for left in range(size - side + 1)
    )


@pytest.mark.clause("7.1", "7.2")
@pytest.mark.parametrize(("top", "left"), NINE_PLACES)
def test_a_leather_that_completes_a_square_anywhere_wins_the_bonus(top, left):
    cell = min(block(top, left)) + 30
    position = about_to_place(block(top, left), cell)
    after, events = position.apply(PlaceLeather(cell))
    assert events == (LeatherPlaced(0, cell), BonusWon(0))
    assert after.bonus_owner == 0
    assert after.empty_cells(0) == 32


@pytest.mark.clause("7.1")
def test_the_whole_quilt_is_not_needed_and_surplus_cells_do_not_matter():
    covered = block(2, 1) | block(0, 0, rows=1, columns=9)
    cell = 8 * 9 + 7
    after, _ = about_to_place(covered, cell).apply(PlaceLeather(cell))
    assert after.bonus_owner == 0


@pytest.mark.clause("7.1")
@pytest.mark.parametrize(
    "covered",
    [
        pytest.param(block(0, 0, rows=6, columns=8) | {80}, id="49 cells, six rows of eight and one"),
        pytest.param(block(0, 0, rows=9, columns=6), id="nine rows of six"),
        pytest.param(block(0, 0) - {24} | block(7, 0, rows=2, columns=9), id="a square with a hole, and more"),
        pytest.param({5 + row * 9 + column for row in range(7) for column in range(7)}, id="seven rows round the edge"),
    ],
)
def test_covered_cells_in_any_other_arrangement_win_nothing(covered):
    cell = max(covered)
    after, events = about_to_place(covered, cell).apply(PlaceLeather(cell))
    assert after.players[0].covered.bit_count() == len(covered) >= 49
    assert after.bonus_owner is None
    assert not any(isinstance(event, BonusWon) for event in events)


@pytest.mark.clause("7.1", "7.3")
@given(games(rulesets=rulesets(shipped=False, quilt_sizes=(3, 6))))
def test_the_bonus_goes_to_the_first_seat_with_a_whole_square_at_once_and_stays_there(game):
    owner = None
    for position in game.positions:
        for seat in (0, 1):
            if owner is None and has_square(game.ruleset, position.players[seat].covered):
                owner = seat
        assert position.bonus_owner == owner
    assert [event.seat for event in game.log if isinstance(event, BonusWon)] == ([] if owner is None else [owner])


@pytest.mark.clause("7.1")
def test_bonuses_for_squares_of_several_sizes_are_reached_by_patch_and_by_leather(reach):
    def wins_by(kind, game):
        return any(
            isinstance(first, kind) and isinstance(second, BonusWon)
            for events in game.events
            for first, second in itertools.pairwise(events)
        )

    reach(
        games(rulesets=rulesets(shipped=False, quilt_sizes=(3, 6))),
        lambda game: wins_by(Placed, game) and game.ruleset.bonus_square > 1,
        lambda game: wins_by(LeatherPlaced, game) and game.ruleset.bonus_square > 1,
        lambda game: wins_by(Placed, game) and game.ruleset.bonus_square == 1,
    )


@pytest.mark.clause("7.2", "5.5")
def test_the_bonus_is_won_before_the_token_moves():
    position = situation(ORIGINAL, spaces=(4, 9), covered=(block(0, 0) - {0, 1}, ()), ring=["p01"])
    _, events = position.apply(Buy("p01", 0, 0))
    assert [type(event) for event in events[1:]] == [Placed, BonusWon, Moved, Income]


@pytest.mark.clause("7.3")
@pytest.mark.parametrize("owner", [0, 1])
def test_a_square_completed_later_wins_nothing(owner):
    position = about_to_place(block(0, 0), 0, bonus_owner=owner)
    after, events = position.apply(PlaceLeather(0))
    assert events == (LeatherPlaced(0, 0),)
    assert after.bonus_owner == owner


@pytest.mark.clause("7.3")
def test_the_seat_that_owns_the_bonus_keeps_it_when_it_places_more():
    position = situation(ORIGINAL, covered=(block(0, 0), ()), bonus_owner=0, ring=["p03"])
    after, _ = position.apply(Buy("p03", 0, 72))
    assert after.bonus_owner == 0
    assert after.score(0) == 5 - 2 + 7 - 2 * (81 - 49 - 3)


@pytest.mark.clause("7.4")
def test_the_bonus_is_no_buttons_and_no_income_and_covers_nothing():
    square = block(0, 0) - {0, 1}
    winning = situation(ORIGINAL, spaces=(4, 9), income=(2, 0), covered=(square, ()), ring=["p01"])
    without = dataclasses.replace(winning, bonus_owner=1)
    won, _ = winning.apply(Buy("p01", 0, 0))
    lost, _ = without.apply(Buy("p01", 0, 0))
    assert (won.bonus_owner, lost.bonus_owner) == (0, 1)
    assert won.players == lost.players
    assert won.bank == lost.bank
    assert won.players[0].buttons == 5 - 2 + 2
    assert won.score(0) == lost.score(0) + 7
