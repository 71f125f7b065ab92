"""A number with its interval, and means and shares of games whose unit is the ring."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from patchstats.analysis.checks import chance, finite
from patchstats.analysis.shares import Share, share

_Array = NDArray[np.float64]


class Estimate(NamedTuple):
    """A number with the ends of its interval.

    >>> print(Estimate(151.4, 130.9, 170.1), f"{Estimate(0.53, 0.11, 0.95):+.2f}")
    +151 [+131, +170] +0.53 [+0.11, +0.95]
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self:+.0f}"

    def __format__(self, spec: str) -> str:
        return f"{self.value:{spec}} [{self.low:{spec}}, {self.high:{spec}}]" if spec else str(self)


class Mean(NamedTuple):
    """A mean of games with its standard error and degrees of freedom, from which come its intervals and tests."""

    value: float
    error: float
    freedom: int

    def interval(self, confidence: float = 0.95) -> Estimate:
        """Return the mean with Student's interval. Raises ValueError for a confidence that is not between 0 and 1.

        >>> print(f"{Mean(1.0, 0.5, 99).interval():.2f}")
        1.00 [0.01, 1.99]
        """
        from scipy.stats import t

        half = float(t.ppf(0.5 + chance(confidence, "confidence") / 2, self.freedom)) * self.error
        return Estimate(self.value, self.value - half, self.value + half)


def mean_by_ring(values: ArrayLike, rings: ArrayLike) -> Mean:
    """Return the mean of games, of which those on the same ring may go alike; `rings` tells the ring of each.

    With m the mean of n games on G rings, its variance is G/(G - 1) times the sum over rings of the square of the sum
    of x - m on the ring, over n^2; it has G - 1 degrees of freedom. Cameron and Miller, "A practitioner's guide to
    cluster-robust inference", Journal of Human Resources 50 (2015). With one game on each ring this is the mean of
    independent games. Raises ValueError for values that are no numbers, and for fewer than two rings.

    >>> print(f"{mean_by_ring([1, 1, 3, 3, 5, 5], [0, 0, 1, 1, 2, 2]).interval():.2f}")
    3.00 [-1.97, 7.97]
    """
    from statsmodels.regression.linear_model import OLS

    numbers, codes = _with_rings(values, rings)
    many = int(codes.max()) + 1
    if many < 2:
        raise ValueError("games on 1 ring have no interval; give games on 2 rings or more")
    off = numbers - numbers[0]  # so that equal ones have exactly no error
    fitted = OLS(off, np.ones(len(off))).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
    return Mean(float(numbers[0] + fitted.params[0]), float(fitted.bse[0]), many - 1)


def share_of_rings(held: ArrayLike, rings: ArrayLike, confidence: float = 0.95) -> Share:
    """Return the share of games in which something held, the unit being the ring; `rings` tells the ring of each game.

    The interval is Wilson's for the effective number of games, as in `share_by_ring`, whose share this is, and which
    needs rings that were played equally often; here they may be played unequally often. With s the successes of the k
    games on a ring and p the share of all n, the variance of p is the sum over rings of (s - p k)^2, over n^2, and the
    effective number of games p(1 - p) over that; where it is 0, each ring counts as one game. Kish, "Survey Sampling"
    (1965), section 8.2; Dean and Pagano, Journal of Survey Statistics and Methodology 3 (2015).

    >>> print(share_of_rings([True, False] * 500, range(1000)))
    50.0% [46.9%, 53.1%]
    >>> print(share_of_rings([True, True, False, False] * 250, [i // 2 for i in range(1000)]))
    50.0% [45.6%, 54.4%]
    """
    numbers, codes = _with_rings(held, rings)
    effective = effective_games(numbers, codes)
    return share(float(numbers.mean()) * effective, effective, confidence)


def effective_games(held: ArrayLike, rings: ArrayLike) -> float:
    """Return how many games on rings of their own would tell as much of a share as these: see `share_of_rings`.

    The design effect is the number of games over it.

    >>> effective_games([1, 1, 0, 0], [7, 7, 8, 8])
    2.0
    """
    numbers, codes = _with_rings(held, rings)
    if not np.isin(numbers, (0, 1)).all():
        raise ValueError("a share is of games in which something held or did not: give True or False, or 1 or 0")
    played = np.bincount(codes)
    won = np.bincount(codes, weights=numbers).astype(np.int64)
    games, wins = int(played.sum()), int(won.sum())
    off = (won * games - wins * played).astype(np.float64)  # n(s - p k), a whole number, so that 0 is exactly 0
    between = float(np.sum((off / games) ** 2))
    return wins * (games - wins) / between if between > 0 else float(len(played))


def ring_means(values: ArrayLike, rings: ArrayLike) -> _Array:
    """Return the mean of the games on each ring, in the order in which the rings first come.

    >>> ring_means([1, 0, 1, 1], [7, 7, 3, 3]).tolist()
    [0.5, 1.0]
    """
    numbers, codes = _with_rings(values, rings)
    _, first = np.unique(codes, return_index=True)
    means: _Array = np.bincount(codes, weights=numbers) / np.bincount(codes)
    return means[np.argsort(first)]


def _with_rings(values: ArrayLike, rings: ArrayLike) -> tuple[_Array, NDArray[Any]]:
    """The values of games, and their rings numbered from 0."""
    numbers = finite(values, "the values of games")
    of = np.asarray(rings)
    if of.shape != numbers.shape:
        raise ValueError(f"each game needs its ring; there are {len(numbers)} games and rings of shape {of.shape}")
    _, codes = np.unique(of, return_inverse=True)
    return numbers, codes
