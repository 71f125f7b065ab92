"""The pieces of the game, drawn: patches, leathers, buttons and tokens, in the colours that figures have, too.

Where they lie is decided in `quilt.py`, `track.py` and `ring.py`.
"""

from __future__ import annotations

from functools import lru_cache

from patchstats.render.figures import BUTTON, BUTTON_HOLE, INK, LEATHER, SEAM, patch_colour
from patchstats.render.outlines import Point, outlines
from patchstats.render.svg.writer import element, group, label, number, path_of
from patchstats.rules.cells import cells_in
from patchstats.rules.patch import Patch
from patchstats.rules.ruleset import Ruleset

#: Seat 0 and seat 1, in colours that people with any kind of colour vision tell apart (Okabe and Ito, 2008).
SEATS = ("#0072b2", "#d55e00")
#: Small words, darker than frames, so that they can be read.
QUIET = "#6b5d4f"
COVERED = "#cdbfa9"
THREAD = "#ecd6bb"
#: Buttons of a smaller radius, in pixels, are drawn without their holes, and leathers below twice that without a seam.
SMALL = 3.7
Channels = tuple[float, float, float]


def hexadecimal(colour: Channels) -> str:
    """Return red, green and blue from 0 to 1 as SVG writes them.

    >>> hexadecimal((1, 0.5, 0))
    '#ff8000'
    """
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)


def cloth_of(ruleset: Ruleset, patch_id: str) -> str:
    """Return the colour of a patch.

    >>> cloth_of(Ruleset.load("original"), "p01")
    '#7eae6c'
    """
    return hexadecimal(patch_colour(ruleset.number_of(patch_id)))


@lru_cache(maxsize=1024)
def shades(colour: str) -> tuple[str, str]:
    """Return a dark and a light colour beside this one, for the edge of a tile and its seam.

    >>> shades("#ff8000")
    ('#733a00', '#ffd3a6')
    """
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    dark = hexadecimal((0.45 * parts[0], 0.45 * parts[1], 0.45 * parts[2]))
    light = hexadecimal(tuple(1 - 0.35 * (1 - part) for part in parts))  # type: ignore[arg-type]
    return dark, light


def cloth(cells: int, size: int, side: float, colour: str, *, seam: bool = True) -> str:
    """Return a piece of cloth over these cells of a grid `size` cells wide, each `side` pixels, with a sewn border.

    Without the seam, for what is small, corners are sharp.

    >>> cloth(0b1, 9, 10, "#ff8000").count("<path")
    2
    """
    dark, light = shades(colour)
    lines = outlines(cells, size, inset=0.03)
    edge = path_of(lines, side, corner=0.14 if seam else 0)
    body = element(
        "path",
        d=edge,
        fill=colour,
        fill_rule="evenodd" if len(lines) > 1 else None,
        stroke=dark,
        stroke_width=0.04 * side,
        class_="edge" if seam else None,
    )
    if not seam:
        return body
    line = path_of(outlines(cells, size, inset=SEAM), side, corner=0.07)
    return body + element(
        "path", d=line, fill="none", stroke=light, stroke_width=0.03 * side, stroke_dasharray=_dashes(side)
    )


def leather(cell: int, size: int, side: float) -> str:
    """Return a leather on a cell: a brown square with two crossed threads.

    >>> leather(0, 9, 10).count("<rect"), leather(0, 9, 10).count("<path")
    (2, 1)
    """
    y, x = divmod(cell, size)
    dark, light = shades(LEATHER)

    def square(inset: float, corner: float, **attributes: object) -> str:
        at, width = inset * side, (1 - 2 * inset) * side
        return element("rect", x=at, y=at, width=width, height=width, rx=corner * side, **attributes)

    seam = square(SEAM, 0.07, fill="none", stroke=light, stroke_width=0.03 * side, stroke_dasharray=_dashes(side))
    near, span = number(0.36 * side), number(0.28 * side)
    return group(
        square(0.03, 0.14, fill=LEATHER, stroke=dark, stroke_width=0.04 * side, class_="edge"),
        seam if side > 2 * SMALL else "",
        element(
            "path",
            d=f"M{near} {near}l{span} {span}m0 -{span}l-{span} {span}",
            stroke=THREAD,
            stroke_width=0.07 * side,
            stroke_linecap="round",
        ),
        at=(x * side, y * side),
    )


