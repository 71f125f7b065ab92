"""The manifest of a run: what was simulated, and which files hold it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from reprlib import repr as shown
from typing import Any

from patchstats.dataset.schema import LOG_LEVELS
from patchstats.dataset.shards import whole_file
from patchstats.errors import RunError

NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class File:
    """A shard file of one table: its rows, its size in bytes, its checksum."""

    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Shard:
    """A finished shard: its number, the games in it, and its file for each table."""

    shard: int
    first_game: int
    games: int
    files: dict[str, File]


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything the spec of a run determines.

    Attributes:
        spec: agents, seed, number of games and the like, as plain values.
        ruleset: the ruleset in full, as `Ruleset.to_dict` gives it.
        versions: `schema` and `behaviour`, the versions of the tables and of play.
        shards: the finished shards, by number; in a finished run all of them.
    """

    spec: dict[str, Any]
    ruleset: dict[str, Any]
    versions: dict[str, int]
    shards: tuple[Shard, ...]

    @property
    def finished(self) -> bool:
        """Whether every game of the spec is in a shard."""
        return sum(shard.games for shard in self.shards) == int(self.spec["games"])


def write_manifest(run: Path, manifest: Manifest) -> None:
    """Write the manifest of a run, whole or not at all."""
    text = json.dumps(asdict(manifest), indent=1) + "\n"
    with whole_file(run / NAME) as file:
        file.write(text.encode())


def read_manifest(run: Path) -> Manifest:
    """Return the manifest of a run. Raises RunError when there is none or it is damaged."""
    path = run / NAME
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        _check(values, _FORM, "manifest")
        shards = tuple(
            Shard(**{**entry, "files": {table: File(**file) for table, file in entry["files"].items()}})
            for entry in values["shards"]
        )
        return Manifest(values["spec"], values["ruleset"], values["versions"], shards)
    except OSError as error:
        raise RunError(f"{run} is no run: {NAME} in it: {error.strerror}") from None
    except (AttributeError, ValueError, TypeError, RecursionError) as error:
        raise RunError(f"{path} is damaged ({error}); simulate into another directory") from None


#: What a manifest must look like: for a table the form of each key, for a list that of its entries, else a type or a
#: function that tells whether a value will do. The ruleset is checked by `Ruleset.from_dict`.
_FORM: dict[str, Any] = {
    "spec": {
        "agents": lambda agents: isinstance(agents, list) and len(agents) == 2 and all(map(_is_agent, agents)),
        "games": lambda games: type(games) is int and games > 0,
        "games_per_shard": lambda games: type(games) is int and games > 0,
        "log": lambda log: isinstance(log, str) and log in LOG_LEVELS,
        "ruleset_id": str,
        "seed": int,
    },
    "ruleset": dict,
    "versions": {"schema": int, "behaviour": int},
    "shards": [
        {"shard": int, "first_game": int, "games": int, "files": lambda files: all(map(_is_file, files.values()))}
    ],
}


def _is_agent(agent: Any) -> bool:
    return (
        isinstance(agent, dict)
        and set(agent) == {"spec", "sha256", "ring"}
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
        if not isinstance(value, dict) or set(value) != set(form):
            raise ValueError(f"{where} must have the keys {', '.join(form)}")
        for key, inner in form.items():
            _check(value[key], inner, f"{where}.{key}")
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
