"""patchstats conform: whether somebody else's engine plays by the rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from patchstats.cli.kept import write_file
from patchstats.cli.options import json_option
from patchstats.errors import PatchstatsError, VerificationError

if TYPE_CHECKING:
    from patchstats.conformance.conform.check import Findings

PARTS = ("cases", "games", "perft", "drawn")


@click.command()
@click.argument("command", metavar="-- COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--examples", type=click.IntRange(1), default=200, show_default=True, help="How many games are drawn.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=1, show_default=True, help="Draws them.")
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), default=10, show_default=True, help="Seconds for an answer."
)
@click.option(
    "--limit", type=click.FloatRange(0, min_open=True), default=600, show_default=True, help="Seconds for all of it."
)
@click.option(
    "--only", "parts", type=click.Choice(PARTS), multiple=True, help="Do this part alone; may be given several times."
)
@click.option("--junit", type=click.Path(dir_okay=False, path_type=Path), help="Write JUnit XML, a test case a clause.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep for each broken clause, or fault, the requests that show it, what is told of it, and a picture.",
)
@json_option
def conform(
    command: tuple[str, ...],
    examples: int,
    seed: int,
    timeout: float,
    limit: float,
    parts: tuple[str, ...],
    junit: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Start another engine, which speaks the protocol of docs/protocol.md, and check it clause by clause.

    It plays the rule cases, the golden games, perft positions, and games that are drawn, beside the
    reference engine. Of each clause of the rulebook it is told whether it holds, is broken or was not
    covered; for a broken one the shortest game that shows it, and the values that differ.

    The exit status is 0 if all clauses that were covered hold, 1 if one is broken, the engine failed to
    answer, or --limit cut the check short. The same seed draws the same games.
    """
    import sys

    _end_when_told()
    try:
        findings, told = _checked(command, parts or PARTS, examples, seed, timeout, limit, as_json)
    except KeyboardInterrupt:
        click.echo("patchstats: interrupted; the engine was ended, and nothing is known of it", err=True)
        sys.exit(130)
    click.echo(told)
    _write(findings, junit, out)
    if not findings.passed:
        raise VerificationError("; ".join(_failures(findings)))


def _checked(
    command: tuple[str, ...],
    parts: tuple[str, ...],
    examples: int,
    seed: int,
    timeout: float,
    limit: float,
    as_json: bool,
) -> tuple[Findings, str]:
    """What a check found, and what is printed of it."""
    import json
    import sys

    from patchstats.conformance.conform.check import check
    from patchstats.conformance.conform.report import report_text, report_values

    findings = check(
        command,
        parts=parts,
        examples=examples,
        seed=seed,
        timeout=timeout,
        limit=limit,
        progress=_say if sys.stderr.isatty() else lambda _: None,
    )
    if as_json:
        return findings, json.dumps(report_values(findings, command, seed, examples), indent=1)
    return findings, report_text(findings)


def _write(findings: Findings, junit: Path | None, out: Path | None) -> None:
    """Write the files that were asked for."""
    from patchstats.conformance.conform.junit import junit_text
    from patchstats.conformance.conform.report import keep

    if junit is not None:
        write_file(junit, junit_text(findings))
    if out is not None:
        try:
            keep(findings, out)
        except OSError as error:
            raise PatchstatsError(f"{error.filename or out} cannot be written: {error.strerror}") from None


def _failures(findings: Findings) -> Iterator[str]:
    """Why a check did not pass, each reason once."""
    from collections import Counter

    from patchstats.conformance.conform.report import CUT_SHORT

    for number in sorted(findings.broken, key=_by_number):
        yield f"clause {number} is broken"
    for reason, times in Counter(fault.reason for fault in findings.faults).items():
        yield f"the engine {reason}" + (f", {times} times" if times > 1 else "")
    if findings.out_of_time:
        yield CUT_SHORT


def _by_number(number: str) -> tuple[int, ...]:
    return tuple(map(int, number.split(".")))


def _say(what: str) -> None:
    click.echo(f"conform: {what}", err=True)


def _end_when_told() -> None:
    """Let SIGTERM end this process as Ctrl-C does, with the engine, and not alone."""
    import signal
    import sys
    import threading

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
