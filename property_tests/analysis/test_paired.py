"""Paired differences: nothing where nothing changed, the truth as often as they say, and the gain by pairing."""

import numpy as np
import pandas as pd
import pytest

from patchstats.analysis.paired import paired, unchanged

#: How much each change of `runs` moves the margin, and how the luck of a ring, of a game in both runs, and of a game in
#: one of them spread.
CHANGE, OF_RING, SHARED, OWN = 1.0, 2.0, 3.0, 1.5


def run(random, margins, rings):
    """A run with these margins, but for what each game has of its own."""
    margins = margins + OWN * random.standard_normal(len(rings))
    columns = {"game_index": np.arange(len(rings)), "ring_index": rings, "margin": margins}
    return pd.DataFrame({**columns, "winner": (margins < 0).astype(int), "actions": [b"a%d" % game for game in rings]})


def runs(random, rings, repeats, *, of_ring=0.0):
    """Two runs of the same games, in the second of which the change helps seat 0, on some rings more than on others."""
    ring = np.repeat(np.arange(rings), repeats)
    luck = (OF_RING * random.standard_normal(rings))[ring] + SHARED * random.standard_normal(len(ring))
    change = CHANGE + (of_ring * random.standard_normal(rings))[ring]
    return run(random, luck, ring), run(random, luck + change, ring)


def seat_0_wins(games):
    return games["winner"] == 0


@pytest.mark.parametrize(("rings", "repeats"), [(400, 1), (150, 4)])
def test_intervals_hold_the_truth_as_often_as_they_say(rings, repeats, holds_as_it_says, repetitions):
    random = np.random.default_rng(14)
    won = [seat_0_wins(one).mean() for one in runs(random, 1_000_000, 1, of_ring=1.0)]
    held, naive = [], []
    for _ in range(repetitions):
        base, new = runs(random, rings, repeats, of_ring=1.0)
        margin, share = paired(base, new, "margin").difference, paired(base, new, seat_0_wins).difference
        held.append([margin.low <= CHANGE <= margin.high, share.low <= won[1] - won[0] <= share.high])
        alone = [frame.assign(ring_index=frame["game_index"]) for frame in (base, new)]
        found = paired(*alone, "margin").difference
        naive.append(found.low <= CHANGE <= found.high)
    holds_as_it_says(held)
    if repeats > 1:
        assert np.mean(naive) < np.mean(held, axis=0)[0]


def test_two_runs_that_are_the_same_differ_by_exactly_nothing():
    base, _ = runs(np.random.default_rng(15), 50, 3)
    for of in ("margin", seat_0_wins):
        found = paired(base, base.sample(frac=1, random_state=1), of)
        assert found.difference == (0, 0, 0)
        assert found.base == found.new
        assert (found.variance_ratio, found.games, found.rings) == (np.inf, 150, 50)
    assert unchanged(base, base).share == 1


def test_a_change_by_the_same_everywhere_is_found_without_an_error():
    base, _ = runs(np.random.default_rng(16), 50, 2)
    base = base.assign(plies=range(100))
    found = paired(base, base.assign(plies=base["plies"] + 3), "plies")
    assert found.difference == (3, 3, 3)
    assert (found.base, found.new, found.variance_ratio) == (49.5, 52.5, np.inf)


def test_the_variance_ratio_is_what_sharing_the_luck_saves():
    random = np.random.default_rng(17)
    base, new = runs(random, 20_000, 1)
    expected = (OF_RING**2 + SHARED**2 + OWN**2) / OWN**2
    assert paired(base, new, "margin").variance_ratio == pytest.approx(expected, rel=0.05)
    other, _ = runs(random, 20_000, 1)
    assert paired(base, other, "margin").variance_ratio == pytest.approx(1, rel=0.05)


def test_neither_the_order_of_games_nor_that_of_runs_changes_more_than_the_sign():
    base, new = runs(np.random.default_rng(18), 60, 2)
    found = paired(base, new, seat_0_wins)
    assert paired(base.iloc[::-1], new.sample(frac=1, random_state=2), seat_0_wins) == found
    back = paired(new, base, seat_0_wins)
    assert back.difference == pytest.approx((-found.difference.value, -found.difference.high, -found.difference.low))
    assert (back.base, back.new, back.variance_ratio) == pytest.approx((found.new, found.base, found.variance_ratio))
    assert found.new - found.base == pytest.approx(found.difference.value)
    assert found.base == pytest.approx(seat_0_wins(base).mean())


def test_unchanged_games_are_counted_by_ring():
    base, _ = runs(np.random.default_rng(19), 100, 2)
    other = base.assign(actions=np.where(base["ring_index"] < 20, b"other", base["actions"].to_numpy()))
    found = unchanged(base, other.iloc[::-1])
    alone = unchanged(base.assign(ring_index=range(200)), other.assign(ring_index=range(200)))
    assert found.share == alone.share == pytest.approx(0.8)
    assert found.high - found.low > 1.3 * (alone.high - alone.low)
    assert unchanged(base, other, column="winner").share == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda new: new.iloc[:0], "the frame of new games has no rows"),
        (lambda new: new.drop(columns="ring_index"), "the frame of new games has no column ring_index; it needs game_"),
        (lambda new: new.drop(columns="margin"), "the frame of new games has no column margin"),
        (lambda new: new.assign(margin=np.nan), "the frame of new games has no value in column margin at row 0"),
        (lambda new: new.iloc[:-1], "the two frames must have the same games; game_index 5 is in one of them only"),
        (lambda new: new.assign(game_index=new["game_index"] + 1), "the same games; game_index 0 is in one of them"),
        (lambda new: new.assign(game_index=4), "the frame of new games has game_index 4 more than once; give one run"),
        (
            lambda new: new.assign(ring_index=[0, 0, 1, 1, 2, 9]),
            "game_index 5 was played on another ring; give two runs",
        ),
    ],
)
def test_runs_that_are_no_pair_are_refused(change, message):
    base, new = runs(np.random.default_rng(20), 3, 2)
    with pytest.raises(ValueError, match=message):
        paired(base, change(new), "margin")


def test_values_that_are_none_are_refused():
    base, new = runs(np.random.default_rng(21), 3, 2)
    for sizes in ((5, 6), (6, 5)):
        left = list(sizes)
        with pytest.raises(
            ValueError, match=f"of must return a value for each of 6 games, not {sizes[0]} and {sizes[1]}"
        ):
            paired(base, new, lambda games, left=left: games["margin"].iloc[: left.pop(0)])
    with pytest.raises(ValueError, match="the values of the base games must be numbers; at place 0"):
        paired(base, new, lambda games: games["margin"] * np.nan)
    with pytest.raises(ValueError, match="games on 1 ring have no interval"):
        paired(base.assign(ring_index=1), new.assign(ring_index=1), "margin")
