"""How a run can be simulated again: its ruleset as changes of a shipped one, and the command."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from patchstats.rules import Ruleset
from patchstats.rules.loading import shipped_rulesets

if TYPE_CHECKING:
    from patchstats.dataset.run import Run

#: How many `--set` a command has at most; what is changed more is a ruleset of its own.
_MOST_CHANGES = 12


class Difference(NamedTuple):
    """A key by which a ruleset differs from another: what it is there and here, None where it is not."""

    key: str
    there: Any
    here: Any


def differences(ruleset: Ruleset, base: Ruleset) -> list[Difference]:
    """Return every key that a ruleset has otherwise than another, names and titles apart.

    >>> original = Ruleset.load("original")
    >>> differences(original.with_changes({"patches.p21.cost": 1}), original)
    [Difference(key='patches.p21.cost', there=0, here=1)]
    """
    here, there = _flat(ruleset), _flat(base)
    keys = list(dict.fromkeys([*there, *here]))
    return [Difference(key, there.get(key), here.get(key)) for key in keys if there.get(key) != here.get(key)]


def command(run: Run, *, log: str | None = None) -> str:
    """Return the command that simulates a run again, or with another `log` into a directory beside it.

    A ruleset that is not a shipped one with a few changes is called RULESET there: its folder is not known. Games that
    were recorded elsewhere are replayed from what they were read from, which is called FILE.

    >>> import tempfile
    >>> from patchstats import simulate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = command(simulate(games=2, seed=1, engine="reference", out=folder))
    >>> again.partition(" --out")[0]
    'patchstats simulate --games 2 --seed 1 --agents random,random --log games --games-per-shard 20000'
    """
    spec = run.spec
    place = run.path if log is None else f"{run.path}-{log}"
    if run.manifest.recorded:
        words = ["patchstats", "audit", "FILE", *_of_ruleset(run.ruleset), "--log", log or spec["log"], "--out", place]
        return shlex.join(map(str, words))
    words = ["--games", spec["games"], "--seed", spec["seed"]]
    words += ["--agents", ",".join(agent["spec"] for agent in spec["agents"]), *_of_ruleset(run.ruleset)]
    if spec["pairing"] != "none":
        words += ["--pairing", spec["pairing"]]
    if spec["stop_when"] is not None:
        words += ["--stop-when", spec["stop_when"]]
    if run.manifest.jitter:
        words += ["--jitter", run.manifest.jitter]
    words += ["--log", log or spec["log"], "--games-per-shard", spec["games_per_shard"]]
    words += ["--out", place]
    return shlex.join(["patchstats", "simulate", *map(str, words)])


def replaying(run: Run, game_index: int) -> str:
    """Return the command that tells a game of a run."""
    return shlex.join(["patchstats", "replay", str(run.path), "--game", str(game_index)])


def _of_ruleset(ruleset: Ruleset) -> list[str]:
    """The options that ask for it, none for `original`."""
    by_base = {name: differences(ruleset, Ruleset.load(name)) for name in shipped_rulesets()}
    base = min(by_base, key=lambda name: len(by_base[name]))
    changes = by_base[base]
    if len(changes) > _MOST_CHANGES or any(one.there is None or one.here is None for one in changes):
        return ["--ruleset", "RULESET"]
    asked = [] if base == "original" else ["--ruleset", base]
    for one in changes:
        # json writes numbers, texts and lists of numbers as TOML does.
        asked += ["--set", f"{one.key}={json.dumps(one.here)}"]
    return asked


def _flat(ruleset: Ruleset) -> dict[str, Any]:
    settings = ruleset.to_dict()
    patches = settings.pop("patches")
    del settings["name"], settings["title"]
    return settings | {f"patches.{patch}.{key}": of[key] for patch, of in patches.items() for key in of}
