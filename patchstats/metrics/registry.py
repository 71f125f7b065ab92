"""Which metrics there are, by the strings that name them, and the rows they give, checked."""

from __future__ import annotations

import difflib
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from reprlib import repr as shown
from typing import Any

from patchstats.columns import GAME_INDEX, OF_RUNS, Column
from patchstats.errors import MetricError
from patchstats.metrics.holes import Holes
from patchstats.metrics.income_curve import IncomeCurve
from patchstats.metrics.lead_changes import LeadChanges
from patchstats.metrics.protocol import Metric
from patchstats.metrics.streaks import Streaks
from patchstats.rules import Ply
from patchstats.scripts import IN_MODULE, ScriptError, load_script, what_went_wrong

#: The metrics that are shipped, by name.
METRICS: dict[str, type[Metric]] = {kind.name: kind for kind in (LeadChanges, Streaks, Holes, IncomeCurve)}

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_COLUMN = re.compile(r"[A-Za-z_]\w{0,63}", re.ASCII)
_BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
_TYPES = ("bool", *_BITS, "float64", "string", "binary")


@dataclass(frozen=True, slots=True)
class NamedMetric:
    """A metric as it was asked for.

    Attributes:
        spec: the string that names it, such as `holes` or `mine:Advances`.
        kind: its class.
        sha256: the hash of the module it is from, or None for a shipped one.
        file: that module's file, or None.
    """

    spec: str
    kind: type[Metric]
    sha256: str | None = None
    file: str | None = None

    @property
    def name(self) -> str:
        """What its table is called."""
        return self.kind.name

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of its table."""
        return (GAME_INDEX, *self.kind.columns)

    def rows(self, game_index: int, plies: Sequence[Ply]) -> list[dict[str, Any]]:
        """Return the rows that the metric gives for a game: a value for each column.

        Raises MetricError, with the game, when the metric fails, or gives what is no row of its table.
        """
        where = game = f"game {game_index}"
        called: Callable[..., Any] = self.kind
        try:
            metric = self.kind()
            called = metric.before
            metric.before(plies[0].before)
            called = metric.ply
            for number, ply in enumerate(plies):
                where = f"{game}, ply {number}"
                metric.ply(ply)
            where = game
            called = metric.after
            given = metric.after(plies[-1].after)
            rows = list(given) if isinstance(given, Iterable) and not isinstance(given, Mapping) else [given]
        except (Exception, SystemExit) as error:
            wrong = what_went_wrong(error, self.file, called)
            raise MetricError(f"metric {self.spec!r} failed: {where}: {wrong}") from error
        for row in rows:
            objection = _why_no_row(row, self.kind.columns)
            if objection is not None:
                raise MetricError(f"metric {self.spec!r}: {game}: {objection}")
        return [{GAME_INDEX.name: game_index, **row} for row in rows]


def make_metric(spec: str) -> NamedMetric:
    """Return the metric that a string such as `holes` or `module:Class` names.

    Raises MetricError when there is none, and when its class is not what a metric must be.

    >>> make_metric("holes").columns[1].name
    'holes_0'
    """
    if spec in METRICS:
        return NamedMetric(spec, METRICS[spec])
    named = IN_MODULE.fullmatch(spec)
    if not named:
        close = difflib.get_close_matches(spec, METRICS, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(METRICS)}, and module:Class"
        raise MetricError(f"metric {spec!r} is unknown; {hint}")
    try:
        module, sha256 = load_script(named["module"])
    except ScriptError as error:
        raise MetricError(f"metric {spec!r}: {error}") from error.__cause__
    kind = getattr(module, named["name"], None)
    if not isinstance(kind, type):
        raise MetricError(f"metric {spec!r}: module {named['module']} has no class {named['name']}")
    objection = _why_no_metric(kind)
    if objection is not None:
        raise MetricError(f"metric {spec!r}: {objection}")
    return NamedMetric(spec, kind, sha256, module.__file__)


def line_about(kind: type[Metric]) -> str:
    """Return what a metric tells, in a line: the first one of its class's docstring.

    >>> line_about(Holes)
    'The empty regions of one cell on each quilt: in the end, at most, and when.'
    """
    return (inspect.getdoc(kind) or "").partition("\n")[0]


def _why_no_metric(kind: Any) -> str | None:
    if not issubclass(kind, Metric):
        return "its class must be derived from patchstats.Metric"
    if kind.after is Metric.after:
        return "its class must have a method after, which returns its rows"
    name, columns = getattr(kind, "name", None), getattr(kind, "columns", None)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return f"name must be a word of lower case letters, digits, - and _, not {shown(name)}"
    if name in METRICS:
        return f"name {name!r} is that of a shipped metric; give it another one"
    if not isinstance(columns, tuple | list) or not columns:
        return f"columns must be a tuple of patchstats.Column, not {shown(columns)}"
    for column in columns:
        objection = _why_no_column(column)
        if objection is not None:
            return objection
    for name, times in Counter(column.name for column in columns).items():
        if name == GAME_INDEX.name:
            return f"the column {name} is put in front of the others; leave it out"
        if name in OF_RUNS:
            return f"the column {name} is put in front of the others in frames of several runs; give it another name"
        if times > 1:
            return f"there are {times} columns {name!r}"
    return None


def _why_no_column(column: Any) -> str | None:
    if not isinstance(column, Column):
        return f"columns must hold patchstats.Column, not {shown(column)}"
    if not isinstance(column.name, str) or not _COLUMN.fullmatch(column.name):
        return f"the name of a column must be a word of letters, digits and _, not {shown(column.name)}"
    if column.type not in _TYPES:
        return f"column {column.name!r}: type {shown(column.type)} is none of {', '.join(_TYPES)}"
    if not all(isinstance(text, str) for text in (column.unit, column.bounds, column.meaning)):
        return f"column {column.name!r}: unit, bounds and meaning must be texts"
    if not isinstance(column.nullable, bool):
        return f"column {column.name!r}: nullable must be True or False"
    return None


def _why_no_row(row: Any, columns: Sequence[Column]) -> str | None:
    if not isinstance(row, Mapping):
        return f"after must return a row, a mapping from columns to values, or several rows, not {shown(row)}"
    names = [column.name for column in columns]
    absent = [name for name in names if name not in row]
    if absent:
        return f"its row has no value for column {absent[0]!r}"
    if len(row) > len(names):
        extra = next(name for name in row if name not in names)
        return f"its row has a value for {extra!r}, and its columns are {', '.join(names)}"
    for column in columns:
        value = row[column.name]
        if not _fits(value, column):
            nullable = " or None" if column.nullable else ""
            kind = type(value).__name__
            return f"column {column.name!r} holds {column.type}{nullable}, not {shown(value)} of type {kind}"
    return None


def _fits(value: Any, column: Column) -> bool:
    """Whether a value can be written into a column, and read back as it was."""
    if value is None:
        return column.nullable
    if column.type in _BITS:
        most = 2 ** (_BITS[column.type] - 1)
        return type(value) is int and -most <= value < most
    if column.type == "float64":
        return isinstance(value, float) or (type(value) is int and abs(value) <= 2**53)
    if column.type == "bool":
        return type(value) is bool
    if column.type == "binary":
        return isinstance(value, bytes)
    return isinstance(value, str) and not any("\ud800" <= sign <= "\udfff" for sign in value)
