"""Tables as pandas frames: what every reader of runs offers, and how columns and filters are translated."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from patchstats.columns import Column
from patchstats.dataset.metric_tables import FOLDER
from patchstats.dataset.shards import arrow_schema
from patchstats.dataset.store import reason
from patchstats.errors import RunError

if TYPE_CHECKING:
    import pandas as pd

#: Rows that are wanted: (column, operator, value) triples that must all hold, or lists of which one must, as
#: `pandas.read_parquet` takes them. Operators: ==, !=, <, <=, >, >=, in, not in.
Filters = Sequence[tuple[str, str, Any]] | Sequence[Sequence[tuple[str, str, Any]]]

#: The same as lists of triples, of which one list must hold.
Groups = list[list[tuple[str, str, Any]]]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for of a run, or of several: a table, the names of its columns (None: all), and which rows."""

    table: str
    columns: list[str] | None
    groups: Groups

    @classmethod
    def of(cls, table: str, columns: Iterable[str] | None, filters: Filters | None) -> Asked:
        """Raises RunError for what is not of the types that are asked for."""
        if not isinstance(table, str):
            raise RunError(f"table must be the name of a table, such as 'games', not {in_a_line(table)}")
        return cls(table, names_of(columns), groups_of(filters))


class Frames(ABC):
    """The tables of a run, or of several, as frames.

    `games`, `turns`, `offers` and `patches` return whole tables, with all columns or some, and all rows or those that
    `filters` lets through, and `metric` the table of a metric; `batches` does the same shard by shard (that of a metric
    is called `metrics/holes` there). `docs/schema.md` and `docs/metrics.md` tell what the columns mean. In frames
    agents, patches and kinds of action are categories with their names, patches missing where there is none; the
    columns of metrics are as they are written. All of them raise RunError for a table or column that is not there, and
    for a missing or damaged file.
    """

    def games(self, columns: Iterable[str] | None = None, filters: Filters | None = None) -> pd.DataFrame:
        """Return the games table, one row a game."""
        return self._frame(Asked.of("games", columns, filters))

    def turns(self, columns: Iterable[str] | None = None, filters: Filters | None = None) -> pd.DataFrame:
        """Return the turns table, one row a ply, of a run with `--log turns` or `offers`."""
        return self._frame(Asked.of("turns", columns, filters))

    def offers(self, columns: Iterable[str] | None = None, filters: Filters | None = None) -> pd.DataFrame:
        """Return the offers table, one row a patch on offer at each turn, of a run with `--log offers`."""
        return self._frame(Asked.of("offers", columns, filters))

    def patches(self, columns: Iterable[str] | None = None, filters: Filters | None = None) -> pd.DataFrame:
        """Return who bought each patch of each game, and when: one row a patch and game, from the action logs."""
        return self._frame(Asked.of("patches", columns, filters))

    def metric(self, name: str, columns: Iterable[str] | None = None, filters: Filters | None = None) -> pd.DataFrame:
        """Return the table of a metric, as `patchstats metrics` has computed it; `docs/metrics.md` has the columns.

        Raises RunError, which names the command, when it has not, or the run has other games since.
        """
        if not isinstance(name, str):
            raise RunError(f"name must be that of a metric, such as 'holes', not {in_a_line(name)}")
        return self._frame(Asked.of(FOLDER + name, columns, filters))

    def batches(
        self, table: str, columns: Iterable[str] | None = None, filters: Filters | None = None
    ) -> Iterator[pd.DataFrame]:
        """Return a table as one frame a shard, in order, each read when its turn comes: for runs larger than memory.

        >>> import tempfile
        >>> from patchstats import simulate
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = simulate(games=100, games_per_shard=40, seed=1, out=folder)
        ...     [len(won) for won in run.batches("games", ["plies"], filters=[("winner", "==", 0)])]
        [18, 17, 8]
        """
        return self._batches(Asked.of(table, columns, filters))

    @abstractmethod
    def _batches(self, asked: Asked) -> Iterator[pd.DataFrame]: ...

    @abstractmethod
    def _frame(self, asked: Asked) -> pd.DataFrame: ...


