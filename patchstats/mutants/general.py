"""Small slips anywhere in the rules, made by Cosmic Ray: numbers off by one, operators exchanged, conditions negated.

`python -m patchstats.mutants.general` tries them and prints those that no test notices. Those that change nothing that
the rules say stand, each with the reason, in `property_tests/mutants/equivalent.toml`, and are not tried again.
"""

from __future__ import annotations

import ast
import difflib
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from patchstats.errors import PatchstatsError
from patchstats.mutants.catalogue import find_checkout
from patchstats.mutants.workbench import Workbench, on_workbenches, unbroken

#: What Cosmic Ray is asked to do. An operator is exchanged for its opposite and, when it compares sizes, for the one
#: that differs on the bound; others would mostly not run, or say the same of whole numbers.
EXCHANGED = {
    "Comparison": "Eq_NotEq NotEq_Eq Is_IsNot IsNot_Is Lt_LtE Lt_GtE LtE_Lt LtE_Gt Gt_GtE Gt_LtE GtE_Gt GtE_Lt",
    "Binary": "Add_Sub Sub_Add Mul_Add FloorDiv_Mul Mod_Mul Pow_Mul BitAnd_BitOr BitOr_BitAnd BitXor_BitOr "
    "LShift_RShift RShift_LShift",
    "Unary": "Delete_Not Delete_Invert Delete_USub",
}
OPERATORS = (
    *(f"Replace{kind}Operator_{pair}" for kind, pairs in EXCHANGED.items() for pair in pairs.split()),
    "AddNot",
    "ReplaceAndWithOr",
    "ReplaceOrWithAnd",
    "ReplaceTrueWithFalse",
    "ReplaceFalseWithTrue",
    "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak",
    "NumberReplacer",
    "ZeroIterationForLoop",
    "RemoveDecorator",
    "ExceptionReplacer",
)
EQUIVALENT = "property_tests/mutants/equivalent.toml"
#: A slip for which the tests take longer than this has made an endless loop, which they notice by not ending.
SECONDS = 90.0
#: So many of the tests that have noticed most are run before all of them are even collected.
LIKELY = 12
#: The tests of the rules themselves.
TESTS = ("property_tests/rules", "property_tests/games", "property_tests/conformance")


class Slip(NamedTuple):
    """A file of the checkout with one slip in it: the lines that were there, those that are, and the whole text."""

    file: str
    old: str
    new: str
    text: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from others, whatever else is changed in the file."""
        return self.file, self.old, self.new


class Verdict(NamedTuple):
    """What became of a slip: the name of the test that noticed, the trouble that kept the tests from running, or
    nothing.
    """

    slip: Slip
    noticed_by: str


def rule_files(checkout: Path) -> tuple[str, ...]:
    """Return the names of the files that hold the rules, from the checkout on."""
    folder = checkout / "patchstats" / "rules"
    return tuple(path.relative_to(checkout).as_posix() for path in sorted(folder.glob("*.py")))


def slips_in(checkout: Path, file: str) -> Iterator[Slip]:
    """Make every slip in a file once. What changes nothing but annotations, which are never evaluated, is none."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    text = (checkout / file).read_text(encoding="utf-8")
    nodes = list(ast_nodes(get_ast(text)))
    known = {_meaning(text)}
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        for occurrence in range(sum(len(list(operator.mutation_positions(node))) for node in nodes)):
            mutated = mutate_code(text, operator, occurrence)
            meaning = mutated and _meaning(mutated)
            if meaning and meaning not in known:
                known.add(meaning)
                yield Slip(file, *_changed_lines(text, mutated), mutated)


def _meaning(text: str) -> str:
    """Return what Python makes of a text, without the annotations; nothing when it makes nothing of it."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def _changed_lines(before: str, after: str) -> tuple[str, str]:
    changes = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    old, new = ("\n".join(line[2:].strip() for line in changes if line.startswith(sign)).strip() for sign in "-+")
    return old, new


def equivalents(checkout: Path) -> dict[tuple[str, str, str], str]:
    """Return the slips that are known to change nothing, as file, old and new lines, with the reasons.

    Raises PatchstatsError when an entry has not exactly these four texts.
    """
    entries = tomllib.loads((checkout / EQUIVALENT).read_text(encoding="utf-8")).get("equivalent", [])
    for number, entry in enumerate(entries, start=1):
        if set(entry) != {"file", "old", "new", "reason"}:
            raise PatchstatsError(f"{EQUIVALENT}: number {number}: the keys are file, old, new and reason")
    return {(entry["file"], entry["old"], entry["new"]): entry["reason"] for entry in entries}


def try_slips(
    checkout: Path, slips: Iterable[Slip], seconds: dict[str, float], workers: int, tests: Sequence[str] = TESTS
) -> Iterator[Verdict]:
    """Run the tests on each slip until the first notices: first those that noticed most, then all, the cheapest first
    by these `seconds`.
    """
    return on_workbenches(checkout, partial(_try, tests, seconds, Counter()), slips, workers)


def _try(
    tests: Sequence[str], seconds: dict[str, float], noticed: Counter[str], bench: Workbench, slip: Slip
) -> Verdict:
    with bench.broken(slip.file, slip.text):
        likely = [test for test, _ in noticed.most_common(LIKELY)]
        findings = bench.run(likely, stop="any", seconds=seconds, timeout=SECONDS) if likely else None
        if findings is None or not (findings.failed() or findings.endless):
            findings = bench.run(tests, stop="any", seconds=seconds, timeout=SECONDS)
    failed = findings.failed()
    if failed is None:
        return Verdict(slip, findings.trouble)
    noticed[failed.id] += 1
    return Verdict(slip, failed.id)


@click.command()
@click.argument("files", nargs=-1)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True)
@click.option("--listed", is_flag=True, help="Try those alone that are listed as changing nothing.")
def main(files: tuple[str, ...], workers: int, listed: bool) -> None:
    """Try the slips in some FILES, by default in all of patchstats/rules, but for those listed as changing nothing.

    Prints those that no test notices; the exit status is 1 if there are any. With --listed it is 1 if there are others.
    """
    try:
        wrong = _try_all(files, workers, listed=listed)
    except PatchstatsError as error:
        raise click.ClickException(str(error)) from None
    sys.exit(1 if wrong else 0)


def _try_all(files: tuple[str, ...], workers: int, *, listed: bool) -> int:
    """Try the slips in some files, print what survives, and return how many came out otherwise than they should."""
    checkout = find_checkout()
    reasons = equivalents(checkout)
    slips = [slip for file in files or rule_files(checkout) for slip in slips_in(checkout, file)]
    tried = [slip for slip in slips if (slip.key in reasons) == listed]
    seconds = {test.id: test.seconds for test in unbroken(checkout, TESTS, workers)}
    noticed = 0
    for number, verdict in enumerate(try_slips(checkout, tried, seconds, workers), start=1):
        noticed += bool(verdict.noticed_by)
        if not verdict.noticed_by:
            click.echo(f"{verdict.slip.file}: survives\n  - {verdict.slip.old}\n  + {verdict.slip.new}")
        if number % 25 == 0:
            click.echo(f"{number} of {len(tried)} slips tried", err=True)
    if listed:
        click.echo(f"slips listed as changing nothing: {len(tried)}, noticed all the same: {noticed}")
        return noticed
    click.echo(
        f"slips: {len(slips)}, noticed: {noticed} ({noticed / max(len(slips), 1):.1%}), listed as changing nothing: "
        f"{len(slips) - len(tried)}, not noticed: {len(tried) - noticed}"
    )
    return len(tried) - noticed


if __name__ == "__main__":
    main()
