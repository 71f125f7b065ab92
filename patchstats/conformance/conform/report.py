"""What a check brought, told to people as text and to programs as plain values, and kept for whoever mends the engine.

What continuous integration reads is written in `junit.py`.
"""

from __future__ import annotations

import json
import shlex
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from patchstats.conformance.conform.abilities import Abilities
from patchstats.conformance.conform.check import MOST_FAULTS, Findings, all_verdicts
from patchstats.conformance.conform.walk import Difference, Fault
from patchstats.conformance.protocol.messages import PROTOCOL, Json
from patchstats.dataset.store import store_at
from patchstats.notation import format_position, format_record, record_of
from patchstats.render import game_svg, position_svg, position_text
from patchstats.rules import Ruleset
from patchstats.rules.loading import shipped_rulesets
from patchstats.rules.rulebook import Clause, clauses

WIDTH = 100
#: So many seconds an answer, on average, make an engine a slow one.
SLOW = 0.2
CUT_SHORT = "the check was cut short, as its time was over"


def report_text(findings: Findings) -> str:
    """Tell a check: the engine, what was played, each broken clause with the shortest game, and the verdicts.

    >>> print(report_text(Findings()).splitlines()[-1])
    clauses held: 0, broken: 0, not covered: 59
    """
    blocks = ["\n".join(_heading(findings))]
    blocks += (fault_text(fault, findings) for fault in findings.faults)
    blocks += (broken_text(clause, findings.broken[clause.number]) for clause, _ in _with(findings, "broken"))
    blocks.append("\n".join(_verdicts(findings)))
    return "\n\n".join(blocks)


def _with(findings: Findings, verdict: str) -> list[tuple[Clause, str]]:
    return [(clause, found) for clause, found in all_verdicts(findings) if found == verdict]


def _heading(findings: Findings) -> Iterator[str]:
    abilities = findings.abilities
    if abilities is not None:
        yield f"engine: {abilities.name} {abilities.version}; {_said(abilities)}"
    for part, tally in findings.tallies.items():
        left_out = "".join(f"; {count} left out: {reason}" for reason, count in tally.left_out.items())
        yield f"{part}: {tally.played} played, {tally.different} different{left_out}"
    pace = findings.pace
    if pace.answers and pace.seconds / pace.answers > SLOW:
        yield f"slow: {pace.answers} answers took {pace.seconds:.0f} seconds, the slowest of them {pace.slowest:.1f}"
    if findings.out_of_time:
        yield CUT_SHORT
    if findings.error_lines:
        yield f"on standard error: {findings.error_lines} lines, the last of them: {findings.errors[-1]}"


def _said(abilities: Abilities) -> str:
    rulesets = "any ruleset" if abilities.rulesets is None else f"ruleset {' or '.join(abilities.rulesets) or 'none'}"
    can = ", ".join(sorted(abilities.can))
    return f"{rulesets}; {f'can {can}' if can else 'can do no more than it must'}"


def _verdicts(findings: Findings) -> Iterator[str]:
    for clause, _ in _with(findings, "not covered"):
        yield f"{clause.number:<5} not covered  {clause.title}: {findings.why_not_covered(clause)}"
    for clause, _ in _with(findings, "broken"):
        yield f"{clause.number:<5} broken       {clause.title}"
    counts = {verdict: len(_with(findings, verdict)) for verdict in ("held", "broken", "not covered")}
    yield f"clauses {', '.join(f'{verdict}: {count}' for verdict, count in counts.items())}"


def fault_text(fault: Fault, findings: Findings) -> str:
    """Tell where the engine gave no proper answer."""
    lines = [f"{fault.kind}: the engine {fault.reason}"]
    if fault.script is not None:
        lines.append(f"  in {fault.script.title}, by the ruleset {fault.script.ruleset.name}")
    if fault.session:
        last = json.dumps(fault.session[-1])
        lines.append(f"  asked, after {len(fault.session) - 1} requests: {textwrap.shorten(last, 2 * WIDTH)}")
    lines += (f"  on standard error: {line}" for line in findings.errors if fault.kind == "crash")
    return "\n".join(lines)


def broken_text(clause: Clause, difference: Difference) -> str:
    """Tell a broken clause: its text, what differs, and the game that shows it, as a record and as a picture."""
    others = [number for number in difference.clauses[1:] if number != clause.number]
    lines = [f"{clause.number} broken: {clause.title}", *_wrapped(clause.text), ""]
    lines += (f"    {line}" for line in _values(difference))
    lines += ["", f"    {_found_in(difference)}"]
    if difference.illegal is not None:
        said, why = difference.illegal
        lines.append(f"    then this was tried: {json.dumps(said)}")
        lines.append(f"    which is illegal: {why}")
    if others:
        lines.append(f"    the same value would be wrong by: {', '.join(others)}")
    lines += ["", *(f"    {line}" for line in history(difference).splitlines())]
    if not is_shipped(difference.script.ruleset):
        lines += ["", f"    the ruleset {difference.script.ruleset.name}, as JSON:"]
        lines.append(f"    {json.dumps(difference.script.ruleset.to_dict())}")
    lines += ["", "    what it should look like then:", ""]
    lines += (f"    {line}".rstrip() for line in position_text(difference.moment.after).splitlines())
    return "\n".join(lines)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    ")


def _found_in(difference: Difference) -> str:
    count = difference.length
    plies = "before the first ply" if not count else f"after {count} {'ply' if count == 1 else 'plies'}"
    return f"in {difference.script.title}, by the ruleset {difference.script.ruleset.name}, {plies}"


