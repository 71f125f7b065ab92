"""The manifest of a run: what was simulated, and which files hold it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from reprlib import repr as shown
from typing import Any

from patchstats.dataset.jitter import JITTERS
from patchstats.dataset.schema import JITTER, LOG_LEVELS, SCHEMA_VERSION
from patchstats.dataset.store import Store, reason
from patchstats.dataset.tally import Tally
from patchstats.errors import DamagedManifest, RunError

NAME = "manifest.json"
#: What the text of every manifest begins with.
BEGINNING = b'{\n "run_id"'
#: The spec of both agents in a run of games that were recorded elsewhere; no agent can be asked for by it.
RECORDED = "recorded"


@dataclass(frozen=True, slots=True)
class File:
    """A shard file of one table: its rows, its size in bytes, its checksum."""

    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Shard:
    """A finished shard: its number, its first game, how its games went, and its file for each table."""

    shard: int
    first_game: int
    tally: Tally
    files: dict[str, File]

    @property
    def games(self) -> int:
        """How many games are in it."""
        return self.tally.games


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything the spec of a run determines.

    Attributes:
        spec: agents, seed, number of games and the like, as plain values.
        ruleset: the ruleset in full, as `Ruleset.to_dict` gives it.
        versions: `schema` and `behaviour`, the versions of the tables and of play.
        shards: the shards by number; all of them in a finished run, else none.
    """

    spec: dict[str, Any]
    ruleset: dict[str, Any]
    versions: dict[str, int]
    shards: tuple[Shard, ...] = ()

    @property
    def run_id(self) -> str:
        """What names the run: a hash of its spec and versions, but for the number of games, by which a run grows, and
        remarks.

        Runs of the same games that are logged, cut into shards or stopped otherwise have different ones.
        """
        named = {**self.without_remarks, "games": None, **self.versions}
        return _sha256(json.dumps(named, sort_keys=True))[:16]

    @property
    def without_remarks(self) -> dict[str, Any]:
        """The spec without what is remarked on its agents, which tells no runs apart."""
        agents = [{key: value for key, value in agent.items() if key != "remark"} for agent in self.spec["agents"]]
        return {**self.spec, "agents": agents}

    @property
    def recorded(self) -> bool:
        """Whether the games were recorded elsewhere, so that no seed lays their rings."""
        return all(agent["spec"] == RECORDED for agent in self.spec["agents"])

    @property
    def jitter(self) -> str:
        """Which numbers of the patches change from game to game, or nothing."""
        return str(self.spec.get("jitter", ""))

    def with_jitter(self, columns: Iterable[str]) -> list[str]:
        """Return these columns of the games table, and where prices change that of their changes."""
        return [*columns, *([JITTER.name] if self.jitter else [])]

    @property
    def games(self) -> int:
        """How many games are in the shards: those of the spec, unless the run was to stop before."""
        return sum(shard.games for shard in self.shards)

    @property
    def finished(self) -> bool:
        """Whether every game is in a shard."""
        return self.games == self.spec["games"] or (bool(self.shards) and self.spec["stop_when"] is not None)

    def metadata(self) -> dict[str, Any]:
        """Return what every shard file says of itself."""
        return {
            "schema_version": self.versions["schema"],
            "behaviour_version": self.versions["behaviour"],
            "run_id": self.run_id,
            "ruleset": self.ruleset,
        }


def write_manifest(store: Store, manifest: Manifest) -> None:
    """Write the manifest of a run, whole or not at all, with a checksum of itself."""
    write_checked(store, NAME, {"run_id": manifest.run_id, **asdict(manifest)})


def write_checked(store: Store, name: str, values: dict[str, Any]) -> None:
    """Write plain values as JSON, whole or not at all, with a checksum of themselves; `checked` is the way back."""
    store.write(name, _with_checksum(values))


def checked(data: bytes) -> Any:
    """Return the values that `write_checked` wrote. Raises ValueError, TypeError or KeyError for any other text."""
    values = json.loads(data)
    del values["checksum"]
    if data != _with_checksum(values):
        raise ValueError("it is not what its checksum is of")
    return values


def _with_checksum(values: dict[str, Any]) -> bytes:
    return (json.dumps({**values, "checksum": _sha256(json.dumps(values))}, indent=1) + "\n").encode()


