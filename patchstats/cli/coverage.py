"""patchstats rules --coverage: which tests and rule cases hold each clause, shown by breaking it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import click

from patchstats.cli.options import processors
from patchstats.errors import VerificationError
from patchstats.mutants.catalogue import find_checkout
from patchstats.mutants.coverage import Coverage, Verdict, covered


def print_coverage(numbers: Sequence[str], workers: int | None, as_json: bool) -> None:
    """Break some clauses and print what holds them.

    Raises VerificationError when nothing holds one of them, or a mutant goes unnoticed, and PatchstatsError outside of
    a checkout.
    """
    coverages = covered(find_checkout(), numbers, workers or processors(), _tell)
    verdicts = [verdict for coverage in coverages for verdict in coverage.verdicts]
    gaps = [f"clause {one.clause.number} is not held: no mutant of it is noticed" for one in coverages if not one.held]
    missed = [
        f"mutant {verdict.mutant.name!r} of clause {verdict.mutant.clause} is not noticed {verdict.trouble}".rstrip()
        for verdict in verdicts
        if not verdict.killed
    ]
    if as_json:
        click.echo(json.dumps([_fields(coverage) for coverage in coverages], indent=1))
    else:
        for coverage in coverages:
            click.echo("\n".join(_lines(coverage)))
        held = sum(any(verdict.killed for verdict in coverage.verdicts) for coverage in coverages)
        beyond = sum(not coverage.verdicts and coverage.held for coverage in coverages)
        click.echo(
            f"clauses: {held} held, {beyond} that no test can hold, {len(gaps)} not held; "
            f"mutants: {len(verdicts) - len(missed)} noticed, {len(missed)} not noticed"
        )
    if gaps or missed:
        raise VerificationError("\n".join(gaps + missed))


def _tell(verdict: Verdict) -> None:
    what = "noticed" if verdict.killed else "NOT NOTICED"
    click.echo(f"{verdict.mutant.clause} {verdict.mutant.name}: {what}", err=True)


def _lines(coverage: Coverage) -> Iterator[str]:
    clause = coverage.clause
    if coverage.verdicts or not clause.untestable:
        state = "held" if any(verdict.killed for verdict in coverage.verdicts) else "NOT HELD"
    else:
        state = f"no test can hold it: {clause.untestable}"
    yield f"{clause.number} {clause.title}: {state}"
    for verdict in coverage.verdicts:
        yield f"    mutant {verdict.mutant.name}: {verdict.mutant.misreading}"
        for test in filter(None, (verdict.by_example, verdict.by_property)):
            after = f", example {test.examples}" if test.examples else ""
            yield f"        noticed by {_short(test.id)}{after}"
        if not verdict.killed:
            yield f"        NOT NOTICED {verdict.trouble}".rstrip()
    for function in dict.fromkeys(_short(test).partition("[")[0] for test in coverage.tests):
        yield f"    test {function}"
    if coverage.cases:
        yield f"    cases {', '.join(coverage.cases)}"


def _short(test: str) -> str:
    return test.removeprefix("property_tests/")


def _fields(coverage: Coverage) -> dict[str, object]:
    return {
        "clause": coverage.clause.number,
        "held": coverage.held,
        "untestable": coverage.clause.untestable,
        "tests": coverage.tests,
        "cases": coverage.cases,
        "mutants": [
            {
                "name": verdict.mutant.name,
                "misreading": verdict.mutant.misreading,
                "noticed_by": [
                    {"test": test.id, "examples": test.examples}
                    for test in (verdict.by_example, verdict.by_property)
                    if test is not None
                ],
            }
            for verdict in coverage.verdicts
        ],
    }
