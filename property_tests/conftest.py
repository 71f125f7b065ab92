"""How hard the properties are tried, which clauses are asked for, and how a test shows that a rare case is reached."""

import os
import signal
from importlib import import_module
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample

from patchstats.rules.rulebook import clauses

PROFILES = {
    "ci": {"max_examples": 30, "derandomize": True, "database": None},
    "dev": {"max_examples": 100},
    "nightly": {"max_examples": 2000, "print_blob": True},
    # A few more, without the search for a smaller one: enough to see that a broken rule is noticed.
    "mutants": {"max_examples": 40, "derandomize": True, "database": None, "phases": [Phase.explicit, Phase.generate]},
}
for name, profile in PROFILES.items():
    settings.register_profile(
        name, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], **profile
    )


def pytest_addoption(parser):
    parser.addoption(
        "--clause",
        metavar="NUMBER",
        action="append",
        default=[],
        help="only tests of this clause (5.6) or section (5) of the rulebook; may be given several times",
    )


def pytest_configure(config):
    chosen = os.environ.get("HYPOTHESIS_PROFILE", "ci")
    if chosen not in PROFILES:
        raise pytest.UsageError(f"HYPOTHESIS_PROFILE={chosen}: no such profile; there are {', '.join(PROFILES)}")
    settings.load_profile(chosen)
    for wanted in config.getoption("--clause"):
        if not any(_is_part_of(clause.number, wanted) for clause in clauses()):
            raise pytest.UsageError(f"--clause {wanted}: no such clause; `patchstats rules` prints them all")


def pytest_sessionstart(session):
    """Compile the engine before xdist starts its workers, each of which would do so."""
    if session.config.getoption("numprocesses", None) and not hasattr(session.config, "workerinput"):
        from patchstats.agents import PANEL
        from patchstats.kernel.engine import compile_engine, is_compiled

        modules = {"scored", *(card.routine.partition(":")[0] for card in PANEL)}
        if not is_compiled({"games", *modules}):
            compile_engine()
            for module in modules:
                import_module(f"patchstats.kernel.deciders.{module}")


@pytest.fixture(scope="session", autouse=True)
def _interruptible():
    """Let interrupts come, also where the tests were started by a shell that goes on, which has them ignored."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pytest_collection_modifyitems(config, items):
    """Refuse numbers that are not in the rulebook, and leave only the clause that was asked for."""
    known = {clause.number for clause in clauses()}
    held = {item: [number for mark in item.iter_markers("clause") for number in mark.args] for item in items}
    for item, numbers in held.items():
        if not known.issuperset(numbers):
            raise pytest.UsageError(f"{item.nodeid} names a clause that is not in the rulebook: {numbers}")
    wanted = config.getoption("--clause")
    if wanted:
        left_out = [
            item
            for item, numbers in held.items()
            if not any(_is_part_of(number, one) for number in numbers for one in wanted)
        ]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


def _is_part_of(number, wanted):
    return wanted in {number, number.split(".")[0]}


@pytest.fixture(scope="session")
def reach():
    """A function that draws from a strategy until each condition has held once, and fails after three thousand tries.

    It returns what was drawn last.
    """
    tries = settings(max_examples=3000, derandomize=True, database=None, phases=[Phase.generate])

    def reach(strategy, *conditions):
        pending = list(conditions)

        def nothing_is_pending(drawn):
            pending[:] = [condition for condition in pending if not condition(drawn)]
            return not pending

        try:
            return find(strategy, nothing_is_pending, settings=tries)
        except NoSuchExample:
            places = [conditions.index(condition) for condition in pending]
            pytest.fail(f"three thousand tries did not reach the conditions {places} (counted from 0)")

    return reach


class Answer(NamedTuple):
    """What a command left: its exit status, and what it printed."""

    status: int
    out: str
    err: str


@pytest.fixture
def run_command(monkeypatch, capsys):
    """A function that runs a command within the test; arguments that are no texts are made ones."""
    from patchstats.cli import main

    def run_command(*arguments):
        monkeypatch.setattr("sys.argv", ["patchstats", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return Answer(left.value.code, *capsys.readouterr())

    return run_command


@pytest.fixture(scope="session")
def contents():
    """A function: the bytes of every file in a folder by its name, but for the log of what no spec determines."""

    def contents(folder):
        files = (path for path in folder.rglob("*") if path.is_file() and path.name != "log.jsonl")
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}

    return contents
