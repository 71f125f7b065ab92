"""What an engine is asked to play: an opening and a list of actions, some of them illegal.

Scripts come from the rule cases, the golden games, or from numbers that Hypothesis draws; what an engine makes of one
is found out in `walk.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from patchstats.conformance.cases import NONE, Case
from patchstats.conformance.golden import GoldenGame
from patchstats.conformance.protocol.messages import Json, ProtocolError, format_action, read_action
from patchstats.errors import IllegalAction
from patchstats.notation import start_of
from patchstats.rules import Action, Position, Ruleset
from patchstats.rules.cells import cells_in
from patchstats.rules.legal import why_illegal

#: For what a case asks the field of the state that tells it; what is not here, such as events, the protocol cannot say.
FIELD_OF = {"last_on_ring": "ring", "legal": "count", "can_buy": "list"}


@dataclass(frozen=True)
class Script:
    """A game, or the part of one, to be played by an engine.

    Attributes:
        title: what it is, for people.
        opening: the position it begins with.
        ring: the ring as the game is set up with it, or None for an opening that is set up by its values.
        actions: what is asked for, in the words of the protocol; what the reference engine refuses must be refused.
        clauses: the clauses that hold if nothing differs.
        fields: for that all of these must have been compared.
    """

    title: str
    opening: Position
    ring: tuple[str, ...] | None
    actions: tuple[Json, ...]
    clauses: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()

    @property
    def ruleset(self) -> Ruleset:
        """What is played with."""
        return self.opening.ruleset

    def steps(self) -> Iterator[tuple[Position, Json, Action | IllegalAction]]:
        """Yield each action with the position it is tried in: as ours when it is legal, else with what forbids it."""
        position = self.opening
        for said in self.actions:
            meant = meaning(position, said)
            yield position, said, meant
            if not isinstance(meant, IllegalAction):
                position = position.apply(meant).position


def meaning(position: Position, said: Json) -> Action | IllegalAction:
    """Return the action that is said, if it is legal in the position, else what forbids it.

    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> meaning(start, {"do": "advance"}), meaning(start, {"do": "pass"}).clause
    (Advance(), '3.5')
    """
    try:
        action = read_action(position, said)
    except IllegalAction as error:
        return error
    return why_illegal(position, action) or action


def script_of_case(case: Case) -> Script | str:
    """Return a rule case as a script, or why it cannot be one.

    Of what a case asks the protocol cannot say the events; a case that has nothing else against its tempting answer is
    none here.
    """
    ruleset = case.position.ruleset
    said: list[Json] = []
    for action in case.actions:
        try:
            said.append({"do": action} if isinstance(action, str) else format_action(action, ruleset))
        except (KeyError, ValueError):
            return "the protocol has no word for one of its actions"
    if not any(case.right.get(key, value) != value for key, value in case.tempting.items() if key != "events"):
        return "the protocol has no word for what it asks"
    ring = case.position.ring
    from_start = set(ring) == {patch.id for patch in ruleset.patches} and Position.start(ruleset, ring) == case.position
    return Script(
        f"case {case.id}: {case.question}",
        case.position,
        ring if from_start else None,
        tuple(said),
        case.clauses,
        _asked_of(case.right),
    )


def _asked_of(right: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields that a right answer is about."""
    words = {**FIELD_OF, "illegal": "refuses" if right["illegal"] == NONE else "accepts"}
    return tuple(sorted({words.get(key, key.partition(".")[2] or key) for key in right if key != "events"}))


def script_of_game(game: GoldenGame) -> Script:
    """Return a golden game as a script."""
    record = game.record()
    actions = tuple(format_action(action, record.ruleset) for action in record.actions)
    return Script(f"game {game.name}: {game.title}", start_of(record), record.ring, (*actions, {"do": "advance"}))


def script_of_choices(ruleset: Ruleset, ring: Iterable[str], choices: Iterable[tuple[int, int]]) -> Script:
    """Return a game played by numbers: of each pair the first, modulo the number of legal actions, says what is played;
    the second, if it is not 0, which illegal action is tried before.

    >>> original = Ruleset.load("original")
    >>> script = script_of_choices(original, [patch.id for patch in original.patches], [(0, 0), (1, 1)])
    >>> script.actions[0], script.actions[1]["do"], script.actions[2]["patch"]
    ({'do': 'advance'}, 'leather', 'p02')
    """
    order = tuple(ring)
    opening = position = Position.start(ruleset, order)
    actions: list[Json] = []
    for choice, slip in choices:
        if slip:
            slips = illegal_actions(position)
            actions.append(slips[(slip - 1) % len(slips)])
        if position.finished:
            break
        legal = position.legal_actions
        action = legal[choice % len(legal)]
        actions.append(format_action(action, ruleset))
        position = position.apply(action).position
    return Script("a drawn game", opening, order, tuple(actions))


def illegal_actions(position: Position) -> list[Json]:
    """Return actions that the rules forbid in a position, one for each way in which an engine may be too generous.

    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> sorted({meaning(start, said).clause for said in illegal_actions(start)})
    ['3.5', '5.1', '5.8', '6.5']
    """
    return [said for said in _slips(position) if isinstance(_meaning_or_none(position, said), IllegalAction)]


def _meaning_or_none(position: Position, said: Json) -> Action | IllegalAction | None:
    try:
        return meaning(position, said)
    except ProtocolError:
        return None


def _slips(position: Position) -> Iterator[Json]:
    ruleset, size = position.ruleset, position.ruleset.quilt_size
    seat = position.seat_on_turn
    covered = position.players[seat or 0].covered
    yield {"do": "leather", "cell": [0, 0]}
    yield {"do": "advance"}
    for cell in cells_in(covered):
        yield {"do": "leather", "cell": list(divmod(cell, size))}
        break
    yield {"do": "leather", "cell": [0, -1]}
    for patch in position.ring[: ruleset.offer_size + 1]:
        yield _purchase(position, patch)
        for row, column in ((0, -1), (-1, 0)):
            cells = _purchase(position, patch, everywhere=True)["cells"]
            yield {"do": "buy", "patch": patch, "cells": [[one + row, other + column] for one, other in cells]}
    for patch in position.offer:
        cells = _purchase(position, patch, everywhere=True)["cells"]
        bent = [*cells[:-1], [cells[-1][0] + 1, cells[-1][1] + 1]]
        yield {"do": "buy", "patch": patch, "cells": bent}
        for corner in cells_in(ruleset.ways_to_lay[patch][0].corners):
            if ruleset.ways_to_lay[patch][0].pattern << corner & covered:
                shape = (cell + corner for cell in cells_in(ruleset.ways_to_lay[patch][0].pattern))
                yield {"do": "buy", "patch": patch, "cells": [list(divmod(cell, size)) for cell in shape]}
                break
    for player in position.players:
        for patch in sorted(player.patches)[:1]:
            yield _purchase(position, patch)
    yield {"do": "pass"}


def _purchase(position: Position, patch: str, everywhere: bool = False) -> Json:
    """A purchase of the patch where it fits first, or on the top left corner."""
    ruleset, size = position.ruleset, position.ruleset.quilt_size
    covered = 0 if everywhere else position.players[position.seat_on_turn or 0].covered
    for way in ruleset.distinct_ways_to_lay[patch]:
        for corner in cells_in(way.fits(ruleset.quilt & ~covered)):
            cells = [list(divmod(cell + corner, size)) for cell in cells_in(way.pattern)]
            return {"do": "buy", "patch": patch, "cells": cells}
    return _purchase(position, patch, everywhere=True)
