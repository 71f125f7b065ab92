"""What a patch is worth to who holds it, or is the first to be offered it: three estimates from games.

The fourth, from what agents hold offers to be worth, is in `surplus`. All take one run, of agents of the same strength
or in mirrored pairs, and the ring is the unit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from patchstats.analysis.checks import columns
from patchstats.analysis.clusters import of_games, regress, ring_numbers, share_row, with_q

if TYPE_CHECKING:
    import pandas as pd

#: The penalties that `penalty_by_ring` tries.
PENALTIES = tuple(np.geomspace(0.1, 1e5, 13).round(1).tolist())

_SCORES = ("score_0", "score_1")


def confounded_holder_share(games: pd.DataFrame, patches: pd.DataFrame, confidence: float = 0.95) -> pd.DataFrame:
    """Return how often who bought each patch won: confounded, and no effect of the patch.

    The share of games won by the buyer among those in which anybody bought it. Who buys a patch chose it, could pay it
    and had room for it, so that part of the share is what the buyer had anyway. It is what players see; the same bias
    of the games-in-hand win rate of card games. Interval: `estimate.share_of_rings`; the p-value is that of one half.

    `games` has the columns game_index, ring_index and winner; `patches`, the table of `Run.patches`, has game_index,
    patch and seat. Returns a row a patch: `estimate`, `low`, `high`, `p_value`, `q_value` (see `multiplicity`) and `n`,
    the games in which it was bought; without an estimate where it was bought on fewer than two rings.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"game_index": range(8), "ring_index": range(8), "winner": [0, 0, 0, 1, 0, 1, 0, 0]})
    >>> patches = pd.DataFrame({"game_index": range(8), "patch": "p21", "seat": [0, 0, 0, 1, 0, 0, 1, -1]})
    >>> confounded_holder_share(games, patches).round(2).loc["p21"].to_dict()
    {'estimate': 0.71, 'low': 0.36, 'high': 0.92, 'p_value': 0.26, 'q_value': 0.26, 'n': 7.0}
    """
    rows = columns(patches, ("game_index", "patch", "seat"), "patches")
    game = of_games(rows, games, ("ring_index", "winner"))
    won = (game["winner"] == rows["seat"]).to_numpy()

    def of_rows(those: NDArray[np.intp]) -> Mapping[str, float]:
        return share_row(won[those], game["ring_index"].to_numpy()[those], confidence)

    return _by_patch(rows["patch"], (rows["seat"] >= 0).to_numpy(), game["ring_index"].to_numpy(), of_rows)


def holding_margins(
    games: pd.DataFrame, patches: pd.DataFrame, penalty: float | None = None, confidence: float = 0.95
) -> pd.DataFrame:
    """Return by how many points who holds each patch wins, all patches and the seat counted at once.

    A regression of the margin, score_0 - score_1, on a constant and on who holds which patch: 1 for seat 0, -1 for seat
    1, 0 for nobody. It takes off what the other patches of the same hands explain, and still not why they were bought.

    `ridge` minimises the squares of what is left plus `penalty` times the squares of the coefficients but the constant:
    Hoerl and Kennard, "Ridge regression", Technometrics 12 (1970); for who is on the field, Sill, "Improved NBA
    adjusted plus-minus using regularization and out-of-sample testing", MIT Sloan Sports Analytics Conference (2010).
    It is biased towards 0 to vary less, so that no interval around it holds the truth as often as it says; none is
    given. Without a penalty, that of `penalty_by_ring` is taken. `estimate`, `low`, `high`, `p_value` and `q_value` are
    of ordinary least squares, see `clusters.regress`.

    `games` has the columns game_index, ring_index, score_0 and score_1; `patches` has game_index, patch and seat, with
    a row for each patch of each game. Returns a row a patch, with `n` the games in which it was bought; without an
    estimate where it never was.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"game_index": range(6), "ring_index": range(6), "score_1": 3})
    >>> games["score_0"] = [9, 8, 2, 1, 5, 4]
    >>> patches = pd.DataFrame({"game_index": range(6), "patch": "p21", "seat": [0, 0, 1, 1, -1, -1]})
    >>> holding_margins(games, patches, penalty=4).round(2).loc["p21", ["ridge", "estimate", "n"]].to_list()
    [1.75, 3.5, 4.0]
    """
    import pandas as pd
    from statsmodels.regression.linear_model import OLS

    held, game = _held(games, patches)
    margin = _margin(game)
    best = penalty_by_ring(games, patches) if penalty is None else penalty
    if not 0 <= best < np.inf:
        raise ValueError(f"penalty must be a number from 0 on, not {best}")
    design = pd.concat([pd.Series(1.0, held.index, name="constant"), held], axis=1)
    ridge = OLS(margin, design.to_numpy()).fit_regularized(L1_wt=0, alpha=_alpha(best, design)).params
    found = regress(margin, design, game["ring_index"], confidence=confidence)
    found = with_q(found.assign(ridge=ridge, n=(held != 0).sum()).drop(index="constant"))
    names = pd.Index(patches["patch"].astype("category").cat.categories, name="patch")
    return found.reindex(names)[["ridge", "estimate", "low", "high", "p_value", "q_value", "n"]].fillna({"n": 0})


def penalty_by_ring(games: pd.DataFrame, patches: pd.DataFrame, folds: int = 5) -> float:
    """Return the penalty, one of PENALTIES, with which `ridge` foretells margins best on rings it was not fitted to.

    Cross-validation, all games of a ring being in the same part: Stone, "Cross-validatory choice and assessment of
    statistical predictions", Journal of the Royal Statistical Society B 36 (1974). See `holding_margins`.
    """
    from statsmodels.regression.linear_model import OLS

    held, game = _held(games, patches)
    part = ring_numbers(game["ring_index"]) % folds
    if part.max() + 1 < folds:
        raise ValueError(f"{part.max() + 1} rings cannot be split into {folds} parts; play more, or give a penalty")
    margin, design = _margin(game), np.column_stack([np.ones(len(held)), held.to_numpy()])
    lost = np.zeros(len(PENALTIES))
    for number in range(folds):
        left_out = part == number
        # The same squares in as many rows as columns, for which the ridge is quick.
        triangle = np.asarray(np.linalg.qr(np.column_stack([design, margin])[~left_out], mode="r"))
        fitted = OLS(triangle[:, -1], triangle[:, :-1])
        for place, penalty in enumerate(PENALTIES):
            found = fitted.fit_regularized(L1_wt=0, alpha=_alpha(penalty, fitted.exog)).params
            lost[place] += np.sum((margin[left_out] - design[left_out] @ found) ** 2)
    return float(PENALTIES[int(np.argmin(lost))])


def access_effect(
    games: pd.DataFrame,
    patches: pd.DataFrame,
    *,
    outcome: str = "win",
    offer_size: int = 3,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return what it changes for seat 0 that a patch is in the first offer of the game: causal, as rings are random.

    P(seat 0 wins | the patch is among the first `offer_size` of the ring) - P(seat 0 wins | it is not), or the same of
    the expected margin, score_0 - score_1. Which patches lie there is drawn by lot and nothing else, so that the
    difference is an effect: Neyman (1923), "On the application of probability theory to agricultural experiments",
    Statistical Science 5 (1990); Imbens and Rubin, "Causal Inference" (2015), chapter 7. It is the effect of being the
    first who may buy it, compared with the other patches that would lie there. Interval: least squares on
    a constant and the lot, with the covariance of `clusters.regress`.

    `games` has the columns game_index, ring_index and winner, or score_0 and score_1 for the margin; `patches` has
    game_index, patch and place. Returns a row a patch: `estimate`, `low`, `high`, `p_value`, `q_value` and `n`, the
    games with it in the first offer; without an estimate where there are no two rings with it or without it, as for the
    patch behind the neutral token, which always comes last. `outcome` is `win` or `margin`.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"game_index": range(8), "ring_index": range(8), "winner": [0, 0, 0, 1, 1, 1, 0, 1]})
    >>> patches = pd.DataFrame({"game_index": range(8), "patch": "p21", "place": [0, 1, 2, 2, 3, 8, 9, 4]})
    >>> access_effect(games, patches).round(2).loc["p21", ["estimate", "low", "high", "n"]].to_list()
    [0.5, -0.34, 1.34, 4.0]
    """
    import pandas as pd

    rows = columns(patches, ("game_index", "patch", "place"), "patches")
    if outcome not in ("win", "margin"):
        raise ValueError(f"outcome must be 'win' or 'margin', not {outcome!r}")
    game = of_games(rows, games, ("ring_index", *(("winner",) if outcome == "win" else _SCORES)))
    result = (game["winner"] == 0).to_numpy(dtype=float) if outcome == "win" else _margin(game)
    ring, first = game["ring_index"].to_numpy(), (rows["place"] < offer_size).to_numpy()

    def of_rows(those: NDArray[np.intp]) -> Mapping[str, float]:
        drawn = first[those]
        if min(len(np.unique(ring[those][drawn == one])) for one in (True, False)) < 2:
            return {"n": int(drawn.sum())}
        design = pd.DataFrame({"constant": 1.0, "first": drawn.astype(float)})
        found = regress(result[those], design, ring[those], confidence=confidence).loc["first"]
        return {**found, "n": int(drawn.sum())}

    return _by_patch(rows["patch"], np.ones(len(rows), dtype=bool), ring, of_rows)


