"""What is said over the engine protocol: its words, and rules, positions and actions as plain JSON values.

Who answers lives in `server.py`, who asks in `patchstats.conformance.conform`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from patchstats.errors import IllegalAction, PatchstatsError
from patchstats.rules import Action, Advance, Buy, PlaceLeather, Player, Position, Ruleset
from patchstats.rules.cells import cells_in
from patchstats.rules.legal import why_illegal

PROTOCOL = 1
#: Every request, what else may stand in it, and whether every engine must answer it.
REQUESTS: dict[str, tuple[tuple[str, ...], bool]] = {
    "hello": (("protocol",), True),
    "start": (("ruleset", "ring"), True),
    "act": (("action",), True),
    "state": ((), True),
    "count": ((), False),
    "list": ((), False),
    "perft": (("depth",), False),
    "position": (("ruleset", "position"), False),
}
#: What an engine may say that it can do beside what every engine must: the optional requests, and refusing.
ABILITIES = ("refuse", *(request for request, (_, needed) in REQUESTS.items() if not needed))

Json = dict[str, Any]


class ProtocolError(PatchstatsError, ValueError):
    """A message that has not the form of one; who gets it answers, or counts it as a fault of the engine."""


def _is_amount(value: Any) -> bool:
    return type(value) is int


def _is_seat(value: Any) -> bool:
    return value is None or (type(value) is int and value in (0, 1))


def _is_list_of(kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(kind, value))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_pair_of(kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and len(value) == 2 and all(map(kind, value))


_SEAT = ("0, 1 or null", _is_seat)
_PAIR = ("two whole numbers, of seat 0 and seat 1", _is_pair_of(_is_amount))
_AMOUNT = ("a whole number", _is_amount)
_PATCHES = ("a list of patch ids", _is_list_of(_is_text))
#: What an engine may report of a game, with the kind of each value, and what a position is set up from.
STATE: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "seat_on_turn": _SEAT,
    "space": _PAIR,
    "buttons": _PAIR,
    "income": _PAIR,
    "covered": ("two drawings of a quilt, of seat 0 and seat 1", _is_pair_of(_is_text)),
    "empty": _PAIR,
    "leathers": _PAIR,
    "score": _PAIR,
    "offer": _PATCHES,
    "ring": _PATCHES,
    "leather_marks": ("a list of spaces", _is_list_of(_is_amount)),
    "top": _SEAT,
    "waiting": _AMOUNT,
    "set_aside": _AMOUNT,
    "bonus_owner": _SEAT,
    "first_finisher": _SEAT,
    "finished": ("true or false", lambda value: isinstance(value, bool)),
    "winner": _SEAT,
    "bank": _AMOUNT,
}
#: The fields that say something of each seat.
OF_SEATS = ("space", "buttons", "income", "covered", "empty", "leathers", "score")
#: The fields from which a position is set up; `patches` are the ids on each quilt.
SET_UP: tuple[str, ...] = (
    "space",
    "buttons",
    "income",
    "covered",
    "leathers",
    "ring",
    "leather_marks",
    "top",
    "waiting",
)
SET_UP += ("set_aside", "bonus_owner", "first_finisher", "bank", "patches")


def state_of(position: Position) -> Json:
    """Return everything that the protocol can say of a position.

    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> state = state_of(start)
    >>> state["seat_on_turn"], state["buttons"], state["offer"], state["covered"][0][:13]
    (0, [5, 5], ['p02', 'p03', 'p04'], '000000000/000')
    """
    players = position.players
    return {
        "seat_on_turn": position.seat_on_turn,
        "space": [player.space for player in players],
        "buttons": [player.buttons for player in players],
        "income": [player.income for player in players],
        "covered": [drawing(player.covered, position.ruleset.quilt_size) for player in players],
        "empty": [position.empty_cells(seat) for seat in (0, 1)],
        "leathers": [player.leathers for player in players],
        "score": [position.score(seat) for seat in (0, 1)],
        "offer": list(position.offer),
        "ring": list(position.ring),
        "leather_marks": list(position.leather_marks),
        "top": position.top,
        "waiting": position.waiting,
        "set_aside": position.set_aside,
        "bonus_owner": position.bonus_owner,
        "first_finisher": position.first_finisher,
        "finished": position.finished,
        "winner": position.winner,
        "bank": position.bank,
    }


def drawing(cells: int, quilt_size: int) -> str:
    """Draw a quilt as shapes are drawn in a ruleset: rows from the top, `1` for a covered cell.

    >>> drawing(0b000_010_011, quilt_size=3)
    '110/010/000'
    """
    bits = f"{cells:0{quilt_size * quilt_size}b}"[::-1]
    return "/".join(bits[row : row + quilt_size] for row in range(0, quilt_size * quilt_size, quilt_size))


def set_up_from(position: Position) -> Json:
    """Return what the request `position` says of a position; `read_position` is the way back."""
    state = state_of(position)
    patches = [sorted(player.patches, key=position.ruleset.number_of) for player in position.players]
    return {key: state[key] for key in SET_UP if key != "patches"} | {"patches": patches}


def read_position(ruleset: Ruleset, given: Any) -> Position:
    """Return the position that a request sets up. Raises ProtocolError, with key and reason, for what is none.

    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> read_position(start.ruleset, set_up_from(start)) == start
    True
    """
    if not isinstance(given, Mapping):
        raise ProtocolError("position: is an object with the keys " + ", ".join(SET_UP))
    for key in SET_UP:
        if key not in given:
            raise ProtocolError(f"position: {key}: is missing")
        kind, fits = STATE.get(key, ("two lists of patch ids", _is_pair_of(_is_list_of(_is_text))))
        if not fits(given[key]):
            raise ProtocolError(f"position: {key}: {_shown(given[key])} is not {kind}")
    for patch in (*given["ring"], *given["patches"][0], *given["patches"][1]):
        if patch not in ruleset:
            raise ProtocolError(f"position: {patch!r} is no patch of the ruleset")
    first, second = (
        Player(
            space=given["space"][seat],
            buttons=given["buttons"][seat],
            income=given["income"][seat],
            covered=_read_drawing(given["covered"][seat], ruleset),
            patches=frozenset(given["patches"][seat]),
            leathers=given["leathers"][seat],
        )
        for seat in (0, 1)
    )
    if not all(0 <= space <= ruleset.finish for space in given["space"]):
        raise ProtocolError(f"position: space: {_shown(given['space'])} is outside 0 to {ruleset.finish}")
    if given["top"] is None:
        raise ProtocolError("position: top: null is no seat; 0 and 1 are")
    return Position(
        ruleset=ruleset,
        players=(first, second),
        ring=tuple(given["ring"]),
        leather_marks=tuple(given["leather_marks"]),
        **{key: given[key] for key in ("top", "waiting", "set_aside", "bonus_owner", "first_finisher", "bank")},
    )


def _read_drawing(text: str, ruleset: Ruleset) -> int:
    rows = text.split("/")
    if [len(row) for row in rows] != [ruleset.quilt_size] * ruleset.quilt_size or set(text) - set("01/"):
        size = ruleset.quilt_size
        raise ProtocolError(f"position: covered: {_shown(text)} does not draw {size} rows of {size} cells with 0 and 1")
    return int("".join(rows)[::-1], 2)


def format_action(action: Action, ruleset: Ruleset) -> Json:
    """Return an action as the protocol says it: a purchase by the cells it covers, `[row, column]` from the top left.

    No numbering of orientations is needed. Raises ValueError for an orientation that is none of 0 to 7.

    >>> original = Ruleset.load("original")
    >>> format_action(Buy("p01", orientation=1, cell=9), original)
    {'do': 'buy', 'patch': 'p01', 'cells': [[1, 0], [2, 0]]}
    >>> format_action(Advance(), original), format_action(PlaceLeather(10), original)
    ({'do': 'advance'}, {'do': 'leather', 'cell': [1, 1]})
    """
    size = ruleset.quilt_size
    match action:
        case Advance():
            return {"do": "advance"}
        case PlaceLeather(cell):
            return {"do": "leather", "cell": list(divmod(cell, size))}
        case Buy(patch, orientation, cell):
            ways = ruleset.ways_to_lay[patch]
            if orientation not in range(len(ways)):
                raise ValueError(f"orientation {orientation} is none of 0 to {len(ways) - 1}")
            top, left = divmod(cell, size)
            offsets = (divmod(offset, size) for offset in cells_in(ways[orientation].pattern))
            return {"do": "buy", "patch": patch, "cells": [[top + row, left + column] for row, column in offsets]}


def read_action(position: Position, given: Any) -> Action:
    """Return the action that a request means. Raises ProtocolError for what has not the form of one, and IllegalAction
    for an action or a placement that there is not in the game.

    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> read_action(start, {"do": "buy", "patch": "p02", "cells": [[1, 0], [0, 0]]})
    Traceback (most recent call last):
    ...
    patchstats.errors.IllegalAction: these cells are no way to lay patch p02 (clause 5.8)
    """
    if not isinstance(given, Mapping) or not isinstance(given.get("do"), str):
        raise ProtocolError('action: is an object such as {"do": "advance"}')
    size = position.ruleset.quilt_size
    match given["do"]:
        case "advance":
            return Advance()
        case "leather":
            [[row, column]] = _cells([given.get("cell")])
            inside = 0 <= row < size and 0 <= column < size
            return PlaceLeather(row * size + column if inside else -1)
        case "buy":
            return _purchase(position, given.get("patch"), _cells(given.get("cells")))
        case _:
            raise IllegalAction("3.5", f"{_shown(given['do'])} is no action: advance, buy or leather")


def _purchase(position: Position, patch: Any, cells: Sequence[tuple[int, int]]) -> Buy:
    size = position.ruleset.quilt_size
    if isinstance(patch, str) and patch in position.ruleset and all(0 <= row < size > col >= 0 for row, col in cells):
        covered = sum({1 << row * size + column for row, column in cells})
        corner = min(row for row, _ in cells) * size + min(column for _, column in cells)
        for way in position.ruleset.distinct_ways_to_lay[patch]:
            if way.pattern << corner == covered and len(cells) == covered.bit_count():
                return Buy(patch, way.number, corner)
    objection = why_illegal(position, Buy(patch, -1, -1))
    if objection is not None and objection.clause != "5.8":
        raise objection  # nobody may buy it, however it is laid
    raise IllegalAction("5.8", f"these cells are no way to lay patch {patch}")


def _cells(given: Any) -> list[tuple[int, int]]:
    if not isinstance(given, list) or not given or not all(_is_pair_of(_is_amount)(cell) for cell in given):
        raise ProtocolError("action: a cell is [row, column], counted from 0 at the top left; a purchase has several")
    return [(row, column) for row, column in given]


def read_actions(ruleset: Ruleset, given: Iterable[Any]) -> set[tuple[Any, ...]]:
    """Return a list of actions as a set that does not depend on their order. Raises ProtocolError for what is none.

    >>> sorted(read_actions(Ruleset.load("original"), [{"do": "leather", "cell": [0, 1]}, {"do": "advance"}]))
    [('advance',), ('leather', (0, 1))]
    """
    found: set[tuple[Any, ...]] = set()
    for one in given:
        if not isinstance(one, Mapping) or one.get("do") not in ("advance", "buy", "leather"):
            raise ProtocolError(f"{_shown(one)} is no action")
        if one["do"] == "advance":
            found.add(("advance",))
        elif one["do"] == "leather":
            found.add(("leather", *_cells([one.get("cell")])))
        else:
            patch = one.get("patch")
            if not isinstance(patch, str) or patch not in ruleset:
                raise ProtocolError(f"{_shown(patch)} is no patch of the ruleset")
            found.add(("buy", patch, *sorted(_cells(one.get("cells")))))
    return found


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
