"""Holes: empty regions of one cell, which nothing but a leather fills."""

from __future__ import annotations

from patchstats.columns import for_each_seat
from patchstats.metrics.protocol import Metric, Row
from patchstats.metrics.regions import single_cells
from patchstats.rules import Advance, Ply, Position


def holes(position: Position, seat: int) -> int:
    """Return how many empty regions of one cell are on the seat's quilt."""
    ruleset = position.ruleset
    return single_cells(ruleset.quilt & ~position.players[seat].covered, ruleset.quilt_size).bit_count()


class Holes(Metric):
    """The empty regions of one cell on each quilt: in the end, at most, and when."""

    name = "holes"
    columns = (
        *for_each_seat("holes", "int16", "regions", "from 0", "the empty regions of one cell in the end"),
        *for_each_seat("most_holes", "int16", "regions", "from 0", "the most empty regions of one cell after any ply"),
        *for_each_seat(
            "most_holes_ply",
            "int16",
            "ply",
            "-1 to plies - 1",
            "the first ply after which so many were (-1: never any)",
        ),
    )

    def before(self, position: Position) -> None:  # noqa: ARG002
        self.plies = 0
        self.holes = [0, 0]
        self.most_holes = [0, 0]
        self.most_holes_ply = [-1, -1]

    def ply(self, ply: Ply) -> None:
        number = self.plies
        self.plies += 1
        if isinstance(ply.action, Advance):
            return
        seat = ply.seat
        self.holes[seat] = holes(ply.after, seat)
        if self.holes[seat] > self.most_holes[seat]:
            self.most_holes[seat] = self.holes[seat]
            self.most_holes_ply[seat] = number

    def after(self, position: Position) -> Row:  # noqa: ARG002
        row = {}
        for seat in (0, 1):
            row[f"holes_{seat}"] = self.holes[seat]
            row[f"most_holes_{seat}"] = self.most_holes[seat]
            row[f"most_holes_ply_{seat}"] = self.most_holes_ply[seat]
        return row
