"""The tree of a search: a game that went on is found in it, what grows from there is kept, and visits are counted."""

import runpy
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from patchstats.kernel.positions import position_in, put_position
from patchstats.kernel.search.state import save, words_of_state
from patchstats.kernel.search.tree import (
    BRANCHES,
    CAPACITY,
    CHILDREN,
    DEPTH,
    HALVES,
    IN_USE,
    MOVE,
    MOVER,
    NEXT,
    NODE_SIZE,
    PRIOR,
    ROOT,
    SUM,
    TREE_SIZE,
    VISITS,
    WORTH,
    back_up,
    find,
    keep,
    mean,
    most_visited,
    new_nodes,
    plant,
    room_for,
    step,
)
from patchstats.notation.action_log import encode_action
from patchstats.rules import PlaceLeather, Position, Ruleset
from patchstats.testing import positions, rulesets

both = runpy.run_path(str(Path(__file__).with_name("both.py")))
packing = runpy.run_path(str(Path(__file__).with_name("test_packing.py")))

ORIGINAL = Ruleset.load("original")
NO_SEAT = 2
SMALL = rulesets(shipped=False, quilt_sizes=(3, 6), most_patches=6)
TURNS = positions(rulesets=SMALL | both["RULESETS"]).filter(lambda one: not one.finished and not one.waiting)
#: What a tree is grown by: for each growth which node, and which actions.
GROWTHS = st.lists(st.tuples(st.integers(0, 99), st.lists(st.integers(0, 999), min_size=1, max_size=4)), max_size=6)
SIGNED = st.integers(-(2**40), 2**40)


@njit
def _find(a, m, tree, before, now, steps, state_size):
    return find(a, m, tree, before, now, steps, state_size)


@njit
def _step(a, m, node, child):
    step(a, m, node, child)


@njit
def _save(a, m, at):
    save(a, m, at)


@njit
def _plant(m, tree, mover):
    return plant(m, tree, mover)


@njit
def _new_nodes(m, tree, nodes):
    return new_nodes(m, tree, nodes)


@njit
def _room_for(m, tree, nodes):
    return room_for(m, tree, nodes)


@njit
def _keep(m, tree, node):
    return keep(m, tree, node)


@njit
def _back_up(m, path, length, first, second):
    back_up(m, path, length, first, second)


@njit
def _most_visited(m, node):
    return most_visited(m, node)


@njit
def _mean(m, node, mover):
    return mean(m, node, mover)


def u(number):
    return np.uint64(number & 2**64 - 1)


def signed(word):
    return int(word.astype(np.int64))


class Tree:
    """A tree in a memory of its own, with the position of each of its nodes; a place of 0 is nowhere."""

    def __init__(self, position, capacity=64):
        self.arena = both["arena_with"](position)
        self.state_size = words_of_state(len(position.ruleset.patches))
        self.tree = 5
        self.before = self.tree + TREE_SIZE
        self.now = self.before + self.state_size
        self.steps = self.now + self.state_size
        halves = self.steps + 2 * DEPTH + DEPTH * self.state_size
        self.memory = np.full(halves + 2 * capacity * int(NODE_SIZE) + 7, 0xFEED, dtype=np.uint64)
        for field, value in ((HALVES, halves), (CAPACITY, capacity), (IN_USE, 0), (ROOT, 0)):
            self.memory[self.tree + int(field)] = value
        _save(self.arena, self.memory, u(self.before))
        self.root = int(_plant(self.memory, u(self.tree), u(position.seat_on_turn)))
        self.positions = {self.root: position}

    def word(self, node, field):
        return self.memory[node + int(field)]

    def children(self, node):
        first = int(self.word(node, CHILDREN))
        return [first + place * int(NODE_SIZE) for place in range(int(self.word(node, BRANCHES)))]

    def room(self, nodes):
        return bool(_room_for(self.memory, u(self.tree), u(nodes)))

    def grow(self, node, actions):
        """Give a node a child for each of these legal actions."""
        position = self.positions[node]
        first = int(_new_nodes(self.memory, u(self.tree), u(len(actions))))
        self.memory[node + int(CHILDREN)], self.memory[node + int(BRANCHES)] = first, len(actions)
        for child, action in zip(self.children(node), actions, strict=True):
            self.memory[child + int(MOVE)] = encode_action(position, action)
            put_position(self.arena, position)
            _step(self.arena, self.memory, u(node), u(child))
            reached = self.positions[child] = position_in(self.arena, position.ruleset)
            self.memory[child + int(MOVER)] = NO_SEAT if reached.finished else reached.seat_on_turn

    def find(self, position):
        put_position(self.arena, position)
        _save(self.arena, self.memory, u(self.now))
        places = self.tree, self.before, self.now, self.steps, self.state_size
        return int(_find(self.arena, self.memory, *map(u, places)))

    def nested(self, node):
        """All that grows from a node, wherever it lies."""
        fields = [int(self.word(node, field)) for field in (MOVE, MOVER, VISITS, PRIOR, WORTH, WORTH + 1, SUM, SUM + 1)]
        return fields, [self.nested(child) for child in self.children(node)]


