"""The agents of patchstats: what each is, what it can be told, and where its routine is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from patchstats.agents.networks import EVALUATION
from patchstats.agents.parameters import Parameter, Value


@dataclass(frozen=True, slots=True)
class Card:
    """What there is to know of an agent of patchstats before it plays.

    Attributes:
        name: what its specs begin with.
        line: what it does.
        style: what it plays for, in a word or two.
        source: where the idea comes from.
        stochastic: whether it draws lots, at the defaults of its parameters.
        routine: `module:function` below `patchstats.kernel.deciders`; the function gets the ruleset and the values of
            the parameters, and returns the agent's `Decider`.
        seconds_a_game: about how long it plays at a game on one core, for these values.
        parameters: what it can be told.
        judges: whether it judges positions by an evaluation, which may be a learned one; its routine gets the text of
            the network, or None, after the ruleset.
        ignoring_opponent: values of the parameters with which it no longer cares what the opponent gets; None if it
            never does.
    """

    name: str
    line: str
    style: str
    source: str
    routine: str
    stochastic: bool = False
    seconds_a_game: Callable[[Mapping[str, Value]], float] = lambda _: 3e-5
    parameters: tuple[Parameter, ...] = ()
    ignoring_opponent: Mapping[str, Value] | None = None
    judges: bool = False

    @property
    def usage(self) -> str:
        """How a spec is written, with every parameter at its default."""
        written = [f"{one.name}={'..' if one.default is None else one.default}" for one in self.parameters]
        return f"{self.name}:{','.join(written)}" if written else self.name

    @property
    def cost(self) -> str:
        """The cost class: `lots` (over 100,000 games a second on one core), `rule` (over 1,000), or `search`."""
        seconds = self.seconds_a_game({one.name: one.default for one in self.parameters if one.default is not None})
        return "lots" if seconds < 1e-5 else "rule" if seconds < 1e-3 else "search"


def _quick(_: Mapping[str, Value]) -> float:
    return 5e-6


_BASELINE = "a baseline as in the Axelrod library: a rule so simple that everybody can foresee it"

#: What every agent that looks ahead can be told.
SEARCH = (
    Parameter(
        "seconds",
        "seconds of CPU time a turn, instead of a number of iterations; its games cannot be played again",
        None,
        0.001,
        3600,
    ),
    Parameter(
        "objective",
        "what it goes for: margin, its score less the opponent's; own, its own score; win, to win; blend, half margin, "
        "half win",
        "margin",
        choices=("margin", "own", "win", "blend"),
        kind=str,
    ),
    Parameter("opponent", "how much of the opponent's score counts against its own in the margin", 1.0, greatest=1),
    Parameter("root_placements", "placements of a patch that it looks at for its own next turn", 3, 1, 7, kind=int),
    Parameter("placements", "placements of a patch that it looks at further on", 2, 1, 7, kind=int),
)

#: What every agent that plays games out can be told of that.
PLAYOUTS = (
    Parameter(
        "playout",
        "how both play in playouts: random, any action; tight, any patch or the advance, laid tightly; best, what is "
        "worth most at fixed prices, laid tightly",
        "random",
        choices=("random", "tight", "best"),
        kind=str,
    ),
    Parameter("epsilon", "how often a playout by best does as one by tight", 0.1, greatest=1),
)


def _search_with(**defaults: Value) -> tuple[Parameter, ...]:
    """Return what agents that look ahead can be told, with other defaults."""
    return tuple(replace(one, default=defaults.get(one.name, one.default)) for one in SEARCH)


def _seconds_of_playout(values: Mapping[str, Value]) -> float:
    return 4e-6 if values["playout"] == "random" else 6e-6


#: What can stand before the name of any agent of patchstats, with a `+`, and what it then does. All but
#: ignores-opponent, which sets parameters, take actions away; of several each takes away from what the others before it
#: have left, but that no-income-3 goes first. Agents that look ahead see to it for their own later turns, too.
RESTRICTIONS = {
    "no-advance-unless-forced": "advances only when it can buy nothing, or nothing that no-income-3 allows",
    "no-income-3": "never buys a patch with an income of 3 or more",
    "ignores-opponent": "does not care what the opponent gets; not for agents that never do",
    "seven-by-seven": "as long as the bonus is to be won and not out of reach, lays each patch only where the nearest "
    "bonus square then lacks the fewest cells; leathers go where they always do",
    "leather-racer": "takes a leather whenever an action that is left reaches or passes one; else does what it likes",
}

#: Every agent but the scripted ones, in the order of the page.
PANEL = (
    Card(
        "random",
        "every complete legal action is equally likely",
        style="none",
        source="the usual zero of a scale of strength",
        routine="uniform:any_action",
        stochastic=True,
        seconds_a_game=_quick,
    ),
    Card(
        "random-patch",
        "the advance and each buyable patch are equally likely, then each placement of the chosen patch",
        style="none",
        source="random play that is not led by how many placements a patch has",
        routine="uniform:patch_first",
        stochastic=True,
        seconds_a_game=_quick,
    ),
    Card(
        "advance-only",
        "always advances; a leather goes on the first empty cell",
        style="buttons",
        source=_BASELINE,
        routine="baselines:advance_only",
    ),
    Card(
        "first-legal",
        "buys the first patch on offer that it can pay and place, at the first place; else advances",
        style="spending",
        source=_BASELINE,
        routine="baselines:first_legal",
    ),
    Card(
        "cheapest",
        "buys the patch with the lowest cost it can pay and place at the first place; else advances",
        style="saving",
        source=_BASELINE,
        routine="baselines:cheapest",
    ),
    Card(
        "biggest",
        "buys the patch with the most cells it can pay and place at the first place; else advances",
        style="covering",
        source=_BASELINE,
        routine="baselines:biggest",
    ),
    Card(
        "most-income",
        "buys the patch with the most income it can pay and place at the first place; else advances",
        style="income",
        source=_BASELINE,
        routine="baselines:most_income",
    ),
    Card(
        "greedy",
        "does what is worth most now: cells, income and time at prices, and how well the patch would lie",
        style="values",
        source="the arithmetic that players do: cells and income, less cost and time; prices found by self-play",
        routine="greedy:greedy",
        seconds_a_game=lambda _: 3e-5,
        parameters=(
            Parameter("square_price", "what a covered cell is worth, in buttons", 1.2, greatest=1000),
            Parameter(
                "income_price", "what a button of income is worth at each mark ahead, in buttons", 0.8, greatest=1000
            ),
            Parameter("time_price", "what a space moved costs, in buttons", 1.8, greatest=1000),
            Parameter(
                "packing",
                "what it is worth that the edge of the free cells gets shorter by 1, in buttons",
                0.2,
                greatest=1000,
            ),
            Parameter("holes", "what a new hole costs, in buttons", 0.0, greatest=1000),
            Parameter(
                "bonus",
                "what it is worth that the nearest bonus square lacks a cell less, in buttons",
                0.0,
                greatest=1000,
            ),
            Parameter("leather", "what a leather reached is worth, in buttons", 5.5, greatest=1000),
            Parameter(
                "denial", "the part of a patch's worth for the opponent that counts for buying it", 0.0, greatest=1000
            ),
            Parameter(
                "temperature",
                "if above 0, lots decide, with odds of exp(worth / temperature), in buttons",
                0.0,
                greatest=1000,
            ),
        ),
        ignoring_opponent={"denial": 0.0},
    ),
    Card(
        "puct",
        "looks ahead along the most promising moves, and judges what comes of them by what it has learned",
        style="strongest",
        source="Rosin 2011 and Silver et al. 2017, without a policy network; learned by self-play in this project",
        routine="puct:puct",
        seconds_a_game=lambda values: 20 * float(values.get("seconds", float(values["iterations"]) / 150_000)),
        parameters=(
            Parameter("iterations", "visits of the tree a turn", 1000, 1, 1_000_000, kind=int),
            *_search_with(objective="blend"),
            Parameter("exploration", "how much less visited moves are favoured", 0.4, greatest=100),
            Parameter(
                "sharpness", "how much worth makes a move e times as promising, as a share of a win", 0.2, 0.001, 10
            ),
            Parameter("evenness", "the share of the expectations that all moves have alike", 0.05, greatest=1),
            *EVALUATION,
        ),
        ignoring_opponent={"objective": "own"},
        judges=True,
    ),
    Card(
        "alphabeta",
        "looks some moves ahead along every line of the best placements, and takes the best play of both for granted",
        style="foreseeing",
        source="Knuth and Moore, An analysis of alpha-beta pruning, 1975; Marsland 1986 on game-tree pruning",
        routine="alphabeta:alphabeta",
        seconds_a_game=lambda values: 1.1e-4 * 3 ** int(values["depth"]),
        parameters=(
            Parameter("depth", "how many moves it looks ahead, each an advance or a purchase", 3, 1, 10, kind=int),
            *(one for one in SEARCH if one.name != "seconds"),
            *EVALUATION,
        ),
        ignoring_opponent={"objective": "own"},
        judges=True,
    ),
    Card(
        "rollout",
        "plays games out at random after each thing that it could do, and does what came out best",
        style="averages",
        source="Abramson, Expected-outcome: a general model of static evaluation, 1990",
        routine="rollout:rollout",
        stochastic=True,
        seconds_a_game=lambda values: 40 * int(values["k"]) * _seconds_of_playout(values),
        parameters=(
            Parameter("k", "games played out after each move", 16, 1, 1_000_000, kind=int),
            *(
                one
                for one in _search_with(objective="win", placements=1)
                if one.name in {"objective", "opponent", "placements"}
            ),
            *PLAYOUTS,
        ),
        ignoring_opponent={"objective": "own"},
    ),
    Card(
        "mcts",
        "looks ahead along what came out well in games played out at random, the more so the more often",
        style="searching",
        source="Kocsis and Szepesvari 2006 and Coulom 2006; Browne et al., A survey of Monte Carlo tree search, 2012",
        routine="mcts:mcts",
        stochastic=True,
        seconds_a_game=lambda values: (
            12 * float(values.get("seconds", float(values["iterations"]) * (_seconds_of_playout(values) + 2e-6)))
        ),
        parameters=(
            Parameter("iterations", "games played out a turn", 1000, 1, 1_000_000, kind=int),
            *_search_with(objective="win", root_placements=1, placements=1),
            Parameter("exploration", "c in what a move goes by, mean + c * sqrt(ln(N + 1) / n)", 1.0, greatest=100),
            *PLAYOUTS,
        ),
        ignoring_opponent={"objective": "own"},
    ),
)
