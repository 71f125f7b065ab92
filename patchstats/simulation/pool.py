"""How work is handed to an executor of the standard library: never much more of it than is being done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, as_completed, wait
from typing import TypeVar

#: How many tasks wait for each worker, so that memory does not grow with their number.
IN_HAND = 4

Task = TypeVar("Task")
Result = TypeVar("Result")


def finished_ones(submit: Callable[[Task], Future[Result]], tasks: Sequence[Task], workers: int) -> Iterator[Result]:
    """Submit the tasks, a few at a time, and yield what comes of each as it is there."""
    waiting: set[Future[Result]] = set()
    for task in tasks:
        waiting.add(submit(task))
        if len(waiting) == IN_HAND * workers:
            finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in finished)
    for future in as_completed(waiting):
        yield future.result()
