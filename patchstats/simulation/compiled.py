"""A shard played by the compiled engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from patchstats.columns import Column
from patchstats.dataset.manifest import Shard
from patchstats.dataset.shards import Binaries, Nullable, Texts, Values, encode_columns
from patchstats.kernel.engine import PlayedGames, Player
from patchstats.kernel.offer_rows import NOTHING
from patchstats.simulation.shard import Work, write_shard
from patchstats.simulation.spec import RunSpec


def player_of(spec: RunSpec) -> Player:
    """Return what plays the games of a run; a thread needs one of its own."""
    first, second = (agent.decider for agent in spec.make_agents())
    assert first is not None, "the compiled engine was chosen"
    assert second is not None, "the compiled engine was chosen"
    return Player(spec.ruleset, (first(), second()), spec.games_per_ring, spec.mirrored, spec.jitter)


def play_compiled(work: Work, player: Player, shard: int) -> Shard:
    """Let the compiled engine play a shard, write its files, and return the manifest's entry for it.

    Equals `shard.play_shard`. Raises OSError when a file cannot be written.
    """
    games = work.spec.games_of(shard)
    played = player.play(
        work.spec.seed, games.start, len(games), turns="turns" in work.tables, offers="offers" in work.tables
    )
    return write_played(work, shard, played)


def write_played(work: Work, shard: int, played: PlayedGames) -> Shard:
    """Write the files of a shard and return the manifest's entry for it."""
    metadata = work.planned.metadata()

    def encode(table: str, columns: Sequence[Column]) -> tuple[int, bytes]:
        if table == "games":
            rows, values = len(played.plies), _games(played, work.spec)
        elif table == "turns":
            rows, values = len(played.actions), _turns(played)
        else:
            rows, values = int(played.offers_per_game.sum()), _offers(played)
        return rows, encode_columns(rows, values, columns, metadata)

    return write_shard(work, shard, played.games["winner"], encode)


def _games(played: PlayedGames, spec: RunSpec) -> dict[str, Values]:
    games, patches = played.rings.shape
    steps = played.jitter.shape[1]
    indices = np.arange(played.first, played.first + games, dtype=np.int64)
    swapped = (indices % 2 if spec.mirrored else np.zeros_like(indices)).astype(np.int8)
    return {
        **played.games,
        "game_index": indices,
        "ring_index": indices // spec.games_per_ring,
        "ring": Binaries(played.rings.reshape(-1), np.arange(1, games + 1) * patches),
        "agent_0": Texts(swapped, spec.agents),
        "agent_1": Texts(swapped, spec.agents[::-1]),
        "jitter": Binaries(played.jitter.view(np.uint8).reshape(-1), np.arange(1, games + 1) * steps),
        "actions": Binaries(played.actions.astype("<u2").view(np.uint8), 2 * np.cumsum(played.plies, dtype=np.int64)),
    }


def _turns(played: PlayedGames) -> dict[str, Values]:
    assert played.turns is not None, "turns were asked for"
    return {**played.turns, "game_index": _game_indices(played, played.plies)}


def _offers(played: PlayedGames) -> dict[str, Values]:
    assert played.offers is not None, "offers were asked for"
    told = {name: _told(played.offers[name]) for name in ("value", "probability")}
    return {**played.offers, **told, "game_index": _game_indices(played, played.offers_per_game)}


def _told(numbers: np.ndarray[tuple[int], np.dtype[np.int32]]) -> Values:
    """A column of what agents told; most tell nothing, and nothing is written quickest."""
    there = numbers != NOTHING
    return Nullable(numbers, there) if there.any() else None


def _game_indices(
    played: PlayedGames, rows: np.ndarray[tuple[int], np.dtype[np.int32]]
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    games = np.arange(played.first, played.first + len(rows), dtype=np.int64)
    return np.repeat(games, rows)
