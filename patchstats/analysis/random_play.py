"""What is estimated of random play: how many actions are legal, and how large the game tree is by that."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from patchstats.analysis.checks import chance, columns, finite
from patchstats.analysis.clusters import mean_of, of_games
from patchstats.analysis.estimate import Estimate, mean_by_ring
from patchstats.analysis.shares import Share, share

if TYPE_CHECKING:
    import pandas as pd

#: The decimal logarithm of what whole numbers of 128 bits overflow at.
OVERFLOW = 128 * math.log10(2)


@dataclass(frozen=True, slots=True)
class TreeSize:
    """How many games there are on a ring, by the products of the numbers of legal actions along random games.

    Attributes:
        log10: the decimal logarithm of the mean product, which is Knuth's estimate.
        typical: the mean of the decimal logarithms of the products, that is, of the geometric mean.
        lognormal: what the mean product would be if the logarithms were normal, as a decimal logarithm.
        effective: how many products of equal size would tell as much: where they are few, the mean is that of the
            largest ones, and an interval from these games alone is too narrow.
        overflowing: the share of products of 2^128 or more.
        games: from how many games.
    """

    log10: Estimate
    typical: Estimate
    lognormal: float
    effective: float
    overflowing: Share
    games: int


def actions_of_games(turns: pd.DataFrame, games: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each game: `ring_index`, `turns`, `actions` (the legal ones added up) and `log10_product`.

    `turns` has the columns game_index and legal_actions; which plies it has, leathers or not, is what is counted.

    >>> import pandas as pd
    >>> turns = pd.DataFrame({"game_index": [0, 0, 1], "legal_actions": [10, 10, 1]})
    >>> actions_of_games(turns, pd.DataFrame({"game_index": [0, 1], "ring_index": [0, 1]})).to_dict("list")
    {'ring_index': [0, 1], 'turns': [2, 1], 'actions': [20, 1], 'log10_product': [2.0, 0.0]}
    """
    import pandas as pd

    rows = columns(turns, ("game_index", "legal_actions"), "turns")
    actions = rows["legal_actions"].astype(np.int64)
    table = pd.DataFrame({"actions": actions, "log10_product": np.log10(actions)})
    by_game = table.groupby(rows["game_index"].to_numpy())
    found = by_game.sum()
    ring = of_games(found.reset_index(names="game_index"), games, ("ring_index",))["ring_index"]
    found.insert(0, "turns", by_game.size())
    found.insert(0, "ring_index", ring.to_numpy())
    return found


def mean_actions(by_game: pd.DataFrame, confidence: float = 0.95) -> Estimate:
    """Return the mean number of legal actions a turn; the ring is the unit. See `clusters.mean_of`."""
    table = columns(by_game, ("ring_index", "turns", "actions"))
    row = mean_of(table["actions"] / table["turns"], table["ring_index"], weights=table["turns"], confidence=confidence)
    return Estimate(*map(float, row[["estimate", "low", "high"]]))


def median_actions(turns: pd.DataFrame, games: pd.DataFrame, confidence: float = 0.95) -> Estimate:
    """Return the median number of legal actions a turn; the ring is the unit.

    The interval holds the quantiles at the ends of the interval of the share of turns with no more actions than
    the median: Woodruff, "Confidence intervals for medians and other position measures", JASA 47 (1952).
    """
    rows = columns(turns, ("game_index", "legal_actions"), "turns")
    actions = rows["legal_actions"].to_numpy()
    median = float(np.median(actions))
    by_game = (rows["legal_actions"] <= median).groupby(rows["game_index"]).agg(["mean", "size"])
    ring = of_games(by_game.reset_index(names="game_index"), games, ("ring_index",))["ring_index"].to_numpy()
    row = mean_of(by_game["mean"], ring, weights=by_game["size"], confidence=confidence)
    half = (row["high"] - row["low"]) / 2
    low, high = np.quantile(actions, [max(0.0, 0.5 - half), min(1.0, 0.5 + half)], method="nearest")
    return Estimate(median, float(low), float(high))


def spread(values: ArrayLike, rings: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Return the standard deviation of values of games, with the interval of the mean square, of which it is the root.

    >>> print(f"{spread([1, 2, 3, 4] * 100, range(400)):.2f}")
    1.12 [1.07, 1.16]
    """
    numbers = finite(values, "the values of games")
    squares = mean_by_ring((numbers - numbers.mean()) ** 2, rings).interval(confidence)
    return Estimate(*(math.sqrt(max(0.0, end)) for end in squares))


def tree_size(log10_products: ArrayLike, confidence: float = 0.95, resamples: int = 1000, seed: int = 1) -> TreeSize:
    """Return how large the game tree is by the products of the numbers of legal actions along random games.

    The mean product is the expected number of games, without a bias, as each action is equally likely: Knuth,
    "Estimating the efficiency of backtrack programs", Mathematics of Computation 29 (1975). It is computed from
    logarithms, so that nothing overflows. Interval: percentiles of a bootstrap of games. `effective` is the square of
    the sum over the sum of squares of the products: Kish, "Survey Sampling" (1965).

    >>> found = tree_size([37.0, 38.0, 39.0] * 100)
    >>> print(f"{found.log10:.2f}", round(found.lognormal, 2), round(found.effective), found.overflowing)
    38.57 [38.51, 38.62] 38.77 122 33.3% [28.2%, 38.8%]
    """
    logs = finite(log10_products, "the logarithms of products")
    chance(confidence, "confidence")
    most = float(logs.max())
    parts = 10 ** (logs - most)
    generator = np.random.default_rng(seed)
    drawn = [parts[generator.integers(len(parts), size=len(parts))].mean() for _ in range(resamples)]
    low, high = np.quantile(drawn, [0.5 - confidence / 2, 0.5 + confidence / 2])
    value = most + math.log10(parts.mean())
    return TreeSize(
        log10=Estimate(value, most + math.log10(low), most + math.log10(high)),
        typical=mean_by_ring(logs, np.arange(len(logs))).interval(confidence),
        lognormal=float(logs.mean() + math.log(10) * logs.var() / 2),
        effective=float(parts.sum() ** 2 / (parts**2).sum()),
        overflowing=share(int((logs >= OVERFLOW).sum()), len(logs), confidence),
        games=len(logs),
    )
