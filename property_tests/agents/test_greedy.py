"""The greedy agent, against the same arithmetic in plain Python over every legal action."""

import math
import runpy
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from patchstats import simulate
from patchstats.agents import make_agent
from patchstats.kernel.asking import Asked
from patchstats.kernel.deciders.deciding import restricted
from patchstats.kernel.deciders.greedy import greedy, weight
from patchstats.kernel.engine import Player
from patchstats.kernel.layout import CERTAIN
from patchstats.notation import format_record, record_of
from patchstats.notation.action_log import decode_action
from patchstats.rules import Advance, Buy, PlaceLeather, Ruleset
from patchstats.rules.cells import cells_in
from patchstats.simulation.game import play_game
from patchstats.testing import positions, rulesets, situation

packing = runpy.run_path(str(Path(__file__).parents[1] / "kernel" / "test_packing.py"))

ORIGINAL = Ruleset.load("original")
POSITIONS = positions(rulesets=rulesets() | packing["both"]["RULESETS"]).filter(lambda position: not position.finished)
TURNS = POSITIONS.filter(lambda position: not position.waiting)
PRICES = ("square_price", "income_price", "time_price", "packing", "holes", "bonus", "leather", "denial")
#: Prices in whole tenths, so that they are the same in both computations.
ANY_PRICES = st.fixed_dictionaries({name: st.integers(0, 40).map(lambda tenths: tenths / 10) for name in PRICES})
SOME_PRICES = dict(zip(PRICES, (2, 0.9, 1.8, 0.2, 0.5, 0.3, 2, 0.5), strict=True))


def decision(position, prices, temperature=0.0, index=0):
    decider = greedy(position.ruleset, **prices, temperature=temperature)
    return Asked(position.ruleset, decider, 1, index).choose(position)


def in_thousandths(prices):
    return {name: round(price * 1000) for name, price in prices.items()}


def ahead(marks, space):
    return sum(mark > space for mark in marks)


def leathers(position, start, end):
    return sum(start < mark <= end for mark in position.leather_marks)


def worth_anywhere(position, seat, patch, price):
    """What a patch is worth for a seat wherever it lies, in thousandths of a button."""
    ruleset, player = position.ruleset, position.players[seat]
    end = min(player.space + patch.time, ruleset.finish)
    return (
        price["square_price"] * patch.size
        + price["income_price"] * patch.income * ahead(ruleset.income_marks, player.space)
        + price["leather"] * leathers(position, player.space, end)
        - 1000 * patch.cost
        - price["time_price"] * (end - player.space)
    )


def edge(ruleset, free):
    return 4 * free.bit_count() - 2 * packing["pairs_of"](ruleset, free)


def holes(ruleset, free):
    beside = packing["_beside"](ruleset.quilt_size)
    return sum(not beside[cell] & free for cell in cells_in(free))


def missing(ruleset, free):
    return min((square & free).bit_count() for square in ruleset.bonus_squares)


def denied(position, seat, patch, price):
    player = position.players[seat]
    free = position.ruleset.quilt & ~player.covered
    if patch.cost > player.buttons or not any(
        way.fits(free) for way in position.ruleset.distinct_ways_to_lay[patch.id]
    ):
        return 0
    return max(0, worth_anywhere(position, seat, patch, price))


def options(position, prices):
    """For the advance and each slot that can be bought, its worth in thousandths of a button, and its action."""
    ruleset, seat, price = position.ruleset, position.seat_on_turn, in_thousandths(prices)
    player, other = position.players[seat], position.players[1 - seat]
    free = ruleset.quilt & ~player.covered
    end = min(other.space + 1, ruleset.finish)
    steps = end - player.space
    found = {
        "advance": (
            (1000 - price["time_price"]) * steps + price["leather"] * leathers(position, player.space, end),
            Advance(),
        )
    }
    buyable = {action.patch for action in position.legal_actions if isinstance(action, Buy)}
    for slot, patch_id in enumerate(position.offer):
        if patch_id in buyable:
            patch = ruleset[patch_id]
            [(way, cell, _)] = packing["found_by_trying"](position, slot, 1)
            left = free & ~(ruleset.ways_to_lay[patch_id][way].pattern << cell)
            worth = worth_anywhere(position, seat, patch, price)
            worth += price["packing"] * (edge(ruleset, free) - edge(ruleset, left))
            worth -= price["holes"] * (holes(ruleset, left) - holes(ruleset, free))
            if position.bonus_owner is None:
                worth += price["bonus"] * (missing(ruleset, free) - missing(ruleset, left))
            worth += price["denial"] * denied(position, 1 - seat, patch, price) // 1000
            found[slot] = worth, Buy(patch_id, way, cell)
    return found