def grown(position, growths, capacity=64):
    """A tree that was grown by these numbers."""
    tree = Tree(position, capacity)
    for which, numbers in growths:
        bare = [one for one, it in tree.positions.items() if not it.finished and not tree.word(one, BRANCHES)]
        if bare:
            node = bare[which % len(bare)]
            legal = tree.positions[node].legal_actions
            tree.grow(node, [legal[number] for number in dict.fromkeys(number % len(legal) for number in numbers)])
    return tree


def seen_by_the_rules(position):
    players = [(one.space, one.buttons, one.income, one.covered) for one in position.players]
    others = position.leather_marks, position.top, position.waiting, position.bonus_owner, position.first_finisher
    return players, position.ring, others


# Moves


@given(TURNS, st.integers(0, 10**6))
def test_a_step_plays_the_move_and_places_the_leathers_where_they_lie_best(position, number):
    action = position.legal_actions[number % len(position.legal_actions)]
    tree = Tree(position)
    tree.grow(tree.root, [action])
    expected = position.apply(action).position
    while expected.waiting:
        put_position(tree.arena, expected)
        cell = int(packing["_best_leather"](tree.arena))
        expected = expected.apply(PlaceLeather(cell)).position
    assert tree.positions[tree.children(tree.root)[0]] == expected


# What is found again


@given(TURNS, GROWTHS, st.integers(0, 99))
def test_every_position_of_the_tree_is_found_by_whatever_moves_it_came_about(position, growths, which):
    tree = grown(position, growths)
    node = list(tree.positions)[which % len(tree.positions)]
    found = tree.find(tree.positions[node])
    assert seen_by_the_rules(tree.positions[found]) == seen_by_the_rules(tree.positions[node])
    alike = [seen_by_the_rules(one) for one in tree.positions.values()].count(seen_by_the_rules(tree.positions[node]))
    assert found == node or alike > 1


@given(TURNS, GROWTHS, st.integers(0, 99), st.integers(0, 10**6))
def test_a_position_that_the_tree_does_not_hold_is_not_found(position, growths, which, number):
    tree = grown(position, growths)
    before = tree.memory.copy()
    one = list(tree.positions.values())[which % len(tree.positions)]
    if not one.finished:
        one = one.apply(one.legal_actions[number % len(one.legal_actions)]).position
    found = tree.find(one)
    held = [node for node, it in tree.positions.items() if seen_by_the_rules(it) == seen_by_the_rules(one)]
    assert found in (held or [0])
    nodes = int(tree.memory[tree.tree + int(HALVES)])
    assert (tree.memory[nodes:] == before[nodes:]).all()


