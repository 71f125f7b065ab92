"""Tension: how sure a win was along the track, when games were decided, and how near the options of a turn were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from patchstats.analysis.checks import finite
from patchstats.analysis.figures.style import COLOURS, INK, MUTED, begin, plain, shortened

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

#: From how likely a win on a game counts as decided in the title and by the dashed line.
DECIDED = 0.9

#: The colours of the bands of a fan, the widest first.
_BANDS = ("#cfe3f1", "#8fbfe0", "#5aa0d0")

#: The widest gap that has a bin of its own, and the width of bins, in buttons.
_WIDEST, _BIN = 10.0, 0.5


def plot_fan(by_agent: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw how sure the eventual winner's win was along the track, a plot for each agent: a fan of quantiles.

    Tables are those of `tension.winner_fan`: a row a space, a column for each quantile, which are symmetric about the
    median. A title tells by which space the median has come to DECIDED for good. Raises ValueError when there is
    nothing to draw, or no median.

    >>> import pandas as pd
    >>> fan = pd.DataFrame({0.25: [0.4, 0.5, 0.9], 0.5: [0.5, 0.91, 0.98], 0.75: [0.6, 0.95, 0.99]})
    >>> plot_fan({"greedy": fan}).axes[0].get_title(loc="left").splitlines()
    ['greedy', 'half of the winners have 90% by space 1']
    """
    from matplotlib.figure import Figure

    if not by_agent:
        raise ValueError("there is nothing to draw")
    for agent, fan in by_agent.items():
        if 0.5 not in fan:
            raise ValueError(f"the fan of {agent} has no median; its quantiles are {list(fan.columns)}")
    figure = Figure(figsize=(max(4.0, 2.9 * len(by_agent)), 3.1), layout="constrained")
    grid: Any = figure.subplots(1, len(by_agent), sharey=True, squeeze=False)
    for axes, (agent, fan) in zip(grid.flat, by_agent.items(), strict=True):
        plain(axes)
        quantiles = sorted(map(float, fan.columns))
        bands = [(low, high) for low, high in zip(quantiles, reversed(quantiles), strict=True) if low < 0.5]
        for number, (low, high) in enumerate(bands):
            colour, label = _BANDS[min(number, len(_BANDS) - 1)], f"{high - low:.0%} of games"
            axes.fill_between(fan.index, fan[low], fan[high], step="post", color=colour, linewidth=0, label=label)
        axes.step(fan.index, fan[0.5], where="post", color=INK, linewidth=1.4, label="median")
        axes.axhline(DECIDED, color=MUTED, linewidth=0.8, linestyle="--")
        axes.axhline(0.5, color=MUTED, linewidth=0.6)
        axes.set_ylim(0, 1.01)
        axes.yaxis.set_major_formatter("{x:.0%}")
        title = f"{shortened(agent)}\nhalf of the winners have {DECIDED:.0%} {_since(fan[0.5])}"
        axes.set_title(title, loc="left", fontsize=8, parse_math=False)
        axes.set_xlabel("space of the token further back", fontsize=8)
    grid.flat[0].set_ylabel("chance of the one who wins in the end", fontsize=8)
    grid.flat[-1].legend(frameon=False, fontsize=7, loc="lower right")
    return figure


def plot_decided(by_agent: Mapping[str, ArrayLike]) -> Figure:
    """Draw when games were decided for good: the share of games that were so after each share of their plies.

    Values are the `decided_share` of `tension.tension_of_games`. Raises ValueError when there is nothing to draw.

    >>> plot_decided({"greedy": [0.5, 0.6, 0.9], "puct": [0.9, 0.98, 1]}).axes[0].get_title(loc="left")
    'Half of the games are decided only after 60% to 98% of their plies'
    """
    if not by_agent:
        raise ValueError("there is nothing to draw")
    figure, axes = begin(height=2.8)
    medians = []
    for number, (agent, shares) in enumerate(by_agent.items()):
        ordered = np.sort(finite(shares, "shares of plies"))
        decided = np.arange(1, len(ordered) + 1) / len(ordered)
        medians.append(float(np.median(ordered)))
        label = f"{shortened(agent)}, median {medians[-1]:.0%}"
        axes.step(ordered, decided, where="post", color=COLOURS[number % len(COLOURS)], label=label)
    axes.axhline(0.5, color=MUTED, linewidth=0.8, linestyle="--")
    axes.set_xlim(0, 1.01)
    axes.set_ylim(0, 1.01)
    axes.xaxis.set_major_formatter("{x:.0%}")
    axes.yaxis.set_major_formatter("{x:.0%}")
    axes.set_xlabel("plies of the game played")
    axes.set_ylabel("games decided for good")
    title = f"Half of the games are decided only after {_span(medians)} of their plies"
    axes.set_title(title, loc="left", fontsize=9, parse_math=False)
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    return figure


def plot_gaps(by_agent: Mapping[str, ArrayLike], within: float = 1.0) -> Figure:
    """Draw how far the second best option of a turn was behind the best one, in buttons.

    Values are the `gap` of `tension.choices`; missing ones, of turns without two options, are left out. Gaps beyond
    10 buttons stand in the last bin. The title tells in how many turns the gap is `within` or less. Raises ValueError
    when there is nothing to draw.

    >>> plot_gaps({"greedy": [0.2, 0.9, 3.0, None]}).axes[0].get_title(loc="left")
    'The second best option is at most a button behind in 67% of turns'
    """
    if not by_agent:
        raise ValueError("there is nothing to draw")
    figure, axes = begin(height=2.8)
    edges = np.arange(0, _WIDEST + 2 * _BIN, _BIN)
    shares = []
    for number, (agent, gaps) in enumerate(by_agent.items()):
        given = np.asarray(gaps, dtype=float)
        if np.isnan(given).all():
            raise ValueError(f"no turn of {agent} has a gap")
        known = finite(given[~np.isnan(given)], f"the gaps of {agent}")
        counts, _ = np.histogram(np.minimum(known, _WIDEST + _BIN / 2), bins=edges)
        shares.append(float((known <= within).mean()))
        label = f"{shortened(agent)}, {shares[-1]:.0%} within {within:g}"
        axes.stairs(counts / len(known), edges, color=COLOURS[number % len(COLOURS)], label=label, linewidth=1.6)
    axes.set_xlim(0, edges[-1])
    axes.set_xticks(np.arange(0, _WIDEST + 1, 2), [f"{tick:.0f}" for tick in np.arange(0, _WIDEST, 2)] + ["10 or more"])
    axes.yaxis.set_major_formatter("{x:.0%}")
    axes.set_xlabel("best option less second best (buttons)")
    axes.set_ylabel("turns with two options or more")
    unit = "a button" if within == 1 else f"{within:g} buttons"
    title = f"The second best option is at most {unit} behind in {_span(shares)} of turns"
    axes.set_title(title, loc="left", fontsize=9, parse_math=False)
    axes.legend(frameon=False, fontsize=8)
    return figure


def _since(median: pd.Series[float]) -> str:
    """From which space on the median stays at DECIDED or above, in words."""
    open_until = median.index[median < DECIDED]
    if not len(open_until):
        return f"by space {median.index[0]}"
    after = median.index[median.index > open_until[-1]]
    return f"by space {after[0]}" if len(after) else "on no space before the end"


def _span(shares: Sequence[float]) -> str:
    """The least and the greatest of some shares, in per cent."""
    least, most = (f"{end:.0%}" for end in (min(shares), max(shares)))
    return least if least == most else f"{least} to {most}"
