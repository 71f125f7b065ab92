"""Which clauses of the rulebook are held: a mutant of each must die by a test or rule case that bears its mark."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import NamedTuple

from patchstats.mutants.catalogue import Mutant, load_mutants
from patchstats.mutants.workbench import TESTS, Test, Workbench, on_workbenches, unbroken
from patchstats.rules.rulebook import Clause, clauses


class Verdict(NamedTuple):
    """What became of a mutant: the first case or example that noticed it, and the first property; or None.

    `trouble` says why no test was run, if none was.
    """

    mutant: Mutant
    by_example: Test | None
    by_property: Test | None
    trouble: str

    @property
    def killed(self) -> bool:
        """Whether any test that bears the mark of the broken clause noticed."""
        return self.by_example is not None or self.by_property is not None


class Coverage(NamedTuple):
    """A clause, the tests and the rule cases with its mark, and what became of its mutants."""

    clause: Clause
    tests: tuple[str, ...]
    cases: tuple[str, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def held(self) -> bool:
        """Whether a mutant of the clause died. One that no test can hold, and so has no mutant, is no gap."""
        if not self.verdicts:
            return bool(self.clause.untestable)
        return any(verdict.killed for verdict in self.verdicts)


def hunt(bench: Workbench, mutant: Mutant, seconds: dict[str, float] | None = None) -> Verdict:
    """Break the rule and run the tests of its clause, the cheapest first by these `seconds`, until it is noticed by
    a case or example and by a property, or all are run.

    Raises PatchstatsError when the mutant does not fit its file.
    """
    text = (bench.folder / mutant.file).read_text(encoding="utf-8")
    with bench.broken(mutant.file, mutant.broken(text)):
        findings = bench.run(["--clause", mutant.clause, *TESTS], stop="each", seconds=seconds)
    return Verdict(mutant, findings.failed("case", "example"), findings.failed("property"), findings.trouble)


def covered(
    checkout: Path, numbers: Collection[str], workers: int, tell: Callable[[Verdict], None]
) -> tuple[Coverage, ...]:
    """Run the tests of some clauses on the rules as they are, then on each mutant of these clauses; `tell` hears of
    each verdict as it is there.

    Raises VerificationError when a test fails though nothing is broken, and PatchstatsError when a mutant does not fit
    its file.
    """
    chosen = [mutant for mutant in load_mutants(checkout) if mutant.clause in numbers]
    marks = [argument for number in numbers for argument in ("--clause", number)]
    tests = unbroken(checkout, TESTS, workers, marks)
    seconds = {test.id: test.seconds for test in tests}
    verdicts = []
    for verdict in on_workbenches(checkout, partial(_hunted, seconds), chosen, workers):
        tell(verdict)
        verdicts.append(verdict)
    return tuple(
        Coverage(
            clause,
            tuple(test.id for test in tests if clause.number in test.clauses and test.kind != "case"),
            tuple(
                test.id.partition("[")[2].rstrip("]")
                for test in tests
                if clause.number in test.clauses and test.kind == "case"
            ),
            tuple(verdict for verdict in verdicts if verdict.mutant.clause == clause.number),
        )
        for clause in clauses()
        if clause.number in numbers
    )


def _hunted(seconds: dict[str, float], bench: Workbench, mutant: Mutant) -> Verdict:
    return hunt(bench, mutant, seconds)
