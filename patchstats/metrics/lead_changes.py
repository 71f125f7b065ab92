"""Who leads, turn by turn."""

from __future__ import annotations

from patchstats.columns import Column, for_each_seat
from patchstats.metrics.protocol import Metric, Row
from patchstats.rules import Ply, Position

LEAD_CHANGES = Column(
    "lead_changes",
    "int16",
    "changes",
    "from 0",
    "how often the sign of the score difference changed from one turn's end to another's, zeros skipped",
)


class LeadChanges(Metric):
    """How often the lead changed, when it was last taken, and how large it was."""

    name = "lead-changes"
    columns = (
        LEAD_CHANGES,
        Column(
            "lead_taken_ply",
            "int16",
            "ply",
            "-1 to plies - 1",
            "the ply after which the lead was last taken, from the other seat or as the first; -1: nobody ever led",
        ),
        *for_each_seat("largest_lead", "int32", "points", "from 0", "the largest lead at a turn's end"),
    )

    def before(self, position: Position) -> None:  # noqa: ARG002
        self.plies = 0
        self.lead_changes = 0
        self.lead_taken_ply = -1
        self.largest_lead = [0, 0]
        self._leader: int | None = None

    def ply(self, ply: Ply) -> None:
        number = self.plies
        self.plies += 1
        if ply.after.waiting:
            return  # the turn is not over before its leathers are placed
        difference = ply.after.score(0) - ply.after.score(1)
        if difference == 0:
            return
        leader = 0 if difference > 0 else 1
        self.largest_lead[leader] = max(self.largest_lead[leader], abs(difference))
        if leader != self._leader:
            self.lead_changes += self._leader is not None
            self.lead_taken_ply = number
            self._leader = leader

    def after(self, position: Position) -> Row:  # noqa: ARG002
        return {
            "lead_changes": self.lead_changes,
            "lead_taken_ply": self.lead_taken_ply,
            "largest_lead_0": self.largest_lead[0],
            "largest_lead_1": self.largest_lead[1],
        }
