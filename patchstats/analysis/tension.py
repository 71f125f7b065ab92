"""How tense games are: whether leads change, when it was over, how close it was, and how much there was to choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from patchstats.analysis.checks import chance, columns, finite
from patchstats.analysis.clusters import mean_of, of_games, regress, some_missing
from patchstats.analysis.estimate import Estimate, effective_games, share_of_rings
from patchstats.analysis.positions import of_patches
from patchstats.analysis.shares import share
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    import pandas as pd

#: Games that end with so many points between the scores, or fewer, are close.
CLOSE = 3

#: Which parts of games a fan shows: it is symmetric about the middle one, the median.
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

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
    chance(decided, "decided")
    of = of_games(rows, games, ("ring_index", "winner", "score_0", "score_1", "lead_changes"))
    of_winner = _of_winner(probability, of["winner"])
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


def median_of_games(values: ArrayLike, rings: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Return the median of a value of each game; `rings` tells the ring of each, which is the unit.

    The interval holds the values at the ends of the interval of a share of one half: that of Wilson for as many games
    as the share of games with no more than the median is worth (`estimate.effective_games`). Woodruff, "Confidence
    intervals for medians and other position measures", JASA 47 (1952). Where many games have the same value, it holds
    the median more often than it says. Raises ValueError for values that are no numbers, and where there are none.

    >>> print(f"{median_of_games(range(101), range(101)):.0f}")
    50 [40, 60]
    """
    numbers = finite(values, "the values of games")
    median = float(np.median(numbers))
    worth = effective_games(numbers <= median, rings)
    half = share(worth / 2, worth, confidence)
    low, high = np.quantile(numbers, [half.low, half.high], method="inverted_cdf")
    return Estimate(median, float(low), float(high))


def winner_fan(
    positions: pd.DataFrame, probability: ArrayLike, ruleset: Ruleset, quantiles: Sequence[float] = QUANTILES
) -> pd.DataFrame:
    """Return how sure the eventual winner's win was by each space, in some quantiles over games: a fan.

    Of each game and space it is the probability in the last position in which the token further back had not gone
    beyond that space; what both tokens have passed is over. Fans: Britton, Fisher and Whitley, "The Inflation Report
    projections: understanding the fan chart", Bank of England Quarterly Bulletin 38 (1998).

    Args:
        positions: as `positions.positions` returns them: game_index, ply, winner, space_0 and space_1.
        probability: that seat 0 wins, of each position; best from `win_probability.held_out`.
        ruleset: what is played.
        quantiles: which ones, from 0 to 1.

    Returns a row for each space before the finish, and a column for each quantile. Raises ValueError for probabilities
    or quantiles that are none, a column that is missing, and games whose first positions are missing.

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"game_index": 5, "ply": range(3), "winner": 1, "space_0": [0, 4, 4], "space_1": [0, 0, 9]})
    >>> winner_fan(rows, [0.5, 0.4, 0.1], Ruleset.load("original"), [0.5]).loc[[0, 3, 4], 0.5].to_list()
    [0.6, 0.6, 0.9]
    """
    import pandas as pd

    rows = columns(positions, ("game_index", "ply", "winner", "space_0", "space_1"), "positions")
    if not len(quantiles) or min(quantiles) < 0 or max(quantiles) > 1:
        raise ValueError(f"quantiles must be from 0 to 1, not {list(quantiles)}")
    back = np.minimum(rows["space_0"], rows["space_1"])
    rows = rows.assign(sure=_of_winner(probability, rows["winner"]), back=back)
    rows = rows[rows["back"] < ruleset.finish].sort_values(["game_index", "ply"])
    last = rows.drop_duplicates(["game_index", "back"], keep="last")
    wide = last.pivot(index="game_index", columns="back", values="sure").reindex(columns=range(ruleset.finish))
    if wide[0].isna().any():
        raise ValueError(f"the first positions of game {wide.index[wide[0].isna()][0]} are missing; give all of a game")
    fan = np.quantile(wide.ffill(axis=1).to_numpy(), quantiles, axis=0)
    return pd.DataFrame(fan.T, pd.RangeIndex(ruleset.finish, name="space"), list(quantiles))


