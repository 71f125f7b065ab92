"""Perft: the counts that are checked in, and that counting in bulk is counting."""

import os

import pytest
from hypothesis import given

from patchstats.conformance.perft import divide, known_counts, perft
from patchstats.notation import parse_action
from patchstats.testing import positions, rulesets

COUNTS = known_counts()
CI_NODES = 500_000
NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"


@pytest.mark.parametrize("count", COUNTS, ids=lambda count: f"{count.name}, depth {count.depth}")
def test_the_counts_are_those_that_are_checked_in(count):
    if count.nodes > CI_NODES and not NIGHTLY:
        pytest.skip("counted in the nightly profile")
    assert perft(count.position, count.depth) == count.nodes, (
        "made again by: python -m patchstats.conformance.perft > new.csv, which then replaces data/perft/counts.csv"
    )


def test_the_counts_reach_both_rulesets_a_waiting_leather_a_shared_space_and_the_end_of_games():
    found = [count.position for count in COUNTS]
    assert {position.ruleset.name for position in found} == {"original", "revised"}
    assert any(position.waiting for position in found)
    assert any(position.players[0].space == position.players[1].space > 0 for position in found)
    assert all(position.status() == () for position in found)
    assert any(count.nodes == 0 for count in COUNTS)


@given(positions(rulesets=rulesets(shipped=False, quilt_sizes=(3, 4), most_patches=3)))
def test_counting_in_bulk_at_the_last_ply_is_playing_every_action(position):
    afters = [position.apply(action).position for action in position.legal_actions]
    assert perft(position, 1) == len(afters)
    assert perft(position, 2) == sum(len(list(after.legal_actions)) for after in afters)
    assert perft(position, 2) == sum(divide(position, 2).values())


@given(positions())
def test_divide_names_each_legal_action_once_with_the_count_behind_it(position):
    size = position.ruleset.quilt_size
    behind = divide(position, 1)
    assert [parse_action(token, size) for token in behind] == list(position.legal_actions)
    assert set(behind.values()) <= {1}
