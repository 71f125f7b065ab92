"""What each income mark brought, so that incomes can be drawn over the track."""

from __future__ import annotations

from patchstats.columns import Column
from patchstats.metrics.protocol import Metric, Row
from patchstats.rules import Ply, Position
from patchstats.rules.events import Income


class IncomeCurve(Metric):
    """A row for each income mark that each seat crossed: when, what it brought, and the buttons afterwards."""

    name = "income-curve"
    columns = (
        Column("seat", "int8", "seat", "0, 1", "who crossed the mark"),
        Column("mark", "int16", "space", "1 to 255", "the space of the mark"),
        Column("ply", "int16", "ply", "0 to plies - 1", "the ply that crossed it"),
        Column("income", "int32", "buttons", "from 0", "the buttons paid at it"),
        Column("buttons", "int32", "buttons", "from 0", "the seat's buttons after the ply"),
    )

    def before(self, position: Position) -> None:  # noqa: ARG002
        self.plies = 0
        self.rows: list[Row] = []

    def ply(self, ply: Ply) -> None:
        for event in ply.events:
            if isinstance(event, Income):
                self.rows.append(
                    {
                        "seat": event.seat,
                        "mark": event.mark,
                        "ply": self.plies,
                        "income": event.buttons,
                        "buttons": ply.after.players[event.seat].buttons,
                    }
                )
        self.plies += 1

    def after(self, position: Position) -> list[Row]:  # noqa: ARG002
        return self.rows
