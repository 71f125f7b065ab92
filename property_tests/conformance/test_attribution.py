"""Which clause a difference belongs to: the table is whole, and says of what happened what the rules say."""

import pytest
from hypothesis import given

from patchstats.conformance.conform.attribution import REFUSAL, Value, clauses_of, held_by, rows
from patchstats.conformance.conform.drawn import small_rulesets
from patchstats.conformance.conform.facts import AMOUNTS, FACTS, Moment
from patchstats.conformance.protocol.messages import STATE
from patchstats.rules import Advance, Ruleset
from patchstats.rules.rulebook import clauses
from patchstats.testing import buy, games, situation

ORIGINAL = Ruleset.load("original")
FIELDS = {*STATE, "refuses", "accepts", "changes", "count", "list"}


def moment_of(position, outcome, action):
    return Moment(position, action, outcome.events, outcome.position)


def advanced(**said):
    position = situation(ORIGINAL, **said)
    return moment_of(position, position.apply(Advance()), Advance())


def bought(patch, **said):
    position = situation(ORIGINAL, ring=[patch], **said)
    action = position.legal_actions.purchases.of(patch)[0]
    return moment_of(position, buy(position, patch), action)


def test_the_table_has_no_unknown_words():
    known = {clause.number for clause in clauses()}
    for row in rows():
        assert row.field in FIELDS
        assert {row.clause, *row.also} <= known | {REFUSAL}
        assert set(row.facts) <= FACTS.keys()
        assert row.amount in {"", *AMOUNTS}


def test_every_word_of_the_table_is_used():
    assert {fact for row in rows() for fact in row.facts} == FACTS.keys()
    assert {row.amount for row in rows()} - {""} == AMOUNTS.keys()


def test_no_row_hides_another_one():
    plain = {}
    for row in rows():
        for earlier in plain.get(row.field, []):
            assert not set(earlier) <= set(row.facts), row
        if not row.amount:
            plain.setdefault(row.field, []).append(row.facts)


@given(games())
def test_every_value_that_can_differ_in_a_game_has_a_clause(game):
    for ply in game.plies:
        moment = Moment(*ply)
        for field in FIELDS - {"accepts"}:
            for seat in (0, 1):
                named, telling = clauses_of(moment, [Value(field, seat, 3, 1000)])
                assert named
                assert telling.field == field


@pytest.mark.parametrize(
    ("moment", "field", "seat", "amount", "clause"),
    [
        (advanced(spaces=(12, 15)), "buttons", 0, -4, "4.2"),
        (advanced(spaces=(9, 12), income=(3, 0)), "buttons", 0, -3, "4.3"),
        (advanced(spaces=(4, 10), income=(2, 0)), "buttons", 0, -2, "6.2"),
        (advanced(spaces=(9, 10), income=(3, 0)), "buttons", 0, -3, "6.1"),
        (advanced(spaces=(52, 53), income=(6, 0)), "buttons", 0, -6, "6.3"),
        (advanced(spaces=(50, 53)), "buttons", 0, 1, "4.5"),
        (advanced(spaces=(50, 53)), "space", 0, 1, "4.5"),
        (advanced(spaces=(12, 15)), "space", 0, -1, "4.1"),
        (advanced(spaces=(18, 19)), "waiting", None, -1, "6.1"),
        (advanced(spaces=(18, 20), leather_marks=[26]), "waiting", None, 1, "6.4"),
        (bought("p27", spaces=(10, 12), buttons=(7, 0)), "buttons", 0, -2, "5.10"),
        (bought("p07", spaces=(12, 16), buttons=(6, 0)), "buttons", 0, 3, "5.9"),
        (bought("p07", spaces=(12, 16), buttons=(6, 0)), "buttons", 0, 1, "5.7"),
        (bought("p29", spaces=(50, 52), buttons=(12, 0)), "space", 0, 3, "5.11"),
        (bought("p32", spaces=(3, 0)), "seat_on_turn", None, -1, "3.2"),
        (bought("p03", spaces=(6, 0)), "seat_on_turn", None, -1, "3.3"),
        (advanced(spaces=(53, 45)), "finished", None, 1, "8.1"),
        (advanced(spaces=(12, 15)), "score", 0, 155, "9.3"),
    ],
)
def test_the_clause_is_told_from_what_was_played_and_by_how_much_it_is_wrong(moment, field, seat, amount, clause):
    expected = 10
    if field == "score":
        expected = moment.after.score(seat)
        amount = -expected
    named, _ = clauses_of(moment, [Value(field, seat, expected, expected + amount)])
    assert named[0] == clause
    assert clause in held_by(moment, {field}, ())


@pytest.mark.parametrize(("spaces", "clauses"), [((18, 19), ("6.8", "6.1")), ((18, 20), ("6.8",))])
def test_a_leather_that_is_not_set_aside_may_have_been_missed_where_it_was_landed_on(spaces, clauses):
    moment = advanced(spaces=spaces, covered=(range(81), ()))
    assert clauses_of(moment, [Value("set_aside", None, 1, 0)])[0] == clauses


def test_causes_come_before_what_follows_from_them():
    moment = advanced(spaces=(12, 15))
    values = [
        Value("score", 0, 1, 2),
        Value("seat_on_turn", None, 1, 0),
        Value("space", 0, 16, 15),
        Value("buttons", 0, 6, 5),
    ]
    assert clauses_of(moment, values)[1] is values[2]


def test_the_small_rulesets_are_there_for_different_reasons():
    assert len({ruleset.ruleset_id for ruleset in small_rulesets()}) == len(small_rulesets()) == 7
