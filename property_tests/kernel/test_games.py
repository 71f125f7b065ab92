"""Whole games of a run: every column, ring and action as the reference has them."""

import runpy
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.agents import AGENTS
from patchstats.dataset.schema import GAMES, TURNS
from patchstats.kernel import engine
from patchstats.kernel.engine import Player, why_not
from patchstats.rules import Ruleset
from patchstats.streams import GREATEST_SEED

both = runpy.run_path(str(Path(__file__).with_name("both.py")))

SEEDS = st.integers(0, 100) | st.integers(0, GREATEST_SEED)
#: The index of a game, so that there may be some more behind it.
FIRSTS = st.integers(0, 100) | st.integers(0, 10**9 - 10)
SHIPPED = pytest.mark.parametrize("ruleset", ["original", "revised"])
SEATED = pytest.mark.parametrize("agents", both["SEATINGS"], ids=" and ".join)


def agree(ruleset, agents, seed, first, count, *, turns=True):
    """Compare all rows of some games."""
    expected = both["reference_rows"](ruleset, agents, seed, first, count, turns)
    assert both["kernel_rows"](ruleset, agents, seed, first, count, turns) == expected
    return expected


@SEATED
@SHIPPED
def test_games_by_the_shipped_rules_are_those_of_the_reference(ruleset, agents):
    games, turns = agree(Ruleset.load(ruleset), agents, seed=1, first=0, count=12)
    assert set(games[0]) == {column.name for column in GAMES}
    assert set(turns[0]) == {column.name for column in TURNS}


@SEATED
@given(ruleset=both["RULESETS"], seed=SEEDS, first=FIRSTS, turns=st.booleans())
def test_games_by_any_rules_are_those_of_the_reference(agents, ruleset, seed, first, turns):
    agree(ruleset, agents, seed, first, count=2, turns=turns)


@pytest.mark.parametrize("seed", [0, GREATEST_SEED])
@pytest.mark.parametrize("first", [0, 2**32 - 1, 10**9 - 1])
def test_the_first_and_last_seeds_and_games_are_those_of_the_reference(seed, first):
    agree(Ruleset.load("revised"), ("random", "random-patch"), seed, first, count=2)


@given(seed=SEEDS, first=FIRSTS, cuts=st.lists(st.integers(1, 8), max_size=3), turns=st.booleans())
def test_games_are_the_same_however_they_are_split(seed, first, cuts, turns):
    asked = (Ruleset.load("original"), ("random-patch", "random"), seed)
    whole = both["kernel_rows"](*asked, first, 9, turns)
    places = sorted({0, *cuts, 9})
    parts = [both["kernel_rows"](*asked, first + start, end - start, turns) for start, end in pairwise(places)]
    assert whole == tuple([row for part in parts for row in part[table]] for table in (0, 1))


def test_a_player_plays_the_same_games_again_after_others():
    player = Player(Ruleset.load("original"), ("random", "random-patch"))
    first = player.play(seed=1, first=0, count=3)
    player.play(seed=2, first=9, count=2, turns=True)
    again = player.play(seed=1, first=0, count=3)
    assert again.actions.tobytes() == first.actions.tobytes()
    assert {name: column.tolist() for name, column in again.games.items()} == {
        name: column.tolist() for name, column in first.games.items()
    }


@SEATED
def test_a_game_of_the_longest_track_and_many_leathers_has_room(agents):
    settings = Ruleset.load("original").to_dict()
    spaces = list(range(1, 256))
    changes = {"finish": 255, "leather_marks": spaces, "income_marks": spaces, "quilt_size": 11}
    dear = {id_: {**patch, "cost": 1000, "time": 1} for id_, patch in settings["patches"].items()}
    for patches in (settings["patches"], dear):
        agree(Ruleset.from_dict({**settings, **changes, "patches": patches}), agents, seed=1, first=0, count=1)


def test_an_agent_that_is_not_compiled_is_named():
    ruleset = Ruleset.load("original")
    assert why_not(ruleset, ("random", "scripted:game.txt")) == (
        "agent 'scripted:game.txt' is not compiled; random and random-patch are"
    )
    assert why_not(ruleset, ("nobody", "random")).startswith("agent 'nobody' is not compiled")


def test_a_ruleset_that_cannot_be_served_is_named():
    tall = Ruleset.load("original").with_changes({"quilt_size": 11, "patches.p01.rows": "111111"})
    reason = "ruleset original*: its patches are too tall for a quilt of 11 cells a side"
    assert why_not(tall) == why_not(tall, ("random", "random")) == reason


@given(ruleset=both["RULESETS"], agents=st.sampled_from(both["SEATINGS"]))
def test_nothing_stands_in_the_way_of_anything_else(ruleset, agents):
    assert why_not(ruleset, agents) == why_not(ruleset) == ""


def test_the_compiled_agents_are_those_that_the_registry_calls_so():
    assert set(engine.games.AGENTS) == {name for name, entry in AGENTS.items() if entry.compiled}
