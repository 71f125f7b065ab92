"""The score can be told in two ways: from the table at the end, and from nothing but what happened."""

import pytest
from hypothesis import given

from patchstats.rules.events import (
    BonusWon,
    Earned,
    Finished,
    Income,
    LeatherPlaced,
    Paid,
    Placed,
)
from patchstats.testing import games, rulesets


def scores_from_log(game):
    """Both scores and the winner, from the events and the ruleset alone."""
    ruleset = game.ruleset
    empty = ruleset.quilt_size * ruleset.quilt_size
    scores = [ruleset.start_buttons - ruleset.empty_cell_penalty * empty] * 2
    finished = []
    for event in game.log:
        match event:
            case Paid(seat, buttons):
                scores[seat] -= buttons
            case Earned(seat, buttons) | Income(seat, _, buttons):
                scores[seat] += buttons
            case Placed(seat, patch, _):
                scores[seat] += ruleset.empty_cell_penalty * ruleset[patch].size
            case LeatherPlaced(seat, _):
                scores[seat] += ruleset.empty_cell_penalty
            case BonusWon(seat):
                scores[seat] += ruleset.bonus_points
            case Finished(seat):
                finished.append(seat)
    winner = finished[0] if scores[0] == scores[1] else scores.index(max(scores))
    return scores, winner


@pytest.mark.clause("9.1", "9.2", "7.4")
@given(games())
def test_the_score_of_the_final_position_is_the_score_of_the_event_log(game):
    scores, winner = scores_from_log(game)
    assert [game.final.score(0), game.final.score(1)] == scores
    assert game.final.winner == winner


@pytest.mark.clause("9.1")
@given(games())
def test_an_advance_never_lowers_a_score_and_a_leather_raises_it_by_one_penalty(game):
    for ply in game.plies:
        seat = ply.before.seat_on_turn
        change = ply.after.score(seat) - ply.before.score(seat)
        bonus = game.ruleset.bonus_points * any(isinstance(event, BonusWon) for event in ply.events)
        if isinstance(ply.events[0], LeatherPlaced):
            assert change == game.ruleset.empty_cell_penalty + bonus
        elif isinstance(ply.events[0], Paid):
            patch = game.ruleset[ply.action.patch]
            income = sum(event.buttons for event in ply.events if isinstance(event, Income))
            assert change == game.ruleset.empty_cell_penalty * patch.size + bonus + income - patch.cost
        else:
            assert change > 0
        assert ply.after.score(1 - seat) == ply.before.score(1 - seat)


@pytest.mark.clause("7.4", "9.4")
def test_games_decided_by_the_bonus_and_by_the_first_finisher_are_reached(reach):
    def margin(game):
        return abs(game.final.score(0) - game.final.score(1))

    reach(
        games(rulesets=rulesets(shipped=False, quilt_sizes=(3, 5))),
        lambda game: game.final.bonus_owner == game.final.winner and 0 < margin(game) < game.ruleset.bonus_points,
        lambda game: margin(game) == 0,
    )
