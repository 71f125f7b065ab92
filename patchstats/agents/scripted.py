"""Agents that follow a script: the moves of a game record, or a function of a Python module."""

from __future__ import annotations

import hashlib
import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from patchstats.agents.protocol import Agent, Choose
from patchstats.errors import AgentError, PatchstatsError
from patchstats.notation import parse_record
from patchstats.rules import Action, LegalActions, Position, Ruleset
from patchstats.streams import Stream

FUNCTION = re.compile(r"(?P<module>[A-Za-z_][\w.]*):(?P<function>[A-Za-z_]\w*)")


def scripted(spec: str, script: str, ruleset: Ruleset) -> Agent:
    """Return the agent that follows `script`: the file of a game record, or `module:function`.

    Raises AgentError when there is no such thing.
    """
    named = FUNCTION.fullmatch(script)
    if named and not Path(script).exists():
        return _of_function(spec, named["module"], named["function"])
    return _of_record(spec, Path(script), ruleset)


def _of_function(spec: str, module_name: str, function: str) -> Agent:
    """The agent whose choices a function of a module makes; the module is looked for in the current folder, too."""
    with _current_folder_importable():
        try:
            module = importlib.import_module(module_name)
        except Exception as error:
            raise AgentError(f"agent {spec!r}: module {module_name} cannot be imported: {_said(error)}") from error
    choose = getattr(module, function, None)
    if not callable(choose):
        raise AgentError(f"agent {spec!r}: module {module_name} has no function {function}")
    file = getattr(module, "__file__", None)
    if file is None:
        raise AgentError(f"agent {spec!r}: module {module_name} has no file, whose hash a run could keep")

    def checked(position: Position, legal: LegalActions, stream: Stream) -> Action:
        try:
            action: Action = choose(position, legal, stream)
        except Exception as error:
            raise AgentError(f"agent {spec!r} failed: {_said(error)}") from error
        return action

    return Agent(spec, lambda _: checked, sha256=_sha256(Path(file)))


def _of_record(spec: str, path: Path, ruleset: Ruleset) -> Agent:
    """The agent that plays the moves of one seat of a recorded game, on the ring of that game."""
    try:
        record = parse_record(path.read_text(encoding="utf-8"), ruleset)
    except OSError as error:
        reason = f"no game record there and no module:function: {error.strerror}"
        raise AgentError(f"agent {spec!r}: {path}: {reason}") from None
    except (UnicodeDecodeError, PatchstatsError) as error:
        raise AgentError(f"agent {spec!r}: {path}: {error}") from None

    def sit_down(seat: int) -> Choose:
        moves = iter([move for mover, move in zip(record.seats, record.actions, strict=True) if mover == seat])

        def choose(position: Position, legal: LegalActions, stream: Stream) -> Action:  # noqa: ARG001
            move = next(moves, None)
            if move is None:
                raise AgentError(f"agent {spec!r}: the record holds no further move for seat {seat}")
            return move

        return choose

    return Agent(spec, sit_down, sha256=_sha256(path), ring=record.ring)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _said(error: Exception) -> str:
    """What went wrong in the user's code, and where."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" ({trace.tb_frame.f_code.co_filename} line {trace.tb_lineno})" if trace is not None else ""
    return f"{type(error).__name__}: {error}{where}"


@contextmanager
def _current_folder_importable() -> Iterator[None]:
    sys.path.insert(0, "")
    try:
        yield
    finally:
        sys.path.remove("")