def choices(offers: pd.DataFrame, games: pd.DataFrame, advance: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return how much there was to choose in each turn, by what the agent held its options to be worth.

    Args:
        offers: the columns game_index, ply, patch, affordable and value, as in `surplus.shadow_surplus`; best in
            buttons: `surplus.in_buttons`.
        games: the columns game_index and ring_index.
        advance: what it is worth to advance, in the same unit: game_index, ply and value, as `surplus.greedy_advance`
            gives it. Without it, the gap is that of the two best patches.

    Returns a row a turn: `game_index`, `ply`, `ring_index`; `options`, the patches with a value that could be bought,
    and the advance, which can always be chosen; and `gap`, by how much the best of what has a value is worth more than
    the next, missing where there are not two. The gap is what the best wrong choice costs: the action gap of Bellemare
    et al., "Increasing the action gap", AAAI 2016. Raises ValueError for a column that is missing and other games.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"game_index": [0], "ring_index": [0]})
    >>> offers = pd.DataFrame({"game_index": 0, "ply": [0, 0, 1], "patch": ["p21", "p02", "p03"], "affordable": True})
    >>> choices(offers.assign(value=[6.0, 2.0, 5.0]), games)[["options", "gap"]].to_dict("list")
    {'options': [3, 2], 'gap': [4.0, nan]}
    """
    import pandas as pd

    turn = ["game_index", "ply"]
    rows = some_missing(offers, (*turn, "patch", "affordable", "value"), "offers")
    turns = rows[turn].drop_duplicates()
    rows = rows[rows["affordable"].astype(bool) & rows["value"].notna()]
    options = rows.groupby(turn).size()
    valued = rows[[*turn, "value"]].astype({"value": float})
    if advance is not None:
        valued = pd.concat([valued, columns(advance, (*turn, "value"), "advances").merge(turns, on=turn)])
    valued = valued.sort_values([*turn, "value"])
    behind = valued.groupby(turn)["value"].diff()
    gap = behind.groupby([valued["game_index"], valued["ply"]]).last(skipna=False)
    index = pd.MultiIndex.from_frame(turns).sort_values()
    found = pd.DataFrame({"options": options.reindex(index, fill_value=0) + 1, "gap": gap.reindex(index)}).reset_index()
    found.insert(2, "ring_index", of_games(found, games, ("ring_index",))["ring_index"].to_numpy())
    return found


def mean_choices(chosen: pd.DataFrame, within: float = 1.0, confidence: float = 0.95) -> pd.DataFrame:
    """Return how much there is to choose in a turn: `estimate`, `low`, `high` and `n`, the turns.

    Of what `choices` returns: `options`, the mean number; `alone`, the share of turns with the advance as the only one;
    `near`, of the turns with a gap, the share in which it is `within` or less. Interval: `clusters.mean_of`; the ring
    is the unit. Raises ValueError for a column that is missing, and where no turn has a gap.

    >>> import pandas as pd
    >>> chosen = pd.DataFrame({"ring_index": range(4), "options": [1, 2, 3, 4], "gap": [None, 0.5, 2.0, 4.0]})
    >>> mean_choices(chosen)["estimate"].round(2).to_dict()
    {'options': 2.5, 'alone': 0.25, 'near': 0.33}
    """
    import pandas as pd

    rows = some_missing(chosen, ("ring_index", "options", "gap"), "choices")
    compared = rows[rows["gap"].notna()]
    if not len(compared):
        raise ValueError(f"in none of {len(rows)} turns two options have a value; greedy tells that of each patch")
    found = {}
    for name, values, of in (
        ("options", rows["options"], rows),
        ("alone", rows["options"] == 1, rows),
        ("near", compared["gap"] <= within, compared),
    ):
        row = mean_of(values.astype(float), of["ring_index"], confidence=confidence)
        found[name] = [*row[["estimate", "low", "high"]], len(of)]
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


def _of_winner(probability: ArrayLike, winner: pd.Series[Any]) -> NDArray[np.float64]:
    """The probability that the winner wins, of each position, from the probability that seat 0 does."""
    p = finite(probability, "the probabilities")
    if len(p) != len(winner) or (p < 0).any() or (p > 1).any():
        raise ValueError(f"each of {len(winner)} positions needs a probability from 0 to 1; there are {len(p)}")
    return np.where(winner == 0, p, 1 - p)
