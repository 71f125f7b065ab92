"""Shards played in processes of this machine, by the pool of the standard library."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from patchstats.agents import Agent
from patchstats.dataset.manifest import Shard
from patchstats.errors import RunError
from patchstats.simulation.pool import finished_ones
from patchstats.simulation.shard import play_shard
from patchstats.simulation.spec import RunSpec


def play_in_processes(spec: RunSpec, run: Path, missing: list[int], workers: int) -> Iterator[Shard]:
    """Play the shards in worker processes; yield each that is finished."""
    executor = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (spec, run))

    def submit(shard: int) -> Future[Shard]:
        with _interrupts_ignored():  # workers inherit it: Ctrl-C stops this process, and they finish their shard
            return executor.submit(_play_in_worker, shard)

    try:
        yield from finished_ones(submit, missing, workers)
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
