"""The agent that grows a tree by playouts."""

import math
import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import patchstats
from patchstats.agents import make_agent
from patchstats.errors import AgentError
from patchstats.kernel.asking import Asked
from patchstats.kernel.deciders import mcts
from patchstats.kernel.positions import position_in
from patchstats.kernel.search.tree import BRANCHES, CHILDREN, MOVE, NODE_SIZE, ROOT, VISITS
from patchstats.notation import format_action
from patchstats.notation.action_log import decode_action
from patchstats.rules import Advance, Buy, Position, Ruleset
from patchstats.simulation.game import play_game

both = runpy.run_path(str(Path(__file__).parents[1] / "kernel" / "both.py"))

ORIGINAL = Ruleset.load("original")
START = Position.start(ORIGINAL, [f"p{number:02}" for number in range(1, 34)])


def asked(spec):
    """An agent at game 0 of seed 1."""
    return Asked(ORIGINAL, make_agent(spec, ORIGINAL).decider(), 1, 0)


def root(agent):
    """How often the root of an agent's tree was visited, and how often each move from it, by its code."""
    memory = agent._memory
    node = int(memory[int(memory[int(mcts._TREE)]) + int(ROOT)])
    first, branches = int(memory[node + int(CHILDREN)]), int(memory[node + int(BRANCHES)])
    children = range(first, first + branches * int(NODE_SIZE), int(NODE_SIZE))
    return int(memory[node + int(VISITS)]), {
        int(memory[child + int(MOVE)]): int(memory[child + int(VISITS)]) for child in children
    }


def turns(spec, game_index):
    """The positions of a game between two agents in which neither has a leather to place."""
    agent = make_agent(spec, ORIGINAL)
    game = play_game(ORIGINAL, (agent, agent), seed=1, game_index=game_index, ring_index=game_index)
    return [ply.before for ply in game.plies if not ply.before.waiting]


def transcript(spec, plies):
    """The first plies of game 0 of seed 1, a token each."""
    agent = make_agent(spec, ORIGINAL)
    game = play_game(ORIGINAL, (agent, agent), seed=1, game_index=0, ring_index=0)
    return [f"{ply.seat} {format_action(ply.action, 9)}" for ply in game.plies[:plies]]


def test_the_first_plies_of_mcts_with_seed_1_are_these():
    assert transcript("mcts:iterations=100", 12) == [
        "0 p17/0@a1",
        "1 p23/0@a1",
        "1 p15/3@a3",
        "0 advance",
        "1 advance",
        "0 p10/0@d1",
        "1 p32/0@b4",
        "1 p14/2@b2",
        "0 p25/1@a3",
        "0 leather@a2",
        "1 p31/0@c6",
        "1 advance",
    ]


SEARCHING = [
    "mcts:iterations=20",
    "no-income-3+mcts:iterations=15,playout=tight,root_placements=3,placements=2,objective=margin",
]


def test_both_engines_and_any_number_of_workers_write_the_same_bytes(tmp_path, contents):
    for name, setting in {
        "kernel": {"engine": "kernel", "workers": 1},
        "workers": {"engine": "kernel", "workers": 2},
        "reference": {"engine": "reference", "workers": 1},
    }.items():
        patchstats.simulate(
            games=4,
            seed=2,
            agents=SEARCHING,
            pairing="mirrored",
            log="offers",
            games_per_shard=2,
            out=tmp_path / name,
            **setting,
        )
    assert contents(tmp_path / "kernel") == contents(tmp_path / "workers") == contents(tmp_path / "reference")


@pytest.mark.parametrize("spec", ["mcts:iterations=200", SEARCHING[1]])
def test_after_a_choice_the_position_is_as_it_was(spec):
    agent = asked(spec)
    for position in turns("random-patch", 0):
        agent.choose(position)
        assert position_in(agent._arena, ORIGINAL) == position


def test_every_iteration_visits_one_move_of_the_root_and_each_is_tried():
    agent = asked("mcts:iterations=300")
    decision = agent.choose(START)
    visits, moves = root(agent)
    assert visits == sum(moves.values()) == 300
    assert len(moves) == 4
    assert min(moves.values()) > 0
    assert decision.code == max(moves, key=moves.get)
    assert decision.values.keys() == {0, 1, 2}
    assert all(-1_000_000 <= value <= 1_000_000 for value in decision.values.values())


def replied(agent, position):
    """What comes of what the agent chooses, and of the reply whose code is then given."""
    return position.apply(decode_action(position, agent.choose(position).code))[0]


def test_the_tree_below_the_opponents_reply_is_used_again():
    agent = asked("mcts:iterations=2000")
    seat, position, reused = 0, START, 0
    while not position.finished:
        if position.seat_on_turn == seat and not position.waiting and len(position.legal_actions) > 1:
            position = replied(agent, position)
            reused += root(agent)[0] > 2000
        elif position.waiting:
            position = replied(asked("mcts"), position)
        else:
            # Another that looks at the same moves, so that its reply is in the tree.
            position = replied(asked("mcts:iterations=50"), position)
    assert reused > 5


