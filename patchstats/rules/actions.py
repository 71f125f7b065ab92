"""The three actions of the game, as the player on turn announces them. Whether one is legal is said in `legal.py`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Advance:
    """Move the token one space beyond the other token, for a button a space (section 4)."""


@dataclass(frozen=True, slots=True)
class Buy:
    """Buy the patch with id `patch` from the offer and lay it on the quilt (section 5).

    `orientation` is 0 to 3 for quarter turns clockwise, 4 to 7 for the same after a left-right flip. `cell` is where
    the top left corner of the patch's box lies: `row * quilt_size + column`, counted from 0 at the top left.
    """

    patch: str
    orientation: int
    cell: int


@dataclass(frozen=True, slots=True)
class PlaceLeather:
    """Lay a leather just gained on the empty `cell` of the quilt (6.5)."""

    cell: int


Action = Advance | Buy | PlaceLeather
