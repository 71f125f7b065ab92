"""Game records as text, and at the table."""

from dataclasses import replace
from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.errors import IllegalAction, NotationError, RecordError
from patchstats.notation import (
    GameRecord,
    Result,
    format_record,
    parse_record,
    record_of,
    replay_record,
    result_of,
    start_of,
)
from patchstats.rules import Advance, Buy, PlaceLeather, Ruleset
from patchstats.rules.checking import PATCH_AMOUNTS
from patchstats.testing import games, play_game, rulesets

ORIGINAL = Ruleset.load("original")
RING = tuple(f"p{number:02}" for number in range(1, 34))
ADVANCES = play_game(ORIGINAL, RING, [])
OPENING = f"""\
patchstats game record 1
ruleset original 19ef69bf0734a3e8
ring {" ".join(RING)}
agents random scripted:openings.txt
0 p02/1@a1
1 p03/0@d5
1 advance
result unfinished
"""


def record_of_game(game, **changes):
    return record_of(game.ruleset, game.ring, game.actions, **changes)


def test_a_record_is_written_in_this_way_and_no_other():
    actions = (Buy("p02", 1, 0), Buy("p03", 0, 39), Advance())
    record = GameRecord(ORIGINAL, RING, actions, (0, 1, 1), None, ("random", "scripted:openings.txt"))
    assert format_record(record) == OPENING
    assert parse_record(OPENING) == record
    assert record_of(ORIGINAL, RING, actions, record.agents) == record


def test_a_finished_game_ends_with_scores_and_winner():
    text = format_record(record_of_game(ADVANCES))
    assert text.splitlines()[2:] == [
        f"ring {' '.join(RING)}",
        *["0 advance", "1 advance"] * 10,
        "1 leather@a1",
        *["0 advance", "1 advance"] * 3,
        "1 leather@b1",
        *["0 advance", "1 advance"] * 3,
        "1 leather@c1",
        *["0 advance", "1 advance"] * 6,
        "1 leather@d1",
        *["0 advance", "1 advance"] * 3,
        "1 leather@e1",
        *["0 advance", "1 advance"] * 2,
        "result -104 -94 winner 1",
    ]


@given(games())
def test_every_game_is_read_back_as_it_was_written_and_played_again_as_it_was_played(game):
    record = record_of_game(game, agents=("random", "random"))
    assert record.result == Result((game.final.score(0), game.final.score(1)), game.final.winner)
    assert parse_record(format_record(record), game.ruleset) == record
    plies = replay_record(record)
    assert start_of(record) == game.positions[0]
    assert len(plies) == len(game.actions)
    assert [ply.seat for ply in plies] == [position.seat_on_turn for position in game.positions[:-1]]
    assert tuple(ply.action for ply in plies) == game.actions
    assert tuple(ply.events for ply in plies) == game.events
    assert tuple(ply.after for ply in plies) == game.positions[1:]


@given(games(rulesets=rulesets(invented=False)), st.data())
def test_the_beginning_of_a_game_is_the_record_of_an_unfinished_game(game, data):
    plies = data.draw(st.integers(0, len(game.actions) - 1))
    record = record_of(game.ruleset, game.ring, game.actions[:plies])
    assert record.result is None
    assert result_of(game.positions[plies]) is None
    assert parse_record(format_record(record)) == record
    assert len(replay_record(record)) == plies


@given(st.tuples(st.text(), st.text()) | st.tuples(st.text('ab #"\\'), st.text('ab #"\\\n\t\xa0\u2028')))
def test_agents_of_any_spelling_are_read_back_as_they_were_written(agents):
    record = GameRecord(ORIGINAL, RING, (), (), None, agents)
    text = format_record(record)
    assert parse_record(text) == record
    assert len(text.splitlines()) == 5


