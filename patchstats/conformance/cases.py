"""Rule cases: disputes about the rules as data, with the right answer and the tempting wrong one.

The cases stand in `data/cases`, one file a section of the rulebook; `property_tests/README.md` says how to add one.
What may stand in a case is said here, in SITUATION, SEAT and ANSWERS; what the rules are is said in `patchstats.rules`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

from patchstats.errors import IllegalAction, NotationError, PatchstatsError, RulesetError
from patchstats.notation import parse_action
from patchstats.rules import Buy, Event, Position, Ruleset
from patchstats.rules.files import data_directory
from patchstats.rules.rulebook import clauses
from patchstats.testing.situations import situation

NONE = "none"
CASE = {"id": "id", "clauses": "clauses", "question": "question", "actions": "list", "right": "table"}
CASE |= {"tempting": "table", "situation": "table"}
SEATS = {"seat_0": "table", "seat_1": "table"}
#: What a situation may say, and of which kind that is. A game from its `start` has none of TABLE.
GAME = {"ruleset": "text", "changes": "table", "start": "patches"}
TABLE = {"ring": "patches", "top": "seat", "leather_marks": "spaces", "waiting": "amount", "bonus_owner": "seat"}
TABLE |= {"bank": "number", **SEATS}
#: What a situation may say of a seat. `covered` fills so many cells row by row, `quilt` draws them with # and dots.
SEAT = {"space": "amount", "buttons": "amount", "income": "amount", "covered": "amount", "quilt": "text"}
#: What stands for an action that the notation cannot write: a purchase beside the quilt, a word that is no action.
ODD_ACTIONS = {"patch": "text", "orientation": "number", "cell": "number"}, {"word": "text"}


#: What a case may ask afterwards, of the position or of the last action, and of which kind the answer is ...
OF_POSITION = {"seat_on_turn": "seat", "top": "seat", "bonus_owner": "seat", "first_finisher": "seat", "winner": "seat"}
OF_POSITION |= {"finished": "flag", "waiting": "number", "set_aside": "number", "bank": "number", "offer": "patches"}
ANSWERS = {**OF_POSITION, "leather_marks": "spaces", "last_on_ring": "patches", "legal": "number", "can_buy": "patches"}
ANSWERS |= {"events": "events", "illegal": "clause"}
#: ... and of a seat, as `seat_0 = { buttons = 5 }`.
OF_PLAYER = {"space": "number", "buttons": "number", "income": "number", "leathers": "number"}
SEAT_ANSWERS = {**OF_PLAYER, "covered": "number", "empty": "number", "score": "number"}
NUMBERS = [clause.number for clause in clauses()]
EVENTS = [NONE, *(event.__name__ for event in get_args(Event))]
#: For each kind how it is called, and whether a value is of it.
KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "id": ("a letter and two digits: T01 or T01b", lambda value: bool(re.fullmatch("[A-Z][0-9]{2}[a-z]?", value))),
    "question": ("one line that ends with a question mark", lambda value: bool(re.fullmatch(r"\S.*\?", value))),
    "clauses": ('like ["3.1"]', lambda value: isinstance(value, list) and value != [] and _all_in(value, NUMBERS)),
    "clause": ('the number of a clause, or "none"', lambda value: value in (*NUMBERS, NONE)),
    "text": ("a text", lambda value: isinstance(value, str)),
    "list": ("a list", lambda value: isinstance(value, list)),
    "table": ("a table of keys and values", lambda value: isinstance(value, dict)),
    "flag": ("true or false", lambda value: isinstance(value, bool)),
    "number": ("a whole number", lambda value: type(value) is int),
    "amount": ("a whole number from 0 on", lambda value: type(value) is int and value >= 0),
    "seat": ('0, 1 or "none"', lambda value: value == NONE or (type(value) is int and value in (0, 1))),
    "spaces": ("a list of spaces", lambda value: isinstance(value, list) and all(type(one) is int for one in value)),
    "patches": ("patch ids with blanks between them", lambda value: isinstance(value, str)),
    "events": ('names of events, or "none"', lambda value: _all_in(value.split(), EVENTS)),
}


@dataclass(frozen=True)
class Case:
    """A dispute: what is asked, the position, what is tried, what must be found then, and what is wrong yet tempting.

    `right` and `tempting` go by the keys of ANSWERS, and by `seat_0.buttons` and the like for SEAT_ANSWERS.
    """

    id: str
    clauses: tuple[str, ...]
    question: str
    position: Position
    actions: tuple[Any, ...]
    right: Mapping[str, Any]
    tempting: Mapping[str, Any]


class Finding(NamedTuple):
    """What a case brought: the values it names as they were `found`, and its `faults`, a line each."""

    case: Case
    found: Mapping[str, Any]
    faults: tuple[str, ...]

    @property
    def held(self) -> bool:
        """Whether every right value was found, and the tempting result was not."""
        return not self.faults


def run_case(case: Case) -> Finding:
    """Play a case with the reference engine, up to the first action it refuses, and compare.

    >>> case = next(case for case in load_cases() if case.id == "A02")
    >>> case.question
    'Does an advance over an income mark bring the income on top of the buttons for the spaces?'
    >>> run_case(case).held, run_case(case).found["seat_0.buttons"], case.tempting["seat_0.buttons"]
    (True, 8, 5)
    """
    position, illegal, faults = case.position, NONE, []
    events: tuple[Event, ...] = ()
    for number, action in enumerate(case.actions, start=1):
        try:
            position, events = position.apply(action)
        except IllegalAction as error:
            events, illegal = (), error.clause
            if number < len(case.actions):
                faults.append(f"action {number} of {len(case.actions)} is refused: {error}")
            break
    answers = _answers(position, events, illegal)
    faults += [f"{key} is {answers[key]}, not {value}" for key, value in case.right.items() if answers[key] != value]
    if all(answers[key] == value for key, value in case.tempting.items()):
        faults.append("the tempting result is what was found")
    return Finding(case, {key: answers[key] for key in (*case.right, *case.tempting)}, tuple(faults))


def load_cases(folder: Path | None = None) -> tuple[Case, ...]:
    """Return the cases of all TOML files in a folder, by default those that come with patchstats.

    Raises PatchstatsError, with file, case and key, for what is no case, and for a tempting result that contradicts the
    right one in nothing.

    >>> len(load_cases()) > 90
    True
    """
    cases: dict[str, Case] = {}
    for path in sorted((folder or data_directory() / "cases").glob("*.toml")):
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise PatchstatsError(f"{path}: cannot be read as TOML: {error}") from None
        if list(content) != ["case"] or not isinstance(content["case"], list):
            raise PatchstatsError(f"{path}: a file of cases holds [[case]] tables and nothing else")
        for number, entry in enumerate(content["case"], start=1):
            name = entry.get("id", f"number {number}") if isinstance(entry, dict) else f"number {number}"
            case = _case(f"{path}: case {name}", entry)
            if case.id in cases:
                raise PatchstatsError(f"{path}: case {name}: id: another case has this id")
            cases[case.id] = case
    return tuple(cases.values())


def _case(where: str, entry: Any) -> Case:
    _check(where, entry, CASE, needed=[key for key in CASE if key != "situation"])
    position = _position(f"{where}: situation", entry.get("situation", {}))
    actions = tuple(_action(f"{where}: actions", one, position.ruleset) for one in entry["actions"])
    right, tempting = (_result(f"{where}: {key}", entry[key], position.ruleset) for key in ("right", "tempting"))
    right = {"illegal": NONE, **right}  # an action that is not said to be refused must be legal
    if all(right.get(key, value) == value for key, value in tempting.items()):
        raise PatchstatsError(f"{where}: tempting: contradicts nothing in right; name a value of both that differs")
    return Case(entry["id"], tuple(entry["clauses"]), entry["question"], position, actions, right, tempting)


def _check(where: str, table: Any, kinds: Mapping[str, str], needed: Iterable[str] = ()) -> None:
    """Refuse a table with a key that is not among the kinds, without one that is needed, or with a wrong value."""
    if not isinstance(table, dict):
        raise PatchstatsError(f"{where}: {table!r} is no table of keys and values")
    for key in (*needed, *table):
        if key not in kinds:
            raise PatchstatsError(f"{where}: {key}: no such key; the keys are {', '.join(kinds)}")
        if key not in table:
            raise PatchstatsError(f"{where}: {key}: is missing")
        name, is_kind = KINDS[kinds[key]]
        try:
            fits = is_kind(table[key])
        except (AttributeError, TypeError):  # a list or a number where a text should be
            fits = False
        if not fits:
            raise PatchstatsError(f"{where}: {key}: {table[key]!r} is not {name}")


def _position(where: str, given: Any) -> Position:
    from_start = not given.keys() & TABLE
    _check(where, given, {**GAME, **TABLE} if from_start or "start" not in given else GAME)
    try:
        ruleset = _ruleset(given.get("ruleset", "original"))
        ruleset = ruleset.with_changes(given["changes"]) if "changes" in given else ruleset
    except RulesetError as error:
        raise PatchstatsError(f"{where}: {error}") from None
    named = {key: _patches(f"{where}: {key}", given[key], ruleset) for key in ("start", "ring") if key in given}
    if from_start:
        first = named.get("start", [])
        return Position.start(ruleset, [*first, *(one.id for one in ruleset.patches if one.id not in first)])
    seats = [_seat(f"{where}: {name}", given.get(name, {}), ruleset) for name in SEATS]
    space, buttons, income, covered = zip(*seats, strict=True)
    more = {
        key: given[key] for key in ("top", "leather_marks", "waiting", "bonus_owner") if given.get(key, NONE) != NONE
    }
    if "ring" in named:
        more["ring"] = named["ring"]
    position = situation(ruleset, spaces=space, buttons=buttons, income=income, covered=covered, **more)
    return replace(position, bank=given.get("bank", position.bank))


_ruleset = lru_cache(Ruleset.load)


def _seat(where: str, given: Any, ruleset: Ruleset) -> tuple[int, int, int, Iterable[int]]:
    _check(where, given, SEAT)
    cells = ruleset.quilt_size**2
    drawing = "".join(given["quilt"].split()) if "quilt" in given else ("#" * given.get("covered", 0)).ljust(cells, ".")
    if set(drawing) - set("#.") or len(drawing) != cells or {"quilt", "covered"} <= given.keys():
        raise PatchstatsError(f"{where}: quilt: is {cells} marks, # or a dot each; or give covered, at most {cells}")
    if given.get("space", 0) > ruleset.finish:
        raise PatchstatsError(f"{where}: space: {given['space']} is outside 0 to {ruleset.finish}")
    covered = [cell for cell, mark in enumerate(drawing) if mark == "#"]
    return given.get("space", 0), given.get("buttons", ruleset.start_buttons), given.get("income", 0), covered


def _patches(where: str, text: str, ruleset: Ruleset, *, once: bool = True) -> list[str]:
    words = [] if text == NONE else text.split()
    if not _all_in(words, ruleset.ways_to_lay) or (once and len(set(words)) < len(words)):
        raise PatchstatsError(f"{where}: {text!r} does not name patches of the ruleset{', each once' * once}, or none")
    return words


def _action(where: str, given: Any, ruleset: Ruleset) -> Any:
    if isinstance(given, dict):
        _check(where, given, odd := ODD_ACTIONS["word" in given], needed=odd)
        return given["word"] if "word" in given else Buy(**given)
    try:
        return parse_action(str(given), ruleset.quilt_size)
    except NotationError as error:
        raise PatchstatsError(f"{where}: {given!r}: {error}") from None


def _answers(position: Position, events: tuple[Event, ...], illegal: str) -> dict[str, Any]:
    """Answer everything that a case may ask, in the way it is written there."""
    legal = position.legal_actions
    answers = {key: getattr(position, key) for key in OF_POSITION}
    answers |= {"leather_marks": list(position.leather_marks), "last_on_ring": position.ring[-1:], "legal": len(legal)}
    answers |= {"can_buy": legal.purchases.patches, "events": tuple(type(event).__name__ for event in events)}
    answers["illegal"] = illegal
    for seat, player in enumerate(position.players):
        answers |= {f"seat_{seat}.{key}": getattr(player, key) for key in OF_PLAYER}
        answers[f"seat_{seat}.covered"] = player.covered.bit_count()
        answers |= {f"seat_{seat}.empty": position.empty_cells(seat), f"seat_{seat}.score": position.score(seat)}
    texts = {key: " ".join(value) or NONE for key, value in answers.items() if isinstance(value, tuple)}
    return {key: NONE if value is None else texts.get(key, value) for key, value in answers.items()}


def _result(where: str, given: Any, ruleset: Ruleset) -> dict[str, Any]:
    _check(where, given, {**ANSWERS, **SEATS})
    result = {key: value for key, value in given.items() if key not in SEATS}
    for key in ("offer", "last_on_ring", "can_buy"):
        _patches(f"{where}: {key}", result.get(key, NONE), ruleset, once=False)
    for seat in [seat for seat in SEATS if seat in given]:
        _check(f"{where}: {seat}", given[seat], SEAT_ANSWERS)
        result |= {f"{seat}.{key}": value for key, value in given[seat].items()}
    if not result:
        raise PatchstatsError(f"{where}: names no value")
    return result


def _all_in(words: Iterable[str], known: Iterable[str]) -> bool:
    return set(words) <= set(known)
