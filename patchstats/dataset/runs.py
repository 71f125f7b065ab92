"""Several finished runs, read into one frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patchstats.dataset.frames import Filters, Frames
from patchstats.dataset.manifest import NAME
from patchstats.dataset.run import Run, open_run
from patchstats.dataset.store import stores_like
from patchstats.errors import RunError

if TYPE_CHECKING:
    import pandas as pd


class Runs(Frames, Sequence[Run]):
    """Several runs, read into one frame; `open_runs` returns them.

    Every frame begins with columns of the runs' specs: run (its directory), run_id, ruleset, ruleset_id, agents (as
    `--agents` takes them), pairing, seed. The rest is as of a single `Run`.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = tuple(runs)
        for number, run in enumerate(self._runs):
            for other in self._runs[:number]:
                if other.run_id == run.run_id:
                    raise RunError(f"{other.path} and {run.path} hold the same games (run {run.run_id}); give one")

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, place: Any) -> Any:
        found = self._runs[place]
        return Runs(found) if isinstance(place, slice) else found

    def batches(
        self, table: str, columns: Sequence[str] | None = None, filters: Filters | None = None
    ) -> Iterator[pd.DataFrame]:
        """Return a table of all runs as one frame a shard, run by run."""
        batches = [(run, run.batches(table, columns, filters)) for run in self._runs]
        return (_with_spec(run, frame) for run, frames in batches for frame in frames)

    def _frame(self, table: str, columns: Sequence[str] | None, filters: Filters | None) -> pd.DataFrame:
        import pandas as pd

        if not self._runs:
            raise RunError("there are no runs to read; open some")
        frames = [_with_spec(run, run._frame(table, columns, filters)) for run in self._runs]
        whole = pd.concat(frames, ignore_index=True)
        for name, column in frames[0].items():
            if isinstance(column.dtype, pd.CategoricalDtype):
                whole[name] = pd.api.types.union_categoricals([frame[name] for frame in frames])
        return whole


def _with_spec(run: Run, frame: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    spec = {
        "run": str(run.path),
        "run_id": run.run_id,
        "ruleset": run.ruleset.name,
        "ruleset_id": run.spec["ruleset_id"],
        "agents": ",".join(agent["spec"] for agent in run.spec["agents"]),
        "pairing": run.spec["pairing"],
    }
    named = {name: pd.Categorical.from_codes([0] * len(frame), pd.Index([value])) for name, value in spec.items()}
    seed = pd.Series(run.spec["seed"], index=frame.index, dtype="uint64")
    return pd.concat([pd.DataFrame({**named, "seed": seed}, index=frame.index), frame], axis=1)


def open_runs(paths: str | Path | Sequence[str | Path]) -> Runs:
    """Open several finished runs: those whose directories or URLs are given, or that a pattern such as `runs/*` fits.

    Raises RunError for each reason of `open_run`, when a pattern fits no run, and when two runs hold the same games.
    """
    patterns = [paths] if isinstance(paths, str | Path) else paths
    found = [store for pattern in patterns for store in stores_like(pattern, NAME)]
    return Runs([open_run(store.path) for store in found])