def test_the_same_moves_after_other_placements_are_told_apart():
    start = Position.start(ORIGINAL, [patch.id for patch in ORIGINAL.patches])
    of_first = start.legal_actions.purchases.of(start.offer[0])
    tree = Tree(start)
    tree.grow(tree.root, [start.legal_actions[0], of_first[0], of_first[1]])
    advanced, first, second = tree.children(tree.root)
    for node in (first, second, advanced):
        at = tree.positions[node]
        tree.grow(node, [at.legal_actions[0], *at.legal_actions.purchases[:1]])
    for node in tree.positions:
        assert tree.find(tree.positions[node]) == node
    other_place = start.apply(of_first[2]).position
    assert tree.find(other_place) == 0
    assert tree.find(other_place.apply(other_place.legal_actions[0]).position) == 0


def test_nothing_is_found_in_a_tree_of_another_game():
    ids = [patch.id for patch in ORIGINAL.patches]
    tree = Tree(Position.start(ORIGINAL, ids))
    tree.grow(tree.root, list(tree.positions[tree.root].legal_actions[:3]))
    other = Position.start(ORIGINAL, [ids[1], ids[0], *ids[2:]])
    assert tree.find(other) == 0
    assert tree.find(other.apply(other.legal_actions[0]).position) == 0


def test_so_many_moves_are_looked_for_and_no_more():
    tree = Tree(Position.start(ORIGINAL, [patch.id for patch in ORIGINAL.patches]))
    line = [tree.root]
    for _ in range(DEPTH + 3):
        tree.grow(line[-1], [tree.positions[line[-1]].legal_actions[0]])
        line += tree.children(line[-1])
    assert [tree.find(tree.positions[node]) for node in line] == [*line[: DEPTH + 1], 0, 0, 0]


def test_large_trees_and_such_with_leathers_and_ends_are_drawn(reach):
    def trees(condition):
        return lambda drawn: condition(grown(*drawn))

    reach(
        st.tuples(TURNS, GROWTHS),
        trees(lambda tree: len(tree.positions) > 12),
        trees(lambda tree: any(one.finished for one in tree.positions.values())),
        trees(lambda tree: len({sum(it.leathers for it in one.players) for one in tree.positions.values()}) > 1),
    )


# What is kept


@given(TURNS, GROWTHS, st.lists(st.integers(0, 99), min_size=1, max_size=3), st.randoms())
def test_all_that_grows_from_a_node_is_kept_as_it_was_and_the_rest_makes_room(position, growths, choices, random):
    tree = grown(position, growths)
    for node in tree.positions:
        for field in (VISITS, PRIOR, WORTH, WORTH + 1, SUM, SUM + 1):
            tree.memory[node + int(field)] = random.getrandbits(60)
    node = tree.root
    for choice in choices:
        below = [node, *tree.children(node)]
        node = below[choice % len(below)]
        before, in_use = tree.nested(node), int(tree.memory[tree.tree + int(IN_USE)])
        node = int(_keep(tree.memory, u(tree.tree), u(node)))
        assert tree.nested(node) == before
        assert tree.memory[tree.tree + int(ROOT)] == node
        assert tree.memory[tree.tree + int(IN_USE)] == 1 - in_use
        half = int(tree.memory[tree.tree + int(HALVES)]) + (1 - in_use) * 64 * int(NODE_SIZE)
        assert node == half
        left = 64 - size_of(before)
        assert tree.memory[tree.tree + int(NEXT)] == half + size_of(before) * int(NODE_SIZE)
        assert tree.room(left)
        assert not tree.room(left + 1)
    assert set(tree.memory[-7:].tolist()) == set(tree.memory[: tree.tree].tolist()) == {0xFEED}


def size_of(nested):
    return 1 + sum(map(size_of, nested[1]))


