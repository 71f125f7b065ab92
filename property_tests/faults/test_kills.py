"""A run whose processes are killed or interrupted at random moments ends with the bytes of one that was left alone."""

import json
import os
import signal
import subprocess
import sys
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


#: Games of which each takes minutes.
LONG = ("--games", 8, "--games-per-shard", 1, "--seed", 1, "--agents", "mcts:iterations=1000000,random")


@pytest.mark.parametrize(
    ("options", "times"), [((), 1), ((), 2), (("--dry-run",), 1)], ids=["once", "twice", "dry run"]
)
def test_interrupting_it_ends_it_soon_however_long_its_threads_would_compute(tmp_path, start, options, times):
    run = tmp_path / "run"
    simulation = start("simulate", *LONG, *options, "--out", run, "--workers", 2, "--progress", "off")
    if not options:
        simulation.wait_until((run / "log.jsonl").exists)
    time.sleep(2.5)
    assert simulation.runs
    interrupted = time.monotonic()
    for _ in range(times):
        simulation.send(signal.SIGINT)
        time.sleep(0.01)
    assert simulation.end(seconds=20) == (130, "", INTERRUPTED)
    assert time.monotonic() - interrupted < 5
    assert {path.name for path in run.rglob("*.*")} == (set() if options else {"log.jsonl", NAME})


@pytest.mark.parametrize("command", ["simulate", "train"])
def test_interrupting_it_while_it_compiles_is_noticed(tmp_path, start, command):
    cache = tmp_path / "cache"
    arguments = {"simulate": ("simulate", *LONG), "train": ("train",)}[command]
    compiling = start(*arguments, "--out", tmp_path / "run", env={**os.environ, "PATCHSTATS_CACHE": str(cache)})
    compiling.wait_until(lambda: list(cache.glob("kernel-*")))
    time.sleep(1.5)
    compiling.send(signal.SIGINT)
    status, out, err = compiling.end(seconds=20)
    assert (status, out) == (130, "")
    assert err.endswith(INTERRUPTED)


#: Runs a command, and prints whether agents were compiled, and which of their modules the main thread imports.
WATCHED = """
import sys, threading
class Finder:
    in_main = {}
    def find_spec(self, name, *_):
        if name.startswith("patchstats.kernel.deciders."):
            self.in_main[name] = threading.current_thread() is threading.main_thread()
sys.meta_path.insert(0, Finder())
from patchstats.cli import main
try:
    main()
except SystemExit as left:
    print(left.code, bool(Finder.in_main), [name for name, in_main in Finder.in_main.items() if in_main])
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("simulate", "--games", "2", "--seed", "1", "--agents", "greedy,puct:iterations=2", "--out", "run"),
        ("train", "--out", ".", "--seed", "-1"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_nothing_is_compiled_where_an_interrupt_would_be_swallowed(tmp_path, arguments):
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == f"{2 if 'train' in arguments else 0} True []"


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
