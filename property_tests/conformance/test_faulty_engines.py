"""Engines that crash, hang, or write what is no answer: told, never passed on, and never left running."""

import os
import sys
import time
from pathlib import Path

import pytest

from patchstats.conformance.conform.abilities import greet
from patchstats.conformance.conform.check import MOST_FAULTS, check
from patchstats.conformance.conform.connection import Connection, EngineFault
from patchstats.conformance.conform.report import report_text
from patchstats.errors import PatchstatsError

ENGINES = Path(__file__).parent / "engines"
PYTHON = [sys.executable, "-I", "-S"]


def checked(manner, **options):
    """What a check finds of an engine that misbehaves in some manner."""
    return check([*PYTHON, str(ENGINES / "odd.py"), manner], **{"parts": ["games"], **options})


def is_there(process):
    """Whether a process lives, or waits to be reaped."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    ("manner", "kind", "reason"),
    [
        ("crashes", "crash", "ended before it answered: exit status 3"),
        ("is killed", "crash", "ended before it answered: signal SIGKILL"),
        ("writes no JSON", "garbage", "wrote a line that is no JSON: 'Patch p05 it is!'"),
        ("writes a list", "garbage", "wrote a line that is no JSON object: '[1, 2]'"),
        ("writes bytes", "garbage", "wrote a line that is no JSON: "),
        ("writes deep JSON", "garbage", "wrote a line that is no JSON: '[[["),
        ("writes another id", "garbage", "answered with the id "),
        ("writes a long line", "garbage", "wrote a line of more than 4000000 bytes"),
        ("writes wrong types", "garbage", "answered act wrongly: state: seat_on_turn: is missing, and hello said"),
        ("leaves a field out", "garbage", "answered act wrongly: state: seat_on_turn: is missing, and hello said"),
        ("says error", "error", "answered act with an error: index out of range"),
    ],
)
def test_what_is_no_answer_is_told_with_what_was_asked(manner, kind, reason):
    findings = checked(manner)
    assert not findings.passed
    assert len(findings.faults) == MOST_FAULTS
    fault = findings.faults[0]
    assert fault.kind == kind
    assert fault.reason.startswith(reason)
    assert fault.session[-1]["ask"] in ("act", "start")
    assert not findings.broken
    assert f"{kind}: the engine {reason}" in report_text(findings)
    left_out = findings.tallies["games"].left_out
    assert left_out == {"the engine had failed too often": findings.tallies["games"].of - MOST_FAULTS}


def test_the_last_words_of_an_engine_that_crashes_are_told():
    findings = checked("crashes")
    assert findings.errors[-1] == "out of memory in quilt.c"
    assert "on standard error: out of memory in quilt.c" in report_text(findings)


@pytest.mark.parametrize("manner", ["hangs", "hangs with a child", "closes its output"])
def test_an_engine_that_hangs_is_ended_with_its_children(manner):
    begun = time.monotonic()
    findings = checked(manner, timeout=2)
    assert {fault.kind for fault in findings.faults} == {"crash" if manner == "closes its output" else "hang"}
    assert "in 2 seconds" in findings.faults[0].reason or "closed its standard output" in findings.faults[0].reason
    assert time.monotonic() - begun < 60
    children = [int(line.removeprefix("child ")) for line in findings.errors]
    assert len(children) == (MOST_FAULTS if manner == "hangs with a child" else 0)
    limit = time.monotonic() + 10
    while any(map(is_there, children)) and time.monotonic() < limit:
        time.sleep(0.05)  # init reaps them
    assert not any(map(is_there, children))


def test_a_slow_engine_is_cut_short_and_said_to_be_slow():
    findings = checked("is slow", limit=1)
    assert not findings.broken
    assert not findings.faults
    assert findings.out_of_time
    assert not findings.passed
    assert "the check was cut short, as its time was over" in report_text(findings)
    assert 0 < findings.tallies["games"].played < findings.tallies["games"].of
    assert "the time for the whole check was over" in findings.tallies["games"].left_out
    findings.pace.seconds = 0.3 * findings.pace.answers
    assert "slow: " in report_text(findings)


def test_an_engine_may_write_what_it_likes_on_standard_error():
    findings = checked("chats on standard error", parts=["games"], limit=2)
    assert not findings.broken
    assert not findings.faults
    assert findings.error_lines > 10
    assert max(map(len, findings.errors)) == 300
    assert "on standard error: " in report_text(findings)


def test_what_an_engine_does_not_support_is_not_held_against_it():
    findings = checked("cannot go on")
    assert findings.passed
    assert findings.tallies["games"].left_out.keys() == {"the engine says: games past ply 9"}
    assert 0 < len(findings.held) < 50


def test_who_greets_wrongly_is_asked_nothing_more():
    findings = checked("greets wrongly")
    assert findings.abilities is None
    assert not findings.tallies
    assert findings.faults[0].reason.startswith("answered hello wrongly: state: a list of some of seat_on_turn, ")
    assert "not covered" in report_text(findings)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["no-such-engine"], "no-such-engine cannot be started: No such file or directory"),
        ([str(ENGINES)], "cannot be started: Permission denied"),
    ],
)
def test_a_command_that_cannot_be_started_is_no_fault_of_an_engine(command, reason):
    with pytest.raises(PatchstatsError, match=reason) as raised:
        check(command)
    assert not isinstance(raised.value, EngineFault)


@pytest.mark.parametrize(
    "command",
    [["true"], ["cat"], ["yes"], ["sh", "-c", "echo '{}'; sleep 60"], ["sh", "-c", "sleep 60"], ["head", "-c", "9"]],
)
def test_programs_that_are_no_engines_are_faults(command):
    findings = check(command, timeout=1)
    assert len(findings.faults) == 1
    assert findings.faults[0].kind in ("crash", "garbage", "hang")


def test_an_engine_is_left_with_its_standard_input_closed_and_is_reaped():
    with Connection([*PYTHON, str(ENGINES / "compact.py")], timeout=20) as connection:
        assert greet(connection).name == "compact"
        process = connection._process.pid
        assert is_there(process)
    assert not is_there(process)


def test_an_interrupt_ends_the_engine_too(monkeypatch):
    started = []

    def interrupted(connection, _):
        started.append(connection._process.pid)
        raise KeyboardInterrupt

    monkeypatch.setattr(Connection, "_answer", interrupted)
    with pytest.raises(KeyboardInterrupt):
        check(["sleep", "600"], timeout=20)
    assert not any(map(is_there, started))
    assert len(started) == 1
