"""The side of the protocol that answers: requests are read line by line, and our own engine is asked.

Which engine that is lives in `engines.py`, what messages look like in `messages.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import version
from typing import Any

from patchstats.conformance.protocol.engines import Engine
from patchstats.conformance.protocol.messages import (
    ABILITIES,
    PROTOCOL,
    REQUESTS,
    STATE,
    Json,
    ProtocolError,
    format_action,
    read_action,
    read_position,
    state_of,
)
from patchstats.errors import IllegalAction, PatchstatsError, RingError, RulesetError
from patchstats.rules import Position, Ruleset

#: Longer sequences are not counted for anybody: the answer would take hours.
DEEPEST = 20


def answers(lines: Iterable[str], engine: Engine) -> Iterator[str]:
    """Yield the answer to each request, a line each; blank lines are passed over.

    >>> from patchstats.conformance.protocol.engines import REFERENCE
    >>> print(*answers(['{"id": 1, "ask": "state"}'], REFERENCE))
    {"id": 1, "error": {"kind": "request", "message": "no game: ask for start first"}}
    """
    game = _Game(engine)
    for line in lines:
        if not line.isspace() and line:
            yield json.dumps(game.answer(line))


class _Game:
    """The one game that is played over a connection, and the answers to what is asked of it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._position: Position | None = None
        self._ruleset: tuple[Any, Ruleset] | None = None
        self._answers: dict[str, Callable[[Mapping[str, Any]], Json]] = {
            "hello": self._hello,
            "start": self._start,
            "position": self._set_up,
            "act": self._act,
            "state": self._state,
            "count": lambda _: {"count": self._engine.perft(self._game, 1)},
            "list": self._list,
            "perft": self._perft,
        }

    def answer(self, line: str) -> Json:
        """Return the answer to the request on a line; a request that cannot be answered changes nothing."""
        number = None
        try:
            request = _read(line)
            number = request["id"]
            ask = request.get("ask")
            if not isinstance(ask, str) or ask not in self._answers:
                raise ProtocolError(f"ask: {str(ask)[:40]!r} is none of {', '.join(REQUESTS)}")
            for key in REQUESTS[ask][0]:
                if key not in request:
                    raise ProtocolError(f"{key}: is missing")
            return {"id": number, **self._answers[ask](request)}
        except IllegalAction as error:
            return {"id": number, "refused": {"clause": error.clause, "reason": error.reason}}
        except (ProtocolError, RulesetError, RingError) as error:
            return {"id": number, "error": {"kind": "request", "message": str(error)}}
        except PatchstatsError as error:
            return {"id": number, "error": {"kind": "unsupported", "message": str(error)}}

    @property
    def _game(self) -> Position:
        if self._position is None:
            raise ProtocolError("no game: ask for start first")
        return self._position

    def _hello(self, request: Mapping[str, Any]) -> Json:
        if request["protocol"] != PROTOCOL:
            raise ProtocolError(f"protocol: this engine speaks {PROTOCOL}")
        return {
            "protocol": PROTOCOL,
            "name": f"patchstats {self._engine.name}",
            "version": version("patchstats"),
            "can": list(ABILITIES),
            "state": list(STATE),
            "rulesets": "any",
        }

    def _start(self, request: Mapping[str, Any]) -> Json:
        ring = request["ring"]
        if not isinstance(ring, list) or not all(isinstance(patch, str) for patch in ring):
            raise ProtocolError("ring: is a list of patch ids, clockwise")
        return self._begin(Position.start(self._rules(request["ruleset"]), ring))

    def _set_up(self, request: Mapping[str, Any]) -> Json:
        return self._begin(read_position(self._rules(request["ruleset"]), request["position"]))

    def _begin(self, position: Position) -> Json:
        self._engine.check(position.ruleset)
        self._position = position
        return self._state({})

    def _rules(self, given: Any) -> Ruleset:
        if self._ruleset is None or self._ruleset[0] != given:
            if not isinstance(given, dict):
                raise ProtocolError("ruleset: is an object with the keys of a ruleset file")
            self._ruleset = given, Ruleset.from_dict(given, "ruleset")
        return self._ruleset[1]

    def _state(self, _: Mapping[str, Any]) -> Json:
        return {"state": state_of(self._game)}

    def _act(self, request: Mapping[str, Any]) -> Json:
        action = read_action(self._game, request["action"])
        self._position = self._engine.apply(self._game, action)
        return self._state({})

    def _list(self, _: Mapping[str, Any]) -> Json:
        game = self._game
        return {"actions": [format_action(action, game.ruleset) for action in game.legal_actions]}

    def _perft(self, request: Mapping[str, Any]) -> Json:
        depth = request["depth"]
        if type(depth) is not int or not 0 <= depth <= DEEPEST:
            raise ProtocolError(f"depth: is a whole number from 0 to {DEEPEST}")
        return {"nodes": self._engine.perft(self._game, depth)}


def _read(line: str) -> Mapping[str, Any]:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        raise ProtocolError("a request is one JSON object on one line") from None
    if not isinstance(request, Mapping) or type(request.get("id")) is not int:
        raise ProtocolError('a request is a JSON object with an "id", a whole number')
    return request
