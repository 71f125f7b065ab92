"""Our engines as the protocol needs them: one action, and counts.

The compiled engine has no door for a single ply but the routines it is made of, so a position is put into its arena,
played in, and taken out again; whether an action is legal is asked of the reference engine, because the compiled one
is only ever given legal actions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from patchstats.conformance.perft import perft
from patchstats.errors import PatchstatsError
from patchstats.rules import Action, Position, Ruleset
from patchstats.rules.legal import why_illegal


class Engine(NamedTuple):
    """An engine behind the protocol.

    Attributes:
        name: how it is called.
        check: raises PatchstatsError for a ruleset that it cannot play by.
        apply: the position after an action. Raises IllegalAction.
        perft: how many sequences of so many legal actions there are.
    """

    name: str
    check: Callable[[Ruleset], None]
    apply: Callable[[Position, Action], Position]
    perft: Callable[[Position, int], int]


REFERENCE = Engine("reference", lambda _: None, lambda position, action: position.apply(action).position, perft)


def engine_named(name: str) -> Engine:
    """Return the engine `reference` or `kernel`; the kernel is compiled first where that has not been done.

    >>> engine_named("reference").name
    'reference'
    """
    if name == "reference":
        return REFERENCE
    kernel = _kernel()
    original = Ruleset.load("original")
    start = Position.start(original, [patch.id for patch in original.patches])
    kernel.apply(start, start.legal_actions[0])  # compiles it, before anybody waits for an answer
    return kernel


def _kernel() -> Engine:
    import numpy as np

    from patchstats.kernel import layout
    from patchstats.kernel.actions import play
    from patchstats.kernel.engine import count_sequences, why_not
    from patchstats.kernel.positions import position_in, put_position
    from patchstats.kernel.tables import arena_for
    from patchstats.kernel.turn import count_legal
    from patchstats.notation.action_log import encode_action

    tables = lru_cache(arena_for)

    def check(ruleset: Ruleset) -> None:
        reason = why_not(ruleset)
        if reason:
            raise PatchstatsError(f"the compiled engine cannot play this: {reason}")

    def put(arena: Any, position: Position) -> None:
        try:
            put_position(arena, position)
        except ValueError as error:
            raise PatchstatsError(f"the compiled engine cannot play this: {error}") from None

    def apply(position: Position, action: Action) -> Position:
        objection = why_illegal(position, action)
        if objection is not None:
            raise objection
        arena = tables(position.ruleset).copy()
        put(arena, position)
        seat = np.uint64(int(layout.SEATS) + int(position.seat_on_turn or 0) * int(layout.SEAT_SIZE))
        count_legal(arena, seat)  # lays the offer out in the arena, where a purchase looks for its patch
        play(arena, seat, np.uint64(encode_action(position, action)))
        return position_in(arena, position.ruleset)

    return Engine("kernel", check, apply, count_sequences)
