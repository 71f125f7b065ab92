"""A run whose processes are killed or interrupted at random moments ends with the bytes of one that was left alone."""

import json
import signal
import time

import psutil
import pytest

from patchstats.dataset.manifest import NAME

INTERRUPTED = "\npatchstats: interrupted; what was finished is kept, and the same command goes on from there\n"
WORKER_DIED = "patchstats: a worker process died, killed or out of memory; what was finished is kept"


def workers_of(command):
    """The worker processes of a command."""
    try:
        children = psutil.Process(command.pid).children(recursive=True)
        return [child for child in children if any("spawn_main" in word for word in child.cmdline())]
    except psutil.NoSuchProcess:
        return []


def is_whole(run):
    """Whether a run has a manifest with its shards."""
    return (run / NAME).exists() and bool(json.loads((run / NAME).read_text(encoding="utf-8"))["shards"])


@pytest.fixture
def disturbed(tmp_path, start, patchstats, spec, undisturbed, contents, is_part_of, starts_in, moments):
    """A function that simulates again and again, disturbing each simulation somewhere, until it was done so often.

    Whenever a run is whole in spite of that, another is begun. What is there must be, after each disturbance, a part of
    the undisturbed run, and all that was there before; in the end it is that run.
    """

    def disturbed(times, kind, disturb, longest):
        number = 0
        while times:
            run = tmp_path / str(number)
            command = ("simulate", *spec(kind), "--out", run, "--workers", 2, "--progress", "off")
            before = set()
            while times and not is_whole(run):
                begun = starts_in(run)
                simulation = start(*command)
                simulation.wait_until(lambda run=run, begun=begun: starts_in(run) > begun)
                time.sleep(moments.uniform(0, longest))
                disturb(simulation)
                times -= 1
                there = contents(run)
                assert is_part_of(there, undisturbed(kind))
                finished = {name for name in there if name.endswith(".parquet") and ".tmp" not in name}
                assert finished >= before
                before = finished
            assert patchstats(*command)[:2] == (0, f"{run}\n")
            assert contents(run) == undisturbed(kind)
            number += 1

    return disturbed


def test_killing_the_process_loses_nothing_that_was_finished(disturbed, often):
    def kill(simulation):
        simulation.send(signal.SIGKILL)
        simulation.end()

    disturbed(often(3, 200), "threads", kill, longest=0.4)


def test_killing_the_process_ends_its_workers_too(disturbed, often):
    def kill(simulation):
        workers = workers_of(simulation)
        simulation.send(signal.SIGKILL)
        simulation.end()
        _, alive = psutil.wait_procs(workers, timeout=20)
        assert not alive

    disturbed(often(1, 40), "processes", kill, longest=2.5)


@pytest.mark.parametrize(("kind", "longest"), [("threads", 0.4), ("processes", 2.5)])
def test_interrupting_it_says_so_in_a_line_and_loses_nothing_that_was_finished(disturbed, often, kind, longest):
    def interrupt(simulation):
        simulation.send(signal.SIGINT)
        status, out, err = simulation.end()
        if out:  # it was over when the signal came; Python may be ended by a signal at its very end
            assert status in (0, -signal.SIGINT)
        else:
            assert (status, err) == (130, INTERRUPTED)

    disturbed(often(1, 40), kind, interrupt, longest)


def test_interrupting_it_twice_ends_it_and_its_workers_all_the_same(disturbed, often):
    def interrupt_twice(simulation):
        workers = workers_of(simulation)
        simulation.send(signal.SIGINT)
        time.sleep(0.02)
        simulation.send(signal.SIGINT)
        simulation.end(seconds=20)
        _, alive = psutil.wait_procs(workers, timeout=20)
        assert not alive

    disturbed(often(1, 40), "processes", interrupt_twice, longest=2.5)


def test_killing_a_worker_process_says_so_in_a_line_and_loses_nothing_that_was_finished(disturbed, often):
    def kill_a_worker(simulation):
        simulation.wait_until(lambda: workers_of(simulation))
        for worker in workers_of(simulation)[:1]:
            worker.kill()
        status, _, err = simulation.end()
        assert (status, err.count("\n")) == (2, 1) or status == 0
        assert status == 0 or err.startswith(WORKER_DIED)

    disturbed(often(1, 40), "processes", kill_a_worker, longest=1.0)
