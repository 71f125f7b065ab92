"""Section 6 of the rulebook: the marks that a move crosses, and the leathers it brings."""

from collections import Counter

import pytest
from hypothesis import given

from patchstats.errors import IllegalAction
from patchstats.rules import Advance, Buy, PlaceLeather, Ruleset
from patchstats.rules.events import Income, LeatherPlaced, LeatherSetAside, LeatherTaken, Moved
from patchstats.testing import buy, games, positions, rulesets, situation

ORIGINAL = Ruleset.load("original")
REVISED = Ruleset.load("revised")
CLOSE = ORIGINAL.with_changes({"income_marks": [4, 5, 6, 53], "leather_marks": [5, 6]})


def moves_of(game):
    """The plies that move a token, each with its move and with what the marks gave."""
    for ply in game.plies:
        for moved in ply.events:
            if isinstance(moved, Moved):
                yield ply, moved, [event for event in ply.events if isinstance(event, Income | LeatherTaken)]


@pytest.mark.clause("6.1", "6.2", "6.4", "6.6")
@given(games())
def test_a_move_resolves_the_marks_behind_its_start_up_to_its_end_in_path_order_income_first(game):
    leathers = set(game.ruleset.leather_marks)
    for _, moved, gifts in moves_of(game):
        expected = []
        for space in range(moved.start + 1, moved.end + 1):
            if space in game.ruleset.income_marks:
                expected.append((Income, space))
            if space in leathers:
                leathers.remove(space)
                expected.append((LeatherTaken, space))
        assert [(type(event), event.mark) for event in gifts] == expected
        assert all(event.seat == moved.seat for event in gifts)


@pytest.mark.clause("6.1", "6.3")
@given(games())
def test_each_income_mark_pays_each_seat_exactly_once_in_a_game(game):
    paid = Counter((event.seat, event.mark) for event in game.log if isinstance(event, Income))
    assert paid == {(seat, mark): 1 for seat in (0, 1) for mark in game.ruleset.income_marks}


@pytest.mark.clause("6.1", "6.3", "1.4")
@given(games(rulesets=rulesets(invented=False)))
def test_by_the_shipped_rulesets_each_seat_has_nine_incomes(game):
    for seat in (0, 1):
        assert sum(isinstance(event, Income) and event.seat == seat for event in game.log) == 9


@pytest.mark.clause("6.1", "6.6")
@given(games(rulesets=rulesets(invented=False)))
def test_by_the_shipped_rulesets_a_move_brings_one_leather_and_a_purchase_one_income_at_most(game):
    for ply, _, gifts in moves_of(game):
        incomes = sum(isinstance(event, Income) for event in gifts)
        assert len(gifts) - incomes <= 1
        assert incomes <= (2 if isinstance(ply.action, Advance) else 1)


@pytest.mark.clause("6.1", "6.4")
@pytest.mark.parametrize(
    ("leather", "space", "patch"),
    [
        pytest.param(26, 24, "p03", id="landing on it"),
        pytest.param(26, 25, "p03", id="passing it"),
    ],
)
def test_a_leather_is_taken_by_landing_on_its_mark_or_passing_it(leather, space, patch):
    after, events = buy(situation(ORIGINAL, spaces=(space, space), ring=[patch]), patch)
    assert LeatherTaken(0, leather) in events
    assert leather not in after.leather_marks


@pytest.mark.clause("6.1")
def test_a_mark_pays_nothing_to_a_token_that_leaves_it():
    position = situation(ORIGINAL, spaces=(5, 9), income=(3, 0), ring=["p03"])
    after, events = buy(position, "p03")
    assert (after.players[0].space, after.players[0].buttons) == (7, 3)
    assert not any(isinstance(event, Income) for event in events)


@pytest.mark.clause("6.2")
@given(games())
def test_a_mark_pays_the_income_of_the_patches_on_the_quilt(game):
    for ply, moved, gifts in moves_of(game):
        player = ply.after.players[moved.seat]
        income = sum(game.ruleset[patch].income for patch in player.patches)
        assert player.income == income
        assert all(event.buttons == income for event in gifts if isinstance(event, Income))


@pytest.mark.clause("6.2", "6.6")
def test_an_income_of_nothing_is_an_event_like_any_other():
    after, events = situation(ORIGINAL, spaces=(4, 5), buttons=(5, 5)).apply(Advance())
    assert events[-1] == Income(seat=0, mark=5, buttons=0)
    assert after.players[0].buttons == 5 + 2


@pytest.mark.clause("6.3")
def test_the_finish_pays_once_and_there_is_no_other_payment_at_the_end():
    position = situation(ORIGINAL, spaces=(52, 53), buttons=(10, 0), income=(6, 0))
    after, events = position.apply(Advance())
    assert [event for event in events if isinstance(event, Income)] == [Income(0, 53, 6)]
    assert after.players[0].buttons == 17
    assert after.finished