@given(
    games(rulesets=rulesets(invented=False)),
    st.lists(
        st.sampled_from(["", " ", "\n", " \t\n\t ", "# 0 advance\n", " # a comment # in a comment\n"]), min_size=1
    ),
    st.lists(st.sampled_from([" ", "  ", "\t"]), min_size=1),
    st.lists(st.sampled_from(["\n", "\r\n", " \n", " # a comment\n", "\t#\r\n"]), min_size=1),
)
def test_blank_lines_comments_indents_gaps_and_line_ends_make_no_difference(game, befores, gaps, ends):
    record = record_of_game(game)
    title, *lines = format_record(record).splitlines()
    lines = [title, *map(str.replace, lines, cycle(" "), cycle(gaps))]
    text = "".join(before + line + end for before, line, end in zip(cycle(befores), lines, cycle(ends)))
    assert parse_record(text) == record


@pytest.mark.parametrize(
    ("change", "line", "column", "expected"),
    [
        (("record 1", "record 2"), 1, 1, "the first line of a record, 'patchstats game record 1'"),
        (("record 1", "record 1#"), 1, 25, "the end of the line"),
        (("ruleset original", "rules original"), 2, 1, "the line of the ruleset"),
        ((" 19ef69bf0734a3e8", ""), 2, 17, "the id of the ruleset"),
        (("19ef69bf0734a3e8", "19ef69bf0734a3e"), 2, 18, "a ruleset id of 16 hexadecimal digits"),
        (("19ef69bf0734a3e8", "0123456789abcdef"), 2, 18, "the id of a shipped ruleset"),
        (("a3e8", "a3e8 and more"), 2, 35, "the end of the line"),
        (("ring ", "rings "), 3, 5, "the patches of the ring"),
        (("ring ", "ring"), 3, 5, "the patches of the ring"),
        (("p02 p03", "p02 p02"), 3, 14, "a patch of the ruleset original, each once"),
        (("p02 p03", "p02 x03"), 3, 14, "a patch of the ruleset original, each once"),
        (("p02 p03", "p02,p03"), 3, 13, "31 more of the ring's patches"),
        ((" p33", ""), 3, 133, "1 more of the ring's patches, such as p33"),
        (("p33", "p33 p01"), 3, 138, "the end of the ring"),
        ((" scripted:openings.txt", ""), 4, 14, "the agent of seat 1"),
        (("random", '"random'), 4, 8, "a JSON string"),
        (("random", r'"\x"'), 4, 8, "a JSON string"),
        (("openings.txt", "openings.txt third"), 4, 37, "the end of the line"),
        (("agents", "players"), 4, 1, "a ply (the seat, 0 or 1, and an action), or the result"),
        (("0 p02", "2 p02"), 5, 1, "a ply (the seat, 0 or 1, and an action), or the result"),
        (("0 p02", "00 p02"), 5, 2, "an action"),
        (("0 p02/1@a1", "0"), 5, 2, "an action"),
        (("p02/1@a1", "p02/1@j1"), 5, 9, "a column from a to i"),
        (("p02/1@a1", "p02/1@a1#"), 5, 11, "the end of the line"),
        (("unfinished", ""), 8, 8, "'unfinished', or the score of seat 0"),
        (("unfinished", "12"), 8, 10, "the score of seat 1"),
        (("unfinished", "12 -3"), 8, 13, "'winner'"),
        (("unfinished", "12 -3 win 0"), 8, 14, "'winner'"),
        (("unfinished", "12 -3 winner"), 8, 20, "the seat that won"),
        (("unfinished", "12 -3 winner 2"), 8, 21, "the seat that won"),
        (("unfinished", "12 -3 winner 01"), 8, 22, "the end of the line"),
        (("unfinished", "unfinished 1"), 8, 19, "the end of the line"),
        (("result unfinished\n", ""), 8, 1, "a ply (the seat, 0 or 1, and an action), or the result"),
        (("unfinished\n", "unfinished\n\n1 advance"), 10, 1, "nothing more after the result"),
    ],
)
def test_a_bad_record_is_refused_with_line_and_column_and_what_was_expected_there(change, line, column, expected):
    text = OPENING.replace(*change, 1)
    assert text != OPENING
    with pytest.raises(NotationError) as refusal:
        parse_record(text)
    assert (refusal.value.line, refusal.value.column) == (line, column)
    assert expected in refusal.value.expected


