"""Turns in a row."""

from __future__ import annotations

from patchstats.columns import for_each_seat
from patchstats.metrics.protocol import Metric, Row
from patchstats.rules import PlaceLeather, Ply, Position

LONGEST_STREAK = for_each_seat("longest_streak", "int16", "turns", "from 1", "the most turns in a row")


class Streaks(Metric):
    """How often each seat had several turns in a row, and the most that it had."""

    name = "streaks"
    columns = (
        *for_each_seat("streaks", "int16", "streaks", "from 0", "how often two turns or more came in a row"),
        *LONGEST_STREAK,
        *for_each_seat(
            "longest_streak_ply", "int16", "ply", "0 to plies - 1", "the ply with which the first longest streak began"
        ),
    )

    def before(self, position: Position) -> None:  # noqa: ARG002
        self.plies = 0
        self.streaks = [0, 0]
        self.longest_streak = [0, 0]
        self.longest_streak_ply = [0, 0]
        self._seat: int | None = None
        self._turns = 0
        self._first = 0

    def ply(self, ply: Ply) -> None:
        number = self.plies
        self.plies += 1
        if isinstance(ply.action, PlaceLeather):
            return  # part of the turn before
        seat = ply.seat
        if seat != self._seat:
            self._seat, self._turns, self._first = seat, 0, number
        self._turns += 1
        self.streaks[seat] += self._turns == 2
        if self._turns > self.longest_streak[seat]:
            self.longest_streak[seat] = self._turns
            self.longest_streak_ply[seat] = self._first

    def after(self, position: Position) -> Row:  # noqa: ARG002
        row = {}
        for seat in (0, 1):
            row[f"streaks_{seat}"] = self.streaks[seat]
            row[f"longest_streak_{seat}"] = self.longest_streak[seat]
            row[f"longest_streak_ply_{seat}"] = self.longest_streak_ply[seat]
        return row
