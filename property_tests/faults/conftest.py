"""Commands in processes of their own, which can be killed, and the run that all of them are to end with."""

import os
import random
import subprocess
import sys
import time
from typing import NamedTuple

import pytest

_SPEC = ("--seed", "7", "--agents", "random,random-patch", "--ruleset", "revised", "--log", "turns")
#: Runs of two tables that are over in a few seconds, by who plays them: 40 shards of the compiled engine by threads of
#: the process (or a few of them), 20 of the reference engine by worker processes.
_RUNS = {
    "threads": ("--games", "20000", "--games-per-shard", "500", *_SPEC),
    "a few": ("--games", "4000", "--games-per-shard", "500", *_SPEC),
    "processes": ("--games", "400", "--games-per-shard", "20", "--engine", "reference", *_SPEC),
}


class Ended(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str


class Command:
    """A `patchstats` command in a process of its own."""

    def __init__(self, *arguments, **options):
        command = [sys.executable, "-c", "from patchstats.cli import main; main()", *map(str, arguments)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
        )
        self.pid = self.process.pid

    @property
    def runs(self):
        """Whether it has not ended."""
        return self.process.poll() is None

    def wait_until(self, condition, seconds=60):
        """Wait until a condition holds or the command has ended."""
        deadline = time.monotonic() + seconds
        while self.runs and not condition():
            assert time.monotonic() < deadline, "what was waited for did not come"
            time.sleep(0.005)

    def send(self, signal):
        """Send a signal, unless it has ended."""
        if self.runs:
            self.process.send_signal(signal)

    def end(self, seconds=120):
        """Wait until it ends."""
        out, err = self.process.communicate(timeout=seconds)
        self.process.stdout, self.process.stderr = None, None  # they are read
        return Ended(self.process.returncode, out, err)


@pytest.fixture
def start():
    """A function that starts a command; what still runs when the test ends is killed."""
    started = []

    def start(*arguments, **options):
        started.append(Command(*arguments, **options))
        return started[-1]

    yield start
    for command in started:
        command.process.kill()
        command.process.communicate()


@pytest.fixture
def patchstats(start):
    """A function that runs a command and says how it ended."""
    return lambda *arguments, **options: start(*arguments, **options).end()


@pytest.fixture(scope="session")
def spec():
    """A function: the arguments of one of the runs."""
    return _RUNS.__getitem__


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory, contents):
    """A function: the files of one of the runs when nothing disturbs it."""
    folder = tmp_path_factory.mktemp("undisturbed")
    known = {}

    def undisturbed(kind):
        if kind not in known:
            out = folder / kind
            ended = Command("simulate", *_RUNS[kind], "--out", out, "--progress", "off", "--workers", "1").end()
            assert ended == (0, f"{out}\n", "")
            known[kind] = contents(out)
        return known[kind]

    return undisturbed


@pytest.fixture(scope="session")
def often():
    """How many random faults a test lets happen: some, or, with the profile nightly, the number asked for."""
    nightly = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
    return lambda some, many: many if nightly else some


@pytest.fixture
def moments(request):
    """Random numbers, others for each test."""
    return random.Random(request.node.nodeid)


@pytest.fixture(scope="session")
def starts_in():
    """A function: how often a run was begun or gone on with, by its log."""

    def starts_in(run):
        log = run / "log.jsonl"
        return log.read_text(encoding="utf-8").count('"start"') if log.exists() else 0

    return starts_in


@pytest.fixture(scope="session")
def is_part_of():
    """A function: whether every finished file among `there` is, byte for byte, one of the whole run."""

    def is_part_of(there, whole):
        finished = {name: data for name, data in there.items() if not name.endswith((".tmp", "manifest.json"))}
        return finished.items() <= whole.items()

    return is_part_of
