"""What an answer of an engine says against it: the values in which it differs from what the reference engine says.

Each function makes the judge of one answer, which raises ProtocolError for what has not the form of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from patchstats.conformance.conform.attribution import Value
from patchstats.conformance.protocol.messages import (
    OF_SEATS,
    STATE,
    Json,
    ProtocolError,
    format_action,
    read_actions,
    state_of,
)
from patchstats.rules import Advance, Position

#: Says in which values an answer differs.
Judge = Callable[[Json], list[Value]]


def message_of(error: Any) -> str:
    """Return the message of an error that an engine answers with, short and printable."""
    text = error.get("message") if isinstance(error, dict) else error
    return "".join(one if one.isprintable() else "?" for one in str(text))[:200]


def same_state(fields: tuple[str, ...], position: Position, *, acted: bool) -> Judge:
    """Judge a state by the fields that the engine tells; after a legal action, if `acted`, which may be refused."""

    def judge(answer: Json) -> list[Value]:
        if acted and "refused" in answer:
            return [Value("refuses", None, "the action is legal", f"refused: {_reason(answer['refused'])}")]
        return list(_differing(fields, position, answer))

    return judge


def _reason(refused: Any) -> str:
    if not isinstance(refused, dict):
        raise ProtocolError("refused: an object is needed, which may have clause and reason")
    return message_of({"message": refused.get("reason", "without a reason")})


def _differing(fields: tuple[str, ...], position: Position, answer: Json) -> Iterator[Value]:
    state = answer.get("state")
    if not isinstance(state, dict):
        raise ProtocolError('an object "state" is needed')
    expected = state_of(position)
    shared = position.players[0].space == position.players[1].space
    for key in fields:
        kind, fits = STATE[key]
        if key not in state:
            raise ProtocolError(f"state: {key}: is missing, and hello said that it is told")
        found = state[key]
        if not fits(found):
            raise ProtocolError(f"state: {key}: {repr(found)[:60]} is not {kind}")
        if found == expected[key] or (key == "top" and not shared):
            continue
        if key in OF_SEATS:
            for seat in (0, 1):
                if found[seat] != expected[key][seat]:
                    yield Value(key, seat, expected[key][seat], found[seat])
        else:
            yield Value(key, None, expected[key], found)


def is_refused(position: Position, said: Json) -> Judge:
    """Judge whether an illegal action is refused; to play an advance instead is a mistake of its own (5.13)."""

    def judge(answer: Json) -> list[Value]:
        if "refused" in answer:
            _reason(answer["refused"])
            return []
        state = answer.get("state")
        if not isinstance(state, dict):
            raise ProtocolError('an object "refused" is needed, or "state" if the action is played')
        if said.get("do") != "advance" and Advance() in position.legal_actions:
            advanced = state_of(position.apply(Advance()).position)
            if all(state.get(key) == advanced[key] for key in ("space", "covered")):
                return [Value("changes", None, "the action is refused", "an advance is played instead")]
        return [Value("accepts", None, "the action is illegal", "it is played")]

    return judge


def unchanged(fields: tuple[str, ...], position: Position) -> Judge:
    """Judge the state after a refusal: it is what it was (5.13)."""

    def judge(answer: Json) -> list[Value]:
        return [value._replace(field="changes") for value in _differing(fields, position, answer)]

    return judge


def same_number(key: str, expected: int) -> Judge:
    """Judge a number, such as that of the legal actions."""

    def judge(answer: Json) -> list[Value]:
        if type(answer.get(key)) is not int:
            raise ProtocolError(f'a whole number "{key}" is needed')
        return [] if answer[key] == expected else [Value(key, None, expected, answer[key])]

    return judge


def same_list(position: Position) -> Judge:
    """Judge a list of the legal actions, in whatever order."""

    def judge(answer: Json) -> list[Value]:
        if not isinstance(answer.get("actions"), list):
            raise ProtocolError('a list "actions" is needed')
        found = read_actions(position.ruleset, answer["actions"])
        if len(found) != len(answer["actions"]):
            return [Value("list", None, "each action once", f"{len(answer['actions']) - len(found)} of them again")]
        legal = position.legal_actions
        expected = read_actions(position.ruleset, (format_action(action, position.ruleset) for action in legal))
        values = []
        if len(found) != len(expected):
            values.append(Value("count", None, len(expected), len(found)))
        if found != expected:
            values.append(Value("list", None, _some(expected - found, "missing"), _some(found - expected, "too many")))
        return values

    return judge


def _some(actions: set[tuple[Any, ...]], what: str) -> str:
    shown = "; ".join(" ".join(map(str, action)) for action in sorted(actions, key=str)[:3])
    return f"{len(actions)} {what}" + (f": {shown}" if actions else "")
