"""What patches are worth: the price list, how much they could cost more, and how alike several estimates are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from patchstats.analysis.checks import columns
from patchstats.analysis.estimate import Estimate
from patchstats.analysis.figures.style import COLOURS, INK, MUTED, begin, plain
from patchstats.analysis.patches import rank_correlations
from patchstats.analysis.prices import Hedonic

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_ENDS = ("estimate", "low", "high")


def ahead_of_next(table: pd.DataFrame, patch: str) -> Estimate:
    """Return by how much the estimate of a patch is above the greatest one of the others.

    The interval, from its lower end less the upper end of that one and the reverse, holds the difference at least as
    often as both hold theirs. Raises ValueError where the patch has no estimate.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"estimate": [3.0, 1.0], "low": [2.5, 0.5], "high": [3.5, 1.5]}, index=["p21", "p02"])
    >>> print(f"{ahead_of_next(table, 'p21'):+.1f}")
    +2.0 [+1.0, +3.0]
    """
    found = columns(table[table["estimate"].notna()], _ENDS, "estimates")
    if patch not in found.index:
        raise ValueError(f"patch {patch} has no estimate; there are those of {', '.join(map(str, found.index))}")
    rows = found.to_numpy(dtype=float)
    place = list(found.index).index(patch)
    others = np.delete(rows, place, axis=0)
    (own, least, most), (other, low, high) = rows[place], others[int(others[:, 0].argmax())]
    return Estimate(float(own - other), float(least - high), float(most - low))


def plot_prices(prices: pd.DataFrame, found: Hedonic) -> Figure:
    """Draw what each patch costs and what its traits explain; on the line both are equal.

    >>> from patchstats.analysis.prices import hedonic, price_list
    >>> from patchstats.rules import Ruleset
    >>> prices = price_list(Ruleset.load("original"))
    >>> plot_prices(prices, hedonic(prices)).axes[0].get_title(loc="left")
    'Traits explain 78% of the variance of costs; p21 costs 3.8 buttons too little, p19 2.8 too much'
    """
    cost = columns(prices, ("cost",), "prices")["cost"].astype(float)
    explained = cost - found.residuals
    figure, axes = begin(height=4)
    ends = [float(min(cost.min(), explained.min())) - 0.5, float(max(cost.max(), explained.max())) + 0.5]
    axes.plot(ends, ends, color=MUTED, linewidth=0.8, linestyle="--")
    axes.plot(explained, cost, "o", markersize=4, color=COLOURS[0])
    far = found.residuals.abs().nlargest(8).index
    for patch in map(str, far):
        axes.annotate(f" {patch}", (explained[patch], cost[patch]), fontsize=8, color=INK, va="center")
    least, most = str(found.residuals.idxmin()), str(found.residuals.idxmax())
    title = (
        f"Traits explain {found.r2:.0%} of the variance of costs; {least} costs {-found.residuals[least]:.1f} buttons "
        f"too little, {most} {found.residuals[most]:.1f} too much"
    )
    axes.set_title(title, loc="left", fontsize=9, parse_math=False)
    axes.set_xlabel("cost that the traits explain (buttons)")
    axes.set_ylabel("cost (buttons)")
    return figure


def plot_surplus(by_agent: Mapping[str, pd.DataFrame], unit: str = "buttons") -> Figure:
    """Draw an estimate for each patch, the greatest of the first agent on top, a colour for each agent.

    Tables have a row for each patch, with the columns estimate, low and high.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"estimate": [3.0, 1.0], "low": [2.5, 0.5], "high": [3.5, 1.5]}, index=["p21", "p02"])
    >>> plot_surplus({"greedy": table}).axes[0].get_title(loc="left")
    'p21 could cost 3.0 buttons more before greedy prefers something else'
    """
    if not by_agent:
        raise ValueError("there is nothing to draw")
    (agent, first), *_ = by_agent.items()
    known = columns(first[first["estimate"].notna()], _ENDS, "estimates")
    order = known["estimate"].sort_values(ascending=False).index
    figure, axes = begin(height=1 + 0.17 * len(order))
    plain(axes, left=False)
    axes.axvline(0, color=MUTED, linewidth=0.8, linestyle="--", zorder=0)
    for number, (name, table) in enumerate(by_agent.items()):
        places = np.arange(len(order)) + 0.25 * number
        ends = table.reindex(order)[list(_ENDS)].to_numpy(dtype=float)
        colour = COLOURS[number % len(COLOURS)]
        axes.hlines(places, ends[:, 1], ends[:, 2], color=colour, linewidth=1.4)
        axes.plot(ends[:, 0], places, "o", markersize=3, color=colour, label=name)
    axes.set_yticks(range(len(order)), list(order), fontsize=7, parse_math=False)
    axes.set_ylim(len(order) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(f"{unit}, with 95 % intervals")
    best = order[0]
    title = f"{best} could cost {known['estimate'][best]:.1f} {unit} more before {agent} prefers something else"
    axes.set_title(title, loc="left", fontsize=10, parse_math=False)
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    return figure


def plot_agreement(estimates: Mapping[str, pd.Series[float]]) -> Figure:
    """Draw how alike several estimates order the patches, as a table of Spearman's correlations in colour.

    >>> import pandas as pd
    >>> found = plot_agreement({"a": pd.Series([1, 2, 3, 9]), "b": pd.Series([10, 20, 40, 30])})
    >>> found.axes[0].get_title(loc="left")
    'Estimates order the patches alike to 0.80 at best (a, b)'
    """
    correlations = rank_correlations(estimates)
    names = list(correlations.columns)
    values = correlations.to_numpy(dtype=float)
    figure, axes = begin(height=1.4 + 0.5 * len(names))
    image: Any = axes.imshow(values, vmin=-1, vmax=1, cmap="PuOr_r")
    for row in range(len(names)):
        for column in range(len(names)):
            dark = abs(values[row, column]) > 0.6
            text = f"{values[row, column]:.2f}"
            axes.text(column, row, text, ha="center", va="center", fontsize=8, color="white" if dark else INK)
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize=8, parse_math=False)
    axes.set_yticks(range(len(names)), names, fontsize=8, parse_math=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)
    figure.colorbar(image, ax=axes, label="Spearman's correlation")
    apart = np.where(np.eye(len(names), dtype=bool), -np.inf, values)
    first, second = divmod(int(apart.argmax()), len(names))
    best = f"{values[first, second]:.2f} at best ({names[first]}, {names[second]})"
    title = f"Estimates order the patches alike to {best}"
    axes.set_title(title, loc="left", fontsize=10, parse_math=False)
    return figure
