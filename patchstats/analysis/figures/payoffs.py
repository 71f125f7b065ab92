"""Who beats whom, as a table in colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from patchstats.analysis.figures.style import INK, begin, shortened

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def plot_payoffs(shares: pd.DataFrame) -> Figure:
    """Draw how often the agent of each row beats that of each column.

    `shares` is a square table of shares of games, the strongest agent first, such as of `strategies.share_table`.

    >>> from patchstats.analysis.strategies import share_table
    >>> found = plot_payoffs(share_table({("b", "a"): 0.75}, ["b", "a"]))
    >>> found.axes[0].get_title(loc="left")
    'b beats each of the others, a least of all: in 75 % of games'
    """
    agents = [str(agent) for agent in shares.index]
    values = 100 * shares.to_numpy(dtype=float)
    figure, axes = begin(height=1.6 + 0.36 * len(agents))
    image: Any = axes.imshow(values, vmin=0, vmax=100, cmap="PuOr_r", aspect="auto")
    for row, column in np.argwhere(~np.eye(len(agents), dtype=bool)).tolist():
        dark = abs(values[row, column] - 50) > 30
        text = f"{values[row, column]:.0f}"
        axes.text(column, row, text, ha="center", va="center", fontsize=8, color="white" if dark else INK)
    names = list(map(shortened, agents))
    axes.set_xticks(range(len(agents)), names, rotation=35, ha="right", fontsize=8, parse_math=False)
    axes.set_yticks(range(len(agents)), names, fontsize=8, parse_math=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)
    figure.colorbar(image, ax=axes, label="games won by the row (%)")
    axes.set_title(_title(agents, values), loc="left", fontsize=10, parse_math=False)
    return figure


def _title(agents: list[str], values: Any) -> str:
    against = values[0, 1:]
    hardest = 1 + int(against.argmin())
    if against.min() <= 50:
        return f"{agents[0]} does not beat {agents[hardest]}: it wins {against.min():.0f} % of games"
    return f"{agents[0]} beats each of the others, {agents[hardest]} least of all: in {against.min():.0f} % of games"
