"""What agents hold the patches on offer to be worth: from a choice into the log of offers, and checked there."""

import re

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from patchstats import verify
from patchstats.agents import Agent, Choice, make_agent
from patchstats.errors import AgentError, RunError, VerificationError
from patchstats.rules import Ruleset
from patchstats.simulation.game import play_game

ORIGINAL = Ruleset.load("original")
LEAST, GREATEST = -(2**31), 2**31 - 1

#: Buys what it can, and gives every second patch on offer a worth that tells the slot and what the player has.
VALUING = """\
buttons = position.players[position.seat_on_turn].buttons
    values = {patch: 100 * buttons + slot for slot, patch in enumerate(position.offer) if slot != 1}
    return Choice(legal[stream.below(len(legal))], values)"""

#: Buys what it can, and, whenever it has an odd number of buttons, tells how likely the first and the third patch were.
TELLING_CHANCES = """\
chances = {patch: 7 if slot else 10**9 - 7 for slot, patch in enumerate(position.offer) if slot != 1}
    odd = position.players[position.seat_on_turn].buttons % 2
    action = legal[stream.below(len(legal))]
    return Choice(action, {}, chances) if odd else Choice(action)"""


@pytest.fixture
def valued(tmp_path, simulate, script):
    """Four games with a log of offers; the agent at seat 1 says what patches are worth."""
    return simulate(
        games=4, seed=3, agents=("random", script(VALUING)), log="offers", games_per_shard=3, out=tmp_path / "run"
    )


def test_what_an_agent_holds_a_patch_to_be_worth_stands_in_the_log_and_nothing_where_it_gave_none(valued):
    offers = valued.offers().merge(valued.turns(["game_index", "ply", "seat", "buttons_before"]))
    given = (offers["seat"] == 1) & (offers["slot"] != 1)
    assert 0 < given.sum() < len(offers)
    expected = (100 * offers["buttons_before"].astype("Int32") + offers["slot"]).where(given)
    assert offers["value"].isna().equals(~given)
    assert offers["value"].dropna().tolist() == expected.dropna().tolist()


def test_a_choice_is_played_like_the_action_in_it(tmp_path, simulate, valued, script):
    plain = script("return legal[stream.below(len(legal))]", name="plain")
    run = simulate(games=4, seed=3, agents=("random", plain), log="offers", games_per_shard=3, out=tmp_path / "plain")
    columns = [column for column in run.games().columns if not column.startswith("agent_")]
    assert run.games(columns).equals(valued.games(columns))
    assert run.turns().equals(valued.turns())
    assert run.offers()["value"].isna().all()
    assert run.offers().drop(columns="value").equals(valued.offers().drop(columns="value"))


@pytest.mark.parametrize("value", [LEAST, -1, 0, GREATEST])
def test_every_whole_number_of_32_bits_arrives(tmp_path, simulate, script, value):
    agent = script(f"return Choice(legal[0], {{position.offer[2]: {value}}})")
    offers = simulate(games=1, seed=3, agents=(agent, agent), log="offers", out=tmp_path / "run").offers()
    assert offers["value"].tolist() == [value if slot == 2 else pd.NA for slot in offers["slot"]]


@pytest.mark.parametrize("log", ["summary", "games", "turns"])
def test_a_choice_is_welcome_where_no_offers_are_logged(tmp_path, simulate, script, log):
    agents = (script(VALUING), "random")
    run = simulate(games=2, seed=3, agents=agents, log=log, out=tmp_path / "run")
    assert verify(run.path) == 2


def test_worths_are_the_same_when_a_shard_of_them_is_written_again_and_by_several_workers(
    tmp_path, simulate, contents, valued
):
    agents = [agent["spec"] for agent in valued.spec["agents"]]
    asked = {"games": 4, "seed": 3, "agents": agents, "log": "offers", "games_per_shard": 3}
    before = contents(valued.path)
    (valued.path / "offers" / "part-00000.parquet").unlink()
    simulate(**asked, out=valued.path)
    simulate(**asked, workers=2, out=tmp_path / "several")
    assert contents(valued.path) == contents(tmp_path / "several") == before


