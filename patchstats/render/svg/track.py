"""The time board as a picture: the track, wound inwards to the finish, with its marks, leathers and both tokens."""

from __future__ import annotations

from collections.abc import Mapping

from patchstats.render.figures import CLOTH, FRAME
from patchstats.render.outlines import Point
from patchstats.render.svg.pieces import QUIET, button, leather, token
from patchstats.render.svg.writer import element, group, number, picture
from patchstats.render.text import track_text
from patchstats.rules.position import Position
from patchstats.rules.ruleset import Ruleset

#: In pixels: the width of any track, and the largest side of a space.
WIDTH, LARGEST = 360, 72
GROUND, START, FINISH, THREAD = "#efe6d6", "#dce9dd", "#f4d6a4", "#c9b99f"


def track_svg(position: Position) -> str:
    """Return the time board of a position as SVG; it is in it as text, too, as `track_text` draws it.

    Buttons are income marks and brown squares leathers that still lie there; an empty place is left of a taken one.

    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> track_svg(start).count('class="leather"')
    5
    """
    title = "Time board: " + ", ".join(
        f"seat {seat} on space {player.space}" for seat, player in enumerate(position.players)
    )
    return picture((WIDTH, height(position.ruleset)), title, track_text(position), drawn(position))


def drawn(position: Position, until: Mapping[int, int] | None = None) -> str:
    """Return the time board as elements, its top left corner at (0, 0).

    `until` says for each leather mark the number of plies after which its leather is gone; it stands in the attribute
    `data-until`, and then all leathers are drawn, with the class `hidden` where they are gone.
    """
    ruleset = position.ruleset
    side = side_of(ruleset)
    middles = middles_of(ruleset)
    thread = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in middles)
    parts = [element("path", d=thread, fill="none", stroke=THREAD, stroke_width=0.42 * side)]
    parts += _spaces(ruleset, middles, side)
    for mark in ruleset.leather_marks:
        lies = mark in position.leather_marks
        if lies or until is not None:
            marks = "leather" if lies else "leather hidden"
            at = (middles[mark][0] - 0.43 * side, middles[mark][1] + 0.11 * side)
            last = None if until is None else until.get(mark)
            parts.append(group(leather(0, 1, 0.32 * side), at=at, class_=marks, data_until=last))
    return "".join([*parts, *_tokens(position, middles, side)])


def height(ruleset: Ruleset) -> float:
    """Return how many pixels high the time board is.

    >>> height(Ruleset.load("original"))
    240.0
    """
    return _shape(ruleset.finish + 1)[1] * side_of(ruleset)


def side_of(ruleset: Ruleset) -> float:
    """Return the side of a space in pixels.

    >>> side_of(Ruleset.load("original"))
    40.0
    """
    return min(WIDTH / _shape(ruleset.finish + 1)[0], LARGEST)


def middles_of(ruleset: Ruleset) -> list[Point]:
    """Return the middle of each space, from the start at the top left, clockwise and inwards.

    >>> middles_of(Ruleset.load("original"))[:2]
    [(20.0, 20.0), (60.0, 20.0)]
    """
    columns, rows = _shape(ruleset.finish + 1)
    side = side_of(ruleset)
    left = (WIDTH - columns * side) / 2
    places: list[Point] = []
    low_x, low_y, high_x, high_y = 0, 0, columns - 1, rows - 1
    while len(places) < ruleset.finish + 1:
        ways = [
            [(x, low_y) for x in range(low_x, high_x + 1)],
            [(high_x, y) for y in range(low_y + 1, high_y + 1)],
            [(x, high_y) for x in range(high_x - 1, low_x - 1, -1)] if high_y > low_y else [],
            [(low_x, y) for y in range(high_y - 1, low_y, -1)] if high_x > low_x else [],
        ]
        places += [place for way in ways for place in way]
        low_x, low_y, high_x, high_y = low_x + 1, low_y + 1, high_x - 1, high_y - 1
    return [(left + (x + 0.5) * side, (y + 0.5) * side) for x, y in places[: ruleset.finish + 1]]


def stacked(position: Position, seat: int, side: float) -> Point:
    """Return how far a token lies from the middle of its space: on a shared one, both are seen, and which is on top.

    >>> stacked(Position.start(Ruleset.load("original"), [f"p{n:02}" for n in range(1, 34)]), seat=0, side=40)
    (4.4, -0.8)
    """
    if position.players[0].space != position.players[1].space:
        return 0, -0.06 * side
    return (0.11 * side, -0.02 * side) if position.top == seat else (-0.11 * side, -0.12 * side)


def _shape(spaces: int) -> tuple[int, int]:
    """How many columns and rows hold so many spaces: few places are left over, and it is wider than high."""
    shapes = [(-(-spaces // rows), rows) for rows in range(1, 17)]
    good = [(columns, rows) for columns, rows in shapes if rows <= columns <= 2 * rows] or shapes[:1]
    return min(good, key=lambda shape: (shape[0] * shape[1] - spaces, abs(shape[0] / shape[1] - 1.5)))


def _spaces(ruleset: Ruleset, middles: list[Point], side: float) -> list[str]:
    """All spaces, their numbers, and what is printed on them; what they share stands in a group around them."""
    gap = 0.055 * side
    width = side - 2 * gap
    colours = {0: START, ruleset.finish: FINISH}
    spaces = [
        element(
            "rect",
            x=x - width / 2,
            y=y - width / 2,
            width=width,
            height=width,
            rx=0.14 * side,
            fill=colours.get(space, CLOTH if space % 2 else GROUND),
            class_="place",
        )
        for space, (x, y) in enumerate(middles)
    ]
    names = [
        element("text", str(space), x=x - 0.38 * side, y=y - 0.2 * side, class_="space")
        for space, (x, y) in enumerate(middles)
    ]
    empty = {"width": 0.3 * side, "height": 0.3 * side, "rx": 0.05 * side}
    left = [
        element("rect", x=x - 0.42 * side, y=y + 0.12 * side, **empty)
        for x, y in map(middles.__getitem__, ruleset.leather_marks)
    ]
    dashes = f"{0.06 * side:.1f} {0.05 * side:.1f}"
    return [
        element("g", *spaces, stroke=FRAME, stroke_width=0.02 * side),
        element("g", *names, font_size=max(0.25 * side, 6), fill=QUIET),
        element("g", *left, fill="none", stroke=FRAME, stroke_width=0.03 * side, stroke_dasharray=dashes),
        *(
            button((x + 0.27 * side, y + 0.27 * side), 0.16 * side)
            for x, y in map(middles.__getitem__, ruleset.income_marks)
        ),
    ]


def _tokens(position: Position, middles: list[Point], side: float) -> list[str]:
    """The two tokens, the upper one last."""
    drawn_tokens = []
    for seat in (1 - position.top, position.top):
        x, y = middles[position.players[seat].space]
        right, down = stacked(position, seat, side)
        drawn_tokens.append(token(seat, 0.27 * side, (x + right, y + down)))
    return drawn_tokens
