"""A whole game told in plain text: a line for each ply, the scores and the quilts.

How a quilt and a single position are drawn lives in `text.py`. What is printed is for people and may change; what
programs read back is written by `patchstats.notation`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from patchstats.notation.record import GameRecord
from patchstats.notation.replay import replay_record, start_of
from patchstats.notation.tokens import format_cell
from patchstats.render.layout import table
from patchstats.render.text import quilt_text, turn_text
from patchstats.render.tiles import quilt_tiles
from patchstats.rules.actions import Action, Advance, Buy, PlaceLeather
from patchstats.rules.events import (
    BonusWon,
    Earned,
    Event,
    Finished,
    Income,
    LeatherPlaced,
    LeatherSetAside,
    LeatherTaken,
    Moved,
    Paid,
    Placed,
)
from patchstats.rules.ply import Ply
from patchstats.rules.position import Position

QUARTER_TURNS = ("", "a quarter turn", "a half turn", "three quarter turns")
WIDTH = 100


def game_text(record: GameRecord) -> str:
    """Tell a game: what it was played with, each ply with what came of it, the scores and both quilts.

    The numbers in front of a ply are what its seat has afterwards. Raises RecordError for a game that cannot be played.

    >>> from patchstats.notation import record_of
    >>> from patchstats.rules import Ruleset
    >>> ring = [f"p{number:02}" for number in range(1, 34)]
    >>> game = record_of(Ruleset.load("original"), ring, [Buy("p02", 1, 0), Advance(), Advance()])
    >>> print("\\n".join(game_text(game).splitlines()[4:8]))
    ply  seat  space  buttons  income
      0     0      3        4       0  buys p02 and lays it at a1, after a quarter turn: pays 1, moves from 0 to 3
      1     1      4        9       0  advances: moves from 0 to 4, earns 4
      2     0      5        6       0  advances: moves from 3 to 5, earns 2, gets an income of 0 at 5
    """
    plies = replay_record(record)
    final = plies[-1].after if plies else start_of(record)
    events = [event for ply in plies for event in ply.events]
    quilts = [f"quilt of seat {seat}\n\n{quilt_text(record.ruleset, quilt_tiles(events, seat))}" for seat in (0, 1)]
    return "\n\n".join([_heading(record), _plies(plies), _scores(final), *quilts])


def action_words(action: Action, quilt_size: int) -> str:
    """Say an action as a sentence about the seat that takes it.

    >>> action_words(Buy("p21", orientation=7, cell=40), quilt_size=9)
    'buys p21 and lays it at e5, flipped, after three quarter turns'
    """
    match action:
        case Advance():
            return "advances"
        case PlaceLeather(cell):
            return f"lays a leather on {format_cell(cell, quilt_size)}"
        case Buy(patch, orientation, cell):
            flips, turns = divmod(orientation, 4)
            how = (", flipped" if flips else "") + (f", after {QUARTER_TURNS[turns]}" if turns else "")
            return f"buys {patch} and lays it at {format_cell(cell, quilt_size)}{how}"


def event_words(event: Event) -> str:
    """Say what happened as a sentence about the seat it happened to.

    >>> event_words(Income(seat=0, mark=11, buttons=4))
    'gets an income of 4 at 11'
    """
    match event:
        case Paid(buttons=buttons):
            return f"pays {buttons}"
        case Placed(patch=patch):
            return f"lays {patch}"
        case LeatherPlaced():
            return "lays a leather"
        case BonusWon():
            return "wins the bonus"
        case Moved(start=start, end=end):
            return f"moves from {start} to {end}"
        case Earned(buttons=buttons):
            return f"earns {buttons}"
        case Income(mark=mark, buttons=buttons):
            return f"gets an income of {buttons} at {mark}"
        case LeatherTaken(mark=mark):
            return f"takes the leather at {mark}"
        case LeatherSetAside():
            return "sets a leather aside, as the quilt is full"
        case Finished():
            return "finishes"


def _heading(record: GameRecord) -> str:
    lines = [f"A game of Patchwork by the ruleset {record.ruleset.name} ({record.ruleset.ruleset_id})"]
    if record.agents is not None:
        lines.append(f"seat 0: {record.agents[0]}; seat 1: {record.agents[1]}")
    lines += textwrap.wrap(f"ring: {' '.join(record.ring)}", WIDTH, break_on_hyphens=False)
    return "\n".join(lines)


def _plies(plies: Sequence[Ply]) -> str:
    """A table of what the seat has after each ply, and behind each row what was done and what came of it."""
    rows = []
    for number, ply in enumerate(plies):
        player = ply.after.players[ply.seat]
        rows.append((f"{number:>3}", ply.seat, player.space, player.buttons, player.income))
    head, *lines = table(["ply", "seat", "space", "buttons", "income"], rows)
    told = [f"{line}  {ply_text(ply)}" for line, ply in zip(lines, plies, strict=True)]
    return "\n".join([head, *told])


def ply_text(ply: Ply) -> str:
    """Say what was done in a ply and what came of it, as a sentence about its seat.

    >>> from patchstats.rules import Ruleset
    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> ply_text(Ply.played(start, Advance()))
    'advances: moves from 0 to 1, earns 1'
    """
    # That a tile was laid has been said with the action.
    events = [event_words(event) for event in ply.events if not isinstance(event, Placed | LeatherPlaced)]
    action = action_words(ply.action, ply.before.ruleset.quilt_size)
    return f"{action}: {', '.join(events)}" if events else action


def _scores(position: Position) -> str:
    """How the scores come about, and who has won."""
    ruleset = position.ruleset
    rows = []
    for seat, player in enumerate(position.players):
        bonus = ruleset.bonus_points if position.bonus_owner == seat else 0
        empty = position.empty_cells(seat)
        penalty = -ruleset.empty_cell_penalty * empty
        rows.append((f"seat {seat}", player.buttons, bonus, empty, penalty, position.score(seat)))
    lines = table(["", "buttons", "bonus", "empty cells", "penalty", "score"], rows)
    unfinished = "" if position.finished else "The game is not over; the scores are those of the moment. "
    return "\n".join([f"{unfinished}{turn_text(position)}", "", *lines])
