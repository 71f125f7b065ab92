"""Quilts as matplotlib pictures: each patch in a colour of its own, sewn along its border, with the buttons it brings.

matplotlib is loaded when the first picture is drawn, not before. Quilts in plain text live in `text.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from patchstats.notation.record import GameRecord
from patchstats.notation.replay import replay_record, start_of
from patchstats.render.outlines import outlines
from patchstats.render.tiles import PlacedTile, bonus_square, quilt_tiles
from patchstats.rules.cells import cells_in
from patchstats.rules.position import Position
from patchstats.rules.ruleset import Ruleset

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path

Colour = tuple[float, float, float] | str

GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))
CHROMA = 0.105
INK = "#3f362e"
CLOTH, GRID, FRAME = "#f6f1e7", "#e3dac9", "#8a7866"
LEATHER = "#a87b52"
BUTTON, BUTTON_HOLE = "#2c5878", "#f3f7fa"
BONUS = "#d19a1c"
#: In cells: how far inside the border the seam runs, how far a corner is rounded, and the size of a label.
SEAM, CORNER, LABEL = 0.12, 0.14, 0.26


def patch_colour(number: int) -> tuple[float, float, float]:
    """Return the colour of the patch with this number in its ruleset, as red, green and blue from 0 to 1.

    So a patch has the same colour in every picture, and patches with near numbers have colours far apart.

    >>> all(0 <= part <= 1 for number in range(1, 256) for part in patch_colour(number))
    True
    """
    hue = number * GOLDEN_ANGLE  # these steps never come back to where they were
    lightness = (0.79, 0.70, 0.87)[number % 3]
    return oklab_colour(lightness, CHROMA * math.cos(hue), CHROMA * math.sin(hue))


def oklab_colour(lightness: float, a: float, b: float) -> tuple[float, float, float]:
    """Return a colour of the Oklab space, where equal steps look equal, as red, green and blue from 0 to 1.

    Source: Björn Ottosson, "A perceptual color space for image processing" (2020). What no screen can show is clipped.

    >>> [round(part, 2) for part in oklab_colour(1.0, 0.0, 0.0)]
    [1.0, 1.0, 1.0]
    """
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    red = 4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short
    green = -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short
    blue = -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short
    return _for_screen(red), _for_screen(green), _for_screen(blue)


def _for_screen(light: float) -> float:
    """The sRGB transfer function: from an amount of light to the value that makes a screen give it."""
    shown = 12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055
    return min(max(shown, 0.0), 1.0)


def draw_quilt(
    axes: Axes,
    ruleset: Ruleset,
    tiles: Sequence[PlacedTile],
    *,
    bonus: int | None = None,
    labels: bool = True,
) -> None:
    """Draw a quilt on matplotlib axes: patches with the buttons of their income, leathers, empty cells.

    `tiles` come from `quilt_tiles`; `bonus` is the set of cells of the square that won the bonus, from `bonus_square`,
    and gets a frame. With `labels` each patch bears its id. A unit of the axes is a cell, the origin the top left.

    >>> from matplotlib.figure import Figure
    >>> axes = Figure().subplots()
    >>> draw_quilt(axes, Ruleset.load("original"), [PlacedTile("p01", cells=0b11)])
    >>> [text.get_text() for text in axes.get_xticklabels()]
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
    """
    _draw_cloth(axes, ruleset.quilt_size)
    for tile in tiles:
        if tile.patch is None:
            _draw_tile(axes, tile.cells, ruleset.quilt_size, LEATHER)
            _draw_cross_stitch(axes, tile.cells, ruleset.quilt_size)
        else:
            _draw_tile(axes, tile.cells, ruleset.quilt_size, patch_colour(ruleset.number_of(tile.patch)))
            _draw_buttons_and_label(axes, tile, ruleset, labels=labels)
    if bonus is not None:
        _draw_bonus(axes, bonus, ruleset.quilt_size)


def quilt_figure(record: GameRecord, seat: int | None = None) -> Figure:
    """Return a matplotlib figure of the quilt of one seat of a game, or of both, with how the score comes about.

    The game may be unfinished. Raises RecordError for a record that cannot be played. Save the figure with
    `figure.savefig("quilt.png")`; a notebook shows it when it is the value of a cell.

    >>> from patchstats.notation import record_of
    >>> ring = [f"p{number:02}" for number in range(1, 34)]
    >>> figure = quilt_figure(record_of(Ruleset.load("original"), ring, actions=[]), seat=0)
    >>> figure.axes[0].get_title(loc="left").splitlines()
    ['seat 0: -157 points so far', '5 buttons, 81 empty cells']
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from patchstats.render.shown import ShownFigure

    plies = replay_record(record)
    final = plies[-1].after if plies else start_of(record)
    events = [event for ply in plies for event in ply.events]
    seats = (0, 1) if seat is None else (seat,)
    layout = ConstrainedLayoutEngine(compress=True, w_pad=0.12, h_pad=0.12)
    figure = ShownFigure(figsize=(5.2 * len(seats), 5.6), layout=layout, facecolor="white")
    for axes, shown in zip(figure.subplots(1, len(seats), squeeze=False)[0], seats, strict=True):
        tiles = quilt_tiles(events, shown)
        draw_quilt(axes, record.ruleset, tiles, bonus=bonus_square(record.ruleset, events, shown))
        agent = "" if record.agents is None else f" ({record.agents[shown]})"
        heading, reckoning = _title(final, shown)
        axes.set_title(f"seat {shown}{agent}: {heading}\n{reckoning}", loc="left", y=1, pad=20, fontsize=10, color=INK)
    return figure


