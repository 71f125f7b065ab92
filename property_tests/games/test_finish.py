"""Nothing goes beyond the finish: neither a token nor a payment; and the first there is the first there."""

import pytest
from hypothesis import given

from patchstats.rules import Advance, Buy
from patchstats.rules.events import Earned, Finished, Income, Moved, Paid
from patchstats.testing import games, rulesets


def moves_of(game):
    for ply in game.plies:
        for event in ply.events:
            if isinstance(event, Moved):
                yield ply, event


def overshooting_purchases_of(game):
    """The purchases that would have gone beyond the finish."""
    for ply, moved in moves_of(game):
        if isinstance(ply.action, Buy) and moved.start + game.ruleset[ply.action.patch].time > game.ruleset.finish:
            yield ply, moved


@pytest.mark.clause("1.3", "4.5", "5.9")
@given(games())
def test_no_token_goes_beyond_the_finish_or_back(game):
    spaces = [0, 0]
    for ply, moved in moves_of(game):
        assert moved.start == spaces[moved.seat] < moved.end <= game.ruleset.finish
        spaces[moved.seat] = moved.end
        assert [player.space for player in ply.after.players] == spaces
    assert spaces == [game.ruleset.finish] * 2


@pytest.mark.clause("4.2", "4.5")
@given(games())
def test_an_advance_is_paid_for_real_spaces_only(game):
    for ply, moved in moves_of(game):
        earned = [event.buttons for event in ply.events if isinstance(event, Earned)]
        assert earned == ([moved.end - moved.start] if isinstance(ply.action, Advance) else [])


@pytest.mark.clause("5.11")
@given(games())
def test_a_purchase_beyond_the_finish_is_paid_in_full_and_placed_in_full(game):
    for ply, moved in overshooting_purchases_of(game):
        patch = game.ruleset[ply.action.patch]
        before, after = ply.before.players[moved.seat], ply.after.players[moved.seat]
        assert [event.buttons for event in ply.events if isinstance(event, Paid)] == [patch.cost]
        assert after.covered.bit_count() - before.covered.bit_count() == patch.size
        assert after.space == moved.end == game.ruleset.finish
        income = sum(event.buttons for event in ply.events if isinstance(event, Income))
        assert after.buttons == before.buttons - patch.cost + income


@pytest.mark.clause("5.11")
@pytest.mark.parametrize("kind", [{"invented": False}, {"shipped": False}], ids=["shipped", "invented"])
def test_purchases_beyond_the_finish_are_reached_that_cost_something(reach, kind):
    game = reach(
        games(rulesets=rulesets(**kind)),
        lambda game: any(game.ruleset[ply.action.patch].cost for ply, _ in overshooting_purchases_of(game)),
    )
    ply, _ = next(overshooting_purchases_of(game))
    assert isinstance(ply.events[-1], Finished)


@pytest.mark.clause("4.5")
def test_advances_cut_short_by_the_finish_are_reached(reach):
    reach(
        games(rulesets=rulesets(invented=False)),
        lambda game: any(
            isinstance(ply.action, Advance) and ply.before.players[1 - moved.seat].space == game.ruleset.finish
            for ply, moved in moves_of(game)
        ),
    )


@pytest.mark.clause("6.3")
@given(games())
def test_a_mark_on_the_finish_pays_each_seat_once_as_it_arrives(game):
    finish = game.ruleset.finish
    paid = [
        (event.seat, moved.seat)
        for ply, moved in moves_of(game)
        for event in ply.events
        if isinstance(event, Income) and event.mark == finish and moved.end == finish
    ]
    if finish in game.ruleset.income_marks:
        assert sorted(paid) == [(0, 0), (1, 1)]
    assert sum(isinstance(event, Income) and event.mark == finish for event in game.log) == len(paid)


@pytest.mark.clause("9.4", "8.1")
@given(games())
def test_the_first_finisher_is_the_first_seat_on_the_finish_and_never_changes(game):
    first = None
    for position in game.positions:
        if first is None:
            first = next((seat for seat in (0, 1) if position.players[seat].space == game.ruleset.finish), None)
        assert position.first_finisher == first
    assert first is not None
