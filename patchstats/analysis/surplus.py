"""What a patch is worth beyond its price, in buttons, by what agents say of their offers.

What an agent logs as `value` of an offer (`--log offers`) is in a unit of its own, which `in_buttons` knows:

- `greedy`: hundredths of a button, cost and time already taken off. The advance is on the same scale, but not logged;
  `greedy_advance` works it out.
- `puct`, `alphabeta`, `mcts` and `rollout` with the objective `margin` or `own`: millionths of a worth w of the game
  after the purchase: w = x / sqrt(1 + x^2), with x the margin in the end, over 15, or for `own` the own score less 15,
  over 15. A point is 66,667 at w = 0, and less elsewhere. The worth is a mean over many outcomes, or what play leads
  to; its points are those of that mean, not the mean of points. The advance is not logged.
- The same with the objective `win` or `blend` (`puct`, `rollout` and `mcts` as they are named): a worth of which 1 is
  a sure win. That is no number of buttons.
- `scored` and `scripted` agents: whatever their function returns; the others log no value.

A point is a button: that is how scores are counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from patchstats.agents.panel import PANEL
from patchstats.agents.parameters import Value, read_parameters
from patchstats.analysis.checks import columns
from patchstats.analysis.clusters import mean_of, of_games, some_missing, with_q
from patchstats.analysis.positions import LAYS_LEATHER, positions
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    import pandas as pd

#: How many units of `greedy` are a button, and how many units of a searching agent are a worth of 1.
_HUNDREDTHS, _MILLIONTHS = 100, 1_000_000

#: The objectives of searching agents whose worths are of points.
_OF_POINTS = ("margin", "own")


def shadow_surplus(
    offers: pd.DataFrame,
    games: pd.DataFrame,
    advance: pd.DataFrame | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return by how much each patch is worth more than the best other option when it is on offer and can be bought.

    The mean over such offers of the value of the patch less the greatest value of the other patches on offer that could
    be bought, and of the advance. It is what the patch could cost more, for this agent, before another option is as
    good, so that cost + surplus is its break-even price: a shadow price, as in Dorfman, Samuelson and Solow, "Linear
    Programming and Economic Analysis" (1958), chapter 2. Unit: that of `value`; see `in_buttons`. Interval:
    `clusters.mean_of` over the offers, clustered by ring, since those of a game are alike.

    Args:
        offers: the columns game_index, ply, patch, affordable and value; of one agent, or of agents with one unit.
        games: the columns game_index and ring_index.
        advance: what it is worth to advance, in the same unit: game_index, ply and value, as `greedy_advance` gives it.
            Without it, patches are compared with other patches alone, and what is alone on offer is left out.
        confidence: how often the intervals hold the truth.

    Offers without a value, which could not be bought or which the agent did not look at, are neither counted nor an
    option. Returns a row a patch: `estimate`, `low`, `high`, `p_value`, `q_value` and `n`, the offers; without an
    estimate where they were made on fewer than two rings. Raises ValueError when no offer has a value, and for offers
    of other games.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"game_index": [0, 1, 2], "ring_index": [0, 1, 2]})
    >>> offers = pd.DataFrame({"game_index": [0, 0, 1, 1, 2, 2], "ply": 0, "affordable": True})
    >>> offers = offers.assign(patch=["p21", "p02"] * 3, value=[6.0, 2.0, 5.0, 2.0, 4.0, 2.0])
    >>> shadow_surplus(offers, games)["estimate"].to_dict()
    {'p02': -3.0, 'p21': 3.0}
    """
    import pandas as pd

    rows = some_missing(offers, ("game_index", "ply", "patch", "affordable", "value"), "offers")
    ring = of_games(rows, games, ("ring_index",))["ring_index"]
    rows = rows.assign(ring=ring)[rows["affordable"].astype(bool) & rows["value"].notna()]
    if not len(rows):
        told = ", ".join(["greedy", "scored", *(card.name for card in PANEL if _searches(card.parameters))])
        raise ValueError(f"no offer has a value that the agent told; these tell some: {told}")
    turn = ["game_index", "ply"]
    value = rows["value"].to_numpy(dtype=float)
    order = np.lexsort((-value, rows["ply"], rows["game_index"]))
    rows, value = rows.iloc[order], value[order]
    number = rows.groupby(turn).ngroup().to_numpy()
    first = np.append(True, number[1:] != number[:-1])
    last = np.append(first[1:], True)
    best = value[np.maximum.accumulate(np.where(first, np.arange(len(value)), 0))]
    second = np.where(last, -np.inf, np.append(value[1:], 0))
    other = np.where(first, second, best)
    if advance is not None:
        to_advance = columns(advance, (*turn, "value"), "advances").set_index(turn)["value"].astype(float)
        known = to_advance.reindex(pd.MultiIndex.from_frame(rows[turn])).fillna(-np.inf).to_numpy()
        other = np.maximum(other, known)
    compared = np.isfinite(other)
    named = rows["patch"].astype("category").cat
    found = {}
    for code, patch in enumerate(named.categories):
        those = compared & (named.codes == code).to_numpy()
        found[patch] = pd.Series({"n": those.sum()}, dtype=float)
        if rows["ring"][those].nunique() > 1:
            row = mean_of((value - other)[those], rows["ring"][those], confidence=confidence)
            found[patch] = pd.concat([found[patch], row])
    frame = pd.DataFrame(found).T.reindex(columns=["estimate", "low", "high", "p_value", "n"])
    return with_q(frame.rename_axis("patch"))[["estimate", "low", "high", "p_value", "q_value", "n"]]


