"""Sequential tests of which agent is stronger: the generalised SPRT on the results of mirrored pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from patchstats.errors import RunError

#: No test ends before so many pairs: the variance within them, which it estimates, is uncertain till then.
LEAST_PAIRS = 30

#: What an outcome of pairs counts that did not occur, so that no mean is impossible; the value of fishtest.
_UNSEEN = 1e-3

#: Halvings of the interval in which a multiplier is looked for: to the last bit of a number.
_HALVINGS = 52

#: How many likelihood ratios are computed at a time.
_AT_A_TIME = 100_000

_SCORES = np.linspace(0.0, 1.0, 5)

_Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a test says.

    Attributes:
        accepted: `H0`, `H1`, or None as long as it cannot tell.
        pairs: after how many mirrored pairs it could, or how many there are.
        llr: the log-likelihood ratio then.
    """

    accepted: str | None
    pairs: int
    llr: float


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential probability ratio test of two strengths. Wald, "Sequential Analysis" (1947).

    H0 says that the first agent is `elo0` Elo points stronger than the second, H1 that it is `elo1`. `alpha` is how
    often H1 is accepted where H0 is true, `beta` the reverse; both hold about, and for strengths between the two no
    error is promised.

    Raises RunError for bounds that are not in order, and for chances that are not between 0 and 0.5.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        numbers = [self.elo0, self.elo1, self.alpha, self.beta]
        if any(isinstance(one, bool) or not isinstance(one, int | float) for one in numbers):
            raise RunError(f"a sequential test is of numbers, not {', '.join(map(repr, numbers))}")
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            raise RunError(
                f"a sequential test needs two strengths, the lower one first, from -1000 to 1000 Elo, such as 0,20; "
                f"not {self.elo0:g},{self.elo1:g}"
            )
        for name, chance in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < chance < 0.5:
                raise RunError(f"{name} must be between 0 and 0.5, not {chance:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted.

        >>> [round(bound, 2) for bound in Sprt(0, 20).bounds]
        [-2.94, 2.94]
        """
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def judge(self, results: ArrayLike) -> Verdict:
        """Return what the test says of pairs in the order in which they were played, looking at it after each.

        `results` are the half points of the first agent in each mirrored pair: 4 for both games won, 0 for both lost.
        What came after the pair with which the test ended changes nothing.

        >>> found = Sprt(0, 100).judge([4, 2, 0, 4, 2] * 40)
        >>> found.accepted, found.pairs, round(found.llr, 2)
        ('H1', 96, 3.07)
        """
        half_points = np.asarray(results, dtype=np.int64)
        seen = np.zeros(5)
        lower, upper = self.bounds
        last = 0.0
        for start in range(0, len(half_points), _AT_A_TIME):
            part = half_points[start : start + _AT_A_TIME]
            counts = seen + np.cumsum(part[:, None] == np.arange(5), axis=0)
            ratios = llr(counts, self.elo0, self.elo1)
            pairs = start + 1 + np.arange(len(part))
            [over] = np.nonzero((pairs >= LEAST_PAIRS) & ((ratios <= lower) | (ratios >= upper)))
            if len(over):
                ratio = float(ratios[over[0]])
                return Verdict("H1" if ratio > 0 else "H0", int(pairs[over[0]]), ratio)
            seen, last = counts[-1], float(ratios[-1])
        return Verdict(None, len(half_points), last)


def score_of(elo: float) -> float:
    """Return the share of points that so many Elo points more are worth.

    >>> score_of(0), round(score_of(400), 3)
    (0.5, 0.909)
    """
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of(score: float) -> float:
    """Return how many Elo points more a share of points is worth, the inverse of `score_of`; endless for 0 and 1.

    >>> elo_of(0.5), round(elo_of(10 / 11)), elo_of(1)
    (0.0, 400, inf)
    """
    if not 0 <= score <= 1:
        raise ValueError(f"a share of points is between 0 and 1, not {score}")
    if score in (0, 1):
        return math.inf if score else -math.inf
    return 400 * math.log10(score / (1 - score))


def llr(frequencies: ArrayLike, elo0: float, elo1: float) -> Any:
    """Return the generalised log-likelihood ratio of `elo1` to `elo0`, from how often pairs brought 0 to 4 half points.

    The five chances are unknown but for their mean, and are estimated by maximum likelihood under each of the two: with
    p(i) the share of pairs with the score a(i) = i/4, those of mean s are p(i) / (1 + x (a(i) - s)), x being such that
    their mean is s. Van den Bergh, "MLE for multinomial distributions with given expectation value" and "A practical
    introduction to the GSPRT", in use at fishtest, the testing site of Stockfish; the sequential test with unknown
    parameters is of Li, Liu and Ying, "Generalized sequential probability ratio test for separate families of
    hypotheses", Sequential Analysis 33 (2014). Outcomes that did not occur count a thousandth.

    `frequencies` has the five numbers along its last axis; the ratio has its other axes.

    >>> round(float(llr([20, 0, 50, 0, 30], 0, 50)), 3)
    0.818
    """
    counts = np.asarray(frequencies, dtype=float)
    counts = np.where(counts > 0, counts, _UNSEEN)
    parts = []
    for elo in (elo0, elo1):
        distances = _SCORES - score_of(elo)
        parts.append(np.log1p(_multiplier(counts, distances)[..., None] * distances))
    return np.sum(counts * (parts[0] - parts[1]), axis=-1)


def _multiplier(counts: _Array, distances: _Array) -> _Array:
    """The x with which the sum of p a / (1 + x a) is 0, which falls with x; every 1 + x a is positive in between."""
    low = np.full(counts.shape[:-1], -1 / distances.max())
    high = np.full(counts.shape[:-1], -1 / distances.min())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = np.sum(counts * distances / (1 + middle[..., None] * distances), axis=-1) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    found: _Array = (low + high) / 2
    return found
