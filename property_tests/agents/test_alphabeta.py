"""The agent that looks ahead by alpha-beta: it finds what looking at everything finds."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

import patchstats
from patchstats.agents import make_agent
from patchstats.kernel import layout
from patchstats.kernel.asking import Asked, ask
from patchstats.kernel.deciders import alphabeta as ab
from patchstats.kernel.deciders.alphabeta import DEPTH, EVALUATED, alphabeta, begin, is_known
from patchstats.kernel.deciders.deciding import restricted
from patchstats.kernel.layout import OWN, RESTRICTIONS, SEAT_SIZE, SEATS
from patchstats.kernel.restrictions import BITS
from patchstats.kernel.search.evaluation import evaluate, put_evaluation, words_of_evaluation
from patchstats.kernel.search.key import AT_LEAST, AT_MOST, EXACTLY, key_of, note, noted
from patchstats.kernel.search.moves import ROOM, make, moves
from patchstats.kernel.search.state import same, save, words_of_state
from patchstats.kernel.search.tree import ONE
from patchstats.kernel.search.weights import network_in
from patchstats.kernel.turn import NO_SEAT, count_legal, seat_on_turn
from patchstats.notation.action_log import decode_action
from patchstats.notation.tokens import format_action
from patchstats.rules import PlaceLeather, Position, Ruleset
from patchstats.rules.files import data_directory
from patchstats.simulation.game import play_game
from patchstats.testing import positions, rings, situation

NETWORK = network_in((data_directory() / "evaluation" / "network.json").read_text(encoding="utf-8"), "shipped")
both = runpy.run_path(str(Path(__file__).parents[1] / "kernel" / "both.py"))

ORIGINAL = Ruleset.load("original")
IDS = [patch.id for patch in ORIGINAL.patches]


def can_buy(position):
    return not position.finished and not position.waiting and len(position.legal_actions.purchases) > 0


#: Positions with something to think about, of every stage, by the printed rulesets and by invented ones.
TURNS = positions().filter(can_buy)


#: By depth=2 at seat 0, and by depth=1 for winning at seat 1.
TRANSCRIPT = (
    "p06/0@a1 p09/0@a1 advance p03/0@d1 p11/0@c1 advance advance p15/0@b2 p14/5@a2 p20/0@e1 leather@g1 p28/3@a3 "
    "advance advance p33/0@c3 leather@b3"
)


# Looking at everything


@njit
def _moves(a, m, restricted, placements, room):
    return moves(a, m, SEATS + seat_on_turn(a) * SEAT_SIZE, restricted, placements, room)


@njit
def _make(a, code):
    seat = SEATS + seat_on_turn(a) * SEAT_SIZE
    count_legal(a, seat)
    make(a, seat, code)
    return seat_on_turn(a)


@njit
def _evaluate(a, m, numbers, e):
    return evaluate(a, m, numbers, e, seat_on_turn(a))


class Everything:
    """Looks at every line of play, without leaving anything out."""

    def __init__(self, position, network=None, *, objective="margin", root_placements=3, placements=2, bits=0):
        self.arena = both["arena_with"](position)
        self.me = position.seat_on_turn
        self.root_placements, self.placements = root_placements, placements
        self.room = int(OWN) + words_of_evaluation()
        self.memory = np.zeros(self.room + ROOM, dtype=np.uint64)
        self.memory[RESTRICTIONS] = bits
        put_evaluation(self.memory, int(OWN), network, objective=objective)

    def after(self, arena, placements):
        """Each move with the game after it and who moves then."""
        restricted = self.mover(arena) == self.me
        found = int(_moves(arena, self.memory, restricted, np.uint64(placements), np.uint64(self.room)))
        for code in self.memory[self.room : self.room + found].copy():
            following = arena.copy()
            _make(following, code)
            yield int(code), following

    def mover(self, arena):
        return int(_seat_on_turn(arena))

    def worth(self, arena, depth):
        """What a game is worth to the agent when so many moves are looked ahead."""
        mover = self.mover(arena)
        if depth == 0 or mover == NO_SEAT:
            return int(_evaluate(arena, self.memory, self.memory.view(np.float32), np.uint64(OWN))[self.me])
        worths = [self.worth(following, depth - 1) for _, following in self.after(arena, self.placements)]
        return max(worths) if mover == self.me else min(worths)

    def of_moves(self, depth):
        """What each move is worth."""
        return {
            code: self.worth(following, depth - 1) for code, following in self.after(self.arena, self.root_placements)
        }


@njit
def _seat_on_turn(a):
    return seat_on_turn(a)


def told(worth):
    return int(worth * (1e6 / ONE))


def check(position, depth, network=None, entries=None, names=(), **settings):
    """The move chosen is a best one, and each patch is told to be worth what its best placement is."""
    bits = sum(BITS[name] for name in names)
    worths = Everything(position, network, bits=bits, **settings).of_moves(depth)
    decider = restricted(alphabeta(position.ruleset, network, depth, entries=entries, **settings), names)
    chosen = Asked(position.ruleset, decider, 0, 0).choose(position)
    if not any(code & 3 == 1 for code in worths):  # nothing that is allowed can be bought
        assert chosen == (0, {}, None)
        return
    assert worths[chosen.code] == max(worths.values())
    slots = {code >> 2 & 7 for code in worths if code & 3 == 1}
    assert chosen.values == {
        slot: told(max(worth for code, worth in worths.items() if code & 3 == 1 and code >> 2 & 7 == slot))
        for slot in slots
    }


@settings(max_examples=max(1, settings().max_examples // 3))
@given(
    TURNS, st.integers(1, 3), st.sampled_from([0, 1, 4, 1 << 12]), st.sampled_from(["margin", "own", "win", "blend"])
)
def test_it_finds_what_looking_at_everything_finds_whatever_its_table_holds(position, depth, entries, objective):
    check(position, depth, entries=entries, objective=objective)


@given(TURNS, st.integers(1, 4), st.integers(1, 4))
def test_it_looks_at_so_many_placements_at_first_and_so_many_further_on(position, root_placements, placements):
    check(position, 2, root_placements=root_placements, placements=placements)


@given(TURNS, st.sampled_from(sorted(BITS)))
def test_it_keeps_to_its_restrictions_further_on_too_and_does_not_expect_others_to(position, name):
    check(position, 3, names=(name,), placements=1)


@given(positions(rulesets=st.just(ORIGINAL)).filter(can_buy), st.integers(1, 3))
def test_it_judges_by_the_network(position, depth):
    check(position, depth, NETWORK)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("entries", [0, 1 << 12])
def test_in_the_middle_and_late_in_a_game_it_finds_what_looking_at_everything_finds(depth, entries):
    for position in turns_of(2)[4::3]:
        check(position, depth, entries=entries)


def test_a_deep_search_in_the_middle_of_a_game_finds_the_same_as_looking_at_everything():
    for position in turns_of(2)[4:24:6]:
        check(position, 5, placements=1, root_placements=1)


def test_what_the_table_holds_of_other_turns_and_of_searches_of_other_depths_changes_no_value():
    kept = alphabeta(ORIGINAL, None, 5, entries=1 << 14).memory()
    for position in turns_of(2)[::-1] + turns_of(3):
        for depth in (4, 3, 2):
            kept[DEPTH] = depth
            decider = alphabeta(ORIGINAL, None, depth, entries=0)
            assert values_told(position, decider, kept) == values_told(position, decider, decider.memory())


@njit
def _is_known(a, m, left, alpha, beta, noted_left, bound, value):
    node = m[ab._NODES]
    begin(m, node, left, alpha, beta)
    note(m, m[ab._TABLE], m[ab._ENTRIES], key_of(a), noted(np.uint64(0), bound, noted_left, value))
    return is_known(a, m, node), np.int64(m[node + ab._BEST])


@pytest.mark.parametrize("bound", [AT_LEAST, AT_MOST, EXACTLY])
@pytest.mark.parametrize("noted_left", [2, 3, 4])
def test_what_the_table_says_counts_only_where_it_settles_the_value(bound, noted_left):
    arena, memory = both["arena_with"](situation(ORIGINAL)), alphabeta(ORIGINAL, None, 4).memory()
    for value in range(-3, 4):
        numbers = np.uint64(3), np.int64(-1), np.int64(1), np.uint64(noted_left), bound, np.int64(value)
        known, best = _is_known(arena, memory, *numbers)
        settles = {AT_LEAST: value >= 1, AT_MOST: value <= -1, EXACTLY: True}[bound]
        assert known == (settles and noted_left == 3)
        assert not known or best == value


def test_most_positions_need_not_be_looked_at():
    decider = alphabeta(ORIGINAL, None, 5, entries=0)
    memory, leaves = decider.memory(), 0
    for position in turns_of(2)[2:14:3]:
        ask(both["arena_with"](position), memory, decider.decide)
        everything = Everything(position)
        games = [following for _, following in everything.after(everything.arena, 3)]
        for _ in range(4):
            games = [following for game in games for _, following in everything.after(game, 2)]
        leaves += len(games)
    assert 0 < int(memory[EVALUATED]) < leaves / 2


def values_told(position, decider, memory):
    arena = both["arena_with"](position)
    ask(arena, memory, decider.decide)
    first = int(layout.VALUE)
    told = int(arena[layout.VALUES_TOLD])
    return {slot: int(arena[first + slot].astype(np.int64)) for slot in range(3) if told >> slot & 1}


def turns_of(index):
    """Positions with something to buy, from the start of a game to its end."""
    plies = played("alphabeta:depth=1,evaluation=hand", "greedy", index).plies
    return [ply.before for ply in plies if can_buy(ply.before)]


def played(first, second, index):
    return play_game(ORIGINAL, (make_agent(first, ORIGINAL), make_agent(second, ORIGINAL)), 9, index, index)


def test_seeing_the_end_on_every_line_it_does_not_look_again_for_each_move_more():
    late = situation(ORIGINAL, spaces=(51, 52), buttons=(9, 8), covered=(range(60), range(60)), ring=IDS[:3])
    evaluated = [_evaluated(late, depth) for depth in (10, 20)]
    assert evaluated[0] == evaluated[1] > 0


def _evaluated(position, depth):
    arena, decider = both["arena_with"](position), alphabeta(ORIGINAL, None, depth)
    memory = decider.memory()
    ask(arena, memory, decider.decide)
    return int(memory[EVALUATED])


# What it leaves behind


@given(TURNS, st.integers(1, 3))
def test_the_game_and_what_is_legal_lie_in_the_arena_as_before(position, depth):
    arena, decider = both["arena_with"](position), alphabeta(position.ruleset, None, depth)
    before = _game_in(arena)
    ask(arena, decider.memory(), decider.decide)
    assert _game_in(arena) == before
    assert both["kernel_answers"](arena, position.ruleset) == both["reference_answers"](position)


def _game_in(arena):
    first, last = int(layout.SEATS), int(layout.OFFER)
    ring, incomes = int(arena[layout.AT_NEXT]), int(arena[layout.AT_INCOMES])
    return arena[first:last].tolist(), arena[ring:incomes].tolist()


@given(TURNS)
def test_it_chooses_the_same_whenever_it_is_asked_and_places_a_leather_without_a_search(position):
    decider = alphabeta(position.ruleset, None, 2)
    first, second = (Asked(position.ruleset, decider, seed, seed).choose(position) for seed in (0, 1))
    assert first == second


def test_a_leather_goes_where_it_lies_best():
    square = [row * 9 + column for row in range(7) for column in range(7)]
    position = situation(ORIGINAL, covered=([cell for cell in square if cell != 24], ()), waiting=1)
    chosen = Asked(ORIGINAL, alphabeta(ORIGINAL, None, 2), 0, 0).choose(position)
    assert decode_action(position, chosen.code) == PlaceLeather(24)
    assert chosen.values == {}


def test_both_engines_write_the_same(tmp_path, contents):
    asked = {"games": 2, "seed": 7, "agents": ("alphabeta:depth=2", "leather-racer+alphabeta:objective=win")}
    for engine in ("kernel", "reference"):
        run = patchstats.simulate(**asked, log="offers", engine=engine, out=tmp_path / engine)
    assert contents(tmp_path / "kernel") == contents(tmp_path / "reference")
    assert run.offers()["value"].notna().any()


def test_it_beats_the_greedy_agent_and_looking_further_ahead_is_better():
    from patchstats.kernel.engine import Player

    deep, flat, greedy = (
        make_agent(spec, ORIGINAL).decider()
        for spec in ("alphabeta:depth=4,evaluation=hand", "alphabeta:depth=1,evaluation=hand", "greedy")
    )
    for opponent, least in ((greedy, 45), (flat, 40)):
        wins = Player(ORIGINAL, (deep, opponent), 2, True).play(seed=3, first=0, count=60).games["winner"]
        assert sum(int(seat) == index % 2 for index, seat in enumerate(wins)) >= least


def test_a_game_by_hand_made_weights_is_the_one_that_was_written_down():
    game = played("alphabeta:depth=2,evaluation=hand", "alphabeta:depth=1,evaluation=hand,objective=win", 0)
    assert " ".join(format_action(ply.action, ORIGINAL.quilt_size) for ply in game.plies[:16]) == TRANSCRIPT


# Keys


@njit
def _key(a):
    return key_of(a)


@njit
def _save(a, m):
    save(a, m, np.uint64(0))


@njit
def _same(a, m):
    return same(a, m, np.uint64(0))


@given(positions(rulesets=st.just(ORIGINAL)), positions(rulesets=st.just(ORIGINAL)), rings(ORIGINAL))
def test_games_have_the_same_key_just_when_they_are_the_same_to_the_rules(first, second, ring):
    arenas = [both["arena_with"](position) for position in (first, second, Position.start(ORIGINAL, ring))]
    for one in arenas:
        saved = np.zeros(words_of_state(len(IDS)), dtype=np.uint64)
        _save(one, saved)
        for other in arenas:
            assert (_key(one) == _key(other)) == bool(_same(other, saved))


def test_every_part_of_a_game_counts_for_its_key():
    plain = {"spaces": (9, 12), "buttons": (3, 4), "income": (1, 2), "covered": ([3, 70], [4, 71]), "ring": IDS[:4]}
    others = [
        {"spaces": (8, 12)},
        {"spaces": (9, 11)},
        {"top": 0},
        {"buttons": (4, 3)},
        {"buttons": (4, 4)},
        {"income": (2, 1)},
        {"covered": ([3, 71], [4, 71])},
        {"covered": ([2, 70], [4, 71])},
        {"covered": ([3, 70], [5, 71])},
        {"covered": ([3, 70], [4, 72])},
        {"covered": ([4, 71], [3, 70])},
        {"ring": IDS[1:4]},
        {"ring": [*IDS[1:4], IDS[0]]},
        {"ring": []},
        {"leather_marks": [20]},
        {"bonus_owner": 0},
        {"bonus_owner": 1},
        {"waiting": 1},
    ]
    keys = [int(_key(both["arena_with"](situation(ORIGINAL, **(plain | other))))) for other in ({}, *others)]
    assert len(set(keys)) == len(keys)