@pytest.mark.clause("6.3")
def test_an_income_of_2_from_the_first_turn_on_brings_18_over_the_game():
    position = situation(ORIGINAL, ring=["p16"], leather_marks=[])
    position, _ = position.apply(Buy("p16", 0, 0))
    incomes = []
    for _ in range(53):
        if not position.finished:
            position, events = position.apply(Advance())
            incomes += [event.buttons for event in events if isinstance(event, Income) and event.seat == 0]
    assert incomes == [2] * 9


@pytest.mark.clause("6.4", "1.5")
@pytest.mark.parametrize(
    ("ruleset", "space", "gains"),
    [
        pytest.param(ORIGINAL, 18, 1, id="original, from 18 to 21"),
        pytest.param(REVISED, 18, 0, id="revised, from 18 to 21"),
        pytest.param(ORIGINAL, 36, 0, id="original, from 36 to 39"),
        pytest.param(REVISED, 36, 1, id="revised, from 36 to 39"),
    ],
)
def test_the_boards_differ_in_one_leather(ruleset, space, gains):
    after, _ = buy(situation(ruleset, spaces=(space, space), ring=["p07"]), "p07")
    assert after.waiting == gains


@pytest.mark.clause("6.4")
def test_the_second_token_across_a_leather_mark_gets_nothing():
    position = situation(ORIGINAL, spaces=(19, 19), ring=["p07", "p03"])
    position, _ = buy(position, "p07")
    position, _ = position.apply(PlaceLeather(80))
    assert position.leather_marks == (26, 32, 44, 50)
    position, events = buy(position, "p03")
    assert position.players[1].space == 21
    assert not any(isinstance(event, LeatherTaken) for event in events)
    assert (position.waiting, position.players[1].leathers, position.leather_marks) == (0, 0, (26, 32, 44, 50))


@pytest.mark.clause("6.4")
@given(games())
def test_a_leather_costs_no_buttons_and_no_time_and_has_no_income(game):
    for before, action, _, after in game.plies:
        if isinstance(action, PlaceLeather):
            seat = before.seat_on_turn
            old, new = before.players[seat], after.players[seat]
            assert (old.buttons, old.space, old.income) == (new.buttons, new.space, new.income)
            assert new.leathers == old.leathers + 1
            assert new.covered == old.covered | 1 << action.cell
            assert new.covered != old.covered


@pytest.mark.clause("6.5")
def test_a_leather_goes_on_any_empty_cell_of_the_own_quilt():
    position = situation(ORIGINAL, spaces=(21, 19), covered=([0, 40], [7]), waiting=1)
    assert position.seat_on_turn == 0
    assert list(position.legal_actions) == [PlaceLeather(cell) for cell in range(81) if cell not in {0, 40}]


@pytest.mark.clause("6.5")
@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        pytest.param(40, "cell 40 is covered", id="a covered cell"),
        pytest.param(-1, "cell -1 is not on the quilt", id="before the first cell"),
        pytest.param(81, "cell 81 is not on the quilt", id="after the last cell"),
        pytest.param(None, "cell None is not on the quilt", id="nowhere"),
    ],
)
def test_a_leather_goes_nowhere_else(cell, reason):
    position = situation(ORIGINAL, spaces=(21, 19), covered=([40], ()), waiting=1)
    assert PlaceLeather(cell) not in position.legal_actions
    with pytest.raises(IllegalAction, match=reason) as refusal:
        position.apply(PlaceLeather(cell))
    assert refusal.value.clause == "6.5"


@pytest.mark.clause("6.5")
def test_without_a_leather_gained_none_is_placed():
    position = situation(ORIGINAL)
    assert PlaceLeather(0) not in position.legal_actions
    with pytest.raises(IllegalAction, match="no leather waits") as refusal:
        position.apply(PlaceLeather(0))
    assert refusal.value.clause == "6.5"


@pytest.mark.clause("6.5", "6.7")
@pytest.mark.parametrize("action", [Advance(), Buy("p02", 0, 0)])
def test_a_leather_cannot_be_declined_or_kept(action):
    position = situation(ORIGINAL, spaces=(21, 19), waiting=1)
    assert action not in position.legal_actions
    with pytest.raises(IllegalAction, match="seat 0 has a leather to place first") as refusal:
        position.apply(action)
    assert refusal.value.clause == "6.7"


@pytest.mark.clause("6.6")
def test_marks_on_one_space_give_the_income_first_and_marks_in_a_row_come_in_path_order():
    position = situation(CLOSE, spaces=(3, 3), income=(2, 0), ring=["p07"])
    after, events = buy(position, "p07")
    assert events[3:] == (
        Income(0, 4, 3),
        Income(0, 5, 3),
        LeatherTaken(0, 5),
        Income(0, 6, 3),
        LeatherTaken(0, 6),
    )
    assert after.waiting == 2


