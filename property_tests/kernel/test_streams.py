"""The random streams of the kernel, its words of 64 bits, and the rings it lays."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numba import njit

from patchstats.kernel import layout
from patchstats.kernel.games import shuffle_ring
from patchstats.kernel.philox import below, open_stream, word
from patchstats.kernel.tables import arena_for
from patchstats.kernel.words import nth_bit, popcount
from patchstats.rules import Ruleset
from patchstats.rules.cells import nth_cell
from patchstats.simulation.game import ring_of
from patchstats.streams import GREATEST_SEED, SEATS, SETUP, Stream

both = runpy.run_path(str(Path(__file__).with_name("both.py")))

#: Seed, kind and index of a stream.
NAMES = st.tuples(st.integers(0, GREATEST_SEED), st.sampled_from([SETUP, *SEATS]), st.integers(0, 10**12))
BOUNDS = (
    st.integers(1, 1000)
    | st.integers(0, 63).map(lambda power: 2**power)
    | st.integers(2**63, 2**63 + 1000)
    | st.integers(1, 2**64 - 1)
)
WORDS = st.integers(0, 2**64 - 1) | st.integers(0, 63).map(lambda bit: 1 << bit)


@njit
def _words(a, kind, drawn):
    open_stream(a, layout.STREAMS, kind)
    for number in range(len(drawn)):
        drawn[number] = word(a, layout.STREAMS)


@njit
def _below(a, kind, bounds, drawn):
    open_stream(a, layout.STREAMS, kind)
    for number in range(len(bounds)):
        drawn[number] = below(a, layout.STREAMS, bounds[number])


@njit
def _ring(a, ring):
    shuffle_ring(a, ring)


@njit
def _popcount(value):
    return popcount(value)


@njit
def _nth_bit(value, n):
    return nth_bit(value, n)


def arena_of(name, arena=None):
    """An arena with the seed and the index of a stream, and the stream's kind."""
    seed, kind, index = name
    arena = arena_for(Ruleset.load("original")) if arena is None else arena
    arena[layout.SEED], arena[layout.INDEX] = seed, index
    return arena, np.uint64(kind)


@given(name=NAMES, count=st.integers(1, 300))
@example(name=(GREATEST_SEED, 2, 10**12), count=300)
def test_a_stream_has_the_words_of_the_reference(name, count):
    drawn = np.zeros(count, dtype=np.uint64)
    _words(*arena_of(name), drawn)
    stream = Stream(*name)
    assert drawn.tolist() == [stream.word() for _ in range(count)]


@given(name=NAMES, bounds=st.lists(BOUNDS, min_size=1, max_size=60))
@example(name=(0, 0, 0), bounds=[1, 2, 3, 2**63, 2**64 - 1] * 12)
def test_integers_below_bounds_are_those_of_the_reference(name, bounds):
    drawn = np.zeros(len(bounds), dtype=np.uint64)
    _below(*arena_of(name), np.array(bounds, dtype=np.uint64), drawn)
    stream = Stream(*name)
    assert drawn.tolist() == [stream.below(bound) for bound in bounds]


def test_just_above_half_of_all_words_every_second_word_is_drawn_again_as_in_the_reference():
    name, bounds = (1, 1, 0), [2**63 + 1] * 200
    drawn = np.zeros(len(bounds), dtype=np.uint64)
    arena, kind = arena_of(name)
    _below(arena, kind, np.array(bounds, dtype=np.uint64), drawn)
    stream = Stream(*name)
    assert drawn.tolist() == [stream.below(bound) for bound in bounds]
    used = 4 * int(arena[layout.STREAMS + layout.BLOCK] - 2) + int(arena[layout.STREAMS + layout.USED])
    assert 300 < used < 500
    words = Stream(*name)
    assert [words.word() for _ in range(used + 1)][-1] == stream.word()


@given(WORDS)
@example(0)
@example(2**64 - 1)
def test_bits_are_counted(value):
    assert _popcount(np.uint64(value)) == value.bit_count()


@given(value=WORDS.filter(bool), data=st.data())
def test_a_bit_is_found_by_its_number_as_the_reference_finds_a_cell(value, data):
    n = data.draw(st.integers(0, value.bit_count() - 1))
    assert _nth_bit(np.uint64(value), np.uint64(n)) == nth_cell(value, n)


@pytest.mark.parametrize("value", [2**64 - 1, 0x8000000000000001, 0xAAAAAAAAAAAAAAAA])
def test_every_bit_of_a_word_is_found(value):
    found = [_nth_bit(np.uint64(value), np.uint64(n)) for n in range(value.bit_count())]
    assert found == [bit for bit in range(64) if value >> bit & 1]


@given(ruleset=both["RULESETS"], seed=st.integers(0, GREATEST_SEED), index=st.integers(0, 10**9))
def test_a_ring_is_laid_as_by_the_reference(ruleset, seed, index):
    arena, _ = arena_of((seed, SETUP, index), arena_for(ruleset))
    ring = np.zeros(len(ruleset.patches), dtype=np.uint64)
    _ring(arena, ring)
    assert tuple(ruleset.patches[number].id for number in ring.tolist()) == ring_of(ruleset, seed, index)


def test_the_longest_ring_is_laid_as_by_the_reference():
    patches = {f"p{number}": {"rows": "1", "cost": 0, "time": 1, "income": 0} for number in range(255)}
    settings = {**Ruleset.load("original").to_dict(), "patches": patches, "start_patch": "p254"}
    for ruleset in (Ruleset.from_dict({**settings, "start_patch": start}) for start in ("p0", "p100", "p254")):
        arena, _ = arena_of((5, SETUP, 7), arena_for(ruleset))
        ring = np.zeros(255, dtype=np.uint64)
        _ring(arena, ring)
        assert tuple(f"p{number}" for number in ring.tolist()) == ring_of(ruleset, 5, 7)
