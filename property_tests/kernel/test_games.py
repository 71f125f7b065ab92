"""Whole games of a run: every column, ring and action as the reference has them."""

import runpy
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.agents import AGENTS, PANEL
from patchstats.dataset.jitter import JITTERS
from patchstats.dataset.schema import GAMES, OFFERS, TURNS
from patchstats.kernel import engine
from patchstats.kernel.engine import Player, why_not
from patchstats.rules import Ruleset
from patchstats.streams import GREATEST_SEED

both = runpy.run_path(str(Path(__file__).with_name("both.py")))
telling = runpy.run_path(str(Path(__file__).with_name("telling.py")))["ENTRY"]

SEEDS = st.integers(0, 100) | st.integers(0, GREATEST_SEED)
#: The index of a game, so that there may be some more behind it.
FIRSTS = st.integers(0, 100) | st.integers(0, 10**9 - 10)
SHIPPED = pytest.mark.parametrize("ruleset", ["original", "revised"])
SEATED = pytest.mark.parametrize("agents", both["SEATINGS"], ids=" and ".join)
SEATED_ASKED = pytest.mark.parametrize("agents", both["SEATINGS"] + both["ASKED_SEATINGS"], ids=" and ".join)


@pytest.fixture
def _told(monkeypatch):
    """Let there be the agent `telling`."""
    monkeypatch.setitem(AGENTS, "telling", telling)


#: How games are laid out and seated: how many share a ring, and whether the agents swap seats.
PAIRINGS = st.fixed_dictionaries(
    {"games_per_ring": st.sampled_from([1, 2, 5]) | st.integers(1, 10**9), "mirrored": st.booleans()}
)


def agree(ruleset, agents, seed, first, count, **options):
    """Compare all rows of some games."""
    expected = both["reference_rows"](ruleset, agents, seed, first, count, **options)
    assert both["kernel_rows"](ruleset, agents, seed, first, count, **options) == expected
    return expected


@SEATED_ASKED
@SHIPPED
def test_games_by_the_shipped_rules_are_those_of_the_reference(ruleset, agents):
    games, turns, offers = agree(Ruleset.load(ruleset), agents, seed=1, first=0, count=12)
    assert set(games[0]) == {column.name for column in GAMES}
    assert set(turns[0]) == {column.name for column in TURNS}
    assert set(offers[0]) == {column.name for column in OFFERS}


@SEATED
@given(ruleset=both["RULESETS"], seed=SEEDS, first=FIRSTS, turns=st.booleans(), offers=st.booleans())
def test_games_by_any_rules_are_those_of_the_reference(agents, ruleset, seed, first, turns, offers):
    agree(ruleset, agents, seed, first, count=2, turns=turns, offers=offers)


@given(ruleset=both["RULESETS"], seed=SEEDS, first=FIRSTS, agents=both["ANY_SEATING"], offers=st.booleans())
def test_games_of_any_agents_by_any_rules_are_those_of_the_reference(ruleset, seed, first, agents, offers):
    agree(ruleset, agents, seed, first, count=2, turns=False, offers=offers)


def test_every_agent_that_is_asked_plays_both_engines():
    played = {spec for seating in both["ASKED_SEATINGS"] for spec in seating}
    assert played >= {"advance-only", "first-legal", "cheapest", "biggest", "most-income", *both["ASKED"]}


@pytest.mark.usefixtures("_told")
@given(
    ruleset=both["RULESETS"],
    seed=SEEDS,
    first=FIRSTS,
    agents=st.permutations(["telling", "cheapest", "random", "telling"]).map(lambda four: four[:2]),
    pairing=PAIRINGS,
)
def test_what_agents_tell_of_the_offers_is_what_the_reference_writes(ruleset, seed, first, agents, pairing):
    agree(ruleset, agents, seed, first, count=2, turns=False, **pairing)


@pytest.mark.usefixtures("_told")
def test_an_agent_may_tell_of_some_offers_and_at_some_turns_and_another_agent_nothing():
    _, _, offers = agree(Ruleset.load("original"), ("telling", "cheapest"), seed=1, first=0, count=2, turns=False)
    for told in ("value", "probability"):
        assert 0.1 < sum(row[told] is not None for row in offers) / len(offers) < 0.5
    assert min(row["value"] for row in offers if row["value"] is not None) < 0
    by_turn = {}
    for row in offers:
        by_turn.setdefault((row["game_index"], row["ply"]), []).append(row["probability"])
    assert all(None not in parts or parts == [None] * len(parts) for parts in by_turn.values())
    assert {None in parts for parts in by_turn.values()} == {True, False}


@given(ruleset=both["RULESETS"], seed=SEEDS, first=FIRSTS, agents=both["ANY_SEATING"], pairing=PAIRINGS)
def test_games_that_share_rings_and_swap_seats_are_those_of_the_reference(ruleset, seed, first, agents, pairing):
    agree(ruleset, agents, seed, first, count=3, turns=False, offers=False, **pairing)


@given(
    ruleset=both["RULESETS"],
    seed=SEEDS,
    first=FIRSTS,
    agents=both["ANY_SEATING"],
    pairing=PAIRINGS,
    jitter=st.sampled_from(JITTERS),
)
def test_games_whose_prices_change_are_those_of_the_reference(ruleset, seed, first, agents, pairing, jitter):
    games, _, _ = agree(ruleset, agents, seed, first, count=3, **pairing, jitter=jitter)
    assert {len(game["jitter"]) for game in games} == {len(ruleset.patches) * len(jitter.split("+"))}


