"""How often the first leather is useless, by what counts as a hole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from patchstats.analysis.checks import chance
from patchstats.analysis.figures.style import COLOURS, MUTED, plain, shortened
from patchstats.analysis.shares import Share

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: In inches: the width of a plot and of the labels, the height of a row, and that of the rest.
_WIDTH, _LABELS, _ROW, _REST = 3.3, 2.0, 0.36, 1.5
#: How far apart the rulesets of an agent are drawn, in rows.
_APART = 0.26


def plot_useless(by_definition: Mapping[str, Mapping[str, Mapping[str, Share]]], claim: float) -> Figure:
    r"""Draw how often the first leather is useless: a plot for each definition, a row an agent, a colour a ruleset.

    `by_definition` has the share of games by definition, agent and ruleset, and `claim` is the share that a dashed line
    marks. Every agent has the same rulesets, of which there are at most seven. A title counts for how many agents the
    whole interval lies above the claim by each ruleset. Raises ValueError when there is nothing to draw, and for a
    claim that is not between 0 and 1.

    >>> shares = {"greedy": {"original": Share(0.53, 0.52, 0.54), "revised": Share(0.43, 0.42, 0.44)}}
    >>> plot_useless({"no hole of one cell": shares}, claim=0.5).axes[0].get_title(loc="left")
    'no hole of one cell:\nabove 50% for 1 of 1 by original, 0 of 1 by revised'
    """
    from matplotlib.figure import Figure

    chance(claim, "the claim")
    if not by_definition or not all(agents and all(agents.values()) for agents in by_definition.values()):
        raise ValueError("there is nothing to draw")
    most = max(len(agents) for agents in by_definition.values())
    figure = Figure(figsize=(_LABELS + _WIDTH * len(by_definition), _REST + _ROW * most), layout="constrained")
    plots = figure.subplots(1, len(by_definition), squeeze=False, sharex=True, sharey=True)[0]
    for axes, (definition, agents) in zip(plots, by_definition.items(), strict=True):
        axes.axvline(claim, color=MUTED, linewidth=0.8, linestyle="--", zorder=0)
        rulesets = list(next(iter(agents.values())))
        for number, ruleset in enumerate(rulesets):
            colour = COLOURS[number]
            shares = [by_ruleset[ruleset] for by_ruleset in agents.values()]
            places = [place + _APART * (number - (len(rulesets) - 1) / 2) for place in range(len(shares))]
            axes.hlines(places, [one.low for one in shares], [one.high for one in shares], color=colour, linewidth=1.8)
            axes.plot([one.share for one in shares], places, "o", markersize=4, color=colour, label=ruleset)
        axes.set_yticks(range(len(agents)), list(map(shortened, agents)), fontsize=8, parse_math=False)
        axes.set_ylim(most - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_formatter("{x:.0%}")
        axes.set_xlabel("games in which it is useless, 95 % intervals", fontsize=8)
        axes.set_title(_finding(definition, agents, rulesets, claim), loc="left", fontsize=8, parse_math=False)
        plain(axes, left=False)
    figure.legend(*plots[0].get_legend_handles_labels(), frameon=False, fontsize=8, loc="outside lower center", ncols=7)
    return figure


def _finding(definition: str, agents: Mapping[str, Mapping[str, Share]], rulesets: list[str], claim: float) -> str:
    above = {one: sum(shares[one].low > claim for shares in agents.values()) for one in rulesets}
    counted = ", ".join(f"{number} of {len(agents)} by {one}" for one, number in above.items())
    return f"{definition}:\nabove {claim:.0%} for {counted}"
