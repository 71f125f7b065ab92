"""Agents that follow a script: the moves of a game record, or a function of a Python module."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from patchstats.agents.protocol import Agent, Choose
from patchstats.errors import AgentError, PatchstatsError
from patchstats.notation import parse_record, start_of
from patchstats.rules import Action, LegalActions, Position, Ruleset
from patchstats.streams import Stream

FUNCTION = re.compile(r"(?P<module>[A-Za-z_][\w.]*):(?P<function>[A-Za-z_]\w*)")


def scripted(spec: str, script: str, ruleset: Ruleset) -> Agent:
    """Return the agent that follows `script`: the file of a game record, or `module:function`.

    Raises AgentError when there is no such thing.
    """
    named = FUNCTION.fullmatch(script)
    if named and not os.path.exists(script):
        return _of_function(spec, named["module"], named["function"])
    return _of_record(spec, Path(script), ruleset)


def _of_function(spec: str, module_name: str, function: str) -> Agent:
    """The agent whose choices a function of a module makes; the module is looked for in the current folder, too."""
    with _current_folder_importable():
        module, source = _loaded(spec, module_name)
    choose = getattr(module, function, None)
    if not callable(choose):
        raise AgentError(f"agent {spec!r}: module {module_name} has no function {function}")

    def checked(position: Position, legal: LegalActions, stream: Stream) -> Action:
        try:
            action: Action = choose(position, legal, stream)
        except (Exception, SystemExit) as error:
            raise AgentError(f"agent {spec!r} failed: {_said(error, module.__file__)}") from error
        return action

    return Agent(spec, lambda _: checked, sha256=hashlib.sha256(source).hexdigest())


def _loaded(spec: str, module_name: str) -> tuple[ModuleType, bytes]:
    """A module run from the very bytes whose hash the run keeps, whether or not an older state of it is imported."""
    cannot = f"agent {spec!r}: module {module_name} cannot be imported"
    importlib.invalidate_caches()
    try:
        found = importlib.util.find_spec(module_name)
    except (Exception, SystemExit) as error:  # from a package around the module
        raise AgentError(f"{cannot}: {_said(error)}") from error
    if found is None:
        raise AgentError(f"{cannot}: No module named {module_name!r}, neither in this folder nor among those installed")
    if found.origin is None or not found.origin.endswith(".py"):
        raise AgentError(f"{cannot}: module {module_name} has no file of Python text, whose hash a run could keep")
    source = Path(found.origin).read_bytes()
    module = importlib.util.module_from_spec(found)
    module.__name__ = f"patchstats_script_{module_name}"  # beside what others import under the module's own name
    sys.modules[module.__name__] = module
    try:
        exec(compile(source, found.origin, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        raise AgentError(f"{cannot}: {_said(error, found.origin)}") from error
    return module, source


def _of_record(spec: str, path: Path, ruleset: Ruleset) -> Agent:
    """The agent that plays the moves of one seat of a recorded game, on the ring of that game."""
    try:
        text = path.read_bytes()
        record = parse_record(text.decode(), ruleset)
        ring = start_of(record).ring
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

    return Agent(spec, sit_down, sha256=hashlib.sha256(text).hexdigest(), ring=ring)


def _said(error: BaseException, file: str | None = None) -> str:
    """What went wrong in the user's code, in one line, and where: in the script if it passed there."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == file] or frames
    where = f" ({own[-1].filename} line {own[-1].lineno})" if own else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{where}"


@contextmanager
def _current_folder_importable() -> Iterator[None]:
    sys.path.insert(0, "")
    try:
        yield
    finally:
        sys.path.remove("")
