"""Two one-sided tests: whether a difference is too small to matter, or too large not to."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from patchstats.analysis.checks import positive
from patchstats.analysis.estimate import Estimate, mean_by_ring


@dataclass(frozen=True, slots=True)
class Equivalence:
    """What two one-sided tests say of a mean.

    Attributes:
        verdict: `equivalent`: nearer to `around` than `margin`; `different`: farther from it than `margin`;
            `undecided`: the games cannot tell.
        estimate: the mean with its interval, of 90 % if each test errs in 5 % of cases.
        p_value: the larger one of the two tests: how likely such games are where the mean is `margin` away.
        around: what the mean was compared with.
        margin: the smallest distance that matters.
    """

    verdict: str
    estimate: Estimate
    p_value: float
    around: float
    margin: float


def equivalence(
    values: ArrayLike, rings: ArrayLike, margin: float, *, around: float = 0.0, alpha: float = 0.05
) -> Equivalence:
    """Test whether a mean of games differs from a number by less than a margin, the unit being the ring.

    `values` are one a game: differences between two runs, or 1 and 0 for a share, for which `around` is mostly 0.5;
    `rings` tells the ring of each. With m the mean less `around`, e its standard error by `mean_by_ring` and d the
    margin, the two tests are Student's: whether (m + d) / e is above 0, and (m - d) / e below it. If both say so, the
    verdict is `equivalent`, which is the same as the interval of 1 - 2 alpha lying between -d and d: Schuirmann, "A
    comparison of the two one-sided tests procedure and the power approach", Journal of Pharmacokinetics and
    Biopharmaceutics 15 (1987); Lakens, "Equivalence tests", Social Psychological and Personality Science 8 (2017). If
    that interval lies wholly beyond d on one side, the verdict is `different`. Each of the two verdicts is wrong at
    most as often as alpha says. A mean that is surely not `around`, but maybe nearer to it than the margin, is
    `undecided` or even `equivalent`: the margin says what matters.

    Raises ValueError as `mean_by_ring` does, for a margin that is not above 0, and for an alpha that is not between 0
    and 0.5.

    >>> found = equivalence([1, 0] * 5000, range(10000), margin=0.01, around=0.5)
    >>> found.verdict, round(found.p_value, 4), f"{found.estimate:.3f}"
    ('equivalent', 0.0228, '0.500 [0.492, 0.508]')
    """
    from scipy.stats import t

    positive(margin, "the margin")
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha must be between 0 and 0.5, not {alpha}")
    mean = mean_by_ring(values, rings)
    estimate = mean.interval(1 - 2 * alpha)
    low, high = around - margin, around + margin
    if mean.error == 0:  # every ring gave the same
        p_value = float(not low < mean.value < high)
    else:
        above = t.sf((mean.value - low) / mean.error, mean.freedom)
        below = t.cdf((mean.value - high) / mean.error, mean.freedom)
        p_value = float(max(above, below))
    if low < estimate.low and estimate.high < high:
        verdict = "equivalent"
    else:
        verdict = "different" if estimate.low > high or estimate.high < low else "undecided"
    return Equivalence(verdict, estimate, p_value, around, margin)
