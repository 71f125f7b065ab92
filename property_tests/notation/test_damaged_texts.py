"""Texts with slips of the pen in them, and texts that are nothing of ours, which are refused as such."""

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from patchstats.errors import NotationError, RecordError
from patchstats.notation import (
    format_action,
    format_position,
    format_record,
    parse_action,
    parse_position,
    parse_record,
    record_of,
    replay_record,
)
from patchstats.rules import Ruleset
from patchstats.testing import damaged_texts, play_game, positions, rulesets

ORIGINAL = Ruleset.load("original")
RING = tuple(f"p{number:02}" for number in range(1, 34))
GAME = play_game(ORIGINAL, RING, [7, 0, 11, 1, 1, 5, 0, 3, 1, 400, 1, 1, 1, 2, 8, 1, 1])
RECORD = format_record(record_of(ORIGINAL, RING, GAME.actions, ("random", 'scripted:"a b"')))
POSITIONS = [format_position(position) for position in GAME.positions]
NOTHING_OF_OURS = st.text() | st.text("advnceleathr@/p0123456789=;,-# \n")


def outcome(parse, text):
    """What is read from a text, or the refusal, which must point into the text."""
    try:
        return parse(text)
    except NotationError as error:
        refusal = error
    lines = [*text.split("\n"), ""]
    line = lines[refusal.line - 1]
    assert 1 <= refusal.column <= len(line) + 1
    assert line[refusal.column - 1 :].startswith(refusal.found)
    assert refusal.expected
    assert str(refusal).startswith(f"line {refusal.line}, column {refusal.column}: expected ")
    return refusal


def played(record):
    """The plies of a record, or None when the rules do not let it be played."""
    try:
        return replay_record(record)
    except RecordError:
        return None


@given(damaged_texts(st.sampled_from(["advance", "leather@d7", "p21/3@e5"])) | NOTHING_OF_OURS, st.integers(3, 11))
def test_a_damaged_token_is_refused_or_is_another_token(text, size):
    action = outcome(partial(parse_action, quilt_size=size), text)
    if not isinstance(action, NotationError):
        assert format_action(action, size) == text.rstrip(" \t\r\n")


@given(damaged_texts(st.sampled_from(POSITIONS)) | NOTHING_OF_OURS)
def test_a_damaged_position_is_refused_or_is_another_position_that_can_be_asked_about(text):
    position = outcome(parse_position, text)
    if not isinstance(position, NotationError):
        assert parse_position(format_position(position)) == position
        position.status()
        assert len(position.legal_actions) == len(list(position.legal_actions))


@given(
    positions(rulesets=rulesets(shipped=False)).flatmap(
        lambda p: st.tuples(st.just(p), damaged_texts(format_position(p)))
    )
)
def test_the_same_holds_for_a_position_of_an_invented_ruleset(drawn):
    original, text = drawn
    position = outcome(partial(parse_position, ruleset=original.ruleset), text)
    if not isinstance(position, NotationError):
        assert parse_position(format_position(position), original.ruleset) == position


@given(damaged_texts(RECORD) | NOTHING_OF_OURS)
def test_a_damaged_record_is_refused_by_the_reader_or_by_the_rules_or_is_another_game(text):
    record = outcome(parse_record, text)
    if isinstance(record, NotationError):
        return
    assert parse_record(format_record(record)) == record
    if played(record) is not None:
        assert record_of(record.ruleset, record.ring, record.actions, record.agents) == record


def test_damage_reaches_every_way_out(reach):
    """Else the properties above might hold for want of cases."""
    texts = damaged_texts(RECORD)

    def end_of(text):
        record = outcome(parse_record, text)
        return "refused" if isinstance(record, NotationError) else "played" if played(record) else "forbidden"

    reach(texts, lambda text: end_of(text) == "refused")
    reach(texts, lambda text: end_of(text) == "forbidden")
    reach(texts, lambda text: text != RECORD and end_of(text) == "played")
    texts = damaged_texts(st.sampled_from(POSITIONS))
    reach(texts, lambda text: text not in POSITIONS and not isinstance(outcome(parse_position, text), NotationError))
