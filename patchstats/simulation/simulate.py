"""A whole run: its directory is prepared, the shards that are missing are played, the manifest is completed."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from patchstats.agents import Agent
from patchstats.dataset.manifest import NAME, Manifest, Shard, read_manifest, write_manifest
from patchstats.dataset.run import Run
from patchstats.dataset.schema import LOG_LEVELS
from patchstats.dataset.shards import is_temporary
from patchstats.errors import AgentError, RunError
from patchstats.rules import Ruleset
from patchstats.simulation.progress import progress as show_progress
from patchstats.simulation.shard import intact_shard, play_shard
from patchstats.simulation.spec import RunSpec

#: What the spec does not determine: times, workers, engine.
LOG = "log.jsonl"


def simulate(
    *,
    games: int,
    seed: int,
    out: str | Path,
    agents: Sequence[str] = ("random", "random"),
    ruleset: str | Ruleset = "original",
    log: str = "games",
    workers: int = 1,
    progress: str = "off",
) -> Run:
    """Simulate games and return the run; the same as `patchstats simulate` on the command line.

    Args:
        games: how many games.
        seed: the seed of every random stream, 0 to 2**64 - 1; the same seed gives the same games, whatever their
        number. out: the directory of the run. When it holds a part of this very run, that is completed; when it holds
            fewer games of it, they become more.
        agents: the spec strings of the agents at seat 0, which moves first, and seat 1.
        ruleset: a ruleset, or the name, folder or file of one.
        log: `summary` (a row a game), `games` (the same, with the action log) or `turns` (also a row a ply).
        workers: how many processes play. They start as fresh interpreters, so that a script which asks for more than
            one must do so under `if __name__ == "__main__":`. The files do not depend on it.
        progress: `auto`, `plain`, `json` or `off`; shown on standard error.

    Raises RunError, RulesetError or AgentError for settings that cannot be, for a directory that holds something else
    or cannot be written, and for an agent that fails.
    """
    played_with = ruleset if isinstance(ruleset, Ruleset) else Ruleset.load(ruleset)
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise RunError(f"workers must be a whole number from 1 on, not {workers!r}")
    spec = RunSpec(played_with, tuple(agents), seed, games, log)  # type: ignore[arg-type]
    seated = spec.make_agents()
    run = Path(out)
    planned = spec.manifest()
    with _explained(run):
        present = _manifest_there(run, planned)
        listed = {shard.shard: shard for shard in present.shards} if present else {}
        found = {number: intact_shard(spec, run, number, listed.get(number)) for number in spec.shards}
        missing = [number for number, shard in found.items() if shard is None]
        if missing:
            created = _make_directory(run)
            write_manifest(run, replace(planned, shards=tuple(filter(None, found.values()))))
            try:
                found |= _play_shards(spec, seated, run, missing, workers, progress)
            except AgentError:
                if present is None and not any(run.glob("*/part-*")):
                    _unmake_directory(run, created)
                raise
        complete = replace(planned, shards=tuple(filter(None, found.values())))
        if missing or complete != present:
            write_manifest(run, complete)
    return Run(run, complete)


def _manifest_there(run: Path, planned: Manifest) -> Manifest | None:
    """Return the manifest of this very run, or None for a place where a run can begin; raise RunError otherwise."""
    if (run / NAME).exists():
        present = read_manifest(run)
        _refuse_another_run(run, present, planned)
        return present
    if run.is_dir() and not all(is_temporary(path) for path in run.iterdir()):
        raise RunError(f"{run} holds other files and no run; choose a directory that is empty or not there yet")
    return None


def _make_directory(run: Path) -> list[Path]:
    """Make the directory of the run and return those that were not there before, innermost first."""
    created = [path for path in (run, *run.parents) if not path.exists()]
    run.mkdir(parents=True, exist_ok=True)
    return created


def _unmake_directory(run: Path, created: list[Path]) -> None:
    """Remove what was written of a run without a finished shard, and the directories that were created for it."""
    for name in (NAME, LOG):
        (run / name).unlink(missing_ok=True)
    for table in LOG_LEVELS["turns"]:
        if (run / table).is_dir():
            (run / table).rmdir()
    for path in created:
        path.rmdir()


def _refuse_another_run(run: Path, present: Manifest, planned: Manifest) -> None:
    there, asked = (
        _flat({**manifest.spec, "ruleset": manifest.ruleset, **manifest.versions}) for manifest in (present, planned)
    )
    if there.get("games", 0) <= asked["games"]:
        there["games"] = asked["games"]  # a run may be extended
    differing = [key for key in sorted({*there, *asked}) if there.get(key) != asked.get(key)]
    if differing == ["games"]:
        raise RunError(
            f"{run} holds {there['games']} games of this run, more than {asked['games']}; nothing to simulate"
        )
    if differing:
        listed = "; ".join(f"{key}: {there.get(key)!r} there, {asked.get(key)!r} asked for" for key in differing)
        raise RunError(f"{run} holds another run ({listed}); choose another directory")


def _flat(values: Any, prefix: str = "") -> dict[str, Any]:
    """Nested plain values by dotted keys."""
    if isinstance(values, dict):
        items = [(str(key), value) for key, value in values.items()]
    elif isinstance(values, list) and any(isinstance(value, dict) for value in values):
        items = [(str(index), value) for index, value in enumerate(values)]
    else:
        return {prefix: values}
    flat: dict[str, Any] = {}
    for key, value in items:
        flat |= _flat(value, f"{prefix}.{key}" if prefix else key)
    return flat


def _play_shards(
    spec: RunSpec, agents: tuple[Agent, Agent], run: Path, missing: list[int], workers: int, progress: str
) -> dict[int, Shard]:
    """Play the shards, here or in worker processes, and return the manifest's entries for them, by number."""
    done = spec.games - sum(len(spec.games_of(shard)) for shard in missing)
    workers = min(workers, len(missing))
    _note(run, event="start", workers=workers, engine="reference", shards_missing=len(missing))
    with show_progress(progress, "simulate", spec.games, done) as advance:
        if workers == 1:
            shards: Iterator[Shard] = (play_shard(spec, agents, run, number) for number in missing)
        else:
            shards = _in_processes(spec, run, missing, workers)
        played = {}
        for shard in shards:
            played[shard.shard] = shard
            advance(shard.games)
    _note(run, event="end")
    return played


