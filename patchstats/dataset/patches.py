"""The table of patches: who bought each patch of a game, and when, computed from action logs, many games at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from patchstats.dataset.schema import PATCHES
from patchstats.dataset.shards import arrow_schema
from patchstats.notation.action_log import ADVANCE, BUY
from patchstats.rules import Ruleset

#: What the table is computed from: columns of the games table.
NEEDED = ("game_index", "ring", "actions")


def patches_of(ruleset: Ruleset, games: pa.Table, jitter: str = "") -> pa.Table:
    """Return the rows of `schema.PATCHES` of some games, by game and by patch; with jitter `games` has that, too.

    Only the ring and the tokens are followed, through the purchases and advances of each log: the games are taken to be
    legal ones.
    """
    patches = len(ruleset.patches)
    number = games.num_rows
    data, starts, _ = _bytes_of(games["ring"])
    # From here on a patch is its row in the ruleset's table from 0; `ring` holds the patches left, from the neutral
    # token on.
    ring = data[starts[:, None] + np.arange(patches)] - 1
    rows = np.arange(number)
    found: dict[str, NDArray[np.int16]] = {
        name: np.full((number, patches), -1, dtype=np.int16) for name in ("place", "seat", "ply", "slot", "space")
    }
    found["place"][rows[:, None], ring] = np.arange(patches)
    times = np.broadcast_to([patch.time for patch in ruleset.patches], (number, patches))
    if "time" in jitter:
        data, starts, _ = _bytes_of(games["jitter"])
        begin = jitter.split("+").index("time") * patches
        times = times + data.view(np.int8)[starts[:, None] + begin + np.arange(patches)]
    left = np.full(number, patches)
    space = np.zeros((number, 2), dtype=np.int64)
    on_top = np.zeros(number, dtype=np.intp)
    data, starts, lengths = _bytes_of(games["actions"])
    plies = lengths // 2
    for ply in range(int(plies.max(initial=0))):
        there = rows[plies > ply]
        at = starts[there] + 2 * ply
        codes = data[at].astype(np.intp) | data[at + 1].astype(np.intp) << 8
        behind = np.sign(space[there, 0] - space[there, 1])
        seats = np.select([behind < 0, behind > 0], [0, 1], on_top[there])  # 3.1, 3.2
        kinds = codes & 3
        moves = np.zeros(len(there), dtype=np.int64)
        advancing = kinds == ADVANCE
        moves[advancing] = np.abs(space[there, 0] - space[there, 1])[advancing] + 1
        buying = kinds == BUY
        games_, slots, buyers = there[buying], (codes >> 2 & 7)[buying], seats[buying]
        bought = ring[games_, slots]
        moves[buying] = times[games_, bought]
        for name, values in (("seat", buyers), ("ply", ply), ("slot", slots), ("space", space[games_, buyers])):
            found[name][games_, bought] = values
        turned = slots[:, None] + 1 + np.arange(left[games_].max(initial=1) - 1)
        turned -= np.where(turned < left[games_, None], 0, left[games_, None])
        ring[games_, : turned.shape[1]] = ring[games_[:, None], turned]
        left[games_] -= 1
        moved = moves > 0
        movers, seats = there[moved], seats[moved]
        space[movers, seats] = np.minimum(space[movers, seats] + moves[moved], ruleset.finish)
        on_top[movers] = seats
    columns: dict[str, Any] = {
        "game_index": np.repeat(games["game_index"].to_numpy(), patches),
        "patch": np.tile(np.arange(1, patches + 1), number),
        **{name: values.reshape(-1) for name, values in found.items()},
    }
    schema = arrow_schema(PATCHES, {})
    return pa.Table.from_arrays(
        [pa.array(columns[field.name], field.type, safe=False) for field in schema], schema=schema
    )


def _bytes_of(column: pa.ChunkedArray) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """The byte strings of a column one after the other, where each begins, and how long each is."""
    strings = column.combine_chunks()
    _, offsets, data = strings.buffers()
    ends = np.frombuffer(offsets, dtype=np.int32)[strings.offset :][: len(strings) + 1].astype(np.int64)
    return np.frombuffer(data or b"", dtype=np.uint8), ends[:-1], np.diff(ends)
