"""The process of somebody else's engine: started, asked, waited for, and ended with all its children.

What is asked is decided elsewhere; here it is only found out whether each answer is one.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO

from patchstats.conformance.protocol.messages import Json
from patchstats.errors import PatchstatsError

#: The longest line that is read of an engine, in bytes; a list of all actions of a large quilt takes a tenth of it.
LONGEST_LINE = 4_000_000
#: So many bytes can be written to an empty pipe without waiting for who reads it.
HELD_BY_A_PIPE = 8192
KEPT_ERRORS, LONGEST_ERROR = 20, 300


class EngineFault(PatchstatsError):
    """An engine that did not answer as the protocol says.

    `kind` is one of `crash`, `hang`, `garbage` and `error`.
    """

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason


@dataclass
class Pace:
    """How quickly an engine answers: how many answers, and the seconds they took, in all and the slowest of them."""

    answers: int = 0
    seconds: float = 0.0
    slowest: float = 0.0

    def note(self, seconds: float) -> None:
        """Count one answer."""
        self.answers += 1
        self.seconds += seconds
        self.slowest = max(self.slowest, seconds)


@dataclass
class Connection:
    """An engine's process, started when it is first asked, and again after a fault.

    `timeout` is how many seconds an answer may take. Use it as a context manager: however it is left, the process and
    those it has started are ended.
    """

    command: Sequence[str]
    timeout: float
    pace: Pace = field(default_factory=Pace)
    #: The last lines that the engine wrote on standard error, and how many there were.
    errors: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_ERRORS))
    error_lines: int = 0
    starts: int = 0
    _process: subprocess.Popen[bytes] | None = None
    _lines: queue.SimpleQueue[bytes | None] = field(default_factory=queue.SimpleQueue)
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    _threads: list[threading.Thread] = field(default_factory=list)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def exchange(self, requests: Sequence[Json]) -> tuple[list[Json], EngineFault | None]:
        """Send requests, all at once, and return their answers in order; fewer, and the fault, if there is one.

        After a fault the process is ended. Raises PatchstatsError for a command that cannot be started.
        """
        answers: list[Json] = []
        try:
            self._exchange(requests, answers)
        except EngineFault as fault:
            self._end()
            return answers, fault
        return answers, None

    def _exchange(self, requests: Sequence[Json], answers: list[Json]) -> None:
        process = self._started()
        numbered = [{"id": next(self._numbers), **request} for request in requests]
        text = b"".join(json.dumps(request).encode() + b"\n" for request in numbered)
        writer = None
        if len(text) <= HELD_BY_A_PIPE:
            _write(process.stdin, text)
        else:
            writer = threading.Thread(target=_write, args=(process.stdin, text), daemon=True)
            writer.start()
            self._threads.append(writer)
        for request in numbered:
            begun = time.monotonic()
            answers.append(self._answer(request["id"]))
            self.pace.note(time.monotonic() - begun)
        if writer is not None:
            writer.join()
            self._threads.remove(writer)

    def _answer(self, number: int) -> Json:
        limit = time.monotonic() + self.timeout
        while True:
            try:
                line = self._lines.get(timeout=max(limit - time.monotonic(), 0.001))
            except queue.Empty:
                raise EngineFault("hang", f"gave no answer in {self.timeout:g} seconds") from None
            if line is None:
                raise EngineFault("crash", f"ended before it answered: {self._how_it_ended()}")
            if len(line) >= LONGEST_LINE:
                raise EngineFault("garbage", f"wrote a line of more than {LONGEST_LINE} bytes")
            if line.strip():
                return _read(line, number)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None:
            return self._process
        try:
            process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise PatchstatsError(f"{shlex.join(self.command)} cannot be started: {reason}") from None
        self._process = process
        self._lines = queue.SimpleQueue()
        self.starts += 1
        for target, stream in ((self._read_answers, process.stdout), (self._read_errors, process.stderr)):
            thread = threading.Thread(target=target, args=(stream, self._lines), daemon=True)
            thread.start()
            self._threads.append(thread)
        return process

    def _read_answers(self, stream: IO[bytes], lines: queue.SimpleQueue[bytes | None]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(LONGEST_LINE):
                lines.put(line)
                if len(line) >= LONGEST_LINE:
                    break
        lines.put(None)

    def _read_errors(self, stream: IO[bytes], _: object) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(LONGEST_LINE):
                self.error_lines += 1
                text = line.decode(errors="replace").strip()
                self.errors.append("".join(one if one.isprintable() else "?" for one in text[:LONGEST_ERROR]))

    def _how_it_ended(self) -> str:
        status = None
        if self._process is not None and _has_ended(self._process, seconds=1.0):
            status = self._process.wait()
        if status is None:
            return "it closed its standard output"
        if status < 0:
            return f"signal {signal.Signals(-status).name}"
        return f"exit status {status}"

    def close(self) -> None:
        """Close the engine's standard input, give it a moment to end, and then end it and all that it has started."""
        if self._process is not None and self._process.stdin is not None and not self._is_writing:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            _has_ended(self._process, seconds=min(1.0, self.timeout))
        self._end()

    @property
    def _is_writing(self) -> bool:
        return len(self._threads) > 2

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        _kill_all(process)
        process.wait()
        for thread in self._threads:
            thread.join(timeout=1.0)
        left = any(thread.is_alive() for thread in self._threads)  # of a child that has left the group
        self._threads.clear()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None and not left:
                with contextlib.suppress(OSError):
                    stream.close()


def _write(stream: IO[bytes] | None, text: bytes) -> None:
    """Write what an engine may be slow to read; that it has ended is noticed where its answers are read."""
    if stream is not None:
        with contextlib.suppress(OSError, ValueError):
            stream.write(text)
            stream.flush()


def _read(line: bytes, number: int) -> Json:
    shown = repr(line[:60].decode(errors="replace").strip())
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        raise EngineFault("garbage", f"wrote a line that is no JSON: {shown}") from None
    if not isinstance(answer, dict):
        raise EngineFault("garbage", f"wrote a line that is no JSON object: {shown}")
    if type(answer.get("id")) is not int or answer["id"] != number:
        raise EngineFault("garbage", f"answered with the id {answer.get('id')!r} where {number} was due: {shown}")
    return answer


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether the process ends within some seconds. It is not reaped, so that its group can still be ended."""
    limit = time.monotonic() + seconds
    while True:
        if hasattr(os, "waitid"):
            try:
                ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
            except ChildProcessError:
                ended = True
        else:
            ended = process.poll() is not None
        if ended or time.monotonic() > limit:
            return ended
        time.sleep(0.005)


def _kill_all(process: subprocess.Popen[bytes]) -> None:
    """End the process and the others of its group, those that it has started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
