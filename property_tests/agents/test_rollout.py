"""The agent that tries each move by playouts, and the playouts themselves against the reference's own chance."""

import math
import runpy
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from scipy.stats import chisquare

import patchstats
from patchstats.agents import make_agent
from patchstats.agents.uniform import choose_any
from patchstats.errors import AgentError
from patchstats.kernel.asking import Asked
from patchstats.kernel.cache import kept_on_disk
from patchstats.kernel.deciders.playouts import (
    STATE,
    draw_any,
    draw_cell,
    draw_tight,
    list_on_empty,
    nth_bit,
    words_of_playouts,
)
from patchstats.kernel.deciders.quick import best_action, tight_cell
from patchstats.kernel.layout import SEAT_SIZE, SEATS
from patchstats.kernel.positions import position_in
from patchstats.kernel.search.tree import lay_offer
from patchstats.kernel.turn import seat_on_turn
from patchstats.notation import format_action
from patchstats.notation.action_log import decode_action
from patchstats.rules import Advance, Buy, Position, Ruleset
from patchstats.rules.cells import cells_in
from patchstats.simulation.game import play_game
from patchstats.streams import SEATS as STREAMS
from patchstats.streams import Stream
from patchstats.testing import situation

both = runpy.run_path(str(Path(__file__).parents[1] / "kernel" / "both.py"))

ORIGINAL = Ruleset.load("original")
START = Position.start(ORIGINAL, [f"p{number:02}" for number in range(1, 34)])
ANY, TIGHT, BEST, LEATHER, ANY_CELL, NTH = range(6)

with kept_on_disk():

    @njit(cache=True)
    def _choose(a, m, what, codes):
        """Choose as often as there is room for codes, for the seat on turn or, a leather, for its quilt."""
        seat = SEATS + seat_on_turn(a) * SEAT_SIZE
        for place in range(len(codes)):
            if what == ANY:
                codes[place] = draw_any(a, m, np.uint64(0), seat)
            elif what == TIGHT:
                codes[place] = draw_tight(a, m, np.uint64(0), seat)
            elif what == BEST:
                codes[place] = best_action(a, m, np.uint64(4), seat)
            elif what == LEATHER:
                codes[place] = tight_cell(a, seat)
            elif what == ANY_CELL:
                codes[place] = draw_cell(a, m, np.uint64(0), seat)
            else:
                codes[place] = nth_bit(m[0], m[1])
        lay_offer(a)

    @njit(cache=True)
    def _list(a, m):
        list_on_empty(a, m, np.uint64(0))


def chosen(position, what, times=1):
    """The codes of so many choices."""
    memory = np.zeros(words_of_playouts(position.ruleset), dtype=np.uint64)
    arena = both["arena_with"](position)
    _list(arena, memory)
    memory[int(STATE)] = 1
    codes = np.zeros(times, dtype=np.uint64)
    _choose(arena, memory, what, codes)
    return [int(code) for code in codes]


def actions(position, what, times=1):
    """How often each action was chosen."""
    counts = Counter(chosen(position, what, times))
    return {decode_action(position, code): count for code, count in counts.items()}


def played(spec, plies):
    """The position after so many turns of a game that two agents of chance play."""
    agent = make_agent(spec, ORIGINAL)
    game = play_game(ORIGINAL, (agent, agent), seed=1, game_index=0, ring_index=0)
    turns = [ply.before for ply in game.plies if not ply.before.waiting]
    return turns[plies]


def free_neighbours(position):
    """For each free cell of the quilt on turn how many free neighbours it has."""
    covered = cells_in(position.players[position.seat_on_turn].covered)
    free = {divmod(cell, 9) for cell in range(81)} - {divmod(cell, 9) for cell in covered}
    return {
        row * 9 + column: sum(
            (row + down, column + right) in free for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0))
        )
        for row, column in free
    }


def tightest(position, patch):
    """The purchase of a patch where the fewest pairs of free neighbours are lost, the first of equal ones."""
    beside = free_neighbours(position)

    def lost(buy):
        cells = cells_in(ORIGINAL.ways_to_lay[patch][buy.orientation].pattern << buy.cell)
        return sum(beside[cell] for cell in cells)

    return min(position.legal_actions.purchases.of(patch), key=lambda buy: (lost(buy), buy.orientation, buy.cell))


def bought(position):
    """The patches that can be bought."""
    return sorted({action.patch for action in position.legal_actions if isinstance(action, Buy)})


