"""What the games of many agents say beyond their ratings: who would be left over, and how many levels of skill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from patchstats.analysis.checks import chance, positive

#: The share of games that makes one level of skill out of two: Lantz, Isaksen, Jaffe, Nealen and Togelius, "Depth in
#: strategic games", AAAI-17 workshop "What's next for AI in games?" (2017).
LEVEL = 0.6


def share_table(shares: Mapping[tuple[str, str], float], agents: Sequence[str]) -> pd.DataFrame:
    """Return how often the agent of each row beats that of each column, a half on the diagonal.

    `shares` has for each two, in either order, the share of games that the first won. Raises ValueError for two that
    did not meet.

    >>> share_table({("a", "b"): 0.75}, ["a", "b"]).to_numpy().tolist()
    [[0.5, 0.75], [0.25, 0.5]]
    """
    table = pd.DataFrame(0.5, index=list(agents), columns=list(agents))
    for one in agents:
        for other in agents:
            if one == other:
                continue
            if (one, other) in shares:
                table.loc[one, other] = shares[one, other]
            elif (other, one) in shares:
                table.loc[one, other] = 1 - shares[other, one]
            else:
                raise ValueError(f"there is no share of games for {one} against {other}; let them play")
    return table


def alpha_rank(shares: pd.DataFrame, selection: float = 10.0, population: int = 50) -> pd.Series[float]:
    """Return how much of the time a population that copies what wins would play like each agent.

    In a population of `population` players that all play like agent j, one who plays like agent i takes over with the
    chance (1 - exp(-a d)) / (1 - exp(-m a d)), where d = p(i, j) - p(j, i) is how much more often i beats j than the
    other way round, a is `selection` and m is `population`. New agents come up by chance, each as often as another; the
    weights are the stationary distribution of the chain of who has taken over. Omidshafiei and others, "Alpha-Rank:
    multi-agent evaluation by evolution", Scientific Reports 9, 9937 (2019). Unlike ratings, it shows agents that beat
    each other in a circle as what they are: none of them is left alone.

    `shares` is a square table of shares of games, such as of `share_table`. Raises ValueError for another, for a
    selection that is not above 0, and for a population of fewer than two.

    >>> circle = share_table({("rock", "scissors"): 1, ("scissors", "paper"): 1, ("paper", "rock"): 1},
    ...     ["rock", "paper", "scissors"])
    >>> alpha_rank(circle).round(3).to_dict()
    {'rock': 0.333, 'paper': 0.333, 'scissors': 0.333}
    """
    positive(selection, "the selection")
    if population < 2:
        raise ValueError(f"the population must have two players or more, not {population}")
    wins = shares.to_numpy(dtype=np.float64)
    count = len(wins)
    if count < 2 or list(shares.index) != list(shares.columns) or not np.allclose(wins + wins.T, 1):
        raise ValueError(
            "the shares must be a square table of two agents or more, where both of a pair add up to 1; see share_table"
        )
    ahead = selection * (wins - wins.T)
    level = np.isclose(ahead, 0)
    distance = np.where(level, 1.0, np.abs(ahead))
    taking_over = np.expm1(-distance) / np.expm1(-population * distance)
    taking_over *= np.where(ahead < 0, np.exp(-(population - 1) * distance), 1.0)  # the same for a negative d
    if not taking_over.all():
        raise ValueError(f"by a selection of {selection} some changes have a chance of 0; give a smaller one")
    chances = np.where(level, 1 / population, taking_over).T / (count - 1)  # from the row to the column
    np.fill_diagonal(chances, 0)
    np.fill_diagonal(chances, 1 - chances.sum(axis=1))
    return pd.Series(_stationary(chances), index=shares.index, name="alpha_rank")


def _stationary(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """The stationary distribution of a chain, by elimination without subtractions, which no rounding spoils.

    Grassmann, Taksar and Heyman, "Regenerative analysis and steady state distributions for Markov chains", Operations
    Research 33 (1985).
    """
    left = chances.copy()
    for last in range(len(left) - 1, 0, -1):
        left[:last, last] /= left[last, :last].sum()
        left[:last, :last] += np.outer(left[:last, last], left[last, :last])
    found = np.ones(len(left))
    for place in range(1, len(left)):
        found[place] = found[:place] @ left[:place, place]
    weights: NDArray[np.float64] = found / found.sum()
    return weights


def levels(shares: pd.DataFrame, least: float = LEVEL) -> tuple[str, ...]:
    """Return a longest chain of agents, the weakest first, in which each wins the share `least` against the one before.

    Its steps are how many levels of skill these agents show: Lantz and others, as above. More agents can only show
    more. `shares` is a square table with the weakest agent first, such as of `share_table`; a chain goes from left to
    right, so that one that goes in a circle counts once. Raises ValueError for a share that is not between 0 and 1.

    >>> levels(share_table({("b", "a"): 0.7, ("c", "a"): 0.9, ("c", "b"): 0.55}, ["a", "b", "c"]))
    ('a', 'b')
    """
    chance(least, "the share that makes a level")
    wins = shares.to_numpy(dtype=np.float64)
    chains: list[tuple[int, ...]] = []
    for agent in range(len(wins)):
        below = [chain for chain in chains if wins[agent, chain[-1]] >= least]
        chains.append((*max(below, key=len, default=()), agent))
    return tuple(str(shares.index[agent]) for agent in max(chains, key=len))
