"""What makes no difference: which seat is called 0, how a quilt lies on the table, where a ring is begun to read."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.rules import Advance, Buy, PlaceLeather, Position
from patchstats.rules.events import LeatherPlaced, Placed
from patchstats.testing import games, positions

#: The eight symmetries of a square: whether rows and columns change places, are read from below, from the right.
symmetries = st.sampled_from(list(product([False, True], repeat=3)))


def other_seat(seat):
    return None if seat is None else 1 - seat


def with_seats_exchanged(position):
    return replace(
        position,
        players=position.players[::-1],
        top=other_seat(position.top),
        bonus_owner=other_seat(position.bonus_owner),
        first_finisher=other_seat(position.first_finisher),
    )


def turned_cell(cell, size, symmetry):
    row, column = divmod(cell, size)
    exchanged, from_below, from_right = symmetry
    if exchanged:
        row, column = column, row
    if from_below:
        row = size - 1 - row
    if from_right:
        column = size - 1 - column
    return row * size + column


def turned_cells(cells, size, symmetry):
    return sum(1 << turned_cell(cell, size, symmetry) for cell in range(size * size) if cells >> cell & 1)


def with_quilts_turned(position, symmetry_of):
    size = position.ruleset.quilt_size
    players = (
        replace(player, covered=turned_cells(player.covered, size, symmetry))
        for player, symmetry in zip(position.players, symmetry_of, strict=True)
    )
    return replace(position, players=tuple(players))


def turned_event(event, size, symmetry_of):
    match event:
        case Placed(seat, _, cells):
            return replace(event, cells=turned_cells(cells, size, symmetry_of[seat]))
        case LeatherPlaced(seat, cell):
            return replace(event, cell=turned_cell(cell, size, symmetry_of[seat]))
    return event


def purchase_over(position, patch, cells):
    """The purchase on the list that lays the patch over exactly these cells."""
    size = position.ruleset.quilt_size
    places = [divmod(cell, size) for cell in range(size * size) if cells >> cell & 1]
    corner = min(row for row, _ in places) * size + min(column for _, column in places)
    for purchase in position.legal_actions.purchases.of(patch):
        if purchase.cell == corner and Placed(position.seat_on_turn, patch, cells) in position.apply(purchase).events:
            return purchase
    return pytest.fail(f"no purchase lays {patch} over {places}")


def turned_action(ply, turned, symmetry_of):
    """What must be played on the turned quilts in place of the action of a ply."""
    size = turned.ruleset.quilt_size
    match ply.action:
        case Advance():
            return ply.action
        case PlaceLeather(cell):
            return PlaceLeather(turned_cell(cell, size, symmetry_of[ply.seat]))
        case Buy(patch):
            [cells] = [event.cells for event in ply.events if isinstance(event, Placed)]
            return purchase_over(turned, patch, turned_cells(cells, size, symmetry_of[ply.seat]))


@pytest.mark.clause("2.3", "3.1", "3.2", "7.3", "9.4")
@given(games())
def test_with_the_seats_exchanged_every_action_does_the_same_to_the_other_seat(game):
    for ply in game.plies:
        after, events = with_seats_exchanged(ply.before).apply(ply.action)
        assert after == with_seats_exchanged(ply.after)
        assert events == tuple(replace(event, seat=1 - event.seat) for event in ply.events)
        assert after.seat_on_turn == other_seat(ply.after.seat_on_turn)
        assert after.winner == other_seat(ply.after.winner)
        assert [after.score(1), after.score(0)] == [ply.after.score(0), ply.after.score(1)]


@pytest.mark.clause("2.3", "5.4", "6.7")
@given(positions())
def test_with_the_seats_exchanged_the_same_actions_are_legal(position):
    assert list(with_seats_exchanged(position).legal_actions) == list(position.legal_actions)


@pytest.mark.clause("5.8", "6.5", "7.1")
@given(games(), st.tuples(symmetries, symmetries))
def test_on_quilts_that_are_turned_or_flipped_the_same_game_can_be_played(game, symmetry_of):
    turned = with_quilts_turned(game.positions[0], symmetry_of)
    assert turned == game.positions[0]
    for ply in game.plies:
        turned, events = turned.apply(turned_action(ply, turned, symmetry_of))
        assert turned == with_quilts_turned(ply.after, symmetry_of)
        assert events == tuple(turned_event(event, game.ruleset.quilt_size, symmetry_of) for event in ply.events)
        assert len(turned.legal_actions) == len(ply.after.legal_actions)
    assert turned.winner == game.final.winner


@pytest.mark.clause("2.4", "2.5")
@given(games(), st.integers(0, 40))
def test_wherever_the_ring_is_begun_to_read_the_game_is_the_same(game, first):
    first %= len(game.ring)
    position = Position.start(game.ruleset, game.ring[first:] + game.ring[:first])
    for ply in game.plies:
        position, events = position.apply(ply.action)
        assert (position, events) == (ply.after, ply.events)
