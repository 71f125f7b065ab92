"""When the bonus for the square is won, and how often.

What its points are worth to how the game is played is no question to one run: play the same rings with `bonus_points`
changed, and compare the two by `paired`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from patchstats.analysis.checks import columns
from patchstats.analysis.clusters import of_games
from patchstats.analysis.estimate import share_of_rings
from patchstats.analysis.shares import Share
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    import pandas as pd


def award_share(games: pd.DataFrame, confidence: float = 0.95) -> Share:
    """Return the share of games in which anybody won the bonus.

    `games` has the columns ring_index and bonus_seat. Interval: `estimate.share_of_rings`.

    >>> import pandas as pd
    >>> print(award_share(pd.DataFrame({"ring_index": range(10), "bonus_seat": [0, 1, -1, -1, -1] * 2})))
    40.0% [16.8%, 68.7%]
    """
    rows = columns(games, ("ring_index", "bonus_seat"))
    return share_of_rings(rows["bonus_seat"] >= 0, rows["ring_index"], confidence)


def confounded_winner_share(games: pd.DataFrame, confidence: float = 0.95) -> Share:
    """Return how often who won the bonus won the game: confounded, and no effect of the bonus.

    The share among games in which it was won. Who fills a square early has bought well, and would win more often
    without the bonus, too; the module says how its effect is found. Interval: `estimate.share_of_rings`.

    `games` has the columns ring_index, bonus_seat and winner. Raises ValueError where nobody ever won the bonus.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"ring_index": range(10), "bonus_seat": [0, 1] * 5})
    >>> games["winner"] = [0, 1, 0, 1, 0, 0, 1, 1, 0, 1]
    >>> print(confounded_winner_share(games))
    80.0% [49.0%, 94.3%]
    """
    rows = columns(games, ("ring_index", "bonus_seat", "winner"))
    won = rows[rows["bonus_seat"] >= 0]
    if not len(won):
        raise ValueError(f"nobody won the bonus in any of {len(rows)} games; stronger agents win it more often")
    return share_of_rings(won["winner"] == won["bonus_seat"], won["ring_index"], confidence)


def uncounted(games: pd.DataFrame, ruleset: Ruleset) -> pd.DataFrame:
    """Return games with the winner that they would have had if the points of the bonus were not counted.

    Of equal scores the seat that finished first wins. Everything but the counting stays as it was played: what seats
    would do if there were no points to win, `experiments.whatif` with `bonus_points=0` tells.

    `games` has the columns score_0, score_1, bonus_seat and first_finisher; its others are kept.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"score_0": [9, 20], "score_1": 3, "bonus_seat": 0, "first_finisher": 1, "winner": 0})
    >>> uncounted(games, Ruleset.load("original"))["winner"].tolist()
    [1, 0]
    """
    rows = columns(games, ("score_0", "score_1", "bonus_seat", "first_finisher"))
    points = ruleset.bonus_points * ((rows["bonus_seat"] == 0).astype(int) - (rows["bonus_seat"] == 1))
    margin = rows["score_0"].astype(int) - rows["score_1"] - points
    return games.assign(winner=np.where(margin == 0, rows["first_finisher"], margin < 0))


def won_by_points(games: pd.DataFrame, ruleset: Ruleset, confidence: float = 0.95) -> Share:
    """Return in how many games the other seat would have won if the points of the bonus were not counted.

    `games` has the columns ring_index and winner, and those that `uncounted` needs. Interval:
    `estimate.share_of_rings`.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"score_0": [9, 20] * 5, "score_1": 3, "bonus_seat": 0, "first_finisher": 1, "winner": 0})
    >>> print(won_by_points(games.assign(ring_index=range(10)), Ruleset.load("original")))
    50.0% [23.7%, 76.3%]
    """
    rows = columns(games, ("ring_index", "winner"))
    return share_of_rings(uncounted(games, ruleset)["winner"] != rows["winner"], rows["ring_index"], confidence)


def award_table(games: pd.DataFrame, turns: pd.DataFrame, ruleset: Ruleset, confidence: float = 0.95) -> pd.DataFrame:
    """Return when the bonus is won, by the space on which the winner's token stood before that action: a life table.

    For each space s from 0 to the last before the finish: `open`, the games in which it was not won before s; `won`,
    those in which it was won at s; `hazard`, the share won of open; and `waiting`, the share of all games in which it
    was not won up to s, each with its interval (`_low`, `_high`). Every game is watched to its end, so that
    `waiting` is the curve of Kaplan and Meier, "Nonparametric estimation from incomplete observations", JASA 53 (1958),
    and its interval that of a share: `estimate.share_of_rings`, the ring being the unit, pointwise. A hazard of no
    open games is missing.

    `games` has the columns game_index, ring_index, bonus_seat and bonus_ply; `turns` has game_index, ply and
    time_before, at least in the rows of the plies that won a bonus. Raises ValueError when such a ply is missing.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"game_index": [0, 1, 2, 3], "ring_index": [0, 1, 2, 3], "bonus_seat": [0, -1, 1, 1],
    ...     "bonus_ply": [30, -1, 28, 35]})
    >>> turns = pd.DataFrame({"game_index": [0, 2, 3], "ply": [30, 28, 35], "time_before": [40, 37, 40]})
    >>> found = award_table(games, turns, Ruleset.load("original"))
    >>> found.loc[[37, 40], ["open", "won", "hazard", "waiting"]].round(2).to_dict("list")
    {'open': [4, 3], 'won': [1, 2], 'hazard': [0.25, 0.67], 'waiting': [0.75, 0.25]}
    """
    import pandas as pd

    rows = columns(games, ("game_index", "ring_index", "bonus_seat", "bonus_ply"))
    plies = columns(turns, ("game_index", "ply", "time_before"), "turns")
    at_award = plies[plies["ply"].to_numpy() == of_games(plies, rows, ("bonus_ply",))["bonus_ply"].to_numpy()]
    space = pd.Series(at_award["time_before"].to_numpy(), at_award["game_index"]).reindex(rows["game_index"]).to_numpy()
    won = (rows["bonus_seat"] >= 0).to_numpy()
    if np.isnan(space[won]).any():
        game = rows["game_index"].to_numpy()[won & np.isnan(space)][0]
        raise ValueError(f"the turns lack the ply that won the bonus of game {game}; give those of all games")
    when, ring = np.where(won, space, np.inf), rows["ring_index"].to_numpy()
    found = []
    for at in range(ruleset.finish):
        still = when >= at
        row: dict[str, float] = {"space": at, "open": int(still.sum()), "won": int((when == at).sum())}
        for name, held, of in (("hazard", when == at, still), ("waiting", when > at, np.full(len(rows), True))):
            part = share_of_rings(held[of], ring[of], confidence) if of.any() else Share(np.nan, np.nan, np.nan)
            row |= {name: part.share, f"{name}_low": part.low, f"{name}_high": part.high}
        found.append(row)
    return pd.DataFrame(found).set_index("space")
