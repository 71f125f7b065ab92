"""Positions, actions and whole games as text; for everything that is written here there is a way to read it back.

How a game is shown to people, in words and pictures, lives in `patchstats.render`.
"""

from patchstats.notation.position import format_position, parse_position
from patchstats.notation.record import GameRecord, Result, format_record, parse_record
from patchstats.notation.replay import record_of, replay_record, result_of, start_of
from patchstats.notation.tokens import format_action, format_cell, parse_action, parse_cell

__all__ = [
    "GameRecord",
    "Result",
    "format_action",
    "format_cell",
    "format_position",
    "format_record",
    "parse_action",
    "parse_cell",
    "parse_position",
    "parse_record",
    "record_of",
    "replay_record",
    "result_of",
    "start_of",
]
