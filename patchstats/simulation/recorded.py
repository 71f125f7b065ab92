"""Runs of games that were not simulated here: recorded somewhere else, replayed by the rules, and written as a run.

Such a run says of its agents that they are `recorded`, with the checksum of what was read, and that they cannot play
again; `verify` replays the logged actions on the rings that the games table has.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from patchstats.dataset.manifest import RECORDED, Manifest, Shard, write_manifest
from patchstats.dataset.played import PlayedGame
from patchstats.dataset.rows import Row, games_row, offers_rows, turns_rows
from patchstats.dataset.run import Run
from patchstats.dataset.schema import LOG_LEVELS, SCHEMA_VERSION, TABLES
from patchstats.dataset.shards import encode_rows, shard_name
from patchstats.dataset.store import store_at
from patchstats.errors import RunError
from patchstats.rules import Ply, Ruleset
from patchstats.simulation.directory import clear_directory, explained, manifest_there, tidy_up
from patchstats.simulation.shard import Work, write_shard
from patchstats.simulation.spec import (
    BEHAVIOUR_VERSION,
    GAMES_PER_SHARD_OF_SCRIPTS,
    GREATEST_NUMBER_OF_GAMES,
    RunSpec,
)

#: The levels of `--log` that such a run can have: a summary could not be verified.
LEVELS = tuple(level for level in LOG_LEVELS if level != "summary")

#: The rows of one game, by table.
GameRows = dict[str, list[Row]]


def rows_of_game(plies: tuple[Ply, ...], log: str) -> GameRows:
    """Return the rows of a finished game for each table of a level of `--log`, as those of game 0."""
    game = PlayedGame(0, 0, plies[0].before.ring, (RECORDED, RECORDED), plies)
    makers = {"turns": turns_rows, "offers": offers_rows}
    return {"games": [games_row(game)]} | {
        table: maker(game) for table, maker in makers.items() if table in LOG_LEVELS[log]
    }


@dataclass(slots=True)
class RecordedRun:
    """A run that is being written. Games are added in their order; a thousand of them are a shard.

    Attributes:
        work: the ruleset, and where the files go.
        games: how many games were added.
        shards: the shards that are written.
    """

    work: Work
    games: int = 0
    shards: list[Shard] = field(default_factory=list)
    _waiting: GameRows = field(default_factory=dict)

    def add(self, rows: GameRows) -> None:
        """Add the next game. Raises OSError when a file cannot be written."""
        for table, of_game in rows.items():
            for row in of_game:
                row["game_index"] = self.games
                if "ring_index" in row:
                    row["ring_index"] = self.games
            self._waiting.setdefault(table, []).extend(of_game)
        self.games += 1
        if self.games % self.work.spec.games_per_shard == 0:
            self._write()

    def _write(self) -> None:
        rows, self._waiting = self._waiting, {}
        metadata = self.work.planned.metadata()
        winners = [row["winner"] for row in rows["games"]]
        self.shards.append(
            write_shard(
                self.work,
                len(self.shards),
                winners,
                lambda table, columns: (len(rows[table]), encode_rows(rows[table], columns, metadata)),
            )
        )

    def finished(self) -> Run | None:
        """Write what is left, and the manifest, and return the run, or None when it has no games."""
        if self._waiting:
            self._write()
        store, planned = self.work.store, self.work.planned
        if not self.games:
            return None
        complete = replace(planned, spec={**planned.spec, "games": self.games}, shards=tuple(self.shards))
        tidy_up(store, complete)
        write_manifest(store, complete)
        return Run(store, complete)


@contextmanager
def recorded_run(out: str | Path, ruleset: Ruleset, sha256: str, *, log: str, remark: str) -> Iterator[RecordedRun]:
    """Begin a run of games that were recorded elsewhere; its directory is made, and cleared away when an error comes.

    `sha256` is the checksum of what they are read from, and `remark` says what that is. A directory that holds this
    very run is written again. Raises RunError for one that holds anything else or cannot be written.
    """
    if log not in LEVELS:
        raise RunError(f"log {log!r} is none of {', '.join(LEVELS)}")
    store = store_at(out)
    spec = RunSpec(
        ruleset,
        (RECORDED, RECORDED),
        seed=0,
        games=GREATEST_NUMBER_OF_GAMES,  # how many they are is known when all are read
        log=log,
        games_per_shard=GAMES_PER_SHARD_OF_SCRIPTS,
        played=True,
    )
    agent = {"spec": RECORDED, "sha256": sha256, "ring": None, "reproducible": False, "remark": remark}
    values = {
        "agents": [agent, agent],
        "games": spec.games,
        "games_per_shard": spec.games_per_shard,
        "log": log,
        "pairing": spec.pairing,
        "ruleset_id": ruleset.ruleset_id,
        "seed": spec.seed,
        "stop_when": None,
    }
    planned = Manifest(values, ruleset.to_dict(), {"schema": SCHEMA_VERSION, "behaviour": BEHAVIOUR_VERSION})
    with explained(store):
        present = manifest_there(store, planned)
        made = store.make()
        run = RecordedRun(Work(spec, planned, store))
        try:
            yield run
            kept = bool(run.games)
        except BaseException:
            kept = False
            raise
        finally:
            if not kept and present is None:
                for number in range(len(run.shards) + 1):
                    for table in TABLES:
                        store.remove(shard_name(table, number))
                clear_directory(store, made)
