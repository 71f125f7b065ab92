"""Whom a claim holds for: an effect summed up over agents, and a grade."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchstats.analysis.checks import chance
from patchstats.analysis.estimate import Estimate
from patchstats.analysis.shares import Share


@dataclass(frozen=True, slots=True)
class Pooled:
    """An effect over agents, each of which has an effect of its own.

    Attributes:
        mean: the mean effect over agents like these.
        spread: the standard deviation of the effect between agents, tau.
        i2: the share of the variance of the estimates that is between agents and not within them, 0 to 1.
        another: the mean, with the interval in which the effect of another agent like these is.
        agents: how many agents.
    """

    mean: Estimate
    spread: Estimate
    i2: float
    another: Estimate
    agents: int


def pooled(effects: Mapping[str, Estimate | Share], confidence: float = 0.95) -> Pooled:
    """Sum up an effect over agents: a random-effects model, in which their own effects are normal about their mean.

    The variance tau^2 between agents is Paule and Mandel's, with which the weighted sum of squares is k - 1 for k
    agents: Journal of Research of the National Bureau of Standards 87 (1982). The interval of the mean is Hartung and
    Knapp's with Student's t for k - 1 degrees of freedom: Statistics in Medicine 20 (2001). Both are computed by
    statsmodels.stats.meta_analysis.combine_effects. The interval of tau is that in which the sum of squares is between
    two quantiles of chi-square with k - 1 degrees of freedom: Viechtbauer, Statistics in Medicine 26 (2007). I^2 is
    1 - (k - 1)/Q: Higgins and Thompson, Statistics in Medicine 21 (2002). The effect of another agent lies within t
    sqrt(tau^2 + e^2) of the mean, e being its standard error 1/sqrt(sum of weights) and t of k - 2 degrees of freedom:
    Higgins, Thompson and Spiegelhalter, "A re-evaluation of random-effects meta-analysis", Journal of the Royal
    Statistical Society A 172 (2009). Where agents spread hardly more than their own errors, that one is too narrow.

    Args:
        effects: the effect of each agent, with an interval of the same confidence whose unit is the ring; half of its
            width over the normal quantile is taken for its standard error, so it must be of 30 rings or more.
        confidence: that of all intervals.

    Raises ValueError for fewer than three agents, and for an interval without a width.

    >>> found = pooled({"a": Estimate(3, 2, 4), "b": Estimate(5, 4, 6), "c": Estimate(4, 3, 5), "d": Estimate(2, 1, 3)})
    >>> print(f"{found.mean:+.1f}, {found.spread:.2f}, {found.i2:.0%}, {found.another:+.1f}")
    +3.5 [+1.4, +5.6], 1.19 [0.52, 4.79], 84%, +3.5 [-2.3, +9.3]
    """
    from scipy.stats import t
    from statsmodels.stats.meta_analysis import combine_effects

    if len(effects) < 3:
        raise ValueError(f"an effect is summed up over 3 agents or more, not {len(effects)}")
    quantile = NormalDist().inv_cdf(0.5 + chance(confidence, "confidence") / 2)
    for agent, (value, low, high) in effects.items():
        if not (np.isfinite([value, low, high]).all() and low < high):
            raise ValueError(f"the effect of {agent} must have an interval with a width, not {value} [{low}, {high}]")
    values, lows, highs = np.array(list(effects.values())).T
    variances = ((highs - lows) / (2 * quantile)) ** 2
    with np.errstate(divide="ignore"):  # it divides by Q, which is 0 where all effects are equal
        found = combine_effects(values, variances, method_re="pm", use_t=True)
    mean, tau = float(found.mean_effect_re), float(found.tau2) ** 0.5
    low, high = found.conf_int(alpha=1 - confidence)[3]
    squares = _squares(0, values, variances)
    half = float(t.ppf(0.5 + confidence / 2, len(effects) - 2)) * float(found.tau2 + found.var_eff_w_re) ** 0.5
    return Pooled(
        mean=Estimate(mean, float(low), float(high)),
        spread=Estimate(tau, *_ends_of_spread(values, variances, confidence)),
        i2=max(0.0, 1 - (len(effects) - 1) / squares) if squares > 0 else 0.0,
        another=Estimate(mean, mean - half, mean + half),
        agents=len(effects),
    )


def grade(effects: Mapping[str, Estimate | Share], skilled: Collection[str], confidence: float = 0.95) -> str:
    """Return how far a claim reaches that an effect is not 0: a letter from A, the farthest, to D.

    - A: it holds for every skilled agent, and for another one like them: each of their intervals lies on the same side
      of 0, and so does the interval of `pooled` for another agent.
    - B: it holds for skilled agents as a whole, but another one may differ: each of their intervals, or at least that
      of their mean, lies on one side of 0, and none of theirs on the other.
    - C: it depends on the agent: the interval of some skilled agent does not hold 0, but neither A nor B is true.
    - D: no skilled agent shows it, whatever the others do: each of their intervals, and that of their mean, hold 0.

    Raises ValueError as `pooled` does of the skilled agents, and for one without an effect.

    >>> effects = {agent: Estimate(value, value - 1, value + 1) for agent, value in zip("abcde", (3, 4, 3, 2.8, -3))}
    >>> grade(effects, skilled="abcd"), grade(effects, skilled="abcde")
    ('A', 'C')
    """
    unknown = [agent for agent in skilled if agent not in effects]
    if unknown:
        raise ValueError(f"there is no effect of {unknown[0]}; there are those of {', '.join(effects)}")
    theirs = {agent: effects[agent] for agent in skilled}
    found = pooled(theirs, confidence)
    sides = {_side(one) for one in theirs.values()}
    [each] = sides if len(sides) == 1 else {0}
    if each and _side(found.another) == each:
        return "A"
    whole = each or _side(found.mean)
    if whole and -whole not in sides:
        return "B"
    return "C" if sides - {0} else "D"


def _side(estimate: Estimate | Share) -> int:
    """1 where the interval lies above 0, -1 where it lies below, 0 where it holds 0."""
    _, low, high = estimate
    return int(low > 0) - int(high < 0)


def _squares(spread: float, values: NDArray[Any], variances: NDArray[Any]) -> float:
    """The weighted sum of squares about the weighted mean, with this tau; Q where tau is 0."""
    weights = 1 / (variances + spread**2)
    return float(np.sum(weights * (values - np.average(values, weights=weights)) ** 2))


def _ends_of_spread(values: NDArray[Any], variances: NDArray[Any], confidence: float) -> tuple[float, float]:
    """The two tau at which the weighted sum of squares is at the quantiles of chi-square; 0 where it never is."""
    from scipy.optimize import brentq
    from scipy.stats import chi2

    def at(quantile: float) -> float:
        if _squares(0, values, variances) <= quantile:
            return 0.0
        most = float(np.sqrt(np.sum((values - values.mean()) ** 2) / quantile))  # with no variance it would be there
        return float(brentq(lambda spread: _squares(spread, values, variances) - quantile, 0, most))

    low, high = chi2.ppf([0.5 - confidence / 2, 0.5 + confidence / 2], len(values) - 1)
    return at(high), at(low)