@pytest.mark.parametrize("plies", [0, 8, 20])
def test_a_random_playout_draws_every_legal_action_equally_often_on_roomy_quilts_and_on_full_ones(plies):
    position = played("random", plies)
    legal = list(position.legal_actions)
    counts = actions(position, ANY, 100 * len(legal))
    assert len(legal) > 20
    assert counts.keys() <= set(legal)
    assert chisquare([counts.get(action, 0) for action in legal]).pvalue > 1e-3


@pytest.mark.parametrize("plies", [0, 5, 12, 18])
def test_a_tight_playout_draws_the_advance_or_a_patch_equally_often_and_lays_it_where_the_fewest_pairs_are_lost(plies):
    position = played("random-patch", plies)
    expected = [Advance(), *(tightest(position, patch) for patch in bought(position))]
    counts = actions(position, TIGHT, 6000)
    assert len(expected) > 1
    assert counts.keys() == set(expected)
    assert chisquare([counts[action] for action in expected]).pvalue > 1e-3


@pytest.mark.parametrize("plies", range(0, 20, 2))
def test_a_best_playout_takes_what_is_worth_most_at_its_prices(plies):
    position = played("random-patch", plies)
    seat = position.seat_on_turn
    player, other = position.players[seat], position.players[1 - seat]
    left = sum(mark > player.space for mark in ORIGINAL.income_marks)

    def worth(patch_id):
        patch = ORIGINAL[patch_id]
        spaces = min(patch.time, ORIGINAL.finish - player.space)
        return 20 * patch.size + 9 * patch.income * left - 10 * patch.cost - 18 * spaces

    worths = {Advance(): -8 * (min(other.space + 1, ORIGINAL.finish) - player.space)}
    on_offer = [patch for patch in position.offer if patch in bought(position)]
    worths |= {tightest(position, patch): worth(patch) for patch in on_offer}
    assert actions(position, BEST) == {max(worths, key=worths.get): 1}


@given(covered=st.sets(st.integers(0, 80), max_size=80))
@settings(max_examples=25)
def test_a_leather_of_a_tight_playout_goes_on_the_first_cell_with_the_fewest_free_neighbours(covered):
    position = situation(ORIGINAL, spaces=(5, 20), covered=(covered, ()))
    beside = free_neighbours(position)
    assert chosen(position, LEATHER) == [min(beside, key=lambda cell: (beside[cell], cell))]


def test_a_leather_of_a_random_playout_goes_on_every_free_cell_equally_often():
    position = situation(ORIGINAL, spaces=(5, 20), covered=(range(10, 70, 3), ()))
    counts = Counter(chosen(position, ANY_CELL, 10_000))
    assert counts.keys() == set(range(81)) - set(range(10, 70, 3))
    assert chisquare(list(counts.values())).pvalue > 1e-3


@given(word=st.integers(1, 2**64 - 1), data=st.data())
def test_the_nth_bit_without_branches_is_the_nth_bit(word, data):
    n = data.draw(st.integers(0, word.bit_count() - 1))
    codes = np.zeros(1, dtype=np.uint64)
    _choose(both["arena_with"](START), np.array([word, n], dtype=np.uint64), NTH, codes)
    assert int(codes[0]) == [bit for bit in range(64) if word >> bit & 1][n]


def worth_of(margin):
    """What a margin is worth to an agent."""
    return margin / 15 / math.sqrt(1 + (margin / 15) ** 2)


def test_the_mean_of_many_playouts_is_that_of_random_play_by_the_reference():
    position = played("random-patch", 14)
    seat = position.seat_on_turn
    agent = make_agent("no-advance-unless-forced+rollout:k=10000,objective=margin", ORIGINAL)
    decision = Asked(ORIGINAL, agent.decider(), 1, 0).choose(position)
    action = decode_action(position, decision.code)
    told = decision.values[position.offer.index(action.patch)] / 1e6
    after, stream, results = position.apply(action)[0], Stream(3, STREAMS[0], 0), []
    for _ in range(200):
        now = after
        while not now.finished:
            now = now.apply(choose_any(now, now.legal_actions, stream))[0]
        results.append(worth_of(now.score(seat) - now.score(1 - seat)))
    error = np.std(results) / math.sqrt(len(results))
    assert 0.005 < error < 0.06
    assert abs(np.mean(results) - told) < 3 * error


def alone(buttons):
    """A position in which the other seat has finished with so many buttons, which change nothing but its score."""
    return situation(ORIGINAL, spaces=(40, 53), buttons=(9, buttons), income=(3, 0), covered=(range(45), ()))


