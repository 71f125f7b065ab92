"""The three actions of the game, as the player on turn announces them. Whether one is legal is said in `legal.py`."""

from __future__ import annotations

import operator
from contextlib import suppress
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Advance:
    """Move the token one space beyond the other token, for a button a space (section 4); no space is chosen (4.4)."""


@dataclass(frozen=True, slots=True)
class Buy:
    """Buy the patch with id `patch` from the offer and lay it on the quilt (section 5).

    `orientation` is 0 to 3 for quarter turns clockwise, 4 to 7 for the same after a left-right flip. `cell` is where
    the top left corner of the patch's box lies: `row * quilt_size + column`, counted from 0 at the top left.
    """

    patch: str
    orientation: int
    cell: int

    def __post_init__(self) -> None:
        _make_plain(self, "orientation", "cell")


@dataclass(frozen=True, slots=True)
class PlaceLeather:
    """Lay a leather just gained on the empty `cell` of the quilt (6.5), which may be a hole of one cell (6.9)."""

    cell: int

    def __post_init__(self) -> None:
        _make_plain(self, "cell")


Action = Advance | Buy | PlaceLeather


def _make_plain(action: Buy | PlaceLeather, *names: str) -> None:
    """Turn whole numbers of other kinds, such as those of numpy, into Python's; the rules judge what is no number."""
    for name in names:
        value = getattr(action, name)
        if type(value) is not int:
            with suppress(TypeError):
                object.__setattr__(action, name, operator.index(value))
