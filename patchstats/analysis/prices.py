"""Whether the price list is consistent: what patches cost, by what they are. No game is needed for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from patchstats.analysis.checks import chance, columns
from patchstats.rules import Ruleset
from patchstats.rules.shapes import Shape

if TYPE_CHECKING:
    import pandas as pd

#: The columns of `price_list` that a price may depend on.
TRAITS = ("size", "income", "time", "perimeter")


@dataclass(frozen=True, slots=True)
class Hedonic:
    """What a list of prices pays for each trait of a patch.

    Attributes:
        coefficients: in buttons, a row for the constant and each trait: `estimate`, `error` (the standard error),
            `low`, `high` and `p_value`.
        residuals: what each patch costs more than its traits explain, in buttons.
        r2: the share of the variance of costs that is explained.
        adjusted_r2: the same, corrected for the number of traits.
        left_out_r2: the same of costs foretold from the other patches.
        rmse: the standard deviation of the residuals, in buttons, the coefficients being taken off their number.
    """

    coefficients: pd.DataFrame
    residuals: pd.Series[float]
    r2: float
    adjusted_r2: float
    left_out_r2: float
    rmse: float


def price_list(ruleset: Ruleset) -> pd.DataFrame:
    """Return a row for each patch of a ruleset: `cost`, `size`, `income`, `time` and `perimeter`, by its id.

    >>> price_list(Ruleset.load("original")).loc["p21"].to_dict()
    {'cost': 0, 'size': 6, 'income': 1, 'time': 3, 'perimeter': 14}
    """
    import pandas as pd

    rows = {
        patch.id: (patch.cost, patch.size, patch.income, patch.time, perimeter(patch.shape))
        for patch in ruleset.patches
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=["cost", *TRAITS]).rename_axis("patch")


def perimeter(shape: Shape) -> int:
    """Return how many sides of its cells a shape does not share with another of its cells.

    >>> perimeter(frozenset({(0, 0), (0, 1)}))
    6
    """
    shared = sum(((row + 1, column) in shape) + ((row, column + 1) in shape) for row, column in shape)
    return 4 * len(shape) - 2 * shared


def hedonic(
    prices: pd.DataFrame,
    traits: tuple[str, ...] = ("size", "income", "time"),
    *,
    each_income: bool = False,
    confidence: float = 0.95,
) -> Hedonic:
    """Return what a list of prices pays for each trait: a least squares regression of cost on traits.

    Rosen, "Hedonic prices and implicit markets", Journal of Political Economy 82 (1974). Unit: the patch. `error` is
    the usual standard error, for deviations that are alike everywhere; the interval allows that they are not: HC3,
    MacKinnon and White, "Some heteroskedasticity-consistent covariance matrix estimators with improved finite sample
    properties", Journal of Econometrics 29 (1985), with Student's quantile for the patches less the coefficients. It
    says how far the line would move if prices deviated from it anew; of what the prices of this list are it is no
    sample. `left_out_r2` is 1 less the sum of (e / (1 - h))^2, with e the residual and h the leverage of a patch, over
    the sum of squares of costs around their mean: Allen, "The relationship between variable selection and data
    augmentation and a method for prediction", Technometrics 16 (1974).

    Args:
        prices: as `price_list` returns them: a column `cost` and one for each trait.
        traits: what the cost may depend on.
        each_income: whether each income has a price of its own, above no income, not one a button.
        confidence: how often the intervals hold the truth.

    Raises ValueError for a column that is missing, for prices that are all the same, and for patches that do not tell
    the traits apart or are too few.

    >>> found = hedonic(price_list(Ruleset.load("original")))
    >>> round(found.r2, 3), found.coefficients["estimate"].round(3).to_dict()
    (0.784, {'constant': 3.436, 'size': 0.039, 'income': 3.463, 'time': -1.106})
    >>> found.residuals.round(2).nsmallest(1).to_dict()
    {'p21': -3.81}
    """
    import pandas as pd
    from statsmodels.regression.linear_model import OLS

    chance(confidence, "confidence")
    table = columns(prices, ("cost", *traits), "prices").astype(float)
    if table["cost"].nunique() == 1:
        raise ValueError(f"all patches cost {table['cost'].iloc[0]:g}; give prices that differ")
    design = table.drop(columns="cost")
    if each_income and "income" in design:
        levels = {f"income {level:g}": design["income"] == level for level in sorted(set(design["income"]))[1:]}
        design = pd.concat([design.drop(columns="income"), pd.DataFrame(levels).astype(float)], axis=1)
    design.insert(0, "constant", 1.0)
    if len(design) < design.shape[1] + 2 or np.linalg.matrix_rank(design) < design.shape[1]:
        names = ", ".join(design.columns[1:])
        raise ValueError(f"{len(design)} patches do not tell {names} apart; give more patches, or fewer traits")
    fitted = OLS(table["cost"], design).fit()
    robust = fitted.get_robustcov_results("HC3", use_t=True)
    ends = robust.conf_int(alpha=1 - confidence)
    found = {"estimate": fitted.params, "error": fitted.bse, "low": ends[:, 0], "high": ends[:, 1]}
    left_out = fitted.get_influence().resid_press
    around = float(fitted.centered_tss)
    return Hedonic(
        coefficients=pd.DataFrame({**found, "p_value": robust.pvalues}),
        residuals=fitted.resid.rename("residual"),
        r2=float(fitted.rsquared),
        adjusted_r2=float(fitted.rsquared_adj),
        left_out_r2=1 - float(np.sum(np.asarray(left_out) ** 2)) / around,
        rmse=float(np.sqrt(fitted.mse_resid)),
    )
