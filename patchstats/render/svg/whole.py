"""A whole position as one picture: both quilts, the time board and the ring, put together from rooms of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from patchstats.notation.record import GameRecord
from patchstats.notation.replay import replay_record, start_of
from patchstats.render.figures import INK
from patchstats.render.outlines import Point
from patchstats.render.story import ply_text
from patchstats.render.svg import quilt, ring, track
from patchstats.render.svg.pieces import QUIET, SEATS
from patchstats.render.svg.quilt import Quilt
from patchstats.render.svg.ring import Ring
from patchstats.render.svg.writer import element, group, label, picture
from patchstats.render.text import position_text, quilt_text, turn_text
from patchstats.rules.actions import Buy
from patchstats.rules.events import LeatherPlaced, Placed
from patchstats.rules.ply import Ply
from patchstats.rules.position import Position

#: In pixels.
WIDTH, EDGE, GAP = 780, 16, 28
QUILT_TOP, BOARD_TOP = 104, 452
LONGEST_LINE = 112


def position_svg(position: Position) -> str:
    """Return a position as SVG: whose turn it is, both quilts, the time board, and the ring with the offer.

    A position knows which cells are covered and not by which patch, so its quilts are drawn in one colour; `game_svg`
    draws a game with all its patches. The text of the position, as `position_text` writes it, is in the picture.

    >>> from patchstats.rules import Ruleset
    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> svg = position_svg(start)
    >>> svg.partition("</title>")[0].rpartition("<title>")[2]
    'Ruleset original. Seat 0 is on turn: its token lies on top.'
    """
    quilts = Quilt.in_position(position, 0), Quilt.in_position(position, 1)
    return _whole(position, quilts, Ring.of(position), f"Ruleset {position.ruleset.name}", position_text(position))


def game_svg(record: GameRecord, plies: int | None = None) -> str:
    """Return a game as SVG as it stands after so many plies, or at its end: with every patch in its colour.

    0 is the position before the first ply. The tile placed last is pointed out, patches keep their places on the ring,
    and what is to be seen is in the picture as text. Raises RecordError for a game that cannot be played, and
    ValueError for a number of plies that it does not have.

    >>> from patchstats.notation import record_of
    >>> from patchstats.rules import Buy, Ruleset
    >>> ring = [f"p{number:02}" for number in range(1, 34)]
    >>> game = record_of(Ruleset.load("original"), ring, [Buy("p02", 1, 0)])
    >>> game_svg(game).count('class="tile fresh"'), game_svg(game, plies=0).count('class="tile')
    (1, 0)
    """
    played = replay_record(record)
    count = len(played) if plies is None else plies
    if not 0 <= count <= len(played):
        raise ValueError(f"the game has {len(played)} plies, so there is nothing to see after {count}")
    start = start_of(record)
    position = played[count - 1].after if count else start
    shown = played[:count]
    quilts = quilts_after(record, shown)
    bought = [ply.action.patch for ply in shown if isinstance(ply.action, Buy)]
    agents = "" if record.agents is None else f"\nseat 0: {record.agents[0]}; seat 1: {record.agents[1]}"
    told = f"ply {count - 1}: {ply_text(shown[-1])}" if shown else "before the first ply"
    text = "\n\n".join(
        [
            f"{told}{agents}",
            position_text(position),
            *(f"quilt of seat {seat}\n\n{quilt_text(record.ruleset, quilts[seat].tiles)}" for seat in (0, 1)),
        ]
    )
    places = Ring.of(position, start.ring, bought[-1] if bought else None)
    title = f"Ruleset {record.ruleset.name}, {f'after ply {count - 1}' if shown else 'before the first ply'}"
    return _whole(position, quilts, places, title, text, told, record.agents)


def quilts_after(record: GameRecord, plies: Sequence[Ply]) -> tuple[Quilt, Quilt]:
    """Return both quilts after these plies, the first ones of a game; what the last of them placed is pointed out."""
    events = [event for ply in plies for event in ply.events]
    quilts = [Quilt.after(record.ruleset, events, seat) for seat in (0, 1)]
    for event in plies[-1].events if plies else ():
        match event:
            case Placed(seat=seat, cells=cells):
                quilts[seat] = replace(quilts[seat], fresh=cells)
            case LeatherPlaced(seat=seat, cell=cell):
                quilts[seat] = replace(quilts[seat], fresh=1 << cell)
    return quilts[0], quilts[1]


def _whole(
    position: Position,
    quilts: tuple[Quilt, Quilt],
    places: Ring,
    title: str,
    text: str,
    told: str = "",
    agents: tuple[str, str] | None = None,
) -> str:
    bottom = BOARD_TOP + max(track.height(position.ruleset), ring.WIDTH) + EDGE
    right = WIDTH - EDGE - ring.WIDTH
    head = turn_text(position)
    parts = [
        label(f"{title}. {head}" if not told else head, (EDGE, 24), 16, fill=INK, anchor="start", font_weight="bold"),
    ]
    if told:
        parts.append(label(shortened(told, LONGEST_LINE), (EDGE, 46), 13, fill=QUIET, anchor="start"))
    for seat, left in ((0, EDGE), (1, right)):
        parts += [
            *_seat(position, seat, (left, 76), None if agents is None else agents[seat]),
            group(quilt.drawn(quilts[seat]), at=(left + quilt.MARGIN + 26, QUILT_TOP + quilt.MARGIN)),
        ]
    down = max(ring.WIDTH - track.height(position.ruleset), 0) / 2
    parts += [
        group(track.drawn(position), at=(EDGE, BOARD_TOP + down)),
        group(ring.drawn(places), at=(right, BOARD_TOP)),
    ]
    return picture((WIDTH, bottom), f"{title}. {head}", text, *parts)


def _seat(position: Position, seat: int, at: Point, agent: str | None) -> list[str]:
    """The line above a quilt: the token, and what the seat has; and the agent above it."""
    player = position.players[seat]
    x, y = at
    bonus = ", bonus" if position.bonus_owner == seat else ""
    has = f"score {position.score(seat)}: {player.buttons} buttons, {position.empty_cells(seat)} empty{bonus}"
    income = f"income {player.income}"
    name = f"seat {seat}" if agent is None else f"seat {seat}: {shortened(agent, 34)}"
    turn = position.seat_on_turn == seat
    disc = element("circle", cx=x + 12, cy=y + 6, r=12, fill=SEATS[seat])
    return [
        *(
            [element("circle", cx=x + 12, cy=y + 6, r=15, fill="none", stroke=SEATS[seat], stroke_width=2)]
            if turn
            else []
        ),
        disc,
        label(seat, (x + 12, y + 6), 14, fill="#fff", font_weight="bold"),
        label(name, (x + 34, y - 2), 13, fill=INK, anchor="start", font_weight="bold"),
        label(f"{has}, {income}", (x + 34, y + 15), 13, fill=INK, anchor="start"),
    ]


def shortened(text: str, longest: int) -> str:
    """Return a text, or as much of it as there is room for.

    >>> shortened("greedy", 8), shortened("random-patch", 8)
    ('greedy', 'random-…')
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
