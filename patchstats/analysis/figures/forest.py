"""Estimates with their intervals as a forest plot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from patchstats.analysis.estimate import Estimate
from patchstats.analysis.figures.style import INK, MARK, MUTED, begin, plain, shortened
from patchstats.analysis.ratings import Ratings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: In inches: the height of a row, and that of the rest.
_ROW, _REST = 0.34, 1.1


def forest_plot(rows: Mapping[str, Estimate], axis: str) -> Figure:
    """Draw a row for each estimate, the first on top: a mark at its value, and a line over its interval.

    `axis` says what is estimated, with its unit. Lewis and Clarke, "Forest plots: trying to see the wood and the
    trees", BMJ 322 (2001). Raises ValueError when there is no estimate.

    >>> figure = forest_plot({"greedy": Estimate(40, 31, 49), "random": Estimate(-40, -49, -31)}, "rating (Elo)")
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['greedy', 'random']
    """
    if not rows:
        raise ValueError("there is nothing to draw")
    figure, axes = begin(height=_REST + _ROW * len(rows))
    plain(axes, left=False)
    axes.axvline(0, color=MUTED, linewidth=0.8, linestyle="--", zorder=0)
    for place, estimate in enumerate(rows.values()):
        axes.plot([estimate.low, estimate.high], [place, place], color=INK, linewidth=1.8, solid_capstyle="butt")
        axes.plot([estimate.value], [place], marker="o", markersize=3.5, color=MARK, linestyle="none")
    axes.set_yticks(range(len(rows)), list(map(shortened, rows)), parse_math=False)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel(axis)
    axes.tick_params(axis="y", length=0)
    return figure


def plot_ratings(ratings: Ratings) -> Figure:
    """Draw ratings as a forest plot, the strongest agent on top, and below them what seat 0 is worth.

    >>> ratings = Ratings(("a", "b"), (Estimate(-9, -12, -6), Estimate(9, 6, 12)), Estimate(4, 1, 7), 100, 50)
    >>> plot_ratings(ratings).axes[0].get_title(loc="left")
    'b is 18 Elo points ahead of a'
    """
    best_first = sorted(zip(ratings.agents, ratings.elo, strict=True), key=lambda one: -one[1].value)
    rows = {**dict(best_first), "advantage of seat 0": ratings.seat}
    figure = forest_plot(rows, "Elo points, with 95 % intervals")
    (best, elo), (second, next_elo) = best_first[:2]
    title = f"{shortened(best)} is {elo.value - next_elo.value:.0f} Elo points ahead of {shortened(second)}"
    figure.axes[0].set_title(title, loc="left", fontsize=10, parse_math=False)
    return figure
