"""The scores over time as a small chart, with the ply that is shown marked. Which ply that is, a script may change."""

from __future__ import annotations

from collections.abc import Sequence

from patchstats.render.figures import GRID, INK
from patchstats.render.svg.pieces import QUIET, SEATS
from patchstats.render.svg.writer import element, group, label, number, picture

#: In pixels: the picture, and the margins of the plot in it.
WIDTH, HEIGHT = 360, 170
LEFT, RIGHT, TOP, BOTTOM = 40, 12, 12, 28


def chart(scores: Sequence[tuple[int, int]]) -> str:
    """Return a chart of both scores before the first ply and after each.

    The attributes `data-left`, `data-step`, `data-top`, `data-highest` and `data-point` say where a score is drawn.

    >>> chart([(-157, -157), (-155, -157)]).count("<polyline")
    2
    """
    lowest, highest = min(map(min, scores)), max(map(max, scores))
    span = max(highest - lowest, 1)
    step = (WIDTH - LEFT - RIGHT) / max(len(scores) - 1, 1)
    point = (HEIGHT - TOP - BOTTOM) / span

    def y_of(score: float) -> float:
        return TOP + (highest - score) * point

    grid = [
        element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y_of(tick), y2=y_of(tick), stroke=QUIET if not tick else GRID)
        + label(tick, (LEFT - 6, y_of(tick)), 11, fill=QUIET, anchor="end")
        for tick in _ticks(lowest, highest)
    ]
    last = len(scores) - 1
    middle = WIDTH / 2 + (LEFT - RIGHT) / 2
    names = [
        label("start", (LEFT, HEIGHT - 12), 11, fill=QUIET, anchor="start"),
        label("score after each ply", (middle, HEIGHT - 12), 11, fill=QUIET),
        label(f"{last} plies", (WIDTH - RIGHT, HEIGHT - 12), 11, fill=QUIET, anchor="end"),
    ]
    lines = [
        element(
            "polyline",
            points=" ".join(
                f"{number(LEFT + place * step)},{number(y_of(pair[seat]))}" for place, pair in enumerate(scores)
            ),
            fill="none",
            stroke=SEATS[seat],
            stroke_width=2,
            stroke_dasharray="5 3" if seat else None,
        )
        for seat in (0, 1)
    ]
    now = LEFT + last * step
    marks = [element("line", x1=0, x2=0, y1=TOP - 6, y2=HEIGHT - BOTTOM + 4, stroke=INK, stroke_width=1.5)]
    marks += [
        element("circle", cy=y_of(scores[-1][seat]), r=4.5, fill=SEATS[seat], stroke="#fff", data_seat=seat)
        for seat in (0, 1)
    ]
    marked = group(*marks, at=(now, 0), class_="now")
    plot = group(
        *grid,
        *names,
        *lines,
        marked,
        data_left=LEFT,
        data_step=f"{step:.4f}",
        data_top=TOP,
        data_highest=highest,
        data_point=f"{point:.5f}",
    )
    told = "\n".join(f"{place}: {first} {second}" for place, (first, second) in enumerate(scores))
    title = f"Scores over {last} plies: seat 0 (solid line) ends with {scores[-1][0]}, seat 1 (dashed) {scores[-1][1]}"
    return picture((WIDTH, HEIGHT), title, f"plies played: score of seat 0, of seat 1\n{told}", plot)


def _ticks(lowest: int, highest: int) -> list[int]:
    """Round numbers between these, at most six."""
    size = 1
    while (highest - lowest) / size > 5:
        size = size * 2 if str(size)[0] != "2" else size * 5 // 2
    return list(range(-(-lowest // size) * size, highest + 1, size))
