"""How likely seat 0 is to win from a position, by what both seats have; and how good such a forecast is."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from patchstats.analysis.checks import columns, finite
from patchstats.analysis.clusters import mean_of, ring_numbers
from patchstats.analysis.estimate import share_of_rings
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    import pandas as pd

#: The columns of `positions` that a forecast is made from.
NEEDED = (
    "seat",
    "bonus",
    *(f"{name}_{seat}" for name in ("space", "buttons", "income", "empty", "holes") for seat in (0, 1)),
)

#: No forecast is nearer to 0 or 1 when its logarithm is taken.
_LEAST = 1e-9


@dataclass(frozen=True, slots=True)
class WinModel:
    """A fitted model of who wins, for games of the ruleset and of agents like those that it was fitted to.

    Attributes:
        ruleset: what is played.
        coefficients: of each column of `describe`, in log-odds that seat 0 wins.
    """

    ruleset: Ruleset
    coefficients: pd.Series[float]

    def predict(self, positions: pd.DataFrame) -> pd.Series[float]:
        """Return the probability that seat 0 wins from each position. Raises ValueError as `describe` does."""
        import pandas as pd
        from scipy.special import expit

        described = describe(positions, self.ruleset)
        odds = described.to_numpy() @ self.coefficients[described.columns].to_numpy()
        return pd.Series(expit(odds), positions.index, name="probability")


def describe(positions: pd.DataFrame, ruleset: Ruleset) -> pd.DataFrame:
    """Return what the model looks at, a column each, of positions as `positions.positions` returns them.

    With t the share of the track that both tokens together still have before them: seat 0 less seat 1 of buttons, of
    income times the marks ahead, of empty cells, of holes, of spaces ahead and of the bonus, each by itself and times
    t; whose turn it is, by itself and times t; and by how many points seat 0 would win if nobody did anything more but
    go on, over the root of t. The last is how sure a lead is when what is still to come is a random walk: Stern, "A
    Brownian motion model for the progress of sports scores", JASA 89 (1994).

    Raises ValueError when there are no rows or a column is missing.
    """
    import pandas as pd

    there = columns(positions, NEEDED, "positions").astype(float)
    marks = np.array(ruleset.income_marks)
    ahead = [(marks > there[f"space_{seat}"].to_numpy()[:, None]).sum(axis=1) for seat in (0, 1)]
    left = 1 - (there["space_0"] + there["space_1"]) / (2 * ruleset.finish)
    differences = {
        "buttons": there["buttons_0"] - there["buttons_1"],
        "income": there["income_0"] * ahead[0] - there["income_1"] * ahead[1],
        "empty": there["empty_0"] - there["empty_1"],
        "holes": there["holes_0"] - there["holes_1"],
        "spaces": there["space_1"] - there["space_0"],
        "bonus": there["bonus"],
        "turn": 1 - 2 * there["seat"],
    }
    lead = (
        differences["buttons"]
        + differences["income"]
        + differences["spaces"]  # an advance is a button a space
        - ruleset.empty_cell_penalty * differences["empty"]
        + ruleset.bonus_points * differences["bonus"]
    )
    found = {"constant": pd.Series(1.0, there.index), "lead": lead / np.sqrt(left + 1 / ruleset.finish)}
    for name, difference in differences.items():
        found |= {name: difference, f"{name} t": difference * left}
    return pd.DataFrame(found)


def fit_win_model(positions: pd.DataFrame, ruleset: Ruleset) -> WinModel:
    """Fit the model to positions of finished games: a logistic regression of who won on `describe`.

    McCullagh and Nelder, "Generalized Linear Models" (2nd ed. 1989), chapter 4; of positions of games, Stern (1994),
    see `describe`. All positions of a game share its winner, so that the model is to be judged by games on other rings:
    `held_out` and `judge`. `positions` also has the column winner. Raises ValueError when all games were won by one
    seat, and for too few positions.
    """
    import pandas as pd
    from statsmodels.discrete.discrete_model import Logit
    from statsmodels.tools.sm_exceptions import ConvergenceWarning, PerfectSeparationWarning

    won = (columns(positions, ("winner",), "positions")["winner"] == 0).to_numpy(dtype=float)
    described = describe(positions, ruleset)
    if won.min() == won.max():
        raise ValueError(f"seat {int(1 - won[0])} won all games of these positions; give games that both seats won")
    scale = np.maximum(described.abs().max().to_numpy(), 1.0)
    scaled = described.to_numpy() / scale
    if np.linalg.matrix_rank(scaled.T @ scaled / len(scaled)) < scaled.shape[1]:
        raise ValueError(f"{len(described)} positions are too few or too alike for the model; give more games")
    with warnings.catch_warnings():
        for useless in (PerfectSeparationWarning, ConvergenceWarning):
            warnings.simplefilter("error", useless)
        try:
            fitted = Logit(won, scaled).fit(disp=False)
        except (PerfectSeparationWarning, ConvergenceWarning, np.linalg.LinAlgError):
            raise ValueError(f"{len(described)} positions are too few for the model; give more games") from None
    return WinModel(ruleset, pd.Series(fitted.params / scale, described.columns))


def held_out(positions: pd.DataFrame, ruleset: Ruleset, folds: int = 5) -> pd.Series[float]:
    """Return the probability that seat 0 wins from each position, by a model fitted to games on other rings.

    Cross-validation: rings are split into so many parts, and each part is foretold by the model fitted to the others.
    Stone, "Cross-validatory choice and assessment of statistical predictions", Journal of the Royal Statistical Society
    B 36 (1974). `positions` also has the columns ring_index and winner. Raises ValueError as `fit_win_model` does, and
    for fewer rings than parts.
    """
    import pandas as pd

    ring = ring_numbers(columns(positions, ("ring_index",), "positions")["ring_index"])
    if not 2 <= folds <= ring.max() + 1:
        raise ValueError(f"{ring.max() + 1} rings cannot be split into {folds} parts; give from 2 parts to one a ring")
    found = pd.Series(np.nan, positions.index, name="probability")
    for part in range(folds):
        here = ring % folds == part
        found[here] = fit_win_model(positions[~here], ruleset).predict(positions[here])
    return found


@dataclass(frozen=True, slots=True)
class Judged:
    """How good forecasts are.

    Attributes:
        scores: `estimate`, `low` and `high` of `brier`, `skill` and `log_loss`.
        calibration_error: how far forecasts are from shares, on average: 0 is best.
        reliability: for each tenth of the probabilities that were forecast: `n`, the mean `forecast`, and the
            `share` that was won, with `low` and `high`.
    """

    scores: pd.DataFrame
    calibration_error: float
    reliability: pd.DataFrame


def judge(probability: ArrayLike, won: ArrayLike, rings: ArrayLike, bins: int = 10, confidence: float = 0.95) -> Judged:
    """Return how good forecasts of who wins are, made for positions of games on rings that they were not fitted to.

    With p the forecast and y 1 for a win, else 0: `brier` is the mean of (p - y)^2: Brier, "Verification of forecasts
    expressed in terms of probability", Monthly Weather Review 78 (1950). `skill` is 1 less the ratio of it to that of
    always saying the share of wins: 1 is perfect, and 0 no better than that: Murphy, "A new vector partition of the
    probability score", Journal of Applied Meteorology 12 (1973). `log_loss` is the mean of -log of what was given to
    what happened: Good, "Rational decisions", Journal of the Royal Statistical Society B 14 (1952). Their intervals:
    `clusters.mean_of`, that of skill being one of a ratio. The calibration error is the mean over forecasts of how far
    the mean forecast of their bin, of `bins` of equal width, is from the share won there; it is never below 0, and
    above it by chance, so that it has no interval: Naeini, Cooper and Hauskrecht, "Obtaining well calibrated
    probabilities using Bayesian binning", AAAI 2015. Shares of bins: `estimate.share_of_rings`; bins of a single ring
    have no interval.

    Raises ValueError for forecasts that are not from 0 to 1, for outcomes but 0 and 1, and where all are the same.

    >>> found = judge([0.9, 0.8, 0.3, 0.2, 0.6, 0.4], [1, 1, 0, 0, 0, 1], rings=range(6), bins=2)
    >>> found.scores["estimate"].round(3).to_dict(), round(found.calibration_error, 3)
    ({'brier': 0.15, 'skill': 0.4, 'log_loss': 0.457}, 0.067)
    """
    import pandas as pd

    p, y, ring = finite(probability, "the forecasts"), finite(won, "the outcomes"), np.asarray(rings)
    if (p < 0).any() or (p > 1).any():
        raise ValueError(f"forecasts must be from 0 to 1, not {p[(p < 0) | (p > 1)][0]}")
    if not np.isin(y, (0, 1)).all() or y.min() == y.max():
        raise ValueError("outcomes must be 0 or 1, and both must occur")
    squares, usual = (p - y) ** 2, (y.mean() - y) ** 2
    brier = mean_of(squares, ring, confidence=confidence)
    ratio = mean_of(squares / usual, ring, weights=usual, confidence=confidence)
    lost = mean_of(-np.log(np.maximum(np.where(y == 1, p, 1 - p), _LEAST)), ring, confidence=confidence)
    rows = {
        "brier": brier[["estimate", "low", "high"]].to_list(),
        "skill": (1 - ratio[["estimate", "high", "low"]]).to_list(),
        "log_loss": lost[["estimate", "low", "high"]].to_list(),
    }
    place = np.minimum((p * bins).astype(np.int64), bins - 1)
    table = []
    for one in np.unique(place):
        here = place == one
        share, low, high = share_of_rings(y[here], ring[here], confidence)
        if len(np.unique(ring[here])) < 2:
            low = high = np.nan
        table.append((one / bins, int(here.sum()), p[here].mean(), share, low, high))
    reliability = pd.DataFrame(table, columns=["from", "n", "forecast", "share", "low", "high"]).set_index("from")
    off = (reliability["forecast"] - reliability["share"]).abs()
    return Judged(
        pd.DataFrame.from_dict(rows, orient="index", columns=["estimate", "low", "high"]),
        float(np.average(off, weights=reliability["n"])),
        reliability,
    )
