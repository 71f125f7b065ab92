"""One shard of a run: its games are played and written by whoever asks for it, in whatever process."""

from __future__ import annotations

from pathlib import Path

from patchstats.agents import Agent
from patchstats.dataset.rows import Row, games_row, turns_rows
from patchstats.dataset.schema import LOG_LEVELS, Column
from patchstats.dataset.shards import shard_path, shard_rows, write_shard
from patchstats.simulation.game import play_game
from patchstats.simulation.spec import RunSpec


def play_shard(spec: RunSpec, agents: tuple[Agent, Agent], run: Path, shard: int) -> int:
    """Play the games of a shard, write its files, and return how many games it has.

    Raises AgentError when an agent fails, and OSError when a file cannot be written.
    """
    games = spec.games_of(shard)
    tables: dict[str, list[Row]] = {table: [] for table in LOG_LEVELS[spec.log]}
    for game_index in games:
        game = play_game(spec.ruleset, agents, spec.seed, game_index)
        tables["games"].append(games_row(game))
        if "turns" in tables:
            tables["turns"] += turns_rows(game)
    for table, columns in _games_last(spec):
        write_shard(shard_path(run, table, shard), tables[table], columns, spec.metadata())
    return len(games)


def shard_is_there(spec: RunSpec, run: Path, shard: int) -> bool:
    """Whether a shard is there whole, with all the games that the spec gives it."""
    games = shard_rows(shard_path(run, "games", shard))
    return games == len(spec.games_of(shard)) and all(
        shard_path(run, table, shard).is_file() for table in LOG_LEVELS[spec.log]
    )


def _games_last(spec: RunSpec) -> list[tuple[str, tuple[Column, ...]]]:
    """The tables in the order they are written: the games file is the last, so that it stands for the whole shard."""
    return sorted(LOG_LEVELS[spec.log].items(), key=lambda table: table[0] == "games")
