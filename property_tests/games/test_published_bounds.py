"""Bounds that a published analysis gives for the shipped rulesets: 63 plies, 1345 actions, scores from -106 to 85.

Each is held against drawn games, proved from the data without the engine, and but for the highest score shown to be
reached by a game. The proofs loosen the rules: what they allow too much of cannot make a bound too narrow.
"""

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from patchstats.rules import Advance, Buy, PlaceLeather, Position, Ruleset
from patchstats.testing import games, play_game, rulesets

PLIES, LEATHERS, ACTIONS, LEAST, GREATEST = 63, 5, 1345, -106, 85
ORIGINAL = Ruleset.load("original")
FINISH = ORIGINAL.finish

shipped_games = games(rulesets=rulesets(invented=False))
both_boards = pytest.mark.parametrize("ruleset", [ORIGINAL, Ruleset.load("revised")], ids=lambda ruleset: ruleset.name)


def ring_with(ruleset, first):
    """A ring whose first offer begins with these patches."""
    start = ruleset.start_patch
    return [start, *first, *(patch.id for patch in ruleset.patches if patch.id not in {start, *first})]


def marks_between(start, end):
    return sum(start < mark <= end for mark in ORIGINAL.income_marks)


@cache
def most_turns(behind, ahead, short):
    """How many turns two tokens can still make, the first of them now, with so many patches of time 1 left.

    There is no end of patches with more time, and no price.
    """
    if behind == FINISH:
        return 0
    moves = {(ahead + 1, short), *((behind + patch.time, short) for patch in ORIGINAL.patches if patch.time > 1)}
    if short:
        moves.add((behind + 1, short - 1))
    return 1 + max(most_turns(*sorted([min(end, FINISH), ahead]), left) for end, left in moves)


@cache
def least_gain(space):
    """The least that buying can add to the score of a seat on this space that would else walk to the finish.

    Any patch is for sale at any time, any number of times.
    """
    if space == FINISH:
        return 0
    gains = [least_gain(space + 1)]
    for patch in ORIGINAL.patches:
        end = min(space + patch.time, FINISH)
        income = patch.income * marks_between(space, FINISH)
        gains.append(2 * patch.size - patch.cost - (end - space) + income + least_gain(end))
    return min(gains)


def greatest_score():
    """The greatest score of a seat alone on the track, to which any patch is for sale once and all leathers fall.

    The cells need not fit together. The stock of buttons is looked at on every second space only, which is solved
    sooner.
    """
    patches = ORIGINAL.patches
    moves = [
        (space, min(space + patch.time, FINISH), -patch.cost, patch) for patch in patches for space in range(FINISH)
    ]
    moves += [(space, space + 1, 1, None) for space in range(FINISH)]
    points, cells, most = np.zeros((3, len(moves) + 1))
    points[-1], cells[-1], most[-1] = 2, 1, LEATHERS
    way, stock = np.zeros((2, FINISH, len(moves) + 1))
    supply = np.zeros((len(patches), len(moves) + 1))
    for column, (start, end, buttons, patch) in enumerate(moves):
        income, cells[column] = (patch.income, patch.size) if patch else (0, 0)
        points[column] = buttons + income * marks_between(start, FINISH) + 2 * cells[column]
        most[column] = 1
        way[start, column] = 1
        if end < FINISH:
            way[end, column] = -1
        if patch:
            supply[patches.index(patch), column] = 1
        stock[start, column] = min(buttons, 0)
        for space in range(start + 1, FINISH):
            stock[space, column] = buttons + income * marks_between(start, space)
    at_start = np.eye(FINISH)[0]
    from scipy.optimize import Bounds, LinearConstraint, milp

    solution = milp(
        -points,
        integrality=np.ones_like(points),
        bounds=Bounds(0, most),
        constraints=[
            LinearConstraint(way, at_start, at_start),
            LinearConstraint(supply, 0, 1),
            LinearConstraint(cells[None], 0, 81),
            LinearConstraint(stock[::2], -ORIGINAL.start_buttons, np.inf),
        ],
    )
    assert solution.success
    return ORIGINAL.start_buttons - 2 * 81 + ORIGINAL.bonus_points - solution.mip_dual_bound


def placements_of(patch):
    """On how many different sets of cells a patch can lie on an empty quilt, found by trying all."""
    lines = patch.rows.split("/")
    cells = [(row, column) for row, line in enumerate(lines) for column, mark in enumerate(line) if mark == "1"]
    found = set()
    for exchanged, row_sign, column_sign in product([False, True], [1, -1], [1, -1]):
        for top, left in product(range(-9, 18), repeat=2):
            moved = [(column, row) if exchanged else (row, column) for row, column in cells]
            moved = [(top + row_sign * row, left + column_sign * column) for row, column in moved]
            if all(0 <= row < 9 and 0 <= column < 9 for row, column in moved):
                found.add(frozenset(moved))
    return len(found)


