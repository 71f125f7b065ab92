"""Section 8 of the rulebook: the end of the game."""

import pytest
from hypothesis import given

from patchstats.errors import IllegalAction
from patchstats.rules import Advance, Buy, PlaceLeather, Position, Ruleset
from patchstats.rules.events import BonusWon, Earned, Finished, Income, LeatherTaken, Moved, Paid, Placed
from patchstats.testing import games, situation

ORIGINAL = Ruleset.load("original")


@pytest.mark.clause("8.1")
def test_one_token_on_the_finish_does_not_end_the_game():
    position = situation(ORIGINAL, spaces=(53, 45))
    assert not position.finished
    assert (position.seat_on_turn, position.winner) == (1, None)
    after, _ = position.apply(Advance())
    assert after.finished
    assert after.seat_on_turn is None


@pytest.mark.clause("8.1", "8.4")
@given(games())
def test_the_game_ends_when_both_tokens_are_on_the_finish_and_not_before(game):
    for position in game.positions[:-1]:
        both = all(player.space == game.ruleset.finish for player in position.players)
        assert not both or position.waiting
        assert not position.finished
        assert position.legal_actions
        assert position.winner is None
    assert [player.space for player in game.final.players] == [game.ruleset.finish] * 2
    assert game.final.waiting == 0
    assert game.final.winner in (0, 1)


@pytest.mark.clause("8.1", "9.4")
@given(games())
def test_each_seat_finishes_once(game):
    assert sorted(event.seat for event in game.log if isinstance(event, Finished)) == [0, 1]


@pytest.mark.clause("8.2", "6.3", "7.2")
def test_the_last_turn_is_carried_out_in_full():
    """A purchase that pays, wins the bonus, overshoots the finish and gets the income there."""
    corner = {0, 1, 9}
    square = {row * 9 + column for row in range(7) for column in range(7)}
    position = situation(
        ORIGINAL, spaces=(53, 52), buttons=(0, 4), income=(0, 6), covered=((), square - corner), ring=["p02"]
    )
    after, events = position.apply(Buy("p02", 0, 0))
    assert [type(event) for event in events] == [Paid, Placed, BonusWon, Moved, Income, Finished]
    assert after.finished
    assert after.bonus_owner == 1
    assert (after.players[1].space, after.players[1].buttons) == (53, 4 - 1 + 6)
    assert after.score(1) == 9 + 7 - 2 * (81 - 49)


@pytest.mark.clause("8.2", "6.7")
def test_a_leather_gained_by_the_last_turn_counts():
    ruleset = ORIGINAL.with_changes({"leather_marks": [53]})
    position = situation(ruleset, spaces=(53, 52), leather_marks=[53])
    after, events = position.apply(Advance())
    assert [type(event) for event in events] == [Moved, Earned, Income, LeatherTaken, Finished]
    assert not after.finished
    after, _ = after.apply(PlaceLeather(0))
    assert after.finished
    assert after.empty_cells(1) == 80


@pytest.mark.clause("8.3", "4.6")
def test_a_full_quilt_does_not_end_the_game_and_leaves_only_the_advance():
    position = situation(ORIGINAL, spaces=(40, 45), buttons=(50, 5), covered=(range(81), ()))
    assert not position.finished
    assert list(position.legal_actions) == [Advance()]
    after, _ = position.apply(Advance())
    assert (after.players[0].space, after.seat_on_turn) == (46, 1)


@pytest.mark.clause("8.4")
@pytest.mark.parametrize("action", [Advance(), Buy("p01", 0, 80), PlaceLeather(80)])
def test_after_the_end_every_action_is_refused(action):
    position = situation(ORIGINAL, spaces=(53, 53), buttons=(38, 10), covered=(range(72), ()), ring=["p01"])
    assert action not in position.legal_actions
    assert not position.legal_actions
    with pytest.raises(IllegalAction, match="the game is over") as refusal:
        position.apply(action)
    assert refusal.value.clause == "8.4"
    assert position.score(0) == 20


@pytest.mark.clause("8.1")
@given(games())
def test_every_position_on_the_way_follows_from_the_one_before(game):
    position = Position.start(game.ruleset, game.ring)
    for action, recorded in zip(game.actions, game.positions[1:], strict=True):
        position = position.apply(action).position
        assert position == recorded