def read_manifest(store: Store) -> Manifest:
    """Return the manifest of a run, of this schema version or an earlier one.

    Raises RunError when there is none, and DamagedManifest when it cannot be understood.
    """
    where = store.where(NAME)
    try:
        data = store.read(NAME)
        version = json.loads(data)["versions"]["schema"]
        values = _of_version_1(json.loads(data)) if version == 1 else checked(data)
        if version > SCHEMA_VERSION:
            raise RunError(
                f"{where} is of schema version {version}, and this patchstats reads 1 to {SCHEMA_VERSION}; update it"
            )
        _check(values, _FORM, "manifest")
        shards = tuple(
            Shard(
                entry["shard"],
                entry["first_game"],
                Tally(**entry["tally"]),
                {table: File(**file) for table, file in entry["files"].items()},
            )
            for entry in values["shards"]
        )
        return Manifest(values["spec"], values["ruleset"], values["versions"], shards)
    except OSError as error:
        raise RunError(f"{store} is no run: {NAME} in it: {reason(error)}") from None
    except (AttributeError, KeyError, ValueError, TypeError, RecursionError) as error:
        raise DamagedManifest(f"{where} is damaged ({error}); the simulate command of this run mends it") from None


def _of_version_1(values: Any) -> Any:
    """What a manifest of version 1 says, in the form of today; of wins version 1 said nothing."""
    return {
        "run_id": "",
        **values,
        "spec": {"pairing": "none", "stop_when": None, **values["spec"]},
        "shards": [
            {"tally": asdict(Tally(shard.pop("games"), wins=-1, rings=-1, squares=-1)), **shard}
            for shard in values["shards"]
        ],
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


#: What a manifest must look like: for a table the form of each key, for a list that of its entries, else a type or a
#: function that tells whether a value will do. The ruleset is checked by `Ruleset.from_dict`.
_FORM: dict[str, Any] = {
    "run_id": str,
    "spec": {
        "agents": lambda agents: isinstance(agents, list) and len(agents) == 2 and all(map(_is_agent, agents)),
        "games": lambda games: type(games) is int and games > 0,
        "games_per_shard": lambda games: type(games) is int and games > 0,
        "jitter": lambda jitter: jitter in JITTERS,
        "log": lambda log: isinstance(log, str) and log in LOG_LEVELS,
        "pairing": str,
        "ruleset_id": str,
        "seed": int,
        "stop_when": lambda rule: rule is None or isinstance(rule, str),
    },
    "ruleset": dict,
    "versions": {"schema": lambda version: type(version) is int and version > 0, "behaviour": int},
    "shards": [
        {
            "shard": int,
            "first_game": int,
            "tally": {"games": int, "wins": int, "rings": int, "squares": int},
            "files": lambda files: all(map(_is_file, files.values())),
        }
    ],
}

#: Keys that are written only where there is something to tell.
_OPTIONAL = {"jitter"}


def _is_agent(agent: Any) -> bool:
    return (
        isinstance(agent, dict)
        and set(agent) - {"reproducible", "remark"} == {"spec", "sha256", "ring"}
        and agent.get("reproducible", False) is False  # written only where games cannot be played again
        and isinstance(agent.get("remark", ""), str)  # written only where there is one
        and isinstance(agent["spec"], str)
        and (agent["sha256"] is None or isinstance(agent["sha256"], str))
        and (agent["ring"] is None or all(isinstance(patch, str) for patch in agent["ring"]))
    )


def _is_file(file: Any) -> bool:
    return (
        isinstance(file, dict)
        and set(file) == {"rows", "bytes", "sha256"}
        and type(file["rows"]) is type(file["bytes"]) is int
        and isinstance(file["sha256"], str)
    )


def _check(value: Any, form: Any, where: str) -> None:
    """Raise ValueError or TypeError, saying where, for a value that has not the form."""
    if isinstance(form, dict):
        needed = set(form) - _OPTIONAL
        if not isinstance(value, dict) or not needed <= set(value) <= set(form):
            raise ValueError(f"{where} must have the keys {', '.join(key for key in form if key in needed)}")
        for key, inner in value.items():
            _check(inner, form[key], f"{where}.{key}")
    elif isinstance(form, list):
        if not isinstance(value, list):
            raise ValueError(f"{where} must be a list")
        for number, entry in enumerate(value):
            _check(entry, form[0], f"{where}[{number}]")
    elif isinstance(form, type):
        if type(value) is not form:
            raise ValueError(f"{where} must be of type {form.__name__}")
    elif not form(value):
        raise ValueError(f"{where} cannot be {shown(value)}")
