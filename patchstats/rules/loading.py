"""Where the settings of a ruleset come from: shipped files, files of the user, changes of single keys.

What makes settings a ruleset lives in `checking.py`.
"""

from __future__ import annotations

import copy
import csv
import difflib
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from patchstats.errors import RulesetError
from patchstats.rules.checking import PATCH_AMOUNTS, SourceOf
from patchstats.rules.files import data_directory

FILE = "ruleset.toml"
CHANGE = "changed ruleset"
PATCH_COLUMNS = ["id", "rows", *PATCH_AMOUNTS]
WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}")


def shipped_rulesets() -> tuple[str, ...]:
    """Return the names of the rulesets that come with patchstats.

    >>> shipped_rulesets()
    ('original', 'revised')
    """
    return tuple(sorted(path.parent.name for path in (data_directory() / "rulesets").glob(f"*/{FILE}")))


def read_settings(ruleset: str) -> tuple[dict[str, Any], SourceOf]:
    """Return the settings of a shipped ruleset or of the one in a folder or `.toml` file, and where each key was
    written.

    Raises RulesetError with file, key and reason for what cannot be read.
    """
    path = _file_of(ruleset, beside=None)
    settings, sources = _settings(path, ())

    def source_of(key: str) -> str:
        while key and key not in sources:
            key = key.rpartition(".")[0]
        return sources.get(key, str(path))

    place = path.resolve()
    name = place.parent.name if place.name == FILE else place.stem
    return {"name": re.sub(r"[\s,]+", "-", name) or "unnamed", **settings}, source_of


def changed_settings(settings: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with some keys changed, dots leading into tables; see `Ruleset.with_changes`.

    Raises RulesetError for a key that the settings do not have.
    """
    result = copy.deepcopy(settings)
    if changes and "name" not in changes:
        result["name"] = result["name"].rstrip("*") + "*"
    for key, value in changes.items():
        if not isinstance(key, str):
            raise RulesetError(CHANGE, repr(key), "is no key: keys are texts such as patches.p01.cost")
        place: Any = result
        *folders, last = key.split(".")
        for folder in folders:
            place = place.get(folder) if isinstance(place, dict) else None
        if not isinstance(place, dict) or last not in place or isinstance(place[last], dict):
            raise _unknown_key(key, settings)
        place[last] = value
    return result


def parse_change(text: str) -> tuple[str, Any]:
    """Read one `--set` of the command line, `key=value` with a value as TOML writes it; bare words are strings.

    Raises RulesetError when there is no `=`.

    >>> parse_change("patches.p21.cost=1"), parse_change("leather_marks=[20, 38]"), parse_change("start_patch=p02")
    (('patches.p21.cost', 1), ('leather_marks', [20, 38]), ('start_patch', 'p02'))
    """
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise RulesetError("--set", text, "is not of the form key=value, such as patches.p21.cost=1")
    try:
        parsed = tomllib.loads(f"value = {value}")
    except (ValueError, RecursionError):  # no TOML, or a number or a nesting that is too long for Python
        parsed = {}
    return key.strip(), parsed["value"] if list(parsed) == ["value"] else value.strip()


def _unknown_key(key: str, settings: Mapping[str, Any]) -> RulesetError:
    """Say how far the key is right, and what it could go on with."""
    table: Mapping[str, Any] = settings
    known = ""
    for part in key.split("."):
        inner = table.get(part)
        if not isinstance(inner, Mapping):
            close = difflib.get_close_matches(part, table, n=1, cutoff=0.75)
            hint = f"did you mean {known}{close[0]}?" if close else f"there are {', '.join(table)}"
            return RulesetError(CHANGE, key, f"no such key; {hint}")
        table = inner
        known += f"{part}."
    return RulesetError(CHANGE, key, f"is a table; change a value in it, one of {', '.join(table)}")


def _file_of(ruleset: str, beside: Path | None) -> Path:
    """Find the file of a ruleset named by the user, or by the `based_on` of the file `beside`."""
    shipped = data_directory() / "rulesets" / ruleset / FILE
    if ruleset in shipped_rulesets():
        return shipped
    path = (beside.parent if beside else Path()) / ruleset
    try:
        if path.is_dir():
            path /= FILE
        found = path.is_file()
    except (OSError, ValueError):  # no name that a file can have
        found = False
    if not found:
        where = f"{beside}: based_on" if beside else "ruleset"
        raise RulesetError(
            where, ruleset, f"no such ruleset; give {' or '.join(shipped_rulesets())}, or a folder with a ruleset.toml"
        )
    return path


def _settings(path: Path, derived: tuple[Path, ...]) -> tuple[dict[str, Any], dict[str, str]]:
    """Read a ruleset file and what it is based on: the settings, and where each key was written."""
    if path.resolve() in derived:
        raise RulesetError(str(path), "based_on", "a ruleset cannot be based on itself")
    try:
        own = tomllib.loads(_read(path))
    except (ValueError, RecursionError) as error:  # TOMLDecodeError is a ValueError
        raise RulesetError(str(path), "", f"is no TOML: {error}") from None
    sources = dict.fromkeys(own, str(path))
    if isinstance(own.get("patches"), str):
        own["patches"], lines = _read_patches(path.parent / own["patches"])
        sources |= lines
    base = own.pop("based_on", None)
    if base is None:
        return own, sources
    if not isinstance(base, str):
        raise RulesetError(str(path), "based_on", f"{base!r} is no name or folder of a ruleset")
    settings, base_sources = _settings(_file_of(base, beside=path), (*derived, path.resolve()))
    settings.pop("name", None)
    return {**settings, **own}, {**base_sources, **sources}


def _read_patches(path: Path) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Read a table of patches from a CSV file: the values by id, and where each patch was written."""
    reader = csv.reader(_read(path).splitlines(), strict=True)
    table: dict[str, dict[str, Any]] = {}
    lines: dict[str, str] = {}
    try:
        if next(reader, None) != PATCH_COLUMNS:
            raise RulesetError(f"{path} line 1", "", f"the columns must be {','.join(PATCH_COLUMNS)}")
        for row in reader:
            source = f"{path} line {reader.line_num}"
            if len(row) != len(PATCH_COLUMNS):
                reason = f"{len(row)} values instead of {len(PATCH_COLUMNS)} ({','.join(PATCH_COLUMNS)})"
                raise RulesetError(source, "", reason)
            patch_id, rows, *amounts = row
            if patch_id in table:
                raise RulesetError(source, "id", f"{patch_id!r} stands there twice")
            table[patch_id] = {"rows": rows}
            for key, amount in zip(PATCH_COLUMNS[2:], amounts, strict=True):
                if not WHOLE_NUMBER.fullmatch(amount):
                    raise RulesetError(source, key, f"{amount!r} is no whole number")
                table[patch_id][key] = int(amount)
            lines[f"patches.{patch_id}"] = source
    except csv.Error as error:
        raise RulesetError(f"{path} line {reader.line_num}", "", f"is no CSV: {error}") from None
    return table, lines


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise RulesetError(str(path), "", "is no UTF-8 text") from None
    except (OSError, ValueError) as error:  # a ValueError for a zero byte in the name
        raise RulesetError(str(path), "", f"cannot be read: {getattr(error, 'strerror', error)}") from None
