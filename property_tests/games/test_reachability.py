"""What two tokens can do by the shipped rulesets: every move from every pair of spaces that they can stand on."""

from functools import cache

import pytest
from hypothesis import given

from patchstats.rules import Advance, Ruleset
from patchstats.rules.events import Finished, Income, LeatherTaken, Moved
from patchstats.testing import games, play_game, rulesets, situation

both_boards = pytest.mark.parametrize("name", ["original", "revised"])


def move_of(action, other_space, events):
    """A move as kind, start, end, space of the other token, income marks, leathers."""
    [moved] = [event for event in events if isinstance(event, Moved)]
    incomes = tuple(event.mark for event in events if isinstance(event, Income))
    leathers = tuple(event.mark for event in events if isinstance(event, LeatherTaken))
    return type(action), moved.start, moved.end, other_space, incomes, leathers


@cache
def every_move(name):
    """All moves of all games by this ruleset, found from the start on with a patch of every time always on offer."""
    patches = {patch.time: patch.id for patch in Ruleset.load(name).patches}.values()
    ruleset = Ruleset.load(name).with_changes({"offer_size": len(patches)})
    moves, known, pending = set(), set(), [((0, 0), 0)]
    while pending:
        spaces, top = pending.pop()
        if (spaces, top) in known or spaces == (ruleset.finish, ruleset.finish):
            continue
        known.add((spaces, top))
        before = situation(ruleset, spaces=spaces, top=top, buttons=(10, 10), ring=list(patches))
        purchases = [before.legal_actions.purchases.of(patch)[0] for patch in patches]
        for action in (Advance(), *purchases):
            after, events = before.apply(action)
            moves.add(move_of(action, spaces[1 - before.seat_on_turn], events))
            pending.append((tuple(player.space for player in after.players), after.top))
    return moves


@pytest.mark.clause("3.1", "4.1", "5.9", "6.1", "6.4", "5.11")
@given(games(rulesets=rulesets(invented=False)))
def test_every_move_of_a_game_is_among_all_the_moves_that_tokens_can_make(game):
    moves = every_move(game.ruleset.name)
    for ply in game.plies:
        if not ply.before.waiting:
            assert move_of(ply.action, ply.before.players[1 - ply.seat].space, ply.events) in moves


@both_boards
@pytest.mark.clause("6.1", "6.2")
def test_two_incomes_come_only_by_an_advance_of_seven_spaces_from_just_before_a_mark(name):
    twice = {(kind, start, end, marks) for kind, start, end, _, marks, _ in every_move(name) if len(marks) > 1}
    marks = Ruleset.load(name).income_marks
    assert twice == {(Advance, mark - 1, mark + 6, (mark, mark + 6)) for mark in marks[:-1]}
    assert (Advance, 4, 11, (5, 11)) in twice
    assert (Advance, 46, 53, (47, 53)) in twice


@both_boards
@pytest.mark.clause("6.4")
def test_an_advance_takes_a_leather_only_by_landing_on_its_mark(name):
    taken = {(end, leathers) for kind, _, end, _, _, leathers in every_move(name) if kind is Advance and leathers}
    assert taken == {(mark, (mark,)) for mark in Ruleset.load(name).leather_marks}


@both_boards
@pytest.mark.clause("6.4", "8.2")
def test_the_move_that_ends_the_game_never_brings_a_leather(name):
    finish = Ruleset.load(name).finish
    last = [leathers for _, _, end, other, _, leathers in every_move(name) if (end, other) == (finish, finish)]
    assert set(last) == {()}


@both_boards
@pytest.mark.clause("6.4", "6.7")
def test_the_last_move_of_the_first_to_finish_can_bring_a_leather(name):
    ruleset = Ruleset.load(name)
    ring = ["p01", "p11", *(patch.id for patch in ruleset.patches if patch.id not in {"p01", "p11"})]
    game = play_game(ruleset, ring, choices=[0] * 52 + [1])
    assert LeatherTaken(0, 50) in game.events[52]
    assert game.events[52][-1] == Finished(0)
    assert (game.final.first_finisher, game.final.players[0].leathers) == (0, 1)


@pytest.mark.clause("5.2", "5.3")
@given(games(rulesets=rulesets(invented=False)))
def test_by_the_shipped_rulesets_patches_of_four_cells_or_more_in_all_always_stay_on_the_ring(game):
    for position in game.positions:
        leathers = sum(player.leathers for player in position.players)
        assert sum(game.ruleset[patch].size for patch in position.ring) >= 166 - 162 + leathers
        assert position.offer