def _dashes(side: float) -> str:
    return f"{0.09 * side:.1f} {0.07 * side:.1f}"


def button(at: Point, radius: float, count: int | None = None) -> str:
    """Return a button with its four holes, or with a number where it stands for several.

    >>> button((5, 5), 2, count=12).count("12</text>")
    1
    """
    disc = element("circle", r=radius, fill=BUTTON, stroke="#fff", stroke_width=0.12 * radius)
    if count is not None:
        height = radius * (1.25 if count < 10 else 1.0 if count < 100 else 0.7)
        return group(disc, label(count, (0, 0), height, fill=BUTTON_HOLE, font_weight="bold"), at=at)
    if radius < SMALL:
        return element("circle", cx=at[0], cy=at[1], r=radius, fill=BUTTON)
    step = 0.27 * radius
    spots = "".join(f"M{x * step:.2f} {y * step:.2f}h.01" for x in (-1, 1) for y in (-1, 1))
    rim = element("circle", r=0.72 * radius, fill="none", stroke="#5d87a6", stroke_width=0.1 * radius)
    holes = element("path", d=spots, stroke=BUTTON_HOLE, stroke_width=0.26 * radius, stroke_linecap="round")
    return group(disc, rim, holes, at=at)


def buttons_of(patch: Patch, cells: int, size: int, side: float) -> str:
    """Return the buttons of a patch that lies on these cells: one a cell from the last on, or one with a number.

    >>> buttons_of(Patch("a", "11", cost=0, time=1, income=2), 0b11, 9, 10).count("2</text>")
    1
    """
    middles = [((cell % size + 0.5) * side, (cell // size + 0.5) * side) for cell in cells_in(cells)]
    if 0 < patch.income < len(middles):
        return "".join(button(middle, 0.22 * side) for middle in middles[-patch.income :])
    if not patch.income:
        return ""
    x, y = middles[-1]
    return button((x, y + (0.14 * side if len(middles) == 1 else 0)), 0.24 * side, patch.income)


def lying(ruleset: Ruleset, patch_id: str, middle: Point, side: float, *, seam: bool = False) -> str:
    """Return a patch as the ruleset draws it, around a point, a cell `side` pixels wide.

    >>> lying(Ruleset.load("original"), "p01", (10, 10), 4).partition(">")[0]
    '<g transform="translate(6 8)"'
    """
    patch = ruleset[patch_id]
    rows, columns = box_of(patch)
    width = max(rows, columns)
    cells = sum(1 << (row * width + column) for row, column in patch.shape)
    drawn = cloth(cells, width, side, cloth_of(ruleset, patch_id), seam=seam) + buttons_of(patch, cells, width, side)
    return group(drawn, at=(middle[0] - columns * side / 2, middle[1] - rows * side / 2))


def box_of(patch: Patch) -> tuple[int, int]:
    """Return how many rows and columns the drawing of a patch has.

    >>> box_of(Patch("a", "110/011", cost=3, time=2, income=1))
    (2, 3)
    """
    return 1 + max(row for row, _ in patch.shape), 1 + max(column for _, column in patch.shape)


def token(seat: int, radius: float, at: Point) -> str:
    """Return the token of a seat.

    >>> token(1, 5, (3, 4)).partition(">")[0]
    '<g transform="translate(3 4)" class="token seat-1" data-seat="1"'
    """
    disc = element("circle", r=radius, fill=SEATS[seat], stroke="#fff", stroke_width=0.16 * radius)
    rim = element("circle", r=1.08 * radius, fill="none", stroke=INK, stroke_width=0.06 * radius)
    name = label(seat, (0, 0), 1.2 * radius, fill="#fff", font_weight="bold")
    return group(disc, rim, name, at=at, class_=f"token seat-{seat}", data_seat=seat)


def neutral_token(height: float, at: Point) -> str:
    """Return the neutral token: a dark pawn around a point.

    >>> neutral_token(10, (3, 4)).partition(">")[0]
    '<g transform="translate(3 4) scale(1)" class="neutral" data-scale="1"'
    """
    body = element("path", d="M-3.4 5C-3.4 2.6-1.6 2-1.3-.6L1.3-.6C1.6 2 3.4 2.6 3.4 5Z", fill=INK, stroke="#fff")
    head = element("circle", cy=-2.4, r=2.5, fill=INK, stroke="#fff")
    return group(body, head, at=at, scale=height / 10, class_="neutral", data_scale=height / 10)
