"""The action log: each ply of a game as one number of two bytes, enough to play the game again on its ring."""

from __future__ import annotations

import array
import sys
from collections.abc import Iterable

from patchstats.errors import RunError
from patchstats.rules import Action, Advance, Buy, PlaceLeather, Position

#: How an action becomes a number, in words; the schema page shows it.
FORMAT = """\
Each ply is one unsigned number of two bytes, the low byte first: bits 0 and 1 hold the kind (0 advance, 1 buy, 2 place
leather), bits 2 to 4 the offer slot, bits 5 to 7 the orientation (the lowest of equal ones), bits 8 to 14 the cell;
what a kind does not need is 0."""

ADVANCE, BUY, PLACE_LEATHER = range(3)
KINDS = ("advance", "buy", "place leather")


def encode_action(position: Position, action: Action) -> int:
    """Return the number of a legal action, as `FORMAT` describes it.

    >>> from patchstats.rules import Ruleset
    >>> ruleset = Ruleset.load("original")
    >>> start = Position.start(ruleset, [patch.id for patch in ruleset.patches])
    >>> encode_action(start, Buy("p03", orientation=2, cell=40)) == 1 | 1 << 2 | 0 << 5 | 40 << 8
    True
    """
    match action:
        case Advance():
            return ADVANCE
        case Buy():
            slot = position.offer.index(action.patch)
            orientation = position.ruleset.ways_to_lay[action.patch][action.orientation].number
            return BUY | slot << 2 | orientation << 5 | action.cell << 8
        case PlaceLeather():
            return PLACE_LEATHER | action.cell << 8


def decode_action(position: Position, code: int) -> Action:
    """Return the action that a number means in this position; whether it is legal is left to the rules.

    Raises RunError for a number that means nothing here.
    """
    kind, slot, orientation, cell = code & 3, code >> 2 & 7, code >> 5 & 7, code >> 8
    if kind == ADVANCE and code == ADVANCE:
        return Advance()
    if kind == BUY and slot < len(position.offer):
        return Buy(position.offer[slot], orientation, cell)
    if kind == PLACE_LEATHER and not slot and not orientation:
        return PlaceLeather(cell)
    raise RunError(f"{code} is no action here: kind {kind}, slot {slot}, orientation {orientation}, cell {cell}")


def pack(codes: Iterable[int]) -> bytes:
    """Return a log as bytes.

    >>> unpack(pack([0, 10241]))
    [0, 10241]
    """
    log = array.array("H", codes)
    if sys.byteorder == "big":
        log.byteswap()
    return log.tobytes()


def unpack(log: bytes) -> list[int]:
    """Return the numbers of a log. Raises RunError when the bytes are not in pairs."""
    if len(log) % 2:
        raise RunError(f"an action log has two bytes a ply, and this one {len(log)} bytes")
    codes = array.array("H", log)
    if sys.byteorder == "big":
        codes.byteswap()
    return codes.tolist()