def names_of(columns: Any) -> list[str] | None:
    """The names of columns, whatever they come in, or None for all. Raises RunError for anything else."""
    if columns is None:
        return None
    names = columns if isinstance(columns, str) or not isinstance(columns, Iterable) else list(columns)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise RunError(f"columns must be a list of names, such as ['winner'], not {in_a_line(names)}")
    if not names:
        raise RunError("columns is empty; leave it out for all columns, or name some")
    return names


def groups_of(filters: Any) -> Groups:
    """The filters as lists of triples, of which one list must hold. Raises RunError for anything else."""
    if filters is None:
        return []
    try:
        groups = [filters] if isinstance(filters[0][0], str) else filters
        return [[(str(column), how, _kept(value)) for column, how, value in group] for group in groups]
    except (TypeError, ValueError, IndexError, KeyError):
        example = "[('winner', '==', 0)]"
        raise RunError(
            f"filters must be (column, operator, value) triples, such as {example}, not {in_a_line(filters)}"
        ) from None


def in_a_line(value: Any) -> str:
    """A value as Python writes it, for a message."""
    return " ".join(repr(value).split())


def _kept(value: Any) -> Any:
    """A value that can be gone through once for each run."""
    return list(value) if isinstance(value, Iterator) else value


def expression_of(groups: Groups, there: Sequence[Column], codes: Mapping[str, Mapping[str, int]]) -> Any:
    """Return filters as Arrow understands them, or None for none.

    `there` are the columns of the table; `codes` has for some of them what names are in the files. Raises RunError for
    a value that its column cannot be compared with.
    """
    import pandas as pd

    schema = arrow_schema(there, {})

    def coded(column: str, how: str, value: Any) -> Any:
        if how in ("in", "not in"):
            if isinstance(value, str) or not isinstance(value, Iterable):
                raise RunError(f"filters: {column} {how} must be followed by a list of values, not {value!r}")
            values = [coded(column, "==", one) for one in value]
            return values or pa.array([], schema.field(column).type)
        if pd.api.types.is_scalar(value) and pd.isna(value):
            raise RunError(
                f"filters: {column} {how} {value}: missing values cannot be asked for (a patch that is missing is -1)"
            )
        if column in codes and isinstance(value, str):
            if value not in codes[column]:
                raise RunError(f"filters: there is no {column} {value!r}; there are {', '.join(codes[column])}")
            return codes[column][value]
        return value

    if not groups:
        return None
    plain = [[(column, how, coded(column, how, value)) for column, how, value in group] for group in groups]
    try:
        where = pq.filters_to_expression(plain)
        schema.empty_table().filter(where)
    except (TypeError, ValueError, OverflowError, pa.ArrowException) as error:  # another type than the column's
        raise RunError(f"filters {groups} cannot be used: {reason(error)}") from None
    return where


def plain_frame(part: pa.Table) -> pd.DataFrame:
    """A table as it is; in columns that may hold nulls, numbers stay whole."""
    import pandas as pd

    frame: pd.DataFrame = part.to_pandas()
    nullable = [field.name for field in part.schema if field.nullable]
    types = {
        pa.bool_(): pd.BooleanDtype(),
        pa.int8(): pd.Int8Dtype(),
        pa.int16(): pd.Int16Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
    }
    frame[nullable] = part.select(nullable).to_pandas(types_mapper=types.get)
    return frame


def categories(codes: pd.Series[int], names: Mapping[str, int]) -> pd.Categorical[str]:
    """Return the names of codes that follow one another; a code below the first one stands for nothing."""
    import pandas as pd

    return pd.Categorical.from_codes((codes - min(names.values())).clip(lower=-1), pd.Index(list(names)))