def rank_correlations(estimates: Mapping[str, pd.Series[float]]) -> pd.DataFrame:
    """Return how alike several estimates order the patches: Spearman's correlation of each two, by their names.

    The correlation of the ranks, over the patches of which both have an estimate: Spearman, "The proof and measurement
    of association between two things", American Journal of Psychology 15 (1904). Raises ValueError for fewer than two
    estimates, or two that have fewer than three patches in common.

    >>> import pandas as pd
    >>> costs = {"a": pd.Series([1, 2, 3, 9]), "b": pd.Series([10, 20, 40, 30])}
    >>> rank_correlations(costs).loc["a", "b"].round(9)
    np.float64(0.8)
    """
    import pandas as pd

    if len(estimates) < 2:
        raise ValueError(f"{', '.join(estimates) or 'nothing'} cannot be correlated; give two estimates or more")
    found = pd.DataFrame({name: series.astype(float) for name, series in estimates.items()})
    correlations = found.corr(method="spearman", min_periods=3)
    if correlations.isna().any(axis=None):
        raise ValueError(f"{', '.join(estimates)}: some two have fewer than three patches in common, or are constant")
    return correlations


def _held(games: pd.DataFrame, patches: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Who holds each patch that is ever bought, a row a game, and what is needed of each of these games."""
    rows = columns(patches, ("game_index", "patch", "seat"), "patches")
    signed = rows["seat"].map({0: 1.0, 1: -1.0, -1: 0.0})
    held = rows.assign(patch=rows["patch"].astype(str), held=signed).pivot(
        index="game_index", columns="patch", values="held"
    )
    if held.isna().any(axis=None):
        raise ValueError("the patches lack some of some game; read them without filters")
    game = of_games(held.reset_index(), games, ("ring_index", *_SCORES)).set_axis(held.index)
    return held.loc[:, (held != 0).any()], game


def _margin(game: pd.DataFrame) -> NDArray[np.float64]:
    return (game["score_0"] - game["score_1"]).to_numpy(dtype=float)


def _alpha(penalty: float, design: Any) -> NDArray[np.float64]:
    """The penalty of each coefficient as statsmodels counts it, by the row; the constant has none."""
    alpha = np.full(design.shape[1], penalty / len(design))
    alpha[0] = 0
    return alpha


def _by_patch(patch: pd.Series[Any], counted: NDArray[np.bool_], ring: NDArray[Any], of_rows: Any) -> pd.DataFrame:
    """A row for each patch: what `of_rows` finds of its rows that count, if they are of two rings or more."""
    import pandas as pd

    named = patch.astype("category").cat
    codes = np.where(counted, named.codes, -1)
    found = {}
    for number, name in enumerate(named.categories):
        [those] = np.nonzero(codes == number)
        found[name] = {"n": len(those), **(of_rows(those) if len(np.unique(ring[those])) > 1 else {})}
    frame = pd.DataFrame.from_dict(found, orient="index").reindex(columns=["estimate", "low", "high", "p_value", "n"])
    return with_q(frame.rename_axis("patch"))[["estimate", "low", "high", "p_value", "q_value", "n"]]
