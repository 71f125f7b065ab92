"""Estimates with their intervals as a forest plot. matplotlib is loaded when the first is drawn, not before."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from patchstats.analysis.estimate import Estimate
from patchstats.analysis.ratings import Ratings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The kinds of file that a plot can be written as, by the ends of their names.
SUFFIXES = (".svg", ".png")

INK, MUTED, MARK = "#3f362e", "#8a7866", "#2c5878"
#: In inches: the width of a plot, the height of a row, and that of the rest.
WIDTH, ROW, REST = 7.0, 0.34, 1.1
#: How much of a long label is shown.
_LONGEST = 48


def forest_plot(rows: Mapping[str, Estimate], axis: str) -> Figure:
    """Draw a row for each estimate, the first on top: a mark at its value, and a line over its interval.

    `axis` says what is estimated, with its unit. Lewis and Clarke, "Forest plots: trying to see the wood and the
    trees", BMJ 322 (2001). Raises ValueError when there is no estimate.

    >>> figure = forest_plot({"greedy": Estimate(40, 31, 49), "random": Estimate(-40, -49, -31)}, "rating (Elo)")
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['greedy', 'random']
    """
    from matplotlib.figure import Figure

    if not rows:
        raise ValueError("there is nothing to draw")
    figure = Figure(figsize=(WIDTH, REST + ROW * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    axes.axvline(0, color=MUTED, linewidth=0.8, linestyle="--", zorder=0)
    for place, estimate in enumerate(rows.values()):
        axes.plot([estimate.low, estimate.high], [place, place], color=INK, linewidth=1.8, solid_capstyle="butt")
        axes.plot([estimate.value], [place], marker="o", markersize=3.5, color=MARK, linestyle="none")
    axes.set_yticks(range(len(rows)), list(map(shortened, rows)), parse_math=False)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel(axis)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "left", "right"):
        axes.spines[side].set_visible(False)
    return figure


def shortened(label: str) -> str:
    """Return a label, or as much of it as is shown of long ones."""
    return label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"


def plot_ratings(ratings: Ratings) -> Figure:
    """Draw ratings as a forest plot, the strongest agent on top, and below them what seat 0 is worth.

    >>> ratings = Ratings(("a", "b"), (Estimate(-9, -12, -6), Estimate(9, 6, 12)), Estimate(4, 1, 7), 100, 50)
    >>> [label.get_text() for label in plot_ratings(ratings).axes[0].get_yticklabels()]
    ['b', 'a', 'advantage of seat 0']
    """
    best_first = sorted(zip(ratings.agents, ratings.elo, strict=True), key=lambda one: -one[1].value)
    return forest_plot({**dict(best_first), "advantage of seat 0": ratings.seat}, "Elo points, with 95 % intervals")


def save_plot(figure: Figure, path: str | Path) -> None:
    """Write a figure as SVG or PNG, by the suffix of the path; the same figure gives the same bytes.

    Raises ValueError for another suffix, and OSError when the file cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_plot(forest_plot({"a": Estimate(1, 0, 2)}, "Elo"), Path(folder, "plot.svg"))
    ...     Path(folder, "plot.svg").read_text(encoding="utf-8")[:5]
    '<?xml'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: a plot is written as one of {', '.join(SUFFIXES)}")
    Path(path).write_bytes(drawn(figure, suffix))


def drawn(figure: Figure, suffix: str) -> bytes:
    """Return the file of a figure, whose name is to end in one of SUFFIXES; the same figure gives the same bytes.

    >>> drawn(forest_plot({"a": Estimate(1, 0, 2)}, "Elo"), ".svg")[:5]
    b'<?xml'
    """
    import matplotlib as mpl

    file = BytesIO()
    with mpl.rc_context({"svg.hashsalt": "patchstats"}):
        metadata = {"Date": None} if suffix == ".svg" else {"Software": None}
        figure.savefig(file, format=suffix[1:], dpi=150, metadata=metadata)
    return file.getvalue()
