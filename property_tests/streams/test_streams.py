"""The random streams: their words, and how words become bounded integers and orders."""

from collections import Counter
from itertools import islice, permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chisquare

from patchstats.streams import GREATEST_SEED, SEATS, SETUP, Stream

SPAN = 2**64

#: What names a stream: a seed, a kind and an index.
NAMES = st.tuples(st.integers(0, GREATEST_SEED), st.sampled_from([SETUP, *SEATS]), st.integers(0, 10**12))
BOUNDS = st.integers(1, SPAN - 1) | st.integers(1, 1000) | st.integers(0, 63).map(lambda power: 2**power)


class Words(Stream):
    """A stream whose words are given."""

    __slots__ = ("_given",)

    def __init__(self, *words):
        self._given = list(words)

    def word(self):
        return self._given.pop(0)

    @property
    def left(self):
        return self._given


def philox_4x64_10(key, counter):
    """A block of four words, computed as the paper describes it: ten rounds, the key bumped between them."""
    for round_ in range(10):
        bumped = [(word + round_ * step) % SPAN for word, step in zip(key, KEY_STEPS, strict=True)]
        high_0, low_0 = divmod(MULTIPLIERS[0] * counter[0], SPAN)
        high_1, low_1 = divmod(MULTIPLIERS[1] * counter[2], SPAN)
        counter = (high_1 ^ counter[1] ^ bumped[0], low_1, high_0 ^ counter[3] ^ bumped[1], low_0)
    return counter


MULTIPLIERS = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
KEY_STEPS = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)


@pytest.mark.parametrize(
    ("key", "counter", "words"),
    [
        pytest.param(
            (0, 0),
            (0, 0, 0, 0),
            (0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B),
            id="nothing but zeros",
        ),
        pytest.param(
            (SPAN - 1, SPAN - 1),
            (SPAN - 1, SPAN - 1, SPAN - 1, SPAN - 1),
            (0x87B092C3013FE90B, 0x438C3C67BE8D0224, 0x9CC7D7C69CD777B6, 0xA09CAEBF594F0BA0),
            id="nothing but ones",
        ),
    ],
)
def test_the_philox_of_this_test_gives_the_published_answers(key, counter, words):
    assert philox_4x64_10(key, counter) == words


@given(name=NAMES, count=st.integers(1, 200))
def test_the_words_of_a_stream_are_those_of_its_philox_blocks_in_turn(name, count):
    seed, kind, index = name
    stream = Stream(seed, kind, index)
    expected = [philox_4x64_10((seed, 0), (1 + k // 4, index, kind, 0))[k % 4] for k in range(count)]
    assert [stream.word() for _ in range(count)] == expected


@given(first=NAMES, second=NAMES, same=st.sets(st.sampled_from(["seed", "kind", "index"]), max_size=2))
def test_streams_with_another_seed_kind_or_index_share_no_word(first, second, same):
    parts = ("seed", "kind", "index")
    second = tuple(first[at] if part in same else second[at] for at, part in enumerate(parts))
    assume(first != second)
    words = [{stream.word() for _ in range(70)} for stream in (Stream(*first), Stream(*second))]
    assert not words[0] & words[1]


@given(bound=BOUNDS, data=st.data())
def test_each_integer_below_a_bound_has_exactly_as_many_words_as_any_other(bound, data):
    integer = data.draw(st.integers(0, bound - 1))
    favoured = SPAN % bound
    # The words whose upper half is the integer, and those of them that are accepted, without a loop over 2**64 words.
    lowest = -(-integer * SPAN // bound)
    first = -(-(integer * SPAN + favoured) // bound)
    last = ((integer + 1) * SPAN - 1) // bound
    assert last - first + 1 == SPAN // bound
    for word in {first, last, data.draw(st.integers(first, last))}:
        assert Words(word).below(bound) == integer
    for word in range(lowest, first):
        stream = Words(word, word, last, 77)
        assert stream.below(bound) == integer
        assert stream.left == [77]


@pytest.mark.parametrize(
    ("words", "bound", "integer", "used"),
    [
        pytest.param([0, 1, 9], 3, 0, 2, id="of all words 0 alone is one too many for 3"),
        pytest.param([0, 0, 0, SPAN - 1, 9], 3, 2, 4, id="drawn again and again"),
        pytest.param([SPAN // 3 + 1, 9], 3, 1, 1, id="the first word that gives 1"),
        pytest.param([SPAN // 3, 9], 3, 0, 1, id="the last word that gives 0"),
        pytest.param([0, 9], 4, 0, 1, id="a power of two rejects nothing"),
        pytest.param([SPAN - 1, 9], 2**63, 2**63 - 1, 1, id="the greatest power of two"),
        pytest.param([0, SPAN - 1, 9], SPAN - 1, SPAN - 2, 2, id="the greatest bound rejects 0"),
        pytest.param([2, 1, 9], 2**63 + 1, 0, 2, id="nearly every other word rejected"),
    ],
)
def test_words_that_would_favour_some_integers_are_drawn_again(words, bound, integer, used):
    stream = Words(*words)
    assert stream.below(bound) == integer
    assert stream.left == words[used:]


@given(name=NAMES, bounds=st.lists(BOUNDS, max_size=20))
def test_an_integer_below_a_bound_is_never_beyond_it(name, bounds):
    stream = Stream(*name)
    for bound in bounds:
        assert 0 <= stream.below(bound) < bound


def test_a_word_is_used_even_when_there_is_nothing_to_choose():
    stream = Words(5, 6)
    assert stream.below(1) == 0
    assert stream.left == [6]


@given(items=st.lists(st.integers(), max_size=40), name=NAMES)
def test_a_shuffle_draws_from_what_is_left_and_fills_the_places_from_the_last_one_on(items, name):
    shuffled = items.copy()
    Stream(*name).shuffle(shuffled)

    draws = Stream(*name)
    left, places = items.copy(), []
    while len(left) > 1:
        chosen = draws.below(len(left))
        left[chosen], item = left[-1], left[chosen]
        left.pop()
        places.append(item)
    assert shuffled == left + places[::-1]


def test_a_shuffle_uses_a_word_for_each_place_but_the_first():
    stream = Words(*range(1, 10))
    stream.shuffle(list("abcd"))
    assert len(stream.left) == 9 - 3


def test_every_order_of_three_items_comes_about_equally_often():
    stream = Stream(seed=1, kind=SETUP, index=0)

    def orders():
        while True:
            items = list("abc")
            stream.shuffle(items)
            yield "".join(items)

    counts = Counter(islice(orders(), 12_000))
    assert set(counts) == set(map("".join, permutations("abc")))
    assert chisquare(list(counts.values())).pvalue > 1e-3


def test_small_integers_come_equally_often():
    stream = Stream(seed=1, kind=SETUP, index=1)
    counts = Counter(stream.below(7) for _ in range(14_000))
    assert chisquare([counts[integer] for integer in range(7)]).pvalue > 1e-3
