"""Positions as one line of text."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.errors import NotationError
from patchstats.notation import format_position, parse_position
from patchstats.rules import Player, Position, Ruleset
from patchstats.testing import games, positions, rulesets

ORIGINAL = Ruleset.load("original")
RING = tuple(f"p{number:02}" for number in range(1, 34))
START = Position.start(ORIGINAL, RING)
START_TEXT = (
    "ruleset=19ef69bf0734a3e8 space=0,0 buttons=5,5 income=0,0 leathers=0,0 patches=-;- "
    "covered=9/9/9/9/9/9/9/9/9;9/9/9/9/9/9/9/9/9 "
    f"ring={','.join(RING[1:])},p01 leather_marks=20,26,32,44,50 "
    "top=0 waiting=0 set_aside=0 bonus_owner=- first_finisher=- bank=152"
)
LATE_TEXT = (
    "ruleset=19ef69bf0734a3e8 space=53,51 buttons=0,-3 income=2,0 leathers=1,0 patches=p21,p07;- "
    "covered=#8/1#7/2######1/9/9/9/9/9/########1;9/9/9/9/1#1#1#1#1/9/9/9/9 "
    "ring=- leather_marks=- top=0 waiting=1 set_aside=3 bonus_owner=1 first_finisher=0 bank=-40"
)


@st.composite
def strange_positions(draw):
    """Positions that no game can show, of a ruleset with anything in any place."""
    ruleset = draw(rulesets())
    amounts = st.integers(-(10**18) + 1, 10**18 - 1) | st.integers(-9, 99)
    ids = st.sampled_from([patch.id for patch in ruleset.patches])
    players = st.builds(
        Player,
        space=amounts,
        buttons=amounts,
        income=amounts,
        covered=st.integers(0, ruleset.quilt),
        patches=st.frozensets(ids),
        leathers=amounts,
    )
    return Position(
        ruleset=ruleset,
        players=(draw(players), draw(players)),
        ring=tuple(draw(st.lists(ids, max_size=40))),
        leather_marks=tuple(draw(st.lists(amounts, max_size=12))),
        top=draw(st.integers(0, 1)),
        waiting=draw(amounts),
        set_aside=draw(amounts),
        bonus_owner=draw(st.sampled_from([None, 0, 1])),
        first_finisher=draw(st.sampled_from([None, 0, 1])),
        bank=draw(amounts),
    )


def test_the_start_is_written_in_this_way_and_no_other():
    assert format_position(START) == START_TEXT
    assert parse_position(START_TEXT) == START


def test_a_late_position_is_read_field_by_field():
    position = parse_position(LATE_TEXT)
    first, second = position.players
    row, last = 2 * 9, 8 * 9
    covered = {0, 10, *range(row + 2, row + 8), *range(last, last + 8)}
    assert first == Player(53, 0, 2, sum(1 << cell for cell in covered), frozenset({"p07", "p21"}), 1)
    assert second == Player(51, -3, 0, sum(1 << cell for cell in (37, 39, 41, 43)), frozenset(), 0)
    assert (position.ring, position.leather_marks) == ((), ())
    assert (position.top, position.waiting, position.set_aside) == (0, 1, 3)
    assert (position.bonus_owner, position.first_finisher, position.bank) == (1, 0, -40)
    assert position.seat_on_turn == 0


@given(games())
def test_every_position_of_a_game_is_read_back_as_it_was_written(game):
    texts = [format_position(position) for position in game.positions]
    assert [parse_position(text, game.ruleset) for text in texts] == list(game.positions)
    assert len(set(texts)) == len(texts)
    assert not any("\n" in text for text in texts)


@given(positions(rulesets=rulesets(invented=False)))
def test_a_position_of_a_shipped_ruleset_is_read_without_being_given_the_ruleset(position):
    text = format_position(position)
    assert parse_position(text) == position
    name = text.replace(position.ruleset.ruleset_id, position.ruleset.name)
    assert parse_position(name) == parse_position(name, position.ruleset) == position


@given(strange_positions())
def test_positions_that_no_game_can_show_are_read_back_as_they_were_written(position):
    assert parse_position(format_position(position), position.ruleset) == position


@given(positions())
def test_patches_in_another_order_and_blanks_at_the_end_make_no_difference(position):
    fields = dict(field.split("=") for field in format_position(position).split())
    turned = [",".join(reversed(patches.split(","))) for patches in fields["patches"].split(";")]
    text = " ".join(f"{name}={value}" for name, value in {**fields, "patches": ";".join(turned)}.items())
    assert parse_position(f"{text} \r\n", position.ruleset) == position


def test_empty_cells_may_be_counted_in_smaller_portions():
    assert parse_position(START_TEXT.replace("=9/9/", "=1242/333/")) == START


@pytest.mark.parametrize(
    ("change", "at", "expected"),
    [
        (("ruleset=", "rules="), "rules=", "the field ruleset="),
        (("19ef69bf0734a3e8", "19ef69bf0734a3e9"), "19ef69bf0734a3e9", "a shipped ruleset"),
        (("19ef69bf0734a3e8", "newest"), "newest", "a shipped ruleset"),
        ((" space", "  space"), " space", "the field space="),
        ((" space=0,0", ""), "buttons=5,5", "the field space="),
        (("space=0,0", "space=0"), " buttons", "',' and the number of seat 1"),
        (("space=0,0", "space=,0"), ",0 buttons", "a whole number"),
        (("space=0,0", "space=00,0"), "0,0 buttons", "',' and the number of seat 1"),
        (("space=0,0", "space=-0,0"), "-0,0 buttons", "a whole number"),
        (("space=0,0", "space=0,0,0"), ",0 buttons", "a blank and the field buttons="),
        (("buttons=5,5", "buttons=5,+5"), "+5 income", "a whole number"),
        (("buttons=5,5", f"buttons=5,{10**18}"), "0 income", "a blank and the field income="),
        (("patches=-;-", "patches=p07,p99;-"), "p99;-", "a patch of the ruleset original"),
        (("patches=-;-", "patches=p07,p07;-"), "p07;-", "a patch that is not on this quilt yet"),
        (("patches=-;-", "patches=p07,;-"), ";- covered", "a patch id"),
        (("patches=-;-", "patches=;-"), ";- covered", "a patch id, or - for none"),
        (("patches=-;-", "patches=-"), " covered", "';' and the patches of seat 1"),
        (("=9/9/", "=9/46#/"), "6#/9", "# or a digit from 1 to 5 in row 2 of 9"),
        (("=9/9/", "=9/44/"), "/9/9/9/9/9/9/9;", "# or a digit from 1 to 1 in row 2 of 9"),
        (("=9/9/", "=9/9#/"), "#/9", "'/' and row 3 of 9"),
        (("=9/9/", "=9/0#8/"), "0#8", "# or a digit from 1 to 9 in row 2 of 9"),
        (("=9/9/", "=9/"), ";9/", "'/' and row 9 of 9"),
        (("ring=p02", "ring=p2"), "p2,", "a patch of the ruleset original"),
        (("leather_marks=20", "leather_marks="), ",26", "a space of the track, or - for none"),
        (("top=0", "top=2"), "2 waiting", "a seat, 0 or 1"),
        (("top=0", "top=-"), "- waiting", "a seat, 0 or 1"),
        (("bonus_owner=-", "bonus_owner=none"), "none", "a seat, 0 or 1, or - for none"),
        (("bank=152", "bank="), "", "a whole number"),
        (("bank=152", "bank=152 more"), "more", "the end of the position"),
        ((" bank=152", ""), "", "a blank and the field bank="),
    ],
)
def test_a_bad_position_is_refused_with_the_column_and_what_was_expected_there(change, at, expected):
    text = START_TEXT.replace(*change, 1)
    assert text != START_TEXT
    with pytest.raises(NotationError) as refusal:
        parse_position(text)
    assert refusal.value.line == 1
    assert refusal.value.column == (text.index(at) if at else len(text)) + 1
    assert expected in refusal.value.expected


def test_a_position_must_be_of_the_ruleset_that_is_given_with_it():
    other = ORIGINAL.with_changes({"start_buttons": 6})
    with pytest.raises(NotationError, match=rf"column 9: expected {other.ruleset_id}"):
        parse_position(START_TEXT, other)
    text = format_position(Position.start(other, RING))
    with pytest.raises(NotationError, match="shipped ruleset"):
        parse_position(text)
    assert parse_position(text, other).ruleset == other


@pytest.mark.parametrize(
    "change",
    [
        {"players": (Player(0, 5, covered=1 << 81), START.players[1])},
        {"players": (Player(0, 5, covered=-1), START.players[1])},
        {"players": (START.players[0], Player(0, 5, patches=frozenset({"p99"})))},
        {"players": (START.players[0], Player(0, 10**18))},
        {"ring": ("p 1",)},
        {"top": 2},
        {"bonus_owner": -1},
        {"first_finisher": 2},
        {"bank": -(10**18)},
    ],
    ids=str,
)
def test_a_position_that_no_text_can_mean_is_not_written(change):
    with pytest.raises(ValueError, match=r"cells|patch|seat|digits"):
        format_position(replace(START, **change))
