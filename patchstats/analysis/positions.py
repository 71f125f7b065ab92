"""What both seats had before each ply: tokens, buttons, income, empty cells and holes, from the turns of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from patchstats.analysis.clusters import of_games, some_missing
from patchstats.notation.action_log import KINDS, PLACE_LEATHER
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    import pandas as pd

#: The kind of a ply that lays a leather, as frames name it.
LAYS_LEATHER = KINDS[PLACE_LEATHER]

#: The columns of the turns table that positions are computed from.
OF_TURNS = ("game_index", "ply", "seat", "kind", "patch", "time_after", "buttons_after", "holes")

#: The columns of the games table that they are computed from.
OF_GAMES = ("ring_index", "winner", "plies", "bonus_seat", "bonus_ply")


def positions(turns: pd.DataFrame, games: pd.DataFrame, ruleset: Ruleset) -> pd.DataFrame:
    """Return a row for each ply: what there was before it.

    Columns: `game_index`, `ply`, `ring_index`, `plies` (of the game), `seat` (who acts), `winner`, `bonus` (1 when seat
    0 has won the bonus, -1 when seat 1 has, else 0), and for each seat `space`, `buttons`, `income`, `empty` and
    `holes` with `_0` or `_1` behind. What the other seat has is what its last ply left it. `turns` must hold all plies
    of its games, in any order. Raises ValueError for a column that is missing, no rows, or games of another run.

    >>> import tempfile
    >>> from patchstats import simulate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = simulate(games=2, seed=1, log="turns", out=folder)
    ...     found = positions(run.turns(), run.games(), run.ruleset)
    >>> found.loc[3, ["ply", "seat", "space_0", "space_1", "buttons_0", "buttons_1", "empty_0", "empty_1"]].to_list()
    [3, 1, 5, 5, 2, 1, 76, 70]
    """
    import pandas as pd

    rows = some_missing(turns, OF_TURNS, "turns").sort_values(["game_index", "ply"], ignore_index=True)
    game = of_games(rows, games, OF_GAMES)
    number = rows["game_index"].to_numpy()
    fresh = np.append(True, number[1:] != number[:-1])
    if (rows["ply"].to_numpy()[fresh] != 0).any() or len(rows) != game["plies"].to_numpy()[fresh].sum():
        raise ValueError("the turns lack plies of some games; read them without filters, or filter by game_index alone")
    gained = of_patches(rows["patch"], {patch.id: patch.income for patch in ruleset.patches})
    covered = of_patches(rows["patch"], {patch.id: patch.size for patch in ruleset.patches})
    covered = np.where((rows["kind"] == LAYS_LEATHER).to_numpy(), 1, covered)
    found: dict[str, Any] = {
        "game_index": number,
        "ply": rows["ply"],
        "ring_index": game["ring_index"],
        "plies": game["plies"],
        "seat": rows["seat"],
        "winner": game["winner"],
    }
    won = (game["bonus_seat"] >= 0) & (game["bonus_ply"] < rows["ply"])
    found["bonus"] = np.where(won, 1 - 2 * game["bonus_seat"].astype(np.int64), 0)
    start = {"space": 0, "buttons": ruleset.start_buttons, "holes": 0}
    starts = np.maximum.accumulate(np.where(fresh, np.arange(len(rows)), 0))
    for seat in (0, 1):
        own = (rows["seat"] == seat).to_numpy()
        for name, column in (("space", "time_after"), ("buttons", "buttons_after"), ("holes", "holes")):
            found[f"{name}_{seat}"] = _last_of(rows[column].to_numpy(), own, starts, start[name])
        found[f"income_{seat}"] = _sum_before(np.where(own, gained, 0), starts)
        found[f"empty_{seat}"] = ruleset.quilt_size**2 - _sum_before(np.where(own, covered, 0), starts)
    return pd.DataFrame(found)


def of_patches(patch: pd.Series[Any], amounts: Mapping[str, int]) -> NDArray[np.int64]:
    """Return the amount of each patch of a column, 0 where there is none.

    >>> import pandas as pd
    >>> of_patches(pd.Series(["p02", None, "p01"]), {"p01": 4, "p02": 7})
    array([7, 0, 4])
    """
    named = patch.astype("category").cat
    table = [amounts[one] for one in named.categories]
    return np.array([*table, 0], dtype=np.int64)[named.codes]  # -1, for none, takes the last


def _last_of(after: NDArray[Any], own: NDArray[np.bool_], starts: NDArray[np.int64], at_first: int) -> NDArray[Any]:
    """What a seat's last ply before each row left it; `starts` says in which row the game of each row began."""
    rows = np.arange(len(after))
    latest = np.maximum.accumulate(np.where(own, rows, -1))
    before = np.append(-1, latest[:-1])
    return np.where(before >= starts, after[before], at_first).astype(np.int64)


def _sum_before(amounts: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of the amounts of the rows of the same game before each row."""
    before: NDArray[np.int64] = np.cumsum(amounts) - amounts
    return before - before[starts]
