"""Claims beside the agents that show them or do not, and what an effect goes with."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from patchstats.analysis.estimate import Estimate
from patchstats.analysis.figures.style import COLOURS, INK, MUTED, begin, plain, shortened
from patchstats.analysis.pooled import Slope, pooled
from patchstats.analysis.shares import Share

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The unit of effects on shares of games, which are drawn in per cent.
SHARE = "share of games"

_ACROSS = 3
#: In inches: the width of a plot, the height of a row of it, and that of its title and axis.
_WIDTH, _ROW, _REST = 3.2, 0.155, 0.85
#: Of groups, besides their colours.
_MARKS = ("o", "s", "^", "D", "v")


def plot_claims(
    claims: Mapping[str, Mapping[str, Estimate | Share]],
    groups: Mapping[str, Collection[str]],
    units: Mapping[str, str],
    table: pd.DataFrame,
) -> Figure:
    """Draw a small plot for each claim: the effect for each agent, and below them the mean of those of the first group.

    The first group is that of skilled agents; the others are shown beside them, each group with a colour and a mark of
    its own. The last row has the mean of the first group as a diamond: the thick line is its interval, the thin one
    where another agent like these would be. A title has the claim and its grade, the title of all how many claims hold.
    An agent without an effect, as of a bonus that it never won, has no mark.

    Args:
        claims: for each claim the effects of agents, above 0 where it is true of them, with 95 % intervals.
        groups: for each group its agents, in the order in which they are drawn.
        units: the unit of each claim's effect; that of `SHARE` is drawn in per cent.
        table: verdicts and grades as of `pooled.graded`, which may be of another confidence.

    Raises ValueError as `pooled.pooled` does, where there is no claim or no group, and for a claim without a unit or a
    grade.

    >>> from patchstats.analysis.pooled import graded
    >>> effects = {agent: Estimate(value, value - 1, value + 1) for agent, value in zip("abcd", (3, 4, 3, 2.8))}
    >>> claims = {"it helps": {**effects, "random": Estimate(-2, -3, -1)}}
    >>> groups, table = {"skilled": "abcd", "no skill": ["random"]}, graded(claims, "abcd")
    >>> figure = plot_claims(claims, groups, {"it helps": "points"}, table)
    >>> print(figure.axes[0].get_title(loc="left"))
    it helps
    A: +3.2 [+2.3, +4.1]
    """
    from matplotlib.figure import Figure

    if not groups or not all(groups.values()):
        raise ValueError("there is no group of agents, or one without an agent")
    if not claims:
        raise ValueError("there is no claim to draw")
    skilled, *_ = groups.values()
    for claim in claims:
        if claim not in table.index:
            raise ValueError(f"the claim {claim!r} has no grade; there are those of {list(table.index)}")
        if claim not in units:
            raise ValueError(f"the claim {claim!r} has no unit; there are those of {list(units)}")
    agents = [agent for group in groups.values() for agent in group]
    across, rows = min(_ACROSS, len(claims)), math.ceil(len(claims) / _ACROSS)
    height = rows * (_REST + _ROW * (len(agents) + 1)) + 0.6
    figure = Figure(figsize=(_WIDTH * max(across, 2), height), layout="constrained")
    grid = figure.subplots(rows, across, squeeze=False, sharey=True)
    for axes, (claim, effects) in zip(grid.flat, claims.items(), strict=False):
        plain(axes, left=False)
        axes.axvline(0, color=MUTED, linewidth=0.8, linestyle="--", zorder=0)
        for number, group in enumerate(groups.values()):
            for agent in group:
                if agent in effects:
                    _interval(axes, effects[agent], agents.index(agent), number)
        found = pooled({agent: effects[agent] for agent in skilled if agent in effects})
        place = len(agents)
        axes.plot(found.another[1:], [place] * 2, color=INK, linewidth=0.9)
        axes.plot(found.mean[1:], [place] * 2, color=INK, linewidth=3, solid_capstyle="butt")
        axes.plot([found.mean.value], [place], "D", markersize=4, color=INK)
        form = ".1%" if units[claim] == SHARE else ".1f" if abs(found.mean.value) >= 1 else ".2f"
        title = f"{claim}\n{table['grade'][claim]}: {found.mean:+{form}}"
        axes.set_title(title, loc="left", fontsize=8, parse_math=False)
        names = [*map(shortened, agents), f"mean, {next(iter(groups))}"]
        axes.set_yticks(range(len(names)), names, fontsize=7, parse_math=False)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        _across(axes, units[claim])
    for axes in list(grid.flat)[len(claims) :]:
        axes.set_visible(False)
    drawn = table.loc[list(claims)]
    held, alike = int((drawn["verdict"] == "holds").sum()), int((drawn["naive"] == "the same").sum())
    title = f"{held} of {len(claims)} claims hold for {next(iter(groups))}; play without skill says the same of {alike}"
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    marks = [
        axes.plot([], [], _MARKS[number % len(_MARKS)], color=COLOURS[number % len(COLOURS)], markersize=4)[0]
        for number in range(len(groups))
    ]
    figure.legend(marks, list(groups), frameon=False, fontsize=8, ncols=len(groups), loc="outside lower right")
    return figure


def plot_along(
    effects: Mapping[str, Estimate | Share],
    covariate: Mapping[str, float],
    groups: Mapping[str, Collection[str]],
    line: Slope,
    names: tuple[str, str, str],
) -> Figure:
    """Draw the effect for each agent over something that agents differ in, and the line of one group of them.

    Args:
        effects: the effect for each agent, with its 95 % interval.
        covariate: where each agent lies.
        groups: for each group its agents; those of the first are the ones of the line.
        line: as `pooled.slope` finds it.
        names: what the effect is, its unit, and what the covariate is, with its unit.

    Raises ValueError where no agent has both.

    >>> from patchstats.analysis.pooled import slope
    >>> effects = {agent: Estimate(value, value - 1, value + 1) for agent, value in zip("abcde", (1, 4, 5, 6, 9))}
    >>> elo = dict(zip("abcde", range(0, 500, 100)))
    >>> figure = plot_along(effects, elo, {"skilled": "abcde"}, slope(effects, elo), ("it helps", "points", "Elo"))
    >>> print(figure.axes[0].get_title(loc="left"))
    it helps: rises with Elo
    """
    name, unit, along = names
    shown = [[agent for agent in group if agent in effects and agent in covariate] for group in groups.values()]
    if not any(shown):
        raise ValueError("there is nothing to draw")
    figure, axes = begin(height=4.4)
    axes.axhline(0, color=MUTED, linewidth=0.8, linestyle="--", zorder=0)
    for number, (group, agents) in enumerate(zip(groups, shown, strict=True)):
        colour, mark = COLOURS[number % len(COLOURS)], _MARKS[number % len(_MARKS)]
        for agent in agents:
            value, low, high = effects[agent]
            axes.plot([covariate[agent]] * 2, [low, high], color=colour, linewidth=1.4)
            label = group if agent == agents[0] else None
            axes.plot([covariate[agent]], [value], mark, markersize=4, color=colour, label=label)
    if shown[0]:
        ends = [end(covariate[agent] for agent in shown[0]) for end in (min, max)]
        axes.plot(ends, [line.at(end) for end in ends], color=COLOURS[0], linewidth=1, alpha=0.6)
    rises, falls = line.slope.low > 0, line.slope.high < 0
    how = "rises with" if rises else "falls with" if falls else "no slope is seen along"
    axes.set_title(f"{name}: {how} {along}", loc="left", fontsize=10, parse_math=False)
    axes.set_xlabel(along)
    axes.set_ylabel(f"effect ({unit}), 95 % intervals")
    if unit == SHARE:
        axes.yaxis.set_major_formatter("{x:.0%}")
    _names(axes, effects, covariate, [agent for agents in shown for agent in agents])
    figure.legend(frameon=False, fontsize=8, ncols=len(groups), loc="outside lower right")
    return figure


def plot_specifications(
    specifications: Sequence[tuple[Mapping[str, str], Estimate | Share]], effect: str, unit: str
) -> Figure:
    """Draw the curve of an effect over all reasonable ways to find it, and below it how each was found.

    A specification curve: Simonsohn, Simmons and Nelson, "Specification curve analysis", Nature Human Behaviour 4
    (2020). From left to right the effect rises; below it a dot stands in the row of each choice that was made.

    Args:
        specifications: for each way the choice made of each kind, and the effect that it finds, with 95 % intervals.
        effect: what the effect is, as the title says it.
        unit: its unit; that of `SHARE` is drawn in per cent.

    Raises ValueError where there is none, and for one that makes choices of other kinds than the first.

    >>> ways = [({"ties": "half"}, Estimate(3, 2, 4)), ({"ties": "left out"}, Estimate(0.5, -0.5, 1.5))]
    >>> plot_specifications(ways, "it helps", "points").axes[0].get_title(loc="left")
    'it helps in 2 of 2 ways to find it, beyond chance in 1'
    """
    if not specifications:
        raise ValueError("there is nothing to draw")
    kinds = list(specifications[0][0])
    for choices, _ in specifications:
        if list(choices) != kinds:
            raise ValueError(f"each way must choose {', '.join(kinds)}, in this order; one chooses {list(choices)}")
    ways = sorted(specifications, key=lambda way: way[1][0])
    rows = [(kind, choice) for kind in kinds for choice in dict.fromkeys(way[0][kind] for way in specifications)]
    figure, axes = begin(height=2.6 + 0.17 * len(rows))
    axes.remove()
    heights = [2, 0.17 * len(rows)]
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=heights)
    for one in (above, below):
        plain(one, left=one is above)
    above.axhline(0, color=MUTED, linewidth=0.8, linestyle="--", zorder=0)
    for place, (_, (value, low, high)) in enumerate(ways):
        colour = COLOURS[0] if low > 0 or high < 0 else MUTED
        above.plot([place] * 2, [low, high], color=colour, linewidth=1.2)
        above.plot([place], [value], "o", markersize=3, color=colour)
    for row, (kind, choice) in enumerate(rows):
        places = [place for place, (choices, _) in enumerate(ways) if choices[kind] == choice]
        below.plot(places, [row] * len(places), ".", markersize=3.5, color=COLOURS[kinds.index(kind) % len(COLOURS)])
    below.set_yticks(range(len(rows)), [shortened(f"{kind}: {choice}") for kind, choice in rows], fontsize=7)
    below.set_ylim(len(rows) - 0.4, -0.6)
    below.tick_params(axis="y", length=0)
    below.set_xlabel(f"{len(ways)} ways to find it, in order of the effect")
    above.set_ylabel(f"effect ({unit}),\n95 % intervals")
    if unit == SHARE:
        above.yaxis.set_major_formatter("{x:.0%}")
    positive, sure = sum(found[0] > 0 for _, found in ways), sum(found[1] > 0 for _, found in ways)
    title = f"{effect} in {positive} of {len(ways)} ways to find it, beyond chance in {sure}"
    above.set_title(title, loc="left", fontsize=10, parse_math=False)
    return figure


def _names(
    axes: Axes, effects: Mapping[str, Estimate | Share], covariate: Mapping[str, float], agents: Sequence[str]
) -> None:
    """Write the names of agents above their intervals, at one height and apart from each other."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    place = left
    for agent in sorted(agents, key=lambda one: covariate[one]):
        place = max(covariate[agent], place + 0.03 * (right - left))
        axes.plot([covariate[agent], place], [effects[agent][2], high], color=MUTED, linewidth=0.4, zorder=0)
        name = axes.text(place, high, shortened(agent), rotation=50, rotation_mode="anchor", fontsize=6, color=INK)
        name.set_parse_math(False)
    axes.set_xlim(left, right)
    axes.set_ylim(low, high + 0.6 * (high - low))


def _interval(axes: Axes, effect: Estimate | Share, place: int, number: int) -> None:
    value, low, high = effect
    colour: Any = COLOURS[number % len(COLOURS)]
    axes.plot([low, high], [place] * 2, color=colour, linewidth=1.4, solid_capstyle="butt")
    axes.plot([value], [place], _MARKS[number % len(_MARKS)], markersize=3, color=colour)


def _across(axes: Axes, unit: str) -> None:
    axes.tick_params(axis="x", labelsize=7)
    axes.set_xlabel(f"{unit}, 95 % intervals", fontsize=7)
    axes.locator_params(axis="x", nbins=6)
    if unit == SHARE:
        axes.xaxis.set_major_formatter("{x:.0%}")