def _title(position: Position, seat: int) -> tuple[str, str]:
    outcome = " so far" if not position.finished else ", wins" if position.winner == seat else ""
    bonus = f" and {position.ruleset.bonus_points} for the bonus" if position.bonus_owner == seat else ""
    buttons = f"{position.players[seat].buttons} buttons{bonus}"
    return f"{position.score(seat)} points{outcome}", f"{buttons}, {position.empty_cells(seat)} empty cells"


def _draw_cloth(axes: Axes, size: int) -> None:
    """The empty quilt: cloth with a thin grid, letters above, numbers at the left, as cells are named in a record."""
    from matplotlib.patches import Rectangle

    axes.set_xlim(-0.06, size + 0.06)
    axes.set_ylim(size + 0.06, -0.06)
    axes.set_aspect("equal")
    axes.add_patch(Rectangle((0, 0), size, size, facecolor=CLOTH, edgecolor="none", zorder=0))
    inner = range(1, size)
    axes.hlines(inner, 0, size, colors=GRID, linewidths=0.7, zorder=1)
    axes.vlines(inner, 0, size, colors=GRID, linewidths=0.7, zorder=1)
    axes.add_patch(Rectangle((0, 0), size, size, facecolor="none", edgecolor=FRAME, linewidth=1.2, zorder=1))
    middles = [cell + 0.5 for cell in range(size)]
    axes.set_xticks(middles, [chr(ord("a") + column) for column in range(size)])
    axes.set_yticks(middles, [str(row + 1) for row in range(size)])
    axes.tick_params(length=0, labelsize=8, labelcolor=FRAME, labeltop=True, labelbottom=False, pad=2)
    axes.spines[:].set_visible(False)


