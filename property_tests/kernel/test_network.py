"""The evaluation of positions: the network exact in whole numbers, its file, and what positions are worth to both."""

import json
import math
import runpy
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numba import njit

from patchstats.errors import AgentError
from patchstats.kernel.search.dense import HIDDEN, dense
from patchstats.kernel.search.evaluation import INPUTS, MUCH, OBJECTIVES, USUAL, evaluate, put_evaluation
from patchstats.kernel.search.evaluation import words_of_evaluation as words
from patchstats.kernel.search.features import FEATURES
from patchstats.kernel.search.tree import ONE
from patchstats.kernel.search.weights import HEADS, Network, network_in, network_text, rounded
from patchstats.kernel.turn import seat_on_turn
from patchstats.rules import Ruleset
from patchstats.rules.files import data_directory
from patchstats.testing import damaged_texts, positions, situation

both = runpy.run_path(str(Path(__file__).with_name("both.py")))

ORIGINAL = Ruleset.load("original")
BOUND = 2**24
GREATEST = [max(abs(feature.least), abs(feature.greatest)) for feature in FEATURES]
POSITIONS = positions(rulesets=both["RULESETS"])
SEEDS = st.integers(0, 2**32)


@njit
def _dense(numbers, inputs, count, weights, outputs):
    dense(numbers, inputs, count, weights, outputs)


@njit
def _evaluate(a, m, numbers, e):
    return evaluate(a, m, numbers, e, seat_on_turn(a))


# A layer


def layer(inputs, weights, gap):
    """What the layer gives for these inputs and rows of weights, which lie so far apart."""
    count = len(inputs)
    places = gap, gap + count + gap, gap + count + gap + weights.size + gap
    numbers = np.full(places[2] + HIDDEN + gap, 0.5, dtype=np.float32)
    numbers[places[0] : places[0] + count] = inputs
    numbers[places[1] : places[1] + weights.size] = weights.reshape(-1)
    before = numbers.copy()
    _dense(numbers, np.uint64(places[0]), np.uint64(count), np.uint64(places[1]), np.uint64(places[2]))
    outputs = slice(places[2], places[2] + HIDDEN)
    found = numbers[outputs].tolist()
    before[outputs] = numbers[outputs] = 0
    assert (numbers == before).all()
    return found


def by_whole_numbers(inputs, weights):
    rows = [[int(number) for number in row] for row in weights]
    sums = [
        rows[0][place] + sum(int(x) * row[place] for x, row in zip(inputs, rows[1:], strict=True))
        for place in range(HIDDEN)
    ]
    return [max(0, one) for one in sums]


@given(SEEDS, st.integers(1, len(FEATURES)), st.integers(1, 9), st.booleans())
def test_a_layer_is_the_product_of_whole_numbers_up_to_the_very_bound(seed, count, gap, one_way):
    generator = np.random.default_rng(seed)
    inputs = generator.integers(1, 255, count) * generator.choice([-1, 1], count)
    weights = generator.integers(-(2**12), 2**12, (count + 1, HIDDEN))
    if one_way:  # nothing cancels out, so that the last sum is the greatest
        weights = np.abs(weights) * np.sign([1, *inputs])[:, None] * generator.choice([-1, 1, 1], HIDDEN)
    for place in range(HIDDEN):
        while np.abs(weights[1:, place]) @ np.abs(inputs) >= BOUND:
            weights[1:, place] //= 2
        left = BOUND - 1 - int(np.abs(weights[1:, place]) @ np.abs(inputs))
        weights[0, place] = left if weights[0, place] >= 0 else -left
    exact = by_whole_numbers(inputs, weights)
    assert layer(inputs, weights, gap) == exact
    if one_way:
        assert max(exact) == BOUND - 1


def test_what_is_below_zero_becomes_zero():
    weights = np.zeros((2, HIDDEN), dtype=np.int64)
    weights[1] = np.arange(HIDDEN) - 7
    assert layer([3], weights, 1) == [max(0, 3 * (place - 7)) for place in range(HIDDEN)]


# A network in whole numbers


