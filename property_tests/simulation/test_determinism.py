"""A game depends on ruleset, agents, seed and its index alone, and a run's files on these and the number of games."""

import runpy
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.agents import Agent, make_agent
from patchstats.dataset.rows import games_row
from patchstats.rules import Ruleset
from patchstats.simulation import executors
from patchstats.simulation.game import play_game, ring_of
from patchstats.simulation.spec import BEHAVIOUR_VERSION
from patchstats.streams import GREATEST_SEED, SEATS, SETUP, Stream
from patchstats.testing import rulesets

ORIGINAL = Ruleset.load("original")
SEED = 11
behaviour = runpy.run_path(str(Path(__file__).with_name("behaviour.py")))


def rows(agents=("random", "random-patch"), seed=SEED, games=20, ruleset=ORIGINAL):
    """The rows of the games of a run, played without one."""
    first, second = (make_agent(spec, ruleset) for spec in agents)
    return [games_row(play_game(ruleset, (first, second), seed, index, ring_index=index)) for index in range(games)]


@pytest.mark.parametrize(
    ("games", "settings"),
    [
        pytest.param(1, {}, id="one game"),
        pytest.param(20, {}, id="more games"),
        pytest.param(20, {"games_per_shard": 3}, id="other shards"),
        pytest.param(20, {"games_per_shard": 1000}, id="one shard"),
        pytest.param(9, {"log": "summary"}, id="a summary"),
        pytest.param(9, {"log": "turns"}, id="turns"),
        pytest.param(9, {"log": "offers"}, id="offers"),
        pytest.param(9, {"progress": "json"}, id="progress"),
    ],
)
def test_a_game_is_the_same_in_every_run_of_its_ruleset_agents_and_seed(tmp_path, simulate, games, settings):
    run = simulate(games=games, seed=SEED, agents=["random", "random-patch"], out=tmp_path / "run", **settings)
    frame = run.games()
    assert frame.to_dict("records") == [{name: row[name] for name in frame.columns} for row in rows(games=games)]


def test_the_files_are_the_same_whatever_the_number_of_workers(tmp_path, simulate, contents):
    for workers in (1, 2):
        simulate(games=16, seed=SEED, log="turns", workers=workers, out=tmp_path / str(workers))
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    assert "manifest.json" in contents(tmp_path / "1")


def test_a_game_can_be_played_alone(tmp_path, simulate):
    run = simulate(games=8, seed=SEED, out=tmp_path / "run")
    agent = make_agent("random", ORIGINAL)
    game = play_game(ORIGINAL, (agent, agent), SEED, game_index=6, ring_index=6)
    assert games_row(game) == run.games().iloc[6].to_dict()


def test_another_seed_gives_other_games():
    games = rows(seed=1) + rows(seed=2)
    assert len({row["ring"] for row in games}) == len(games)
    assert len({row["actions"] for row in games}) == len(games)


@pytest.mark.parametrize("seeds", [(0, 1), (0, 2**63), (2**63, 2**63 + 1), (GREATEST_SEED - 1, GREATEST_SEED)])
def test_seeds_however_close_and_large_give_different_rings(seeds):
    first, second = (ring_of(ORIGINAL, seed, ring_index=0) for seed in seeds)
    assert first != second


def test_all_rings_of_a_run_differ():
    rings = {ring_of(ORIGINAL, seed=1, ring_index=index) for index in range(5000)}
    assert len(rings) == 5000


def test_the_ring_of_game_0_of_seed_1_is_this():
    assert " ".join(ring_of(ORIGINAL, seed=1, ring_index=0)) == (
        "p29 p17 p24 p18 p23 p15 p10 p30 p32 p04 p09 p14 p20 p12 p25 p22 p26 p31 p13 p16 p19 p07 p05 p33 p08 p21 p03"
        " p27 p02 p06 p28 p11 p01"
    )


@given(ruleset=rulesets(), seed=st.integers(0, 2**63 - 1), index=st.integers(0, 10**9))
def test_a_ring_is_the_shuffled_table_with_the_start_patch_at_its_end(ruleset, seed, index):
    table = [patch.id for patch in ruleset.patches if patch.id != ruleset.start_patch]
    Stream(seed, SETUP, index).shuffle(table)
    assert ring_of(ruleset, seed, index) == (*table, ruleset.start_patch)


def test_a_ring_is_the_same_whoever_plays_on_it_and_by_whichever_marks_and_prices():
    dearer = Ruleset.load("revised").with_changes({"patches.p21.cost": 9})
    rings = [row["ring"] for row in rows()]
    assert [row["ring"] for row in rows(agents=("random-patch", "random"))] == rings
    assert [row["ring"] for row in rows(ruleset=dearer)] == rings


def test_each_seat_draws_from_a_stream_of_its_own():
    drawn = {0: [], 1: []}

    def sit_down(seat):
        def choose(position, legal, stream):
            assert position.seat_on_turn == seat
            drawn[seat].append(stream.word())
            return legal[drawn[seat][-1] % len(legal)]

        return choose

    spy = Agent("spy", sit_down)
    play_game(ORIGINAL, (spy, spy), seed=5, game_index=3, ring_index=1)
    for seat in (0, 1):
        stream = Stream(5, SEATS[seat], 3)
        assert drawn[seat] == [stream.word() for _ in drawn[seat]]
        assert len(drawn[seat]) > 5


def test_a_game_remembers_its_index_its_ring_and_its_agents():
    agents = tuple(make_agent(spec, ORIGINAL) for spec in ("random", "random-patch"))
    game = play_game(ORIGINAL, agents, seed=5, game_index=3, ring_index=1)
    assert (game.game_index, game.ring_index) == (3, 1)
    assert game.ring == ring_of(ORIGINAL, seed=5, ring_index=1)
    assert game.agents == ("random", "random-patch")
    assert game.plies[0].before.offer == game.ring[:3]
    assert game.end.finished


def test_an_agent_sits_down_anew_for_every_game():
    seats = []
    agent = make_agent("random", ORIGINAL)
    counting = replace(agent, sit_down=lambda seat: (seats.append(seat), agent.sit_down(seat))[1])
    for index in range(3):
        play_game(ORIGINAL, (counting, counting), seed=1, game_index=index, ring_index=index)
    assert seats == [0, 1] * 3


@pytest.mark.parametrize("part", behaviour["PARTS"])
def test_a_thousand_games_are_what_they_were(part):
    assert behaviour["sha256_of"](part) == behaviour["written"]()["sha256"][part], (
        f"the same spec gives other games than before. If that is meant, raise BEHAVIOUR_VERSION in "
        f"patchstats/simulation/spec.py, then run: {behaviour['COMMAND']}"
    )


def test_the_checked_in_games_are_of_this_behaviour_version():
    assert behaviour["written"]()["behaviour_version"] == BEHAVIOUR_VERSION, f"run: {behaviour['COMMAND']}"


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_more_shards_than_workers_have_in_hand_are_all_played(tmp_path, simulate, contents, monkeypatch, engine):
    monkeypatch.setattr(executors, "IN_HAND", 1)
    for workers in (1, 2):
        simulate(games=60, seed=SEED, out=tmp_path / str(workers), workers=workers, engine=engine)
    assert len(contents(tmp_path / "1")) == 1 + 9
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
