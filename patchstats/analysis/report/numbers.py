"""Everything that a page on a run says, gathered from its tables by the estimators, and why anything cannot be said.

Memory is bounded: of a table that is too large, the first games are read. Rings are drawn independently, one after the
other, so that the first games are as good a sample as any, and `Report.seen` says how many they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from patchstats.analysis.bonus import award_share, award_table, confounded_winner_share
from patchstats.analysis.estimate import Estimate, mean_by_ring, share_of_rings
from patchstats.analysis.first_player import FirstPlayer, first_player
from patchstats.analysis.patches import access_effect, confounded_holder_share
from patchstats.analysis.positions import positions
from patchstats.analysis.prices import hedonic, price_list
from patchstats.analysis.report.economy import OF_PATCHES, OF_TURNS, economy, economy_of_patches
from patchstats.analysis.report.repeating import Difference, command, differences, replaying
from patchstats.analysis.shares import Share
from patchstats.analysis.surplus import greedy_advance, in_buttons, shadow_surplus
from patchstats.analysis.tension import CLOSE, mean_tension, tension_of_games
from patchstats.analysis.win_probability import held_out
from patchstats.errors import RunError
from patchstats.notation import GameRecord
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    import pandas as pd

    from patchstats.dataset.run import Run

#: How many games are read at most, and how many rows of a larger table, in whole games.
MOST_GAMES, MOST_ROWS = 1_000_000, {"patches": 1_600_000, "turns": 400_000, "offers": 1_000_000}

_OF_SEATS = ("score", "buttons", "empty", "income", "leathers", "patches", "advances")
_OF_GAMES = (
    *("game_index", "ring_index", "agent_0", "agent_1", "winner", "tie_broken", "bonus_seat", "bonus_ply", "plies"),
    *("lead_changes", *(f"{name}_{seat}" for name in _OF_SEATS for seat in (0, 1))),
)

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Missing:
    """What cannot be told of a run: why, in a sentence, and the command that would log what it needs, if any does."""

    why: str
    command: str = ""


class Spread(NamedTuple):
    """How a number is spread over games: its mean with an interval, if it has one, and its quartiles."""

    mean: Estimate | Missing
    least: float
    quarter: float
    median: float
    three_quarters: float
    greatest: float


@dataclass(frozen=True, slots=True)
class Shown:
    """A game that is shown: why, its record, and the command that tells it."""

    game_index: int
    why: tuple[str, ...]
    record: GameRecord
    command: str


@dataclass(frozen=True, slots=True)
class Report:
    """What is said of a run. What it cannot tell is `Missing`.

    Attributes:
        run_id: what names the run.
        path: where it lies.
        spec: agents, seed, number of games and the like, as the manifest has them.
        jitter: which numbers of patches change from game to game, or nothing.
        ruleset: what was played.
        differences: what in it is otherwise than in `original`.
        command: how it is simulated again.
        log_turns: how it would be with turns logged.
        games: how many games there are.
        seen: how many of them each table was read of.
        first: what it is worth to begin.
        first_agent: how often the first of two agents that swap seats won; None where there are none such.
        scores: how often each score was reached, a row a score, a column a player: a seat, or an agent of mirrored
            pairs of two.
        spreads: the spread of the score of each player, of the winner's margin and of the plies.
        ends: what both seats have in the end on average, a row a quantity, a column a seat.
        patches: a row a patch: its numbers, the share of games in which it was bought, with `_low` and `_high`, the
            mean space on which its buyer stood, the residual of its price, in buttons.
        holders: `patches.confounded_holder_share`.
        access: `patches.access_effect` on winning.
        surplus: `surplus.shadow_surplus` in buttons, by the agent.
        economy: `economy.economy`, or where turns are not logged `economy.economy_of_patches`.
        bonus: the share of games in which it was won, and how often who won it won the game.
        bonus_plies: the spread of the plies at which it was won.
        waiting: `bonus.award_table`.
        tension: `tension.mean_tension` of what the games table tells.
        decided: the same of what the probability of winning tells.
        shown: games to look at.
    """

    run_id: str
    path: str
    spec: Mapping[str, Any]
    jitter: str
    ruleset: Ruleset
    differences: tuple[Difference, ...]
    command: str
    log_turns: str
    games: int
    seen: Mapping[str, int]
    first: FirstPlayer | Missing
    first_agent: Share | Missing | None
    scores: pd.DataFrame
    spreads: Mapping[str, Spread]
    ends: pd.DataFrame
    patches: pd.DataFrame
    holders: pd.DataFrame | Missing
    access: pd.DataFrame | Missing
    surplus: Mapping[str, pd.DataFrame | Missing]
    economy: pd.DataFrame | Missing
    bonus: Mapping[str, Share | Missing]
    bonus_plies: Spread | Missing
    waiting: pd.DataFrame | Missing
    tension: pd.DataFrame | Missing
    decided: pd.DataFrame | Missing
    shown: tuple[Shown, ...] | Missing

    @property
    def agents(self) -> tuple[str, ...]:
        """The specs of both agents, one of them where they are the same."""
        return tuple(dict.fromkeys(agent["spec"] for agent in self.spec["agents"]))

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values that JSON can hold; numbers that are not there are None."""
        return {one.name: _plain(getattr(self, one.name)) for one in fields(self)}


