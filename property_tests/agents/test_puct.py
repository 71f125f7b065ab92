"""The agent that looks ahead along promising moves: it plays by the rules, alike everywhere, and better with time."""

import hashlib
import json
import runpy
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patchstats import simulate
from patchstats.agents import make_agent, split_specs
from patchstats.errors import AgentError, RunError
from patchstats.kernel import layout
from patchstats.kernel.asking import Asked, ask
from patchstats.kernel.deciders import puct as module
from patchstats.kernel.deciders.puct import puct
from patchstats.kernel.engine import Player
from patchstats.kernel.search.weights import network_in, network_text
from patchstats.notation import format_record, record_of
from patchstats.notation.action_log import decode_action
from patchstats.rules import Advance, PlaceLeather, Position, Ruleset
from patchstats.rules.files import data_directory
from patchstats.simulation.game import play_game
from patchstats.testing import positions, situation

both = runpy.run_path(str(Path(__file__).parents[1] / "kernel" / "both.py"))

ORIGINAL = Ruleset.load("original")
CHANGED = ORIGINAL.with_changes({"patches.p21.cost": 3})
START = Position.start(ORIGINAL, [patch.id for patch in ORIGINAL.patches])
NETWORK = data_directory() / "evaluation" / "network.json"
TEXT = NETWORK.read_text(encoding="utf-8")


def can_buy(position):
    return not position.finished and not position.waiting and len(position.legal_actions.purchases) > 0


TURNS = positions(rulesets=both["RULESETS"]).filter(can_buy)


def chosen_by(spec, position):
    decider = make_agent(spec, position.ruleset).decider()
    return Asked(position.ruleset, decider, 1, 0).choose(position)


def played(first, second="random", ruleset=ORIGINAL, index=0):
    """A game of the reference engine, which takes no illegal action."""
    return play_game(ruleset, (make_agent(first, ruleset), make_agent(second, ruleset)), 1, index, index)


#: Game 0 of seed 1, against itself.
FIRST_DOZEN = """
    0 p17/0@a1
    1 p23/0@a1
    1 p15/3@a3
    0 advance
    1 advance
    0 p10/0@d1
    1 p32/0@b4
    1 p14/0@e1
    0 p25/1@a3
    0 leather@a2
    1 p22/0@b2
    1 p31/1@d5
"""


def test_the_first_dozen_plies_of_a_game():
    spec = "puct:iterations=100,evaluation=hand"
    game = played(spec, spec)
    lines = format_record(record_of(ORIGINAL, game.ring, [ply.action for ply in game.plies])).splitlines()
    assert lines[3:15] == [line.strip() for line in FIRST_DOZEN.strip().splitlines()]


# The same everywhere


@pytest.mark.parametrize(
    "agents",
    [
        ("puct:iterations=15,evaluation=hand", "puct:iterations=5,objective=blend,placements=3"),
        ("no-advance-unless-forced+puct:iterations=10", "leather-racer+puct:iterations=10,evaluation=hand"),
        ("no-income-3+seven-by-seven+puct:iterations=8,objective=win", "ignores-opponent+puct:iterations=8"),
    ],
)
def test_both_engines_write_the_same_bytes(tmp_path, contents, agents):
    for engine in ("kernel", "reference"):
        simulate(games=2, seed=3, agents=agents, log="offers", engine=engine, out=tmp_path / engine)
    assert contents(tmp_path / "kernel") == contents(tmp_path / "reference")


def test_any_number_of_workers_writes_the_same_bytes(tmp_path, contents):
    for workers in (1, 2):
        simulate(
            games=6,
            seed=4,
            agents=("puct:iterations=20", "puct:iterations=10,evaluation=hand"),
            pairing="mirrored",
            log="offers",
            workers=workers,
            games_per_shard=2,
            out=tmp_path / str(workers),
        )
    assert contents(tmp_path / "1") == contents(tmp_path / "2")


def test_a_game_does_not_depend_on_those_played_before():
    deciders = tuple(make_agent(f"puct:iterations={number}", ORIGINAL).decider() for number in (20, 10))
    together = Player(ORIGINAL, deciders).play(seed=6, first=0, count=5)
    alone = Player(ORIGINAL, deciders).play(seed=6, first=4, count=1)
    assert together.actions[-len(alone.actions) :].tolist() == alone.actions.tolist()


