"""What it is worth to begin, for whom, and on which ring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from patchstats.analysis.checks import columns
from patchstats.analysis.estimate import Estimate, ring_means
from patchstats.analysis.figures.style import COLOURS, INK, MUTED, begin, plain, shortened
from patchstats.analysis.published import published
from patchstats.analysis.rings import RingLuck
from patchstats.analysis.shares import Share

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

#: In inches: the height of a row, and that of the rest.
_ROW, _REST = 0.27, 1.1


def published_shares() -> dict[str, Share]:
    """Return the published shares of games that the first player won, by their ids.

    >>> print(published_shares()["az3-start-first"])
    48.1% [44.9%, 51.4%]
    """
    table = published("first_player")
    rows = table[table["quantity"] == "share won by the first player"]
    return {
        name: Share(float(value), float(low), float(high))
        for name, value, low, high in zip(rows["id"], rows["value"], rows["low"], rows["high"], strict=True)
    }


def plot_first_player(groups: Mapping[str, Mapping[str, Share | Estimate]]) -> Figure:
    """Draw how often seat 0 wins, a row for each agent or source, in groups of a colour each, as a forest plot.

    The title counts in how many rows of the first group the interval lies above one half.

    >>> rows = {"skilled agents": {"puct": Share(0.56, 0.55, 0.57)}, "published": {"anu": Share(0.496, 0.489, 0.503)}}
    >>> figure = plot_first_player(rows)
    >>> figure.axes[0].get_title(loc="left")
    'Seat 0 wins more than half of the games for 1 of 1 skilled agents'
    """
    if not groups or not all(groups.values()):
        raise ValueError("there is nothing to draw")
    rows = [(label, found, number) for number, of in enumerate(groups.values()) for label, found in of.items()]
    figure, axes = begin(height=_REST + _ROW * len(rows))
    plain(axes, left=False)
    axes.axvline(0.5, color=MUTED, linewidth=0.8, linestyle="--", zorder=0)
    names = list(groups)
    for place, (_, (value, low, high), number) in enumerate(rows):
        colour = COLOURS[number % len(COLOURS)]
        first = place == 0 or rows[place - 1][2] != number
        axes.plot([low, high], [place, place], color=colour, linewidth=1.8, solid_capstyle="butt")
        label = names[number] if first else None
        axes.plot([value], [place], "o", markersize=3.5, color=colour, label=label)
    axes.set_yticks(range(len(rows)), [shortened(label) for label, _, _ in rows], fontsize=8, parse_math=False)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_formatter("{x:.0%}")
    axes.set_xlabel("share of games that seat 0 wins, with 95 % intervals")
    of_first = groups[names[0]].values()
    above = sum(low > 0.5 for _, low, _ in of_first)
    title = f"Seat 0 wins more than half of the games for {above} of {len(of_first)} {names[0]}"
    axes.set_title(title, loc="left", fontsize=10, parse_math=False)
    axes.legend(frameon=False, fontsize=8)
    return figure


def plot_rings(games: pd.DataFrame, luck: RingLuck) -> Figure:
    """Draw how often seat 0 won on each ring, in order, and the span of the chances behind these shares.

    `games` has the columns ring_index and winner, of the run that `luck` is from.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"ring_index": [0, 0, 1, 1], "winner": [0, 0, 1, 0]})
    >>> ends = [Estimate(value, value, value) for value in (0.2, 0.2, 0.1, 0.9, 0.2)]
    >>> plot_rings(games, RingLuck(*ends, games=4, rings=2)).axes[0].get_title(loc="left")
    'On 1 of 10 rings, seat 0 wins less than 10% or more than 90% of games'
    """
    table = columns(games, ("ring_index", "winner"))
    shares = np.sort(ring_means(table["winner"] == 0, table["ring_index"]))
    figure, axes = begin(height=3)
    axes.plot(np.arange(1, len(shares) + 1), shares, ".", markersize=2.5, color=COLOURS[0], label="won on the ring")
    axes.axhspan(luck.low.value, luck.high.value, color=COLOURS[4], alpha=0.2, label="9 of 10 chances, noise taken off")
    axes.axhline(0.5, color=INK, linewidth=0.8, linestyle="--")
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter("{x:.0%}")
    axes.set_xlabel(f"{len(shares):,} rings, in order of that share")
    axes.set_ylabel("games that seat 0 won")
    title = f"On 1 of 10 rings, seat 0 wins less than {luck.low.value:.0%} or more than {luck.high.value:.0%} of games"
    axes.set_title(title, loc="left", fontsize=10, parse_math=False)
    axes.legend(frameon=False, fontsize=8)
    return figure
