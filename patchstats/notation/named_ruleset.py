"""Which ruleset a text means: the one given beside it, else a shipped one with the id that the text names."""

from __future__ import annotations

import re
from functools import cache

from patchstats.notation.line import WORD, Line
from patchstats.rules.loading import shipped_rulesets
from patchstats.rules.ruleset import Ruleset

RULESET_ID = re.compile(r"[0-9a-f]{16}(?!\S)")


def read_ruleset_id(line: Line, ruleset: Ruleset | None) -> Ruleset:
    """Take the id of a ruleset from the line and return who has it: `ruleset`, which must, or a shipped one."""
    start = line.place
    ruleset_id = line.take(RULESET_ID, "a ruleset id of 16 hexadecimal digits")
    return _known(line, start, ruleset_id, ruleset)


def read_ruleset_id_or_name(line: Line, ruleset: Ruleset | None) -> Ruleset:
    """Take the id of a ruleset, or the name of a shipped one, from the line and return the ruleset."""
    start = line.place
    word = line.take(WORD, "a ruleset id, or the name of a shipped ruleset")
    by_name = {known.name: known_id for known_id, known in shipped().items()}
    return _known(line, start, by_name.get(word, word), ruleset)


def _known(line: Line, start: int, ruleset_id: str, ruleset: Ruleset | None) -> Ruleset:
    if ruleset is not None:
        if ruleset_id != ruleset.ruleset_id:
            line.refuse(f"{ruleset.ruleset_id}, the id of the ruleset {ruleset.name} that goes with the text", start)
        return ruleset
    if ruleset_id not in shipped():
        known = " or ".join(f"{known_id} ({known.name})" for known_id, known in shipped().items())
        line.refuse(f"the id of a shipped ruleset, {known}, as no other ruleset goes with the text", start)
    return shipped()[ruleset_id]


@cache
def shipped() -> dict[str, Ruleset]:
    """The rulesets that come with patchstats, by their ids."""
    rulesets = [Ruleset.load(name) for name in shipped_rulesets()]
    return {ruleset.ruleset_id: ruleset for ruleset in rulesets}
