"""What happens as one number of a ruleset is set to one value after another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from patchstats.analysis.estimate import Estimate
from patchstats.analysis.figures.style import INK, MARK, MUTED, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ACROSS = 3
#: In inches.
_WIDTH, _HEIGHT = 3.2, 2.4


def plot_sweep(curves: Mapping[str, Mapping[float, Estimate]], axis: str) -> Figure:
    """Draw a plot for each quantity: its estimate and interval at each value that was set, joined by a line.

    `curves` has the estimates by quantity, which is named with its unit, and by value; `axis` says what was set, with
    its unit. Two variants of a quantity, such as two agents, are two curves. A title tells the estimates at the least
    and the greatest value. A dashed line is at 0 where that is within an interval, or between two of them. Raises
    ValueError when there is nothing to draw.

    >>> points = {0: Estimate(0.0, 0.0, 0.0), 2: Estimate(-2.5, -2.6, -2.4)}
    >>> figure = plot_sweep({"score (points)": points}, axis="cost of p21 (buttons)")
    >>> figure.axes[0].get_title(loc="left")
    'score (points): 0 at 0, -2.5 at 2'
    """
    from matplotlib.figure import Figure

    if not curves or not all(curves.values()):
        raise ValueError("there is nothing to draw")
    across = min(_ACROSS, len(curves))
    rows = -(-len(curves) // across)
    figure = Figure(figsize=(_WIDTH * across, _HEIGHT * rows), layout="constrained")
    grid = figure.subplots(rows, across, squeeze=False)
    for axes, (name, points) in zip(grid.flat, curves.items(), strict=False):
        values = sorted(points)
        found = [points[value] for value in values]
        if min(one.low for one in found) <= 0 <= max(one.high for one in found):
            axes.axhline(0, color=MUTED, linewidth=0.8, linestyle="--", zorder=0)
        axes.plot(values, [one.value for one in found], color=MARK, linewidth=0.9, marker="o", markersize=3.5)
        axes.vlines(values, [one.low for one in found], [one.high for one in found], color=INK, linewidth=1.8)
        first, last = found[0].value, found[-1].value
        finding = f"{name}: {first:.3g} at {values[0]}, {last:.3g} at {values[-1]}"
        axes.set_title(finding, loc="left", fontsize=8, parse_math=False)
        axes.set_xticks(values)
        axes.set_xlabel(axis, fontsize=7, parse_math=False)
        axes.tick_params(labelsize=7)
        plain(axes)
    for axes in list(grid.flat)[len(curves) :]:
        axes.set_visible(False)
    return figure
