"""The tally of games: what is counted while they are played."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.dataset.run import open_run
from patchstats.dataset.tally import Tally, tally_of

#: The winners of games on some rings, as many on each.
RINGS = st.integers(1, 5).flatmap(lambda games: st.lists(st.lists(st.integers(0, 1), min_size=games, max_size=games)))


@given(rings=RINGS)
def test_a_tally_counts_games_rings_and_the_wins_of_seat_0_on_each(rings):
    winners = [winner for ring in rings for winner in ring]
    wins = [ring.count(0) for ring in rings]
    expected = Tally(len(winners), sum(wins), len(rings), sum(count**2 for count in wins))
    assert tally_of(winners, games_per_ring=len(rings[0]) if rings else 1) == expected


@given(rings=RINGS, data=st.data())
def test_the_tallies_of_parts_add_up_to_that_of_the_whole_in_any_order(rings, data):
    games = len(rings[0]) if rings else 1
    first = data.draw(st.integers(0, len(rings)))
    parts = [tally_of([winner for ring in part for winner in ring], games) for part in (rings[:first], rings[first:])]
    whole = tally_of([winner for ring in rings for winner in ring], games)
    assert sum(parts, Tally()) == parts[1] + parts[0] == whole


def test_many_wins_on_a_ring_are_squared_without_overflow():
    assert tally_of([0] * 200_000, games_per_ring=100_000) == Tally(200_000, 200_000, 2, 2 * 10**10)


@pytest.mark.parametrize("other", [1, (1, 0, 1, 0), None])
def test_nothing_but_a_tally_is_added_to_one(other):
    with pytest.raises(TypeError):
        Tally(1, 0, 1, 0) + other


@pytest.mark.parametrize(("pairing", "games_per_ring"), [("none", 1), ("mirrored", 2), ("rings:4", 4)])
def test_the_manifest_lists_the_tallies_of_the_shards(simulate, tmp_path, pairing, games_per_ring):
    simulate(games=16, games_per_shard=12, seed=6, pairing=pairing, out=tmp_path / "run")
    run = open_run(tmp_path / "run")
    for shard, frame in zip(run.manifest.shards, run.batches("games"), strict=True):
        wins = (frame["winner"] == 0).groupby(frame["ring_index"]).sum()
        assert shard.tally == Tally(len(frame), wins.sum(), len(frame) // games_per_ring, (wins**2).sum())
