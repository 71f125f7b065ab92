"""Agents by a score of the user's own: what the function is told, what is done by it, and what is refused."""

import hashlib
import importlib
import json
import runpy
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given

from patchstats import simulate
from patchstats.agents import make_agent
from patchstats.errors import AgentError
from patchstats.kernel.asking import Asked
from patchstats.kernel.deciders.scored import ARGUMENTS, scored
from patchstats.kernel.engine import Player
from patchstats.notation.action_log import decode_action
from patchstats.rules import Advance, Buy, PlaceLeather, Ruleset
from patchstats.testing import positions, rulesets, situation

greedy = runpy.run_path(str(Path(__file__).with_name("test_greedy.py")))
packing = greedy["packing"]

ORIGINAL = Ruleset.load("original")
POSITIONS = positions(rulesets=rulesets() | packing["both"]["RULESETS"]).filter(lambda position: not position.finished)
TURNS = POSITIONS.filter(lambda position: not position.waiting)
#: As many as there are arguments, and no sum of a few is another.
WEIGHTS = tuple((number * number * 37 + 11) % 997 - 400 for number in range(len(ARGUMENTS)))

#: The greedy agent's default arithmetic in tenths of a button.
LIKE_GREEDY = """
    def value(advance, steps, size, cost, income, marks_left, perimeter, leathers):
        if advance:
            return 10 * steps - 18 * steps + 55 * leathers
        return 12 * size + 8 * income * marks_left + 55 * leathers - 10 * cost - 18 * steps - 2 * perimeter
"""

#: Functions with a line to be put in, into one that is defined within, or that is called by another that is called.
INNER = "def value(size):\n    def inner():\n        {}\n        return size\n    return inner()"
HELPED = """import random
import numpy as np
from numba import njit
from numpy.random import rand
from random import randrange as draw
@njit
def helper(size):
    {}
    return size
@njit
def between(size):
    return helper(size)
def value(size):
    return between(size)
"""


def function_of(text, name="value"):
    made = {"__name__": "made"}
    exec(textwrap.dedent(text), made)
    return made[name]


def decider_of(text, name="value"):
    return scored(function_of(text, name), hashlib.sha256(text.encode()).hexdigest())


SUM = decider_of(
    f"def value({', '.join(ARGUMENTS)}):\n"
    f"    return {' + '.join(f'{weight} * {name}' for name, weight in zip(ARGUMENTS, WEIGHTS, strict=True))}\n"
)
SPREAD = decider_of("def value(advance, size):\n    return 3 if advance else size\n")


