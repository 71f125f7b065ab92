"""How work is handed out: interrupted at any moment it ends, and nothing goes on without whoever wanted it."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from patchstats.dataset.store import store_at
from patchstats.simulation.executors import done_by, done_in_processes


def doubled(task):
    """Work that takes no time."""
    return 2 * task


def workers():
    """The worker processes of this process."""
    children = psutil.Process().children(recursive=True)
    return [child for child in children if any("spawn_main" in word for word in child.cmdline())]


def test_what_comes_of_every_task_is_there_once():
    assert sorted(done_by(ThreadPoolExecutor(3), doubled, range(100), lambda: 3)) == list(range(0, 200, 2))


def test_more_tasks_are_handed_out_when_there_are_more_workers():
    taken, there = [], [1]
    results = done_by(
        ThreadPoolExecutor(2), doubled, (taken.append(task) or task for task in range(100)), lambda: there[0]
    )
    next(results)
    assert len(taken) == 4
    there[0] = 5
    for _ in range(4):
        next(results)
    assert len(taken) > 15
    results.close()


def test_an_interrupt_while_the_next_task_is_made_is_not_lost():
    def tasks():
        os.kill(os.getpid(), signal.SIGINT)
        yield 1

    with pytest.raises(KeyboardInterrupt):
        list(done_by(ThreadPoolExecutor(1), doubled, tasks(), lambda: 1))


def test_processes_end_when_nobody_wants_more(tmp_path):
    before = {child.pid for child in workers()}
    results = done_in_processes(doubled, range(10_000), 1, store_at(tmp_path))
    assert next(results) % 2 == 0
    results.close()
    assert {child.pid for child in workers()} <= before