def quick_action(position, wanted, turns_left):
    """A purchase in the top left corner, else an advance, after which as many turns as before can still be made."""
    short = sum(patch.time == 1 and patch.id in position.ring for patch in ORIGINAL.patches)
    for patch in [patch for patch in position.legal_actions.purchases.patches if patch in wanted]:
        purchase = position.legal_actions.purchases.of(patch)[0]
        after, _ = position.apply(purchase)
        spaces = sorted(player.space for player in after.players)
        if 1 + most_turns(*spaces, short - (ORIGINAL[patch].time == 1)) == turns_left:
            return purchase
    return Advance()


@given(shipped_games)
def test_no_game_has_more_than_63_plies(game):
    assert len(game.actions) <= PLIES


@given(shipped_games)
def test_no_position_has_more_than_1345_legal_actions(game):
    assert max(len(position.legal_actions) for position in game.positions) <= ACTIONS


@given(shipped_games)
def test_every_score_lies_between_the_bounds(game):
    for seat in (0, 1):
        assert LEAST <= game.final.score(seat) <= GREATEST


@both_boards
def test_what_the_proofs_take_from_the_original_ruleset_is_the_same_on_both_boards(ruleset):
    assert ruleset.patches == ORIGINAL.patches
    assert ruleset.income_marks == ORIGINAL.income_marks
    assert len(ruleset.leather_marks) == LEATHERS
    assert (ruleset.quilt_size, ruleset.offer_size, ruleset.finish) == (9, 3, FINISH)
    assert (ruleset.start_buttons, ruleset.bonus_points, ruleset.empty_cell_penalty) == (5, 7, 2)


@pytest.mark.clause("4.1", "5.9")
def test_two_tokens_and_four_patches_of_time_1_make_58_turns_at_most():
    short = [patch.id for patch in ORIGINAL.patches if patch.time == 1]
    assert len(short) == 4
    assert most_turns(0, 0, len(short)) + LEATHERS == PLIES


@both_boards
@pytest.mark.clause("4.1", "5.9", "5.12", "6.7")
def test_a_game_of_63_plies_can_be_played(ruleset):
    """Every third patch is one of time 1 or 2, and is bought where no turn is lost by it."""
    quick = ["p04", "p24", "p03", "p05", "p06", "p08", "p12", "p13", "p22", "p18"]
    slow = [patch.id for patch in ruleset.patches if patch.id not in {"p01", *quick}]
    wanted = {*quick, "p01"}
    first = [patch for place, patch in enumerate(quick) for patch in (slow[2 * place], slow[2 * place + 1], patch)]
    position = Position.start(ruleset, ring_with(ruleset, first))
    plies = turns = 0
    while not position.finished:
        action = position.legal_actions[-1] if position.waiting else quick_action(position, wanted, 58 - turns)
        turns += not isinstance(action, PlaceLeather)
        plies += 1
        position, _ = position.apply(action)
    assert (turns, plies) == (58, PLIES)


@pytest.mark.clause("5.8")
def test_three_patches_and_an_advance_make_1345_actions_at_most():
    assert 1 + sum(sorted(map(placements_of, ORIGINAL.patches))[-3:]) == ACTIONS


@both_boards
@pytest.mark.clause("5.1", "5.8")
def test_a_first_turn_with_1345_actions_can_be_had(ruleset):
    assert len(Position.start(ruleset, ring_with(ruleset, ["p08", "p09", "p13"])).legal_actions) == ACTIONS


@pytest.mark.clause("9.1", "5.7")
def test_whoever_walks_all_the_way_has_104_below_zero_and_no_purchase_loses_more_than_2():
    walking = ORIGINAL.start_buttons + FINISH - 2 * 81
    assert (walking, least_gain(0)) == (-104, -2)
    assert walking + least_gain(0) == LEAST


@both_boards
@pytest.mark.clause("9.3", "5.11")
def test_a_game_with_a_score_of_106_below_zero_can_be_played(ruleset):
    """Seat 0 walks to space 47 and buys only p11, once seat 1 has gone past it and taken the last leather."""
    game = play_game(ruleset, ring_with(ruleset, ["p31", "p11"]), choices=[0] * 51 + [1, 0, 1])
    assert [action.patch for action in game.actions if isinstance(action, Buy)] == ["p31", "p11"]
    assert game.final.score(0) == LEAST


@pytest.mark.clause("9.1")
def test_no_purchases_of_a_seat_alone_on_the_track_score_more_than_85():
    assert int(greatest_score() + 1e-6) == GREATEST
