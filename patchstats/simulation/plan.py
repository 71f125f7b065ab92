"""What a run would come to, before it is simulated: shards, bytes and time, from a short calibration."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from patchstats.dataset.store import reason, store_at
from patchstats.errors import RunError
from patchstats.simulation.cluster import workers_of
from patchstats.simulation.players import player_for
from patchstats.simulation.shard import Work
from patchstats.simulation.simulate import compile_players, prepare
from patchstats.simulation.spec import RunSpec
from patchstats.simulation.threads import aside

#: A calibration plays more and more games until it took so long.
_SECONDS = 0.5
_FIRST_GAMES = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """What `simulate` would do.

    Attributes:
        run: the directory or URL.
        run_id: the hash that names the run.
        games: how many games it would have.
        stop_when: the rule by which it may end before, or None.
        shards: how many shards they are.
        shards_missing: how many of them are not there yet.
        engine: which engine would play.
        workers: how many would play at a time.
        bytes: the size of all shards, estimated.
        seconds: how long the missing ones would take, estimated.
        calibration_games: how many games the estimates are from.
        jitter: which numbers of the patches are changed in each game, or nothing.
    """

    run: str
    run_id: str
    games: int
    stop_when: str | None
    shards: int
    shards_missing: int
    engine: str
    workers: int
    bytes: int
    seconds: float
    calibration_games: int
    jitter: str = ""


def plan(**settings: Any) -> Plan:
    """Return what `simulate` would do with the same settings; nothing is written where the run would lie.

    Raises what `simulate` raises for settings that cannot be and for a directory that holds something else.
    """
    job = prepare(**settings)
    spec = job.work.spec
    shards = len(spec.shards) if job.ending.shards is None else job.ending.shards
    missing = [] if job.ending.shards is not None else job.missing
    workers = job.workers if job.scheduler is None else workers_of(job.scheduler)
    all_games = sum(len(spec.games_of(shard)) for shard in range(shards))
    if missing:
        compile_players(job)
        games, a_game, a_shard, seconds = _calibrated(spec, job.engine)
        size = all_games * a_game + shards * a_shard
    else:
        games, seconds = 0, 0.0
        size = sum(file.bytes for shard in job.found.values() for file in shard.files.values())
    left = sum(len(spec.games_of(shard)) for shard in missing)
    return Plan(
        run=str(job.work.store),
        run_id=job.work.planned.run_id,
        games=all_games,
        stop_when=spec.stop_when if missing else None,
        shards=shards,
        shards_missing=len(missing),
        engine=job.engine,
        workers=workers,
        bytes=round(size),
        seconds=left * seconds / min(workers, max(len(missing), 1)),
        calibration_games=games,
        jitter=spec.jitter,
    )


def _calibrated(spec: RunSpec, engine: str) -> tuple[int, float, float, float]:
    """Play some games; return how many, the bytes of a game, those of a shard of none, and the seconds of a game."""
    wanted = min(_FIRST_GAMES, spec.games_per_shard)  # fewer of agents that search
    at_most = max(wanted, min(spec.games, spec.games_per_shard))
    try:
        few, small, seconds = _measured(spec, wanted, engine)
        games, large = few, small
        while seconds < _SECONDS and wanted < at_most:
            wanted = min(4 * wanted, at_most)
            games, large, seconds = _measured(spec, wanted, engine)
    except OSError as error:
        raise RunError(f"the games of the estimate cannot be written: {reason(error)}") from None
    a_game = (large - small) / (games - few) if games > few else large / games
    return games, a_game, large - games * a_game, seconds / games


def _measured(spec: RunSpec, wanted: int, engine: str) -> tuple[int, int, float]:
    """Play one shard of so many games, or of a few less that fill their rings, somewhere else.

    Returns how many games it has, its bytes, and the seconds it took. Where not even one ring can be played as often as
    in the run, all games are on one.
    """
    whole_rings = spec.games_per_ring <= wanted
    games = wanted - wanted % spec.games_per_ring if whole_rings else wanted
    pairing = spec.pairing if whole_rings else f"rings:{games}"
    sample = replace(spec, games=games, games_per_shard=games, pairing=pairing, stop_when=None)
    with tempfile.TemporaryDirectory() as folder:
        play = player_for(Work(sample, sample.manifest(), store_at(Path(folder))), engine)
        started = time.perf_counter()
        shard = aside(partial(play, 0))
        seconds = time.perf_counter() - started
    return games, sum(file.bytes for file in shard.files.values()), seconds
