"""The economy of both seats along the track."""

from __future__ import annotations

from typing import TYPE_CHECKING

from patchstats.analysis.figures.style import COLOURS, MUTED, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_NAMES = {"buttons": "buttons", "income": "income, buttons a mark", "empty": "empty cells"}


def plot_economy(means: pd.DataFrame, marks: tuple[int, ...]) -> Figure:
    """Draw what both seats have by the time that they leave each space, one plot below the other.

    `means` has a row a space, and for each seat some of the columns `buttons`, `income` and `empty`, with `_0` or `_1`
    behind; `marks` are the spaces with an income, drawn as thin lines. Raises ValueError when there is nothing to draw.

    >>> import pandas as pd
    >>> means = pd.DataFrame({"income_0": [0, 1, 2], "income_1": [0, 1, 3]})
    >>> plot_economy(means, marks=(1,)).axes[0].get_title(loc="left")
    'income, buttons a mark: in the end 2.0 of seat 0, 3.0 of seat 1'
    """
    from matplotlib.figure import Figure

    there = [name for name in _NAMES if f"{name}_0" in means]
    if not there or not len(means):
        raise ValueError("there is nothing to draw")
    figure = Figure(figsize=(4.8, 1 + 1.6 * len(there)), layout="constrained")
    plots = figure.subplots(len(there), 1, squeeze=False, sharex=True)[:, 0]
    for axes, name in zip(plots, there, strict=True):
        plain(axes)
        for mark in marks:
            axes.axvline(mark, color=MUTED, linewidth=0.5, alpha=0.5, zorder=0)
        for seat, style in ((0, "-"), (1, "--")):
            line = means[f"{name}_{seat}"]
            axes.step(means.index, line, where="post", color=COLOURS[seat], linestyle=style, label=f"seat {seat}")
        ends = [means[f"{name}_{seat}"].iloc[-1] for seat in (0, 1)]
        axes.set_title(
            f"{_NAMES[name]}: in the end {ends[0]:.1f} of seat 0, {ends[1]:.1f} of seat 1", loc="left", fontsize=9
        )
        axes.set_ylim(bottom=0)
    plots[0].legend(frameon=False)
    plots[-1].set_xlabel("space of the track; thin lines are income marks")
    return figure
