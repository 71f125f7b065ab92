"""Section 9 of the rulebook: scores, ties and the bank."""

import pytest
from hypothesis import given

from patchstats.rules import Advance, Ruleset
from patchstats.rules.cells import cells_in
from patchstats.rules.events import Finished
from patchstats.testing import games, rulesets, situation

ORIGINAL = Ruleset.load("original")


def final(*, buttons, empty, top=1, bonus_owner=None, income=(0, 0)):
    """The end of a game with these buttons and empty cells; seat `top` finished last."""
    covered = tuple(range(81 - cells) for cells in empty)
    return situation(
        ORIGINAL, spaces=(53, 53), top=top, buttons=buttons, covered=covered, bonus_owner=bonus_owner, income=income
    )


@pytest.mark.clause("9.1", "9.2")
@pytest.mark.parametrize(
    ("buttons", "empty", "income", "bonus_owner", "score"),
    [
        pytest.param(20, 8, 0, 0, 11, id="the example of the rulebook"),
        pytest.param(14, 5, 0, 0, 11, id="two points for each empty cell"),
        pytest.param(14, 5, 9, 0, 11, id="the income does not score"),
        pytest.param(18, 2, 0, None, 14, id="without the bonus"),
        pytest.param(18, 2, 0, 1, 14, id="the other seat has the bonus"),
        pytest.param(41, 10, 0, 0, 28, id="41 buttons and the bonus"),
        pytest.param(41, 10, 16, None, 21, id="41 buttons"),
        pytest.param(12, 5, 0, None, 2, id="a nearly full quilt"),
        pytest.param(38, 9, 0, 0, 27, id="38 buttons and the bonus"),
        pytest.param(0, 0, 0, None, 0, id="nothing at all"),
    ],
)
def test_the_score_is_buttons_and_bonus_less_two_for_each_empty_cell(buttons, empty, income, bonus_owner, score):
    position = final(buttons=(buttons, 0), empty=(empty, 81), income=(income, 0), bonus_owner=bonus_owner)
    assert position.empty_cells(0) == empty
    assert position.score(0) == score


@pytest.mark.clause("9.1")
@pytest.mark.parametrize("seat", [0, 1])
def test_the_bonus_and_the_penalty_are_those_of_the_ruleset(seat):
    ruleset = ORIGINAL.with_changes({"bonus_points": 10, "empty_cell_penalty": 3})
    position = situation(ruleset, buttons=(50, 60), covered=(range(80), range(79)), bonus_owner=seat)
    assert position.score(seat) == (50 - 3 + 10, 60 - 6 + 10)[seat]
    assert position.score(1 - seat) == (50 - 3, 60 - 6)[1 - seat]


@pytest.mark.clause("9.1", "9.3", "7.3")
@given(games())
def test_the_score_counts_every_cell_of_the_quilt_that_is_not_covered(game):
    ruleset = game.ruleset
    for seat, player in enumerate(game.final.players):
        empty = ruleset.quilt_size**2 - len(list(cells_in(player.covered)))
        bonus = ruleset.bonus_points if game.final.bonus_owner == seat else 0
        assert game.final.score(seat) == player.buttons + bonus - ruleset.empty_cell_penalty * empty


@pytest.mark.clause("9.3")
@pytest.mark.parametrize(
    ("buttons", "empty", "scores", "winner"),
    [
        pytest.param((6, 9), (20, 22), (-34, -35), 0, id="both below zero"),
        pytest.param((9, 6), (22, 20), (-35, -34), 1, id="both below zero, the other way round"),
        pytest.param((30, 10), (12, 4), (6, 2), 0, id="more empty cells, and more buttons"),
        pytest.param((0, 1), (0, 1), (0, -1), 0, id="nothing beats less than nothing"),
    ],
)
def test_the_higher_score_wins_also_below_zero(buttons, empty, scores, winner):
    for top in (0, 1):
        position = final(buttons=buttons, empty=empty, top=top)
        assert (position.score(0), position.score(1)) == scores
        assert position.winner == winner


@pytest.mark.clause("9.4")
@pytest.mark.parametrize("first_finisher", [0, 1])
def test_on_equal_scores_the_seat_that_finished_first_wins(first_finisher):
    position = final(buttons=(10, 12), empty=(4, 5), top=1 - first_finisher)
    assert position.score(0) == position.score(1)
    assert position.winner == first_finisher


@pytest.mark.clause("9.4")
@given(games())
def test_the_first_to_finish_wins_a_tie_and_lies_underneath_at_the_end(game):
    first, last = (event.seat for event in game.log if isinstance(event, Finished))
    scores = game.final.score(0), game.final.score(1)
    assert game.final.winner == (first if scores[0] == scores[1] else scores.index(max(scores)))
    assert (game.final.first_finisher, game.final.top) == (first, last)


@pytest.mark.clause("9.4")
def test_ties_are_reached_with_either_seat_first(reach):
    reach(
        games(rulesets=rulesets(shipped=False)),
        lambda game: game.final.score(0) == game.final.score(1) and game.final.winner == 0,
        lambda game: game.final.score(0) == game.final.score(1) and game.final.winner == 1,
    )


@pytest.mark.clause("9.5")
def test_the_bank_pays_in_full_when_it_is_empty():
    ruleset = ORIGINAL.with_changes({"button_supply": 12})
    position = situation(ruleset, spaces=(51, 53), buttons=(5, 5), income=(9, 0))
    assert position.bank == 2
    after, _ = position.apply(Advance())
    assert after.players[0].buttons == 5 + 2 + 9
    assert after.bank == -9


@pytest.mark.clause("9.5")
def test_banks_below_zero_are_reached(reach):
    reach(games(), lambda game: game.final.bank < 0)


@pytest.mark.clause("9.5")
@given(games())
def test_the_supply_changes_nothing_but_the_bank(game):
    richer = game.ruleset.with_changes({"button_supply": game.ruleset.button_supply + 1000})
    position = type(game.final).start(richer, game.ring)
    for action in game.actions:
        position = position.apply(action).position
    assert position.players == game.final.players
    assert position.bank == game.final.bank + 1000
