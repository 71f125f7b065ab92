"""What makes settings a ruleset: every key, its bounds, and what must hold between keys.

Settings are plain values by key, as TOML and JSON hold them; where they come from is the business of `loading.py`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from reprlib import repr as shown
from typing import Any

from patchstats.errors import RulesetError
from patchstats.rules.patch import Patch
from patchstats.rules.shapes import parse_shape

#: Every whole number of a ruleset: key, least and greatest value.
AMOUNTS = {
    "quilt_size": (3, 11),
    "finish": (1, 255),
    "start_buttons": (0, 1000),
    "offer_size": (1, 8),
    "bonus_square": (1, 11),
    "bonus_points": (0, 1000),
    "empty_cell_penalty": (0, 1000),
    "button_supply": (0, 100_000),
}
PATCH_AMOUNTS = {"cost": (0, 1000), "time": (1, 255), "income": (0, 1000)}
MARKS = ("income_marks", "leather_marks")
OPTIONAL = ("name", "title", "start_patch")
MOST_PATCHES = 255
PATCH_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,15}")

#: Tells for a key where its value was written: a file, a line of a table, or nothing.
SourceOf = Callable[[str], str]


def checked_settings(settings: Mapping[str, Any], source_of: SourceOf) -> dict[str, Any]:
    """Return the attributes of the ruleset that these settings describe.

    Raises RulesetError with source, key and reason for the first thing that is wrong.
    """
    known = [*OPTIONAL, "patches", *AMOUNTS, *MARKS]
    for key in settings:
        if key not in known:
            raise _error(source_of, key, f"no such key; the keys are {', '.join(sorted(known))}")
    for key in known:
        if key not in settings and key not in OPTIONAL:
            raise _error(source_of, key, "is missing")

    amounts = {key: _amount(settings[key], limits, source_of, key) for key, limits in AMOUNTS.items()}
    marks = {key: _marks(settings[key], amounts["finish"], source_of, key) for key in MARKS}
    if amounts["bonus_square"] > amounts["quilt_size"]:
        reason = f"{amounts['bonus_square']} cells a side are more than the quilt's {amounts['quilt_size']}"
        raise _error(source_of, "bonus_square", reason)
    if amounts["button_supply"] < 2 * amounts["start_buttons"]:
        reason = f"{amounts['button_supply']} buttons are too few for two starts with {amounts['start_buttons']}"
        raise _error(source_of, "button_supply", reason)
    patches = _patches(settings["patches"], amounts["quilt_size"], source_of)
    return {
        "name": _label(settings.get("name", "unnamed"), r"[^\s,]+", "name without blanks or commas", source_of, "name"),
        "title": _label(settings.get("title", ""), r".*", "line of text", source_of, "title"),
        "start_patch": _start_patch(settings.get("start_patch"), patches, source_of),
        "patches": patches,
        **amounts,
        **marks,
    }


def _error(source_of: SourceOf, key: str, reason: str) -> RulesetError:
    return RulesetError(source_of(key), key, reason)


def _label(value: Any, pattern: str, what: str, source_of: SourceOf, key: str) -> str:
    if not isinstance(value, str) or not value.isprintable() or not re.fullmatch(pattern, value):
        raise _error(source_of, key, f"{shown(value)} is no {what}")
    return value


def _amount(value: Any, limits: tuple[int, int], source_of: SourceOf, key: str) -> int:
    least, greatest = limits
    if isinstance(value, bool) or not isinstance(value, int):
        raise _error(source_of, key, f"{shown(value)} is no whole number")
    if not least <= value <= greatest:
        raise _error(source_of, key, f"{value} is outside {least} to {greatest}")
    return value


def _marks(values: Any, finish: int, source_of: SourceOf, key: str) -> tuple[int, ...]:
    if not isinstance(values, list | tuple):
        raise _error(source_of, key, f"{shown(values)} is no list of spaces, such as [20, 26, 32]")
    marks = tuple(sorted(_amount(value, (1, finish), source_of, key) for value in values))
    for first, second in itertools.pairwise(marks):
        if first == second:
            raise _error(source_of, key, f"space {first} stands there twice; a space bears at most one mark of a kind")
    return marks


def _patches(table: Any, quilt_size: int, source_of: SourceOf) -> tuple[Patch, ...]:
    if not isinstance(table, Mapping) or not 1 <= len(table) <= MOST_PATCHES:
        raise _error(source_of, "patches", f"1 to {MOST_PATCHES} patches by id are needed")
    patches = []
    for patch_id, values in table.items():
        key = f"patches.{patch_id}"
        if not isinstance(patch_id, str) or not PATCH_ID.fullmatch(patch_id):
            raise _error(source_of, key, "a patch id is a letter followed by up to 15 letters, digits, - or _")
        if not isinstance(values, Mapping) or set(values) != {"rows", *PATCH_AMOUNTS}:
            raise _error(source_of, key, f"a patch has the keys rows, {', '.join(PATCH_AMOUNTS)} and no others")
        amounts = {
            name: _amount(values[name], limits, source_of, f"{key}.{name}") for name, limits in PATCH_AMOUNTS.items()
        }
        rows = values["rows"]
        if not isinstance(rows, str):
            raise _error(
                source_of, f"{key}.rows", f"{shown(rows)} is no drawing of a shape: a text such as '110/011' is"
            )
        try:
            shape = parse_shape(rows)
        except ValueError as error:
            raise _error(source_of, f"{key}.rows", str(error)) from None
        if max(max(cell) for cell in shape) >= quilt_size:
            raise _error(source_of, f"{key}.rows", f"{rows!r} does not fit a quilt of {quilt_size} cells a side")
        patches.append(Patch(patch_id, rows, **amounts))
    return tuple(patches)


def _start_patch(chosen: Any, patches: tuple[Patch, ...], source_of: SourceOf) -> str:
    ids = [patch.id for patch in patches]
    if chosen is not None:
        if chosen not in ids:
            raise _error(source_of, "start_patch", f"{chosen!r} is no patch of this ruleset")
        return str(chosen)
    least = min(patch.size for patch in patches)
    smallest = [patch.id for patch in patches if patch.size == least]
    if len(smallest) > 1:
        reason = f"is needed, since several patches are the smallest: {', '.join(smallest)}"
        raise _error(source_of, "start_patch", reason)
    return smallest[0]