def real_network(seed, scale=1.0):
    """Weights such as training gives, of features that vary by some part of their bounds."""
    generator = np.random.default_rng(seed)
    hidden = generator.normal(size=(len(FEATURES) + 1, HIDDEN)) * scale
    hidden[1:] *= np.array(3.0 / np.array(GREATEST))[:, None]
    heads = generator.normal(size=(HEADS, HIDDEN + 1)) * np.array([4.0, 4.0, 0.3])[:, None]
    return hidden, heads


def outputs_of(network, x):
    """What a network in whole numbers tells, by Python's own."""
    sums = by_whole_numbers(x, network.hidden)
    return [
        (int(head[0]) + sum(int(one) * total for one, total in zip(head[1:], sums, strict=True))) / 2**network.shift
        for head in network.heads
    ]


@given(SEEDS, st.sampled_from([0.05, 1.0, 30.0]))
def test_a_rounded_network_keeps_the_bound_is_as_fine_as_can_be_and_tells_nearly_the_same(seed, scale):
    hidden, heads = real_network(seed, scale)
    network = rounded(hidden, heads, ("some",))
    reach = np.abs(network.hidden.astype(np.int64)) * np.array([1, *GREATEST])[:, None]
    assert BOUND / 4 < reach.sum(axis=0).max() < BOUND
    assert (network.hidden == np.round(network.hidden)).all()
    generator = np.random.default_rng(seed)
    inputs = [generator.integers(feature.least, feature.greatest + 1) for feature in FEATURES]
    exact = heads[:, 0] + heads[:, 1:] @ np.maximum(hidden[0] + inputs @ hidden[1:], 0)
    size = np.abs(heads[:, 0]) + np.abs(heads[:, 1:]) @ np.maximum(hidden[0] + inputs @ hidden[1:], 0)
    assert (np.abs(outputs_of(network, inputs) - exact) < 1e-3 * size + 1e-6).all()


SHIPPED = network_in((data_directory() / "evaluation" / "network.json").read_text(encoding="utf-8"), "shipped")
SAMPLE = rounded(*real_network(1), ("0" * 16, "1" * 16))


@pytest.mark.parametrize("network", [SHIPPED, SAMPLE], ids=["shipped", "sample"])
def test_a_network_written_and_read_is_the_same(network):
    again = network_in(network_text(network, {"learned_by": "hand"}), "here")
    assert (again.hidden == network.hidden).all()
    assert (again.heads == network.heads).all()
    assert (again.shift, again.ruleset_ids) == (network.shift, network.ruleset_ids)
    assert (again.hidden.dtype, again.heads.dtype) == (np.float32, np.int64)


def test_the_shipped_network_is_for_the_printed_rulesets_and_no_others():
    printed = [Ruleset.load(name).ruleset_id for name in ("original", "revised")]
    assert list(SHIPPED.ruleset_ids) == printed


def largest_hidden():
    hidden = np.zeros((len(FEATURES) + 1, HIDDEN), dtype=np.float32)
    hidden[5, 3] = 2**24 // GREATEST[4]
    hidden[0, 3] = 2**24 - 1 - hidden[5, 3] * GREATEST[4]
    return hidden