def collect(run: Run) -> Report:
    """Return what a page on a run says. Raises RunError when a file of it is missing or damaged.

    >>> import tempfile
    >>> from patchstats import simulate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = collect(simulate(games=40, seed=1, engine="reference", out=folder))
    >>> print(found.first.share, found.decided.why)
    45.0% [30.7%, 60.2%] the run has no table of turns
    """
    with np.errstate(divide="ignore", invalid="ignore"):  # of few games there may be no variance
        return _collect(run)


def _collect(run: Run) -> Report:
    ruleset, log = run.ruleset, run.spec["log"]
    games = _first_games(run, "games", _OF_GAMES, MOST_GAMES)
    plies = float(games["plies"].mean())
    a_game = {"patches": len(ruleset.patches), "turns": plies, "offers": plies * ruleset.offer_size}
    most = {table: max(2, int(rows / a_game[table])) for table, rows in MOST_ROWS.items()}
    tables: dict[str, pd.DataFrame | Missing] = {}
    for table, needed, names in (
        ("patches", ("games", "turns", "offers"), (*OF_PATCHES, "place", "ply")),
        ("turns", ("turns", "offers"), (*OF_TURNS, "ply", "time_before", "holes")),
        ("offers", ("offers",), ("game_index", "ply", "patch", "affordable", "value")),
    ):
        what = "action logs" if table == "patches" else f"table of {table}"
        if log in needed:
            tables[table] = _first_games(run, table, names, min(most["turns"], most[table]))
        else:
            tables[table] = Missing(f"the run has no {what}", command(run, log=needed[0]))
    patches, turns, offers = tables["patches"], tables["turns"], tables["offers"]
    seen = {"games": len(games)} | {
        table: rows["game_index"].nunique() for table, rows in tables.items() if not isinstance(rows, Missing)
    }
    there = None if isinstance(turns, Missing) else _tried(positions, turns, games, ruleset)
    decided = turns if isinstance(turns, Missing) else _tried(_decided, there, games, ruleset)
    waiting = turns
    if not isinstance(turns, Missing):
        waiting = _tried(award_table, games[games["game_index"] < seen["turns"]], turns, ruleset)
    return Report(
        run_id=run.run_id,
        path=str(run.path),
        spec=run.spec,
        jitter=run.manifest.jitter,
        ruleset=ruleset,
        differences=tuple(differences(ruleset, Ruleset.load("original"))),
        command=command(run),
        log_turns=command(run, log="turns"),
        games=run.manifest.games,
        seen=seen,
        first=_tried(first_player, games),
        first_agent=_first_agent(games, run.spec),
        scores=_scores(games, run.spec),
        spreads=_spreads(games, run.spec),
        ends=_ends(games),
        patches=_patches(ruleset, games, patches),
        holders=patches if isinstance(patches, Missing) else _tried(confounded_holder_share, games, patches),
        access=patches if isinstance(patches, Missing) else _tried(_access, games, patches, ruleset),
        surplus=_surplus(run, games, turns, offers),
        economy=_economy(ruleset, turns, patches),
        bonus={"won": _tried(award_share, games), "winner": _tried(confounded_winner_share, games)},
        bonus_plies=_bonus_plies(games),
        waiting=waiting,
        tension=_tried(_tension, games),
        decided=decided,
        shown=patches if isinstance(patches, Missing) else _shown(run, games),
    )


def _tried(estimate: Callable[..., _T], *arguments: Any) -> _T | Missing:
    """What an estimator returns, or what it says is wrong with these games."""
    try:
        return estimate(*arguments)
    except RunError:
        raise
    except ValueError as error:
        return Missing(str(error))


