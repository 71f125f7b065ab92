"""Section 4 of the rulebook: the advance."""

import pytest
from hypothesis import given

from patchstats.rules import Advance, Buy, Ruleset
from patchstats.rules.events import Earned, Income, Moved
from patchstats.testing import buy, games, positions, rulesets, situation

ORIGINAL = Ruleset.load("original")


def advances_of(game):
    """The plies that are advances, each with its events by kind."""
    for ply in game.plies:
        if isinstance(ply.action, Advance):
            by_kind = {Moved: [], Earned: [], Income: []}
            for event in ply.events:
                by_kind.setdefault(type(event), []).append(event)
            yield ply, by_kind


@pytest.mark.clause("4.1", "4.2", "4.3")
@pytest.mark.parametrize(
    ("spaces", "buttons", "income", "space_after", "buttons_after"),
    [
        pytest.param((12, 15), 2, 0, 16, 6, id="a button for each of four spaces"),
        pytest.param((9, 12), 1, 3, 13, 8, id="four spaces and an income of 3"),
        pytest.param((4, 4), 5, 2, 5, 8, id="one space, onto a mark"),
        pytest.param((4, 10), 5, 1, 11, 14, id="seven spaces and two marks"),
        pytest.param((5, 9), 0, 4, 10, 5, id="away from a mark, which pays nothing again"),
        pytest.param((50, 53), 7, 4, 53, 14, id="onto the finish, not beyond it"),
        pytest.param((51, 53), 23, 16, 53, 41, id="two spaces onto the finish"),
        pytest.param((52, 53), 10, 6, 53, 17, id="the last space"),
        pytest.param((52, 52), 0, 0, 53, 1, id="from a shared space"),
    ],
)
def test_an_advance_pays_for_its_spaces_and_for_the_marks_it_crosses(
    spaces, buttons, income, space_after, buttons_after
):
    position = situation(ORIGINAL, spaces=spaces, buttons=(buttons, 0), income=(income, 0))
    assert position.seat_on_turn == 0
    after, _ = position.apply(Advance())
    assert (after.players[0].space, after.players[0].buttons) == (space_after, buttons_after)
    assert after.players[1] == position.players[1]


@pytest.mark.clause("4.1", "4.5")
@given(games())
def test_an_advance_ends_one_space_beyond_the_other_token_at_most_on_the_finish(game):
    for ply, events in advances_of(game):
        [moved] = events[Moved]
        other = ply.before.players[1 - moved.seat]
        assert moved.end == min(other.space + 1, game.ruleset.finish)


@pytest.mark.clause("4.2", "4.3", "4.5")
@given(games())
def test_an_advance_brings_a_button_a_space_and_the_income_of_the_marks_and_no_more(game):
    for ply, events in advances_of(game):
        [moved], [earned] = events[Moved], events[Earned]
        assert earned.buttons == moved.end - moved.start
        gained = ply.after.players[moved.seat].buttons - ply.before.players[moved.seat].buttons
        assert gained == earned.buttons + sum(event.buttons for event in events[Income])


@pytest.mark.clause("4.3")
@given(games())
def test_the_spaces_are_paid_before_the_marks(game):
    for ply, _ in advances_of(game):
        assert [type(event) for event in ply.events[:2]] == [Moved, Earned]


@pytest.mark.clause("4.1", "6.2")
def test_an_advance_of_seven_spaces_crosses_two_income_marks():
    position = situation(ORIGINAL, ring=["p31", "p12", "p22", "p25"])
    for patch in position.ring:
        position, _ = buy(position, patch)
    first, second = position.players
    assert (first.space, first.buttons, first.income) == (4, 4, 1)
    assert (second.space, second.buttons, second.income) == (10, 2, 2)
    assert position.seat_on_turn == 0
    after, events = position.apply(Advance())
    assert (after.players[0].space, after.players[0].buttons) == (11, 13)
    assert [event.mark for event in events if isinstance(event, Income)] == [5, 11]
    assert after.seat_on_turn == 1


@pytest.mark.clause("4.1")
@given(games(rulesets=rulesets(invented=False)))
def test_by_the_shipped_rulesets_tokens_are_at_most_six_spaces_apart_and_an_advance_moves_at_most_seven(game):
    for position in game.positions:
        first, second = position.players
        assert abs(first.space - second.space) <= 6
    for _, events in advances_of(game):
        [moved] = events[Moved]
        assert moved.end - moved.start <= 7


@pytest.mark.clause("4.1", "4.4", "4.6")
@given(positions())
def test_there_is_one_advance_on_every_turn_and_none_while_a_leather_waits_or_after_the_end(position):
    advances = [action for action in position.legal_actions if isinstance(action, Advance)]
    on_turn = not position.finished and not position.waiting
    assert advances == ([Advance()] if on_turn else [])
    assert (Advance() in position.legal_actions) == on_turn


@pytest.mark.clause("4.4")
def test_an_advance_leaves_no_choice_of_space():
    with pytest.raises(TypeError):
        Advance(space=3)


@pytest.mark.clause("4.6", "5.4")
@pytest.mark.parametrize(
    "without_a_purchase",
    [
        pytest.param({"buttons": (0, 5), "ring": ["p02", "p03", "p04"]}, id="nothing can be paid"),
        pytest.param({"buttons": (20, 5), "covered": (range(0, 81, 2), ())}, id="nothing can be placed"),
        pytest.param({"ring": []}, id="nothing is on offer"),
    ],
)
def test_an_advance_is_the_only_action_when_no_patch_can_be_bought(without_a_purchase):
    position = situation(ORIGINAL, **without_a_purchase)
    assert list(position.legal_actions) == [Advance()]
    assert position.legal_actions.purchases.patches == ()


@pytest.mark.clause("4.6")
def test_games_reach_turns_without_a_purchase(reach):
    reach(
        games(),
        lambda game: any(
            len(position.legal_actions) == 1 and not position.waiting and position.players[0].covered
            for position in game.positions
        ),
        lambda game: any(isinstance(action, Buy) for action in game.actions[-6:]),
    )
