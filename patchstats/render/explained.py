"""A ply explained: what was done, each thing that came of it, and the clauses of the rulebook that say so.

Which clauses an event touches stands in tables here; what the clauses say stands in `data/rulebook/clauses.toml`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from patchstats.render.story import action_words, event_words
from patchstats.render.text import turn_text
from patchstats.rules.actions import Advance, Buy, PlaceLeather
from patchstats.rules.events import (
    BonusWon,
    Earned,
    Finished,
    Income,
    LeatherPlaced,
    LeatherSetAside,
    LeatherTaken,
    Moved,
    Paid,
    Placed,
)
from patchstats.rules.ply import Ply
from patchstats.rules.position import Position

#: The clauses of what happens in one way only.
CLAUSES_OF: dict[type, tuple[str, ...]] = {
    Paid: ("5.7",),
    LeatherTaken: ("6.1", "6.4"),
    LeatherSetAside: ("6.8",),
    BonusWon: ("7.1", "7.2", "7.3", "7.4"),
    Finished: ("3.4",),
}


class Step(NamedTuple):
    """Something that was so or happened in a ply, as a sentence about its seat, and the clauses that it touches."""

    words: str
    clauses: tuple[str, ...]


def explained(ply: Ply) -> tuple[Step, ...]:
    """Return why the seat acted, what it did, each thing that came of it, and what follows, with the clauses.

    >>> from patchstats.rules import Ruleset
    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> for step in explained(Ply.played(start, Buy("p02", 1, 0))):
    ...     print(step.words, *step.clauses)
    is on turn: its token lies on top 2.2 2.3 3.2
    buys p02 and lays it at a1, after a quarter turn 5.1 5.4 5.5 5.6 5.8
    pays 1 5.7
    moves from 0 to 3 5.9
    """
    return (_turn(ply), _action(ply), *_events(ply), *_end(ply))


def setup(start: Position) -> tuple[Step, ...]:
    """Return how the game is set up, with the clauses.

    >>> from patchstats.rules import Ruleset
    >>> steps = setup(Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)]))
    >>> print(steps[0].words, *steps[0].clauses)
    each seat has 5 buttons, and the bank the other 152 2.1
    """
    ruleset = start.ruleset
    marks = ", ".join(map(str, start.leather_marks)) or "no space"
    return (
        Step(f"each seat has {ruleset.start_buttons} buttons, and the bank the other {start.bank}", ("2.1",)),
        Step("both tokens stand on space 0, that of seat 0 on top", ("2.2",)),
        Step(
            f"a ring of {len(start.ring)} patches; clockwise of {ruleset.start_patch} stands the neutral token",
            ("2.4", "2.5"),
        ),
        Step(f"leathers lie on {marks}; nobody has the bonus; both quilts are empty", ("2.6",)),
    )


def clauses_of(ply: Ply) -> tuple[str, ...]:
    """Return the numbers of all clauses that a ply touches, each once, rising.

    >>> from patchstats.rules import Ruleset
    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> clauses_of(Ply.played(start, Advance()))
    ('2.2', '2.3', '3.2', '3.5', '4.1', '4.2', '4.4')
    """
    return tuple(sorted({clause for step in explained(ply) for clause in step.clauses}, key=place_of))


def place_of(clause: str) -> tuple[int, int]:
    """Return what clauses are sorted by.

    >>> sorted(["5.10", "5.9", "4.1"], key=place_of)
    ['4.1', '5.9', '5.10']
    """
    section, _, number = clause.partition(".")
    return int(section), int(number)


def _turn(ply: Ply) -> Step:
    """Why the seat acted."""
    before = ply.before
    words = turn_text(before).removeprefix(f"Seat {ply.seat} ").rstrip(".")
    if before.waiting:
        return Step(words, ("6.7",))
    if before.players[0].space != before.players[1].space:
        other_is_home = before.players[1 - ply.seat].space == before.ruleset.finish
        return Step(words, ("3.1", "3.4") if other_is_home else ("3.1",))
    first = before.players[0].space == 0
    return Step(words, ("2.2", "2.3", "3.2") if first else ("3.2",))


def _action(ply: Ply) -> Step:
    """What was done, and what made it legal."""
    before = ply.before
    words = action_words(ply.action, before.ruleset.quilt_size)
    match ply.action:
        case Buy():
            short = ("5.2",) if len(before.ring) < before.ruleset.offer_size else ()
            return Step(words, ("5.1", *short, "5.4", "5.5", "5.6", "5.8"))
        case PlaceLeather(cell):
            return Step(words, ("6.5", "6.9") if _is_hole(ply, cell) else ("6.5",))
        case Advance():
            clauses = ["3.5", "4.1", "4.4"]
            if not before.legal_actions.purchases:
                clauses += ["4.6", "5.4" if before.ring else "5.3"]
            if before.players[ply.seat].covered == before.ruleset.quilt:
                clauses.append("8.3")
            return Step(words, tuple(clauses))


def _is_hole(ply: Ply, cell: int) -> bool:
    """Whether the cell was empty and all its neighbours were not."""
    size = ply.before.ruleset.quilt_size
    row, column = divmod(cell, size)
    around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    covered = ply.before.players[ply.seat].covered
    return all(covered >> (y * size + x) & 1 for y, x in around if 0 <= y < size and 0 <= x < size)


def _events(ply: Ply) -> Iterator[Step]:
    """What came of it; that a tile was laid has been said with the action."""
    marks = sum(isinstance(event, Income | LeatherTaken) for event in ply.events)
    in_order = ("6.6",) if marks > 1 else ()
    for event in ply.events:
        match event:
            case Placed() | LeatherPlaced():
                if _comes_too_late(ply):
                    yield Step("completes a bonus square, but the bonus is gone", ("7.3",))
            case Moved():
                yield Step(event_words(event), _of_move(ply, event))
            case Earned():
                short = ("4.5",) if ply.before.players[1 - ply.seat].space == ply.before.ruleset.finish else ()
                yield Step(event_words(event), ("4.2", *short, *_of_bank(ply)))
            case Income(mark=mark, buttons=buttons):
                ordered = in_order if buttons else ("6.6",)
                yield Step(event_words(event), ("6.1", "6.2", *_of_income(ply, mark), *ordered, *_of_bank(ply)))
            case LeatherTaken():
                yield Step(event_words(event), (*CLAUSES_OF[LeatherTaken], *in_order))
            case _:
                yield Step(event_words(event), CLAUSES_OF[type(event)])


def _of_move(ply: Ply, move: Moved) -> tuple[str, ...]:
    other = ply.before.players[1 - ply.seat].space
    finish = ply.before.ruleset.finish
    if isinstance(ply.action, Advance):
        return ("4.1", "4.5") if other == finish else ("4.1",)
    clauses = ["5.9"]
    if isinstance(ply.action, Buy) and move.start + ply.before.ruleset[ply.action.patch].time > finish:
        clauses.append("5.11")
    if move.end == other:
        clauses += ["5.12", "3.2"]
    return tuple(clauses)


def _of_income(ply: Ply, mark: int) -> tuple[str, ...]:
    clauses = []
    if isinstance(ply.action, Advance):
        clauses.append("4.3")
    elif isinstance(ply.action, Buy) and ply.before.ruleset[ply.action.patch].income:
        clauses.append("5.10")
    if mark == ply.before.ruleset.finish:
        clauses.append("6.3")
    return tuple(clauses)


def _of_bank(ply: Ply) -> tuple[str, ...]:
    return ("9.5",) if ply.after.bank < 0 else ()


def _comes_too_late(ply: Ply) -> bool:
    """Whether the seat completes its first bonus square in this ply when the other seat has won the bonus before."""
    if ply.before.bonus_owner != 1 - ply.seat:
        return False
    squares = ply.before.ruleset.bonus_squares
    before, after = ply.before.players[ply.seat].covered, ply.after.players[ply.seat].covered
    return any(square & ~after == 0 for square in squares) and all(square & ~before for square in squares)


def _end(ply: Ply) -> Iterator[Step]:
    """What follows: the end of the game, or that the same seat acts again."""
    after = ply.after
    if after.finished:
        scores = after.score(0), after.score(1)
        clauses = ["8.1", "8.2", "9.1"]
        if min(scores) < 0:
            clauses.append("9.3")
        if scores[0] == scores[1]:
            clauses.append("9.4")
        yield Step(turn_text(after).rstrip("."), tuple(clauses))
    elif after.seat_on_turn == ply.seat and not after.waiting:
        yield Step("takes the next turn, too", ("3.3",))