def _draw_tile(axes: Axes, cells: int, size: int, colour: Colour) -> None:
    """A piece of cloth on the quilt, with a seam of stitches inside its border."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import PathPatch

    dark = tuple(0.45 * part for part in to_rgb(colour))
    light = tuple(1 - 0.35 * (1 - part) for part in to_rgb(colour))
    border = _rounded(outlines(cells, size, inset=0.025), CORNER)
    seam = _rounded(outlines(cells, size, inset=SEAM), CORNER / 2)
    axes.add_patch(PathPatch(border, facecolor=colour, edgecolor=dark, linewidth=1.1, joinstyle="round", zorder=2))
    stitches = PathPatch(seam, facecolor="none", edgecolor=light, linewidth=0.9, linestyle=(0, (2.6, 2.0)), zorder=3)
    axes.add_patch(stitches)


def _draw_cross_stitch(axes: Axes, cells: int, size: int) -> None:
    """The mark of a leather: two crossed threads on each of its cells."""
    for cell in cells_in(cells):
        y, x = divmod(cell, size)
        near, far = 0.36, 0.64
        for ends in ((near, far), (far, near)):
            axes.plot(
                [x + near, x + far],
                [y + ends[0], y + ends[1]],
                color="#ecd6bb",
                linewidth=1.6,
                solid_capstyle="round",
                zorder=4,
            )


def _draw_buttons_and_label(axes: Axes, tile: PlacedTile, ruleset: Ruleset, *, labels: bool) -> None:
    """Buttons from the patch's last cell backwards, its id on the first; when they are too many, one with a number."""
    assert tile.patch is not None
    income = ruleset[tile.patch].income
    middles = [(cell % ruleset.quilt_size + 0.5, cell // ruleset.quilt_size + 0.5) for cell in cells_in(tile.cells)]
    alone = len(middles) == 1
    if labels:
        x, y = middles[0]
        _draw_word(axes, tile.patch, x, y - (0.17 if alone and income else 0), LABEL, INK)
    if 0 < income < len(middles):
        for x, y in middles[-income:]:
            _draw_button(axes, x, y, 0.2)
    elif income:
        x, y = middles[-1]
        y += 0.14 if alone else 0
        _draw_button(axes, x, y, 0.2, count=income)


def _draw_button(axes: Axes, x: float, y: float, radius: float, count: int | None = None) -> None:
    from matplotlib.patches import Circle

    axes.add_patch(Circle((x, y), radius, facecolor=BUTTON, edgecolor="white", linewidth=0.8, zorder=5))
    if count is not None:
        _draw_word(axes, str(count), x, y, 1.1 * radius, BUTTON_HOLE)
        return
    axes.add_patch(Circle((x, y), 0.72 * radius, facecolor="none", edgecolor="#5d87a6", linewidth=0.6, zorder=6))
    for across, down in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        hole = (x + 0.25 * radius * across, y + 0.25 * radius * down)
        axes.add_patch(Circle(hole, 0.13 * radius, facecolor=BUTTON_HOLE, edgecolor="none", zorder=6))


def _draw_word(axes: Axes, word: str, x: float, y: float, height: float, colour: str) -> None:
    """A word around a point, as a shape, so that it grows with the cells; never wider than a cell has room for."""
    from matplotlib.patches import PathPatch
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Affine2D

    letters = TextPath((0, 0), word, size=1)
    box = letters.get_extents()
    scale = min(height, (1 - 2 * SEAM - 0.1) / max(box.width, 0.1))
    shift = Affine2D().translate(-(box.x0 + box.x1) / 2, -(box.y0 + box.y1) / 2).scale(scale, -scale).translate(x, y)
    shape = PathPatch(shift.transform_path(letters), facecolor=colour, edgecolor="none", zorder=7)
    axes.add_patch(shape)


def _draw_bonus(axes: Axes, square: int, size: int) -> None:
    from matplotlib.patches import PathPatch

    frame = _rounded(outlines(square, size), CORNER)
    axes.add_patch(PathPatch(frame, facecolor="none", edgecolor="white", linewidth=5.0, zorder=8))
    axes.add_patch(PathPatch(frame, facecolor="none", edgecolor=BONUS, linewidth=3.0, zorder=9))


def _rounded(lines: list[list[tuple[float, float]]], radius: float) -> Path:
    """Return closed lines as one path with rounded corners."""
    from matplotlib.path import Path

    points: list[tuple[float, float]] = []
    codes: list[Any] = []
    for corners in lines:
        before = [corners[-1], *corners[:-1]]
        after = [*corners[1:], corners[0]]
        for corner, last, following in zip(corners, before, after, strict=True):
            points += [_towards(corner, last, radius), corner, _towards(corner, following, radius)]
        points.append(corners[0])
        codes += [Path.MOVETO, *[Path.CURVE3, Path.CURVE3, Path.LINETO] * len(corners)][:-1]
        codes.append(Path.CLOSEPOLY)
    return Path(points, codes)


def _towards(start: tuple[float, float], end: tuple[float, float], step: float) -> tuple[float, float]:
    """Return the point `step` away from the start, on a level or upright line to the end."""
    x, y = end[0] - start[0], end[1] - start[1]
    part = step / (abs(x) + abs(y))
    return start[0] + part * x, start[1] + part * y