def in_buttons(value: pd.Series[Any], agent: str) -> pd.Series[float]:
    """Return what an agent of this spec logged as values in buttons; missing ones stay missing.

    Raises ValueError for agents that tell no buttons; the module says which do.

    >>> import pandas as pd
    >>> in_buttons(pd.Series([560, None], dtype="Int32"), "greedy").to_list()
    [5.6, nan]
    >>> in_buttons(pd.Series([200_000], dtype="Int32"), "puct:objective=margin").round(2).to_list()
    [3.06]
    """
    import pandas as pd

    name, told = _told(agent)
    told_as = value.astype("Float64").to_numpy(dtype=float, na_value=np.nan)
    if name == "greedy":
        found = told_as / _HUNDREDTHS
    elif told.get("objective") in _OF_POINTS:
        from patchstats.kernel.search.evaluation import MUCH

        worth = told_as / _MILLIONTHS
        found = MUCH * worth / np.sqrt(1 - worth**2)
    else:
        why = f"goes for {told['objective']}" if "objective" in told else "tells none"
        raise ValueError(
            f"agent {agent}: its values are no buttons, as it {why}; greedy tells some, and puct:objective=margin"
        )
    return pd.Series(found, value.index, name=value.name)


def greedy_advance(turns: pd.DataFrame, games: pd.DataFrame, ruleset: Ruleset, agent: str = "greedy") -> pd.DataFrame:
    """Return what each advance that could be made was worth to `greedy`, in buttons: game_index, ply and value.

    (1 - time_price) s + leather l, where an advance goes s spaces, to the one before the other token, and reaches l
    leathers. `turns` and `games` have the columns of `positions`. Raises ValueError for the spec of another agent.

    >>> import tempfile
    >>> from patchstats import simulate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = simulate(games=1, seed=1, log="turns", out=folder)
    ...     found = greedy_advance(run.turns(), run.games(), run.ruleset)
    >>> found["value"].head(3).round(2).to_list()
    [-0.8, -4.8, -4.0]
    """
    import pandas as pd

    name, told = _told(agent)
    if name != "greedy":
        raise ValueError(f"agent {agent}: what an advance is worth to it is not known, only to greedy")
    there = positions(turns, games, ruleset)
    kind = turns.sort_values(["game_index", "ply"])["kind"].to_numpy()
    own = np.where(there["seat"] == 0, there["space_0"], there["space_1"])
    other = np.where(there["seat"] == 0, there["space_1"], there["space_0"])
    end = np.minimum(other + 1, ruleset.finish)
    marks = np.array(ruleset.leather_marks)
    leathers = ((marks > other[:, None]) & (marks <= end[:, None])).sum(axis=1)  # the others are taken
    value = (1 - float(told["time_price"])) * (end - own) + float(told["leather"]) * leathers
    found = pd.DataFrame({"game_index": there["game_index"], "ply": there["ply"], "value": value})
    return pd.DataFrame(found[kind != LAYS_LEATHER]).reset_index(drop=True)


def _told(agent: str) -> tuple[str, Mapping[str, Value]]:
    """The name of an agent of patchstats, without restrictions, and what it is told."""
    before, _, parameters = agent.partition(":")
    *restrictions, name = before.split("+")
    for card in PANEL:
        if card.name == name:
            told = read_parameters(agent, parameters, card.parameters)
            overruled = card.ignoring_opponent if "ignores-opponent" in restrictions else None
            return name, {**told, **(overruled or {})}
    return name, {}


def _searches(parameters: Any) -> bool:
    return any(one.name == "objective" for one in parameters)
