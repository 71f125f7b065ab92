"""Ratings of agents from games between them: a Bradley-Terry model with a seat term, and what it leaves unexplained.

All intervals and tests take the ring as the unit: games on the same ring, of whichever agents, may go alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from patchstats.analysis.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd

#: Elo points that are one unit of log-odds: 400 are odds of 10 to 1. Elo, "The Rating of Chessplayers" (1978).
ELO = 400 / math.log(10)

#: The columns of the games table that ratings are computed from.
NEEDED = ("ring_index", "agent_0", "agent_1", "winner")

_Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ratings:
    """How strong agents are, and what it is worth to sit at seat 0.

    Attributes:
        agents: the agents.
        elo: the rating of each in Elo points, which are 0 on average: 400 more are odds of 10 to 1.
        seat: the advantage of seat 0 in Elo points: what a rating would have to be higher to be worth the same.
        games: how many games they are from.
        rings: how many rings those were played on.
    """

    agents: tuple[str, ...]
    elo: tuple[Estimate, ...]
    seat: Estimate
    games: int
    rings: int


def ratings(games: pd.DataFrame, agents: Sequence[str] | None = None, confidence: float = 0.95) -> Ratings:
    """Rate agents by the games they played: a Bradley-Terry model with a seat term.

    That agent i at seat 0 beats agent j has the log-odds s + r(i) - r(j). Bradley and Terry, "Rank analysis of
    incomplete block designs", Biometrika 39 (1952); with a term for an advantage, Agresti, "Categorical Data Analysis"
    (2nd ed. 2002), section 10.6. It is a logistic regression, fitted to the games and one more mirrored pair of each
    two agents that met, both games of it drawn: the log-F(1,1) penalty of Greenland and Mansournia, "Penalization, bias
    reduction, and default priors in logistic and related categorical and survival regressions", Statistics in Medicine
    34 (2015), which keeps finite what would not be where one agent won all games, and counts for nothing among
    hundreds. Standard errors are clustered by ring, with the factor G/(G - 1) and the quantile of Student's t for G - 1
    degrees of freedom, G being the number of rings: Cameron and Miller, "A practitioner's guide to cluster-robust
    inference", Journal of Human Resources 50 (2015). To what differs between rings, each game of the pairs that were
    added contributes the square by which a game differs that is won or lost by the toss of a coin, so that no interval
    shrinks to nothing where all rings went alike.

    Args:
        games: a row a game, with the columns ring_index, agent_0, agent_1 and winner; others are not looked at.
        agents: the order in which they are rated; sorted by default.
        confidence: how often the intervals hold the truth.

    Raises ValueError for agents that no games connect, for games that cannot tell strength from seat, for a confidence
    that is not between 0 and 1, and for agents that are not those of the games.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"ring_index": [i // 2 for i in range(400)], "agent_0": ["a", "b"] * 200,
    ...     "agent_1": ["b", "a"] * 200, "winner": [0, 1, 0, 1, 0, 0, 1, 0] * 50})
    >>> found = ratings(games)
    >>> [round(one.value) for one in found.elo], round(found.seat.value)
    ([47, -47], 95)
    """
    from scipy.linalg import block_diag, helmert

    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    met = _Met.of(games, agents)
    contrasts = helmert(len(met.agents)).T  # the ratings add up to 0
    design = np.column_stack([np.ones(len(met.games)), met.differences @ contrasts])
    if np.linalg.matrix_rank(design[met.games > 0]) < design.shape[1]:
        raise ValueError("the games do not tell the agents and the seats apart; let each two play in mirrored pairs")
    found, covariance = met.fit(design)
    to_elo = ELO * block_diag(1, contrasts)
    values, variances = to_elo @ found, np.diag(to_elo @ covariance @ to_elo.T)
    seat, *elo = _estimates(values, variances, met.rings, confidence)
    return Ratings(met.agents, tuple(elo), seat, int(met.games.sum()), met.rings)


class Triple(NamedTuple):
    """Three agents of whom the first beats the second, that one the third, and that one the first.

    `p_value` is the chance that three agents of whom this is not true look like it, allowing for all triples that were
    looked at.
    """

    agents: tuple[str, str, str]
    p_value: float


@dataclass(frozen=True, slots=True)
class Cyclicity:
    """How much of who beats whom no ratings explain.

    Attributes:
        share: the cyclic share of the log-odds, 0 to 1: see `cyclic_share`.
        by_chance: how large it would be on average if ratings explained everything.
        p_value: the chance that it is as large as it is if ratings explain everything.
        triples: the triples that go round in a circle, beyond chance.
    """

    share: float
    by_chance: float
    p_value: float
    triples: tuple[Triple, ...]


def cyclicity(games: pd.DataFrame, agents: Sequence[str] | None = None, level: float = 0.05) -> Cyclicity:
    """Return how much of the log-odds of each two agents the best ratings do not explain.

    The log-odds of each two are those of `ratings` for them alone, and weigh by their precision, one over the square of
    their standard error. If ratings explain everything, the cyclic part is a sum of squares of normal variables, whose
    covariance is estimated over rings; its distribution is approximated by a chi-square with the same mean and
    variance. Satterthwaite, "An approximate distribution of estimates of variance components", Biometrics 2 (1946).

    A triple is intransitive when all three of its log-odds point round a circle, each beyond chance: Berger,
    "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24 (1982), with Bonferroni's factor for
    the two circles of each triple. `level` is the chance of any such finding where there is none. Raises ValueError as
    `ratings` does.

    >>> import pandas as pd
    >>> beaten = {("rock", "scissors"): 0, ("scissors", "paper"): 0, ("paper", "rock"): 0}
    >>> games = pd.DataFrame([(ring, *pair, 0) for ring in range(50) for pair in beaten]
    ...     + [(ring, *pair[::-1], 1) for ring in range(50) for pair in beaten], columns=NEEDED)
    >>> found = cyclicity(games)
    >>> round(found.share, 2), [triple.agents for triple in found.triples]
    (1.0, [('paper', 'rock', 'scissors')])
    """
    from scipy.stats import chi2, norm

    met = _Met.of(games, agents)
    pairs = len(met.pairs)
    design = np.zeros((2 * pairs, 2 * pairs))
    for number in range(pairs):  # the difference of the two in the first half, their own seat term in the second
        design[2 * number : 2 * number + 2, [number, pairs + number]] = [[1, 1], [-1, 1]]
    if not met.games.all():
        raise ValueError("some agents met in one order of seats only; let each two play in mirrored pairs")
    found, covariance = met.fit(design)
    odds, covariance = found[:pairs], covariance[:pairs, :pairs]
    errors = np.sqrt(np.diag(covariance))
    left = np.eye(pairs) / errors @ _residues(met.differences[::2], 1 / errors**2)
    scale = left @ covariance @ left.T
    mean, spread = np.trace(scale), 2 * np.trace(scale @ scale)
    cyclic, whole = float(np.sum((left @ odds) ** 2)), float(np.sum((odds / errors) ** 2))
    if mean < 1e-9 or whole == 0:  # no cycle among them, or nothing to explain
        return Cyclicity(0.0, 0.0, 1.0, ())
    p_value = float(chi2.sf(cyclic * 2 * mean / spread, 2 * mean**2 / spread))
    beats = dict(zip(met.pairs, odds / errors, strict=True))
    beats |= {(second, first): -z for (first, second), z in beats.items()}
    circles = [
        circle
        for i, j, k in combinations(range(len(met.agents)), 3)
        if {(i, j), (j, k), (i, k)} <= beats.keys()
        for circle in ((i, j, k), (i, k, j))
    ]
    triples = []
    for i, j, k in circles:
        p = len(circles) * float(norm.sf(min(beats[i, j], beats[j, k], beats[k, i])))
        if p <= level:
            triples.append(Triple((met.agents[i], met.agents[j], met.agents[k]), p))
    return Cyclicity(cyclic / whole, min(1.0, float(mean) / whole), p_value, tuple(triples))


def cyclic_share(log_odds: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Return the share of pairwise log-odds that no ratings explain: 0 where they are differences of ratings.

    `log_odds[i][j]` are those that i beats j, the negative of `log_odds[j][i]`; `weights` are symmetric, 0 where two
    never met. With r the ratings that minimise the sum over pairs of w(i,j) (y(i,j) - r(i) + r(j))^2, the share is that
    sum over the sum of w(i,j) y(i,j)^2: the Hodge decomposition into a gradient flow and a cyclic one, of which the
    latter is measured here. Jiang, Lim, Yao and Ye, "Statistical ranking and combinatorial Hodge theory", Mathematical
    Programming 127 (2011), where the same is the cyclicity ratio. Raises ValueError for log-odds that are not
    antisymmetric.

    >>> round(cyclic_share([[0, 1, -1], [-1, 0, 1], [1, -1, 0]]), 9)
    1.0
    >>> round(cyclic_share([[0, 1, 3], [-1, 0, 2], [-3, -2, 0]]), 9)
    0.0
    """
    flow = np.asarray(log_odds, dtype=float)
    weigh = np.ones_like(flow) if weights is None else np.asarray(weights, dtype=float)
    if flow.ndim != 2 or not np.allclose(flow, -flow.T) or not np.allclose(weigh, weigh.T) or (weigh < 0).any():
        raise ValueError("log_odds[i][j] must be -log_odds[j][i], and weights symmetric and not negative")
    pairs = [pair for pair in combinations(range(len(flow)), 2) if weigh[pair] > 0]
    of_pairs = tuple(np.array(pairs, dtype=int).reshape(-1, 2).T)
    y, w = flow[of_pairs], weigh[of_pairs]
    whole = float(np.sum(w * y**2))
    cyclic = _residues(_differences(pairs, len(flow)), w) @ y
    return float(np.sum(w * cyclic**2)) / whole if whole else 0.0


