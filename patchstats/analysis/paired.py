"""What a change of the rules or of an agent does, from two runs with the same rings and the same random numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from patchstats.analysis.checks import columns, finite
from patchstats.analysis.estimate import Estimate, mean_by_ring, share_of_rings
from patchstats.analysis.shares import Share

if TYPE_CHECKING:
    import pandas as pd

#: What tells which games of two runs belong together.
KEYS = ("game_index", "ring_index")


@dataclass(frozen=True, slots=True)
class Paired:
    """How a mean differs between two runs, game by game.

    Attributes:
        base: the mean in the first run.
        new: the mean in the second.
        difference: the second less the first; the unit of its interval is the ring.
        variance_ratio: how many times as many games it would take two runs that share nothing to be as sure; 1 where
            sharing did not help, infinite where every game differs by the same.
        games: how many games each run has.
        rings: on how many rings.
    """

    base: float
    new: float
    difference: Estimate
    variance_ratio: float
    games: int
    rings: int


def paired(
    base: pd.DataFrame,
    new: pd.DataFrame,
    of: str | Callable[[pd.DataFrame], Any],
    confidence: float = 0.95,
) -> Paired:
    """Return how the mean of something differs between two runs of the same games: common random numbers.

    Games are put side by side by game_index. The difference is the mean over games of the new value less the base one,
    with the standard error and the interval of `mean_by_ring`. The variance of two runs without common random numbers
    would be the sum of those of their means; `variance_ratio` is that sum over the variance of the difference. Law,
    "Simulation Modeling and Analysis" (5th ed. 2015), section 11.2; the clusters as in Cameron and Miller (2015). Of
    runs whose games are all the same the difference is 0, with an interval from 0 to 0; of runs that differ in a few
    games only, look at `unchanged`, too, since an interval cannot tell of changes that it did not see.

    Args:
        base: a row a game, with the columns game_index and ring_index.
        new: the same games with something changed, in any order.
        of: a column of both, or a function that takes a frame and returns a number or True or False for each row.
        confidence: how often the interval holds the truth.

    Raises ValueError for frames without rows, with columns or values missing, of other games, of other rings, or of a
    single ring.

    >>> import pandas as pd
    >>> base = pd.DataFrame({"game_index": range(6), "ring_index": range(6), "winner": [0, 1, 0, 1, 0, 1]})
    >>> new = base.assign(winner=[0, 0, 0, 1, 0, 1])
    >>> found = paired(base, new, lambda games: games["winner"] == 0)
    >>> print(f"{found.base:.3f} {found.new:.3f} {found.difference:+.3f} {found.variance_ratio:.1f}")
    0.500 0.667 +0.167 [-0.262, +0.595] 3.4
    """
    names = (of,) if isinstance(of, str) else ()
    first, second = _side_by_side(base, new, names)
    before, after = (
        finite(frame[of] if isinstance(of, str) else of(frame), f"the values of the {which} games")
        for frame, which in ((first, "base"), (second, "new"))
    )
    if len(before) != len(first) or len(after) != len(second):
        raise ValueError(f"of must return a value for each of {len(first)} games, not {len(before)} and {len(after)}")
    rings = first["ring_index"].to_numpy()
    difference = mean_by_ring(after - before, rings)
    apart = mean_by_ring(before, rings).error ** 2 + mean_by_ring(after, rings).error ** 2
    together = difference.error**2
    return Paired(
        base=float(before.mean()),
        new=float(after.mean()),
        difference=difference.interval(confidence),
        variance_ratio=apart / together if together > 0 else np.inf,
        games=len(first),
        rings=int(first["ring_index"].nunique()),
    )


def unchanged(base: pd.DataFrame, new: pd.DataFrame, column: str = "actions", confidence: float = 0.95) -> Share:
    """Return the share of games that are the same in two runs, as far as a column tells: by default, all actions.

    The unit of the interval is the ring, by `share_of_rings`. Raises ValueError as `paired` does.

    >>> import pandas as pd
    >>> base = pd.DataFrame({"game_index": range(4), "ring_index": range(4), "actions": [b"a", b"b", b"c", b"d"]})
    >>> print(unchanged(base, base.assign(actions=[b"a", b"b", b"x", b"d"])))
    75.0% [30.1%, 95.4%]
    """
    first, second = _side_by_side(base, new, (column,))
    same = first[column].to_numpy() == second[column].to_numpy()
    return share_of_rings(same, first["ring_index"].to_numpy(), confidence)


def _side_by_side(base: pd.DataFrame, new: pd.DataFrame, names: tuple[str, ...]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both frames in the order of their games, which are the same on the same rings and have these columns."""
    frames = []
    for frame, which in ((base, "base games"), (new, "new games")):
        columns(frame, (*KEYS, *names), which)
        repeated = frame["game_index"].duplicated().to_numpy()
        if repeated.any():
            game = frame["game_index"].iloc[int(repeated.argmax())]
            raise ValueError(f"the frame of {which} has game_index {game} more than once; give one run, a row a game")
        frames.append(frame.sort_values("game_index", ignore_index=True))
    first, second = frames
    here, there = (frame["game_index"].to_numpy() for frame in frames)
    if len(here) != len(there) or (here != there).any():
        only = np.setxor1d(here, there)
        raise ValueError(f"the two frames must have the same games; game_index {only[0]} is in one of them only")
    other = (first["ring_index"] != second["ring_index"]).to_numpy()
    if other.any():
        game = here[int(other.argmax())]
        raise ValueError(f"game_index {game} was played on another ring; give two runs of one seed and pairing")
    return first, second
