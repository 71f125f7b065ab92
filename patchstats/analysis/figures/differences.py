"""Differences between rulesets as small forest plots side by side, one for each quantity."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from patchstats.analysis.estimate import Estimate
from patchstats.analysis.figures.style import INK, MARK, MUTED, plain, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ACROSS = 3
#: In inches: the width of a plot, the height of a row of it, and that of its title and axis.
_WIDTH, _ROW, _REST = 3.2, 0.3, 0.95


def plot_differences(by_variant: Mapping[str, Mapping[str, Estimate]]) -> Figure:
    """Draw a small plot for each quantity, with a row for each variant: its difference from the base, and the interval.

    `by_variant` has the differences of each variant by quantity, each with its unit in its name; the first variant's
    order counts. A title says what was found: the difference, where there is a single variant, and else how many of the
    intervals leave out 0. Raises ValueError when there is nothing to draw.

    >>> figure = plot_differences({"dearer": {"score (points)": Estimate(-1.6, -2.0, -1.2)}})
    >>> figure.axes[0].get_title()
    'score (points): -1.6 [-2, -1.2]'
    """
    from matplotlib.figure import Figure

    names = list(next(iter(by_variant.values()), {}))
    if not names:
        raise ValueError("there is nothing to draw")
    rows = math.ceil(len(names) / _ACROSS)
    across = min(_ACROSS, len(names))
    figure = Figure(figsize=(_WIDTH * across, rows * (_REST + _ROW * len(by_variant))), layout="constrained")
    grid = figure.subplots(rows, across, squeeze=False, sharey=True)
    for axes, name in zip(grid.flat, names, strict=False):
        found = [differences.get(name) for differences in by_variant.values()]
        axes.axvline(0, color=MUTED, linewidth=0.8, linestyle="--", zorder=0)
        for place, estimate in enumerate(found):
            if estimate is not None:
                axes.plot([estimate.low, estimate.high], [place, place], color=INK, linewidth=1.8)
                axes.plot([estimate.value], [place], marker="o", markersize=3.5, color=MARK)
        axes.set_title(_finding(name, [one for one in found if one is not None]), fontsize=8, parse_math=False)
        axes.set_yticks(range(len(found)), list(map(shortened, by_variant)), fontsize=7, parse_math=False)
        axes.set_ylim(len(found) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.tick_params(axis="x", labelsize=7)
        axes.set_xlabel("changed less base, 95 % interval", fontsize=7)
        plain(axes, left=False)
    for axes in list(grid.flat)[len(names) :]:
        axes.set_visible(False)
    return figure


def _finding(name: str, found: list[Estimate]) -> str:
    if len(found) == 1:
        return f"{name}: {found[0].value:+.3g} [{found[0].low:+.3g}, {found[0].high:+.3g}]"
    apart = sum(one.low > 0 or one.high < 0 for one in found)
    return f"{name}: {apart} of {len(found)} differ"
