"""Section 3 of the rulebook: whose turn it is, and that a turn moves one token on."""

import pytest
from hypothesis import given

from patchstats.errors import IllegalAction
from patchstats.rules import Advance, Buy, PlaceLeather, Ruleset
from patchstats.rules.events import Moved
from patchstats.testing import buy, games, situation

ORIGINAL = Ruleset.load("original")


def turns_of(game):
    """The plies that are turns, each with its move and the seat whose token moved last before it, at first seat 0."""
    top = 0
    for ply in game.plies:
        if not isinstance(ply.action, PlaceLeather):
            [moved] = [event for event in ply.events if isinstance(event, Moved)]
            yield ply, moved, top
            top = moved.seat


@pytest.mark.clause("3.1", "3.2", "3.3")
@given(games())
def test_the_token_further_behind_acts_and_on_a_shared_space_the_last_to_arrive(game):
    for ply, moved, arrived_last in turns_of(game):
        own, other = ply.before.players[moved.seat].space, ply.before.players[1 - moved.seat].space
        assert own <= other
        if own == other:
            assert moved.seat == arrived_last


@pytest.mark.clause("3.1", "3.3")
def test_a_seat_that_buys_and_is_still_behind_acts_again():
    position = situation(ORIGINAL, spaces=(6, 0), ring=["p03", "p07", "p05"])
    after, _ = buy(position, "p03")
    assert (after.players[1].space, after.players[1].buttons) == (2, 3)
    assert after.seat_on_turn == 1


@pytest.mark.clause("3.2", "5.12")
def test_a_seat_that_lands_on_the_other_token_acts_again():
    position, _ = buy(situation(ORIGINAL, ring=["p02", "p32", "p06"]), "p02")
    assert (position.players[0].space, position.players[0].buttons, position.seat_on_turn) == (3, 4, 1)
    position, _ = buy(position, "p32")
    assert (position.players[1].space, position.players[1].buttons) == (3, 3)
    assert (position.top, position.seat_on_turn) == (1, 1)

    advanced, _ = position.apply(Advance())
    assert (advanced.players[1].space, advanced.players[1].buttons, advanced.seat_on_turn) == (4, 4, 0)

    bought, _ = buy(position, "p06")
    assert (bought.players[1].space, bought.players[1].buttons, bought.players[1].income) == (5, 1, 1)
    assert bought.seat_on_turn == 0


@pytest.mark.clause("3.2")
@pytest.mark.parametrize("top", [0, 1])
def test_the_seat_number_does_not_decide_on_a_shared_space(top):
    assert situation(ORIGINAL, spaces=(12, 12), top=top).seat_on_turn == top


@pytest.mark.clause("3.2")
def test_shared_spaces_are_reached_with_either_token_on_top(reach):
    def seats_on_top(game):
        return {
            moved.seat
            for ply, moved, _ in turns_of(game)
            if ply.before.players[0].space == ply.before.players[1].space > 0
        }

    reach(games(), lambda game: 0 in seats_on_top(game), lambda game: 1 in seats_on_top(game))


@pytest.mark.clause("3.3", "6.7")
def test_the_seat_that_gained_a_leather_places_it_before_the_token_behind_acts():
    position = situation(ORIGINAL, spaces=(18, 19), ring=["p07"])
    position, _ = buy(position, "p07")
    assert (position.players[0].space, position.waiting, position.seat_on_turn) == (21, 1, 0)
    position, _ = position.apply(PlaceLeather(80))
    assert position.seat_on_turn == 1


@pytest.mark.clause("3.4", "8.1")
def test_the_other_seat_takes_all_turns_when_one_token_is_on_the_finish():
    position = situation(ORIGINAL, spaces=(53, 45), buttons=(0, 9))
    assert position.seat_on_turn == 1
    position, _ = buy(position, "p02")
    assert (position.players[1].space, position.seat_on_turn) == (48, 1)


@pytest.mark.clause("3.4")
@given(games())
def test_a_seat_on_the_finish_takes_no_further_turn(game):
    arrived = set()
    for _, moved, _ in turns_of(game):
        assert moved.seat not in arrived
        if moved.end == game.ruleset.finish:
            arrived.add(moved.seat)
    assert arrived == {0, 1}


@pytest.mark.clause("3.5")
@given(games())
def test_a_turn_moves_one_token_by_at_least_one_space_and_placing_a_leather_moves_none(game):
    for before, action, events, after in game.plies:
        spaces = [player.space for player in before.players], [player.space for player in after.players]
        if isinstance(action, PlaceLeather):
            assert spaces[0] == spaces[1]
        else:
            [moved] = [event for event in events if isinstance(event, Moved)]
            assert moved.end > moved.start
            assert moved.start == spaces[0][moved.seat]
            assert moved.end == spaces[1][moved.seat]
            assert spaces[0][1 - moved.seat] == spaces[1][1 - moved.seat]


@pytest.mark.clause("3.5")
@given(games())
def test_an_action_changes_nothing_that_is_the_other_seats(game):
    for before, _, events, after in game.plies:
        seats = {event.seat for event in events}
        assert len(seats) == 1
        other = 1 - seats.pop()
        assert after.players[other] == before.players[other]


@pytest.mark.clause("3.5")
@pytest.mark.parametrize("action", [None, "pass", "advance", 0, (), Advance, ("p02", 0, 0)])
def test_there_is_no_passing_and_nothing_else_that_is_an_action(action):
    position = situation(ORIGINAL)
    assert action not in position.legal_actions
    with pytest.raises(IllegalAction, match="advance, buy or place a leather") as refusal:
        position.apply(action)
    assert refusal.value.clause == "3.5"


@pytest.mark.clause("3.5")
@given(games())
def test_every_ply_is_one_of_the_three_actions(game):
    for ply in game.plies:
        expected = PlaceLeather if ply.before.waiting else (Advance, Buy)
        assert isinstance(ply.action, expected)
