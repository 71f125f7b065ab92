"""Shards played by the workers of a Dask cluster. Dask is imported here alone, and only when it is asked for."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from patchstats.dataset.manifest import Shard
from patchstats.errors import RunError
from patchstats.simulation.executors import done_by, kept_in
from patchstats.simulation.players import play_here
from patchstats.simulation.shard import Work

#: How long the scheduler may take to answer.
_SECONDS = "10s"


def play_on_cluster(
    work: Work, engine: str, missing: Iterable[int], scheduler: str, say: Callable[[str], None]
) -> Iterator[Shard]:
    """Let the workers of the cluster play the shards, each writing its own; `say` when there are none left to wait for.

    Raises RunError when the scheduler cannot be reached, has no workers, or goes away, and when a shard ended several
    workers.
    """
    with _client(scheduler) as client:
        from distributed import KilledWorker
        from distributed.client import ClosedClientError

        workers = _workers(client, scheduler)

        def workers_now() -> int:
            nonlocal workers
            with suppress(OSError):  # a scheduler that does not answer is noticed soon
                workers = max(workers, sum(client.nthreads().values()))
            return workers

        def nothing_comes() -> None:
            with suppress(OSError):  # a scheduler that does not answer is noticed soon
                if not client.nthreads():
                    say(f"the scheduler at {scheduler} has no workers left; dask worker {scheduler} starts one")

        try:
            # Not pure: a shard that was lost since is to be played again.
            with client.get_executor(pure=False) as executor:
                yield from done_by(executor, partial(play_here, work, engine), missing, workers_now, nothing_comes)
        except (CancelledError, ClosedClientError):
            raise RunError(f"the scheduler at {scheduler} went away; {kept_in(work.store)}") from None
        except KilledWorker as error:
            raise RunError(f"workers of {scheduler} died one after another: {error}; {kept_in(work.store)}") from None


def workers_of(scheduler: str) -> int:
    """Return how many shards the workers of a cluster play at a time. Raises RunError as `play_on_cluster` does."""
    with _client(scheduler) as client:
        return _workers(client, scheduler)


def _workers(client: Any, scheduler: str) -> int:
    try:
        threads = sum(client.nthreads().values())
    except OSError as error:
        raise RunError(f"the scheduler at {scheduler} does not answer: {' '.join(str(error).split())}") from None
    if not threads:
        raise RunError(f"the scheduler at {scheduler} has no workers; dask worker {scheduler} starts one")
    return int(threads)


@contextmanager
def _client(scheduler: str) -> Iterator[Any]:
    try:
        from distributed import Client
    except ImportError:
        raise RunError(
            "a Dask cluster needs the extra cluster of patchstats: python -m pip install 'patchstats[cluster]'"
        ) from None
    from distributed.comm.addressing import get_address_host_port, normalize_address

    try:
        get_address_host_port(normalize_address(scheduler))
        client = Client(scheduler, timeout=_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise RunError(f"there is no Dask scheduler at {scheduler}: {' '.join(str(error).split())}") from None
    with _quiet(), client:
        yield client


@contextmanager
def _quiet() -> Iterator[None]:
    """What goes wrong is said by errors of ours; the tracebacks that Dask and Tornado would print are left out."""
    loggers = [logging.getLogger(name) for name in ("distributed.client", "distributed.core", "tornado.application")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
