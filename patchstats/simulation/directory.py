"""The directory of a run: whether a run may be written there, how one is begun, and how it is cleared away."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from patchstats.dataset.manifest import BEGINNING, NAME, Manifest, Shard, read_manifest
from patchstats.dataset.metric_tables import FOLDER as METRICS
from patchstats.dataset.schema import TABLES
from patchstats.dataset.shards import described, shard_name, shard_of
from patchstats.dataset.store import Store, reason
from patchstats.errors import DamagedManifest, RunError

#: What the spec does not determine: times, workers, engine.
LOG = "log.jsonl"


def manifest_there(store: Store, planned: Manifest) -> Manifest | None:
    """Return the manifest of this very run, or None where there is none that can be read.

    Raises RunError for a place that holds anything else. Without a manifest the shard files and the log tell of which
    run they are.
    """
    ours = False
    listed = store.holds(NAME)
    if listed:
        with suppress(DamagedManifest):
            present = read_manifest(store)
            _refuse_another_run(store, present, planned)
            return present
        ours = store.read(NAME).startswith(BEGINNING)
    if store.holds(LOG):
        ours |= planned.run_id.encode() in store.read(LOG)
    names = store.names()
    for name in names:
        if name in (NAME, LOG) or name.startswith(METRICS):
            continue
        found = shard_of(name)
        if found is None:
            raise _other_files(store, name)
        said = described(store, name)
        if said is None:
            continue
        metadata, rows = said
        if metadata.get("run_id") != planned.run_id:
            raise RunError(
                f"{store} has no manifest that can be read, and {name} is of another run; choose another directory"
            )
        games = found[1] * planned.spec["games_per_shard"] + (rows if found[0] == "games" else 1)
        if games > planned.spec["games"]:
            raise RunError(
                f"{store} has no manifest that can be read, and {name} is of a run of more than "
                f"{planned.spec['games']} games; ask for as many as it had, or more"
            )
        ours = True
    if names and not ours:
        if not listed and store.holds(NAME):  # somebody has begun this run between the two looks
            return manifest_there(store, planned)
        raise _other_files(store, names[0])
    return None


def _other_files(store: Store, name: str) -> RunError:
    return RunError(f"{store} holds other files ({name}) and no run; choose a directory that is empty")


def begun(store: Store) -> bool:
    """Whether a shard, or a part of one, is there."""
    return any(shard_of(name) for name in store.names())


@contextmanager
def explained(store: Store) -> Iterator[None]:
    """Say what is wrong with the directory when the system refuses to write there, and what is kept."""
    try:
        yield
    except OSError as error:
        kept = ""
        with suppress(OSError):  # a store out of reach: who knows what is there
            if begun(store):
                kept = "; what was finished is kept, and the same command goes on with it"
        raise RunError(f"{error.filename or store} cannot be written: {reason(error)}{kept}") from None


def clear_directory(store: Store, made: list[Path]) -> None:
    """Remove what was written of a run without a finished shard, and the directories that were made for it."""
    for name in (NAME, LOG):
        store.remove(name)
    store.sweep()
    store.clear(TABLES, made)


def tidy_up(store: Store, complete: Manifest) -> None:
    """Remove what is beyond the end of a run that is about to be completed, and what killed writers left.

    Raises RunError when another command made it a larger run meanwhile, or when one of its files has vanished.
    """
    manifest_there(store, complete)
    own = {shard_name(table, shard.shard) for shard in complete.shards for table in shard.files}
    names = store.names()
    for name in sorted(own.difference(names)):
        raise RunError(f"{store.where(name)} vanished while the run was simulated; the same command writes it again")
    for name in names:
        if shard_of(name) and name not in own:
            store.remove(name)
    store.sweep()


def note_shards(store: Store, run_id: str, shards: Iterable[Shard]) -> None:
    """Add the checksums of finished shards to the log, so that a run that is gone on with need not examine them."""
    checksums = {shard.shard: {table: file.sha256 for table, file in shard.files.items()} for shard in shards}
    note(store, event="shards", run_id=run_id, sha256=checksums)


def noted_shards(store: Store, run_id: str) -> dict[int, dict[str, str]]:
    """Return the checksums that were noted of shards of this run, by number and table; lines that are damaged are not
    believed.
    """
    noted: dict[int, dict[str, str]] = {}
    lines = store.read(LOG).splitlines() if store.holds(LOG) else []
    for line in lines:
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            values = json.loads(line)
            if values["event"] == "shards" and values["run_id"] == run_id:
                noted |= {int(shard): dict(checksums) for shard, checksums in values["sha256"].items()}
    return noted


def note(store: Store, **values: Any) -> None:
    """Add a line to the run's log of what its spec does not determine."""
    store.append(LOG, json.dumps({"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), **values}))


def _refuse_another_run(store: Store, present: Manifest, planned: Manifest) -> None:
    there, asked = (
        _flat({**manifest.without_remarks, "ruleset": manifest.ruleset, **manifest.versions})
        for manifest in (present, planned)
    )
    if there.get("games", 0) <= asked["games"]:
        there["games"] = asked["games"]  # a run may be extended
    differing = [key for key in sorted({*there, *asked}) if there.get(key) != asked.get(key)]
    # Another agent differs in more than its spec, and that need not be said.
    others = tuple(key.removesuffix("spec") for key in differing if key.startswith("agents.") and key.endswith(".spec"))
    differing = [key for key in differing if key.endswith(".spec") or not key.startswith(others)]
    if differing == ["games"]:
        games, some = there["games"], "at most " if there["stop_when"] else ""
        raise RunError(
            f"{store} is a run of {some}{games} games, more than {asked['games']}; ask for {games} games or more"
        )
    if differing:
        listed = "; ".join(_told(key, there.get(key), asked.get(key)) for key in differing)
        raise RunError(f"{store} holds another run ({listed}); choose another directory")


def _told(key: str, there: Any, asked: Any) -> str:
    """A value that differs; of checksums the beginning, and what it means that they differ."""
    if key.endswith(".sha256"):
        return f"{key}: {str(there)[:12]}... there, {str(asked)[:12]}... asked for, that of another file"
    return f"{key}: {there!r} there, {asked!r} asked for"


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
