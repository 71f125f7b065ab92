"""What a change of the rules does: the same games by the rules as they are and as they might be, side by side."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from patchstats.agents import make_agent
from patchstats.analysis.paired import KEYS, Paired, paired, unchanged
from patchstats.analysis.shares import Share
from patchstats.dataset.run import Run
from patchstats.errors import RunError
from patchstats.experiments.field import place_of_runs, played, whole_number
from patchstats.experiments.match import Match
from patchstats.experiments.pairs import below
from patchstats.rules import Ruleset
from patchstats.rules.loading import parse_change

if TYPE_CHECKING:
    import pandas as pd

#: A range of whole numbers as the value of a change.
_SWEEP = re.compile(r"(-?[0-9]{1,4})\.\.(-?[0-9]{1,4})")
#: The most rulesets that a base is compared with at a time.
_MOST = 200


class Quantity(NamedTuple):
    """What is compared: its name, its unit (`share` for what is true of a game or not), and how games tell it."""

    name: str
    unit: str
    of: Callable[[pd.DataFrame], Any]


#: What is compared of all rulesets. `score` and `empty cells` are means over both seats.
QUANTITIES = (
    Quantity("seat 0 wins", "share", lambda games: games["winner"] == 0),
    Quantity("margin of seat 0", "points", lambda games: games["score_0"].astype(int) - games["score_1"]),
    Quantity("score", "points", lambda games: (games["score_0"].astype(int) + games["score_1"]) / 2),
    Quantity("empty cells", "cells", lambda games: (games["empty_0"].astype(int) + games["empty_1"]) / 2),
    Quantity("7x7 bonus", "share", lambda games: games["bonus_seat"] >= 0),
    Quantity("equal scores", "share", lambda games: games["tie_broken"]),
    Quantity("plies", "plies", lambda games: games["plies"]),
    Quantity("lead changes", "changes", lambda games: games["lead_changes"]),
)
#: The columns of the games table that they are computed from, and all actions.
COLUMNS = (
    *(*KEYS, "winner", "tie_broken", "bonus_seat", "plies", "lead_changes", "actions"),
    *("score_0", "score_1", "empty_0", "empty_1"),
)


@dataclass(frozen=True, slots=True)
class Difference:
    """How one quantity differs: its name, its unit, and what the games say of it."""

    name: str
    unit: str
    found: Paired


@dataclass(frozen=True, slots=True)
class Variant:
    """A changed ruleset beside the base.

    Attributes:
        label: what was changed, as it was asked for.
        ruleset_id: what was played with.
        run: the directory or URL of its run.
        unchanged: the share of games in which every action is the same as by the base.
        differences: how each quantity differs; of each patch that is changed also how often it is bought.
    """

    label: str
    ruleset_id: str
    run: str
    unchanged: Share
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What changes of the rules do.

    Attributes:
        base: the name of the ruleset that the others are compared with.
        ruleset_id: its id.
        agents: who plays at seat 0 and seat 1.
        seed: the seed of all runs.
        games: how many games were played by each ruleset.
        variants: the changed rulesets, in the order in which they were asked for.
        remarks: what is to be kept in mind, such as an agent that judges the rulesets by different evaluations.
    """

    base: str
    ruleset_id: str
    agents: tuple[str, str]
    seed: int
    games: int
    variants: tuple[Variant, ...]
    remarks: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, as `patchstats whatif --json` prints them."""
        return {
            **{name: getattr(self, name) for name in ("base", "ruleset_id", "seed", "games")},
            "agents": list(self.agents),
            "remarks": list(self.remarks),
            "variants": [
                {
                    **{name: getattr(variant, name) for name in ("label", "ruleset_id", "run")},
                    "unchanged": variant.unchanged._asdict(),
                    "differences": [_plain(one) for one in variant.differences],
                }
                for variant in self.variants
            ],
        }


def _plain(one: Difference) -> dict[str, Any]:
    found = one.found
    ratio = found.variance_ratio if found.variance_ratio < float("inf") else None  # JSON has no infinity
    return {
        "name": one.name,
        "unit": one.unit,
        "base": found.base,
        "new": found.new,
        "difference": found.difference.value,
        "low": found.difference.low,
        "high": found.difference.high,
        "variance_ratio": ratio,
    }


def variants_of(ruleset: Ruleset, changes: Sequence[str], against: Ruleset | None = None) -> dict[str, Ruleset]:
    """Return the changed rulesets that some `--set` ask for, by what is changed.

    A value such as `0..4` stands for each of these numbers, and several such values for all their combinations. They
    change `against` where that is given, else the ruleset itself. Raises RulesetError for changes that make no ruleset,
    and RunError when there is nothing to compare with, a key is changed twice, or there are more than 200 rulesets.

    >>> list(variants_of(Ruleset.load("original"), ["patches.p21.cost=0..2", "start_buttons=6"]))
    ['patches.p21.cost=0,start_buttons=6', 'patches.p21.cost=1,start_buttons=6', 'patches.p21.cost=2,start_buttons=6']
    """
    if not changes and against is None:
        raise RunError("nothing is changed; give a change such as patches.p21.cost=1, or another ruleset")
    keys = [parse_change(change)[0] for change in changes]
    for key in keys:
        if keys.count(key) > 1:
            raise RunError(f"{key} is changed twice; for several values in turn write {key}=0..2")
    values = [_values(change) for change in changes]
    count = 1
    for each in values:
        count *= len(each)
    if count > _MOST:
        raise RunError(f"these are {count} rulesets; at most {_MOST} are compared at a time")
    changed = against or ruleset
    found: dict[str, Ruleset] = {}
    for chosen in product(*values):
        label = ",".join(([] if against is None else [against.name]) + list(chosen))
        found[label] = changed.with_changes(dict(map(parse_change, chosen))) if chosen else changed
    return found


def _values(change: str) -> list[str]:
    """A change, or, for a range, one for each of its numbers."""
    key, _, value = change.partition("=")
    if not (sweep := _SWEEP.fullmatch(value.strip())):
        return [change]
    first, last = map(int, sweep.groups())
    if first > last:
        raise RunError(f"{change}: a range begins with its lower end, such as {last}..{first}")
    return [f"{key}={number}" for number in range(first, last + 1)]


def whatif(
    *,
    agents: Sequence[str],
    pairs: int,
    changes: Sequence[str] = (),
    against: str | Ruleset | None = None,
    seed: int = 1,
    ruleset: str | Ruleset = "original",
    out: str | Path | None = None,
    pairing: str = "none",
    games_per_shard: int = 0,
    engine: str = "auto",
    workers: int = 1,
    progress: str = "off",
) -> WhatIf:
    """Play the same games by a ruleset and by changed ones, and compare them: `patchstats whatif`.

    Both games of a pair have the same ring and the same random numbers, so that a game in which the change never
    mattered is the same twice, and what is left of the difference is due to the change: Law, "Simulation Modeling and
    Analysis" (5th ed. 2015), section 11.2.

    Args:
        agents: the spec strings of the agents at seat 0 and seat 1.
        pairs: how many games are played by each ruleset.
        changes: what is changed, as `--set` takes it; see `variants_of`.
        against: another ruleset, which the changes are made to, and which is itself compared when there are none.
        seed: the seed of all runs.
        ruleset: the base, to be compared with.
        out: the directory, or URL, below which each ruleset has a run of its own, to be gone on with; without one the
            runs are thrown away in the end.
        pairing, games_per_shard, engine, workers, progress: as of `simulate`.

    Raises what `simulate` and `variants_of` raise.

    >>> found = whatif(agents=["greedy", "greedy"], pairs=500, changes=["patches.p21.cost=1"])
    >>> [variant] = found.variants
    >>> print(variant.label, f"{variant.differences[2].found.difference:+.1f}")
    patches.p21.cost=1 -1.6 [-2.0, -1.2]
    """
    base = Ruleset.load(ruleset)
    other = None if against is None else Ruleset.load(against)
    variants = variants_of(base, changes, other)
    whole_number("pairs", pairs, 2)
    settings = {
        "agents": list(agents),
        "seed": seed,
        "log": "games",
        "pairing": pairing,
        "games_per_shard": games_per_shard,
        "engine": engine,
        "workers": workers,
    }
    with place_of_runs(out) as place:
        return _compared(base, variants, pairs, settings, place, progress)


def _compared(
    base: Ruleset,
    variants: Mapping[str, Ruleset],
    pairs: int,
    settings: Mapping[str, Any],
    place: str | Path,
    progress: str,
) -> WhatIf:
    rulesets = [base, *variants.values()]
    places = [below(place, name) for name in ("base", *map(_directory, variants))]
    matches = [
        Match(pairs, COLUMNS, {**settings, "ruleset": one, "out": where})
        for one, where in zip(rulesets, places, strict=True)
    ]
    (base_run, base_games, _), *others = played(matches, progress, "whatif")
    found = []
    for (label, changed), (run, games, _) in zip(variants.items(), others, strict=True):
        watched = [patch.id for patch in changed.patches if patch.id not in base or base[patch.id] != patch]
        watched = [patch for patch in watched if patch in base]
        before, after = (_with_purchases(one, frame, watched) for one, frame in ((base_run, base_games), (run, games)))
        quantities = (*QUANTITIES, *(Quantity(f"{patch} bought", "share", _column(patch)) for patch in watched))
        differences = tuple(Difference(one.name, one.unit, paired(before, after, one.of)) for one in quantities)
        share = unchanged(before, after)
        found.append(Variant(label, changed.ruleset_id, str(run.path), share, differences))
    first, second = matches[0].spec.agents
    remarks = tuple(_judged_otherwise(agent, base, variants) for agent in dict.fromkeys((first, second)))
    told = tuple(filter(None, remarks))
    return WhatIf(base.name, base.ruleset_id, (first, second), matches[0].spec.seed, pairs, tuple(found), told)


def _judged_otherwise(agent: str, base: Ruleset, variants: Mapping[str, Ruleset]) -> str:
    """What is to be said of an agent whose evaluation was learned for some of the rulesets alone; nothing otherwise."""
    learned = not make_agent(agent, base).remark
    others = [label for label, changed in variants.items() if bool(make_agent(agent, changed).remark) == learned]
    if not others:
        return ""
    return (
        f"{agent} judges {base.name} and {', '.join(others)} by different evaluations, so that differences are also "
        "its own; evaluation=hand, or evaluation=learned, judges all of them alike"
    )


def _directory(label: str) -> str:
    """The name of the directory of a variant."""
    return re.sub(r"[^A-Za-z0-9_.=,+-]+", "-", label)


def _column(name: str) -> Callable[[pd.DataFrame], Any]:
    return lambda games: games[name]


def _with_purchases(run: Run, games: pd.DataFrame, patches: Sequence[str]) -> pd.DataFrame:
    """Add a column for each of some patches: whether anybody bought it."""
    if not patches:
        return games
    bought = run.patches(["game_index", "patch", "seat"], filters=[("patch", "in", list(patches))])
    wide = (bought["seat"] >= 0).groupby([bought["game_index"], bought["patch"].astype(str)]).any().unstack()
    return games.merge(wide.reset_index(), on="game_index", validate="one_to_one")
