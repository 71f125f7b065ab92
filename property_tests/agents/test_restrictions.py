"""What stands before the name of an agent and a `+`: which actions each restriction leaves, and how they are named."""

import runpy
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numba import njit

import patchstats
from patchstats.agents import make_agent
from patchstats.agents.panel import PANEL, RESTRICTIONS
from patchstats.errors import AgentError
from patchstats.kernel.asking import Asked
from patchstats.kernel.layout import MAY_ADVANCE, NUMBER, OFFER_SIZE, ON_RING, SEAT_SIZE, SEATS, SLOT_COUNT
from patchstats.kernel.restrictions import BITS, restrict
from patchstats.kernel.turn import count_legal, nth_placement, seat_on_turn, slot_of
from patchstats.notation.action_log import decode_action
from patchstats.rules import Advance, Buy, Ruleset
from patchstats.rules.cells import cells_in
from patchstats.simulation.game import play_game
from patchstats.testing import positions, rulesets, situation

both = runpy.run_path(str(Path(__file__).parents[1] / "kernel" / "both.py"))

ORIGINAL = Ruleset.load("original")
#: Those that take actions away; the one other sets parameters.
NAMES = tuple(BITS)
SEVERAL = st.lists(st.sampled_from(NAMES), min_size=1, unique=True)


def on_turn(position):
    return not position.finished and not position.waiting


#: Positions with an action of a turn to choose, of every stage and by rulesets with leathers side by side.
TURNS = positions(rulesets=rulesets() | both["RULESETS"]).filter(on_turn)


# What is left, by the plain words of each restriction


def leaves_low_incomes(position, actions):
    return [one for one in actions if isinstance(one, Advance) or position.ruleset[one.patch].income < 3]


def leaves_purchases(_, actions):
    purchases = [one for one in actions if isinstance(one, Buy)]
    return purchases or actions


def squares_of(ruleset):
    """The bonus squares as sets of (row, column)."""
    side, places = ruleset.bonus_square, range(ruleset.quilt_size - ruleset.bonus_square + 1)
    return [
        {(top + row, left + column) for row in range(side) for column in range(side)}
        for top in places
        for left in places
    ]


def free_cells(position):
    ruleset, covered = position.ruleset, position.players[position.seat_on_turn].covered
    cells = (divmod(cell, ruleset.quilt_size) for cell in range(ruleset.quilt_size**2) if not covered >> cell & 1)
    return set(cells)


def bonus_is_in_reach(position):
    free, space = free_cells(position), position.players[position.seat_on_turn].space
    alone = {
        (row, column)
        for row, column in free
        if not free & {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}
    }
    fillers = sum(space < mark <= position.ruleset.finish for mark in position.leather_marks)
    fillers += sum(position.ruleset[patch].size == 1 for patch in position.ring)
    return any(len(square & alone) <= fillers for square in squares_of(position.ruleset))


def leaves_nearest_to_bonus(position, actions):
    if position.bonus_owner is not None or not bonus_is_in_reach(position):
        return actions
    ruleset, free, squares = position.ruleset, free_cells(position), squares_of(position.ruleset)
    lacking = {}
    for one in actions:
        if isinstance(one, Buy):
            cells = cells_in(ruleset.ways_to_lay[one.patch][one.orientation].pattern << one.cell)
            left = free - {divmod(cell, ruleset.quilt_size) for cell in cells}
            lacking[one] = min(len(square & left) for square in squares)
    least = {}
    for one, cells in lacking.items():
        least[one.patch] = min(cells, least.get(one.patch, cells))
    return [one for one in actions if isinstance(one, Advance) or lacking[one] == least[one.patch]]


def leaves_leathers(position, actions):
    ruleset, space = position.ruleset, position.players[position.seat_on_turn].space
    other = position.players[1 - position.seat_on_turn].space

    def takes_one(action):
        end = other + 1 if isinstance(action, Advance) else space + ruleset[action.patch].time
        return any(space < mark <= min(end, ruleset.finish) for mark in position.leather_marks)

    return [one for one in actions if takes_one(one)] or actions


PLAINLY = {
    "no-income-3": leaves_low_incomes,
    "no-advance-unless-forced": leaves_purchases,
    "seven-by-seven": leaves_nearest_to_bonus,
    "leather-racer": leaves_leathers,
}


def left_plainly(position, names):
    actions = list(position.legal_actions)
    for name, leaves in PLAINLY.items():
        if name in names:
            actions = leaves(position, actions)
    return actions


# What the kernel leaves


@njit
def _restrict(a, restrictions):
    seat = SEATS + seat_on_turn(a) * SEAT_SIZE
    count_legal(a, seat)
    restrict(a, seat, restrictions)


