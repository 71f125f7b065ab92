"""Figures of claims: every effect is where it belongs, and titles say what the numbers say."""

import numpy as np
import pytest

from patchstats.analysis.estimate import Estimate
from patchstats.analysis.figures.claims import SHARE, plot_along, plot_claims, plot_specifications
from patchstats.analysis.figures.style import COLOURS
from patchstats.analysis.pooled import graded, pooled, slope

SKILLED, NAIVE = ("a", "b", "c", "d"), ("random", "biggest")
GROUPS = {"skilled agents": SKILLED, "no skill": NAIVE}


def around(*values, width=1.0):
    return {agent: Estimate(value, value - width, value + width) for agent, value in zip(SKILLED, values, strict=True)}


CLAIMS = {
    "it helps": {**around(3, 4, 3, 2.8), "random": Estimate(2, 1, 3), "biggest": Estimate(0, 0, 0)},
    "it harms": {**around(5, -4, 3, 2), "random": Estimate(2, 1, 3)},
    "it does nothing": {**around(0.01, 0, -0.01, 0, width=0.1), "random": Estimate(0, -1, 1)},
    "it helps more": around(3, 4, 3, 2.8),
}
UNITS = {claim: SHARE if claim == "it does nothing" else "points" for claim in CLAIMS}
TABLE = graded({**CLAIMS, "not drawn": CLAIMS["it helps"]}, SKILLED)


def dots(axes, marks="os^"):
    """The marks in a plot, by their rows: value and colour; no row has two."""
    found = [line for line in axes.lines if line.get_marker() in marks and len(line.get_xdata()) == 1]
    rows = {int(line.get_ydata()[0]): (line.get_xdata()[0], line.get_color()) for line in found}
    assert len(rows) == len(found)
    return rows


def test_each_agent_with_an_effect_has_a_mark_in_its_row_and_the_colour_of_its_group():
    figure = plot_claims(CLAIMS, GROUPS, UNITS, TABLE)
    agents = [*SKILLED, *NAIVE]
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == [*agents, "mean, skilled agents"]
    for axes, effects in zip(figure.axes, CLAIMS.values(), strict=False):
        colours = {agent: COLOURS[0] if agent in SKILLED else COLOURS[1] for agent in effects}
        assert dots(axes) == {agents.index(agent): (effects[agent].value, colours[agent]) for agent in effects}
        intervals = {tuple(line.get_xdata()) for line in axes.lines if line.get_linewidth() == 1.4}
        assert intervals == {(one.low, one.high) for one in effects.values()}
        found = pooled({agent: effects[agent] for agent in SKILLED})
        assert dots(axes, "D") == {len(agents): (found.mean.value, dots(axes, "D")[len(agents)][1])}
        thick, thin = ([line.get_xdata() for line in axes.lines if line.get_linewidth() == width] for width in (3, 0.9))
        assert np.allclose([*thick, *thin], [found.mean[1:], found.another[1:]])


def test_titles_have_grade_and_mean_and_count_the_claims_that_hold():
    figure = plot_claims(CLAIMS, GROUPS, UNITS, TABLE)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert [title.splitlines()[0] for title in titles[:4]] == list(CLAIMS)
    assert [title.splitlines()[1][:2] for title in titles[:4]] == ["A:", "C:", "D:", "A:"]
    assert "%" in titles[2]
    assert figure.get_suptitle() == "2 of 4 claims hold for skilled agents; play without skill says the same of 2"
    assert [axes.get_visible() for axes in figure.axes] == [True] * 4 + [False] * 2


def test_claims_without_a_group_a_unit_or_effects_are_refused():
    with pytest.raises(ValueError, match="there is no group of agents"):
        plot_claims(CLAIMS, {}, UNITS, TABLE)
    with pytest.raises(ValueError, match="there is no group of agents, or one without an agent"):
        plot_claims(CLAIMS, {"skilled": SKILLED, "no skill": ()}, UNITS, TABLE)
    with pytest.raises(ValueError, match="the claim 'it harms' has no unit"):
        plot_claims(CLAIMS, GROUPS, {"it helps": "points"}, TABLE)
    with pytest.raises(ValueError, match="there is no claim to draw"):
        plot_claims({}, GROUPS, UNITS, TABLE)
    with pytest.raises(ValueError, match="the claim 'it helps more' has no grade"):
        plot_claims(CLAIMS, GROUPS, UNITS, TABLE.drop("it helps more"))


@pytest.mark.parametrize(
    ("values", "title"),
    [
        ((1, 4.2, 7, 10), "it: rises with Elo"),
        ((10, 7, 4.2, 1), "it: falls with Elo"),
        ((1, 5, 1, 5), "it: no slope is seen along Elo"),
    ],
)
def test_an_effect_is_drawn_over_what_agents_differ_in_with_its_line(values, title):
    effects = {**around(*values), "random": Estimate(-3, -4, -2), "biggest": Estimate(0, -1, 1)}
    elo = {**dict(zip(SKILLED, (100, 200, 300, 400), strict=True)), "random": -500}
    line = slope(around(*values), elo)
    figure = plot_along(effects, elo, GROUPS, line, ("it", "points", "Elo"))
    axes = figure.axes[0]
    assert axes.get_title(loc="left") == title
    at = {
        tuple(line.get_xydata()[0]) for line in axes.lines if line.get_marker() in "os" and len(line.get_xdata()) == 1
    }
    assert at == {(elo[agent], effects[agent].value) for agent in elo}
    assert {text.get_text() for text in axes.texts} == set(elo)
    [ends] = [one.get_xydata() for one in axes.lines if one.get_alpha()]
    assert np.allclose(ends, [(100, line.at(100)), (400, line.at(400))])
    with pytest.raises(ValueError, match="there is nothing to draw"):
        plot_along(effects, {"nobody": 1}, GROUPS, line, ("it", "points", "Elo"))


WAYS = [
    ({"ties": ties, "board": board}, Estimate(value, value - 1, value + 1))
    for ties, board, value in (("half", "old", 3), ("half", "new", -0.5), ("out", "old", 0.5), ("out", "new", 2))
]


def test_a_specification_curve_is_in_order_and_shows_the_choices_of_each_way():
    above, below = plot_specifications(WAYS, "it helps", "points").axes
    values = [line.get_ydata()[0] for line in above.lines if line.get_marker() == "o"]
    assert values == [-0.5, 0.5, 2, 3]
    rows = [label.get_text() for label in below.get_yticklabels()]
    assert rows == ["ties: half", "ties: out", "board: old", "board: new"]
    places = {rows[int(line.get_ydata()[0])]: list(line.get_xdata()) for line in below.lines}
    assert places == {"ties: half": [0, 3], "ties: out": [1, 2], "board: old": [1, 3], "board: new": [0, 2]}
    assert above.get_title(loc="left") == "it helps in 3 of 4 ways to find it, beyond chance in 2"


def test_ways_that_choose_other_things_are_refused():
    with pytest.raises(ValueError, match="there is nothing to draw"):
        plot_specifications([], "it helps", "points")
    with pytest.raises(ValueError, match="each way must choose ties, board, in this order"):
        plot_specifications([*WAYS, ({"ties": "half"}, Estimate(1, 0, 2))], "it helps", "points")
