"""Who plays the shards of a run on this machine: threads for the compiled engine, processes for the reference engine.

Each of them writes its own shards; what comes back is the manifest's entry. `cluster.py` has the other machines.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any, TypeVar

from patchstats.dataset.manifest import Shard
from patchstats.dataset.store import Store
from patchstats.errors import RunError
from patchstats.simulation.players import play_here
from patchstats.simulation.shard import Work
from patchstats.simulation.threads import pool

#: How many tasks wait for each worker, so that memory does not grow with their number.
IN_HAND = 4

#: How many seconds may pass without a finished task before the executor is asked what is wrong.
_PATIENCE = 5.0

_Task = TypeVar("_Task")
_Done = TypeVar("_Done")


def check_workers(workers: Any) -> None:
    """Raise RunError for what is no number of workers."""
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise RunError(f"workers must be a whole number from 1 on, not {workers!r}")


def kept_in(store: Store) -> str:
    """What is said to whoever lost a worker."""
    return f"what was finished is kept, and the same command goes on with {store}"


def play_in_threads(work: Work, missing: Iterable[int], workers: int) -> Iterator[Shard]:
    """Let the compiled engine play the shards: it computes outside of Python's lock."""
    yield from done_in_threads(partial(play_here, work, "kernel"), missing, workers)


def play_in_processes(work: Work, missing: Iterable[int], workers: int) -> Iterator[Shard]:
    """Let the reference engine play the shards, in fresh interpreters. Raises RunError when one of them dies."""
    yield from done_in_processes(partial(play_here, work, "reference"), missing, workers, work.store)


def done_in_threads(do: Callable[[_Task], _Done], tasks: Iterable[_Task], workers: int) -> Generator[_Done, None, None]:
    """Do tasks in threads of this process.

    An interrupt does not wait for the tasks that are being done: they cannot be ended, and are finished while whoever
    interrupted goes on. Whatever else breaks it off waits for them, until it is interrupted.
    """
    executor = pool(workers)
    interrupted = False
    try:
        yield from done_by(executor, do, tasks, lambda: workers)
    except KeyboardInterrupt:
        interrupted = True
        raise
    finally:
        executor.shutdown(wait=not interrupted)


def done_in_processes(
    do: Callable[[_Task], _Done], tasks: Iterable[_Task], workers: int, store: Store | None
) -> Generator[_Done, None, None]:
    """Do tasks in fresh interpreters, which end at once when this process is interrupted, fails or dies; for a run in a
    store, if they write there.

    Raises RunError when one of them dies.
    """
    context = get_context("spawn")
    lifeline, end_of_it = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(workers, context, _end_with, (lifeline,))

    def end(_: Iterable[Future[_Done]]) -> None:
        end_of_it.close()
        executor.shutdown()

    try:
        yield from done_by(executor, do, tasks, lambda: workers, broken_off=end)
    except BaseException as error:
        if store is not None:
            with suppress(OSError):
                store.sweep()  # what workers left that were ended while they wrote
        if isinstance(error, BrokenProcessPool):
            kept = "nothing was written" if store is None else kept_in(store)
            raise RunError(f"a worker process died, killed or out of memory; {kept}") from None
        raise
    finally:
        executor.shutdown()
        end_of_it.close()
        lifeline.close()


def _cancel(waiting: Iterable[Future[Any]]) -> None:
    for future in waiting:
        future.cancel()


def done_by(
    executor: Executor,
    do: Callable[[_Task], _Done],
    tasks: Iterable[_Task],
    workers: Callable[[], int],
    nothing_comes: Callable[[], None] = lambda: None,
    broken_off: Callable[[Iterable[Future[Any]]], None] = _cancel,
) -> Iterator[_Done]:
    """Hand out tasks, a few at a time, and yield what comes of each as it is there.

    `workers` tells how many tasks are done at a time now. `nothing_comes` is called whenever no task was finished for a
    while, and `broken_off` when nobody wants the tasks that are left; till it returns, interrupts are ignored.
    """
    left = iter(tasks)
    waiting: set[Future[_Done]] = set()
    done = False
    try:
        while True:
            taken = list(islice(left, max(0, IN_HAND * workers() - len(waiting))))
            with _interrupts_held():  # processes inherit it: Ctrl-C reaches this one alone
                waiting |= {executor.submit(do, task) for task in taken}
            if not waiting:
                done = True
                return
            finished, waiting = wait(waiting, timeout=_PATIENCE, return_when=FIRST_COMPLETED)
            if not finished:
                nothing_comes()
            yield from (future.result() for future in finished)
    finally:
        if not done:
            with _interrupts_ignored():
                broken_off(waiting)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let an interrupt come when this is over; processes that are begun meanwhile never get one."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say what a signal does
        return
    came: list[tuple[int, FrameType | None]] = []
    handler = signal.signal(signal.SIGINT, lambda *about: came.append(about))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if hasattr(signal, "pthread_sigmask") else None
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
    if came and callable(handler):
        handler(*came[0])


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


def _end_with(lifeline: Connection) -> None:
    """Let this worker process end when the one that started it closes the other end of the lifeline, or is killed."""

    def wait_and_end() -> None:
        with suppress(EOFError):
            lifeline.recv()
        os._exit(1)

    threading.Thread(target=wait_and_end, daemon=True).start()
