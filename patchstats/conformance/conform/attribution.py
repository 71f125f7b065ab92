"""Which clause of the rulebook a difference belongs to, and which clauses hold when there is none.

That is data, `data/protocol/differences.toml`; its words are explained in `facts.py`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from patchstats.conformance.conform.facts import AMOUNTS, FACTS, Moment
from patchstats.conformance.protocol.messages import OF_SEATS
from patchstats.rules.files import data_directory

#: Stands in the table for the clause by which the reference engine refuses an action.
REFUSAL = "refusal"


class Row(NamedTuple):
    """A row of the table, see there."""

    field: str
    clause: str
    facts: tuple[str, ...] = ()
    amount: str = ""
    also: tuple[str, ...] = ()
    holds: bool = True

    def amounts(self, moment: Moment, seat: int | None) -> set[int] | None:
        """What a value may differ by; None stands for anything."""
        return AMOUNTS[self.amount](moment, seat) if self.amount else None

    def applies(self, moment: Moment, seat: int | None) -> bool:
        """Whether all that the row names was the case."""
        return all(FACTS[fact](moment, seat) for fact in self.facts)


class Value(NamedTuple):
    """A value that differs: its field, the seat it is of (None: of both), and what was expected and found."""

    field: str
    seat: int | None
    expected: Any
    found: Any

    @property
    def amount(self) -> int | None:
        """By how much it differs: of lists, how much longer it is; None where that says nothing."""
        if type(self.expected) is int and type(self.found) is int:
            return self.found - self.expected
        if isinstance(self.expected, list) and isinstance(self.found, list):
            return len(self.found) - len(self.expected)
        return None


@lru_cache
def rows() -> tuple[Row, ...]:
    """Return the table.

    >>> rows()[1]
    Row(field='changes', clause='5.13', facts=(), amount='', also=(), holds=True)
    """
    path = data_directory() / "protocol" / "differences.toml"
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["row"]
    lists = ("facts", "also")
    return tuple(Row(**{**entry, **{key: tuple(entry[key]) for key in lists if key in entry}}) for entry in entries)


def clauses_of(moment: Moment, values: Sequence[Value], refusal: str = "") -> tuple[tuple[str, ...], Value]:
    """Return the clauses that the values of a moment may break, the likeliest first, and the value that tells.

    That value is the one which the first row fits that fits any; the clauses are those of all rows that fit it.
    `refusal` is the clause by which the reference engine refuses the action. Raises ValueError where no row fits.

    >>> from patchstats.rules import Advance, Ply, Position, Ruleset
    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> ply = Ply.played(start, Advance())
    >>> moment = Moment(ply.before, ply.action, ply.events, ply.after)
    >>> clauses_of(moment, [Value("score", 0, -156, -157), Value("buttons", 0, 6, 5)])[0]
    ('4.2', '9.5')
    """
    fits = [
        (refusal if row.clause == REFUSAL else row.clause, value)
        for row in rows()
        for value in values
        if row.field == value.field and row.applies(moment, value.seat) and _explains(row, moment, value)
    ]
    if not fits:
        raise ValueError(f"no row of the table fits {values}")
    telling = fits[0][1]
    return tuple(dict.fromkeys(clause for clause, value in fits if value is telling)), telling


def _explains(row: Row, moment: Moment, value: Value) -> bool:
    amounts = row.amounts(moment, value.seat)
    return amounts is None or value.amount in amounts


def held_by(moment: Moment, fields: Collection[str], known: Collection[str], refusal: str = "") -> Iterator[str]:
    """Yield the clauses that would have shown themselves in these fields of a moment, had they been broken.

    Those that are `known` are left out, where that saves time.
    """
    for row in rows():
        clause = refusal if row.clause == REFUSAL else row.clause
        if not row.holds or row.field not in fields or (clause in known and all(one in known for one in row.also)):
            continue
        for seat in (0, 1) if row.field in OF_SEATS else (None,):
            if row.applies(moment, seat) and row.amounts(moment, seat) != set():
                yield from (clause, *row.also)
                break
