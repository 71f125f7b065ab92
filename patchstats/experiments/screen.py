"""Which prices matter: all of them changed by lot in every game, and one regression of what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patchstats.analysis.clusters import regress, with_q
from patchstats.analysis.screening import screen as screened
from patchstats.dataset.run import Run
from patchstats.errors import RunError
from patchstats.experiments.field import place_of_runs, played, whole_number
from patchstats.experiments.match import Match
from patchstats.experiments.pairs import below
from patchstats.experiments.whatif import COLUMNS, QUANTITIES
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    import pandas as pd

#: What of `QUANTITIES` is looked at.
_OUTCOMES = ("seat 0 wins", "margin of seat 0", "score", "empty cells", "7x7 bonus")
#: What a step does to how often somebody buys the patch itself.
BOUGHT = "is bought"
#: Games for each number that is changed, so that the regression tells them apart well.
_GAMES_PER_FACTOR = 20


@dataclass(frozen=True, slots=True)
class Screening:
    """What a step of each price does.

    Attributes:
        ruleset: the name of the ruleset.
        ruleset_id: its id.
        agents: who played at seat 0 and seat 1.
        seed: the seed of the run.
        games: how many games.
        jitter: what of each patch was changed, as of `RunSpec`.
        run: the directory or URL of the run.
        effects: for each outcome a frame with a row a factor, the greatest effects first, and the columns `estimate`,
            `low`, `high`, `p_value` and `q_value`; see `analysis.screening.screen`.
        units: the unit of each outcome.
    """

    ruleset: str
    ruleset_id: str
    agents: tuple[str, str]
    seed: int
    games: int
    jitter: str
    run: str
    effects: Mapping[str, pd.DataFrame]
    units: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, as `patchstats screen --json` prints them."""
        names = ("ruleset", "ruleset_id", "seed", "games", "jitter", "run")
        return {
            **{name: getattr(self, name) for name in names},
            "agents": list(self.agents),
            "effects": {
                outcome: {"unit": self.units[outcome], "factors": frame.reset_index().to_dict("records")}
                for outcome, frame in self.effects.items()
            },
        }


def screen(
    *,
    agents: Sequence[str],
    games: int,
    jitter: str = "cost",
    seed: int = 1,
    ruleset: str | Ruleset = "original",
    out: str | Path | None = None,
    pairing: str = "none",
    games_per_shard: int = 0,
    engine: str = "auto",
    workers: int = 1,
    progress: str = "off",
) -> Screening:
    """Change all prices by lot in every game, and estimate what each does: `patchstats screen`.

    Each factor is one step up of one number of one patch. All are estimated from the same games, each as precisely as
    if it alone had been changed: see `analysis.screening.screen`. What comes out are averages over the small changes
    of all others, and for steps of one; what looks interesting is to be confirmed with `whatif` and another seed.

    Args:
        agents: the spec strings of the agents at seat 0 and seat 1.
        games: how many games, at least 20 for each factor.
        jitter: which numbers of each patch are changed, such as `cost` or `cost+time+income`.
        seed: the seed of the run.
        ruleset: the base.
        out: the directory, or URL, below which the run lies, to be gone on with; without one it is thrown away in the
            end.
        pairing, games_per_shard, engine, workers, progress: as of `simulate`.

    Raises what `simulate` raises, and RunError for too few games.

    >>> found = screen(agents=["greedy", "greedy"], games=2000)
    >>> found.effects["score"].index[0]
    'p17.cost'
    """
    base = Ruleset.load(ruleset)
    if not jitter:
        raise RunError("jitter must say what of each patch is changed, such as cost or cost+time+income")
    least = _GAMES_PER_FACTOR * len(base.patches) * len(jitter.split("+"))
    whole_number("games", games, least, ", to tell so many prices apart")
    settings = {
        "agents": list(agents),
        "seed": seed,
        "ruleset": base,
        "log": "games",
        "pairing": pairing,
        "jitter": jitter,
        "games_per_shard": games_per_shard,
        "engine": engine,
        "workers": workers,
    }
    with place_of_runs(out) as place:
        return _screened(base, games, jitter, {**settings, "out": below(place, "run")}, progress)


def _screened(base: Ruleset, games: int, jitter: str, settings: dict[str, Any], progress: str) -> Screening:
    match = Match(games, [name for name in COLUMNS if name != "actions"], settings)
    [(run, frame, _)] = played([match], progress, "screen")
    steps = run.jitter()
    rings = frame["ring_index"].to_numpy()
    factors = [str(name) for name in steps.columns]
    chosen = [one for one in QUANTITIES if one.name in _OUTCOMES]
    effects = {one.name: screened(one.of(frame), steps.to_numpy(), factors, rings) for one in chosen}
    units = {one.name: one.unit for one in chosen}
    first, second = match.spec.agents
    return Screening(
        base.name,
        base.ruleset_id,
        (first, second),
        match.spec.seed,
        games,
        jitter,
        str(run.path),
        {**effects, BOUGHT: _on_purchases(run, steps, rings)},
        {**units, BOUGHT: "share"},
    )


def _on_purchases(run: Run, steps: pd.DataFrame, rings: Any) -> pd.DataFrame:
    """What a step of each factor does to how often its own patch is bought."""
    import pandas as pd

    parts = []
    for patch in run.ruleset.patches:
        bought = run.patches(["seat"], filters=[("patch", "==", patch.id)])["seat"] >= 0
        own = [name for name in map(str, steps.columns) if name.startswith(f"{patch.id}.")]
        design = steps[own].assign(constant=1.0).astype(float)
        parts.append(regress(bought.to_numpy(), design, rings).drop(index="constant"))
    found = with_q(pd.concat(parts))
    return found.sort_values("estimate", key=abs, ascending=False, kind="stable").rename_axis("factor")
