"""Section 5 of the rulebook: buying a patch."""

import dataclasses
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.errors import IllegalAction
from patchstats.rules import Action, Advance, Buy, Event, PlaceLeather, Ruleset
from patchstats.rules.cells import cells_in, set_of
from patchstats.rules.events import (
    BonusWon,
    Earned,
    Finished,
    Income,
    LeatherSetAside,
    LeatherTaken,
    Moved,
    Paid,
    Placed,
)
from patchstats.rules.rulebook import clauses
from patchstats.testing import buy, games, positions, situation

ORIGINAL = Ruleset.load("original")


def purchases_of(game):
    """The plies that are purchases, each with the patch and the seat that bought it."""
    for ply in game.plies:
        if isinstance(ply.action, Buy):
            yield ply, game.ruleset[ply.action.patch], ply.before.seat_on_turn


@pytest.mark.clause("5.1")
@given(positions())
def test_the_offer_is_the_next_patches_clockwise_as_many_as_the_ruleset_says(position):
    assert len(position.offer) == min(position.ruleset.offer_size, len(position.ring))
    assert position.offer == position.ring[: len(position.offer)]
    assert {action.patch for action in position.legal_actions if isinstance(action, Buy)} <= set(position.offer)


@pytest.mark.clause("5.1")
@pytest.mark.parametrize("patch", ["p02", "p03", "p05"])
def test_any_patch_on_offer_may_be_bought_and_skipping_costs_nothing(patch):
    position = situation(ORIGINAL, ring=["p02", "p03", "p05", "p06"])
    after, _ = buy(position, patch)
    assert after.players[0].buttons == 5 - ORIGINAL[patch].cost


@pytest.mark.clause("5.1")
def test_a_patch_further_round_the_ring_may_not_be_bought():
    position = situation(ORIGINAL, ring=["p02", "p03", "p05", "p06"])
    with pytest.raises(IllegalAction, match="p06 is not on offer; on offer: p02, p03, p05") as refusal:
        position.apply(Buy("p06", 0, 0))
    assert refusal.value.clause == "5.1"


@pytest.mark.clause("5.2", "5.3")
@pytest.mark.parametrize("left", [0, 1, 2])
def test_the_offer_is_what_is_left_of_a_short_ring(left):
    position = situation(ORIGINAL, ring=["p02", "p03"][:left])
    assert position.offer == ("p02", "p03")[:left]
    assert position.legal_actions.purchases.patches == position.offer
    if left:
        after, _ = buy(position, position.offer[-1])
        assert len(after.offer) == left - 1


@pytest.mark.clause("5.2", "5.3")
@given(positions())
def test_no_patch_is_on_offer_twice(position):
    assert len(set(position.offer)) == len(position.offer)


@pytest.mark.clause("5.3")
def test_games_reach_an_empty_ring(reach):
    game = reach(games(), lambda game: not game.final.ring)
    assert game.final.offer == ()


@pytest.mark.clause("5.4")
@pytest.mark.parametrize(
    ("patch", "buttons", "buttons_after"),
    [
        pytest.param("p16", 5, 0, id="exactly the cost is enough"),
        pytest.param("p21", 0, 0, id="a cost of 0 asks for no buttons"),
    ],
)
def test_the_last_button_may_be_spent(patch, buttons, buttons_after):
    after, _ = buy(situation(ORIGINAL, buttons=(buttons, 5), ring=[patch]), patch)
    assert after.players[0].buttons == buttons_after


@pytest.mark.clause("5.4")
def test_one_button_too_few_is_too_few():
    position = situation(ORIGINAL, buttons=(4, 5), ring=["p16"])
    assert list(position.legal_actions) == [Advance()]
    with pytest.raises(IllegalAction, match="p16 costs 5 buttons, and seat 0 has 4") as refusal:
        position.apply(Buy("p16", 0, 0))
    assert refusal.value.clause == "5.4"


@pytest.mark.clause("5.4", "5.5")
def test_the_income_of_the_turn_cannot_help_to_pay():
    position = situation(ORIGINAL, spaces=(10, 12), buttons=(2, 5), income=(4, 0), ring=["p06"])
    with pytest.raises(IllegalAction) as refusal:
        position.apply(Buy("p06", 0, 0))
    assert refusal.value.clause == "5.4"