def _values(difference: Difference) -> list[str]:
    rows = [
        (
            value.field if value.seat is None else f"{value.field} of seat {value.seat}",
            _plain(value.expected),
            _plain(value.found),
        )
        for value in (difference.telling, *(value for value in difference.values if value != difference.telling))
    ]
    name, expected = (max(len(row[place]) for row in [*rows, ("value", "expected")]) for place in (0, 1))
    return [f"{row[0]:<{name}}  {row[1]:<{expected}}  {row[2]}" for row in [("value", "expected", "found"), *rows]]


def _plain(value: Any) -> str:
    return value if isinstance(value, str) and value.isprintable() else json.dumps(value)


def history(difference: Difference) -> str:
    """Return the game record of a difference, or the position and the actions where it is no game from its start."""
    script = difference.script
    if script.ring is not None:
        return format_record(record_of(script.ruleset, script.ring, difference.plies)).rstrip("\n")
    from patchstats.notation import format_action

    size = script.ruleset.quilt_size
    actions = " ".join(format_action(action, size) for action in difference.plies) or "none"
    return f"position {format_position(script.opening)}\nactions {actions}"


def is_shipped(ruleset: Ruleset) -> bool:
    """Whether a ruleset comes with patchstats, so that its name is enough."""
    return any(Ruleset.load(name) == ruleset for name in shipped_rulesets())


def report_values(findings: Findings, command: Sequence[str], seed: int, examples: int) -> Json:
    """Return a check as plain values for JSON."""
    abilities = findings.abilities
    return {
        "command": shlex.join(command),
        "seed": seed,
        "examples": examples,
        "passed": findings.passed,
        "engine": abilities
        and {
            "name": abilities.name,
            "version": abilities.version,
            "can": sorted(abilities.can),
            "state": list(abilities.fields),
            "rulesets": "any" if abilities.rulesets is None else list(abilities.rulesets),
        },
        "parts": {
            part: {"played": tally.played, "different": tally.different, "left_out": tally.left_out}
            for part, tally in findings.tallies.items()
        },
        "clauses": [
            {
                "clause": clause.number,
                "title": clause.title,
                "verdict": verdict,
                "why": findings.why_not_covered(clause) if verdict == "not covered" else "",
            }
            for clause, verdict in all_verdicts(findings)
        ],
        "broken": [
            _difference_values(clause, findings.broken[clause.number]) for clause, _ in _with(findings, "broken")
        ],
        "faults": [
            {
                "kind": fault.kind,
                "reason": fault.reason,
                "script": fault.script and fault.script.title,
                "session": list(fault.session),
            }
            for fault in findings.faults
        ],
        "pace": {
            "answers": findings.pace.answers,
            "seconds": round(findings.pace.seconds, 3),
            "slowest": round(findings.pace.slowest, 3),
            "cut_short": findings.out_of_time,
        },
        "standard_error": {"lines": findings.error_lines, "last": list(findings.errors)},
    }


def _difference_values(clause: Clause, difference: Difference) -> Json:
    script, tried = difference.script, difference.illegal
    return {
        "clause": clause.number,
        "title": clause.title,
        "text": clause.text,
        "or_else": [number for number in difference.clauses[1:] if number != clause.number],
        "values": [{**value._asdict(), "tells": value == difference.telling} for value in difference.values],
        "script": script.title,
        "plies": difference.length,
        "illegal": tried and {"action": tried[0], "clause": tried[1].clause, "reason": tried[1].reason},
        "record": history(difference) if script.ring is not None else None,
        "position": format_position(difference.moment.after),
        "picture": position_text(difference.moment.after),
        "ruleset": script.ruleset.to_dict(),
        "session": list(difference.session),
    }


def keep(findings: Findings, folder: Path) -> None:
    """Write for each broken clause the requests that show it, for an engine's standard input, a text, and a picture.

    Of each fault there are the requests and the text. Files of an earlier check are removed, and each is written whole
    or not at all. Raises OSError.
    """
    store = store_at(folder)
    for name in (*(clause.number for clause in clauses()), *(_name_of_fault(number) for number in range(MOST_FAULTS))):
        for ending in ("jsonl", "txt", "svg"):
            store.remove(f"{name}.{ending}")  # what an earlier check left
    for clause, _ in _with(findings, "broken"):
        difference = findings.broken[clause.number]
        store.write(f"{clause.number}.jsonl", _requests(difference.session))
        store.write(f"{clause.number}.txt", f"{broken_text(clause, difference)}\n".encode())
        store.write(f"{clause.number}.svg", _picture(difference).encode())
    for number, fault in enumerate(findings.faults):
        store.write(f"{_name_of_fault(number)}.jsonl", _requests(fault.session))
        store.write(f"{_name_of_fault(number)}.txt", f"{fault_text(fault, findings)}\n".encode())


def _name_of_fault(number: int) -> str:
    return f"fault-{number + 1}"


def _requests(session: Sequence[Json]) -> bytes:
    """The lines to be sent to an engine, hello first."""
    asked = [{"ask": "hello", "protocol": PROTOCOL}, *session]
    return b"".join(
        f"{json.dumps({'id': number, **request})}\n".encode() for number, request in enumerate(asked, start=1)
    )


def _picture(difference: Difference) -> str:
    """The position in which the engine differs, as SVG: of a game with its patches, else with what is covered."""
    script = difference.script
    if script.ring is not None:
        return game_svg(record_of(script.ruleset, script.ring, difference.plies))
    return position_svg(difference.moment.after)
