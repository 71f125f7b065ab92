"""Which of many small changes of the rules matter: all at once, from games of which each changes each by lot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from patchstats.analysis.clusters import regress, with_q

if TYPE_CHECKING:
    import pandas as pd


def screen(
    outcome: ArrayLike,
    jitter: ArrayLike,
    factors: Sequence[str],
    rings: ArrayLike,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return by how much one step of each factor changes the expected outcome, from randomly changed games.

    One regression of the outcome on a constant and all factors. Lots are drawn for each factor by itself, so that they
    do not depend on each other, and each is estimated as precisely as if it alone had been changed: about s / sqrt(n v)
    with s the standard deviation of the outcome, n games and v the variance of a factor (2/3 where -1, 0 and 1 are
    equally likely). A random balance design: Satterthwaite, "Random balance experimentation", Technometrics 1 (1959);
    Box, Hunter and Hunter, "Statistics for Experimenters" (2nd ed. 2005), chapter 5. What comes out is the main
    effect, the average over what the other factors happened to be. Interval: `clusters.regress`; q-values:
    `multiplicity.adjusted`.

    Args:
        outcome: a number for each game: 1 and 0 for won and lost, a margin, a count.
        jitter: a row a game and a column a factor, whole numbers: -1, 0 or 1 for one step down, none or one step up.
        factors: their names, such as `patches.p21.cost`.
        rings: the ring_index of each game.
        confidence: how often the intervals hold the truth.

    Returns a row a factor, those with the greatest effects first: `estimate`, `low`, `high`, `p_value` and `q_value`.
    Raises ValueError for an array of another shape, for steps that are not whole, and for a factor that never changes.

    >>> random = np.random.default_rng(1)
    >>> jitter = random.integers(-1, 2, size=(4000, 2))
    >>> margin = 3 - 2 * jitter[:, 1] + random.normal(scale=15, size=4000)
    >>> found = screen(margin, jitter, ["patches.p02.cost", "patches.p21.cost"], rings=range(4000))
    >>> found["estimate"].round(1).to_dict()
    {'patches.p21.cost': -1.6, 'patches.p02.cost': 0.1}
    """
    import pandas as pd

    steps, names = np.asarray(jitter, dtype=float), list(factors)
    if steps.ndim != 2 or steps.shape[1] != len(names) or not names:
        raise ValueError(
            f"jitter must have a row a game and a column for each of {len(names)} factors, not {steps.shape}"
        )
    if len(set(names)) < len(names):
        raise ValueError(
            f"factors are named twice: {', '.join(sorted({one for one in names if names.count(one) > 1}))}"
        )
    if (steps != np.round(steps)).any():
        raise ValueError("jitter must be whole steps, such as -1, 0 and 1")
    for name, column in zip(names, steps.T, strict=True):
        if len(np.unique(column)) < 2:
            raise ValueError(f"{name} is the same in all games; leave it out, or give games in which it changes")
    design = pd.DataFrame(np.column_stack([np.ones(len(steps)), steps]), columns=["constant", *names])
    found = with_q(regress(outcome, design, rings, confidence=confidence).drop(index="constant"))
    return found.sort_values("estimate", key=np.abs, ascending=False, kind="stable").rename_axis("factor")
