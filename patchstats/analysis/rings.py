"""How much the ring decides: how far the chance of seat 0 differs between rings, from rings that were played often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from patchstats.analysis.checks import chance, columns
from patchstats.analysis.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd

#: How many numbers a bootstrap holds at a time.
_AT_A_TIME = 4_000_000

#: The smallest and the largest icc that a beta distribution is computed for: beyond, it is a point, or two.
_LEAST, _MOST = 1e-6, 1 - 1e-6


@dataclass(frozen=True, slots=True)
class RingLuck:
    """How far the chance of seat 0 differs between rings. The unit of all intervals is the ring.

    Attributes:
        icc: the correlation of two games on the same ring, which is the share of the variance that is between rings.
        sd: the standard deviation of the chance of seat 0 between rings.
        low: the chance that only 5 % of rings are below.
        high: the chance that only 5 % of rings are above.
        pie: how far the chance is from 1/2 on average: what a player gains over an even game by seeing the ring and
            then choosing the seat.
        games: how many games they are from.
        rings: how many rings those were played on.
    """

    icc: Estimate
    sd: Estimate
    low: Estimate
    high: Estimate
    pie: Estimate
    games: int
    rings: int


def ring_luck(games: pd.DataFrame, confidence: float = 0.95, resamples: int = 2000, seed: int = 0) -> RingLuck:
    """Return how far the chance of seat 0 to win differs between rings, each of which was played more than once.

    All games must be of the same agents at the same seats, most simply of an agent against itself, or the strength of
    the agents would count as luck; they are told apart by the ring alone, so all must be of one seed.

    What differs by chance between rings that are all alike is taken off: with MSB and MSW the mean squares between and
    within rings and K the size of a ring, the variance between rings is (MSB - MSW) / K, and the icc that over itself
    plus MSW. With n games, k of them on each of G rings, K is (n - sum of k^2 / n) / (G - 1):
    Ridout, Demetrio and Firth, "Estimating intraclass correlation for binary data", Biometrics 55 (1999). The icc may
    come out below 0, where the games on a ring balance each other; the others are then as if it were 0. The ends of the
    span and the gain of a pie rule are those of the beta distribution with this mean and icc, by which the wins on a
    ring are beta-binomial: Skellam, Journal of the Royal Statistical Society B 10 (1948). With I the chance that a beta
    variable with parameters a and b is above 1/2, and J that of a + 1 and b, the mean distance of the chance p from 1/2
    is 2 (p J - I/2) - (p - 1/2). The intervals are percentiles of a bootstrap of rings: Efron and Tibshirani, "An
    Introduction to the Bootstrap" (1993), chapter 13.

    Args:
        games: a row a game, with the columns ring_index and winner.
        confidence: how often the intervals hold the truth, from about 100 rings on.
        resamples: how many resamples of the rings are drawn.
        seed: that of the resamples; the same seed gives the same intervals.

    Raises ValueError for a frame without rows, with a column or a value missing, of a single ring or of rings that were
    played once each, and where the same seat won all games.

    >>> import pandas as pd
    >>> rings = [ring for ring in range(300) for _ in range(10)]
    >>> winners = [int(game >= won) for ring in range(100) for won in (2, 5, 8) for game in range(10)]
    >>> found = ring_luck(pd.DataFrame({"ring_index": rings, "winner": winners}))
    >>> [round(one.value, 2) for one in (found.icc, found.sd, found.pie)]
    [0.16, 0.2, 0.16]
    >>> found.icc.low < 0.16 < found.icc.high
    True
    """
    from scipy.stats import bootstrap

    chance(confidence, "confidence")
    if resamples < 1:
        raise ValueError(f"resamples must be 1 or more, not {resamples}")
    table = columns(games, ("ring_index", "winner"))
    if not table["winner"].isin((0, 1)).all():
        raise ValueError("the column winner of the games must be 0 or 1, the seat that won")
    by_ring = (table["winner"] == 0).groupby(table["ring_index"].to_numpy())
    won, played = by_ring.sum().to_numpy(dtype=np.float64), by_ring.size().to_numpy(dtype=np.float64)
    if len(won) < 2 or len(table) == len(won):
        raise ValueError(
            f"{len(table)} games on {len(won)} rings tell nothing of rings; play 2 rings or more twice each"
        )
    if won.sum() in (0, len(table)):
        raise ValueError("the same seat won all games, which tells nothing of how rings differ; give games of others")
    drawn = bootstrap(
        (won, played),
        _of_rings,
        paired=True,
        vectorized=True,
        n_resamples=resamples,
        batch=max(1, _AT_A_TIME // len(won)),
        confidence_level=confidence,
        method="percentile",
        random_state=np.random.default_rng(seed),
    )
    ends = drawn.confidence_interval
    icc, sd, low, high, pie = (
        Estimate(*map(float, numbers)) for numbers in zip(_of_rings(won, played), ends.low, ends.high, strict=True)
    )
    return RingLuck(icc, sd, low, high, pie, games=len(table), rings=len(won))


def _of_rings(won: NDArray[Any], played: NDArray[Any], axis: int = -1) -> NDArray[Any]:
    """The five numbers of `RingLuck`, from the games won and played on each ring, along an axis."""
    from scipy.special import betaincc, betaincinv

    games, wins = played.sum(axis), won.sum(axis)
    rings, squares = won.shape[axis], (won**2 / played).sum(axis)
    between = (squares - wins**2 / games) / (rings - 1)
    within = (wins - squares) / np.maximum(games - rings, 1)
    size = (games - (played**2).sum(axis) / games) / (rings - 1)
    variance = (between - within) / size
    whole = variance + within
    icc = np.where(whole > 0, variance / np.where(whole > 0, whole, 1), 0)
    mean = np.clip(wins / games, _LEAST, _MOST)
    within_bounds = np.clip(icc, _LEAST, _MOST)
    first = mean * (1 - within_bounds) / within_bounds
    second = (1 - mean) * (1 - within_bounds) / within_bounds
    pie = 2 * (mean * betaincc(first + 1, second, 0.5) - betaincc(first, second, 0.5) / 2) - (mean - 0.5)
    low, high = (betaincinv(first, second, end) for end in (0.05, 0.95))
    return np.array([icc, np.sqrt(np.maximum(variance, 0)), low, high, pie])