def asked_at(position):
    """An agent that was asked in a position."""
    agent = asked("mcts:iterations=1")
    agent.choose(position)
    return agent


def test_a_reply_that_was_not_looked_at_begins_a_new_tree():
    agent = asked("mcts:iterations=500")
    position = replied(agent, START)
    while position.seat_on_turn == 0:
        position = replied(agent, position)
    looked_at = {decode_action(position, code) for code in root(asked_at(position))[1]}
    other = next(action for action in position.legal_actions if isinstance(action, Buy) and action not in looked_at)
    position = position.apply(other)[0]
    while position.seat_on_turn == 1:
        position = position.apply(Advance())[0]
    agent.choose(position)
    assert root(agent)[0] == 500


def test_a_root_that_was_grown_within_the_tree_gets_as_many_placements_as_any_root():
    agent, position, widened = asked("mcts:iterations=300,root_placements=5"), turns("random-patch", 0)[4], 0
    for _ in range(6):
        following = replied(agent, position)
        visits, moves = root(agent)
        fresh = asked("mcts:iterations=300,root_placements=5")
        fresh.choose(position)
        assert root(fresh)[1].keys() == moves.keys()
        widened += visits > 300
        position = following
        while position.waiting:
            position = position.apply(position.legal_actions[0])[0]
    assert widened > 0


def test_a_full_tree_is_played_out_from_as_it_is(monkeypatch):
    monkeypatch.setattr(mcts, "MOST_NODES", 12)
    decider = mcts.mcts(ORIGINAL, iterations=400)
    agent = Asked(ORIGINAL, decider, 1, 0)
    for position in turns("random-patch", 1):
        code = agent.choose(position).code
        assert decode_action(position, code) in position.legal_actions


def wins(position, seat):
    """Whether a seat can force a win, by every line to the end."""
    if position.finished:
        return position.winner == seat
    results = (wins(position.apply(action)[0], seat) for action in position.legal_actions)
    return any(results) if position.seat_on_turn == seat else all(results)


def last_decisions():
    """Positions with few turns to go in which some action wins and some other loses."""
    for index in range(60):
        for position in turns("random-patch", index)[-2:]:
            seat, legal = position.seat_on_turn, position.legal_actions
            if 1 < len(legal) < 40:
                results = {action: wins(position.apply(action)[0], seat) for action in legal}
                if len(set(results.values())) == 2:
                    yield position, results


def test_a_win_within_reach_is_found():
    decisions = list(last_decisions())
    assert len(decisions) > 5
    for position, results in decisions:
        action = decode_action(
            position, asked("mcts:iterations=2000,placements=7,root_placements=7").choose(position).code
        )
        assert results[action], (position, action)


def test_seconds_are_thought_for_in_the_same_tree():
    agent = asked("mcts:seconds=0.05")
    agent.choose(START)
    visits, _ = root(agent)
    assert visits > 10 * mcts.ITERATIONS_AT_A_TIME
    assert visits % mcts.ITERATIONS_AT_A_TIME == 0
    assert not make_agent("mcts:seconds=0.05", ORIGINAL).reproducible
    assert make_agent("mcts:iterations=5", ORIGINAL).reproducible


@given(n=st.integers(1, 2**40))
def test_the_logarithm_is_right_to_ten_digits(n):
    assert math.isclose(mcts.ln(np.uint64(n)), math.log(n), rel_tol=1e-10, abs_tol=1e-10)


@given(ruleset=both["RULESETS"], seed=st.integers(0, 2**64 - 1))
@settings(max_examples=8)
def test_whole_games_on_any_ruleset_are_legal(ruleset, seed):
    agents = [
        make_agent(spec, ruleset) for spec in ("mcts:iterations=4", "mcts:iterations=3,playout=best,placements=2")
    ]
    assert play_game(ruleset, tuple(agents), seed, 0, 0).plies[-1].after.finished


def test_restrictions_are_obeyed():
    agent = make_agent("no-income-3+no-advance-unless-forced+mcts:iterations=20", ORIGINAL)
    plies = play_game(ORIGINAL, (agent, agent), 1, 0, 0).plies
    for ply in plies:
        allowed = {
            action.patch
            for action in ply.before.legal_actions
            if isinstance(action, Buy) and ORIGINAL[action.patch].income < 3
        }
        assert ply.action != Advance() or not allowed
        assert not isinstance(ply.action, Buy) or ply.action.patch in allowed
    assert sum(isinstance(ply.action, Buy) for ply in plies) > 10


@pytest.mark.parametrize("spec", ["mcts:iterations=0", "mcts:seconds=0", "mcts:exploration=-1", "mcts:playout=slow"])
def test_what_cannot_be_is_refused(spec):
    with pytest.raises(AgentError, match="must be"):
        make_agent(spec, ORIGINAL)