@given(TURNS, ANY_PRICES)
def test_the_most_valuable_thing_is_done_and_all_values_are_told_in_hundredths_of_a_button(position, prices):
    found = options(position, prices)
    told = decision(position, prices)
    best = max(worth for worth, _ in found.values())
    first = next(action for worth, action in found.values() if worth == best)
    assert decode_action(position, told.code) == first
    assert told.values == {slot: (worth + 5) // 10 for slot, (worth, _) in found.items() if slot != "advance"}
    assert told.probabilities is None


def test_positions_with_something_to_deny_and_with_leathers_in_reach_are_drawn(reach):
    def worth_denying(position):
        price = in_thousandths(SOME_PRICES)
        patches = [position.ruleset[patch] for patch in position.offer]
        return any(denied(position, 1 - position.seat_on_turn, patch, price) > 0 for patch in patches)

    def leather_in_reach(position):
        player = position.players[position.seat_on_turn]
        return any(
            leathers(position, player.space, player.space + position.ruleset[one].time) for one in position.offer
        )

    reach(TURNS, worth_denying, leather_in_reach, lambda position: len(options(position, SOME_PRICES)) > 2)


@given(TURNS, ANY_PRICES, st.integers(1, 50))
def test_by_a_greater_price_of_time_no_action_is_chosen_that_takes_longer(position, prices, more):
    seat = position.seat_on_turn
    prices = {**prices, "denial": 0}

    def steps(chosen):
        return position.apply(decode_action(position, chosen.code)).position.players[seat].space

    dearer = {**prices, "time_price": prices["time_price"] + more / 10}
    assert steps(decision(position, dearer)) <= steps(decision(position, prices))


@given(TURNS, ANY_PRICES)
def test_denial_makes_no_patch_worth_less_and_only_what_the_opponent_wants_worth_more(position, prices):
    without, with_denial = decision(position, {**prices, "denial": 0}), decision(position, {**prices, "denial": 2})
    assert without.values.keys() == with_denial.values.keys()
    price = in_thousandths(prices)
    for slot, value in without.values.items():
        wanted = denied(position, 1 - position.seat_on_turn, position.ruleset[position.offer[slot]], price)
        assert (with_denial.values[slot] > value) == (wanted >= 5)
        assert with_denial.values[slot] >= value


def test_a_patch_that_only_the_opponent_wants_is_bought_to_deny_it():
    rich = ORIGINAL.with_changes({"patches.p10.income": 3})
    position = situation(rich, spaces=(49, 12), top=1, buttons=(60, 60))
    prices = {**SOME_PRICES, "denial": 0}
    seat = position.seat_on_turn
    assert seat == 1
    swapped = replace(position, players=position.players[::-1], top=0)
    for one in (position, swapped):
        values = decision(one, prices).values
        denying = decision(one, {**prices, "denial": 1}).values
        price = in_thousandths(prices)
        wanted = [denied(one, 1 - one.seat_on_turn, rich[patch], price) // 10 for patch in one.offer]
        assert any(wanted)
        assert [denying[slot] - values[slot] for slot in values] == pytest.approx(wanted, abs=1)


@given(TURNS, ANY_PRICES, st.integers(1, 400).map(lambda tenths: tenths / 10))
def test_told_probabilities_are_those_of_the_formula(position, prices, temperature):
    found = options(position, prices)
    told = decision(position, prices, temperature)
    best = max(worth for worth, _ in found.values())
    weights = {option: math.exp((worth - best) / 1000 / temperature) for option, (worth, _) in found.items()}
    total = sum(weights.values())
    expected = {slot: 1e9 * weights.get(slot, 0) / total for slot in range(len(position.offer))}
    assert told.probabilities == pytest.approx(expected, rel=1e-3, abs=2)
    assert 0 <= sum(told.probabilities.values()) <= CERTAIN
    assert decode_action(position, told.code) in [action for _, action in found.values()]
    assert told.values == decision(position, prices).values


def test_lots_fall_as_often_as_is_told():
    position = situation(ORIGINAL, spaces=(20, 24), top=1, buttons=(9, 9))
    decider = greedy(ORIGINAL, **SOME_PRICES, temperature=6.0)
    games = 3000
    drawn = [Asked(ORIGINAL, decider, 5, index).choose(position) for index in range(games)]
    actions = [decode_action(position, one.code) for one in drawn]
    probabilities = [drawn[0].probabilities[slot] / 1e9 for slot in range(3)]
    assert sum(probability > 0.05 for probability in probabilities) == 3
    bought = [sum(isinstance(one, Buy) and one.patch == patch for one in actions) for patch in position.offer]
    for number, probability in zip(
        [*bought, games - sum(bought)], [*probabilities, 1 - sum(probabilities)], strict=True
    ):
        assert abs(number - games * probability) < 5 * math.sqrt(games * probability * (1 - probability))


@njit
def _weight(less, temperature):
    return weight(less, temperature)


@given(st.integers(0, 2**40), st.integers(1, 10**6))
def test_weights_are_those_of_the_exponential_function(less, temperature):
    exact = 2**31 * math.exp(-less / temperature) if less < 700 * temperature else 0.0
    assert int(_weight(np.int64(less), np.int64(temperature))) == pytest.approx(exact, rel=1e-4, abs=2)


@pytest.mark.parametrize("whole", range(24))
def test_weights_are_exact_at_whole_numbers(whole):
    assert int(_weight(np.int64(whole * 1000), np.int64(1000))) == (
        round(2**31 * math.exp(-whole)) if whole < 23 else 0
    )


def test_weights_fall_but_for_their_last_digit():
    weights = [int(_weight(np.int64(less), np.int64(300))) for less in range(7000)]
    assert weights[0] == 2**31
    assert all(after <= before + 1 for before, after in pairwise(weights))
    assert weights[-1] == 0


@st.composite
def leathers_to_place(draw):
    """Positions in which a leather waits."""
    ruleset = draw(rulesets())
    cells = st.integers(0, ruleset.quilt_size**2 - 1)
    covered = draw(st.sets(cells, max_size=ruleset.quilt_size**2 - 1))
    return situation(ruleset, covered=(covered, ()), waiting=1)


LEATHERS = leathers_to_place()


@given(LEATHERS)
def test_a_leather_goes_where_it_lies_best(position):
    expected = packing["_best_leather"](packing["both"]["arena_with"](position))
    told = decision(position, SOME_PRICES, temperature=1.0)
    assert decode_action(position, told.code) == PlaceLeather(int(expected))
    assert (told.values, told.probabilities) == ({}, None)


@given(TURNS)
def test_who_may_not_advance_buys_the_most_valuable_patch(position):
    found = options(position, SOME_PRICES)
    decider = restricted(greedy(position.ruleset, **SOME_PRICES, temperature=0.0), ["no-advance-unless-forced"])
    told = Asked(position.ruleset, decider, 1, 0).choose(position)
    allowed = {option: one for option, one in found.items() if option != "advance"} or found
    best = max(worth for worth, _ in allowed.values())
    assert decode_action(position, told.code) == next(action for worth, action in allowed.values() if worth == best)


def test_lots_that_may_not_fall_on_the_advance_do_not():
    position = situation(ORIGINAL, spaces=(20, 24), top=1, buttons=(9, 9))
    decider = restricted(greedy(ORIGINAL, **SOME_PRICES, temperature=50.0), ["no-advance-unless-forced"])
    for index in range(100):
        told = Asked(ORIGINAL, decider, 1, index).choose(position)
        assert isinstance(decode_action(position, told.code), Buy)
        assert CERTAIN - 3 <= sum(told.probabilities.values()) <= CERTAIN


#: Game 0 of seed 1, greedy against itself.
FIRST_DOZEN = """
    0 p17/0@a1
    1 p23/0@a1
    1 p15/0@f1
    0 p32/1@a3
    0 advance
    1 p14/5@e1
    0 p12/2@b5
    0 p25/2@c1
    1 p31/0@a2
    1 p13/6@a4
    1 p07/1@a6
    1 leather@b2
"""


def test_the_first_dozen_plies_of_a_game():
    agent = make_agent("greedy", ORIGINAL)
    game = play_game(ORIGINAL, (agent, agent), seed=1, game_index=0, ring_index=0)
    lines = format_record(record_of(ORIGINAL, game.ring, [ply.action for ply in game.plies])).splitlines()
    assert lines[3:15] == [line.strip() for line in FIRST_DOZEN.strip().splitlines()]


def test_greedy_wins_at_least_ninety_seven_of_a_hundred_games_against_random():
    agents = tuple(make_agent(spec, ORIGINAL).decider() for spec in ("greedy", "random"))
    winners = (
        Player(ORIGINAL, agents, games_per_ring=2, mirrored=True).play(seed=1, first=0, count=4000).games["winner"]
    )
    assert np.mean(winners == np.arange(4000) % 2) >= 0.97


@pytest.mark.parametrize("agent", ["greedy", "greedy:temperature=2,denial=0.4,holes=1"])
def test_both_engines_write_the_same_bytes(tmp_path, contents, agent):
    for engine in ("kernel", "reference"):
        simulate(
            ruleset="original",
            agents=[agent, "random"],
            games=6,
            seed=3,
            log="offers",
            engine=engine,
            out=tmp_path / engine,
        )
    assert contents(tmp_path / "kernel") == contents(tmp_path / "reference")


def test_who_ignores_the_opponent_denies_nothing():
    plays = [
        Player(ORIGINAL, (make_agent(spec, ORIGINAL).decider(),) * 2).play(seed=2, first=0, count=50, offers=True)
        for spec in ("greedy", "ignores-opponent+greedy:denial=2", "greedy:denial=2")
    ]
    values = [played.offers["value"].tolist() for played in plays]
    assert values[0] == values[1] != values[2]