def game_in(arena):
    first, last = int(layout.SEATS), int(layout.OFFER)
    ring, incomes = int(arena[layout.AT_NEXT]), int(arena[layout.AT_INCOMES])
    return arena[:first].tolist(), arena[first:last].tolist(), arena[ring:incomes].tolist()


@given(TURNS, st.integers(1, 30))
def test_the_game_lies_in_the_arena_as_before(position, iterations):
    arena, decider = both["arena_with"](position), puct(position.ruleset, None, iterations)
    before, memory = game_in(arena), decider.memory()
    for _ in range(2):
        ask(arena, memory, decider.decide)
        assert game_in(arena) == before
    assert arena[int(arena[layout.AT_INCOMES]) : int(arena[layout.AT_FITS])].tolist() == (
        both["arena_with"](position)[int(arena[layout.AT_INCOMES]) : int(arena[layout.AT_FITS])].tolist()
    )


# How it thinks


@given(TURNS, st.integers(1, 20))
def test_asked_twice_in_a_position_it_goes_on_as_if_it_had_been_asked_once_for_all(position, iterations):
    ruleset = position.ruleset
    together = Asked(ruleset, puct(ruleset, None, 2 * iterations), 1, 0).choose(position)
    twice = Asked(ruleset, puct(ruleset, None, iterations), 1, 0)
    twice.choose(position)
    assert twice.choose(position) == together


def test_what_it_thought_before_is_used_again_if_the_game_goes_on_within_its_tree():
    decider = puct(ORIGINAL, None, 300, placements=3, objective="margin")
    kept = Asked(ORIGINAL, decider, 1, 0)
    position, own_turns = START, 0
    found = []
    while own_turns < 6:
        if position.seat_on_turn == 0 and can_buy(position):
            own_turns += 1
            decision = kept.choose(position)
            found.append(decision.values == Asked(ORIGINAL, decider, 1, 0).choose(position).values)
        else:
            decision = Asked(ORIGINAL, decider, 1, 0).choose(position)
        position = position.apply(decode_action(position, decision.code)).position
    assert found[0]
    assert sum(found[1:]) <= 1  # the game may go where it did not look


def test_it_thinks_anew_if_the_game_went_where_it_did_not_look():
    decider = puct(ORIGINAL, None, 100)
    kept = Asked(ORIGINAL, decider, 1, 0)
    position = START.apply(decode_action(START, kept.choose(START).code)).position
    while position.seat_on_turn == 1:  # the last placement of all is none of the best
        position = position.apply(position.legal_actions[-1]).position
    assert can_buy(position)
    assert kept.choose(position) == Asked(ORIGINAL, decider, 1, 0).choose(position)


@given(TURNS, st.integers(1, 30))
def test_it_tells_what_each_patch_that_can_be_bought_is_worth(position, iterations):
    decision = Asked(position.ruleset, puct(position.ruleset, None, iterations), 1, 0).choose(position)
    buyable = position.legal_actions.purchases.patches
    assert set(decision.values) == {slot for slot, patch in enumerate(position.offer) if patch in buyable}
    assert all(abs(value) <= 10**6 for value in decision.values.values())
    assert decision.probabilities is None
    assert decode_action(position, decision.code) in position.legal_actions


def test_without_a_choice_it_does_not_think():
    poor = situation(ORIGINAL, spaces=(3, 5), buttons=(0, 9), ring=["p02", "p10"])
    chosen = Asked(ORIGINAL, puct(ORIGINAL, None, 10), 1, 0).choose(poor)
    assert (decode_action(poor, chosen.code), chosen.values) == (Advance(), {})
    square = [row * 9 + column for row in range(7) for column in range(7) if (row, column) != (2, 6)]
    waiting = situation(ORIGINAL, covered=(square, ()), waiting=1)
    chosen = Asked(ORIGINAL, puct(ORIGINAL, None, 10), 1, 0).choose(waiting)
    assert (decode_action(waiting, chosen.code), chosen.values) == (PlaceLeather(24), {})


