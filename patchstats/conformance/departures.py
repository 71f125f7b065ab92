"""Where a game that somebody else recorded first departs from the rules, and of which kind that is.

Nothing is repaired: what stands behind the first departure is not looked at. Whole files are gone through in
`audit.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from patchstats.errors import IllegalAction, RunError
from patchstats.notation.action_log import decode_action
from patchstats.notation.foreign import ForeignGame
from patchstats.rules import Action, Advance, Buy, PlaceLeather, Ply, Position, Ruleset

#: Every kind of departure, in words. The ones before `ends early` leave no game that could be played on.
KINDS = {
    "unreadable": "the text is no game in its format",
    "other ruleset": "the record names another ruleset than the one it is replayed under",
    "wrong seat": "a ply is said to be of the seat that is not on turn",
    "missing leather": "a leather is due, and something else is done",
    "extra leather": "a leather is placed where none is due",
    "not on offer": "a patch is bought that is not on offer",
    "not affordable": "a patch is bought that costs more than the seat has",
    "illegal placement": "a patch or a leather is placed beside the quilt, or on covered cells",
    "after the end": "something is done though the game is over",
    "ends early": "the record ends when one token has reached the finish and the other has not",
    "not finished": "the record ends before a token has reached the finish",
    "bonus missing": "the scores are those without the points of the bonus",
    "past the finish": "the last advance seems paid for spaces beyond the finish",
    "score differs": "the scores, or their difference, are others",
    "winner of a tie": "the scores are equal, and the winner is not who finished first",
    "winner differs": "the winner is another",
}
#: Those of games that were played to their end by the rules, and are said to have ended otherwise.
ABOUT_THE_RESULT = ("bonus missing", "past the finish", "score differs", "winner of a tie", "winner differs")

_BY_CLAUSE = {
    "6.7": "missing leather",
    "5.1": "not on offer",
    "5.4": "not affordable",
    "5.8": "illegal placement",
    "8.4": "after the end",
}


@dataclass(frozen=True, slots=True)
class Departure:
    """The first thing in a record that the rules do not allow, or that is not so by them.

    Attributes:
        kind: of which of `KINDS` it is.
        reason: what is wrong.
        clause: the number of the clause that is broken, or None.
        ply: the ply, from 0, or None when it is no ply that is wrong.
        seat: who is on turn at that ply, or None.
        word: how that ply is written in the record.
        line: for a text that is unreadable the line in its file, from 1, and the column, from 1.
        column: see `line`.
    """

    kind: str
    reason: str
    clause: str | None = None
    ply: int | None = None
    seat: int | None = None
    word: str = ""
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        who = "" if self.seat is None else f", seat {self.seat}"
        where = "" if self.ply is None else f"ply {self.ply} ({self.word}){who}: "
        clause = "" if self.clause is None else f" (clause {self.clause})"
        return f"{self.kind}: {where}{self.reason}{clause}"


class Checked(NamedTuple):
    """What came of a game: its first departure, or None; and its plies, when it was played to its end by the rules."""

    departure: Departure | None
    plies: tuple[Ply, ...] | None


def check_game(game: ForeignGame, ruleset: Ruleset) -> Checked:
    """Play a recorded game and return where it departs first from the rules, and its plies if it is a whole game.

    Scores and winner are looked at when all else is right; of those that the record does not claim nothing is said.

    >>> ring = tuple(patch.id for patch in Ruleset.load("original").patches)
    >>> game = ForeignGame(ring, (Advance(), Buy("p09", 0, 0)), (".", "SAAA"))
    >>> str(check_game(game, Ruleset.load("original")).departure)
    'not on offer: ply 1 (SAAA), seat 1: patch p09 is not on offer; on offer: p02, p03, p04 (clause 5.1)'
    """
    named = game.ruleset
    if named is not None and named.ruleset_id != ruleset.ruleset_id:
        reason = f"it was played with {named.name} ({named.ruleset_id}), not with {ruleset.name} ({ruleset.ruleset_id})"
        return Checked(Departure("other ruleset", reason), None)
    position = Position.start(ruleset, game.ring)
    plies: list[Ply] = []
    for number, told in enumerate(game.plies):
        found = _played(position, told, None if game.seats is None else game.seats[number])
        if isinstance(found, Departure):
            word = game.words[number]
            return Checked(replace(found, ply=number, seat=position.seat_on_turn, word=word), None)
        plies.append(found)
        position = found.after
    if not position.finished:
        return Checked(_unfinished(position), None)
    return Checked(_result_departs(game, position, plies), tuple(plies))


def _played(position: Position, told: Action | int, seat: int | None) -> Ply | Departure:
    """The ply, or how it departs from the rules."""
    action = _meant(position, told) if isinstance(told, int) else told
    on_turn = position.seat_on_turn
    skips_leather = position.waiting and not isinstance(action, PlaceLeather)
    if seat is not None and on_turn is not None and seat != on_turn and not skips_leather:
        reason = f"the record says seat {seat}, and seat {on_turn} is on turn"
        return Departure("wrong seat", reason, _why_on_turn(position))
    try:
        return Ply.played(position, action)
    except IllegalAction as error:
        kind = _BY_CLAUSE.get(error.clause)
        if kind is None:
            kind = "illegal placement" if position.waiting else "extra leather"
        return Departure(kind, error.reason, error.clause)


def _meant(position: Position, code: int) -> Action:
    """The action that a number means here. One that buys from a slot that is empty is refused by the rules."""
    try:
        return decode_action(position, code)
    except RunError:
        return Buy(f"in slot {code >> 2 & 7}", 0, 0)


def _why_on_turn(position: Position) -> str:
    """The clause that says whose turn it is."""
    if position.waiting:
        return "6.7"
    first, second = position.players
    return "3.2" if first.space == second.space else "3.1"


def _unfinished(position: Position) -> Departure:
    """How a record departs that ends before its game."""
    spaces = [player.space for player in position.players]
    if position.waiting:
        return Departure("missing leather", f"the record ends, and seat {position.top} has a leather to place", "6.7")
    where = f"seat 0 is on space {spaces[0]} and seat 1 on {spaces[1]} of {position.ruleset.finish}"
    kind = "ends early" if position.ruleset.finish in spaces else "not finished"
    return Departure(kind, f"the record ends when {where}, and the game goes on until both are on the last", "8.1")


def _result_departs(game: ForeignGame, end: Position, plies: list[Ply]) -> Departure | None:
    """How the result that a record claims departs from that of the game."""
    scores = end.score(0), end.score(1)
    if game.scores is not None and game.scores != scores:
        return _scores_depart(game.scores, end, plies)
    difference = abs(scores[0] - scores[1])
    if game.difference is not None and game.difference != difference:
        reason = f"the record's difference is {game.difference}, and that of the scores {difference}"
        return Departure("score differs", reason, "9.1")
    if game.winner is not None and game.winner != end.winner:
        if scores[0] == scores[1]:
            reason = f"both have {scores[0]}, and seat {end.winner} finished first; the record says seat {game.winner}"
            return Departure("winner of a tie", reason, "9.4")
        reason = f"the scores are {scores[0]} and {scores[1]}, and the record says that seat {game.winner} won"
        return Departure("winner differs", reason, "9.4")
    return None


def _scores_depart(claimed: tuple[int, int], end: Position, plies: list[Ply]) -> Departure:
    """The kind of a difference in scores: two that are well known, or any other."""
    ruleset = end.ruleset
    scores = end.score(0), end.score(1)
    said = f"the record's scores are {claimed[0]} and {claimed[1]}, and those of the game {scores[0]} and {scores[1]}"
    points = [ruleset.bonus_points if end.bonus_owner == seat else 0 for seat in (0, 1)]
    if claimed == (scores[0] - points[0], scores[1] - points[1]):
        return Departure("bonus missing", f"{said}: seat {end.bonus_owner} has the bonus", "7.4")
    last = plies[-1].seat
    other = 1 - last
    for base in (scores, (scores[0] - points[0], scores[1] - points[1])):
        more = claimed[last] - base[last]
        if claimed[other] == base[other] and 0 < more <= _beyond(end, plies):
            without = ", and without the bonus" if base != scores else ""
            reason = f"{said}: {more} more for the last advance, as if the track went on{without}"
            return Departure("past the finish", reason, "4.5")
    return Departure("score differs", said, "9.1")


def _beyond(end: Position, plies: list[Ply]) -> int:
    """How many spaces more the last action would have earned as an advance, on a track that went on."""
    if not isinstance(plies[-1].action, Advance):
        return 0
    ruleset = end.ruleset
    first = next(ply for ply in plies if ply.after.first_finisher is not None)
    overshot = 0
    if isinstance(first.action, Buy):
        overshot = first.before.players[first.seat].space + ruleset[first.action.patch].time - ruleset.finish
    return overshot + 1