@pytest.fixture
def script(tmp_path, monkeypatch):
    """A function that writes a module into the current folder and returns the spec of the agent by `value` in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(text, name="mine", function="value"):
        Path(f"{name}.py").write_text(textwrap.dedent(text).lstrip(), encoding="utf-8")
        importlib.invalidate_caches()
        return f"scored:{name}:{function}"

    return write


def told(position, slot):
    """All arguments about the patch of a slot, which can be bought, or about the advance if that is None."""
    ruleset, seat = position.ruleset, position.seat_on_turn
    player, other = position.players[seat], position.players[1 - seat]
    free = ruleset.quilt & ~player.covered
    found = dict.fromkeys(ARGUMENTS, 0) | {
        "bonus_open": int(position.bonus_owner is None),
        "marks_left": greedy["ahead"](ruleset.income_marks, player.space),
        "buttons": player.buttons,
        "own_income": player.income,
        "space": player.space,
        "spaces_left": ruleset.finish - player.space,
        "empty": free.bit_count(),
        "opponent_buttons": other.buttons,
        "opponent_income": other.income,
        "opponent_space": other.space,
        "opponent_empty": (ruleset.quilt & ~other.covered).bit_count(),
    }
    if slot is None:
        end = min(other.space + 1, ruleset.finish)
        found["advance"] = 1
    else:
        patch = ruleset[position.offer[slot]]
        [(way, cell, _)] = packing["found_by_trying"](position, slot, 1)
        left = free & ~(ruleset.ways_to_lay[patch.id][way].pattern << cell)
        end = min(player.space + patch.time, ruleset.finish)
        found |= {"size": patch.size, "cost": patch.cost, "time": patch.time, "income": patch.income}
        found["perimeter"] = greedy["edge"](ruleset, left) - greedy["edge"](ruleset, free)
        found["holes"] = greedy["holes"](ruleset, left) - greedy["holes"](ruleset, free)
        if position.bonus_owner is None:
            found["missing_of_bonus"] = greedy["missing"](ruleset, left) - greedy["missing"](ruleset, free)
    found["steps"] = end - player.space
    found["leathers"] = greedy["leathers"](position, player.space, end)
    return found


def buyable(position):
    patches = {action.patch for action in position.legal_actions if isinstance(action, Buy)}
    return [slot for slot, patch in enumerate(position.offer) if patch in patches]


@given(TURNS)
def test_the_function_is_told_what_each_argument_says_of_each_thing_that_can_be_done(position):
    arguments = {slot: told(position, slot) for slot in (None, *buyable(position))}
    scores = {
        slot: sum(weight * found[name] for name, weight in zip(ARGUMENTS, WEIGHTS, strict=True))
        for slot, found in arguments.items()
    }
    decision = Asked(position.ruleset, SUM, 1, 0).choose(position)
    assert decision.values == {slot: score for slot, score in scores.items() if slot is not None}
    best = max(scores, key=lambda slot: scores[slot])
    action = decode_action(position, decision.code)
    assert action == Advance() if best is None else action.patch == position.offer[best]


@given(TURNS)
def test_of_equal_scores_the_advance_goes_first_then_the_earlier_offer_and_each_lies_where_it_fits_best(position):
    slots = buyable(position)
    sizes = [position.ruleset[position.offer[slot]].size for slot in slots]
    action = decode_action(position, Asked(position.ruleset, SPREAD, 1, 0).choose(position).code)
    if max(sizes, default=0) <= 3:
        assert action == Advance()
    else:
        slot = slots[sizes.index(max(sizes))]
        [(way, cell, _)] = packing["found_by_trying"](position, slot, 1)
        assert action == Buy(position.offer[slot], way, cell)


def test_equal_scores_are_among_what_is_drawn(reach):
    def equal(position):
        sizes = [position.ruleset[position.offer[slot]].size for slot in buyable(position)]
        return sizes.count(max(sizes, default=0)) > 1 and max(sizes) > 3

    reach(TURNS, equal, lambda position: any(position.ruleset[one].size == 3 for one in position.offer))


@given(greedy["LEATHERS"])
def test_a_leather_goes_where_it_lies_best(position):
    expected = packing["_best_leather"](packing["both"]["arena_with"](position))
    chosen = Asked(position.ruleset, SUM, 1, 0).choose(position)
    assert decode_action(position, chosen.code) == PlaceLeather(int(expected))


def test_the_arithmetic_of_greedy_plays_the_games_of_greedy():
    deciders = decider_of(LIKE_GREEDY), make_agent("greedy", ORIGINAL).decider()
    plays = [Player(ORIGINAL, (one, one)).play(seed=4, first=0, count=200) for one in deciders]
    assert plays[0].actions.tolist() == plays[1].actions.tolist()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def value(sise): return 1", "sise is nothing that it could be told; did you mean size?"),
        ("def value(zebra): return 1", "zebra is nothing that it could be told; there are advance, steps, leathers,"),
        ("def value(*size): return 1", "*size is nothing that it could be told; did you mean size?"),
        ("def value(size): return size / 2", "it returns float64, and a score is an integer; int(...) makes one of a"),
        ("def value(size): return size > 2", "it returns bool, and a score is an integer"),
        ("def value(size): pass", "it returns none, and a score is an integer"),
        ("def value(size):\n    return other(size)", "it cannot be compiled: NameError: name 'other' is not defined"),
        ("def value(size):\n    return size + 'a'", "it cannot be compiled: No implementation of function"),
        ("def value(size):\n    assert size\n    return 1", "value may raise an error (line 2), which nobody could"),
        ("def value(size):\n    raise ValueError", "value may raise an error (line 2), which nobody could catch"),
        (INNER.format("assert size"), "value may raise an error (line 3), which nobody could catch"),
        (HELPED.format("assert size"), "helper may raise an error (line 8), which nobody could catch"),
        (HELPED.format("size += int(np.random.random())"), "helper draws random numbers (line 8), and no game could"),
        (HELPED.format("size += random.randrange(3)"), "helper draws random numbers (line 8), and no game could"),
        (HELPED.format("size += rand()"), "helper draws random numbers (line 8), and no game could"),
        (HELPED.format("size += draw()"), "helper draws random numbers (line 8), and no game could"),
        ("import numpy\ndef value(): return numpy.random.randint(3)", "value draws random numbers (line 2), and no"),
        ("class value: pass", "it is no function of Python"),
    ],
)
def test_a_function_that_cannot_be_asked_is_refused_in_one_line(script, text, reason):
    spec = script(text)
    with pytest.raises(AgentError) as error:
        make_agent(spec, ORIGINAL)
    assert str(error.value).startswith(f"agent {spec!r}: mine:value: {reason}")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("scored", "a score is named by module:function, not by ''"),
        ("scored:mine", "a score is named by module:function, not by 'mine'"),
        ("scored:mine:other", "module mine has no function other"),
        ("scored:nowhere:value", "module nowhere cannot be imported: No module named 'nowhere'"),
        ("ignores-opponent+scored:mine:value", "whether it looks at its opponent is up to mine:value"),
    ],
)
def test_what_is_not_there_is_refused_in_one_line(script, spec, reason):
    script(LIKE_GREEDY)
    with pytest.raises(AgentError) as error:
        make_agent(spec, ORIGINAL)
    assert str(error.value).startswith(f"agent {spec!r}: {reason}")


def first_value(spec):
    position = situation(ORIGINAL, spaces=(3, 5), top=1)
    return Asked(ORIGINAL, make_agent(spec, ORIGINAL).decider(), 1, 0).choose(position).values[0]


def test_a_division_by_zero_gives_zero(script):
    assert first_value(script("def value(size, advance): return 7 + size // advance")) == 7


def test_a_score_beyond_32_bits_is_told_as_the_nearest_that_fits(script):
    assert first_value(script("def value(size): return size * 10**12")) == 2**31 - 1
    assert first_value(script("def value(size): return -size * 10**12")) == 1 - 2**31


def test_a_module_that_has_changed_is_compiled_anew(script):
    assert first_value(script("K = 3\n\n\ndef value(): return K")) == 3
    assert first_value(script("K = 4\n\n\ndef value(): return K")) == 4


def test_a_function_that_is_compiled_already_can_be_asked_and_may_call_others_that_are(script):
    text = """
        from numba import njit


        @njit
        def double(size):
            return 2 * size


        @njit
        def value(size, advance):
            return double(size) if advance == 0 else 1
    """
    position = situation(ORIGINAL, spaces=(3, 5), top=1)
    assert first_value(script(text)) == 2 * ORIGINAL[position.offer[0]].size


def test_a_restriction_goes_with_it(script):
    spec = script("def value(advance): return advance")
    position = situation(ORIGINAL, spaces=(3, 5), top=1)
    for agent, kind in ((spec, Advance), (f"no-advance-unless-forced+{spec}", Buy)):
        made = make_agent(agent, ORIGINAL)
        assert made.spec == agent
        assert isinstance(decode_action(position, Asked(ORIGINAL, made.decider(), 1, 0).choose(position).code), kind)


@pytest.mark.parametrize("workers", [1, 2])
def test_both_engines_write_the_same_bytes_with_any_number_of_workers(script, tmp_path, contents, workers):
    spec = script(LIKE_GREEDY)
    for engine in ("kernel", "reference"):
        simulate(
            ruleset="original",
            agents=[spec, "random"],
            games=8,
            seed=3,
            log="offers",
            engine=engine,
            workers=workers,
            games_per_shard=4,
            out=tmp_path / engine,
        )
    assert contents(tmp_path / "kernel") == contents(tmp_path / "reference")
    manifest = json.loads((tmp_path / "kernel" / "manifest.json").read_text(encoding="utf-8"))
    assert hashlib.sha256(Path("mine.py").read_bytes()).hexdigest() in json.dumps(manifest["spec"]["agents"])


def test_the_page_says_what_a_function_can_be_told():
    page = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
    assert [f"| `{name}` | {line} |" for name, line in ARGUMENTS.items()] == [
        line for line in page.splitlines() if line.startswith("| `") and line.split("`")[1] in ARGUMENTS
    ]