# How likely an agent was to buy each patch


def test_how_likely_a_patch_was_stands_in_the_log_and_0_for_those_left_out_and_nothing_where_nothing_was_told(
    tmp_path, simulate, script
):
    agent = script(TELLING_CHANCES)
    run = simulate(games=4, seed=3, agents=("random", agent), log="offers", games_per_shard=3, out=tmp_path / "run")
    offers = run.offers().merge(run.turns(["game_index", "ply", "seat", "buttons_before"]))
    told = (offers["seat"] == 1) & (offers["buttons_before"] % 2 == 1)
    assert 0 < told.sum() < (offers["seat"] == 1).sum()
    assert offers["probability"].isna().equals(~told)
    expected = offers["slot"].map({0: 10**9 - 7, 1: 0, 2: 7})
    assert offers["probability"][told].tolist() == expected[told].tolist()
    assert offers["value"].isna().all()
    assert str(offers["probability"].dtype) == "Int32"
    assert verify(run.path) == 4


def test_certainty_and_impossibility_arrive(tmp_path, simulate, script):
    agent = script("return Choice(legal[0], {}, {position.offer[1]: 10**9})")
    offers = simulate(games=1, seed=3, agents=(agent, agent), log="offers", out=tmp_path / "run").offers()
    assert offers["probability"].tolist() == [10**9 if slot == 1 else 0 for slot in offers["slot"]]


# What an agent may not say


def spoken(said, at=2):
    """The agents of a game in which the one at seat 1 says this, a function of the position, at its turns from the
    third on.
    """
    turns = []

    def sit_down(_):
        def choose(position, legal, stream):
            turns.append(position)
            return Choice(legal[0], *said(position)) if len(turns) > at else legal[stream.below(len(legal))]

        return choose

    return make_agent("random", ORIGINAL), Agent("speaking", sit_down), turns


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (lambda _: {"p99": 1}, "a value is given for 'p99', which is not on offer: "),
        (lambda _: {3: 1}, "a value is given for 3, which is not on offer: "),
        (lambda p: {p.offer[0]: 1, p.ring[5]: 1}, "which is not on offer: "),
        (lambda p: {p.offer[0]: 1.0}, "must be a whole number of 32 bits, not 1.0"),
        (lambda p: {p.offer[0]: "1"}, "must be a whole number of 32 bits, not '1'"),
        (lambda p: {p.offer[0]: True}, "must be a whole number of 32 bits, not True"),
        (lambda p: {p.offer[0]: None}, "must be a whole number of 32 bits, not None"),
        (lambda p: {p.offer[0]: GREATEST + 1}, f"must be a whole number of 32 bits, not {GREATEST + 1}"),
        (lambda p: {p.offer[0]: LEAST - 1}, f"must be a whole number of 32 bits, not {LEAST - 1}"),
        (
            lambda p: [1 for _ in p.offer],
            "the values of a choice must be a mapping from patches to whole numbers, not ",
        ),
        (lambda _: None, "the values of a choice must be a mapping from patches to whole numbers, not None"),
        (lambda _: 5, "the values of a choice must be a mapping from patches to whole numbers, not 5"),
    ],
)
def test_values_that_cannot_be_are_refused_with_game_ply_and_seat(values, said):
    refused(lambda position: (values(position),), said)


