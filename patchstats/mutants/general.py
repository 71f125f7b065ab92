"""Small slips anywhere in the rules, made by Cosmic Ray: numbers off by one, operators exchanged, conditions negated.

`python -m patchstats.mutants.general` tries them all and lists those that no test notices. Those that change nothing
that the rules say stand, each with the reason, in `property_tests/mutants/equivalent.toml`.
"""

from __future__ import annotations

import ast
import difflib
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from patchstats.errors import PatchstatsError
from patchstats.mutants.catalogue import find_checkout
from patchstats.mutants.workbench import Workbench, on_workbenches, unbroken

#: What Cosmic Ray can do and is not asked for: other variables and operators such as %, which mostly do not run, and
#: identity for equality, by which small numbers do not differ.
LEFT_OUT = re.compile("core/Variable.*|core/NoOp|.*_(Is|IsNot|Div|FloorDiv|Mod|Pow|LShift|RShift|BitXor)")
EQUIVALENT = "property_tests/mutants/equivalent.toml"
#: A slip for which the tests take longer than this has made an endless loop, which they notice by not ending.
SECONDS = 120.0
#: The tests of the rules themselves.
TESTS = ("property_tests/rules", "property_tests/games", "property_tests/conformance")


class Slip(NamedTuple):
    """A file of the checkout with one slip in it: the lines that were there, those that are, and the whole text."""

    file: str
    old: str
    new: str
    text: str


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
    from cosmic_ray.plugins import get_operator, operator_names

    text = (checkout / file).read_text(encoding="utf-8")
    nodes = list(ast_nodes(get_ast(text)))
    known = {_meaning(text)}
    for name in operator_names():
        if LEFT_OUT.fullmatch(name):
            continue
        operator = get_operator(name)()
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
    old, new = ("\n".join(line[2:].strip() for line in changes if line.startswith(sign)) for sign in "-+")
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
    """Run the tests on each slip until the first notices: first those that noticed others, then the cheapest by these
    `seconds`.
    """
    return on_workbenches(checkout, partial(_try, tests, dict(seconds)), slips, workers)


def _try(tests: Sequence[str], seconds: dict[str, float], bench: Workbench, slip: Slip) -> Verdict:
    with bench.broken(slip.file, slip.text):
        findings = bench.run(tests, stop="any", seconds=seconds, timeout=SECONDS)
    failed = findings.failed()
    if failed is not None:
        seconds[failed.id] = min(seconds.get(failed.id, 0.0), 0.0) - 1  # the more it has noticed, the sooner it is run
    return Verdict(slip, failed.id if failed else findings.trouble)


@click.command()
@click.argument("files", nargs=-1)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True)
def main(files: tuple[str, ...], workers: int) -> None:
    """Try the slips in some FILES, by default in all of patchstats/rules; exit status 1 if one survives that is not
    listed with a reason."""
    try:
        unexplained = _try_all(files, workers)
    except PatchstatsError as error:
        raise click.ClickException(str(error)) from None
    sys.exit(1 if unexplained else 0)


def _try_all(files: tuple[str, ...], workers: int) -> int:
    """Try the slips in some files, print what survives, and return how much of it is not explained."""
    checkout = find_checkout()
    reasons = equivalents(checkout)
    slips = [slip for file in files or rule_files(checkout) for slip in slips_in(checkout, file)]
    counts = dict.fromkeys(("killed", "equivalent", "unexplained"), 0)
    seconds = {test.id: test.seconds for test in unbroken(checkout, TESTS, workers)}
    for number, verdict in enumerate(try_slips(checkout, slips, seconds, workers), start=1):
        slip = verdict.slip
        if number % 25 == 0:
            click.echo(f"{number} of {len(slips)} slips tried", err=True)
        known = (slip.file, slip.old, slip.new) in reasons
        counts["killed" if verdict.noticed_by else "equivalent" if known else "unexplained"] += 1
        if not verdict.noticed_by:
            click.echo(f"{slip.file}: {'equivalent' if known else 'survives'}\n  - {slip.old}\n  + {slip.new}")
    killed = counts["killed"] / max(len(slips), 1)
    click.echo(f"slips: {len(slips)}, {', '.join(f'{name}: {count}' for name, count in counts.items())} ({killed:.1%})")
    return counts["unexplained"]


if __name__ == "__main__":
    main()
