"""A patch as it lies on the ring. Its orientations and where it can go live in `shapes.py`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from patchstats.rules.shapes import Shape, parse_shape


@dataclass(frozen=True)
class Patch:
    """A patch of the ring: its id, its drawing, and what it costs and brings.

    `rows` draws it in orientation 0 (rows from the top separated by `/`, `1` for a cell), `cost` is in buttons, `time`
    in spaces of the track, `income` in buttons a mark.

    >>> Patch("p06", "110/011", cost=3, time=2, income=1).size
    4
    """

    id: str
    rows: str
    cost: int
    time: int
    income: int

    @cached_property
    def shape(self) -> Shape:
        """The (row, column) cells of the drawing."""
        return parse_shape(self.rows)

    @cached_property
    def size(self) -> int:
        """How many cells the patch covers."""
        return len(self.shape)