@given(TURNS, GROWTHS, st.integers(0, 99))
def test_what_was_kept_is_found_from_the_new_root_on(position, growths, which):
    tree = grown(position, growths)
    children = tree.children(tree.root)
    if not children:
        return
    old = children[which % len(children)]
    put_position(tree.arena, tree.positions[old])
    _save(tree.arena, tree.memory, u(tree.before))
    pairs = [(old, int(_keep(tree.memory, u(tree.tree), u(old))))]
    held = []
    for one, now in pairs:
        held.append(seen_by_the_rules(tree.positions[one]))
        pairs += zip(tree.children(one), tree.children(now), strict=True)
    for one, now in pairs:
        found = tree.find(tree.positions[one])
        assert found == now or held.count(seen_by_the_rules(tree.positions[one])) > 1
        assert found in {there for _, there in pairs}


def test_new_nodes_are_empty_whatever_was_in_their_place():
    tree = Tree(Position.start(ORIGINAL, [patch.id for patch in ORIGINAL.patches]), capacity=4)
    assert tree.nested(tree.root) == ([0] * 8, [])
    first = int(_new_nodes(tree.memory, u(tree.tree), u(3)))
    assert first == tree.root + int(NODE_SIZE)
    assert not tree.memory[first : first + 3 * int(NODE_SIZE)].any()
    assert tree.room(0)
    assert not tree.room(1)
    again = int(_plant(tree.memory, u(tree.tree), u(1)))
    assert (again, tree.nested(again)) == (tree.root, ([0, 1, 0, 0, 0, 0, 0, 0], []))


# What is counted


@given(st.lists(st.tuples(st.sets(st.integers(0, 5), min_size=1), SIGNED, SIGNED), max_size=8))
def test_a_visit_counts_for_every_node_of_its_way_and_for_no_other(visits):
    memory = np.zeros(100, dtype=np.uint64)
    for path, first, second in visits:
        memory[90 : 90 + len(path)] = [10 + 10 * place for place in path]
        _back_up(memory, u(90), u(len(path)), np.int64(first), np.int64(second))
    for place in range(6):
        node = 10 + 10 * place
        mine = [(first, second) for path, first, second in visits if place in path]
        expected = len(mine), sum(first for first, _ in mine), sum(second for _, second in mine)
        found = int(memory[node + int(VISITS)]), *(signed(memory[node + int(SUM) + seat]) for seat in (0, 1))
        assert found == expected
        others = set(range(node, node + 10)) - {node + int(field) for field in (VISITS, SUM, SUM + 1)}
        assert not memory[list(others)].any()


NODES = st.tuples(st.integers(0, 3), *[st.integers(-6, 6)] * 4)


def nodes_with(memory, first, nodes):
    for place, (visits, *worths) in enumerate(nodes):
        at = first + place * int(NODE_SIZE)
        memory[at + int(VISITS)] = visits
        for field, worth in zip((WORTH, WORTH + 1, SUM, SUM + 1), worths, strict=True):
            memory[at + int(field)] = u(worth)


@given(st.lists(NODES, min_size=1, max_size=6), st.integers(0, 1))
def test_the_most_visited_is_chosen_of_equal_ones_the_best_for_who_moves_and_then_the_first(nodes, mover):
    memory = np.zeros(100, dtype=np.uint64)
    memory[10 + int(MOVER)], memory[10 + int(CHILDREN)], memory[10 + int(BRANCHES)] = mover, 30, len(nodes)
    nodes_with(memory, 30, nodes)
    worths = [(one[1 + mover] + one[3 + mover]) / (one[0] + 1) for one in nodes]
    best = max(range(len(nodes)), key=lambda place: (nodes[place][0], worths[place], -place))
    assert int(_most_visited(memory, u(10))) == 30 + best * int(NODE_SIZE)
    for place, worth in enumerate(worths):
        assert _mean(memory, u(30 + place * int(NODE_SIZE)), u(mover)) == worth


@given(st.integers(0, 2**20), st.tuples(*[SIGNED] * 4))
def test_a_node_is_worth_the_mean_of_itself_and_of_its_visits(visits, worths):
    memory = np.zeros(20, dtype=np.uint64)
    nodes_with(memory, 10, [(visits, *worths)])
    for seat in (0, 1):
        assert _mean(memory, u(10), u(seat)) == (worths[seat] + worths[2 + seat]) / (visits + 1)