@pytest.mark.parametrize("agents", [("puct:iterations=10", "greedy"), ("mcts:iterations=10", "alphabeta:depth=2")])
@SHIPPED
def test_agents_that_search_know_the_changed_prices_by_both_engines(ruleset, agents):
    games, _, _ = agree(Ruleset.load(ruleset), agents, 1, 4, count=2, mirrored=True, jitter="cost+time+income")
    assert len({game["jitter"] for game in games}) == 2


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("games_per_ring", [1, 2, 5])
def test_games_lie_on_the_ring_of_their_index_and_odd_ones_are_mirrored(games_per_ring, mirrored):
    pairing = {"games_per_ring": games_per_ring, "mirrored": mirrored}
    games, _, _ = agree(Ruleset.load("original"), ("random", "random-patch"), seed=3, first=3, count=8, **pairing)
    rings = [game["ring"] for game in games]
    assert [one == other for one, other in pairwise(rings)] == [index % games_per_ring != 0 for index in range(4, 11)]
    assert [game["agent_0"] for game in games] == (["random-patch", "random"] * 4 if mirrored else ["random"] * 8)
    assert len({game["actions"] for game in games}) == 8


@given(seed=SEEDS, first=FIRSTS)
def test_mirrored_games_of_two_alike_agents_are_the_same_as_others(seed, first):
    asked = (Ruleset.load("revised"), ("random", "random"), seed, first, 2)
    assert both["kernel_rows"](*asked, mirrored=True) == both["kernel_rows"](*asked)


@pytest.mark.parametrize("seed", [0, GREATEST_SEED])
@pytest.mark.parametrize("first", [0, 2**32 - 1, 10**9 - 1])
def test_the_first_and_last_seeds_and_games_are_those_of_the_reference(seed, first):
    agree(Ruleset.load("revised"), ("random", "random-patch"), seed, first, count=2)


@given(
    seed=SEEDS,
    first=FIRSTS,
    cuts=st.lists(st.integers(1, 8), max_size=3),
    logs=st.fixed_dictionaries({"turns": st.booleans(), "offers": st.booleans()}),
    pairing=PAIRINGS,
)
def test_games_are_the_same_however_they_are_split(seed, first, cuts, logs, pairing):
    def rows(first, count):
        agents = ("random-patch", "random")
        return both["kernel_rows"](Ruleset.load("original"), agents, seed, first, count, **logs, **pairing)

    places = sorted({0, *cuts, 9})
    parts = [rows(first + start, end - start) for start, end in pairwise(places)]
    assert rows(first, 9) == tuple([row for part in parts for row in part[table]] for table in range(3))


@pytest.mark.parametrize("at_a_time", [1, 2, 7])
def test_games_are_the_same_however_many_are_in_memory_at_a_time(monkeypatch, at_a_time):
    asked = (Ruleset.load("revised"), ("random", "random-patch"), 4, 10, 7)
    expected = both["kernel_rows"](*asked)
    monkeypatch.setattr(engine, "GAMES_AT_A_TIME", at_a_time)
    assert both["kernel_rows"](*asked) == expected


def test_a_player_plays_the_same_games_again_after_others():
    original = Ruleset.load("original")
    player = Player(original, both["deciders"](original, ("random", "cheapest")))
    first = player.play(seed=1, first=0, count=3)
    player.play(seed=2, first=9, count=2, turns=True, offers=True)
    again = player.play(seed=1, first=0, count=3)
    assert again.actions.tobytes() == first.actions.tobytes()
    assert {name: column.tolist() for name, column in again.games.items()} == {
        name: column.tolist() for name, column in first.games.items()
    }


@SEATED
def test_a_game_of_the_longest_track_and_many_leathers_has_room(agents):
    settings = Ruleset.load("original").to_dict()
    spaces = list(range(1, 256))
    changes = {"finish": 255, "leather_marks": spaces, "income_marks": spaces, "quilt_size": 11, "offer_size": 8}
    dear = {id_: {**patch, "cost": 1000, "time": 1} for id_, patch in settings["patches"].items()}
    for patches in (settings["patches"], dear):
        agree(Ruleset.from_dict({**settings, **changes, "patches": patches}), agents, seed=1, first=0, count=1)


def test_a_ruleset_that_cannot_be_served_is_named():
    tall = Ruleset.load("original").with_changes({"quilt_size": 11, "patches.p01.rows": "111111"})
    assert why_not(tall) == "ruleset original*: its patches are too tall for a quilt of 11 cells a side"


@given(ruleset=both["RULESETS"])
def test_nothing_stands_in_the_way_of_a_ruleset_within_the_bounds(ruleset):
    assert why_not(ruleset) == ""


def test_every_agent_but_scripted_ones_has_a_decider():
    compiled = {name for name, entry in AGENTS.items() if entry.card}
    assert compiled == {card.name for card in PANEL}
    assert all(hasattr(found, "decide") for found in both["deciders"](Ruleset.load("original"), sorted(compiled)))
