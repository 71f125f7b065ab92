"""How buttons, income and empty cells of both seats go on, space by space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from patchstats.analysis.checks import columns
from patchstats.analysis.clusters import some_missing
from patchstats.analysis.positions import LAYS_LEATHER, of_patches
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    import pandas as pd

#: The columns of the turns table that it is computed from.
OF_TURNS = ("game_index", "seat", "kind", "patch", "time_after", "buttons_before", "buttons_after")

#: The columns of the patches table.
OF_PATCHES = ("game_index", "patch", "seat", "space")


def economy(turns: pd.DataFrame, ruleset: Ruleset) -> pd.DataFrame:
    """Return what each seat has on average by the time its token leaves each space.

    A row a space, with `buttons`, `income` and `empty` (cells) of both seats, `_0` and `_1`: what it began with, and
    what all its plies changed that ended on the space or before it. All games count at every space, so that the means
    are of the same games. `turns` must hold all plies of its games.

    >>> import tempfile
    >>> from patchstats import simulate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = simulate(games=20, seed=1, log="turns", engine="reference", out=folder)
    ...     found, games = economy(run.turns(), run.ruleset), run.games()
    >>> bool(np.allclose(found.loc[53, ["buttons_0", "empty_1"]], games[["buttons_0", "empty_1"]].mean()))
    True
    """
    rows = some_missing(turns, OF_TURNS, "turns")
    covered = of_patches(rows["patch"], {patch.id: patch.size for patch in ruleset.patches})
    changes = {
        "buttons": (rows["buttons_after"] - rows["buttons_before"]).to_numpy(),
        "income": of_patches(rows["patch"], {patch.id: patch.income for patch in ruleset.patches}),
        "empty": -np.where((rows["kind"] == LAYS_LEATHER).to_numpy(), 1, covered),
    }
    return _summed(changes, rows, rows["time_after"].to_numpy(), ruleset)


def economy_of_patches(patches: pd.DataFrame, ruleset: Ruleset) -> pd.DataFrame:
    """Return the same of `income` and `empty` alone, from who bought which patch where; leathers are not counted.

    `patches` is the table of `Run.patches`, with a row for each patch of each game.
    """
    rows = columns(patches, OF_PATCHES, "patches")
    amounts = {
        name: of_patches(rows["patch"], {patch.id: getattr(patch, name) for patch in ruleset.patches})
        for name in ("income", "size", "time")
    }
    changes = {"income": amounts["income"], "empty": -amounts["size"]}
    return _summed(changes, rows, np.minimum(rows["space"].to_numpy() + amounts["time"], ruleset.finish), ruleset)


def _summed(changes: dict[str, Any], rows: pd.DataFrame, space: Any, ruleset: Ruleset) -> pd.DataFrame:
    """The means of what was there at the start and all changes up to each space."""
    import pandas as pd

    start = {"buttons": ruleset.start_buttons, "income": 0, "empty": ruleset.quilt_size**2}
    games = rows["game_index"].nunique()
    found = {}
    for name, amounts in changes.items():
        for seat in (0, 1):
            own = (rows["seat"] == seat).to_numpy()
            at = np.bincount(space[own], weights=amounts[own], minlength=ruleset.finish + 1)
            found[f"{name}_{seat}"] = start[name] + np.cumsum(at) / games
    return pd.DataFrame(found).rename_axis("space")
