"""Every exception a user can meet, under one base class.

A message says what was wrong, where, and what would be right. On the command line each of them is one line on standard
error: exit status 1 for `VerificationError`, 2 for the others.
"""

from __future__ import annotations


class PatchstatsError(Exception):
    """The base class: catch this to catch everything patchstats raises on purpose."""


class RulesetError(PatchstatsError, ValueError):
    """A ruleset that cannot be played.

    `source` is the file (with the line, for a table) or the call it came from, `key` the key that is wrong, `reason`
    what is wrong and what would be right.
    """

    def __init__(self, source: str, key: str, reason: str) -> None:
        super().__init__(source, key, reason)
        self.source = source
        self.key = key
        self.reason = reason

    def __str__(self) -> str:
        line = ": ".join(part for part in (self.source, self.key, self.reason) if part)
        return "\\n".join(line.splitlines())  # a key that a user wrote may hold anything


class IllegalAction(PatchstatsError, ValueError):
    """An action that the rules forbid; the position it was tried on is unchanged.

    `clause` is the number of the rulebook clause that forbids it (`patchstats rules` prints them), `reason` says why.
    """

    def __init__(self, clause: str, reason: str) -> None:
        super().__init__(clause, reason)
        self.clause = clause
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.reason} (clause {self.clause})"


class RingError(PatchstatsError, ValueError):
    """A ring that does not name every patch of its ruleset exactly once."""


class NotationError(PatchstatsError, ValueError):
    """A text that is no position string or game record; `line` and `column` count from 1."""

    def __init__(self, line: int, column: int, expected: str, found: str) -> None:
        super().__init__(line, column, expected, found)
        self.line = line
        self.column = column
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        found = repr(self.found) if self.found else "the end of the line"
        return f"line {self.line}, column {self.column}: expected {self.expected}, found {found}"


class RecordError(PatchstatsError, ValueError):
    """A game record that can be read and cannot be played: a ply or the result is not what the rules make of it.

    `ply` counts from 0 and `seat` is who the record says plays it; both are None when it is the ring or the result that
    is wrong. `clause` is the number of the rulebook clause that a ply breaks, or None, `reason` says what is wrong.
    """

    def __init__(self, ply: int | None, seat: int | None, clause: str | None, reason: str) -> None:
        super().__init__(ply, seat, clause, reason)
        self.ply = ply
        self.seat = seat
        self.clause = clause
        self.reason = reason

    def __str__(self) -> str:
        where = "" if self.ply is None else f"ply {self.ply}, seat {self.seat}: "
        clause = "" if self.clause is None else f" (clause {self.clause})"
        return f"{where}{self.reason}{clause}"


class AgentError(PatchstatsError):
    """An agent that does not exist, cannot be loaded, or did something that is no legal action."""


class MetricError(PatchstatsError):
    """A metric that does not exist, cannot be loaded, failed, or gave what is no row of its table."""


class RunError(PatchstatsError):
    """A run that cannot be written or read: wrong settings, another run in the way, a missing or damaged file."""


class DamagedManifest(RunError):
    """A manifest that cannot be understood, so that only the shard files can tell of which run they are."""


class VerificationError(PatchstatsError):
    """A run whose files do not say what its games were; each finding is a line of the message."""