def _residues(differences: _Array, weights: _Array) -> _Array:
    """The matrix that takes numbers of pairs to what the best ratings leave of them, by weighted least squares."""
    roots = np.sqrt(weights)[:, None]
    best = np.linalg.pinv(roots * differences) * roots.T
    return np.asarray(np.eye(len(weights)) - differences @ best, dtype=np.float64)


def _differences(pairs: Sequence[tuple[int, int]], agents: int) -> _Array:
    """A row a pair: 1 for its first agent, -1 for its second."""
    rows = np.zeros((len(pairs), agents))
    for row, (first, second) in zip(rows, pairs, strict=True):
        row[first], row[second] = 1, -1
    return rows


def _estimates(values: _Array, variances: _Array, rings: int, confidence: float) -> list[Estimate]:
    from scipy.stats import t

    half = t.ppf(0.5 + confidence / 2, max(rings - 1, 1)) * np.sqrt(variances)
    return [
        Estimate(float(value), float(value - width), float(value + width))
        for value, width in zip(values, half, strict=True)
    ]


@dataclass(frozen=True)
class _Met:
    """Games counted by who sat where: for pair n the cells 2n, where its first agent has seat 0, and 2n + 1.

    Attributes:
        agents: the agents.
        pairs: those that met, by their places among the agents.
        cell: the cell of each game.
        ring: the ring of each game, numbered from 0.
        won: whether seat 0 won it.
    """

    agents: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    cell: NDArray[Any]
    ring: NDArray[Any]
    won: NDArray[np.bool_]

    @classmethod
    def of(cls, games: pd.DataFrame, agents: Sequence[str] | None) -> _Met:
        names = {str(name) for seat in (0, 1) for name in games[f"agent_{seat}"].unique()}
        ordered = tuple(sorted(names) if agents is None else agents)
        if len(names) < 2 or names != set(ordered) or len(ordered) != len(names):
            raise ValueError(f"games of {', '.join(sorted(names)) or 'nobody'} cannot rate {', '.join(ordered)}")
        place = {name: number for number, name in enumerate(ordered)}
        first, second = (games[f"agent_{seat}"].map(place).to_numpy(dtype=np.int64) for seat in (0, 1))
        if (first == second).any():
            raise ValueError("an agent that plays itself cannot be rated by it; leave such games out")
        code = np.minimum(first, second) * len(ordered) + np.maximum(first, second)
        met, pair = np.unique(code, return_inverse=True)
        _, ring = np.unique(games["ring_index"].to_numpy(), return_inverse=True)
        pairs = tuple((int(one) // len(ordered), int(one) % len(ordered)) for one in met)
        return cls(ordered, pairs, 2 * pair + (first > second), ring, games["winner"].to_numpy() == 0)

    @property
    def rings(self) -> int:
        return int(self.ring.max()) + 1

    @cached_property
    def games(self) -> NDArray[np.int64]:
        """How many games each cell has."""
        return np.bincount(self.cell, minlength=2 * len(self.pairs))

    @cached_property
    def differences(self) -> _Array:
        """A row a cell: 1 for the agent at seat 0, -1 for the one at seat 1."""
        both = [pair for first, second in self.pairs for pair in ((first, second), (second, first))]
        return _differences(both, len(self.agents))

    def fit(self, design: _Array) -> tuple[_Array, _Array]:
        """Fit a logistic regression with a row of the design for each cell, and a drawn game more in each.

        Returns the coefficients and their covariance, clustered by ring.
        """
        from statsmodels.genmod.families import Binomial
        from statsmodels.genmod.generalized_linear_model import GLM

        cells = len(self.games)
        wins = np.bincount(self.cell, weights=self.won, minlength=cells)
        outcome, often = np.repeat([1.0, 0.0], cells), np.concatenate([wins, self.games - wins]) + 0.5
        regression = GLM(outcome, np.vstack([design, design]), family=Binomial(), freq_weights=often)
        fitted = regression.fit(maxiter=200, tol=1e-12)
        p: _Array = fitted.predict(design)
        bread = np.linalg.inv(design.T @ (((self.games + 1) * p * (1 - p))[:, None] * design))
        left = np.bincount(self.ring * cells + self.cell, self.won - p[self.cell], self.rings * cells)
        by_ring = left.reshape(self.rings, cells)
        inner = np.asarray(
            by_ring.T @ by_ring, dtype=np.float64
        )  # of what is left of each cell: the products, added up over rings
        inner += np.diag(p**2 + (1 - p) ** 2) / 2  # the game more, won or lost by the toss of a coin
        factor = self.rings / (self.rings - 1) if self.rings > 1 else 1.0
        return np.asarray(fitted.params), factor * bread @ design.T @ inner @ design @ bread