@pytest.mark.clause("5.4", "5.8")
def test_a_patch_that_fits_nowhere_cannot_be_bought():
    chequered = range(0, 81, 2)
    position = situation(ORIGINAL, buttons=(20, 5), covered=(chequered, ()), ring=["p01", "p02", "p03"])
    assert position.legal_actions.purchases.patches == ()
    for patch in position.ring:
        for orientation in range(8):
            for cell in range(81):
                assert Buy(patch, orientation, cell) not in position.legal_actions


@pytest.mark.clause("5.4")
@given(positions())
def test_no_purchase_that_is_listed_costs_more_than_the_seat_has(position):
    for patch in position.legal_actions.purchases.patches:
        assert position.ruleset[patch].cost <= position.players[position.seat_on_turn].buttons


@pytest.mark.clause("5.5", "6.6")
def test_a_purchase_runs_in_the_order_of_the_rulebook():
    """All that one purchase can bring: the bonus, two income marks, a leather on the second of them, and the finish."""
    ruleset = ORIGINAL.with_changes({"finish": 10, "income_marks": [9, 10], "leather_marks": [10]})
    gap = range(4)
    square = {row * 9 + column for row in range(7) for column in range(7)}
    position = situation(ruleset, spaces=(7, 7), income=(2, 0), covered=(square - set(gap), ()), ring=["p07"])
    after, events = position.apply(Buy("p07", 0, 0))
    assert events == (
        Paid(0, 3),
        Placed(0, "p07", set_of(gap)),
        BonusWon(0),
        Moved(0, 7, 10),
        Income(0, 9, 3),
        Income(0, 10, 3),
        LeatherTaken(0, 10),
        Finished(0),
    )
    assert (after.waiting, after.seat_on_turn) == (1, 0)


@pytest.mark.clause("5.5", "7.2")
@given(games())
def test_no_purchase_leaves_the_order_of_the_rulebook(game):
    order = {Paid: 0, Placed: 1, BonusWon: 2, Moved: 3, Income: 4, LeatherTaken: 4, Finished: 5, LeatherSetAside: 6}
    for ply, _, _ in purchases_of(game):
        steps = [order[type(event)] for event in ply.events]
        assert steps == sorted(steps)
        assert [steps.count(step) for step in (0, 1, 3)] == [1, 1, 1]


@pytest.mark.clause("5.6")
@pytest.mark.parametrize(
    ("bought", "ring_after"),
    [
        ("p04", ("p05", "p06", "p07", "p08")),
        ("p05", ("p06", "p07", "p08", "p04")),
        ("p06", ("p07", "p08", "p04", "p05")),
    ],
)
def test_the_next_offer_begins_behind_the_patch_bought_and_skipped_ones_are_last_in_line(bought, ring_after):
    position = situation(ORIGINAL, buttons=(9, 5), ring=["p04", "p05", "p06", "p07", "p08"])
    after, _ = buy(position, bought)
    assert after.ring == ring_after
    assert after.offer == ring_after[:3]


@pytest.mark.clause("5.6")
@given(games())
def test_the_ring_closes_behind_every_purchase_and_is_never_shuffled(game):
    clockwise = dict(zip(game.ring, game.ring[1:] + game.ring[:1], strict=True))
    before = {successor: patch for patch, successor in clockwise.items()}
    for ply, patch, _ in purchases_of(game):
        behind = clockwise.pop(patch.id)
        ahead = before.pop(patch.id)
        if clockwise:
            clockwise[ahead], before[behind] = behind, ahead
            assert ply.after.ring[0] == behind
        assert set(ply.after.ring) == set(clockwise)
        assert all(
            clockwise[first] == second for first, second in zip(ply.after.ring, ply.after.ring[1:], strict=False)
        )


@pytest.mark.clause("5.6")
@given(games())
def test_the_ring_changes_by_purchases_only(game):
    for ply in game.plies:
        assert (ply.before.ring == ply.after.ring) == (not isinstance(ply.action, Buy))