@pytest.mark.clause("6.6", "6.7")
def test_two_leathers_are_placed_one_at_a_time_and_then_the_token_behind_acts():
    position = situation(CLOSE, spaces=(3, 3), ring=["p07"])
    position, _ = position.apply(Buy("p07", 0, 0))
    for waiting, cell in ((2, 80), (1, 79)):
        assert (position.waiting, position.seat_on_turn) == (waiting, 0)
        position, events = position.apply(PlaceLeather(cell))
        assert events == (LeatherPlaced(0, cell),)
    assert (position.waiting, position.seat_on_turn) == (0, 1)
    assert position.players[0].leathers == 2
    assert position.leather_marks == ()


@pytest.mark.clause("6.6")
def test_several_leathers_in_one_move_are_reached(reach):
    reach(
        games(rulesets=rulesets(shipped=False)), lambda game: any(position.waiting > 1 for position in game.positions)
    )


@pytest.mark.clause("6.7")
@given(positions())
def test_while_a_leather_waits_only_its_placement_is_legal_and_the_game_does_not_end(position):
    for action in position.legal_actions:
        assert isinstance(action, PlaceLeather) == bool(position.waiting)
    if position.waiting:
        assert not position.finished
        assert position.seat_on_turn == position.top
        assert len(position.legal_actions) == position.empty_cells(position.top) > 0


@pytest.mark.clause("6.7", "8.1")
@pytest.mark.parametrize("seat", [0, 1])
def test_a_leather_gained_on_the_finish_is_placed_before_the_game_ends(seat):
    position = situation(ORIGINAL, spaces=(53, 53), top=seat, waiting=1)
    assert not position.finished
    assert (position.seat_on_turn, position.winner) == (seat, None)
    position, _ = position.apply(PlaceLeather(0))
    assert position.finished
    assert position.players[seat].leathers == 1


@pytest.mark.clause("6.7")
@given(games())
def test_placing_a_leather_does_not_change_which_token_is_on_top(game):
    for before, action, _, after in game.plies:
        if isinstance(action, PlaceLeather):
            assert after.top == before.top == before.seat_on_turn


@pytest.mark.clause("6.8")
def test_a_leather_for_a_full_quilt_is_set_aside_and_nobody_gets_it():
    position = situation(ORIGINAL, spaces=(19, 19), covered=(range(81), ()))
    position, events = position.apply(Advance())
    assert events[-2:] == (LeatherTaken(0, 20), LeatherSetAside(0))
    assert (position.waiting, position.set_aside) == (0, 1)
    assert (position.players[0].leathers, position.leather_marks) == (0, (26, 32, 44, 50))
    assert position.seat_on_turn == 1
    position, events = position.apply(Advance())
    assert position.players[1].space == 21
    assert not any(isinstance(event, LeatherTaken) for event in events)


@pytest.mark.clause("6.8", "6.6")
def test_of_two_leathers_for_one_empty_cell_the_first_is_placed_and_the_second_set_aside():
    ruleset = CLOSE.with_changes({"leather_marks": [1, 2, 3]})
    position = situation(ruleset, covered=(range(4, 80), ()), ring=["p07"])
    position, events = position.apply(Buy("p07", 0, 0))
    assert (position.waiting, position.set_aside) == (3, 0)
    assert not any(isinstance(event, LeatherSetAside) for event in events)
    assert list(position.legal_actions) == [PlaceLeather(80)]
    position, events = position.apply(PlaceLeather(80))
    assert events == (LeatherPlaced(0, 80), LeatherSetAside(0), LeatherSetAside(0))
    assert (position.waiting, position.set_aside, position.players[0].leathers) == (0, 2, 1)
    assert position.seat_on_turn == 1


@pytest.mark.clause("6.8")
@given(games(rulesets=rulesets(shipped=False, quilt_sizes=(3, 3))))
def test_a_leather_is_set_aside_only_when_the_quilt_is_full(game):
    for before, _, events, after in game.plies:
        aside = sum(isinstance(event, LeatherSetAside) for event in events)
        assert after.set_aside == before.set_aside + aside
        if aside:
            assert after.players[after.top].covered == game.ruleset.quilt
            assert after.waiting == 0


@pytest.mark.clause("6.8")
def test_leathers_set_aside_at_once_and_after_a_placement_are_reached(reach):
    def sets_aside_after(kind, game):
        return any(
            isinstance(events[-1], LeatherSetAside) and any(isinstance(event, kind) for event in events)
            for events in game.events
        )

    reach(
        games(rulesets=rulesets(shipped=False, quilt_sizes=(3, 3))),
        lambda game: sets_aside_after(Moved, game),
        lambda game: sets_aside_after(LeatherPlaced, game),
    )
