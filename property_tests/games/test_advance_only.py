"""Two seats that never buy: a whole game that anyone can add up."""

import pytest
from hypothesis import given

from patchstats.rules import Advance, PlaceLeather, Ruleset
from patchstats.rules.events import LeatherTaken
from patchstats.testing import play_game, rulesets

both_boards = pytest.mark.parametrize("name", ["original", "revised"])


def advance_only(ruleset):
    return play_game(ruleset, [patch.id for patch in ruleset.patches], choices=[])


@both_boards
@pytest.mark.clause("4.1", "4.2", "4.5")
def test_each_seat_ends_with_58_buttons(name):
    game = advance_only(Ruleset.load(name))
    assert [player.buttons for player in game.final.players] == [58, 58]
    assert game.actions.count(Advance()) == 27 + 27


@both_boards
@pytest.mark.clause("6.4", "6.5")
def test_the_second_seat_has_taken_all_five_leathers(name):
    game = advance_only(Ruleset.load(name))
    taken = [event for event in game.log if isinstance(event, LeatherTaken)]
    assert [event.mark for event in taken] == list(Ruleset.load(name).leather_marks)
    assert {event.seat for event in taken} == {1}
    assert [player.leathers for player in game.final.players] == [0, 5]
    assert sum(isinstance(action, PlaceLeather) for action in game.actions) == 5


@both_boards
@pytest.mark.clause("9.1", "9.4")
def test_the_second_seat_wins_by_its_leathers_though_the_first_finishes_first(name):
    final = advance_only(Ruleset.load(name)).final
    assert [final.score(0), final.score(1)] == [58 - 162, 58 - 152]
    assert (final.first_finisher, final.winner) == (0, 1)
    assert final.bank == 162 - 116


@pytest.mark.clause("4.1", "4.2", "4.5", "6.2")
@given(rulesets())
def test_by_any_ruleset_each_seat_earns_the_whole_track(ruleset):
    final = advance_only(ruleset).final
    assert [player.buttons for player in final.players] == [ruleset.start_buttons + ruleset.finish] * 2
    assert [player.patches for player in final.players] == [frozenset()] * 2