@pytest.mark.clause("5.7", "5.9", "5.10")
@pytest.mark.parametrize(
    ("space", "buttons", "income", "patch", "space_after", "buttons_after"),
    [
        pytest.param(12, 10, 0, "p20", 16, 0, id="a patch brings nothing when it is bought"),
        pytest.param(12, 6, 0, "p07", 15, 3, id="no buttons for three spaces"),
        pytest.param(10, 7, 0, "p27", 12, 2, id="the new patch counts at the mark it crosses"),
        pytest.param(4, 5, 2, "p03", 6, 5, id="the cost, and the income of a mark passed"),
        pytest.param(41, 17, 13, "p29", 47, 25, id="the cost, and the income of a mark landed on"),
        pytest.param(50, 12, 10, "p29", 53, 17, id="beyond the finish: the cost in full, and the income there"),
        pytest.param(50, 16, 14, "p20", 53, 23, id="one space beyond the finish"),
    ],
)
def test_a_purchase_pays_its_cost_and_no_buttons_for_its_spaces(
    space, buttons, income, patch, space_after, buttons_after
):
    ruleset = ORIGINAL.with_changes({"leather_marks": []})
    position = situation(ruleset, spaces=(space, 53), buttons=(buttons, 0), income=(income, 0), ring=[patch])
    after, _ = buy(position, patch)
    assert (after.players[0].space, after.players[0].buttons) == (space_after, buttons_after)
    assert after.players[0].income == income + ORIGINAL[patch].income
    assert after.bank - position.bank == buttons - buttons_after


@pytest.mark.clause("5.7", "5.9", "5.10", "5.11")
@given(games())
def test_the_buttons_of_a_purchase_are_the_cost_and_the_marks_with_the_new_patch_on_them(game):
    for ply, patch, seat in purchases_of(game):
        before, after = ply.before.players[seat], ply.after.players[seat]
        marks = [mark for mark in game.ruleset.income_marks if before.space < mark <= after.space]
        assert after.income == before.income + patch.income
        assert after.buttons == before.buttons - patch.cost + len(marks) * after.income
        assert not any(isinstance(event, Earned) for event in ply.events)


@pytest.mark.clause("5.8")
@pytest.mark.parametrize(
    ("orientation", "drawing"),
    [
        (0, "1111/1000"),
        (1, "11/01/01/01"),
        (2, "0001/1111"),
        (3, "10/10/10/11"),
        (4, "1111/0001"),
        (5, "01/01/01/11"),
        (6, "1000/1111"),
        (7, "11/10/10/10"),
    ],
)
def test_a_patch_is_turned_clockwise_up_to_three_times_and_then_flipped_and_turned(orientation, drawing):
    corner = 2 * 9 + 3
    position = situation(ORIGINAL, buttons=(10, 5), ring=["p19"])
    _, events = position.apply(Buy("p19", orientation, corner))
    [placed] = [event for event in events if isinstance(event, Placed)]
    cells = {divmod(cell - corner, 9) for cell in cells_in(placed.cells)}
    assert cells == {
        (row, column) for row, line in enumerate(drawing.split("/")) for column, mark in enumerate(line) if mark == "1"
    }


@pytest.mark.clause("5.8")
def test_a_patch_need_not_touch_another():
    position = situation(ORIGINAL, covered=([0], ()), ring=["p03"])
    assert Buy("p03", 0, 8 * 9 + 6) in position.legal_actions


@pytest.mark.clause("5.8", "5.13")
@pytest.mark.parametrize(
    ("orientation", "cell", "reason"),
    [
        pytest.param(0, 6, "leaves the quilt", id="beyond the right edge"),
        pytest.param(0, 81, "leaves the quilt", id="below the last row"),
        pytest.param(1, 7 * 9, "leaves the quilt", id="upright, beyond the last row"),
        pytest.param(0, -1, "leaves the quilt", id="left of the first column"),
        pytest.param(0, -9, "leaves the quilt", id="above the first row"),
        pytest.param(0, 10**30, "leaves the quilt", id="far away"),
        pytest.param(0, "a1", "leaves the quilt", id="no number"),
        pytest.param(0, None, "leaves the quilt", id="nowhere"),
        pytest.param(0, 37, "overlaps covered cells", id="its last cell covered"),
        pytest.param(0, 40, "overlaps covered cells", id="its first cell covered"),
        pytest.param(8, 0, "orientation 8 is none of 0 to 7 ", id="a ninth orientation"),
        pytest.param(10**6, 0, "orientation 1000000 is none of 0 to 7 ", id="an orientation far beyond"),
        pytest.param(-1, 0, "orientation -1 is none of 0 to 7 ", id="a negative orientation"),
        pytest.param(None, 0, "orientation None is none of 0 to 7 ", id="no orientation"),
    ],
)
def test_a_patch_lies_inside_the_quilt_on_empty_cells(orientation, cell, reason):
    position = situation(ORIGINAL, covered=([40], ()), ring=["p07"])
    action = Buy("p07", orientation, cell)
    assert action not in position.legal_actions
    with pytest.raises(IllegalAction, match=reason) as refusal:
        position.apply(action)
    assert refusal.value.clause == "5.8"
    assert position == situation(ORIGINAL, covered=([40], ()), ring=["p07"])


