"""How tense games are: whether leads change, how long the winner was behind, when it was over, and how close it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from patchstats.analysis.checks import chance, columns, finite
from patchstats.analysis.clusters import mean_of, of_games, regress
from patchstats.analysis.estimate import share_of_rings
from patchstats.analysis.positions import of_patches
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    import pandas as pd

#: Games that end with so many points between the scores, or fewer, are close.
CLOSE = 3

#: What is measured of each game, and whether it is something that holds or not.
_MEASURES = {
    "lead_changes": False,
    "favourite_changes": False,
    "drama": False,
    "decided_ply": False,
    "decided_share": False,
    "close": True,
    "tie": True,
}


def tension_of_games(
    positions: pd.DataFrame, probability: ArrayLike, games: pd.DataFrame, decided: float = 0.9
) -> pd.DataFrame:
    """Return how tense each game was.

    With p the probability, from 0 to 1, that the eventual winner wins:

    - `lead_changes`: how often the sign of the difference of scores changed, as the games table has it.
    - `favourite_changes`: how often p went from one side of 1/2 to the other.
    - `drama`: how bad the winner's position was when it was behind: the mean of sqrt((1 - p) - p) over the positions
      with p < 1/2, 0 if there was none. Browne, "Automatic Generation and Evaluation of Recombination Games" (2008);
      Browne and Maire, "Evolutionary game design", IEEE Transactions on Computational Intelligence and AI in Games 2
      (2010).
    - `decided_ply`: the first ply from which on p stayed above `decided` in all positions of the game; the number of
      plies if it was not so before the last. `decided_share` is the same as a share of the plies of the game.
    - `close`: whether the scores differ by at most CLOSE points; `tie`: whether they are equal.

    Args:
        positions: as `positions.positions` returns them: game_index, ply, plies.
        probability: that seat 0 wins, of each position; best from `win_probability.held_out`.
        games: the columns game_index, ring_index, winner, score_0, score_1 and lead_changes.
        decided: how likely a win must be for a game to be over.

    Returns a row a game, with `ring_index`. Raises ValueError for probabilities that are none, and a column that is
    missing.

    >>> import pandas as pd
    >>> positions = pd.DataFrame({"game_index": 5, "ply": range(4), "plies": 4})
    >>> games = pd.DataFrame({"game_index": [5], "ring_index": 0, "winner": 0, "score_0": 9, "score_1": 7})
    >>> games["lead_changes"] = 3
    >>> found = tension_of_games(positions, [0.5, 0.18, 0.95, 0.97], games)
    >>> found.loc[5, ["favourite_changes", "drama", "decided_ply", "decided_share"]].astype(float).to_dict()
    {'favourite_changes': 1.0, 'drama': 0.8, 'decided_ply': 2.0, 'decided_share': 0.5}
    """
    import pandas as pd

    rows = columns(positions, ("game_index", "ply", "plies"), "positions")
    p = finite(probability, "the probabilities")
    if len(p) != len(rows) or (p < 0).any() or (p > 1).any():
        raise ValueError(f"each of {len(rows)} positions needs a probability from 0 to 1; there are {len(p)}")
    chance(decided, "decided")
    of = of_games(rows, games, ("ring_index", "winner", "score_0", "score_1", "lead_changes"))
    of_winner = np.where(of["winner"] == 0, p, 1 - p)
    rows = rows.assign(side=np.sign(of_winner - 0.5), worse=np.maximum(1 - 2 * of_winner, 0) ** 0.5)
    rows["open"] = np.where(of_winner > decided, -1, rows["ply"])
    rows = rows.sort_values(["game_index", "ply"])
    sided = rows[rows["side"] != 0]
    turned = sided["side"].diff().ne(0) & sided["game_index"].eq(sided["game_index"].shift())
    by_game = rows.groupby("game_index")
    behind = rows["worse"].gt(0).groupby(rows["game_index"]).sum()
    known = games.set_index("game_index").loc[behind.index]
    margin = (known["score_0"] - known["score_1"]).abs()
    ply = by_game["open"].max() + 1
    found = {
        "ring_index": known["ring_index"],
        "lead_changes": known["lead_changes"],
        "favourite_changes": turned.groupby(sided["game_index"]).sum().reindex(behind.index, fill_value=0),
        "drama": by_game["worse"].sum() / behind.clip(lower=1),
        "decided_ply": ply,
        "decided_share": ply / by_game["plies"].first(),
        "close": margin <= CLOSE,
        "tie": margin == 0,
    }
    return pd.DataFrame(found)


def mean_tension(tension: pd.DataFrame, confidence: float = 0.95) -> pd.DataFrame:
    """Return the mean of each measure of `tension_of_games` over games: `estimate`, `low`, `high` and `n`.

    Intervals: `clusters.mean_of`, for the shares `close` and `tie` `estimate.share_of_rings`; the ring is the unit.
    That probabilities come from a model that was itself estimated is not part of them.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"ring_index": range(4), "lead_changes": 2, "close": [True, False, True, False]})
    >>> mean_tension(games).round(2).loc["close"].to_list()
    [0.5, 0.15, 0.85, 4.0]
    """
    import pandas as pd

    there = tuple(name for name in _MEASURES if name in tension) or tuple(_MEASURES)
    rows = columns(tension, ("ring_index", *there), "tension of games")
    found = {}
    for name in there:
        if _MEASURES[name]:
            found[name] = [*share_of_rings(rows[name], rows["ring_index"], confidence), len(rows)]
        else:
            row = mean_of(rows[name], rows["ring_index"], confidence=confidence)
            found[name] = [*row[["estimate", "low", "high"]], len(rows)]
    return pd.DataFrame.from_dict(found, orient="index", columns=["estimate", "low", "high", "n"])


def snowball(
    games: pd.DataFrame,
    patches: pd.DataFrame,
    ruleset: Ruleset,
    spaces: Sequence[int] = (11, 23, 35),
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return by how much a lead in income goes with winning: log-odds a button of lead, at each of some spaces.

    A logistic regression of whether seat 0 wins on a constant and on its income less that of seat 1, each counted when
    the token of the seat passes the space, what it then buys included. Interval: `clusters.regress`. The slope is the
    same lead's whole story: who leads in income may also be ahead in other things, or behind.

    `games` has the columns game_index, ring_index and winner; `patches` has game_index, patch, seat and space, with
    a row for each patch of each game. Returns a row a space: `estimate`, `low`, `high`, `p_value` and `n`, the games.
    Raises ValueError for a space that is not on the track, or at which nobody is ever ahead.
    """
    import pandas as pd

    rows = columns(patches, ("game_index", "patch", "seat", "space"), "patches")
    of_games(rows, games, ("winner",))
    game = columns(games, ("game_index", "ring_index", "winner")).set_index("game_index")
    game = game.loc[np.unique(rows["game_index"])]
    income = of_patches(rows["patch"], {patch.id: patch.income for patch in ruleset.patches})
    signed = income * np.select([rows["seat"] == 0, rows["seat"] == 1], [1, -1], 0)
    won = (game["winner"] == 0).to_numpy(dtype=float)
    found = {}
    for space in spaces:
        if not 0 < space <= ruleset.finish:
            raise ValueError(f"there is no space {space} to be passed; they are 1 to {ruleset.finish}")
        before = np.where(rows["space"] < space, signed, 0)
        lead = pd.Series(before).groupby(rows["game_index"].to_numpy()).sum().to_numpy()
        design = pd.DataFrame({"constant": 1.0, "lead": lead.astype(float)})
        row = regress(won, design, game["ring_index"], logistic=True, confidence=confidence).loc["lead"]
        found[space] = {**row, "n": len(game)}
    return pd.DataFrame.from_dict(found, orient="index").rename_axis("space")
