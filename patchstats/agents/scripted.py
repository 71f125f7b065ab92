"""Agents that follow a script: the moves of a game record, or a function of a Python module."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from patchstats.agents.protocol import Agent, Choice, Choose
from patchstats.errors import AgentError, PatchstatsError
from patchstats.notation import parse_record, start_of
from patchstats.rules import Action, LegalActions, Position, Ruleset
from patchstats.scripts import IN_MODULE, ScriptError, load_script, what_went_wrong
from patchstats.streams import Stream


def scripted(spec: str, script: str, ruleset: Ruleset) -> Agent:
    """Return the agent that follows `script`: the file of a game record, or `module:function`.

    Raises AgentError when there is no such thing.
    """
    named = IN_MODULE.fullmatch(script)
    if named and not os.path.exists(script):
        return _of_function(spec, named["module"], named["name"])
    return _of_record(spec, Path(script), ruleset)


def _of_function(spec: str, module_name: str, function: str) -> Agent:
    """The agent whose choices a function of a module makes; the module is looked for in the current folder, too."""
    try:
        module, sha256 = load_script(module_name)
    except ScriptError as error:
        raise AgentError(f"agent {spec!r}: {error}") from error.__cause__
    choose = getattr(module, function, None)
    if not callable(choose):
        raise AgentError(f"agent {spec!r}: module {module_name} has no function {function}")

    def checked(position: Position, legal: LegalActions, stream: Stream) -> Action | Choice:
        try:
            chosen: Action | Choice = choose(position, legal, stream)
        except (Exception, SystemExit) as error:
            raise AgentError(f"agent {spec!r} failed: {what_went_wrong(error, module.__file__)}") from error
        return chosen

    return Agent(spec, lambda _: checked, sha256=sha256)


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
    if record.base is not None:
        raise AgentError(f"agent {spec!r}: {path}: the prices of its game were changed for that game alone")

    def sit_down(seat: int) -> Choose:
        moves = iter([move for mover, move in zip(record.seats, record.actions, strict=True) if mover == seat])

        def choose(position: Position, legal: LegalActions, stream: Stream) -> Action:  # noqa: ARG001
            move = next(moves, None)
            if move is None:
                raise AgentError(f"agent {spec!r}: the record holds no further move for seat {seat}")
            return move

        return choose

    return Agent(spec, sit_down, sha256=hashlib.sha256(text).hexdigest(), ring=ring)
