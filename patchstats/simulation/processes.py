"""Shards played in processes of this machine, by the pool of the standard library."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, as_completed, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from patchstats.agents import Agent
from patchstats.dataset.manifest import Shard
from patchstats.errors import RunError
from patchstats.simulation.shard import play_shard
from patchstats.simulation.spec import RunSpec

#: How many shards a worker process has before it, so that memory does not grow with the number of games.
SHARDS_IN_HAND = 4


def play_in_processes(spec: RunSpec, run: Path, missing: list[int], workers: int) -> Iterator[Shard]:
    """Play the shards in worker processes; yield each that is finished."""
    executor = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (spec, run))
    try:
        waiting: set[Future[Shard]] = set()
        for shard in missing:
            with _interrupts_ignored():  # workers inherit it: Ctrl-C stops this process, and they finish their shard
                waiting.add(executor.submit(_play_in_worker, shard))
            if len(waiting) == SHARDS_IN_HAND * workers:
                finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in finished)
        for future in as_completed(waiting):
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
