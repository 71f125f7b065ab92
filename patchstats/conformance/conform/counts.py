"""Perft with somebody else's engine: the counts of `data/perft`, and where they part, the first action that tells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from patchstats.conformance.conform.abilities import Abilities
from patchstats.conformance.conform.attribution import Value, clauses_of
from patchstats.conformance.conform.connection import Connection
from patchstats.conformance.conform.facts import Moment
from patchstats.conformance.conform.scripts import Script
from patchstats.conformance.conform.walk import Difference, Fault, Walk, opening_of, walk
from patchstats.conformance.perft import Count, known_counts, perft
from patchstats.conformance.protocol.messages import Json, format_action
from patchstats.rules import Action, Ply, Position

#: Positions with more nodes are left out; an engine in a slow language counts so many in a few seconds.
MOST_NODES = 50_000
AT_A_TIME = 40


def usual_counts() -> Iterator[Count]:
    """Yield the counts that are checked in and not too large."""
    for count in known_counts():
        if count.nodes <= MOST_NODES:
            yield count


def script_of_count(count: Count) -> Script:
    """Return the position that is counted from as a script without actions."""
    position = count.position
    complete = len(position.ring) == len(position.ruleset.patches)
    from_start = complete and Position.start(position.ruleset, position.ring) == position
    return Script(f"perft {count.name}", position, position.ring if from_start else None, ())


def check_count(connection: Connection, abilities: Abilities, script: Script, depth: int, nodes: int) -> Walk:
    """Compare how many sequences of actions an engine finds, and follow the first action behind which it differs.

    Where that leads the engine is compared as anywhere else, so that the clause is told from what is wrong there.
    """
    found = _counted(connection, [[opening_of(script), _perft(depth)]], script)
    if isinstance(found, Walk):
        return found
    if found == [nodes]:
        return Walk()
    difference = _followed(connection, script, (), depth, found[0])
    actions = tuple(format_action(action, script.ruleset) for action in difference.plies)
    result = walk(connection, abilities, replace(script, actions=actions))
    return Walk(difference=difference) if result.is_whole else result


def _perft(depth: int) -> Json:
    return {"ask": "perft", "depth": depth}


def _followed(connection: Connection, script: Script, plies: tuple[Action, ...], depth: int, found: int) -> Difference:
    """The difference, as deep as it can be followed."""
    position, moment = script.opening, Moment(None, None, (), script.opening, script.ring is not None)
    for action in plies:
        ply = Ply.played(position, action)
        position, moment = ply.after, Moment(*ply[:3], ply.after)
    acts: list[Json] = [{"ask": "act", "action": format_action(action, script.ruleset)} for action in plies]
    session = [opening_of(script), *acts]
    if depth > 1:
        legal = list(position.legal_actions)
        for first in range(0, len(legal), AT_A_TIME):
            part = legal[first : first + AT_A_TIME]
            runs = [
                [*session, {"ask": "act", "action": format_action(action, script.ruleset)}, _perft(depth - 1)]
                for action in part
            ]
            answers = _counted(connection, runs, script)
            if isinstance(answers, Walk):
                break
            for action, answer in zip(part, answers, strict=True):
                if answer != perft(position.apply(action).position, depth - 1):
                    return _followed(connection, script, (*plies, action), depth - 1, answer)
    value = Value("count", None, perft(position, depth), found)
    clauses, _ = clauses_of(moment, [value])
    return Difference(clauses, value, (value,), script, moment, plies, None, (*session, _perft(depth)))


def _counted(connection: Connection, runs: list[list[Json]], script: Script) -> list[int] | Walk:
    """The answers to the last request of each run, or what is wrong."""
    answers, fault = connection.exchange([request for run in runs for request in run])
    if fault is not None:
        return Walk(fault=Fault(fault.kind, fault.reason, script, tuple(runs[0])))
    last, counts = -1, []
    for run in runs:
        last += len(run)
        for answer in answers[last - len(run) + 1 : last + 1]:
            error = answer.get("error")
            if isinstance(error, dict) and error.get("kind") == "unsupported":
                return Walk(unsupported=str(error.get("message"))[:200])
        nodes = answers[last].get("nodes")
        if type(nodes) is not int:
            return Walk(fault=Fault("garbage", 'perft: a whole number "nodes" is needed', script, tuple(run)))
        counts.append(nodes)
    return counts