# How well it plays


def wins(first, second, games):
    """How many mirrored games the first of two agents wins."""
    deciders = tuple(make_agent(spec, ORIGINAL).decider() for spec in (first, second))
    won = Player(ORIGINAL, deciders, games_per_ring=2, mirrored=True).play(seed=8, first=0, count=games)
    return sum(int(winner) == game % 2 for game, winner in enumerate(won.games["winner"]))


def test_more_visits_win_more_games():
    assert wins("puct:iterations=200,evaluation=hand", "puct:iterations=5,evaluation=hand", 20) >= 14


def test_the_learned_evaluation_wins_more_games_than_the_hand_made_one():
    assert wins("puct:iterations=100", "puct:iterations=100,evaluation=hand", 20) >= 12


def test_it_beats_the_greedy_agent():
    assert wins("puct:iterations=50,evaluation=hand", "greedy", 20) >= 15


# By which evaluation


def test_on_a_changed_ruleset_it_judges_by_hand_made_weights_and_says_so_unless_told_otherwise():
    position = situation(CHANGED, spaces=(12, 15), buttons=(12, 9))
    values = {}
    for evaluation in ("auto", "hand", "learned"):
        spec = f"puct:iterations=30,evaluation={evaluation}"
        agent = make_agent(spec, CHANGED)
        says = f"agent {spec!r} judges positions by hand-made weights, as the network was not learned for ruleset "
        assert agent.remark.startswith(says) if evaluation == "auto" else agent.remark == ""
        assert (agent.sha256 is None) == (evaluation != "learned")
        values[evaluation] = chosen_by(spec, position).values
    assert values["auto"] == values["hand"] != values["learned"]


def test_on_a_printed_ruleset_it_judges_by_the_network_and_says_nothing():
    position = situation(ORIGINAL, spaces=(12, 15), buttons=(12, 9))
    agent = make_agent("puct", ORIGINAL)
    assert (agent.spec, agent.remark) == ("puct", "")
    assert agent.sha256 == hashlib.sha256(NETWORK.read_bytes()).hexdigest()
    given_ones = [puct(ORIGINAL, network, 30) for network in (TEXT, network_in(TEXT, "shipped"))]
    found = [Asked(ORIGINAL, decider, 1, 0).choose(position) for decider in given_ones]
    assert found == [chosen_by("puct:iterations=30", position)] * 2
    assert found[0].values != chosen_by("puct:iterations=30,evaluation=hand", position).values


def test_who_ignores_the_opponent_goes_for_its_own_score():
    position = situation(ORIGINAL, spaces=(12, 15), buttons=(12, 9))
    values = [
        chosen_by(f"{prefix}puct:iterations=30{suffix}", position).values
        for prefix, suffix in (("ignores-opponent+", ""), ("", ",objective=own"), ("", ""))
    ]
    assert values[0] == values[1] != values[2]


@pytest.fixture
def network_file(tmp_path):
    """A file with a network, and a function that puts another one there."""
    path = tmp_path / "mine.json"
    path.write_bytes(NETWORK.read_bytes())

    def change():
        path.write_text(network_text(network_in(TEXT, "shipped"), {"learned": "again"}), encoding="utf-8")

    return path, change


def test_the_hash_of_a_network_is_in_the_manifest_and_no_run_goes_on_with_another_one(tmp_path, network_file):
    path, change = network_file
    run = {"agents": (f"puct:iterations=2,network={path}", "random"), "games": 2, "seed": 1, "out": tmp_path / "run"}
    simulate(**run)
    agents = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))["spec"]["agents"]
    assert [agent["sha256"] for agent in agents] == [hashlib.sha256(path.read_bytes()).hexdigest(), None]
    simulate(**run)
    change()
    with pytest.raises(RunError, match="agents"):
        simulate(**run)


