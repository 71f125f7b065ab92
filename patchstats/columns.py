"""What a column of a table is: of the tables of a run, and of those of metrics."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its Arrow type, the unit of its values, its bounds in words, and what it means.

    Where there is nothing to tell an integer is -1; only a nullable column, in which -1 means something, is null there.
    """

    name: str
    type: str
    unit: str = ""
    bounds: str = ""
    meaning: str = ""
    nullable: bool = False


#: The first column of every table: rows of one game have the same value there.
GAME_INDEX = Column("game_index", "int64", "", "0 to games - 1", "the number of the game in the run")


#: The columns that frames of several runs begin with, so that one game can be told from another.
OF_RUNS = ("run", "run_id", "ruleset", "ruleset_id", "agents", "pairing", "seed", "log", "stop_when", "games")


def for_each_seat(name: str, type_: str, unit: str, bounds: str, meaning: str) -> tuple[Column, Column]:
    """Return two columns that tell the same of seat 0 and of seat 1.

    >>> [column.name for column in for_each_seat("score", "int32", "points", "", "the final score")]
    ['score_0', 'score_1']
    """
    return (
        Column(f"{name}_0", type_, unit, bounds, f"{meaning} of seat 0"),
        Column(f"{name}_1", type_, unit, bounds, f"{meaning} of seat 1"),
    )


def table_of(columns: tuple[Column, ...]) -> list[str]:
    """Return the lines of a Markdown table that describes the columns."""
    return [
        "| column | type | unit | values | meaning |",
        "|---|---|---|---|---|",
        *(f"| `{one.name}` | {one.type} | {one.unit} | {one.bounds} | {one.meaning} |" for one in columns),
    ]
