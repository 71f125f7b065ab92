"""A whole game as a text that people read and diff: what was played with, one line a ply, the result.

    patchstats game record 1
    ruleset original 19ef69bf0734a3e8
    ring p05 p09 p31 ...
    agents random random
    0 p21/3@e5
    1 advance
    ...
    result 12 -3 winner 0

The name of the ruleset is for the reader; its id says which it is. Below it there may be a line such as

    changes patches.p21.cost=1,patches.p22.time=3

which says what costs, times and incomes this one game was played with instead. The line of the agents may be missing;
an agent that is no plain word stands there as a JSON string. A ply is a seat and an action. A game that is not over has
`result unfinished`. Blank lines are passed over, and so is everything from a `#` on that begins a line or stands behind
a blank at its end. Whether the game can be played is asked in `replay.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from patchstats.notation.line import SEAT, WORD, Line, number_text, seat_text
from patchstats.notation.named_ruleset import read_ruleset_id
from patchstats.notation.tokens import format_action, read_action
from patchstats.rules.actions import Action
from patchstats.rules.checking import PATCH_AMOUNTS, PATCH_ID
from patchstats.rules.ruleset import Ruleset

TITLE = "patchstats game record 1"
PLAIN_AGENT = re.compile(r'[^\s"#]\S*')
CHANGED_KEY = re.compile(rf"patches\.(?P<patch>{PATCH_ID.pattern})\.(?P<key>{'|'.join(PATCH_AMOUNTS)})(?==)")
QUOTED_AGENT = re.compile(r'"(?:[^"\\]|\\.)*"(?!\S)')


class Result(NamedTuple):
    """How a game ended: the score of seat 0 and of seat 1, in points, and the seat that won."""

    scores: tuple[int, int]
    winner: int


@dataclass(frozen=True)
class GameRecord:
    """A game as it was written down: enough to play it again, ply by ply.

    Attributes:
        ruleset: what was played with.
        ring: the ids of all patches, clockwise, from any of them on.
        actions: what was done, a ply each.
        seats: for each ply the seat that did it.
        result: scores and winner, or None when the game was not played to its end.
        agents: the spec strings of the agents that played seat 0 and seat 1, or None when they are not known.
        base: the ruleset of which `ruleset` differs in costs, times and incomes, if it is written as changes of that.

    Nothing is checked but that there is a seat for every action (ValueError); `replay_record` checks the game.
    """

    ruleset: Ruleset
    ring: tuple[str, ...]
    actions: tuple[Action, ...]
    seats: tuple[int, ...]
    result: Result | None
    agents: tuple[str, str] | None = None
    base: Ruleset | None = None

    def __post_init__(self) -> None:
        if len(self.actions) != len(self.seats):
            raise ValueError(f"{len(self.actions)} actions of {len(self.seats)} seats are no plies")


def format_record(record: GameRecord) -> str:
    """Write a game record as text; `parse_record` is the way back.

    Raises ValueError for a record that has no text: a ring that does not name every patch of the ruleset once, an
    action beside the quilt, a seat other than 0 and 1, scores of more than 18 digits, a ruleset that costs, times and
    incomes do not make of its base.

    >>> record = GameRecord(Ruleset.load("original"), tuple(f"p{n:02}" for n in range(1, 34)), (), (), None)
    >>> format_record(record).splitlines()[1]
    'ruleset original 19ef69bf0734a3e8'
    """
    ruleset = record.ruleset
    if sorted(record.ring) != sorted(patch.id for patch in ruleset.patches):
        raise ValueError("the ring does not name every patch of the ruleset exactly once")
    base = record.base or ruleset
    lines = [TITLE, f"ruleset {base.name} {base.ruleset_id}"]
    if base != ruleset:
        lines.append(f"changes {','.join(f'{key}={value}' for key, value in _changes(base, ruleset).items())}")
    lines.append(" ".join(["ring", *record.ring]))
    if record.agents is not None:
        lines.append(" ".join(["agents", *map(_agent, record.agents)]))
    plies = zip(record.seats, record.actions, strict=True)
    lines += (f"{seat_text(seat)} {format_action(action, ruleset.quilt_size)}" for seat, action in plies)
    return "\n".join([*lines, f"result {format_result(record.result)}", ""])


def format_result(result: Result | None) -> str:
    """Write the result of a game as it stands in the last line of a record.

    >>> format_result(Result((12, -3), winner=0)), format_result(None)
    ('12 -3 winner 0', 'unfinished')
    """
    if result is None:
        return "unfinished"
    first, second = result.scores
    return f"{number_text(first)} {number_text(second)} winner {seat_text(result.winner)}"


def parse_record(text: str, ruleset: Ruleset | None = None) -> GameRecord:
    """Read a game record.

    A game of a ruleset that is not shipped needs that ruleset, whose id must be the one in the text; where the text has
    changes, these are made on it. Raises NotationError, with line, column and what was expected there.

    >>> ring = " ".join(f"p{number:02}" for number in range(1, 34))
    >>> top = f"patchstats game record 1\\nruleset original 19ef69bf0734a3e8\\nring {ring}\\n"
    >>> parse_record(top + "0 p02/0@a1 # cheap\\nresult unfinished\\n").actions
    (Buy(patch='p02', orientation=0, cell=0),)
    """
    lines = _lines_that_speak(text)
    line = next(lines)
    line.take_literal(TITLE, f"the first line of a record, '{TITLE}'")
    line.take_end(comment=True)

    line = next(lines)
    _read_keyword(line, "ruleset", "the name of the ruleset")
    line.take(WORD, "the name of the ruleset")
    line.take_gap("the id of the ruleset")
    rules = read_ruleset_id(line, ruleset)
    line.take_end(comment=True)

    line = next(lines)
    base = None
    if line.ahead("changes"):
        base, rules = rules, _read_changes(line, rules)
        line = next(lines)
    ring = _read_ring(line, rules)
    line = next(lines)
    agents = None
    if line.ahead("agents"):
        agents = _read_agents(line)
        line = next(lines)

    actions, seats = [], []
    while not line.ahead("result"):
        seats.append(int(line.take(SEAT, "a ply (the seat, 0 or 1, and an action), or the result")))
        line.take_gap("an action")
        actions.append(read_action(line, rules.quilt_size))
        line.take_end(comment=True)
        line = next(lines)
    result = _read_result(line)
    for rest in lines:
        rest.take_end("nothing more after the result")
    return GameRecord(rules, ring, tuple(actions), tuple(seats), result, agents, base)


def _changes(base: Ruleset, ruleset: Ruleset) -> dict[str, int]:
    """The costs, times and incomes that make a ruleset of another one, by their keys."""
    changes = {
        f"patches.{patch.id}.{key}": getattr(ruleset[patch.id], key)
        for patch in base.patches
        for key in PATCH_AMOUNTS
        if patch.id in ruleset and getattr(ruleset[patch.id], key) != getattr(patch, key)
    }
    if base.with_changes(changes) != ruleset:
        raise ValueError(f"ruleset {ruleset.name} does not differ from {base.name} in costs, times and incomes alone")
    return changes


def _agent(spec: str) -> str:
    plain = PLAIN_AGENT.fullmatch(spec) and spec.isprintable()
    return spec if plain else json.dumps(spec)


def _lines_that_speak(text: str) -> Iterator[Line]:
    """Yield the lines that are neither blank nor a comment, and then an empty one for what is missing at the end."""
    texts = text.split("\n")
    for number, line_text in enumerate(texts, start=1):
        line = Line(line_text, number)
        if not line.is_void:
            line.take_blanks()
            yield line
    yield Line("", len(texts) + (texts[-1] != ""))


def _read_keyword(line: Line, keyword: str, expected: str) -> None:
    line.take_literal(keyword, f"the line of the {keyword}")
    line.take_gap(expected)


def _read_changes(line: Line, ruleset: Ruleset) -> Ruleset:
    _read_keyword(line, "changes", "what is changed, such as patches.p21.cost=1")
    changes: dict[str, int] = {}
    while True:
        start = line.place
        key = line.take(CHANGED_KEY, "the cost, time or income of a patch, such as patches.p21.cost=1")
        _, patch, name = key.split(".")
        if patch not in ruleset:
            line.refuse(f"a patch of the ruleset {ruleset.name}", start)
        if key in changes:
            line.refuse("a number that is not changed yet", start)
        line.take_literal("=")
        start = line.place
        changes[key] = line.take_whole_number("a whole number")
        least, greatest = PATCH_AMOUNTS[name]
        if not least <= changes[key] <= greatest:
            line.refuse(f"a {name} from {least} to {greatest}", start)
        if not line.ahead(","):
            line.take_end("',' and a further change, or the end of the line", comment=True)
            return ruleset.with_changes(changes)
        line.take_literal(",")


def _read_ring(line: Line, ruleset: Ruleset) -> tuple[str, ...]:
    _read_keyword(line, "ring", "the patches of the ring")
    missing = {patch.id for patch in ruleset.patches}
    ring: list[str] = []
    while True:
        start = line.place
        patch = line.take(PATCH_ID, "a patch id")
        if patch not in missing:
            line.refuse(f"a patch of the ruleset {ruleset.name}, each once", start)
        missing.remove(patch)
        ring.append(patch)
        if not missing:
            line.take_end("the end of the ring", comment=True)
            return tuple(ring)
        line.take_gap(f"{len(missing)} more of the ring's patches, such as {min(missing)}")


def _read_agents(line: Line) -> tuple[str, str]:
    _read_keyword(line, "agents", "the agent of seat 0")
    first = _read_agent(line)
    line.take_gap("the agent of seat 1")
    second = _read_agent(line)
    line.take_end(comment=True)
    return first, second


def _read_agent(line: Line) -> str:
    if not line.ahead('"'):
        return line.take(PLAIN_AGENT, "an agent, a word or a JSON string")
    start = line.place
    quoted = line.take(QUOTED_AGENT, "a JSON string")
    try:
        return str(json.loads(quoted))
    except ValueError:
        line.refuse("a JSON string", start)


def _read_result(line: Line) -> Result | None:
    _read_keyword(line, "result", "'unfinished', or the score of seat 0")
    if line.ahead("unfinished"):
        line.take_literal("unfinished")
        line.take_end(comment=True)
        return None
    first = line.take_whole_number("'unfinished', or the score of seat 0")
    line.take_gap("the score of seat 1")
    second = line.take_whole_number("the score of seat 1")
    line.take_gap("'winner'")
    line.take_literal("winner")
    line.take_gap("the seat that won, 0 or 1")
    winner = int(line.take(SEAT, "the seat that won, 0 or 1"))
    line.take_end(comment=True)
    return Result((first, second), winner)
