"""Threads of this process that compute outside of Python's lock: no interrupt reaches them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_NAME = "patchstats"
_Done = TypeVar("_Done")


def pool(workers: int) -> ThreadPoolExecutor:
    """Return an executor of so many threads, which `are_left` knows by their names."""
    return ThreadPoolExecutor(workers, thread_name_prefix=_NAME)


def aside(do: Callable[[], _Done]) -> _Done:
    """Do what computes or compiles for long in a thread of its own, so that an interrupt need not wait for it.

    In the main thread, compiled code would not notice a Ctrl-C, and the compiler's callbacks would swallow it.
    """
    executor = pool(1)
    try:
        return executor.submit(do).result()
    finally:
        executor.shutdown(wait=False)


def are_left() -> bool:
    """Whether there are any, for which Python would wait before the process ends."""
    return any(thread.name.startswith(_NAME) for thread in threading.enumerate())
