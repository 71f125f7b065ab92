"""A script played by an engine beside the reference engine, up to the first difference or fault."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from patchstats.conformance.conform.abilities import Abilities
from patchstats.conformance.conform.attribution import Value, clauses_of, held_by
from patchstats.conformance.conform.connection import Connection, EngineFault
from patchstats.conformance.conform.facts import Moment
from patchstats.conformance.conform.judging import (
    Judge,
    is_refused,
    message_of,
    same_list,
    same_number,
    same_state,
    unchanged,
)
from patchstats.conformance.conform.scripts import Script
from patchstats.conformance.protocol.messages import Json, ProtocolError, set_up_from
from patchstats.errors import IllegalAction
from patchstats.rules import Action

#: So many requests are sent before their answers are looked at, and then twice as many each time: enough to be quick,
#: and few are lost on an early difference.
FIRST_SENT, MOST_SENT = 6, 96
#: An engine that counts is asked for the list itself only where that is so short.
LISTED = 60
#: The requests that change what an engine is asked about; the others are left out of the session that is shown.
CHANGING = ("start", "position", "act")


@dataclass(frozen=True)
class Difference:
    """Where an engine parts from the rules.

    Attributes:
        clauses: the clause that it breaks, and others by which the same value would be wrong, too, less likely ones.
        telling: the value that tells so, and `values` all that differ then.
        script: what was played, and `moment` the position in which they part.
        plies: the actions of the game up to there, the last of which led to the difference.
        illegal: the illegal action that was tried then, and what forbids it, if it is about one.
        session: the requests that show it.
    """

    clauses: tuple[str, ...]
    telling: Value
    values: tuple[Value, ...]
    script: Script
    moment: Moment
    plies: tuple[Action, ...]
    illegal: tuple[Json, IllegalAction] | None
    session: tuple[Json, ...]

    @property
    def clause(self) -> str:
        """The clause that it breaks."""
        return self.clauses[0]

    @property
    def length(self) -> int:
        """How many actions show it."""
        return len(self.plies) + (self.illegal is not None)

    @property
    def rank(self) -> tuple[int, ...]:
        """Less is plainer: a game from its start, few actions, a small ruleset."""
        ruleset = self.script.ruleset
        return (
            self.script.ring is None,
            self.length,
            ruleset.quilt_size,
            len(ruleset.patches),
            sum(len(repr(one)) for one in self.session),
        )


@dataclass(frozen=True)
class Fault:
    """Where an engine gave no proper answer: what kind of fault, what happened, in which script, after which requests.

    The last request of the `session` is the one that was not answered.
    """

    kind: str
    reason: str
    script: Script | None = None
    session: tuple[Json, ...] = ()


@dataclass
class Walk:
    """What became of a script: the first difference, or a fault, or why the engine could not play it; else neither.

    `held` are the clauses that showed themselves right on the way.
    """

    difference: Difference | None = None
    fault: Fault | None = None
    unsupported: str = ""
    held: set[str] = field(default_factory=set)

    @property
    def is_whole(self) -> bool:
        """Whether all of the script was played and compared."""
        return self.difference is None and self.fault is None and not self.unsupported


class Asked(NamedTuple):
    """A request, what its answer says of it, and where in the script it stands."""

    request: Json
    judge: Judge
    moment: Moment
    plies: tuple[Action, ...] = ()
    illegal: tuple[Json, IllegalAction] | None = None
    fields: tuple[str, ...] = ()


class Unsupported(Exception):
    """The engine says that it cannot answer this."""


def walk(connection: Connection, abilities: Abilities, script: Script, known: Collection[str] = ()) -> Walk:
    """Play a script with an engine, and compare everything that it can answer.

    Clauses that are `known` to hold need not be found to do so again.
    """
    result = Walk()
    seen = set(known)
    asked = list(_asked(abilities, script))
    first, sent = 0, FIRST_SENT
    while first < len(asked):
        part = asked[first : first + sent]
        answers, fault = connection.exchange([one.request for one in part])
        for place, (one, answer) in enumerate(zip(part, answers, strict=False), start=first):
            refusal = one.illegal[1].clause if one.illegal else ""
            try:
                values = _judged(one, answer)
            except Unsupported as error:
                result.unsupported = str(error)
                return result
            except EngineFault as error:
                result.fault = Fault(error.kind, error.reason, script, _session(asked, place))
                return result
            if values:
                clauses, telling = clauses_of(one.moment, values, refusal)
                session = _session(asked, place)
                result.difference = Difference(
                    clauses, telling, tuple(values), script, one.moment, one.plies, one.illegal, session
                )
                return result
            held = set(held_by(one.moment, one.fields, seen, refusal))
            seen |= held
            result.held |= held
        if fault is not None:
            result.fault = Fault(fault.kind, fault.reason, script, _session(asked, first + len(answers)))
            return result
        first, sent = first + sent, min(2 * sent, MOST_SENT)
    return result


def _session(asked: Sequence[Asked], place: int) -> tuple[Json, ...]:
    """What was sent up to this place, but for what changes nothing."""
    earlier = (one.request for one in asked[:place])
    return (*(request for request in earlier if request["ask"] in CHANGING), asked[place].request)


def _judged(one: Asked, answer: Json) -> list[Value]:
    """The values in which an answer differs. Raises Unsupported, and EngineFault for what is no answer to this."""
    if "error" in answer:
        error = answer["error"]
        if isinstance(error, dict) and error.get("kind") == "unsupported":
            raise Unsupported(message_of(error))
        raise EngineFault("error", f"answered {one.request['ask']} with an error: {message_of(error)}")
    try:
        return one.judge(answer)
    except ProtocolError as error:
        raise EngineFault("garbage", f"answered {one.request['ask']} wrongly: {error}") from None


def opening_of(script: Script) -> Json:
    """Return the request that begins a script."""
    ruleset = script.ruleset.to_dict()
    if script.ring is not None:
        return {"ask": "start", "ruleset": ruleset, "ring": list(script.ring)}
    return {"ask": "position", "ruleset": ruleset, "position": set_up_from(script.opening)}


def _asked(abilities: Abilities, script: Script) -> Iterator[Asked]:
    opening = Moment(None, None, (), script.opening, script.ring is not None)
    fields = abilities.fields
    yield Asked(opening_of(script), same_state(fields, script.opening, acted=False), opening, fields=fields)
    yield from _legal(abilities, opening, ())
    plies: tuple[Action, ...] = ()
    for position, said, meant in script.steps():
        request: Json = {"ask": "act", "action": said}
        if isinstance(meant, IllegalAction):
            if "refuse" in abilities.can:
                moment = Moment(None, None, (), position)
                tried = (said, meant)
                yield Asked(request, is_refused(position, said), moment, plies, tried, ("accepts",))
                yield Asked({"ask": "state"}, unchanged(fields, position), moment, plies, tried, ("changes",))
            continue
        after, events = position.apply(meant)
        plies = (*plies, meant)
        moment = Moment(position, meant, events, after)
        yield Asked(request, same_state(fields, after, acted=True), moment, plies, fields=("refuses", *fields))
        yield from _legal(abilities, moment, plies)


def _legal(abilities: Abilities, moment: Moment, plies: tuple[Action, ...]) -> Iterator[Asked]:
    legal = moment.after.legal_actions
    if "count" in abilities.can:
        yield Asked({"ask": "count"}, same_number("count", len(legal)), moment, plies, fields=("count",))
    if "list" in abilities.can and (len(legal) <= LISTED or "count" not in abilities.can):
        yield Asked({"ask": "list"}, same_list(moment.after), moment, plies, fields=("count", "list"))