@njit
def _nth(a, n):
    """Slot, way and cell of the n-th purchase that is left, or slot 9 if there is none."""
    left = np.uint64(0)
    for slot in range(min(a[OFFER_SIZE], a[ON_RING])):
        left += a[SLOT_COUNT + slot]
    if n >= left:
        return np.uint64(9), np.uint64(0), np.uint64(0)
    slot, n = slot_of(a, n)
    way, cell = nth_placement(a, slot, n)
    return slot, a[way + NUMBER], cell


def left_by_kernel(position, names):
    arena = both["arena_with"](position)
    _restrict(arena, np.uint64(sum(BITS[name] for name in names)))
    actions = [Advance()] if arena[int(MAY_ADVANCE)] else []
    while (found := _nth(arena, np.uint64(len(actions) - bool(arena[int(MAY_ADVANCE)]))))[0] != 9:
        actions.append(Buy(position.offer[int(found[0])], int(found[1]), int(found[2])))
    return actions


#: Two cells of the last row are free, one of which the nearest bonus square lacks.
ALMOST = situation(
    ORIGINAL, spaces=(8, 30), buttons=(9, 5), covered=([cell for cell in range(81) if cell not in (60, 61, 69)], ())
)
#: Nine holes of one cell in every bonus square, more than leathers.
HOLED = situation(
    ORIGINAL,
    spaces=(8, 30),
    buttons=(20, 5),
    covered=([cell for cell in range(81) if cell % 2 or cell < 27], ()),
)


@given(TURNS, SEVERAL)
@example(situation(ORIGINAL, buttons=(50, 50)), ["no-income-3", "no-advance-unless-forced"])
@example(ALMOST, ["seven-by-seven"])
@example(HOLED, ["seven-by-seven"])
@example(situation(ORIGINAL, spaces=(17, 19), buttons=(50, 50)), list(NAMES))
def test_a_restriction_leaves_what_it_says_in_plain_words_and_several_do_so_in_turn(position, names):
    left = left_by_kernel(position, names)
    assert left == left_plainly(position, names)
    assert left
    assert set(left) <= set(position.legal_actions)


@pytest.mark.parametrize("name", NAMES)
def test_each_restriction_takes_something_away_somewhere_and_nothing_elsewhere(reach, name):
    reach(
        TURNS,
        lambda position: len(left_by_kernel(position, [name])) < len(position.legal_actions),
        lambda position: len(left_by_kernel(position, [name])) == len(position.legal_actions),
    )


def test_on_quilts_that_a_player_fills_each_restriction_leaves_what_it_says():
    agents = (make_agent("greedy", ORIGINAL), make_agent("random-patch", ORIGINAL))
    for ply in play_game(ORIGINAL, agents, 5, 0, 0).plies:
        if on_turn(ply.before):
            for name in NAMES:
                assert left_by_kernel(ply.before, [name]) == left_plainly(ply.before, [name])


@pytest.mark.parametrize(
    ("leathers", "in_reach"), [([32, 44], False), ([32, 44, 50], True), ([20, 44, 50], False), ([], False)]
)
def test_the_bonus_is_out_of_reach_with_more_lone_cells_in_each_square_than_leathers_ahead(leathers, in_reach):
    # Three lone cells and a block lie in every bonus square, and three cells in a row in few.
    free = (20, 22, 38, 49, 50, 51, 58, 59, 60, 0, 1, 2)
    position = situation(
        ORIGINAL,
        spaces=(30, 31),
        buttons=(50, 5),
        covered=([cell for cell in range(81) if cell not in free], ()),
        ring=["p01"],
        leather_marks=leathers,
    )
    left = left_by_kernel(position, ["seven-by-seven"])
    assert left == left_plainly(position, ["seven-by-seven"])
    assert (len(left) < len(position.legal_actions)) == in_reach


# What is played


@pytest.mark.parametrize("name", NAMES)
def test_a_restricted_agent_of_chance_plays_every_action_that_is_left_and_no_other(name):
    position = _few_left(name)
    allowed = left_plainly(position, [name])
    assert 1 < len(allowed) < len(position.legal_actions)
    asked = Asked(ORIGINAL, make_agent(f"{name}+random", ORIGINAL).decider(), 1, 0)
    drawn = [decode_action(position, asked.choose(position).code) for _ in range(40 * len(allowed))]
    assert set(drawn) == set(allowed)


def _few_left(name):
    """A position in which the restriction leaves some actions, but not all and not many."""
    free = (60, 61, 62, 69, 70, 71)
    if name == "seven-by-seven":
        free = (*free, 78, 79, 80, 0, 1, 2, 9, 10, 11)
    covered = [cell for cell in range(81) if cell not in free]
    # All three patches fit. Of them p11 alone has an income of 3, and p08 and the advance alone take no leather.
    return situation(
        ORIGINAL,
        spaces=(23, 24),
        buttons=(50, 0),
        covered=(covered, ()),
        ring=["p08", "p11", "p10"],
        leather_marks=[26],
    )


