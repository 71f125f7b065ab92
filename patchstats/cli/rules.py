"""patchstats rules: the rulebook, and the cases that an engine must answer right."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

import click

from patchstats.cli.options import json_option

if TYPE_CHECKING:
    from patchstats.conformance.cases import Finding


@click.command()
@click.argument("numbers", metavar="[NUMBER]...", nargs=-1)
@click.option(
    "--cases", "run_cases", is_flag=True, help="Run the rule cases of these clauses instead of printing them."
)
@click.option(
    "--coverage",
    "run_mutants",
    is_flag=True,
    help="Break these clauses on purpose and tell which tests and cases notice; in a checkout only.",
)
@click.option("--workers", type=click.IntRange(1), help="Processes of --coverage.  [default: one a processor]")
@json_option
def rules(numbers: tuple[str, ...], run_cases: bool, run_mutants: bool, workers: int | None, as_json: bool) -> None:
    """Print the rulebook's clauses, all or those of some numbers such as 5.8, or of whole sections.

    Under the text of a clause stands how it is read where texts leave something open, and then who says so.

    With --cases play the known disputes about them and print whether each comes out right; the exit
    status is 1 if one does not.

    With --coverage run, for each clause, the tests and cases that bear its mark against misreadings of
    it, and print what notices them and after how many examples. A clause is held when one of its
    misreadings is noticed; the exit status is 1 if a clause that can be tested is not held, or if a
    misreading is not noticed.
    """
    import json
    import textwrap

    from patchstats.rules.rulebook import clauses

    chosen = [
        clause for clause in clauses() if not numbers or {clause.number, clause.number.split(".")[0]} & set(numbers)
    ]
    known = {number for clause in clauses() for number in (clause.number, clause.number.split(".")[0])}
    for number in numbers:
        if number not in known:
            raise click.UsageError(f"no clause or section of the rulebook has the number {number}")
    if run_cases and run_mutants:
        raise click.UsageError("--cases and --coverage are two questions; ask one at a time")
    if workers is not None and not run_mutants:
        raise click.UsageError("--workers goes with --coverage")
    if run_mutants:
        from patchstats.cli.coverage import print_coverage

        print_coverage([clause.number for clause in chosen], workers, as_json)
        return
    if run_cases:
        _cases({clause.number for clause in chosen}, as_json)
        return
    if as_json:
        click.echo(json.dumps([clause._asdict() for clause in chosen], indent=1))
        return
    for clause in chosen:
        click.echo(f"{clause.number} {clause.title}")
        doubt = "" if clause.confidence == "high" else f", {clause.confidence} confidence"
        sources = f"Sources ({clause.standing}{doubt}): {clause.sources}"
        untestable = clause.untestable and f"Untestable: {clause.untestable}"
        for paragraph in filter(None, (clause.text, clause.ruling, sources, untestable)):
            click.echo(textwrap.fill(paragraph, 96, initial_indent="    ", subsequent_indent="    "))


def _cases(numbers: Container[str], as_json: bool) -> None:
    """Run the cases of some clauses and print them. Raises VerificationError when one is broken."""
    import json

    from patchstats.conformance.cases import load_cases, run_case
    from patchstats.errors import VerificationError

    findings = [run_case(case) for case in load_cases() if any(number in numbers for number in case.clauses)]
    broken = [finding for finding in findings if not finding.held]
    if as_json:
        click.echo(json.dumps([_fields(finding) for finding in findings], indent=1))
    else:
        for finding in findings:
            case = finding.case
            held = "held" if finding.held else "broken"
            click.echo(f"{case.id:<5} {held:<7} {', '.join(case.clauses):<19} {case.question}")
        click.echo(f"cases held: {len(findings) - len(broken)}, broken: {len(broken)}")
    if broken:
        lines = [f"case {finding.case.id}: {'; '.join(finding.faults)}" for finding in broken]
        raise VerificationError("\n".join(lines))


def _fields(finding: Finding) -> dict[str, object]:
    case = finding.case
    return {
        "id": case.id,
        "clauses": case.clauses,
        "question": case.question,
        "held": finding.held,
        "right": case.right,
        "tempting": case.tempting,
        "found": finding.found,
        "faults": finding.faults,
    }
