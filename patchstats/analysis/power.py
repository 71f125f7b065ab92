"""How many games a question takes, and what so many games can tell.

What is counted are units that tell nothing of each other: rings, with one game each, or mirrored pairs. Numbers of
units come from `units`, `games_for_share` and `units_for_equivalence`, and what they can tell from `detectable`.
"""

from __future__ import annotations

import math

from patchstats.analysis.checks import chance, positive


def units(difference: float, sd: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return how many units it takes to tell a mean from another that is so far away.

    With this power, the chance that the difference is found where it is there, and alpha, the chance that one is found
    where there is none, n = (z(1 - alpha/2) + z(power))^2 sd^2 / difference^2, z being quantiles of the normal
    distribution. Cohen, "Statistical Power Analysis for the Behavioral Sciences" (2nd ed. 1988); computed by
    statsmodels.stats.power.normal_sample_size_one_tail. `sd` is that of a unit: of the margin on a ring, of the mean of
    a mirrored pair, or of the paired difference of two runs.

    Raises ValueError for numbers that are not above 0, and for chances that are not between 0 and 1.

    >>> units(difference=0.25, sd=4.38)
    2410
    """
    from statsmodels.stats.power import normal_sample_size_one_tail

    positive(difference, "the difference")
    positive(sd, "the sd")
    needed = normal_sample_size_one_tail(difference, chance(power, "power"), chance(alpha, "alpha") / 2, std_null=sd)
    return max(1, math.ceil(float(needed)))


def design_effect(games_per_ring: int, icc: float) -> float:
    """Return how many games on rings that are played so often tell as much as one on a ring of its own.

    1 + (games_per_ring - 1) icc, where `icc` is how alike games on a ring go: see `ring_luck`. Kish, "Survey Sampling"
    (1965), chapter 5. Raises ValueError for less than a game a ring, and for an icc that is not from 0 to 1.

    >>> round(design_effect(50, 0.19), 2)
    10.31
    """
    if games_per_ring < 1:
        raise ValueError(f"a ring is played once or more, not {games_per_ring} times")
    if not 0 <= icc <= 1:
        raise ValueError(f"icc must be from 0 to 1, not {icc}")
    return 1 + (games_per_ring - 1) * icc


def games_for_share(
    difference: float, games_per_ring: int = 1, icc: float = 0.0, power: float = 0.8, alpha: float = 0.05
) -> int:
    """Return how many games it takes to tell a share of games from 1/2 that is so far from it.

    They are the `units` of the standard deviation 1/2, times the `design_effect`. Raises ValueError as both do, and for
    a difference above 1/2.

    >>> [games_for_share(points / 100) for points in (2, 1, 0.5, 0.25)]
    [4906, 19623, 78489, 313956]
    >>> games_for_share(0.01, games_per_ring=50, icc=0.19)
    202305
    """
    if difference > 0.5:
        raise ValueError(f"the difference of a share from 1/2 must be at most 0.5, not {difference}")
    return units(difference, math.sqrt(design_effect(games_per_ring, icc)) / 2, power, alpha)


def units_for_equivalence(margin: float, sd: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return how many units it takes to show that a mean is nearer to a number than a margin, where it is that number.

    n = (z(1 - alpha) + z(1 - (1 - power)/2))^2 sd^2 / margin^2 for the two one-sided tests of `equivalence`. Julious,
    "Sample sizes for clinical trials with normal data", Statistics in Medicine 23 (2004). Raises ValueError
    as `units` does.

    >>> [units_for_equivalence(points / 100, sd=0.5) for points in (1, 0.5)]
    [21410, 85639]
    """
    positive(margin, "the margin")
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha must be between 0 and 0.5, not {alpha}")
    return units(margin, sd, 1 - (1 - chance(power, "power")) / 2, 2 * alpha)


def detectable(number: int, sd: float, power: float = 0.8, alpha: float = 0.05) -> float:
    """Return how far a mean must be from another to be told from it by so many units: the inverse of `units`.

    (z(1 - alpha/2) + z(power)) sd / sqrt(n). Raises ValueError as `units` does.

    >>> round(detectable(78489, sd=0.5), 5)
    0.005
    """
    from scipy.stats import norm

    positive(number, "the number of units")
    quantiles = norm.ppf(1 - chance(alpha, "alpha") / 2) + norm.ppf(chance(power, "power"))
    return float(quantiles) * positive(sd, "the sd") / math.sqrt(number)