def values(spec, position):
    """What an agent tells of the patches on offer."""
    return Asked(ORIGINAL, make_agent(spec, ORIGINAL).decider(), 1, 0).choose(position).values


def test_an_own_score_is_gone_for_whatever_the_opponent_has_and_a_margin_is_not():
    for spec in ("rollout:objective=own", "ignores-opponent+rollout:objective=margin"):
        assert values(spec, alone(200)) == values(spec, alone(210)) == values("rollout:objective=own", alone(200))
    for spec in ("rollout:objective=margin", "rollout:objective=margin,opponent=0.1"):
        lower, higher = values(spec, alone(210)), values(spec, alone(200))
        assert lower.keys() == higher.keys() == {0, 1, 2}
        assert all(lower[slot] < higher[slot] for slot in lower)


def test_whoever_goes_for_a_win_tells_how_often_it_comes():
    assert set(values("rollout", alone(0)).values()) == {1_000_000}
    assert set(values("rollout", alone(500)).values()) == {-1_000_000}


@pytest.mark.parametrize("playout", ["random", "tight", "best"])
def test_more_placements_of_a_patch_are_tried_if_asked_for_and_the_best_is_played(playout):
    position = played("random-patch", 12)
    one, seven = (values(f"rollout:k=50,playout={playout},placements={number}", position) for number in (1, 7))
    assert one.keys() == seven.keys()
    assert all(one[slot] <= seven[slot] for slot in one)
    assert one != seven


def transcript(spec, plies):
    """The first plies of game 0 of seed 1, a token each."""
    agent = make_agent(spec, ORIGINAL)
    game = play_game(ORIGINAL, (agent, agent), seed=1, game_index=0, ring_index=0)
    return [f"{ply.seat} {format_action(ply.action, 9)}" for ply in game.plies[:plies]]


def test_the_first_plies_of_rollout_with_seed_1_are_these():
    assert transcript("rollout:k=4", 12) == [
        "0 advance",
        "1 advance",
        "0 advance",
        "1 p17/0@a1",
        "0 p23/0@a1",
        "1 p15/3@a2",
        "0 p10/0@e1",
        "1 advance",
        "0 advance",
        "1 advance",
        "0 advance",
        "1 p32/0@d1",
    ]


def test_both_engines_write_the_same_bytes(tmp_path, contents):
    for engine in ("kernel", "reference"):
        patchstats.simulate(
            games=4,
            seed=2,
            agents=["rollout:k=2,placements=2,objective=blend", "leather-racer+rollout:k=3,playout=best,objective=own"],
            pairing="mirrored",
            log="offers",
            engine=engine,
            out=tmp_path / engine,
        )
    assert contents(tmp_path / "kernel") == contents(tmp_path / "reference")


@pytest.mark.parametrize("spec", ["rollout:k=3", "rollout:k=3,playout=tight,placements=7"])
@pytest.mark.parametrize("plies", [0, 7, 19])
def test_after_a_choice_the_position_is_as_it_was(spec, plies):
    position = played("random-patch", plies)
    asked = Asked(ORIGINAL, make_agent(spec, ORIGINAL).decider(), 1, 0)
    asked.choose(position)
    assert position_in(asked._arena, ORIGINAL) == position


@given(ruleset=both["RULESETS"], seed=st.integers(0, 2**64 - 1), playout=st.sampled_from(["random", "tight", "best"]))
@settings(max_examples=8)
def test_whole_games_on_any_ruleset_are_legal(ruleset, seed, playout):
    agent = make_agent(f"rollout:k=1,playout={playout}", ruleset)
    assert play_game(ruleset, (agent, make_agent("random", ruleset)), seed, 0, 0).plies[-1].after.finished


def test_restrictions_are_obeyed():
    agent = make_agent("no-income-3+no-advance-unless-forced+rollout:k=1", ORIGINAL)
    plies = [ply for index in range(3) for ply in play_game(ORIGINAL, (agent, agent), 1, index, index).plies]
    buys = 0
    for ply in plies:
        allowed = [patch for patch in bought(ply.before) if ORIGINAL[patch].income < 3]
        assert ply.action != Advance() or not allowed
        if isinstance(ply.action, Buy):
            assert ply.action.patch in allowed
            buys += 1
    assert buys > 20


@pytest.mark.parametrize("spec", ["rollout:k=0", "rollout:k=1.5", "rollout:objective=lose", "rollout:playout=slow"])
def test_what_cannot_be_is_refused(spec):
    with pytest.raises(AgentError, match="must be"):
        make_agent(spec, ORIGINAL)
