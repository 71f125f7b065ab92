"""The catalogue of rule mutants: likely misreadings of a clause, each as a change of one file of the checkout.

The mutants stand in `property_tests/mutants`, one file a section of the rulebook; `property_tests/README.md` says how
to add one.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from patchstats.errors import PatchstatsError
from patchstats.rules.rulebook import clauses

KEYS = ("name", "clause", "misreading", "file", "changes")


class Mutant(NamedTuple):
    """A broken rule: its name, the clause it breaks, what is believed of the rule, and the texts that are replaced.

    `changes` are pairs of a text that stands in `file` exactly once, and what is put there instead. The file is named
    from the checkout on.
    """

    name: str
    clause: str
    misreading: str
    file: str
    changes: tuple[tuple[str, str], ...]

    def broken(self, text: str) -> str:
        """Return the text of the file with the changes made.

        Raises PatchstatsError when a text to be replaced is not there exactly once.

        >>> mutant = Mutant("a cap", "9.3", "No score is below zero.", "score.py", (("return score", "return 0"),))
        >>> mutant.broken("return score\\n")
        'return 0\\n'
        """
        for old, new in self.changes:
            if text.count(old) != 1:
                raise PatchstatsError(
                    f"mutant {self.name!r}: {old!r} stands {text.count(old)} times in {self.file}, not once"
                )
            text = text.replace(old, new)
        return text


def find_checkout() -> Path:
    """Return the checkout that holds the current folder. Raises PatchstatsError anywhere else."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / "property_tests" / "mutants").is_dir() and (folder / "patchstats" / "rules").is_dir():
            return folder
    raise PatchstatsError("the current folder is in no checkout of patchstats, where its tests and mutants are")


def load_mutants(checkout: Path) -> tuple[Mutant, ...]:
    """Return the mutants of a checkout in the order of their clauses.

    Raises PatchstatsError, with file, mutant and key, for what is none.
    """
    mutants: dict[str, Mutant] = {}
    for path in sorted((checkout / "property_tests" / "mutants").glob("[1-9]-*.toml")):
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise PatchstatsError(f"{path}: cannot be read as TOML: {error}") from None
        for number, entry in enumerate(content.get("mutant", ()), start=1):
            mutant = _mutant(f"{path}: mutant number {number}", entry)
            if mutant.name in mutants:
                raise PatchstatsError(f"{path}: mutant number {number}: another one is called {mutant.name!r}")
            mutants[mutant.name] = mutant
    places = {clause.number: place for place, clause in enumerate(clauses())}
    return tuple(sorted(mutants.values(), key=lambda mutant: places[mutant.clause]))


def _mutant(where: str, entry: Any) -> Mutant:
    if not isinstance(entry, dict) or set(entry) != set(KEYS):
        raise PatchstatsError(f"{where}: the keys are {', '.join(KEYS)}, and all are needed")
    for key in KEYS[:-1]:
        if not isinstance(entry[key], str) or not entry[key]:
            raise PatchstatsError(f"{where}: {key}: {entry[key]!r} is no text")
    if entry["clause"] not in {clause.number for clause in clauses()}:
        raise PatchstatsError(f"{where}: clause: the rulebook has no clause {entry['clause']}")
    changes = entry["changes"]
    pairs = isinstance(changes, list) and all(isinstance(change, list) and len(change) == 2 for change in changes)
    if not pairs or not changes or not all(isinstance(text, str) for change in changes for text in change):
        raise PatchstatsError(f"{where}: changes: pairs of texts are needed, the old and the new one")
    texts = {key: entry[key] for key in KEYS[:-1]}
    return Mutant(**texts, changes=tuple((old, new) for old, new in changes))
