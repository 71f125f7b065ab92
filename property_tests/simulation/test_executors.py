"""How work is handed out: interrupted at any moment it ends, and nothing goes on without whoever wanted it."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psutil
import pytest

from patchstats.dataset.store import store_at
from patchstats.errors import RunError
from patchstats.simulation import executors
from patchstats.simulation.executors import done_by, done_in_processes, done_in_threads
from patchstats.simulation.threads import are_left, aside


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


# Threads, which nothing can end


class Task:
    """Work that no interrupt reaches, as compiled code: it lasts until it is let go, or so many seconds."""

    def __init__(self, seconds):
        self.seconds, self.begun, self.done = seconds, [], []
        self.begins, self.goes = threading.Event(), threading.Event()

    def __call__(self, task=0):
        self.begun.append(task)
        self.begins.set()
        self.goes.wait(self.seconds)
        if task == "wrong":
            raise RunError("it went wrong")
        self.done.append(task)
        return task

    def interrupt(self):
        """Interrupt this process as soon as the work has begun."""

        def interrupt():
            self.begins.wait()
            time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt, daemon=True).start()


@pytest.fixture
def task():
    """Work that would last for long; when the test ends, it is let go, and no thread is left."""
    task = Task(30)
    yield task
    task.goes.set()
    deadline = time.monotonic() + 30
    while are_left():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_an_interrupt_does_not_wait_for_threads_and_nothing_else_is_begun(task):
    task.interrupt()
    with pytest.raises(KeyboardInterrupt):
        list(done_in_threads(task, range(100), 2))
    begun = sorted(task.begun)
    assert are_left()
    assert (begun in ([0], [0, 1]), task.done) == (True, [])
    task.goes.set()
    while are_left():
        time.sleep(0.01)
    assert sorted(task.begun) == sorted(task.done) == begun


def test_an_interrupt_while_tasks_are_handed_out_is_not_lost(task):
    class Slow(ThreadPoolExecutor):
        def submit(self, *arguments):
            future = super().submit(*arguments)
            task.begins.wait()
            if len(task.begun) == 1 and not task.goes.is_set():
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.2)
                task.goes.set()
            return future

    with pytest.raises(KeyboardInterrupt), Slow(1) as executor:
        list(done_by(executor, task, range(3), lambda: 1))


def test_an_interrupt_does_not_wait_for_what_is_done_aside(task):
    task.interrupt()
    with pytest.raises(KeyboardInterrupt):
        aside(task)
    assert (task.begun, task.done) == ([0], [])


def test_what_is_done_aside_returns_and_raises_what_it_would():
    assert aside(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        aside(lambda: 1 // 0)


@pytest.mark.parametrize("wrong", [False, True])
def test_threads_are_waited_for_when_nobody_wants_more_or_a_task_fails(wrong):
    task = Task(0.2)
    tasks = ["wrong" if wrong else 0, *range(1, 100)]
    if wrong:
        with pytest.raises(RunError):
            list(done_in_threads(task, tasks, 2))
    else:
        with closing(done_in_threads(task, tasks, 2)) as results:
            next(results)
    assert not are_left()
    assert set(task.begun) - {"wrong"} == set(task.done)
    assert len(task.begun) < 10


def test_whoever_waits_for_threads_since_a_task_failed_can_be_interrupted(task):
    def do(one):
        if one == 0:
            task.begins.wait()
            raise RunError("it went wrong")
        return task(one)

    task.interrupt()
    with pytest.raises(KeyboardInterrupt):
        list(done_in_threads(do, range(100), 2))
    assert (len(task.begun) < 10, task.done) == (True, [])


def test_an_interrupted_run_is_finished_by_the_same_command_whatever_its_threads_still_write(
    run, undisturbed, contents, monkeypatch, task
):
    play_here = executors.play_here

    def play(*arguments):
        task()
        return play_here(*arguments)

    monkeypatch.setattr(executors, "play_here", play)
    task.interrupt()
    with pytest.raises(KeyboardInterrupt):
        run(engine="kernel", workers=2)
    monkeypatch.undo()
    assert not list(run.folder.rglob("*.parquet"))
    task.goes.set()
    while are_left():
        time.sleep(0.01)
    left = {name: data for name, data in contents(run.folder).items() if name.endswith(".parquet")}
    assert len(left) in (2, 4)
    assert left.items() <= undisturbed.items()
    run()
    assert contents(run.folder) == undisturbed
