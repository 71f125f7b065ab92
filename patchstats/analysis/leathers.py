"""The leathers of the track: who takes each of them and when, and how many holes there are for the first.

`first_leather` counts holes of up to so many cells, since whether a leather is useless depends on what a hole is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from patchstats.analysis.checks import columns
from patchstats.analysis.clusters import of_games, some_missing
from patchstats.metrics.regions import regions
from patchstats.notation.action_log import BUY, KINDS
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    import pandas as pd

#: The columns of the turns table that tell who took which leather when.
TAKEN = ("game_index", "ply", "seat", "time_after", "leather_gained")

#: Those that tell what lay on a quilt, too.
LAID = (*TAKEN, "kind", "patch", "orientation", "cell")

_BOUGHT = KINDS[BUY]


def leathers_taken(turns: pd.DataFrame, games: pd.DataFrame, ruleset: Ruleset) -> pd.DataFrame:
    """Return a row for each leather of each game: who took it and when.

    Columns: `game_index`, `ring_index`, `mark` (the space on which the leather lay), `seat` (who took it), `ply`, and
    `space`, where the taker's token stood after that ply. Leathers are taken in the order of their marks: what lies
    behind the token that is ahead has been taken. `turns` are those of the games, or of them the rows that gained a
    leather; `games` has the columns game_index and ring_index. Raises ValueError for a ruleset without leathers, for
    turns in which some leather of a game is not taken, and for games of another run.

    >>> import tempfile
    >>> from patchstats import simulate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = simulate(games=2, seed=1, log="turns", out=folder)
    ...     found = leathers_taken(run.turns(), run.games(), run.ruleset)
    >>> found.loc[found["game_index"] == 1, ["mark", "seat", "ply", "space"]].to_numpy().tolist()
    [[20, 1, 16, 20], [26, 1, 21, 27], [32, 1, 28, 34], [44, 0, 37, 44], [50, 0, 40, 50]]
    """
    import pandas as pd

    marks = _marks(ruleset)
    rows = columns(turns, TAKEN, "turns")
    rows = rows[rows["leather_gained"] > 0].sort_values(["game_index", "ply"], ignore_index=True)
    taken = rows.groupby("game_index")["leather_gained"].sum().reindex(games["game_index"].unique(), fill_value=0)
    if (taken != len(marks)).any():
        game = taken.index[int((taken != len(marks)).to_numpy().argmax())]
        raise ValueError(
            f"of the {len(marks)} leathers of game {game} the turns tell of {taken[game]}; read the turns of all games"
        )
    each = rows.loc[rows.index.repeat(rows["leather_gained"])].reset_index(drop=True)
    found = {
        "game_index": each["game_index"],
        "ring_index": of_games(each, games, ("ring_index",))["ring_index"],
        "mark": np.tile(marks, len(taken)),
        "seat": each["seat"],
        "ply": each["ply"],
        "space": each["time_after"],
    }
    return pd.DataFrame(found)


def first_leather(turns: pd.DataFrame, games: pd.DataFrame, ruleset: Ruleset, hole: int) -> pd.DataFrame:
    """Return a row for each game: who took the first leather and when, and how many holes the taker's quilt had then.

    Columns: `game_index`, `ring_index`, `seat`, `ply`, `space` as in `leathers_taken`, and `holes`: the empty regions
    of at most `hole` cells, joined by sides, on the taker's quilt after the ply that took it and before it is laid.
    A patch bought in that ply lies already. With `hole` 1 they are what the turns call holes; a leather fills each of
    these, and makes one of them out of a region of two cells. `turns` must hold the plies of each game up to its first
    leather, in any order. Raises ValueError as `leathers_taken` does, where plies before the first leather are missing,
    and for a `hole` below 1.

    >>> import tempfile
    >>> from patchstats import simulate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = simulate(games=6, seed=1, log="turns", out=folder)
    ...     turns, games = run.turns(), run.games()
    >>> [first_leather(turns, games, run.ruleset, hole)["holes"].to_list() for hole in (1, 2)]
    [[0, 0, 0, 0, 3, 0], [0, 0, 0, 0, 4, 1]]
    """
    if hole < 1:
        raise ValueError(f"a hole has one cell or more, so that hole must be 1 or more, not {hole}")
    rows = some_missing(turns, LAID, "turns")
    taken = leathers_taken(rows, games, ruleset)
    first = taken[~taken["game_index"].duplicated()].drop(columns="mark").reset_index(drop=True)
    until = of_games(rows, first, ("seat", "ply"))
    before = (rows["ply"] <= until["ply"]).to_numpy()
    plies = rows[before].groupby("game_index")["ply"].nunique().reindex(first["game_index"]).to_numpy()
    if (plies != first["ply"].to_numpy() + 1).any():
        raise ValueError("the turns lack plies before the first leather of some games; read them without filters")
    own = rows[before & (rows["seat"] == until["seat"]).to_numpy() & (rows["kind"] == _BOUGHT).to_numpy()]
    covered = _covered(own, first["game_index"].to_numpy(), ruleset)
    size = ruleset.quilt_size
    small = [sum(part.bit_count() <= hole for part in regions(ruleset.quilt & ~one, size)) for one in covered]
    return first.assign(holes=np.array(small, dtype=np.int64))


def _marks(ruleset: Ruleset) -> NDArray[np.int64]:
    if not ruleset.leather_marks:
        raise ValueError(f"the ruleset {ruleset.name} has no leathers on its track; give one that has")
    return np.sort(np.array(ruleset.leather_marks, dtype=np.int64))


def _covered(bought: pd.DataFrame, games: NDArray[Any], ruleset: Ruleset) -> list[int]:
    """The cells that these purchases cover on one quilt of each game."""
    covered = dict.fromkeys(games.tolist(), 0)
    of_row = bought[["game_index", "patch", "orientation", "cell"]]
    for game, patch, orientation, cell in of_row.itertuples(index=False, name=None):
        covered[game] |= ruleset.ways_to_lay[patch][orientation].pattern << int(cell)
    return list(covered.values())
