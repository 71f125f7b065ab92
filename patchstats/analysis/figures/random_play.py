"""Random play: how long games are, and how large the game tree is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from patchstats.analysis.checks import finite
from patchstats.analysis.estimate import Estimate
from patchstats.analysis.figures.style import COLOURS, INK, MUTED, begin
from patchstats.analysis.published import PublishedFigure
from patchstats.analysis.random_play import OVERFLOW, TreeSize

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: How wide the bars of the products are, in powers of ten; an end of one is where they overflow.
_BIN = 0.5


def plot_lengths(plies: ArrayLike, published: PublishedFigure, ours: Estimate) -> Figure:
    """Draw how long games are, and the published mean with its interval.

    >>> from patchstats.analysis.published import figure
    >>> found = plot_lengths([42, 43, 44], figure("random-plies-mean"), Estimate(43, 42, 44))
    >>> found.axes[0].get_title(loc="left")
    'Games of random play last 43.00 plies; published: 42.82'
    """
    numbers = finite(plies, "the lengths of games")
    lengths, games = np.unique(numbers, return_counts=True)
    figure, axes = begin(height=3)
    axes.bar(lengths, games / len(numbers), color=COLOURS[0], width=0.85)
    axes.axvspan(published.low or published.value, published.high or published.value, color=COLOURS[1], alpha=0.4)
    axes.axvline(published.value, color=COLOURS[1], linewidth=1.5, label="published mean, 95 % interval")
    _entitle(axes, f"Games of random play last {ours.value:.2f} plies; published: {published.value:.2f}")
    axes.set_xlabel("plies a game")
    axes.set_ylabel("share of games")
    axes.yaxis.set_major_formatter("{x:.0%}")
    axes.legend(frameon=False, fontsize=8)
    return figure


def plot_tree(log10_products: ArrayLike, tree: TreeSize, published_mean: float) -> Figure:
    """Draw the sizes of the products of legal actions, where 128 bits overflow, and the estimate of the tree.

    `published_mean` is the published mean of products.
    """
    logs = finite(log10_products, "the logarithms of products")
    figure, axes = begin(height=3.2)
    counts: NDArray[Any]
    first, last = (math.floor((end - OVERFLOW) / _BIN) for end in (logs.min(), logs.max()))
    counts, edges = np.histogram(logs, bins=OVERFLOW + _BIN * np.arange(first, last + 2))
    colours = [COLOURS[0] if number < 0 else COLOURS[4] for number in range(first, last + 1)]
    axes.bar(edges[:-1], counts / len(logs), width=0.92 * _BIN, align="edge", color=colours)
    top = float(counts.max()) / len(logs)
    axes.axvline(OVERFLOW, color=INK, linewidth=1, linestyle="--")
    axes.annotate("2¹²⁸ ", (OVERFLOW, top), ha="right", va="top", fontsize=8, color=INK)
    axes.plot(math.log10(published_mean), 0.05 * top, "D", color=COLOURS[1], label="published mean")
    axes.plot([tree.log10.low, tree.log10.high], [0.05 * top] * 2, color=COLOURS[2], linewidth=2)
    axes.plot(tree.log10.value, 0.05 * top, "o", color=COLOURS[2], label="mean, by logarithms")
    _entitle(
        axes,
        f"{tree.overflowing.share:.1%} of the products overflow 128 bits; the mean is about 10^{tree.log10.value:.1f}",
    )
    axes.set_xlabel("legal actions of all turns of a game multiplied, powers of ten")
    axes.set_ylabel("share of games")
    axes.yaxis.set_major_formatter("{x:.0%}")
    axes.legend(frameon=False, fontsize=8, labelcolor=MUTED)
    return figure


def _entitle(axes: Any, title: str) -> None:
    axes.set_title(title, loc="left", fontsize=10, parse_math=False)