@pytest.mark.parametrize(
    ("parameters", "text", "reason"),
    [
        ("network=nowhere.json", None, "nowhere.json: No such file or directory; a comma ends the name of a file"),
        ("network=mine.json", "no JSON", "mine.json: no network of `patchstats train`: Expecting value"),
        ("network=mine.json", '{"ruleset_ids": []}', "mine.json: no network of `patchstats train`: it lacks features"),
        ("network=mine.json", TEXT.replace('"shift"', '"sift"'), "no network of `patchstats train`: it lacks shift"),
        ("network=mine.json", TEXT.encode("utf-16"), "mine.json: no network of `patchstats train`"),
        ("network=.", None, "Is a directory"),
        ("network=mine.json,evaluation=hand", "{}", "evaluation=hand uses no network"),
    ],
)
@pytest.mark.parametrize("ruleset", [ORIGINAL, CHANGED], ids=["printed", "changed"])
def test_a_network_that_cannot_be_used_is_refused_in_one_line_by_any_rules(
    tmp_path, monkeypatch, parameters, text, reason, ruleset
):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path("mine.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(AgentError) as error:
        make_agent(f"puct:{parameters}", ruleset)
    assert str(error.value).startswith(f"agent 'puct:{parameters}': ")
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_the_name_of_a_network_may_hold_a_colon_also_in_a_list(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a:b.json").write_bytes(NETWORK.read_bytes())
    specs = split_specs("puct:iterations=3,network=a:b.json,alphabeta:network=a:b.json,greedy")
    assert [make_agent(spec, ORIGINAL).spec for spec in specs] == [
        "puct:iterations=3,network=a:b.json",
        "alphabeta:network=a:b.json",
        "greedy",
    ]


# For so many seconds


def test_it_thinks_about_as_long_as_it_is_told():
    asked = Asked(ORIGINAL, make_agent("puct:seconds=0.05", ORIGINAL).decider(), 1, 0)
    asked.choose(START)  # memory is taken at first
    for position in (START, situation(ORIGINAL, spaces=(12, 15), buttons=(12, 9))):
        begun = time.thread_time()
        asked.choose(position)
        assert 0.025 < time.thread_time() - begun < 0.15


def test_games_by_the_clock_are_legal_and_said_to_be_played_only_once(tmp_path):
    agent = make_agent("puct:seconds=0.002", ORIGINAL)
    assert (agent.reproducible, make_agent("puct", ORIGINAL).reproducible) == (False, True)
    run = simulate(agents=(agent.spec, "greedy"), games=1, seed=1, out=tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))
    assert [one.get("reproducible") for one in manifest["spec"]["agents"]] == [False, None]
    assert len(run.games()) == 1
    with pytest.raises(RunError, match="looks at no clock"):
        simulate(agents=(agent.spec, "greedy"), games=1, seed=1, engine="kernel", out=tmp_path / "other")


# By any rules, and at its limits

RESTRICTED = st.lists(
    st.sampled_from(["no-advance-unless-forced", "no-income-3", "seven-by-seven", "leather-racer"]),
    max_size=2,
    unique=True,
)


@settings(max_examples=15)
@given(both["RULESETS"], RESTRICTED, st.sampled_from(["", ",evaluation=learned", ",placements=7,root_placements=7"]))
def test_whole_games_by_any_rules_are_legal(ruleset, restrictions, more):
    game = played("+".join([*restrictions, f"puct:iterations=5{more}"]), "puct:iterations=4,objective=win", ruleset)
    assert game.end.finished


@pytest.mark.parametrize("nodes", [130, 200, 400])
def test_a_tree_without_room_for_more_ends_the_search_and_nothing_else(monkeypatch, nodes):
    spec = "puct:iterations=200,root_placements=7,placements=7"
    usual = played(spec, spec)
    monkeypatch.setattr(module, "MOST_NODES", nodes)
    first = played(spec, spec)
    agent = make_agent(spec, ORIGINAL)
    again = Player(ORIGINAL, (agent.decider(), agent.decider())).play(seed=1, first=0, count=1)
    assert [ply.action for ply in first.plies] != [ply.action for ply in usual.plies]
    assert len(again.actions) == len(first.plies)
    assert first.end.winner == again.games["winner"][0]
    position = situation(ORIGINAL, spaces=(12, 15), buttons=(12, 9))
    assert chosen_by("puct:iterations=300", position) == chosen_by("puct:iterations=3000", position)
