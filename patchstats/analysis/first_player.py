"""What it is worth to begin: how often seat 0 wins, by how much, and how often the scores are equal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from patchstats.analysis.checks import columns
from patchstats.analysis.estimate import Estimate, effective_games, mean_by_ring, share_of_rings
from patchstats.analysis.shares import Share

if TYPE_CHECKING:
    import pandas as pd

#: The columns of the games table that the advantage is computed from.
NEEDED = ("ring_index", "winner", "tie_broken", "score_0", "score_1")


@dataclass(frozen=True, slots=True)
class FirstPlayer:
    """What it is worth to begin. The unit of all intervals is the ring.

    Attributes:
        share: the share of games that seat 0 won.
        margin: how many points seat 0 had more than seat 1 on average.
        ties: the share of games with equal scores, which the first finisher won.
        games: how many games they are from.
        rings: how many rings those were played on.
        design_effect: how many of these games tell as much of the share as one on a ring of its own: above 1 where
            games on a ring go alike, below 1 where they balance each other, as mirrored pairs often do.
    """

    share: Share
    margin: Estimate
    ties: Share
    games: int
    rings: int
    design_effect: float

    @property
    def advantage(self) -> Estimate:
        """How far the share of seat 0 is above 1/2."""
        return Estimate(*(end - 0.5 for end in self.share))


def first_player(games: pd.DataFrame, confidence: float = 0.95) -> FirstPlayer:
    """Return how often seat 0 wins, by how much, and how often the scores were equal.

    The games may be one a ring, mirrored pairs, or any number on each ring: the unit is the ring, by the formulas of
    `share_of_rings` (Wilson's interval for the effective number of games: Kish 1965; Dean and Pagano 2015) for the two
    shares and of `mean_by_ring` (Cameron and Miller 2015) for the margin. Of an agent against itself the share is how
    often beginning wins for it; of mirrored pairs of two agents it is that averaged over both orders of them, so that
    their strengths cancel. Rings are told apart by ring_index, so all games must be of one seed.

    Args:
        games: a row a game, with the columns ring_index, winner, tie_broken, score_0 and score_1.
        confidence: how often the intervals hold the truth.

    Raises ValueError for a frame without rows, with a column or a value missing, or of a single ring, and for a
    confidence that is not between 0 and 1.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"ring_index": range(400), "winner": [0, 0, 0, 1] * 100, "tie_broken": [False] * 400,
    ...     "score_0": [9, 8, 7, 1] * 100, "score_1": [4] * 400})
    >>> found = first_player(games)
    >>> print(found.share, f"{found.margin:+.2f}", found.ties, round(found.design_effect, 9))
    75.0% [70.5%, 79.0%] +2.25 [+1.94, +2.56] 0.0% [0.0%, 1.0%] 1.0
    """
    table = columns(games, NEEDED)
    if not table["winner"].isin((0, 1)).all():
        raise ValueError("the column winner of the games must be 0 or 1, the seat that won")
    rings, won = table["ring_index"].to_numpy(), (table["winner"] == 0).to_numpy()
    margin = table["score_0"].to_numpy() - table["score_1"].to_numpy()
    return FirstPlayer(
        share=share_of_rings(won, rings, confidence),
        margin=mean_by_ring(margin, rings).interval(confidence),
        ties=share_of_rings(table["tie_broken"].to_numpy(), rings, confidence),
        games=len(table),
        rings=int(table["ring_index"].nunique()),
        design_effect=len(table) / effective_games(won, rings),
    )
