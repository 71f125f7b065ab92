"""Game records at the table: a record played again ply by ply, and a game played from its actions and recorded.

How a record is written lives in `record.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from patchstats.errors import IllegalAction, RecordError
from patchstats.notation.record import GameRecord, Result, format_result
from patchstats.rules.actions import Action
from patchstats.rules.ply import Ply
from patchstats.rules.position import Position
from patchstats.rules.ruleset import Ruleset


def start_of(record: GameRecord) -> Position:
    """Return the position before the first ply.

    Raises RecordError when the ring does not name every patch of the ruleset once.

    >>> ring = tuple(f"p{number:02}" for number in range(1, 34))
    >>> start_of(GameRecord(Ruleset.load("original"), ring, (), (), None)).offer
    ('p02', 'p03', 'p04')
    """
    return _start(record.ruleset, record.ring)


def replay_record(record: GameRecord) -> tuple[Ply, ...]:
    """Play the game again and return its plies.

    Raises RecordError for the first ply that the rules forbid or that is another seat's, with its number, seat and the
    clause; and, when all can be played, for a result that is not that of the game.

    >>> from patchstats.rules import Advance
    >>> ring = tuple(f"p{number:02}" for number in range(1, 34))
    >>> record = GameRecord(Ruleset.load("original"), ring, (Advance(), Advance()), (0, 1), None)
    >>> [(ply.seat, ply.after.players[ply.seat].buttons) for ply in replay_record(record)]
    [(0, 6), (1, 7)]
    """
    position = start_of(record)
    plies = []
    for ply in _played(position, record.actions, record.seats):
        plies.append(ply)
        position = ply.after
    played = result_of(position)
    if record.result != played:
        reason = f"the record's result is {format_result(record.result)}, and that of the game {format_result(played)}"
        raise RecordError(None, None, None, reason)
    return tuple(plies)


def record_of(
    ruleset: Ruleset, ring: Sequence[str], actions: Iterable[Action], agents: tuple[str, str] | None = None
) -> GameRecord:
    """Play the actions from the start with this ring, and return the record: who did them, and the result.

    Raises RecordError, with ply, seat and clause, for an action that the rules forbid, and for a ring that does not
    name every patch of the ruleset once.

    >>> from patchstats.rules import Advance
    >>> record_of(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)], [Advance()] * 3).seats
    (0, 1, 0)
    """
    position = _start(ruleset, ring)
    plies = []
    for ply in _played(position, actions, seats=None):
        plies.append(ply)
        position = ply.after
    return GameRecord(
        ruleset=ruleset,
        ring=tuple(ring),
        actions=tuple(ply.action for ply in plies),
        seats=tuple(ply.seat for ply in plies),
        result=result_of(position),
        agents=agents,
    )


def result_of(position: Position) -> Result | None:
    """Return scores and winner when the game is over, else None.

    >>> result_of(Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])) is None
    True
    """
    winner = position.winner
    return None if winner is None else Result((position.score(0), position.score(1)), winner)


def _start(ruleset: Ruleset, ring: Sequence[str]) -> Position:
    try:
        return Position.start(ruleset, ring)
    except ValueError as error:
        raise RecordError(None, None, None, str(error)) from None


def _played(position: Position, actions: Iterable[Action], seats: Sequence[int] | None) -> Iterator[Ply]:
    """Play the actions one by one, those of the given seats, or of whoever is on turn when `seats` is None."""
    for number, action in enumerate(actions):
        on_turn = position.seat_on_turn
        seat = on_turn if seats is None else seats[number]
        if on_turn is None:
            raise RecordError(number, seat, "8.4", "the game is over")
        if seat != on_turn:
            raise RecordError(number, seat, _why_on_turn(position), f"seat {on_turn} is on turn")
        try:
            ply = Ply.played(position, action)
        except IllegalAction as error:
            raise RecordError(number, seat, error.clause, error.reason) from None
        yield ply
        position = ply.after


def _why_on_turn(position: Position) -> str:
    """Return the clause that says whose turn it is."""
    if position.waiting:
        return "6.7"
    first, second = position.players
    return "3.2" if first.space == second.space else "3.1"