@pytest.mark.parametrize("spec", ["no-income-3+greedy", "seven-by-seven+leather-racer+random", "leather-racer+biggest"])
def test_every_action_of_a_restricted_game_is_one_that_is_left(spec):
    *names, _ = spec.split("+")
    agents = (make_agent(spec, ORIGINAL), make_agent("random-patch", ORIGINAL))
    kept_from_something = 0
    for index in range(4):
        game = play_game(ORIGINAL, agents, 5, index, index)
        for ply in game.plies:
            if ply.before.seat_on_turn == 0 and not ply.before.waiting:
                left = left_plainly(ply.before, names)
                assert ply.action in left
                kept_from_something += len(left) < len(ply.before.legal_actions)
    assert kept_from_something


def test_both_engines_write_the_same_and_the_log_of_offers_tells_what_the_rules_allow(tmp_path, contents):
    agents = ("no-income-3+leather-racer+random-patch", "no-advance-unless-forced+seven-by-seven+greedy")
    asked = {"games": 3, "seed": 7, "agents": agents, "log": "offers"}
    run = patchstats.simulate(**asked, engine="kernel", out=tmp_path / "kernel")
    patchstats.simulate(**asked, engine="reference", out=tmp_path / "reference")
    assert contents(tmp_path / "kernel") == contents(tmp_path / "reference")
    offers, expected = run.offers(), []
    for index in range(3):
        seated = tuple(make_agent(agent, ORIGINAL) for agent in agents)
        for ply in play_game(ORIGINAL, seated, 7, index, index).plies:
            position = ply.before
            if position.waiting:
                continue
            player = position.players[position.seat_on_turn]
            free = ORIGINAL.quilt & ~player.covered
            for patch in position.offer:
                ways = ORIGINAL.distinct_ways_to_lay[patch]
                fits = sum(way.fits(free).bit_count() for way in ways)
                expected.append((ORIGINAL[patch].cost <= player.buttons, fits))
    assert list(zip(offers["affordable"].tolist(), offers["placements"].tolist(), strict=True)) == expected


# How they are named


def test_the_order_in_which_restrictions_are_named_makes_no_other_run(tmp_path):
    asked = {"games": 1, "seed": 7, "log": "games"}
    first, second = (
        patchstats.simulate(**asked, agents=(spec, "random"), out=tmp_path / spec[:2])
        for spec in ("no-income-3+leather-racer+random", "leather-racer+no-income-3+random")
    )
    assert first.run_id == second.run_id
    assert make_agent("leather-racer+no-income-3+random", ORIGINAL).spec == "no-income-3+leather-racer+random"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("no-income-4+random", "'no-income-4' is no restriction; did you mean no-income-3?"),
        ("+random", "'' is no restriction; there are no-advance-unless-forced, no-income-3"),
        ("leather-racer+leather-racer+random", "leather-racer is given twice"),
        ("leather-racer+no-income-3+leather-racer+random", "leather-racer is given twice"),
        ("random+leather-racer", "is unknown"),
        ("leather-racer+scripted:game.txt", "goes with the agents of patchstats, not with scripted ones"),
    ],
)
def test_an_unknown_restriction_and_one_given_twice_are_refused(spec, said):
    with pytest.raises(AgentError) as error:
        make_agent(spec, ORIGINAL)
    assert said in str(error.value)


@pytest.mark.parametrize("card", PANEL, ids=lambda card: card.name)
def test_ignoring_the_opponent_goes_with_those_alone_that_look_at_it(card):
    spec = f"ignores-opponent+{card.name}"
    if card.ignoring_opponent is None:
        with pytest.raises(AgentError, match=f"{card.name} does not look at its opponent anyway"):
            make_agent(spec, ORIGINAL)
    else:
        assert make_agent(spec, ORIGINAL).spec == spec
        assert set(card.ignoring_opponent) <= {one.name for one in card.parameters}


def test_an_agent_that_ignores_its_opponent_plays_as_if_nothing_weighed_that():
    told, ignoring, plain = (
        play_game(ORIGINAL, (make_agent(spec, ORIGINAL), make_agent("random-patch", ORIGINAL)), 3, 0, 0).plies
        for spec in ("greedy:denial=5", "ignores-opponent+greedy:denial=5", "greedy")
    )
    assert [ply.action for ply in ignoring] == [ply.action for ply in plain] != [ply.action for ply in told]


def test_every_restriction_is_one_of_the_kernel_or_sets_parameters():
    assert set(RESTRICTIONS) == {*BITS, "ignores-opponent"}
    assert all(first & second == 0 for first, second in pairwise(BITS.values()))