def _first_games(run: Run, table: str, names: tuple[str, ...], most: int) -> pd.DataFrame:
    """A table of the first games, read shard by shard until there are so many."""
    import pandas as pd

    parts = []
    for shard, part in zip(
        run.manifest.shards, run.batches(table, names, filters=[("game_index", "<", most)]), strict=False
    ):
        parts.append(part)
        if shard.first_game + shard.games >= most:
            break
    return pd.concat(parts, ignore_index=True)


def _first_agent(games: pd.DataFrame, spec: Mapping[str, Any]) -> Share | Missing | None:
    players = _players(games, spec)
    if "seat 0" in players:
        return None
    begins, _ = players["the first agent"]
    return _tried(share_of_rings, (games["winner"] == 0).to_numpy() == begins, games["ring_index"])


def _players(games: pd.DataFrame, spec: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Who is told apart, and which games each played at seat 0 and at seat 1: seats, or agents that swap them."""
    first, second = (agent["spec"] for agent in spec["agents"])
    every, none = np.full(len(games), True), np.full(len(games), False)
    if first == second or spec["pairing"] != "mirrored":
        return {"seat 0": (every, none), "seat 1": (none, every)}
    begins = (games["agent_0"] == first).to_numpy()
    return {"the first agent": (begins, ~begins), "the second agent": (~begins, begins)}


def _scores(games: pd.DataFrame, spec: Mapping[str, Any]) -> pd.DataFrame:
    import pandas as pd

    found = {
        name: pd.concat([games["score_0"][at_0], games["score_1"][at_1]]).value_counts()
        for name, (at_0, at_1) in _players(games, spec).items()
    }
    return pd.DataFrame(found).fillna(0).astype("int64").sort_index().rename_axis("score")


def _spreads(games: pd.DataFrame, spec: Mapping[str, Any]) -> dict[str, Spread]:
    ring = games["ring_index"].to_numpy()
    found = {}
    for name, (at_0, at_1) in _players(games, spec).items():
        values = np.concatenate([games["score_0"].to_numpy()[at_0], games["score_1"].to_numpy()[at_1]])
        found[f"score of {name}"] = _spread(values, np.concatenate([ring[at_0], ring[at_1]]))
    margin = (games["score_0"] - games["score_1"]).abs().to_numpy()
    return found | {"margin of the winner": _spread(margin, ring), "plies": _spread(games["plies"].to_numpy(), ring)}


def _spread(values: Any, ring: Any) -> Spread:
    quartiles = np.quantile(values, [0, 0.25, 0.5, 0.75, 1], method="inverted_cdf")
    return Spread(_tried(lambda: mean_by_ring(values, ring).interval()), *map(float, quartiles))


def _ends(games: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    means = {f"seat {seat}": [games[f"{name}_{seat}"].mean() for name in _OF_SEATS] for seat in (0, 1)}
    return pd.DataFrame(means, index=pd.Index(_OF_SEATS, name="quantity"))


def _patches(ruleset: Ruleset, games: pd.DataFrame, patches: pd.DataFrame | Missing) -> pd.DataFrame:
    import pandas as pd

    found = price_list(ruleset)
    priced = _tried(hedonic, found)
    found["residual"] = np.nan if isinstance(priced, Missing) else priced.residuals
    if isinstance(patches, Missing):
        return found
    ring = games["ring_index"].to_numpy()
    bought: dict[Any, dict[str, float]] = {}
    for patch, rows in patches.groupby("patch", observed=True):
        sold = (rows["seat"] >= 0).to_numpy()
        share, low, high = share_of_rings(sold, ring[rows["game_index"].to_numpy()])
        space = rows["space"].to_numpy()[sold].mean() if sold.any() else np.nan
        bought[patch] = {"bought": share, "bought_low": low, "bought_high": high, "space": space}
    return found.join(pd.DataFrame.from_dict(bought, orient="index"))


def _access(games: pd.DataFrame, patches: pd.DataFrame, ruleset: Ruleset) -> pd.DataFrame:
    return access_effect(games, patches, offer_size=ruleset.offer_size)


def _surplus(
    run: Run, games: pd.DataFrame, turns: pd.DataFrame | Missing, offers: pd.DataFrame | Missing
) -> dict[str, pd.DataFrame | Missing]:
    agents = list(dict.fromkeys(agent["spec"] for agent in run.spec["agents"]))
    found: dict[str, pd.DataFrame | Missing] = {}
    for agent in agents:
        if isinstance(offers, Missing):
            found[agent] = offers
        elif isinstance(turns, Missing):
            found[agent] = turns
        else:
            of = turns[turns["game_index"] <= offers["game_index"].max()]
            found[agent] = _tried(_surplus_to, agent, _own_offers(agent, offers, of, games), of, games, run.ruleset)
    return found


def _own_offers(agent: str, offers: pd.DataFrame, turns: pd.DataFrame, games: pd.DataFrame) -> pd.DataFrame:
    """The offers that were made to an agent, which may sit at either seat or at both."""
    at_0, at_1 = ((games[f"agent_{seat}"] == agent).to_numpy()[turns["game_index"]] for seat in (0, 1))
    own = np.where(turns["seat"] == 0, at_0, at_1)
    return offers if own.all() else offers.merge(turns[own][["game_index", "ply"]])


def _surplus_to(
    agent: str, offers: pd.DataFrame, turns: pd.DataFrame, games: pd.DataFrame, ruleset: Ruleset
) -> pd.DataFrame:
    advance = _tried(greedy_advance, turns, games, ruleset, agent)
    told = offers.assign(value=in_buttons(offers["value"], agent))
    return shadow_surplus(told, games, None if isinstance(advance, Missing) else advance)


def _economy(
    ruleset: Ruleset, turns: pd.DataFrame | Missing, patches: pd.DataFrame | Missing
) -> pd.DataFrame | Missing:
    if not isinstance(turns, Missing):
        return economy(turns, ruleset)
    return patches if isinstance(patches, Missing) else economy_of_patches(patches, ruleset)


def _bonus_plies(games: pd.DataFrame) -> Spread | Missing:
    won = games[games["bonus_seat"] >= 0]
    if not len(won):
        return Missing("nobody won it in any game")
    return _spread(won["bonus_ply"].to_numpy(), won["ring_index"].to_numpy())


def _tension(games: pd.DataFrame) -> pd.DataFrame:
    margin = (games["score_0"] - games["score_1"]).abs()
    measures = games[["ring_index", "lead_changes"]].assign(close=margin <= CLOSE, tie=margin == 0)
    return mean_tension(measures)


def _decided(there: pd.DataFrame | Missing, games: pd.DataFrame, ruleset: Ruleset) -> pd.DataFrame:
    if isinstance(there, Missing):
        raise ValueError(there.why)
    measures = tension_of_games(there, held_out(there, ruleset), games)
    return mean_tension(measures.drop(columns=["lead_changes", "close", "tie"]))


def _shown(run: Run, games: pd.DataFrame) -> tuple[Shown, ...]:
    """A typical game and extreme ones; of several alike the first, and one game once."""
    margin = (games["score_0"] - games["score_1"]).abs().to_numpy()
    best = games[["score_0", "score_1"]].max(axis=1).to_numpy()
    middle = np.quantile(margin, 0.5, method="inverted_cdf")
    reasons: dict[int, list[str]] = {}
    for why, found in (
        (f"typical: a margin of {middle:g}, the median", margin == middle),
        (f"the highest score: {best.max()}", best == best.max()),
        (f"the largest margin: {margin.max()}", margin == margin.max()),
        (f"the closest: a margin of {margin.min()}", margin == margin.min()),
    ):
        reasons.setdefault(int(games["game_index"].to_numpy()[found.argmax()]), []).append(why)
    return tuple(Shown(game, tuple(why), run.record(game), replaying(run, game)) for game, why in reasons.items())


def _plain(value: Any) -> Any:
    import pandas as pd

    match value:
        case Missing():
            return {"missing": value.why, "command": value.command or None}
        case Shown():
            return {"game_index": value.game_index, "why": list(value.why), "command": value.command}
        case FirstPlayer():
            return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
        case Ruleset():
            return value.to_dict()
        case pd.DataFrame():
            return {str(name): _plain(row.to_dict()) for name, row in value.iterrows()}
        case tuple() if hasattr(value, "_asdict"):
            return {name: _plain(one) for name, one in value._asdict().items()}
        case Mapping():
            return {str(name): _plain(one) for name, one in value.items()}
        case tuple() | list():
            return [_plain(one) for one in value]
        case float() | np.floating():
            return float(value) if np.isfinite(value) else None
        case np.integer():
            return int(value)
    return value
