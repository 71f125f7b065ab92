"""Whom a claim holds for: an effect summed up over agents, a grade, and how it goes with what agents are like."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from patchstats.analysis.checks import chance, finite
from patchstats.analysis.estimate import Estimate
from patchstats.analysis.shares import Share

if TYPE_CHECKING:
    import pandas as pd


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


@dataclass(frozen=True, slots=True)
class Slope:
    """How an effect goes with something that agents differ in.

    Attributes:
        slope: by how much the effect is greater where the covariate is greater by 1.
        constant: the effect where the covariate is 0, on the same line.
        spread: the standard deviation of the effect between agents about the line, tau.
        agents: how many agents.
    """

    slope: Estimate
    constant: float
    spread: float
    agents: int

    def at(self, covariate: float) -> float:
        """Return the effect on the line.

        >>> Slope(Estimate(2, 1, 3), constant=1, spread=0, agents=5).at(3)
        7
        """
        return self.constant + self.slope.value * covariate


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
    values, variances = _values(effects, confidence)
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


def slope(effects: Mapping[str, Estimate | Share], covariate: Mapping[str, float], confidence: float = 0.95) -> Slope:
    """Return how an effect goes with a number that each agent has: its strength, or 1 for one style and 0 for others.

    A meta-regression: the effects of agents are normal about a line, with a variance tau^2 that is such that the
    weighted sum of squares about it is k - 2 for k agents, each weighing 1/(its own variance + tau^2), or 0 where that
    sum is smaller without it: Paule and Mandel's estimate with a covariate, DerSimonian and Kacker, Contemporary
    Clinical Trials 28 (2007). The line is that of statsmodels' weighted least squares, whose interval of the slope is
    Student's for k - 2 degrees of freedom: Knapp and Hartung, "Improved tests for a random effects meta-regression with
    a single covariate", Statistics in Medicine 22 (2003). The covariate counts as known without an error. It is a
    comparison of agents that differ in other things, too, and so no effect of what they differ in.

    Args:
        effects: the effect of each agent, as `pooled` takes them.
        covariate: a number for each of these agents; other agents are not looked at.
        confidence: that of the effects' intervals, and of the slope's.

    Raises ValueError as `pooled` does, for fewer than four agents, for one without a covariate, and for a covariate
    that is the same for all.

    >>> effects = {agent: Estimate(value, value - 1, value + 1) for agent, value in zip("abcde", (1, 4, 5, 6, 9))}
    >>> found = slope(effects, dict(zip("abcde", range(5))))
    >>> print(f"{found.slope:+.2f}, {found.at(0):.1f} at 0, {found.spread:.2f}")
    +1.80 [+1.07, +2.53], 1.4 at 0, 0.52
    """
    from statsmodels.regression.linear_model import WLS

    if len(effects) < 4:
        raise ValueError(f"a slope is of 4 agents or more, not {len(effects)}")
    missing = [agent for agent in effects if agent not in covariate]
    if missing:
        raise ValueError(f"there is no covariate of {missing[0]}; there are those of {list(covariate)}")
    values, variances = _values(effects, confidence)
    along = finite([covariate[agent] for agent in effects], "the covariates")
    if np.ptp(along) == 0:
        raise ValueError(f"the covariate is {along[0]:g} for all agents; there is no slope without a difference")
    design = np.column_stack([np.ones(len(along)), along])

    def fitted(spread: float) -> Any:
        return WLS(values, design, weights=1 / (variances + spread**2)).fit()

    spread = _root(lambda tau: float(fitted(tau).scale) - 1, float(np.ptp(values)))
    line = fitted(spread)
    ends = line.conf_int(alpha=1 - confidence)[1]
    return Slope(
        slope=Estimate(float(line.params[1]), float(ends[0]), float(ends[1])),
        constant=float(line.params[0]),
        spread=spread,
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


def graded(
    claims: Mapping[str, Mapping[str, Estimate | Share]],
    skilled: Collection[str],
    naive: str = "random",
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return what becomes of several claims: a row for each, whom it holds for, and what play without skill says of it.

    A claim is that an effect is above 0; its effects are those of agents, by their names. Of the skilled agents those
    count that have an effect. Columns:

    - `verdict`: `holds` where the grade is A or B and the mean above 0; `depends` where the grade is C; `withdrawn`
      where it is D, or A or B with a mean below 0, so that the opposite holds;
    - `grade`: that of `grade`;
    - `mean`, `low`, `high`, `tau`, `another_low` and `another_high`: those of `pooled`, in the unit of the effect;
    - `alike` of `agents`: how many of the skilled agents have an effect above 0, and how many have one at all;
    - `naive`: what the agent `naive` says: `the same` as the claim, `the opposite`, or `nothing`, where its interval
      holds 0; empty where it has no effect.

    Raises ValueError as `grade` does, naming the claim, and where there is no claim.

    >>> effects = {agent: Estimate(value, value - 1, value + 1) for agent, value in zip("abcd", (3, 4, 3, 2.8))}
    >>> found = graded({"it helps": {"random": Estimate(-2, -3, -1), **effects}}, skilled="abcd")
    >>> found.loc["it helps", ["verdict", "grade", "naive"]].to_list()
    ['holds', 'A', 'the opposite']
    """
    import pandas as pd

    if not claims:
        raise ValueError("there is no claim to grade")
    said = {1: "the same", -1: "the opposite", 0: "nothing"}
    rows = {}
    for claim, effects in claims.items():
        theirs = {agent: effects[agent] for agent in skilled if agent in effects}
        try:
            found, letter = pooled(theirs, confidence), grade(theirs, theirs, confidence)
        except ValueError as error:
            raise ValueError(f"{claim}: {error}") from None
        standing = "holds" if found.mean.value > 0 else "withdrawn"
        rows[claim] = {
            "verdict": {"C": "depends", "D": "withdrawn"}.get(letter, standing),
            "grade": letter,
            **found.mean._asdict(),
            "tau": found.spread.value,
            "another_low": found.another.low,
            "another_high": found.another.high,
            "alike": sum(value > 0 for value, _, _ in theirs.values()),
            "agents": len(theirs),
            "naive": said[_side(effects[naive])] if naive in effects else "",
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("claim")
    return table.rename(columns={"value": "mean"})


def _values(
    effects: Mapping[str, Estimate | Share], confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The effects, and their variances as their intervals tell them."""
    quantile = NormalDist().inv_cdf(0.5 + chance(confidence, "confidence") / 2)
    for agent, (value, low, high) in effects.items():
        if not (np.isfinite([value, low, high]).all() and low < high):
            raise ValueError(f"the effect of {agent} must have an interval with a width, not {value} [{low}, {high}]")
    values, lows, highs = np.array(list(effects.values()), dtype=np.float64).T
    return values, ((highs - lows) / (2 * quantile)) ** 2


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
    from scipy.stats import chi2

    def at(quantile: float) -> float:
        most = float(np.sqrt(np.sum((values - values.mean()) ** 2) / quantile))  # with no variance it would be there
        return _root(lambda spread: _squares(spread, values, variances) - quantile, most)

    low, high = chi2.ppf([0.5 - confidence / 2, 0.5 + confidence / 2], len(values) - 1)
    return at(high), at(low)


def _root(above: Callable[[float], float], most: float) -> float:
    """The spread between agents, from 0 to the most, at which what falls with it gets to 0; 0 where it is below."""
    from scipy.optimize import brentq

    return float(brentq(above, 0, most)) if above(0) > 0 else 0.0
