"""What a game is played with: the patches, the track, the quilt and the amounts, frozen.

What makes settings a ruleset lives in `checking.py`, where they come from in `loading.py`, how a game goes in
`play.py`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from patchstats.rules.cells import all_cells
from patchstats.rules.checking import AMOUNTS, MARKS, PATCH_AMOUNTS, checked_settings
from patchstats.rules.loading import CHANGE, changed_settings, read_settings
from patchstats.rules.patch import Patch
from patchstats.rules.shapes import Orientation, squares, ways_to_lay


@dataclass(frozen=True)
class Ruleset:
    """A complete set of rules: everything that one game of Patchwork can do otherwise than another.

    Attributes, all of them keys of a ruleset file and of `--set`: `quilt_size` (cells a side), `finish` (the last space
    of the track; the first is 0), `income_marks` and `leather_marks` (spaces), `start_buttons`, `offer_size` (patches),
    `start_patch` (the id of the patch behind the neutral token at the start), `bonus_square` (cells a side),
    `bonus_points`, `empty_cell_penalty` (points), `button_supply` (buttons in the box, both starts included),
    `patches`, and the labels `name` and `title`.

    Made by `Ruleset.load` or `Ruleset.from_dict`, which check everything and raise RulesetError.

    >>> original = Ruleset.load("original")
    >>> sum(patch.cost for patch in original.patches), original.leather_marks
    (133, (20, 26, 32, 44, 50))
    >>> original["p21"].cost
    0
    """

    name: str
    title: str
    quilt_size: int
    finish: int
    income_marks: tuple[int, ...]
    leather_marks: tuple[int, ...]
    start_buttons: int
    offer_size: int
    start_patch: str
    bonus_square: int
    bonus_points: int
    empty_cell_penalty: int
    button_supply: int
    patches: tuple[Patch, ...]

    @classmethod
    def load(cls, ruleset: str | Ruleset) -> Ruleset:
        """Return a shipped ruleset by its name, or the one in a folder or `.toml` file; a ruleset is returned as it is.

        Raises RulesetError with file, key and reason.
        """
        if isinstance(ruleset, Ruleset):
            return ruleset
        settings, source_of = read_settings(ruleset)
        return cls(**checked_settings(settings, source_of))

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any], source: str = "") -> Ruleset:
        """Check plain settings, as `to_dict` gives them, and return their ruleset.

        `source` is put in front of what an error says. Raises RulesetError with key and reason.
        """
        return cls(**checked_settings(settings, lambda _: source))

    def to_dict(self) -> dict[str, Any]:
        """Return the ruleset as plain values that JSON and TOML can hold; `from_dict` is the way back.

        >>> original = Ruleset.load("original")
        >>> Ruleset.from_dict(original.to_dict()) == original
        True
        """
        settings = {key: getattr(self, key) for key in ("name", "title", "start_patch", *AMOUNTS)}
        settings |= {key: list(getattr(self, key)) for key in MARKS}
        settings["patches"] = {
            patch.id: {key: getattr(patch, key) for key in ("rows", *PATCH_AMOUNTS)} for patch in self.patches
        }
        return settings

    def with_changes(self, changes: Mapping[str, Any]) -> Ruleset:
        """Return the ruleset with some keys changed: `{"start_buttons": 6, "patches.p21.cost": 1}`.

        The name gets a `*` at its end, unless it is changed too. Raises RulesetError for a key that does not exist and
        for a value that makes no ruleset.

        >>> Ruleset.load("original").with_changes({"patches.p21.cost": 1})["p21"].cost
        1
        """
        settings = changed_settings(self.to_dict(), changes)
        return Ruleset.from_dict(settings, source=CHANGE)

    @cached_property
    def ruleset_id(self) -> str:
        """16 hexadecimal digits that two rulesets share if and only if the same games can be played with both.

        A hash over everything that can change play: not over names, titles, patch ids and the supply of buttons.
        """
        play = self.to_dict()
        for label in ("name", "title", "button_supply", "start_patch"):
            del play[label]
        play["patches"] = [list(values.values()) for values in play["patches"].values()]
        play["start_patch"] = self.number_of(self.start_patch)
        text = json.dumps(play, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]

    @cached_property
    def _by_id(self) -> dict[str, Patch]:
        return {patch.id: patch for patch in self.patches}

    def __getitem__(self, patch_id: str) -> Patch:
        return self._by_id[patch_id]

    def __contains__(self, patch_id: object) -> bool:
        return patch_id in self._by_id

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {patch.id: number for number, patch in enumerate(self.patches, start=1)}

    def number_of(self, patch_id: str) -> int:
        """Return the row of the patch in the ruleset's table, counted from 1: its number in the files of a run.

        >>> Ruleset.load("original").number_of("p21")
        21
        """
        return self._numbers[patch_id]

    @cached_property
    def ways_to_lay(self) -> dict[str, tuple[Orientation, ...]]:
        """For each patch id the eight ways to lay it, equal ones under their lowest number (5.8)."""
        return {patch.id: ways_to_lay(patch.shape, self.quilt_size) for patch in self.patches}

    @cached_property
    def distinct_ways_to_lay(self) -> dict[str, tuple[Orientation, ...]]:
        """For each patch id the ways to lay it that cover different cells, by rising number (5.8)."""
        return {patch_id: tuple(dict.fromkeys(ways)) for patch_id, ways in self.ways_to_lay.items()}

    @cached_property
    def quilt(self) -> int:
        """The set of all cells of a quilt."""
        return all_cells(self.quilt_size)

    @cached_property
    def bonus_squares(self) -> tuple[int, ...]:
        """The square blocks of which the first one covered wins the bonus (7.1), as sets of cells."""
        return squares(self.bonus_square, self.quilt_size)

    def __hash__(self) -> int:
        return hash(self.ruleset_id)
