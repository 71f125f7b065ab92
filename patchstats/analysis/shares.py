"""Shares of games and their intervals."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple


class Share(NamedTuple):
    """A share with the ends of its interval, each between 0 and 1."""

    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.share:.1%} [{self.low:.1%}, {self.high:.1%}]"


def share(successes: float, games: float, confidence: float = 0.95) -> Share:
    """Return the share of games that succeeded, with Wilson's interval.

    The games must be independent: of runs that repeat rings, use `share_by_ring`. With p the share of n games and z the
    normal quantile the interval is (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n). Wilson, "Probable
    inference, the law of succession, and statistical inference", JASA 22 (1927). Written out because scipy, which has
    it for whole numbers, takes a second to load. Raises ValueError when `games` is 0 or smaller than `successes`, and
    for a confidence that is not between 0 and 1.

    >>> print(share(489, 1000))
    48.9% [45.8%, 52.0%]
    """
    if not 0 <= successes <= games or games == 0:
        raise ValueError(f"{successes} successes of {games} games are no share")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    p = successes / games
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    middle = (p + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(p * (1 - p) / games + (z / (2 * games)) ** 2) / (1 + z * z / games)
    return Share(p, min(p, max(0.0, middle - half)), max(p, min(1.0, middle + half)))


def share_by_ring(games: int, successes: int, rings: int, squares: int, confidence: float = 0.95) -> Share:
    """Return the share of games that succeeded when each ring was played equally often; the ring is the unit.

    `squares` are the squares of the successes on each ring, added up. The interval is Wilson's for the effective number
    of games, which is the number of games divided by the design effect: the variance of the share between rings over
    that of as many independent games. Kish, "Survey Sampling" (1965), section 8.2; for Wilson's interval with it, Dean
    and Pagano, "Evaluating confidence interval methods for binomial proportions in clustered surveys", Journal of
    Survey Statistics and Methodology 3 (2015). Where every ring gave the same, each ring counts as one game.

    Raises ValueError as `share` does, and for numbers that no games give.

    >>> print(share_by_ring(games=2000, successes=978, rings=1000, squares=1956))
    48.9% [45.8%, 52.0%]
    >>> share_by_ring(1000, 489, 1000, 489) == share(489, 1000)
    True
    """
    if not (0 < rings <= games and successes <= squares and successes**2 <= squares * rings <= successes * games):
        raise ValueError(f"{successes} successes of {games} games on {rings} rings cannot have the squares {squares}")
    p = successes / games
    repeats = games / rings
    between = (squares / rings - (successes / rings) ** 2) / repeats**2
    effective = p * (1 - p) * rings / between if between > 0 else rings
    return share(p * effective, effective, confidence)
