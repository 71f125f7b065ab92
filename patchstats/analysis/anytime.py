"""Intervals that may be looked at while games are being played, as often as one likes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from patchstats.analysis.checks import chance, finite, positive

if TYPE_CHECKING:
    import pandas as pd

#: Halvings of the range in which a boundary is looked for: to the last bit of a number.
_HALVINGS = 52

_Array = NDArray[np.float64]


def anytime(
    means: ArrayLike,
    *,
    low: float = 0.0,
    high: float = 1.0,
    confidence: float = 0.95,
    narrowest_at: int = 1000,
    looks: ArrayLike | None = None,
) -> pd.DataFrame:
    """Return the mean after each ring with an interval; all intervals together hold the truth as often as they say.

    An interval of fixed size looked at after every ring misses the truth sooner or later. These may be looked at at any
    time, and games may stop because of what they show. `means` are those of the rings in the order in which they were
    played (see `ring_means`), or of mirrored pairs, or their differences, whose bounds must be known; nothing else is
    supposed of them but that rings tell nothing of each other.

    With the means scaled to 0 to 1, be S the sum of x - mu over the rings so far, and V that of (x - x')^2, where x' is
    the mean of those before and of 1/2, which counts once. Then exp(l S - V(-log(1 - l) - l)) is a supermartingale for
    every l from 0 to 1, and so is its mean over l with the density proportional to exp(r l) (1 - l)^(r - 1). By Ville's
    inequality it is ever above 2/alpha with the chance alpha/2 at most, so that S is bounded by where it is just that,
    and -S as well. Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform,
    nonparametric, nonasymptotic confidence sequences", Annals of Statistics 49 (2021): the empirical Bernstein one of
    theorem 4, with the gamma-exponential mixture, and r chosen as they say.

    Args:
        means: a number for each ring, from `low` to `high`.
        low: the least that a ring can be.
        high: the most.
        confidence: how often all intervals hold the truth.
        narrowest_at: after how many rings the interval is about as narrow as it can be; to be said beforehand.
        looks: after how many rings it is looked at, in rising order; by default after each.

    Returns a frame with the columns rings, mean, low and high. Raises ValueError for bounds that are not in order,
    means beyond them or missing, and looks that are not from 1 to the number of rings.

    >>> import numpy as np
    >>> won = np.random.default_rng(1).random(4000) < 0.53
    >>> print(anytime(won, looks=[100, 1000, 4000]).round(3).to_string(index=False))
     rings  mean   low  high
       100 0.520 0.300 0.740
      1000 0.538 0.487 0.589
      4000 0.535 0.510 0.561
    """
    import pandas as pd

    x = finite(means, "the means of rings")
    if not -math.inf < low < high < math.inf:
        raise ValueError(f"low must be less than high, and both finite; not {low} and {high}")
    if x.min() < low or x.max() > high:
        at = int(((x < low) | (x > high)).argmax())
        raise ValueError(f"the means of rings must be from {low} to {high}; at place {at} (from 0) there is {x[at]}")
    seen = np.arange(1, len(x) + 1) if looks is None else np.atleast_1d(np.asarray(looks, dtype=np.int64))
    if not len(seen) or seen.min() < 1 or seen.max() > len(x) or (np.diff(seen) <= 0).any():
        raise ValueError(f"looks must be numbers of rings from 1 to {len(x)}, each once, in rising order")
    error = (1 - chance(confidence, "confidence")) / 2
    x = (x - low) / (high - low)
    number = np.arange(1, len(x) + 1)
    sums = np.cumsum(x)
    before = (0.5 + sums - x) / number
    spread = np.cumsum((x - before) ** 2)
    rate = _rate(positive(narrowest_at, "narrowest_at") / 4, error)
    half = _boundary(spread[seen - 1], seen, error, rate) / seen
    mean = sums[seen - 1] / seen
    ends = {"mean": mean, "low": np.maximum(mean - half, 0), "high": np.minimum(mean + half, 1)}
    return pd.DataFrame({"rings": seen, **{name: low + (high - low) * end for name, end in ends.items()}})


def _rate(spread: float, error: float) -> float:
    """The r with which the boundary is narrowest at this V, by the approximation of Howard et al."""
    odds = 2 * math.log(1 / (2 * error))
    return spread / (odds + math.log1p(odds))


def _boundary(spread: _Array, number: NDArray[Any], error: float, rate: float) -> _Array:
    """The S at which the mixture is 1/error, for each V; at most the number of rings, which S cannot exceed."""
    low, high = np.zeros_like(spread), number.astype(np.float64)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = log_mixture(middle, spread, rate) > -math.log(error)
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return high


def log_mixture(total: ArrayLike, spread: ArrayLike, rate: float) -> Any:
    """Return the logarithm of the mean over l of exp(l S - V(-log(1 - l) - l)): see `anytime`.

    With a = V + r, b = S + V + r and P the regularised lower incomplete gamma function, the mixture is
    r^r / (Gamma(r) P(r, r)) times Gamma(a) P(a, b) / b^a times exp(S + V). It rises with S.

    >>> float(log_mixture(0, 0, 3))
    0.0
    """
    from scipy.special import gammainc, gammaln

    shape = np.asarray(spread, dtype=np.float64) + rate
    scale = np.asarray(total, dtype=np.float64) + shape
    constant = rate * math.log(rate) - gammaln(rate) - np.log(gammainc(rate, rate))
    return constant + gammaln(shape) + np.log(gammainc(shape, scale)) - shape * np.log(scale) + scale - rate