def test_a_network_at_the_bound_is_taken_and_one_beyond_it_is_refused():
    heads = np.zeros((HEADS, HIDDEN + 1), dtype=np.int64)
    hidden = largest_hidden()
    Network(hidden, heads, 20, ())
    for sign in (1, -1):
        beyond = hidden * sign
        beyond[0, 3] += sign
        with pytest.raises(ValueError, match="too large to be exact"):
            Network(beyond, heads, 20, ())
    heads[2, 4] = 2**39
    with pytest.raises(ValueError, match="sums of its heads"):
        Network(hidden, heads, 20, ())
    for shift in (-1, 63):
        with pytest.raises(ValueError, match="sums of its heads"):
            Network(hidden, heads // 2**20, shift, ())


@pytest.mark.parametrize("shapes", [((0, 0), (0, -1)), ((-1, 0), (0, 0)), ((0, 0), (1, 0)), ((0, -1), (0, 0))])
def test_a_network_of_another_shape_is_refused(shapes):
    (inputs, wide), (heads, long) = shapes
    hidden = np.zeros((len(FEATURES) + 1 + inputs, HIDDEN + wide), dtype=np.float32)
    with pytest.raises(ValueError, match="other features or another size"):
        Network(hidden, np.zeros((HEADS + heads, HIDDEN + 1 + long), dtype=np.int64), 20, ())


# Its file


def changed(**changes):
    values = json.loads(network_text(SAMPLE, {}))
    for key, change in changes.items():
        values[key] = change(values[key])
    return json.dumps(values)


def with_first(number):
    return lambda rows: [[number, *rows[0][1:]], *rows[1:]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no network of `patchstats train`: Expecting value"),
        ("[]", "no network of `patchstats train`: it lacks ruleset_ids, features, shift, hidden, heads"),
        ('{"ruleset_ids": []}', "no network of `patchstats train`: it lacks features, shift, hidden, heads"),
        ("[" * 10**5, "no network of `patchstats train`"),
        (changed(features=lambda names: names[::-1]), "a network for other features; `patchstats train` learns it"),
        (changed(features=lambda names: names[1:], hidden=lambda rows: rows[1:]), "a network for other features"),
        (changed(hidden=lambda rows: rows[1:]), "another size"),
        (changed(heads=lambda rows: rows[1:]), "another size"),
        (changed(hidden=lambda rows: [rows[0][1:], *rows[1:]]), "no network"),
        (changed(hidden=with_first(0.5)), "not whole"),
        (changed(heads=with_first(0.5)), "not whole"),
        (changed(hidden=with_first(math.nan)), "not whole"),
        (changed(hidden=with_first(math.inf)), "not whole"),
        (changed(hidden=with_first("many")), "not whole"),
        (changed(hidden=with_first(10**400)), "not whole, or too large"),
        (changed(heads=with_first(2**63)), "not whole, or too large"),
        (changed(hidden=with_first(2**24)), "too large to be exact"),
        (changed(hidden=with_first(-(2**40))), "too large to be exact"),
        (changed(heads=with_first(2**62)), "sums of its heads"),
        (changed(shift=lambda _: 99), "sums of its heads"),
        (changed(shift=lambda _: 2.5), "not whole"),
        (changed(ruleset_ids=lambda _: 7), "ruleset_ids is no list of ids"),
        (changed(ruleset_ids=lambda ids: ids[0]), "ruleset_ids is no list of ids"),
        (changed(ruleset_ids=lambda _: [7]), "ruleset_ids is no list of ids"),
    ],
)
def test_a_file_that_holds_no_such_network_is_refused_in_one_line(text, reason):
    with pytest.raises(AgentError) as error:
        network_in(text, "some.json")
    assert str(error.value).startswith("some.json: ")
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


@given(damaged_texts(network_text(SAMPLE, {"seed": 1})))
def test_a_damaged_file_is_refused_or_still_holds_a_network(text):
    with suppress(AgentError):
        assert isinstance(network_in(text, "some.json"), Network)


# What a position is worth


def evaluated(position, network=None, **settings):
    """What it is worth to seat 0 and to seat 1, and the features that a network was asked with."""
    at = 3
    memory = np.full(at + words() + 3, 0xFEED, dtype=np.uint64)
    put_evaluation(memory, at, network, **settings)
    numbers = memory.view(np.float32)
    own, its = _evaluate(both["arena_with"](position), memory, numbers, np.uint64(at))
    assert set(memory[:at].tolist()) == set(memory[-3:].tolist()) == {0xFEED}
    first = int(memory[at + int(INPUTS)])
    return (int(own), int(its)), numbers[first : first + len(FEATURES)].tolist()


def squashed(x):
    return x / math.sqrt(1 + x * x)


def worths(own, other, win, objective, opponent):
    """What points and a win are worth to a seat, by the page of the agents."""
    winning, counted = OBJECTIVES[objective]
    weight = opponent * counted
    in_points = squashed((own - weight * other - (1 - weight) * USUAL) / MUCH)
    return ONE * (winning * win + (1 - winning) * in_points)


ANY_OBJECTIVE = st.sampled_from(sorted(OBJECTIVES))
TENTHS = st.integers(0, 10).map(lambda tenths: tenths / 10)
GOING_ON = POSITIONS.filter(lambda one: not one.finished)


@given(GOING_ON, SEEDS, ANY_OBJECTIVE, TENTHS)
def test_a_position_is_worth_what_the_network_tells_of_it(position, seed, objective, opponent):
    network = rounded(*real_network(seed), ()) if seed else SHIPPED
    found, x = evaluated(position, network, objective=objective, opponent=opponent)
    own, other, z = outputs_of(network, x)
    mover = position.seat_on_turn
    assert found[mover] == pytest.approx(worths(own, other, squashed(z), objective, opponent), abs=1)
    assert found[1 - mover] == pytest.approx(worths(other, own, -squashed(z), objective, opponent), abs=1)