def _in_processes(spec: RunSpec, run: Path, missing: list[int], workers: int) -> Iterator[Shard]:
    """Play the shards in worker processes; yield each that is finished."""
    executor = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (spec, run))
    try:
        with _interrupts_ignored():  # workers inherit it: Ctrl-C stops this process, and they finish their shard
            futures = [executor.submit(_play_in_worker, shard) for shard in missing]
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool:
        raise RunError(f"a worker process died; the same command goes on with {run}") from None
    finally:
        executor.shutdown(cancel_futures=True)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say what a signal does
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


#: What a worker process plays, set once when it starts.
_worker: tuple[RunSpec, tuple[Agent, Agent], Path] | None = None


def _start_worker(spec: RunSpec, run: Path) -> None:
    global _worker  # noqa: PLW0603
    _worker = (spec, spec.make_agents(), run)


def _play_in_worker(shard: int) -> Shard:
    assert _worker is not None, "the executor starts its workers with _start_worker"
    spec, agents, run = _worker
    return play_shard(spec, agents, run, shard)


def _note(run: Path, **values: Any) -> None:
    """Add a line to the run's log of what its spec does not determine."""
    line = json.dumps({"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), **values})
    with (run / LOG).open("a", encoding="utf-8") as log:
        log.write(line + "\n")


@contextmanager
def _explained(run: Path) -> Iterator[None]:
    """Say what is wrong with the directory when the system refuses to write there."""
    try:
        yield
    except OSError as error:
        raise RunError(f"{error.filename or run} cannot be written: {error.strerror or error}") from None
