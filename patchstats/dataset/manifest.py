"""The manifest of a run: what was simulated, and which files hold it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
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
        shards = tuple(
            Shard(
                entry["shard"],
                entry["first_game"],
                entry["games"],
                {table: File(**file) for table, file in entry["files"].items()},
            )
            for entry in values["shards"]
        )
        spec = values["spec"]
        agents = [agent["spec"] for agent in spec["agents"]]
        if not isinstance(spec["games"], int) or spec["log"] not in LOG_LEVELS or len(agents) != 2:
            raise ValueError(f"games {spec['games']!r}, log {spec['log']!r}, {len(agents)} agents")
        return Manifest(spec, values["ruleset"], values["versions"], shards)
    except OSError as error:
        raise RunError(f"{run} is no run: {NAME} in it: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RunError(
            f"{path} is damaged ({type(error).__name__}: {error}); simulate into another directory"
        ) from None
