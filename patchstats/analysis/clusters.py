"""Regressions whose unit is the ring, and what frames must hold for them.

All games on a ring may go alike, so that what is estimated from games, turns or offers is as certain as there are
rings. A mirrored pair is played on one ring, and is thereby one unit, too. `estimate` has means and shares.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from patchstats.analysis.checks import chance, columns, finite
from patchstats.analysis.estimate import effective_games, share_of_rings
from patchstats.analysis.multiplicity import adjusted

if TYPE_CHECKING:
    import pandas as pd


def regress(
    outcome: ArrayLike,
    design: pd.DataFrame,
    rings: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    logistic: bool = False,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return the coefficients of a regression of an outcome on the columns of a design, clustered by ring.

    Least squares, with `weights` if there are any, or with `logistic` maximum likelihood for an outcome of 0 and 1. The
    covariance is B (sum over rings of s s') B, with s the scores of a ring added up and B the inverse of the Hessian,
    times G/(G - 1) (n - 1)/(n - k) for k columns of n rows on G rings; intervals and p-values are Student's with
    G - 1 degrees of freedom. Liang and Zeger, "Longitudinal data analysis using generalized linear models", Biometrika
    73 (1986); Cameron and Miller, "A practitioner's guide to cluster-robust inference", Journal of Human Resources 50
    (2015). It takes some forty rings to hold what it promises, and as many on which a column is not 0.

    Returns a row for each column of the design: `estimate`, `low`, `high`, and `p_value` of the hypothesis that it is
    0. Raises ValueError for fewer than two rings, for columns that the rows do not tell apart, and for numbers that are
    not finite.

    >>> import pandas as pd
    >>> regress([1, 2, 3, 6], pd.DataFrame({"mean": [1.0] * 4}), rings=[0, 0, 1, 1]).round(2).loc["mean"].to_list()
    [3.0, -16.06, 22.06, 0.3]
    """
    import pandas as pd
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM
    from statsmodels.regression.linear_model import WLS
    from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

    y, x, groups = finite(outcome, "the outcomes"), design.to_numpy(dtype=float), ring_numbers(rings)
    chance(confidence, "confidence")
    if not len(y) == len(x) == len(groups):
        raise ValueError(f"{len(y)} outcomes, {len(x)} rows of the design and {len(groups)} rings do not match")
    for name, column in zip(design.columns, x.T, strict=True):
        finite(column, f"the column {name}")
    if np.linalg.matrix_rank(x) < x.shape[1]:
        names = ", ".join(map(str, design.columns))
        raise ValueError(f"{len(y)} rows do not tell {names} apart; give more games, or fewer columns")
    if logistic:
        model = GLM(y, x, family=Binomial())
    else:
        model = WLS(y, x, weights=1.0 if weights is None else finite(weights, "the weights"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", PerfectSeparationWarning)
        try:
            fitted = model.fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
        except PerfectSeparationWarning:
            raise ValueError(f"{len(y)} outcomes can be foretold without an error; give more games") from None
    ends = fitted.conf_int(alpha=1 - confidence)
    found = {"estimate": fitted.params, "low": ends[:, 0], "high": ends[:, 1], "p_value": fitted.pvalues}
    return pd.DataFrame(found, index=design.columns)


def mean_of(
    values: ArrayLike, rings: ArrayLike, *, weights: ArrayLike | None = None, confidence: float = 0.95
) -> pd.Series[float]:
    """Return the mean of values: `estimate`, `low`, `high`, and `p_value` of the hypothesis that it is 0.

    With weights w it is the ratio of the sums of w times the value and of w, as survey estimates are: Cochran,
    "Sampling Techniques" (3rd ed. 1977), section 6.3. It is the constant of `regress`.

    >>> mean_of([1, 2, 3, 6], rings=[0, 0, 1, 1]).round(2).to_dict()
    {'estimate': 3.0, 'low': -16.06, 'high': 22.06, 'p_value': 0.3}
    """
    import pandas as pd

    constant = pd.DataFrame({"mean": np.ones(len(np.asarray(values)))})
    return regress(values, constant, rings, weights=weights, confidence=confidence).iloc[0]


def share_row(held: ArrayLike, rings: ArrayLike, confidence: float = 0.95) -> dict[str, float]:
    """Return the share of games in which something held, as `estimate`, `low` and `high`, and `p_value` of one half.

    `estimate.share_of_rings` tells the interval. The test is the score test that Wilson's interval inverts, so that the
    p-value is below 5 % where the interval leaves out 50 %.

    >>> {name: round(value, 3) for name, value in share_row([1, 1, 0, 0, 1, 0], [0, 1, 2, 3, 4, 5]).items()}
    {'estimate': 0.5, 'low': 0.188, 'high': 0.812, 'p_value': 1.0}
    """
    from scipy.stats import norm

    ring_numbers(rings)
    found = share_of_rings(held, rings, confidence)
    p_value = 2 * float(norm.sf(abs(found.share - 0.5) * 2 * np.sqrt(effective_games(held, rings))))
    return {"estimate": found.share, "low": found.low, "high": found.high, "p_value": p_value}


def ring_numbers(rings: ArrayLike) -> NDArray[np.int64]:
    """Return rings numbered from 0. Raises ValueError when there are fewer than two.

    >>> ring_numbers([30, 10, 30])
    array([1, 0, 1])
    """
    known, numbers = np.unique(np.asarray(rings), return_inverse=True)
    if len(known) < 2:
        raise ValueError(f"the games were played on {len(known)} ring; give games on two, or better on forty or more")
    return np.asarray(numbers, dtype=np.int64)


def with_q(frame: pd.DataFrame) -> pd.DataFrame:
    """Add `q_value` to a frame with a `p_value` for each of many hypotheses: see `multiplicity.adjusted`.

    Rows without a p-value have no q-value, and do not count as hypotheses.

    >>> import pandas as pd
    >>> with_q(pd.DataFrame({"p_value": [0.01, 0.04, 0.5, None]}))["q_value"].to_list()
    [0.03, 0.06, 0.5, nan]
    """
    tested = frame["p_value"].notna()
    if not tested.any():
        return frame.assign(q_value=np.nan)
    return frame.assign(q_value=adjusted(frame[tested])["q_value"].reindex(frame.index))


def some_missing(frame: pd.DataFrame, names: tuple[str, ...], what: str) -> pd.DataFrame:
    """Return these columns of a frame like `checks.columns`, but values may be missing."""
    columns(frame[[name for name in names if name in frame]].notna(), names, what)
    return frame[list(names)]


def of_games(rows: pd.DataFrame, games: pd.DataFrame, names: tuple[str, ...]) -> pd.DataFrame:
    """Return columns of the games for each row of another table, by `game_index`.

    Raises ValueError for games that have the same number, as those of several runs do, and for rows of other games.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"game_index": [6, 7], "winner": [0, 1]})
    >>> of_games(pd.DataFrame({"game_index": [7, 7]}), games, ("winner",))
       winner
    0       1
    1       1
    """
    import pandas as pd

    known = columns(games, ("game_index", *names))
    numbers = pd.Index(known["game_index"])
    if not numbers.is_unique:
        number = known["game_index"][numbers.duplicated()].iloc[0]
        raise ValueError(f"there are several games {number}; give the games of one run at a time")
    place = numbers.get_indexer(pd.Index(rows["game_index"]))
    if (place < 0).any():
        missing: Any = rows["game_index"].to_numpy()[place < 0][0]
        raise ValueError(f"game {missing} is not among the games; give tables of the same run")
    found: pd.DataFrame = known[list(names)].iloc[place].set_axis(rows.index)
    return found
