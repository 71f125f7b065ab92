"""The greatest of many effects, side by side for several outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from patchstats.analysis.figures.style import INK, MARK, MUTED, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

#: In inches: the width of a plot, the height of a row of it, and that of its title and axis.
_WIDTH, _ROW, _REST = 3.0, 0.26, 1.0


def tornado(effects: Mapping[str, pd.DataFrame], top: int = 12) -> Figure:
    """Draw a plot for each outcome: the factors with the greatest effects, each with its interval.

    `effects` has for each outcome, named with its unit, a frame as of `analysis.screening.screen`. A filled mark has a
    q-value of at most 0.05, an empty one a greater one. Raises ValueError when there is nothing to draw.

    >>> import pandas as pd
    >>> found = pd.DataFrame({"estimate": [-1.2], "low": [-1.4], "high": [-1.0], "q_value": [0.0]}, index=["p21.cost"])
    >>> tornado({"score (points)": found}).axes[0].get_title()
    'score (points): p21.cost -1.2'
    """
    from matplotlib.figure import Figure

    if not effects or top < 1:
        raise ValueError("there is nothing to draw")
    rows = min(top, max(len(frame) for frame in effects.values()))
    figure = Figure(figsize=(_WIDTH * len(effects), _REST + _ROW * rows), layout="constrained")
    for axes, (outcome, frame) in zip(figure.subplots(1, len(effects), squeeze=False)[0], effects.items(), strict=True):
        shown = frame.head(top)
        axes.axvline(0, color=MUTED, linewidth=0.8, linestyle="--", zorder=0)
        for place, (low, high, value, q_value) in enumerate(
            shown[["low", "high", "estimate", "q_value"]].itertuples(index=False)
        ):
            axes.plot([low, high], [place, place], color=INK, linewidth=1.8, solid_capstyle="butt")
            face = MARK if q_value <= 0.05 else "white"
            axes.plot([value], [place], marker="o", markersize=4.5, color=MARK, markerfacecolor=face)
        axes.set_title(f"{outcome}: {shown.index[0]} {shown['estimate'].iloc[0]:+.2g}", fontsize=8, parse_math=False)
        axes.set_yticks(range(len(shown)), list(shown.index), fontsize=7, parse_math=False)
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.tick_params(axis="x", labelsize=7)
        axes.set_xlabel("effect of one step up, 95 % interval", fontsize=7)
        plain(axes, left=False)
    return figure
