"""Shares of games and their intervals."""

from __future__ import annotations

from typing import NamedTuple

from scipy.stats import binomtest


class Share(NamedTuple):
    """A share with the ends of its interval, each between 0 and 1."""

    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.share:.1%} [{self.low:.1%}, {self.high:.1%}]"


def share(successes: int, games: int, confidence: float = 0.95) -> Share:
    """Return the share of games that succeeded, with Wilson's interval.

    The games must be independent: of runs that repeat rings, count rings and not games. Wilson, "Probable inference,
    the law of succession, and statistical inference", JASA 22 (1927); computed by scipy. Raises ValueError when `games`
    is 0 or smaller than `successes`.

    >>> print(share(489, 1000))
    48.9% [45.8%, 52.0%]
    """
    interval = binomtest(successes, games).proportion_ci(confidence, method="wilson")
    return Share(successes / games, float(interval.low), float(interval.high))
