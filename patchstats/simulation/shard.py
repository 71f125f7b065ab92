"""One shard of a run: its games are played and written by whoever asks for it, in whatever process."""

from __future__ import annotations

from pathlib import Path

from patchstats.agents import Agent
from patchstats.dataset.manifest import File, Shard
from patchstats.dataset.rows import Row, games_row, turns_rows
from patchstats.dataset.schema import LOG_LEVELS, Column
from patchstats.dataset.shards import rows_as_written, sha256_of, shard_path, write_shard
from patchstats.errors import RunError
from patchstats.simulation.game import play_game
from patchstats.simulation.spec import RunSpec


def play_shard(spec: RunSpec, agents: tuple[Agent, Agent], run: Path, shard: int) -> Shard:
    """Play the games of a shard, write its files, and return the manifest's entry for it.

    Raises AgentError when an agent fails, and OSError when a file cannot be written.
    """
    tables: dict[str, list[Row]] = {table: [] for table in LOG_LEVELS[spec.log]}
    for game_index in spec.games_of(shard):
        game = play_game(spec.ruleset, agents, spec.seed, game_index)
        tables["games"].append(games_row(game))
        if "turns" in tables:
            tables["turns"] += turns_rows(game)
    for table, columns in games_last(spec):
        write_shard(shard_path(run, table, shard), tables[table], columns, spec.metadata())
    return listed_shard(spec, run, shard, {table: len(rows) for table, rows in tables.items()})


def intact_shard(spec: RunSpec, run: Path, shard: int, listed: Shard | None) -> Shard | None:
    """Return the manifest's entry for a shard that is there with all its games and undamaged, else None.

    A shard that the manifest lists must be the very one it lists; another one is read and compared with itself written
    again.
    """
    try:
        if listed is not None and listed.games == len(spec.games_of(shard)):
            found = listed_shard(spec, run, shard, {table: file.rows for table, file in listed.files.items()})
            return found if found == listed else None
        rows = {}
        for table, columns in LOG_LEVELS[spec.log].items():
            there = rows_as_written(shard_path(run, table, shard), columns, spec.metadata())
            if there is None:
                return None
            rows[table] = there
        return listed_shard(spec, run, shard, rows) if rows["games"] == len(spec.games_of(shard)) else None
    except (RunError, KeyError):
        return None


def listed_shard(spec: RunSpec, run: Path, shard: int, rows: dict[str, int]) -> Shard:
    """The manifest's entry for the files of a shard, which have so many rows."""
    files = {}
    for table in LOG_LEVELS[spec.log]:
        path = shard_path(run, table, shard)
        sha256 = sha256_of(path)
        files[table] = File(rows[table], path.stat().st_size, sha256)
    games = spec.games_of(shard)
    return Shard(shard, games.start, len(games), files)


def games_last(spec: RunSpec) -> list[tuple[str, tuple[Column, ...]]]:
    """The tables in the order they are written: the games file is the last, so that it stands for the whole shard."""
    return sorted(LOG_LEVELS[spec.log].items(), key=lambda table: table[0] == "games")
