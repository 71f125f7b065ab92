"""The rulebook's clauses, as `data/rulebook/clauses.toml` numbers them."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from typing import NamedTuple

from patchstats.rules.files import data_directory


class Clause(NamedTuple):
    """One clause: its number, a title, its text, and the ruling where texts differ or are silent (else empty)."""

    number: str
    title: str
    text: str
    ruling: str


@lru_cache
def clauses() -> tuple[Clause, ...]:
    """Return the clauses in order.

    >>> [clause.title for clause in clauses() if clause.number == "9.4"]
    ['Equal scores']
    """
    text = (data_directory() / "rulebook" / "clauses.toml").read_text(encoding="utf-8")
    return tuple(
        Clause(entry["number"], entry["title"], entry["text"].strip(), entry.get("ruling", "").strip())
        for entry in tomllib.loads(text)["clause"]
    )
