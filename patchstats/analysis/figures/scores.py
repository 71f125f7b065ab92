"""How scores are spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from patchstats.analysis.figures.style import COLOURS, begin

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

#: How many bars there are at most.
_BARS = 60


def plot_scores(counts: pd.DataFrame) -> Figure:
    """Draw how often each score was reached: a row of `counts` a score, a column a player, whose name it has.

    Raises ValueError when there are no scores.

    >>> import pandas as pd
    >>> counts = pd.DataFrame({"seat 0": [1, 3, 0], "seat 1": [2, 1, 1]}, index=[10, 11, 14])
    >>> plot_scores(counts).axes[0].get_title(loc="left")
    'medians: 11 points (seat 0), 10 points (seat 1)'
    """
    if not len(counts):
        raise ValueError("there is nothing to draw")
    figure, axes = begin(height=2.8, width=4.8)
    low, high = int(counts.index.min()), int(counts.index.max())
    step = -(-(high - low + 1) // _BARS)
    edges = np.arange(low, high + step + 1, step) - 0.5
    for name, colour in zip(counts, COLOURS, strict=False):
        shares = np.histogram(counts.index, edges, weights=counts[name])[0] / counts[name].sum()
        axes.stairs(100 * shares, edges, color=colour, linewidth=1.4, label=name, fill=False)
        axes.stairs(100 * shares, edges, color=colour, alpha=0.15, fill=True)
    below = [np.searchsorted(np.cumsum(counts[name]), counts[name].sum() / 2) for name in counts]
    middles = [int(counts.index[int(place)]) for place in below]
    said = ", ".join(f"{middle} points ({name})" for name, middle in zip(counts, middles, strict=True))
    axes.set_title(f"medians: {said}", loc="left", fontsize=9)
    axes.set_xlabel("score in points")
    axes.set_ylabel("games in per cent" if step == 1 else f"games in per cent, by {step} points")
    axes.legend(frameon=False)
    return figure