@pytest.mark.clause("5.8")
@given(games())
def test_a_purchase_covers_empty_cells_of_the_own_quilt_and_uncovers_none(game):
    for ply, patch, seat in purchases_of(game):
        [placed] = [event for event in ply.events if isinstance(event, Placed)]
        before, after = ply.before.players[seat], ply.after.players[seat]
        assert placed.cells & before.covered == 0
        assert placed.cells | before.covered == after.covered
        assert placed.cells.bit_count() == patch.size
        assert placed.cells & ~game.ruleset.quilt == 0
        assert after.patches == before.patches | {patch.id}


@pytest.mark.clause("5.8")
def test_a_patch_on_the_quilt_is_never_moved():
    position, _ = buy(situation(ORIGINAL, spaces=(0, 9), ring=["p03", "p02", "p05"]), "p03")
    assert position.seat_on_turn == 0
    with pytest.raises(IllegalAction) as refusal:
        position.apply(Buy("p03", 0, 30))
    assert refusal.value.clause == "5.1"


@pytest.mark.clause("5.9", "5.11")
@given(games())
def test_a_purchase_moves_by_the_time_of_the_patch_at_most_to_the_finish(game):
    for ply, patch, seat in purchases_of(game):
        start = ply.before.players[seat].space
        assert ply.after.players[seat].space == min(start + patch.time, game.ruleset.finish)


@pytest.mark.clause("5.12", "3.2")
@given(games())
def test_after_a_purchase_that_ends_on_the_other_token_the_same_seat_acts(game):
    for ply, _, seat in purchases_of(game):
        first, second = ply.after.players
        assert ply.after.top == seat
        if first.space == second.space < game.ruleset.finish:
            assert ply.after.seat_on_turn == seat


@pytest.mark.clause("5.12", "3.2")
def test_purchases_that_end_on_the_other_token_are_reached(reach):
    reach(
        games(),
        lambda game: any(
            ply.after.players[0].space == ply.after.players[1].space < game.ruleset.finish
            for ply, _, _ in purchases_of(game)
        ),
    )


@st.composite
def actions_on(draw, position):
    """Actions of every kind, most of them illegal."""
    cells = st.integers(-1, position.ruleset.quilt_size**2)
    patches = st.sampled_from([*(patch.id for patch in position.ruleset.patches), *position.offer, "nothing"])
    buys = st.builds(Buy, patches, st.integers(-1, 8), cells)
    return draw(st.just(Advance()) | st.builds(PlaceLeather, cells) | buys)


@pytest.mark.clause("5.13")
@given(st.data(), positions())
def test_an_action_that_is_not_legal_is_refused_by_a_clause_and_changes_nothing(data, position):
    action = data.draw(actions_on(position))
    before = dataclasses.replace(position)
    if action in position.legal_actions:
        assert position.apply(action).position != before
    else:
        with pytest.raises(IllegalAction) as refusal:
            position.apply(action)
        assert refusal.value.clause in {clause.number for clause in clauses()}
        assert str(refusal.value) == f"{refusal.value.reason} (clause {refusal.value.clause})"
    assert position == before


@pytest.mark.clause("5.13")
def test_a_refused_purchase_is_not_replaced_by_an_advance():
    position = situation(ORIGINAL, spaces=(3, 7), covered=([0], ()), ring=["p03"])
    with pytest.raises(IllegalAction):
        position.apply(Buy("p03", 0, 0))
    assert (position.players[0].space, position.players[0].buttons, position.seat_on_turn) == (3, 5, 0)


@pytest.mark.clause("5.13")
@pytest.mark.parametrize(
    ("part", "attribute"), [("position", "top"), ("player", "buttons"), ("ruleset", "finish"), ("patch", "cost")]
)
def test_a_position_cannot_be_changed(part, attribute):
    position = situation(ORIGINAL)
    parts = {"position": position, "player": position.players[0], "ruleset": position.ruleset}
    parts["patch"] = position.ruleset.patches[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(parts[part], attribute, 1)


@pytest.mark.clause("5.13")
@pytest.mark.parametrize("kind", [*get_args(Action), *get_args(Event)], ids=lambda kind: kind.__name__)
def test_an_action_and_an_event_cannot_be_changed(kind):
    value = kind(*(0 for _ in dataclasses.fields(kind)))
    with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
        value.anything = 1
    for field in dataclasses.fields(kind):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, field.name, 1)
