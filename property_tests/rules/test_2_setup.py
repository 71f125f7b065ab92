"""Section 2 of the rulebook: how the table lies before the first action."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.errors import RulesetError
from patchstats.rules import Advance, Position, Ruleset
from patchstats.testing import positions, rings, rulesets, situation

ORIGINAL = Ruleset.load("original")
IDS = [patch.id for patch in ORIGINAL.patches]


@st.composite
def setups(draw):
    ruleset = draw(rulesets())
    return ruleset, draw(rings(ruleset))


@pytest.mark.clause("2.1", "9.5")
def test_each_seat_starts_with_5_buttons_and_the_bank_with_152():
    start = Position.start(ORIGINAL, IDS)
    assert [player.buttons for player in start.players] == [5, 5]
    assert start.bank == 152


@pytest.mark.clause("2.1", "9.1")
def test_both_scores_before_the_first_turn_are_157_below_zero():
    start = Position.start(ORIGINAL, IDS)
    assert [start.score(0), start.score(1)] == [-157, -157]


@pytest.mark.clause("2.1", "9.5")
@given(setups())
def test_each_seat_gets_the_start_buttons_and_the_bank_keeps_the_rest(setup):
    ruleset, ring = setup
    start = Position.start(ruleset, ring)
    assert [player.buttons for player in start.players] == [ruleset.start_buttons] * 2
    assert start.bank + 2 * ruleset.start_buttons == ruleset.button_supply


@pytest.mark.clause("2.2", "2.3")
@given(setups())
def test_both_tokens_stand_on_the_start_and_seat_0_lies_on_top_and_acts_first(setup):
    start = Position.start(*setup)
    assert [player.space for player in start.players] == [0, 0]
    assert start.top == 0
    assert start.seat_on_turn == 0


@pytest.mark.clause("2.2", "3.1")
def test_after_an_advance_each_seat_0_is_on_turn_again():
    start = Position.start(ORIGINAL, IDS)
    once, _ = start.apply(Advance())
    assert (once.players[0].space, once.players[0].buttons, once.seat_on_turn) == (1, 6, 1)
    twice, _ = once.apply(Advance())
    assert (twice.players[1].space, twice.players[1].buttons, twice.seat_on_turn) == (2, 7, 0)


@pytest.mark.clause("2.4")
@pytest.mark.parametrize("ring", [IDS[1:], IDS[:-1], [*IDS, "p05"], ["p02", *IDS[1:]], ["p99", *IDS[1:]], []])
def test_a_ring_names_every_patch_exactly_once(ring):
    with pytest.raises(ValueError, match="every patch"):
        Position.start(ORIGINAL, ring)


@pytest.mark.clause("2.4")
@given(setups(), st.integers(0, 32))
def test_a_ring_may_be_read_from_any_patch_on(setup, begin):
    ruleset, ring = setup
    begin %= len(ring)
    assert Position.start(ruleset, ring[begin:] + ring[:begin]) == Position.start(ruleset, ring)


@pytest.mark.clause("2.5", "5.1")
@given(setups())
def test_the_first_offer_opens_behind_the_start_patch_which_is_last_in_line(setup):
    ruleset, ring = setup
    start = Position.start(ruleset, ring)
    clockwise = dict(zip(ring, ring[1:] + ring[:1], strict=True))
    assert start.ring[-1] == ruleset.start_patch
    assert start.offer[0] == clockwise[ruleset.start_patch]
    assert all(clockwise[first] == second for first, second in zip(start.ring, start.ring[1:], strict=False))
    assert len(start.ring) == len(ring)


@pytest.mark.clause("2.5")
def test_the_start_patch_is_the_one_of_two_cells_and_not_the_other_of_the_same_price():
    assert ORIGINAL["p01"].size == 2
    assert (ORIGINAL["p01"].cost, ORIGINAL["p01"].time) == (ORIGINAL["p24"].cost, ORIGINAL["p24"].time) == (2, 1)
    others = [patch for patch in IDS if patch not in {"p01", "p24"}]
    start = Position.start(ORIGINAL, ["p24", *others[:5], "p01", *others[5:]])
    assert start.offer == tuple(others[5:8])


@pytest.mark.clause("2.5")
@given(rulesets())
def test_unless_named_the_start_patch_is_the_only_smallest_one(ruleset):
    settings = ruleset.to_dict()
    del settings["start_patch"]
    least = min(patch.size for patch in ruleset.patches)
    smallest = [patch.id for patch in ruleset.patches if patch.size == least]
    if len(smallest) == 1:
        assert Ruleset.from_dict(settings).start_patch == smallest[0]
    else:
        with pytest.raises(RulesetError, match=", ".join(smallest)):
            Ruleset.from_dict(settings)


@pytest.mark.clause("2.6")
@given(setups())
def test_a_leather_lies_on_each_mark_and_nobody_owns_anything(setup):
    ruleset, ring = setup
    start = Position.start(ruleset, ring)
    assert start.leather_marks == ruleset.leather_marks
    assert (start.bonus_owner, start.first_finisher, start.waiting, start.set_aside) == (None, None, 0, 0)
    for player in start.players:
        assert (player.covered, player.patches, player.leathers, player.income) == (0, frozenset(), 0, 0)


@pytest.mark.clause("2.7")
@given(positions())
def test_a_position_says_by_itself_how_the_game_goes_on(position):
    copy = Position(**{field.name: getattr(position, field.name) for field in dataclasses.fields(Position)})
    assert copy == position
    assert hash(copy) == hash(position)
    assert list(copy.legal_actions) == list(position.legal_actions)
    for action in list(position.legal_actions)[:3]:
        assert copy.apply(action) == position.apply(action)


@pytest.mark.clause("2.7")
@pytest.mark.parametrize(
    "difference",
    [
        {"top": 1},
        {"waiting": 1},
        {"set_aside": 1},
        {"bonus_owner": 0},
        {"first_finisher": 0},
        {"bank": 0},
        {"ring": ("p02",)},
        {"leather_marks": (20,)},
        {"ruleset": Ruleset.load("revised")},
    ],
    ids=lambda difference: next(iter(difference)),
)
def test_positions_that_differ_in_anything_are_not_equal(difference):
    position = situation(ORIGINAL, spaces=(4, 4))
    assert dataclasses.replace(position, **difference) != position


@pytest.mark.clause("2.7")
@pytest.mark.parametrize(
    "difference",
    [{"space": 3}, {"buttons": 4}, {"income": 1}, {"covered": 1}, {"patches": frozenset({"p02"})}, {"leathers": 1}],
    ids=lambda difference: next(iter(difference)),
)
def test_positions_in_which_one_seat_differs_in_anything_are_not_equal(difference):
    position = situation(ORIGINAL, spaces=(4, 4))
    first, second = position.players
    assert dataclasses.replace(position, players=(first, dataclasses.replace(second, **difference))) != position
