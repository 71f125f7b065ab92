"""Runs tests in the current folder and tells what each did. `workbench.py` starts it in a copy of the checkout.

What to do is read from standard input, what happened is written to standard output, both as JSON.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import sys
import time
from typing import Any

import pytest

#: More memory than the tests need, less than a broken shift can ask for.
MEMORY = 4 << 30

CASE, EXAMPLE, PROPERTY = "case", "example", "property"


class Watch:
    """A pytest plugin that keeps what each test did, and stops as soon as enough is known.

    `order` gives the seconds that a test takes; the cheapest are run first. With `stop` "any" the first failure ends
    it. With "each" it ends after a failure of a case or example and one of a property.
    """

    def __init__(self, order: dict[str, float], stop: str | None) -> None:
        self.order = order
        self.stop = stop
        self.tests: dict[str, dict[str, Any]] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: self.order.get(item.nodeid, 0.0))
        for item in items:
            self.tests[item.nodeid] = {
                "kind": _kind(item),
                "clauses": [number for mark in item.iter_markers("clause") for number in mark.args],
                "outcome": "not run",
                "examples": 0,
                "seconds": 0.0,
            }

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if self.stop == "each" and _kind(item) in self._groups_with_a_failure():
            pytest.skip("enough is known")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        test = self.tests[item.nodeid]
        handle = getattr(getattr(item, "obj", None), "hypothesis", None)
        if handle is not None:
            handle.inner_test = _counted(handle.inner_test, test)
        started = time.perf_counter()
        try:
            return (yield)
        finally:
            test["seconds"] = round(time.perf_counter() - started, 4)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = self.tests[report.nodeid]
        if report.failed:
            test["outcome"] = "failed"
            test["error"] = str(report.longrepr).splitlines()[-1:]
        elif report.when == "call" or report.skipped:
            test["outcome"] = report.outcome

    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        groups = self._groups_with_a_failure()
        if (self.stop == "any" and groups) or len(groups) == 3:
            item.session.shouldstop = "enough is known"

    def _groups_with_a_failure(self) -> set[str]:
        kinds = {test["kind"] for test in self.tests.values() if test["outcome"] == "failed"}
        return kinds | {CASE, EXAMPLE} if kinds & {CASE, EXAMPLE} else kinds


def _kind(item: pytest.Item) -> str:
    if "test_cases.py::test_the_case_holds[" in item.nodeid:
        return CASE
    return PROPERTY if getattr(getattr(item, "obj", None), "is_hypothesis_test", False) else EXAMPLE


def _counted(inner: Any, test: dict[str, Any]) -> Any:
    """Wrap the body of a property so that it counts the examples up to the first that fails."""
    failed = False

    @functools.wraps(inner)
    def counting(*arguments: Any, **named: Any) -> Any:
        nonlocal failed
        test["examples"] += not failed
        try:
            return inner(*arguments, **named)
        except Exception:
            failed = True
            raise

    return counting


def main() -> None:
    """Read what to run, run it, and write what happened."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    order = json.load(sys.stdin)
    watch = Watch(order["seconds"], order["stop"])
    answer = sys.stdout
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = pytest.main([*order["arguments"], "-o", "addopts=", "-p", "no:cacheprovider"], plugins=[watch])
    json.dump({"status": int(status), "tests": watch.tests, "printed": printed.getvalue()[-2000:]}, answer)


if __name__ == "__main__":
    main()