def hand_made(position, seat):
    ruleset, player = position.ruleset, position.players[seat]
    size, free = ruleset.quilt_size, ruleset.quilt & ~player.covered
    last = sum(1 << row * size + size - 1 for row in range(size))
    pairs = (free & ~last & free >> 1).bit_count() + (free & free >> size).bit_count()
    ahead = sum(mark > player.space for mark in ruleset.income_marks)
    points = player.buttons + player.income * ahead + 3.4 * (ruleset.finish - player.space)
    points += 0.3 * pairs - 1.7 * free.bit_count()
    if position.bonus_owner is None:
        return points - 0.5 * min((square & free).bit_count() for square in ruleset.bonus_squares)
    return points + (ruleset.bonus_points if position.bonus_owner == seat else 0)


@given(GOING_ON, ANY_OBJECTIVE, TENTHS)
@example(situation(ORIGINAL, spaces=(30, 40), covered=(range(49), range(50, 81)), bonus_owner=0), "blend", 0.5)
def test_by_hand_a_position_is_worth_the_points_that_the_weights_expect(position, objective, opponent):
    found, _ = evaluated(position, objective=objective, opponent=opponent)
    points = [hand_made(position, seat) for seat in (0, 1)]
    for seat in (0, 1):
        own, other = points[seat], points[1 - seat]
        expected = worths(own, other, squashed((own - other) / MUCH), objective, opponent)
        assert found[seat] == pytest.approx(expected, abs=1)


@given(POSITIONS, st.sampled_from([None, SHIPPED]), st.sampled_from(["margin", "win", "blend"]))
def test_what_is_worth_something_to_one_is_worth_as_much_less_to_the_other(position, network, objective):
    (first, second), _ = evaluated(position, network, objective=objective)
    assert first == -second
    assert abs(first) <= ONE


@given(POSITIONS, st.sampled_from([None, SHIPPED]), ANY_OBJECTIVE)
def test_with_the_seats_swapped_it_is_worth_the_same_to_the_other_seat(position, network, objective):
    def other(seat):
        return None if seat is None else 1 - seat

    swapped = replace(
        position,
        players=position.players[::-1],
        top=1 - position.top,
        bonus_owner=other(position.bonus_owner),
        first_finisher=other(position.first_finisher),
    )
    found, x = evaluated(position, network, objective=objective)
    assert evaluated(swapped, network, objective=objective) == (found[::-1], x)


FINISHED = positions(rulesets=both["RULESETS"]).map(
    lambda one: replace(
        one,
        players=tuple(replace(player, space=one.ruleset.finish) for player in one.players),
        waiting=0,
        first_finisher=one.top,
    )
)


@given(FINISHED, st.sampled_from([None, SHIPPED]), ANY_OBJECTIVE, TENTHS, st.booleans())
def test_a_finished_game_is_worth_what_the_scores_say_and_the_first_finisher_wins_a_tie(
    position, network, objective, opponent, tie
):
    if tie:
        players = list(position.players)
        behind = 0 if position.score(0) < position.score(1) else 1
        more = abs(position.score(0) - position.score(1))
        players[behind] = replace(players[behind], buttons=players[behind].buttons + more)
        position = replace(position, players=tuple(players))
    scores = [float(position.score(seat)) for seat in (0, 1)]
    if scores[0] == scores[1]:
        scores[position.winner] += 0.25
        scores[1 - position.winner] -= 0.25
    found, _ = evaluated(position, network, objective=objective, opponent=opponent)
    for seat in (0, 1):
        win = 1.0 if position.winner == seat else -1.0
        expected = worths(scores[seat], scores[1 - seat], win, objective, opponent)
        assert found[seat] == pytest.approx(expected, abs=1)
    if OBJECTIVES[objective][1] == opponent == 1:
        assert (found[0] > found[1]) == (position.winner == 0)


def test_finished_games_with_equal_scores_are_drawn(reach):
    reach(FINISHED, lambda one: one.score(0) == one.score(1) and one.winner == 1, lambda one: one.winner == 0)
