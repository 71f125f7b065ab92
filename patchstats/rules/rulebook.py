"""The rulebook's clauses, as `data/rulebook/clauses.toml` numbers them, and how their sources stand."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from typing import NamedTuple

from patchstats.rules.files import data_directory

#: How the sources of a clause can stand, and what each word means.
STANDINGS = {
    "agreed": "every text that speaks of it says this",
    "publisher": "texts differ, and the publisher's rulebook decides",
    "silent": "the printed texts, or nearly all of them, do not say; digital versions or the plain reading decide",
    "derived": "follows from other clauses or from the pieces",
    "ours": "needed to make the rules exact for records and programs; not a rule of the game",
}


class Clause(NamedTuple):
    """One clause of the rulebook.

    Attributes:
        number: what code, errors and tests cite, such as 5.8.
        title: a few words.
        text: the rule.
        ruling: how this project reads what texts leave open, or empty.
        standing: one of `STANDINGS`; of several claims in a clause the one most open to question counts.
        sources: who says so, who says otherwise or nothing, and what a ruling rests on.
        confidence: "high", or "medium" where the evidence is thin.
        untestable: what of the clause no test of an engine can hold, and why, or empty.
    """

    number: str
    title: str
    text: str
    ruling: str
    standing: str
    sources: str
    confidence: str
    untestable: str


@lru_cache
def clauses() -> tuple[Clause, ...]:
    """Return the clauses in order.

    >>> [clause.title for clause in clauses() if clause.number == "9.4"]
    ['Equal scores']
    """
    text = (data_directory() / "rulebook" / "clauses.toml").read_text(encoding="utf-8")
    unless_given = {"ruling": "", "confidence": "high", "untestable": ""}
    return tuple(Clause(**(unless_given | entry)) for entry in tomllib.loads(text)["clause"])
