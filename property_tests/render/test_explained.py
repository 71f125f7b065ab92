"""Which clauses a ply touches: told in another way, from the positions before and after it."""

import pytest
from hypothesis import given, settings

from patchstats.conformance.golden import golden_games
from patchstats.notation import parse_record, replay_record, start_of
from patchstats.render.explained import clauses_of, explained, setup
from patchstats.render.story import event_words
from patchstats.rules import Advance, Buy, PlaceLeather, Ply, Position, Ruleset
from patchstats.rules.events import Earned, Income, LeatherPlaced, LeatherTaken, Moved, Placed
from patchstats.rules.rulebook import clauses
from patchstats.testing import games

NUMBERS = [clause.number for clause in clauses()]
#: Clauses that a game obeys without any ply that shows them: what there is, and what may not be done.
OF_NO_PLY = {"1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "8.4", "9.2"}

few = settings(max_examples=max(1, settings().max_examples // 4))


@few
@given(games())
def test_everything_that_happened_is_explained_once_and_in_order(game):
    for ply in game.plies:
        told = [step.words for step in explained(ply)]
        happened = [event_words(event) for event in ply.events if not isinstance(event, Placed | LeatherPlaced)]
        assert [words for words in told[2:] if words in happened] == happened
        assert all(step.clauses for step in explained(ply))


@few
@given(games())
def test_every_clause_that_is_named_is_in_the_rulebook_and_named_in_order(game):
    for ply in game.plies:
        touched = clauses_of(ply)
        assert list(touched) == [number for number in NUMBERS if number in touched]


#: For a clause, when it is touched, as a question about the ply.
WHEN = {
    "3.1": lambda ply: not ply.before.waiting and ply.before.players[0].space != ply.before.players[1].space,
    "3.3": lambda ply: not ply.after.waiting and ply.after.seat_on_turn == ply.seat,
    "4.2": lambda ply: isinstance(ply.action, Advance),
    "4.3": lambda ply: isinstance(ply.action, Advance) and any(isinstance(event, Income) for event in ply.events),
    "4.5": lambda ply: isinstance(ply.action, Advance) and other(ply).space == ply.before.ruleset.finish,
    "4.6": lambda ply: isinstance(ply.action, Advance) and len(ply.before.legal_actions) == 1,
    "5.2": lambda ply: isinstance(ply.action, Buy) and len(ply.before.offer) < ply.before.ruleset.offer_size,
    "5.3": lambda ply: isinstance(ply.action, Advance) and not ply.before.ring,
    "5.8": lambda ply: isinstance(ply.action, Buy),
    "5.10": lambda ply: (
        isinstance(ply.action, Buy)
        and ply.before.ruleset[ply.action.patch].income > 0
        and any(isinstance(event, Income) for event in ply.events)
    ),
    "5.11": lambda ply: (
        isinstance(ply.action, Buy)
        and acting(ply).space + ply.before.ruleset[ply.action.patch].time > ply.before.ruleset.finish
    ),
    "5.12": lambda ply: isinstance(ply.action, Buy) and ply.after.players[0].space == ply.after.players[1].space,
    "6.2": lambda ply: any(isinstance(event, Income) for event in ply.events),
    "6.4": lambda ply: len(ply.after.leather_marks) < len(ply.before.leather_marks),
    "6.5": lambda ply: isinstance(ply.action, PlaceLeather),
    "6.7": lambda ply: ply.before.waiting > 0,
    "6.8": lambda ply: ply.after.set_aside > ply.before.set_aside,
    "7.1": lambda ply: ply.after.bonus_owner != ply.before.bonus_owner,
    "8.1": lambda ply: ply.after.finished,
    "8.3": lambda ply: isinstance(ply.action, Advance) and acting(ply).covered == ply.before.ruleset.quilt,
    "9.3": lambda ply: ply.after.finished and min(ply.after.score(0), ply.after.score(1)) < 0,
    "9.4": lambda ply: ply.after.finished and ply.after.score(0) == ply.after.score(1),
}


def acting(ply):
    return ply.before.players[ply.seat]


def other(ply):
    return ply.before.players[1 - ply.seat]


def check_clauses(plies):
    for ply in plies:
        touched = clauses_of(ply)
        for clause, at_work in WHEN.items():
            assert (clause in touched) == bool(at_work(ply)), clause


@given(games())
def test_a_clause_is_named_exactly_when_it_is_at_work(game):
    check_clauses(game.plies)


@pytest.mark.parametrize("game", golden_games(), ids=lambda game: game.name)
def test_clauses_of_golden_games_are_named_exactly_when_they_are_at_work(game):
    check_clauses(replay_record(parse_record(game.written(), game.rules)))


def test_a_purchase_that_ends_exactly_on_the_finish_does_not_go_past_it():
    rules = Ruleset.load("original").with_changes({"finish": 3, "income_marks": [3], "leather_marks": []})
    start = Position.start(rules, [patch.id for patch in rules.patches])
    assert rules["p02"].time == 3
    assert "5.11" not in clauses_of(Ply.played(start, Buy("p02", 0, 0)))
    ahead = Ply.played(Ply.played(start, Advance()).after, Advance()).after  # seat 0 on space 1, seat 1 on space 2
    assert "5.11" in clauses_of(Ply.played(ahead, Buy("p02", 0, 0)))


@given(games())
def test_each_step_names_that_the_other_seat_has_finished_where_it_matters(game):
    for ply in game.plies:
        alone = other(ply).space == ply.before.ruleset.finish
        steps = {step.words: step.clauses for step in explained(ply)}
        assert ("3.4" in explained(ply)[0].clauses) == (alone and not ply.before.waiting)
        of_advance = [event_words(event) for event in ply.events if isinstance(event, Moved | Earned)]
        if isinstance(ply.action, Advance):
            assert ["4.5" in steps[words] for words in of_advance] == [alone] * len(of_advance)


def test_the_bank_is_named_when_it_owes_and_not_yet_when_it_is_empty():
    rules = Ruleset.load("original").with_changes({"button_supply": 11})
    first = Ply.played(Position.start(rules, [patch.id for patch in rules.patches]), Advance())
    second = Ply.played(first.after, Advance())
    assert (first.after.bank, second.after.bank) == (0, -2)
    assert ["9.5" in clauses_of(ply) for ply in (first, second)] == [False, True]


@few
@given(games())
def test_the_order_of_marks_is_named_when_there_are_two_or_one_pays_nothing(game):
    for ply in game.plies:
        marks = [event for event in ply.events if isinstance(event, Income | LeatherTaken)]
        nothing = [isinstance(event, Income) and event.buttons == 0 for event in marks]
        named = {step.words: "6.6" in step.clauses for step in explained(ply)}
        assert [named[event_words(event)] for event in marks] == [len(marks) > 1 or none for none in nothing]
        assert ("6.6" in clauses_of(ply)) == (len(marks) > 1 or any(nothing))


@few
@given(games())
def test_a_leather_in_a_hole_names_that_clause(game):
    for ply in game.plies:
        if isinstance(ply.action, PlaceLeather):
            size = ply.before.ruleset.quilt_size
            row, column = divmod(ply.action.cell, size)
            empty = [
                (y, x)
                for y in range(size)
                for x in range(size)
                if abs(y - row) + abs(x - column) == 1 and not acting(ply).covered >> (y * size + x) & 1
            ]
            assert ("6.9" in clauses_of(ply)) == (not empty)


@few
@given(games())
def test_a_bonus_that_comes_too_late_is_named(game):
    def complete(position, seat):
        squares = position.ruleset.bonus_squares
        return any(square & ~position.players[seat].covered == 0 for square in squares)

    for ply in game.plies:
        late = complete(ply.after, ply.seat) and not complete(ply.before, ply.seat)
        late &= ply.before.bonus_owner == 1 - ply.seat
        told = [step.words for step in explained(ply)]
        assert ("completes a bonus square, but the bonus is gone" in told) == late


def test_a_bonus_comes_too_late_once_whatever_is_laid_after_it(reach):
    words = "completes a bonus square, but the bonus is gone"

    def told(game):
        """For each tile that was laid, whose it was and whether it came too late."""
        laid = (ply for ply in game.plies if not isinstance(ply.action, Advance))
        return [(ply.seat, words in {step.words for step in explained(ply)}) for ply in laid]

    def goes_on(game):
        tiles = told(game)
        return any(
            late and seat in {other for other, _ in tiles[place + 1 :]} for place, (seat, late) in enumerate(tiles)
        )

    assert sum(late for _, late in told(reach(games(), goes_on))) == 1


@pytest.mark.parametrize("game", golden_games(), ids=lambda game: game.name)
def test_a_golden_game_touches_the_clauses_that_it_is_there_to_show(game):
    record = parse_record(game.written(), game.rules)
    touched = {clause for step in setup(start_of(record)) for clause in step.clauses}
    touched.update(*map(clauses_of, replay_record(record)))
    expected = game.clauses - OF_NO_PLY
    if game.name == "advance-only":
        expected -= {"5.4"}  # nobody ever wants to buy
    assert expected <= touched
