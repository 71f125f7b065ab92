"""The directory of a run: whether a run may be written there, how one is begun, and how it is cleared away."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from patchstats.dataset.manifest import NAME, Manifest, read_manifest
from patchstats.dataset.schema import TABLES
from patchstats.dataset.shards import is_temporary
from patchstats.errors import RunError

#: What the spec does not determine: times, workers, engine.
LOG = "log.jsonl"


def manifest_there(run: Path, planned: Manifest) -> Manifest | None:
    """Return the manifest of this very run, or None for a place where a run can begin; raise RunError otherwise."""
    if (run / NAME).exists():
        present = read_manifest(run)
        _refuse_another_run(run, present, planned)
        return present
    if run.is_dir() and not all(is_temporary(path) for path in run.iterdir()):
        raise RunError(f"{run} holds other files and no run; choose a directory that is empty or not there yet")
    return None


def absent_directories(run: Path) -> list[Path]:
    """Return the directories that must be made for the run, innermost first."""
    return [path for path in (run, *run.parents) if not os.path.exists(path)]


def clear_directory(run: Path, created: list[Path]) -> None:
    """Remove what was written of a run without a finished shard, and the directories that were made for it."""
    if os.path.isdir(run):
        for name in (NAME, LOG):
            (run / name).unlink(missing_ok=True)
    for path in (*(run / table for table in TABLES), *created):
        if os.path.isdir(path):
            path.rmdir()


def note(run: Path, **values: Any) -> None:
    """Add a line to the run's log of what its spec does not determine."""
    line = json.dumps({"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), **values})
    with (run / LOG).open("a", encoding="utf-8") as log:
        log.write(line + "\n")


def _refuse_another_run(run: Path, present: Manifest, planned: Manifest) -> None:
    there, asked = (
        _flat({**manifest.spec, "ruleset": manifest.ruleset, **manifest.versions}) for manifest in (present, planned)
    )
    if there.get("games", 0) <= asked["games"]:
        there["games"] = asked["games"]  # a run may be extended
    differing = [key for key in sorted({*there, *asked}) if there.get(key) != asked.get(key)]
    if differing == ["games"]:
        games = there["games"]
        raise RunError(f"{run} is a run of {games} games, more than {asked['games']}; ask for {games} games or more")
    if differing:
        listed = "; ".join(f"{key}: {there.get(key)!r} there, {asked.get(key)!r} asked for" for key in differing)
        raise RunError(f"{run} holds another run ({listed}); choose another directory")


def _flat(values: Any, prefix: str = "") -> dict[str, Any]:
    """Nested plain values by dotted keys."""
    if isinstance(values, dict):
        items = [(str(key), value) for key, value in values.items()]
    elif isinstance(values, list) and any(isinstance(value, dict) for value in values):
        items = [(str(index), value) for index, value in enumerate(values)]
    else:
        return {prefix: values}
    flat: dict[str, Any] = {}
    for key, value in items:
        flat |= _flat(value, f"{prefix}.{key}" if prefix else key)
    return flat
