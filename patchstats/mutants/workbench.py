"""Copies of a checkout in which a file can be broken, and the tests run on it."""

from __future__ import annotations

import importlib.util
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from patchstats.errors import VerificationError

COPIED = ("pyproject.toml", "patchstats", "data", "docs", "property_tests")
#: What holds the rules. Other folders test other parts of the package.
TESTS = ("property_tests/rules", "property_tests/games", "property_tests/conformance", "property_tests/testing")
#: The exit status of pytest when it finds no test.
NO_TESTS = 5
#: Unbroken, the tests of `TESTS` take about half a minute together.
SECONDS = 240.0

Task = TypeVar("Task")
Result = TypeVar("Result")


class Test(NamedTuple):
    """What a test did: its id, its kind (case, example or property), the clauses it is marked with, passed, failed,
    skipped or not run, the examples tried up to the first that failed (0 for what draws none), and the seconds.
    """

    id: str
    kind: str
    clauses: tuple[str, ...]
    outcome: str
    examples: int
    seconds: float


class Findings(NamedTuple):
    """What the tests did: each of them, and why there are none, if there are none; and whether they came to no end."""

    tests: tuple[Test, ...]
    trouble: str
    endless: bool = False

    def failed(self, *kinds: str) -> Test | None:
        """The first test of some kinds (of any, if none is given) that failed."""
        return next((test for test in self.tests if test.outcome == "failed" and test.kind in (kinds or KINDS)), None)


KINDS = ("case", "example", "property")


class Workbench:
    """A copy of what the tests need of a checkout, in a folder of its own."""

    def __init__(self, checkout: Path, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for name in COPIED:
            source = checkout / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
            else:
                shutil.copy(source, folder / name)

    @contextmanager
    def broken(self, file: str, text: str) -> Iterator[None]:
        """For the length of a `with`, let a file have another text."""
        path = self.folder / file
        kept = path.read_text(encoding="utf-8")
        try:
            self._write(path, text)
            yield
        finally:
            self._write(path, kept)

    @staticmethod
    def _write(path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")
        # Python tells compiled code of the same second and the same length not apart.
        Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)

    def run(
        self,
        arguments: Sequence[str] = TESTS,
        *,
        stop: str | None = None,
        seconds: dict[str, float] | None = None,
        timeout: float = SECONDS,
    ) -> Findings:
        """Run tests here, the cheapest first; see `Watch` for `stop` and `seconds`."""
        # A module that cannot be imported, because it begins by reading data of the rules as they were, hides no other.
        options = ("--continue-on-collection-errors",)
        order = {"arguments": [*options, *arguments], "stop": stop, "seconds": seconds or {}}
        environment = {
            **os.environ,
            "HYPOTHESIS_PROFILE": "mutants",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONPATH": str(self.folder),
        }
        try:
            done = subprocess.run(
                [sys.executable, "-m", "patchstats.mutants.watch"],
                cwd=self.folder,
                env=environment,
                input=json.dumps(order),
                capture_output=True,
                text=True,
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Findings((), f"no end within {timeout:.0f} s", endless=True)
        if done.returncode:
            return Findings((), _last_line(done.stderr) or f"exit status {done.returncode}")
        answer = json.loads(done.stdout)
        tests = tuple(_test(name, fields) for name, fields in answer["tests"].items())
        told = answer["status"] in (0, 1, NO_TESTS) or any(test.outcome == "failed" for test in tests)
        return Findings(tests, "" if told else _last_line(answer["printed"]))


def _test(name: str, fields: dict[str, Any]) -> Test:
    return Test(
        name, fields["kind"], tuple(fields["clauses"]), fields["outcome"], fields["examples"], fields["seconds"]
    )


def _last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")


def on_workbenches(
    checkout: Path, work: Callable[[Workbench, Task], Result], tasks: Iterable[Task], workers: int
) -> Iterator[Result]:
    """Do some work for each task, several at a time, each time on a workbench that nobody else uses.

    The results come in the order of the tasks.
    """
    with tempfile.TemporaryDirectory(prefix="patchstats-mutants-") as place:
        free: queue.Queue[Workbench] = queue.Queue()
        for number in range(workers):
            free.put(Workbench(checkout, Path(place) / str(number)))

        def on_a_free_one(task: Task) -> Result:
            bench = free.get()
            try:
                return work(bench, task)
            finally:
                free.put(bench)

        with ThreadPoolExecutor(workers) as pool:
            yield from pool.map(on_a_free_one, tasks)


def unbroken(checkout: Path, tests: Sequence[str], workers: int, options: Sequence[str] = ()) -> tuple[Test, ...]:
    """Run files or folders of tests with nothing broken, and return what each test did.

    Raises VerificationError when one fails, or when they cannot be run.
    """

    def run(bench: Workbench, name: str) -> Findings:
        return bench.run([*options, name])

    done = list(on_workbenches(checkout, run, tests, workers))
    for findings in done:
        failed = findings.failed()
        if failed is not None or findings.trouble:
            what = failed.id if failed else findings.trouble
            raise VerificationError(f"with no rule broken the tests fail, see python -m pytest: {what}")
    return tuple(test for findings in done for test in findings.tests)