CHANGED = OPENING.replace("ring", "changes patches.p02.cost=1,patches.p03.time=5\nring", 1)


def test_a_record_may_say_which_prices_its_game_was_played_with_instead():
    record = parse_record(CHANGED)
    assert record.base == ORIGINAL
    assert record.ruleset == ORIGINAL.with_changes({"patches.p02.cost": 1, "patches.p03.time": 5})
    assert format_record(record) == CHANGED.replace("patches.p02.cost=1,", "")  # it is 1 anyway
    with pytest.raises(ValueError, match="does not differ from revised in costs, times and incomes alone"):
        format_record(replace(record, base=Ruleset.load("revised")))


@given(games(), st.data())
def test_a_game_with_changed_prices_is_read_back_as_it_was_written(game, data):
    base = game.ruleset
    numbers = [(patch, key) for patch in base.patches for key in PATCH_AMOUNTS]
    chosen = data.draw(st.lists(st.sampled_from(numbers), min_size=1, max_size=5, unique=True))
    ruleset = base.with_changes({f"patches.{patch.id}.{key}": getattr(patch, key) ^ 1 or 2 for patch, key in chosen})
    changed = replace(record_of(ruleset, game.ring, ()), base=base)
    text = format_record(changed)
    assert parse_record(text, base) == changed
    assert text.splitlines()[1:3] == [
        f"ruleset {base.name} {base.ruleset_id}",
        "changes "
        + ",".join(
            f"patches.{patch.id}.{key}={getattr(ruleset[patch.id], key)}"
            for patch, key in numbers
            if (patch, key) in chosen
        ),
    ]


@pytest.mark.parametrize(
    ("change", "column", "expected"),
    [
        (
            ("changes patches.p02.cost=1,patches.p03.time=5", "changes"),
            8,
            "what is changed, such as patches.p21.cost=1",
        ),
        (("cost=1", "price=1"), 9, "the cost, time or income of a patch"),
        (("cost=1", "rows=1"), 9, "the cost, time or income of a patch"),
        (("p02.cost", "p34.cost"), 9, "a patch of the ruleset original"),
        (("p03.time", "p02.cost"), 28, "a number that is not changed yet"),
        (("cost=1", "cost=1001"), 26, "a cost from 0 to 1000"),
        (("cost=1", "cost=-1"), 26, "a cost from 0 to 1000"),
        (("time=5", "time=0"), 45, "a time from 1 to 255"),
        (("cost=1", "cost=one"), 26, "a whole number"),
        (("cost=1", "cost"), 9, "the cost, time or income of a patch"),
        (("cost=1,", "cost=1, "), 28, "the cost, time or income of a patch"),
        (("time=5", "time=5 more"), 47, "',' and a further change, or the end of the line"),
    ],
)
def test_bad_changes_are_refused_with_their_column(change, column, expected):
    assert CHANGED.replace(*change, 1) != CHANGED
    with pytest.raises(NotationError) as refusal:
        parse_record(CHANGED.replace(*change, 1))
    assert (refusal.value.line, refusal.value.column) == (3, column)
    assert expected in refusal.value.expected


@given(games(rulesets=rulesets(shipped=False)))
def test_a_game_of_a_ruleset_that_is_not_shipped_needs_the_ruleset(game):
    text = format_record(record_of_game(game))
    with pytest.raises(NotationError, match="line 2, column 18: expected the id of a shipped ruleset"):
        parse_record(text)
    with pytest.raises(
        NotationError, match="line 2, column 18: expected 19ef69bf0734a3e8, the id of the ruleset original"
    ):
        parse_record(text, ORIGINAL)


@given(games(), st.data())
def test_a_ply_of_the_wrong_seat_is_refused_by_number_seat_and_clause(game, data):
    record = record_of_game(game)
    ply = data.draw(st.integers(0, len(record.seats) - 1))
    seat = 1 - record.seats[ply]
    wrong = replace(record, seats=(*record.seats[:ply], seat, *record.seats[ply + 1 :]))
    with pytest.raises(RecordError, match=f"^ply {ply}, seat {seat}: seat {1 - seat} is on turn") as refusal:
        replay_record(wrong)
    assert (refusal.value.ply, refusal.value.seat) == (ply, seat)
    before = game.positions[ply]
    shared = before.players[0].space == before.players[1].space
    assert refusal.value.clause == ("6.7" if before.waiting else "3.2" if shared else "3.1")


