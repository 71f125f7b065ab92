"""The advantage of the first player: what is simulated is found, whatever the pairing, and strengths cancel."""

import numpy as np
import pandas as pd
import pytest

from patchstats.analysis.first_player import NEEDED, first_player
from patchstats.analysis.shares import share

#: What seat 0 wins, its margin, and how often scores are equal, in the games of `played`.
SHARE, MARGIN, TIES = 0.54, 1.5, 0.06


def played(random, repeats, *, stronger=0.0):
    """Games on rings that are played so many times each, with rings that favour a seat, and rings that make for ties.

    In every other game on a ring the stronger agent sits at seat 0.
    """
    ring = np.repeat(np.arange(len(repeats)), repeats)
    favour = random.uniform(-1, 1, size=len(repeats))[ring]
    order = np.where(np.arange(len(ring)) % 2 == 0, 1, -1)
    won = random.random(len(ring)) < SHARE + 0.25 * favour + 0.2 * stronger * order
    margin = MARGIN + 8 * favour + 6 * stronger * order + random.normal(0, 10, size=len(ring))
    tied = random.random(len(ring)) < TIES + 0.05 * favour
    scores = (20 + margin, np.full(len(ring), 20))
    return pd.DataFrame(dict(zip(NEEDED, (ring, np.where(won, 0, 1), tied, *scores), strict=True)))


PAIRINGS = {
    "a game a ring": (np.full(500, 1), 0.0),
    "mirrored pairs of unequal agents": (np.full(300, 2), 1.0),
    "rings:8": (np.full(200, 8), 0.0),
    "rings played 1 to 6 times": (np.arange(300) % 6 + 1, 0.0),
}


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_intervals_hold_the_truth_as_often_as_they_say(pairing, holds_as_it_says, repetitions):
    random = np.random.default_rng(2)
    repeats, stronger = PAIRINGS[pairing]
    held = []
    for _ in range(repetitions):
        found = first_player(played(random, repeats, stronger=stronger))
        truths = {SHARE: found.share, MARGIN: found.margin, TIES: found.ties, SHARE - 0.5: found.advantage}
        held.append([low <= truth <= high for truth, (_, low, high) in truths.items()])
    holds_as_it_says(held)


def test_with_a_game_a_ring_the_share_is_that_of_independent_games():
    games = played(np.random.default_rng(3), np.full(1000, 1))
    found = first_player(games)
    assert found.share == pytest.approx(share(int((games["winner"] == 0).sum()), 1000))
    assert found.ties == pytest.approx(share(int(games["tie_broken"].sum()), 1000))
    assert (found.games, found.rings, round(found.design_effect, 9)) == (1000, 1000, 1)


def test_the_design_effect_says_how_much_games_on_a_ring_are_worth():
    games = played(np.random.default_rng(4), np.full(500, 1))
    twice = pd.concat([games, games])
    found = first_player(twice)
    assert (found.games, found.rings) == (1000, 500)
    assert found.design_effect == pytest.approx(2)
    assert found.share == pytest.approx(first_player(games).share)
    assert found.ties == pytest.approx(first_player(games).ties)
    half = (found.margin.high - found.margin.low, first_player(games).margin.high - first_player(games).margin.low)
    assert half[0] == pytest.approx(half[1])

    balanced = first_player(played(np.random.default_rng(4), np.full(500, 2), stronger=2.0))
    assert balanced.design_effect < 0.7


def test_seats_are_not_confused():
    games = played(np.random.default_rng(5), np.full(400, 1))
    found = first_player(games)
    swapped = {"winner": 1 - games["winner"], "score_0": games["score_1"], "score_1": games["score_0"]}
    other = first_player(games.assign(**swapped))
    assert found.share.share == pytest.approx(np.mean(games["winner"] == 0))
    assert other.share == pytest.approx((1 - found.share.share, 1 - found.share.high, 1 - found.share.low))
    assert other.margin == pytest.approx((-found.margin.value, -found.margin.high, -found.margin.low))
    assert other.ties == found.ties


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda games: games.iloc[:0], "the frame of games has no rows"),
        (lambda games: games.drop(columns="tie_broken"), "the frame of games has no column tie_broken; it needs ring"),
        (lambda games: games.assign(score_1=[1.0, None, 2.0]), "no value in column score_1 at row 1"),
        (lambda games: games.assign(winner=[0, 1, -1]), "winner of the games must be 0 or 1, the seat that won"),
        (lambda games: games.assign(ring_index=5), "games on 1 ring have no interval"),
    ],
)
def test_games_that_cannot_tell_are_refused(change, message):
    games = played(np.random.default_rng(6), np.full(3, 1))
    with pytest.raises(ValueError, match=message):
        first_player(change(games))
    with pytest.raises(ValueError, match="confidence must be between 0 and 1, not 95"):
        first_player(games, confidence=95)
