"""What a metric is: something that watches a game ply by ply and tells a row, or several, when it is over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from patchstats.columns import Column
from patchstats.rules import Ply, Position

#: A value for each column.
Row = Mapping[str, Any]


class Metric:
    """The base class of metrics. Each game is watched by a new instance, made without arguments.

    Attributes:
        name: what its table is called: lower case letters, digits, `-` and `_`.
        columns: what it tells. A type is one of bool, int8, int16, int32, int64, float64, string and binary.
            `game_index` is put in front of them.

    >>> class Leathers(Metric):
    ...     name = "leathers"
    ...     columns = (Column("leathers", "int16", "leathers", "from 0", "the leathers on both quilts"),)
    ...
    ...     def after(self, position):
    ...         return {"leathers": sum(player.leathers for player in position.players)}
    """

    name: ClassVar[str]
    columns: ClassVar[Sequence[Column]]

    def before(self, position: Position) -> None:
        """Look at the position before the first action."""

    def ply(self, ply: Ply) -> None:
        """Look at an action that was played, with the positions before and after it."""

    def after(self, position: Position) -> Row | Iterable[Row]:
        """Look at the final position, and return the row of the game, or all its rows; there may be none."""
        raise NotImplementedError


_Metric = TypeVar("_Metric", bound=Metric)


def watched(metric: _Metric, plies: Sequence[Ply]) -> _Metric:
    """Let a metric watch all plies of a game, and return it."""
    metric.before(plies[0].before)
    for ply in plies:
        metric.ply(ply)
    return metric