@pytest.mark.parametrize(
    ("probabilities", "said"),
    [
        (lambda _: {"p99": 1}, "a probability is given for 'p99', which is not on offer: "),
        (lambda _: {3: 1}, "a probability is given for 3, which is not on offer: "),
        (lambda p: {p.offer[0]: 0.5}, "must be a whole number from 0, in parts of 10**9, not 0.5"),
        (lambda p: {p.offer[0]: "1"}, "must be a whole number from 0, in parts of 10**9, not '1'"),
        (lambda p: {p.offer[0]: True}, "must be a whole number from 0, in parts of 10**9, not True"),
        (lambda p: {p.offer[0]: None}, "must be a whole number from 0, in parts of 10**9, not None"),
        (lambda p: {p.offer[0]: -1}, "must be a whole number from 0, in parts of 10**9, not -1"),
        (lambda p: {p.offer[0]: 10**9 + 1}, "are 1000000001 together, more than 10**9"),
        (lambda p: {p.offer[0]: 10**9, p.offer[1]: 1}, "are 1000000001 together, more than 10**9"),
        (lambda p: [1 for _ in p.offer], "must be a mapping from patches to whole numbers, not "),
        (lambda _: 5, "the probabilities of a choice must be a mapping from patches to whole numbers, not 5"),
    ],
)
def test_probabilities_that_cannot_be_are_refused_with_game_ply_and_seat(probabilities, said):
    refused(lambda position: ({}, probabilities(position)), said)


def refused(saying, said):
    first, second, turns = spoken(saying)
    with pytest.raises(AgentError) as error:
        play_game(ORIGINAL, (first, second), seed=3, game_index=7, ring_index=1)
    found = re.match(r"game 7, ply (\d+), seat 1: ", str(error.value))
    assert said in str(error.value)
    assert len(turns) == 3
    assert int(found[1]) > 3


def test_an_action_in_a_choice_must_be_legal_too(tmp_path, simulate, script):
    agent = script("return Choice(7, {})")
    with pytest.raises(AgentError, match=r"game 0, ply 0, seat 0: agent 'scripted:a_script:choose': 7 is no action"):
        simulate(games=1, seed=3, agents=(agent, "random"), out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_values_are_those_that_were_given_although_the_agent_changes_its_mapping_later():
    kept = {}

    def sit_down(_):
        def choose(position, legal, _):
            kept.clear()
            kept.update(dict.fromkeys(position.offer, len(position.ring)))
            return Choice(legal[-1], kept)

        return choose

    game = play_game(ORIGINAL, (Agent("keeping", sit_down),) * 2, seed=3, game_index=0, ring_index=0)
    assert all(
        game.values[ply] == dict.fromkeys(game.plies[ply].before.offer, len(game.plies[ply].before.ring))
        for ply in range(len(game.plies))
    )


# Checking a log of worths


def test_a_run_with_worths_passes_its_check_as_long_as_its_script_is_the_same(valued, script):
    assert verify(valued.path) == 4
    script("return legal[0]")
    with pytest.raises(RunError, match="the script of agent 'scripted:a_script:choose' is another one than the run"):
        verify(valued.path)


@pytest.mark.parametrize("change", [lambda value: value + 1, lambda _: None], ids=["another", "none"])
def test_a_changed_worth_is_found(valued, change_manifest, sha256_of_file, change):
    path = valued.path / "offers" / "part-00001.parquet"
    table = pq.read_table(path, partitioning=None)
    values = table["value"].to_pylist()
    row = next(row for row, value in enumerate(values) if value is not None)
    there, values[row] = values[row], change(values[row])
    at = table.column_names.index("value")
    pq.write_table(table.set_column(at, table.schema.field(at), pa.array(values, table.schema.field(at).type)), path)
    facts = {"bytes": path.stat().st_size, "sha256": sha256_of_file(path)}
    change_manifest(valued.path, lambda manifest: manifest["shards"][1]["files"]["offers"].update(facts))
    ply, slot = table["ply"][row], table["slot"][row]
    with pytest.raises(VerificationError) as said:
        verify(valued.path)
    place = f"{path}: game 3, ply {ply}, slot {slot}"
    assert str(said.value) == f"{place}: value is {values[row]}, and {there} when played again"
