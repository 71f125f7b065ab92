"""The list of legal actions: what is on it, in which order, and that every way to ask it gives the same answer.

It is held against a second reading of the rules, which knows rows and columns only and tries every cell.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.rules import Advance, Buy, PlaceLeather, Position, Ruleset
from patchstats.testing import games, positions, rulesets, situation

ORIGINAL = Ruleset.load("original")


def drawings_of(rows):
    """The eight orientations of a drawing: turned clockwise 0 to 3 times, and the same after a left-right flip."""
    lines = rows.split("/")
    for face in (lines, [line[::-1] for line in lines]):
        for _ in range(4):
            yield face
            face = ["".join(column) for column in zip(*face[::-1], strict=True)]


def cells_under(drawing, corner, size):
    """The (row, column) cells a drawing covers from a corner on, or None where it leaves the quilt."""
    top, left = divmod(corner, size)
    cells = {
        (top + row, left + column)
        for row, line in enumerate(drawing)
        for column, mark in enumerate(line)
        if mark == "1"
    }
    inside = top + len(drawing) <= size and left + len(drawing[0]) <= size
    return frozenset(cells) if inside else None


def free_cells_of(position):
    size = position.ruleset.quilt_size
    covered = position.players[position.seat_on_turn].covered
    return {divmod(cell, size) for cell in range(size * size) if not covered & 1 << cell}


def purchases_of(position):
    """Every purchase the rules allow, as patch, orientation, corner and cells, by slot, orientation and corner."""
    ruleset, player = position.ruleset, position.players[position.seat_on_turn]
    free = free_cells_of(position)
    for slot in range(min(ruleset.offer_size, len(position.ring))):
        patch = ruleset[position.ring[slot]]
        if patch.cost <= player.buttons:
            for orientation, drawing in enumerate(drawings_of(patch.rows)):
                for corner in range(ruleset.quilt_size**2):
                    cells = cells_under(drawing, corner, ruleset.quilt_size)
                    if cells is not None and cells <= free:
                        yield patch.id, orientation, corner, cells


def expected_actions(position):
    """The legal actions, each set of covered cells of a patch once, in the documented order."""
    if position.seat_on_turn is None:
        return []
    if position.waiting:
        size = position.ruleset.quilt_size
        return [PlaceLeather(row * size + column) for row, column in sorted(free_cells_of(position))]
    actions, known = [Advance()], set()
    for patch, orientation, corner, cells in purchases_of(position):
        if (patch, cells) not in known:
            known.add((patch, cells))
            actions.append(Buy(patch, orientation, corner))
    return actions


@pytest.mark.clause("3.5", "4.6", "5.1", "5.4", "5.8", "6.5", "6.7", "8.4")
@given(positions())
def test_the_list_holds_what_the_rules_allow_in_the_documented_order(position):
    assert list(position.legal_actions) == expected_actions(position)


@pytest.mark.clause("5.4", "5.8")
@given(positions(rulesets=rulesets(shipped=False, quilt_sizes=(3, 5))))
def test_every_orientation_number_of_a_legal_placement_may_be_played_and_no_other_purchase(position):
    legal = set()
    if position.seat_on_turn is not None and not position.waiting:
        legal = {Buy(*purchase[:3]) for purchase in purchases_of(position)}
    for patch, orientation, cell in itertools.product(
        position.ruleset.ways_to_lay, range(-1, 9), range(-1, position.ruleset.quilt_size**2 + 1)
    ):
        action = Buy(patch, orientation, cell)
        assert (action in position.legal_actions) == (action in legal)


@pytest.mark.clause("5.8")
def test_a_higher_number_of_an_equal_orientation_covers_the_same_cells():
    position = situation(ORIGINAL, ring=["p03"])
    assert Buy("p03", 2, 0) not in list(position.legal_actions)
    assert Buy("p03", 2, 0) in position.legal_actions
    assert position.apply(Buy("p03", 2, 0)).position == position.apply(Buy("p03", 0, 0)).position


@pytest.mark.clause("5.8")
@pytest.mark.parametrize(
    ("patch", "placements"),
    [
        ("p01", 2 * 9 * 8),
        ("p10", 8 * 8),
        ("p03", 2 * 9 * 7),
        ("p02", 4 * 8 * 8),
        ("p33", 2 * 7 * 6),
        ("p19", 8 * 8 * 6),
    ],
)
def test_on_an_empty_quilt_a_patch_goes_wherever_its_box_does(patch, placements):
    position = situation(ORIGINAL, buttons=(10, 5), ring=[patch])
    assert len(position.legal_actions) == 1 + placements
    assert len(position.legal_actions.purchases) == placements


@given(positions())
def test_length_truth_indices_iteration_and_membership_agree(position):
    legal = position.legal_actions
    listed = list(legal)
    assert len(legal) == len(listed)
    assert bool(legal) == bool(listed)
    assert [legal[index] for index in range(len(legal))] == listed
    assert [legal[index] for index in range(-len(legal), 0)] == listed
    assert legal[1:7:2] == listed[1:7:2]
    assert list(reversed(legal)) == listed[::-1]
    assert all(action in legal for action in listed)
    assert all(legal.index(action) == place for place, action in enumerate(listed[:5]))
    for index in (len(legal), len(legal) + 7, -len(legal) - 1):
        with pytest.raises(IndexError, match=f"no legal action {index}; there are {len(legal)}$"):
            legal[index]


@pytest.mark.clause("5.4")
@given(positions())
def test_the_purchases_are_those_on_the_list_and_can_be_told_by_patch(position):
    purchases = position.legal_actions.purchases
    listed = [action for action in position.legal_actions if isinstance(action, Buy)]
    assert list(purchases) == listed
    assert len(purchases) == len(listed)
    assert [purchases[index] for index in range(-len(listed), len(listed))] == listed + listed
    assert purchases[1:7:2] == listed[1:7:2]
    for index in (len(listed), -len(listed) - 1):
        with pytest.raises(IndexError, match=f"no placement {index}; there are {len(listed)}$"):
            purchases[index]
    assert purchases.patches == tuple(dict.fromkeys(action.patch for action in listed))
    for patch in [*position.ruleset.ways_to_lay, "nothing"]:
        assert list(purchases.of(patch)) == [action for action in listed if action.patch == patch]


@given(st.data(), positions())
def test_whatever_is_on_the_list_can_be_played(data, position):
    if position.legal_actions:
        index = data.draw(st.integers(0, len(position.legal_actions) - 1))
        after, events = position.apply(position.legal_actions[index])
        assert events
        assert after != position


@pytest.mark.clause("8.3")
def test_full_quilts_with_turns_left_are_reached(reach):
    game = reach(
        games(rulesets=rulesets(shipped=False, quilt_sizes=(3, 3))),
        lambda game: any(
            position.seat_on_turn is not None and position.players[position.seat_on_turn].covered == game.ruleset.quilt
            for position in game.positions
        ),
    )
    for position in game.positions:
        if position.seat_on_turn is not None and not free_cells_of(position):
            assert list(position.legal_actions) == [Advance()]


@pytest.mark.clause("5.8", "6.5")
def test_whole_numbers_of_numpy_are_whole_numbers():
    ruleset = Ruleset.load("original")
    position = Position.start(ruleset, [patch.id for patch in ruleset.patches])
    action = Buy("p02", np.int64(1), np.uint8(70))
    assert action == Buy("p02", 1, 70)
    assert type(action.cell) is type(action.orientation) is int
    assert position.apply(action).position.players[0].covered.bit_count() == 3
    assert type(PlaceLeather(np.int8(3)).cell) is int
