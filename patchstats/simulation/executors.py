"""Who plays the shards of a run on this machine: threads for the compiled engine, processes for the reference engine.

Each of them writes its own shards; what comes back is the manifest's entry. `cluster.py` has the other machines.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from itertools import islice
from multiprocessing import get_context, parent_process
from typing import TypeVar

from patchstats.dataset.manifest import Shard
from patchstats.dataset.store import Store
from patchstats.errors import RunError
from patchstats.simulation.players import play_here
from patchstats.simulation.shard import Work

#: How many tasks wait for each worker, so that memory does not grow with their number.
IN_HAND = 4

#: How many seconds may pass without a finished task before the executor is asked what is wrong.
_PATIENCE = 5.0

_Task = TypeVar("_Task")
_Done = TypeVar("_Done")


def play_in_threads(work: Work, missing: Iterable[int], workers: int) -> Iterator[Shard]:
    """Let the compiled engine play the shards: it computes outside of Python's lock."""
    from patchstats.kernel.engine import compile_engine

    executor = ThreadPoolExecutor(workers)
    executor.submit(compile_engine).result()  # not in this thread: the compiler's callbacks would swallow a Ctrl-C
    yield from done_by(executor, partial(play_here, work, "kernel"), missing, workers)


def play_in_processes(work: Work, missing: Iterable[int], workers: int) -> Iterator[Shard]:
    """Let the reference engine play the shards, in fresh interpreters. Raises RunError when one of them dies."""
    yield from done_in_processes(partial(play_here, work, "reference"), missing, workers, work.store)


def done_in_processes(
    do: Callable[[_Task], _Done], tasks: Iterable[_Task], workers: int, store: Store
) -> Iterator[_Done]:
    """Do tasks for a run in fresh interpreters. Raises RunError when one of them dies."""
    executor = ProcessPoolExecutor(workers, get_context("spawn"), _end_with_parent)
    try:
        yield from done_by(executor, do, tasks, workers)
    except BrokenProcessPool:
        raise RunError(
            "a worker process died, killed or out of memory; what was finished is kept, and the same command goes on "
            f"with {store}"
        ) from None


def done_by(
    executor: Executor,
    do: Callable[[_Task], _Done],
    tasks: Iterable[_Task],
    workers: int,
    nothing_comes: Callable[[], None] = lambda: None,
) -> Iterator[_Done]:
    """Hand out tasks, a few at a time, and yield what comes of each as it is there; shut the executor down.

    `nothing_comes` is called whenever no task was finished for a while.
    """
    left = iter(tasks)
    waiting: set[Future[_Done]] = set()
    try:
        while True:
            with _interrupts_ignored():  # processes inherit it: Ctrl-C stops this one, and they finish their tasks
                waiting |= {executor.submit(do, task) for task in islice(left, IN_HAND * workers - len(waiting))}
            if not waiting:
                return
            finished, waiting = wait(waiting, timeout=_PATIENCE, return_when=FIRST_COMPLETED)
            if not finished:
                nothing_comes()
            yield from (future.result() for future in finished)
    finally:
        for future in waiting:
            future.cancel()
        executor.shutdown()


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


def _end_with_parent() -> None:
    """Let this worker process end when the process that started it is killed."""

    def wait_and_end() -> None:
        parent = parent_process()
        assert parent is not None, "a worker process has a parent"
        parent.join()
        os._exit(1)

    threading.Thread(target=wait_and_end, daemon=True).start()