@given(games(), st.data())
def test_a_ply_that_the_rules_forbid_is_refused_by_number_seat_clause_and_reason(game, data):
    record = record_of_game(game)
    ply = data.draw(st.integers(0, len(record.seats) - 1))
    before = game.positions[ply]
    action = Advance() if before.waiting else data.draw(st.sampled_from([PlaceLeather(0), Buy("p00", 0, 0)]))
    with pytest.raises(IllegalAction) as forbidden:
        before.apply(action)
    for actions in (
        (*record.actions[:ply], action, *record.actions[ply + 1 :]),
        (*record.actions[:ply], action),
    ):
        wrong = replace(record, actions=actions, seats=record.seats[: len(actions)])
        with pytest.raises(RecordError) as refusal:
            replay_record(wrong)
        error = forbidden.value
        expected = (ply, record.seats[ply], error.clause, error.reason)
        assert (refusal.value.ply, refusal.value.seat, refusal.value.clause, refusal.value.reason) == expected
        assert str(refusal.value) == f"ply {ply}, seat {record.seats[ply]}: {error}"
        with pytest.raises(RecordError, match=f"^ply {ply}, "):
            record_of(game.ruleset, game.ring, actions)


@given(games(rulesets=rulesets(invented=False)))
def test_nothing_is_played_after_the_end(game):
    record = record_of_game(game)
    wrong = replace(record, actions=(*record.actions, Advance()), seats=(*record.seats, 0))
    with pytest.raises(RecordError, match=rf"^ply {len(record.actions)}, seat 0: the game is over \(clause 8.4\)"):
        replay_record(wrong)


@given(games(rulesets=rulesets(invented=False)), st.sampled_from(["scores", "winner", "unfinished"]))
def test_a_result_that_the_game_does_not_have_is_refused(game, change):
    record = record_of_game(game)
    (first, second), winner = record.result
    wrong = {
        "scores": Result((first, second + 1), winner),
        "winner": Result((first, second), 1 - winner),
        "unfinished": None,
    }[change]
    with pytest.raises(RecordError, match=f"that of the game {first} {second} winner {winner}$") as refusal:
        replay_record(replace(record, result=wrong))
    assert refusal.value.ply is None


def test_an_unfinished_game_has_no_result():
    record = parse_record(OPENING.replace("unfinished", "5 4 winner 0"))
    with pytest.raises(RecordError, match=r"result is 5 4 winner 0, and that of the game unfinished$"):
        replay_record(record)


@pytest.mark.parametrize("ring", [RING[1:], (*RING, "p01"), ("p34", *RING[1:])], ids=["short", "long", "foreign"])
def test_a_ring_that_is_none_is_neither_written_nor_played(ring):
    record = GameRecord(ORIGINAL, ring, (), (), None)
    with pytest.raises(ValueError, match="every patch of the ruleset exactly once"):
        format_record(record)
    for play in (replay_record, start_of, lambda record: record_of(ORIGINAL, record.ring, [])):
        with pytest.raises(RecordError, match="every patch of the ruleset exactly once"):
            play(record)


@pytest.mark.parametrize(
    "change",
    [
        {"seats": (2,), "actions": (Advance(),)},
        {"seats": (0,), "actions": (PlaceLeather(81),)},
        {"result": Result((0, 0), 2)},
        {"result": Result((10**18, 0), 0)},
    ],
)
def test_a_record_that_no_text_can_mean_is_not_written(change):
    record = replace(GameRecord(ORIGINAL, RING, (), (), None), **change)
    with pytest.raises(ValueError, match=r"seat|cell|digits"):
        format_record(record)


def test_a_record_has_a_seat_for_every_action():
    with pytest.raises(ValueError, match="1 actions of 0 seats"):
        GameRecord(ORIGINAL, RING, (Advance(),), (), None)
