"""Counting by the kernel: the counts that are checked in, the reference's own, and some that are beyond it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.conformance.perft import counter, divide, known_counts, perft
from patchstats.kernel.engine import count_sequences
from patchstats.rules import Ruleset
from patchstats.testing import positions, rulesets

COUNTS = known_counts()
STARTS = {count.name: count.position for count in COUNTS}
SMALL = positions(rulesets=rulesets(shipped=False, quilt_sizes=(3, 4), most_patches=3))


@pytest.mark.parametrize("count", COUNTS, ids=lambda count: f"{count.name}, depth {count.depth}")
def test_the_counts_are_those_that_are_checked_in(count):
    assert count_sequences(count.position, count.depth) == count.nodes


@given(position=SMALL, depth=st.integers(0, 3))
def test_counts_from_small_positions_are_those_of_the_reference(position, depth):
    assert count_sequences(position, depth) == perft(position, depth)


@given(positions())
def test_as_many_actions_are_counted_as_are_legal(position):
    assert count_sequences(position, 0) == 1
    assert count_sequences(position, 1) == len(position.legal_actions)


@pytest.mark.parametrize(
    ("name", "depth"),
    [
        ("original: start, ring of seed 2", 3),
        ("original: middle of a game", 4),
        ("revised: middle of a game", 4),
        ("original: a leather waits", 3),
        ("revised: a leather waits", 3),
        ("original: four plies before the end", 6),
    ],
)
def test_a_count_is_the_sum_of_the_counts_behind_what_the_reference_plays_first(name, depth):
    behind = divide(STARTS[name], depth, count_sequences)
    assert len(behind) == len(STARTS[name].legal_actions)
    assert count_sequences(STARTS[name], depth) == sum(behind.values())


@given(position=SMALL)
def test_counting_leaves_no_trace_in_the_next_count(position):
    counts = [count_sequences(position, depth) for depth in (3, 1, 2)]
    assert [count_sequences(position, depth) for depth in (3, 1, 2)] == counts


def test_a_ruleset_that_cannot_be_served_is_refused_and_left_to_the_reference():
    tall = Ruleset.load("original").with_changes({"quilt_size": 11, "patches.p01.rows": "111111"})
    assert counter(tall, "auto") is perft
    assert counter(Ruleset.load("original"), "auto") is count_sequences
