"""Shards played by the compiled engine, in threads of this process: it computes outside of Python's lock."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from patchstats.dataset.manifest import Shard
from patchstats.dataset.schema import LOG_LEVELS
from patchstats.dataset.shards import Binaries, Values, shard_path, write_columns
from patchstats.kernel.engine import PlayedGames, Player, compile_engine
from patchstats.simulation.pool import finished_ones
from patchstats.simulation.shard import games_last, listed_shard
from patchstats.simulation.spec import RunSpec


def play_compiled(spec: RunSpec, run: Path, missing: list[int], workers: int) -> Iterator[Shard]:
    """Play the shards, several at a time; yield each that is finished."""
    compile_engine()
    players = threading.local()

    def play(shard: int) -> Shard:
        if not hasattr(players, "mine"):
            players.mine = Player(spec.ruleset, spec.agents)
        games = spec.games_of(shard)
        played = players.mine.play(spec.seed, games.start, len(games), turns="turns" in LOG_LEVELS[spec.log])
        return write_played(spec, run, shard, played)

    executor = ThreadPoolExecutor(workers)
    try:
        yield from finished_ones(lambda shard: executor.submit(play, shard), missing, workers)
    finally:
        executor.shutdown(cancel_futures=True)


def write_played(spec: RunSpec, run: Path, shard: int, played: PlayedGames) -> Shard:
    """Write the files of a shard and return the manifest's entry for it."""
    rows = {"games": len(played.plies), "turns": len(played.actions)}
    for table, columns in games_last(spec):
        values = _turns(played) if table == "turns" else _games(played, spec.agents)
        write_columns(shard_path(run, table, shard), rows[table], values, columns, spec.metadata())
    return listed_shard(spec, run, shard, {table: rows[table] for table in LOG_LEVELS[spec.log]})


def _games(played: PlayedGames, agents: tuple[str, str]) -> dict[str, Values]:
    games, patches = played.rings.shape
    indices = np.arange(played.first, played.first + games, dtype=np.int64)
    return {
        **played.games,
        "game_index": indices,
        "ring_index": indices,
        "ring": Binaries(played.rings.reshape(-1), np.arange(1, games + 1) * patches),
        "agent_0": agents[0],
        "agent_1": agents[1],
        "actions": Binaries(played.actions.astype("<u2").view(np.uint8), 2 * np.cumsum(played.plies, dtype=np.int64)),
    }


def _turns(played: PlayedGames) -> dict[str, Values]:
    assert played.turns is not None, "turns were asked for"
    games = np.arange(played.first, played.first + len(played.plies), dtype=np.int64)
    return {**played.turns, "game_index": np.repeat(games, played.plies)}
