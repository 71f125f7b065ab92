"""Several finished runs, read into one frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patchstats.columns import OF_RUNS
from patchstats.dataset.frames import Asked, Frames
from patchstats.dataset.manifest import NAME
from patchstats.dataset.run import Run, Wanted, open_run
from patchstats.dataset.store import stores_like
from patchstats.errors import RunError

if TYPE_CHECKING:
    import pandas as pd

#: The types of those columns of `OF_RUNS` that are numbers; the others are categories.
_NUMBERS = {"seed": "uint64", "games": "int64"}


class Runs(Frames, Sequence[Run]):
    """Several runs, read into one frame; `open_runs` returns them.

    Every frame begins with columns of the runs' specs: run (its directory), run_id, ruleset, ruleset_id, agents (as
    `--agents` takes them), pairing, seed, log, stop_when (missing where a run was not to stop before its end), and
    games (how many the run has). The rest is as of a single `Run`, and `batches` go run by run.

    Raises RunError when two runs hold the same games, however they are logged. Its frames raise it, too, when the runs
    have different columns in a table: those that they share can be asked for.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = tuple(runs)
        for number, run in enumerate(self._runs):
            for other in self._runs[:number]:
                if _played(other) == _played(run):
                    raise RunError(
                        f"{other.path} and {run.path} hold the same games "
                        "(ruleset, agents, seed, pairing and jitter are the same); give one"
                    )

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, place: Any) -> Any:
        """Return the run at a place, from 0, or for a slice those runs together, as `Runs`."""
        found = self._runs[place]
        return Runs(found) if isinstance(place, slice) else found

    def _batches(self, asked: Asked) -> Iterator[pd.DataFrame]:
        wanted = self._wanted(asked)
        return (_with_spec(run, frame) for run, one in wanted for frame in run._read_batches(one))

    def _frame(self, asked: Asked) -> pd.DataFrame:
        import pandas as pd

        if not self._runs:
            raise RunError("there are no runs to read; open some")
        frames = [_with_spec(run, run._read_frame(one)) for run, one in self._wanted(asked)]
        whole = pd.concat(frames, ignore_index=True)
        for name, column in frames[0].items():
            if isinstance(column.dtype, pd.CategoricalDtype):
                whole[name] = pd.api.types.union_categoricals([frame[name] for frame in frames])
        return whole

    def _wanted(self, asked: Asked) -> list[tuple[Run, Wanted]]:
        """Return what is to be read of each run. Raises RunError when that does not fit into one frame."""
        wanted = [(run, run._wanted(asked)) for run in self._runs]
        for run, one in wanted:
            first, other = wanted[0]
            types, others = _types(one), _types(other)
            if types != others:
                same = [name for name in others if types.get(name) == others[name]]
                differing = [name for name in {**others, **types} if name not in same]
                raise RunError(
                    f"the {asked.table} of {first.path} and of {run.path} have different columns "
                    f"({', '.join(differing)}); name as `columns` some that are the same in both: "
                    f"{', '.join(same) or 'none of these is'}"
                )
            taken = [name for name in types if name in OF_RUNS]
            if taken:
                raise RunError(
                    f"the {asked.table} of {run.path} have columns that are named as those of specs "
                    f"({', '.join(taken)}); name other columns, or read run by run"
                )
        return wanted


def _played(run: Run) -> tuple[Any, ...]:
    """Everything that the games of a run depend on but their number: they are the first ones of the same games."""
    manifest = run.manifest
    spec = manifest.without_remarks
    named = (spec["ruleset_id"], spec["agents"], spec["seed"], spec["pairing"])
    return *named, manifest.jitter, manifest.versions["behaviour"]


def _types(wanted: Wanted) -> dict[str, tuple[str, bool]]:
    return {column.name: (column.type, column.nullable) for column in wanted.columns}


def _with_spec(run: Run, frame: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    values = {
        **run.spec,
        "run": str(run.path),
        "run_id": run.run_id,
        "ruleset": run.ruleset.name,
        "agents": ",".join(agent["spec"] for agent in run.spec["agents"]),
        "games": run.manifest.games,
    }
    columns: dict[str, Any] = {}
    for name in OF_RUNS:
        if name in _NUMBERS:
            columns[name] = pd.Series(values[name], index=frame.index, dtype=_NUMBERS[name])
        else:
            there = [] if values[name] is None else [values[name]]
            columns[name] = pd.Categorical.from_codes([len(there) - 1] * len(frame), pd.Index(there, dtype=str))
    return pd.concat([pd.DataFrame(columns, index=frame.index), frame], axis=1)


def open_runs(paths: str | Path | Sequence[str | Path]) -> Runs:
    """Open several finished runs: those whose directories or URLs are given, or that a pattern such as `runs/*` fits.

    Raises RunError for each reason of `open_run`, when a pattern fits no run, and when two runs hold the same games.

    >>> import tempfile
    >>> from patchstats import simulate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for seed in (1, 2):
    ...         _ = simulate(games=100, seed=seed, out=f"{folder}/{seed}")
    ...     games = open_runs(f"{folder}/*").games(["winner"])
    >>> games.groupby("seed")["winner"].sum().to_dict()
    {1: 57, 2: 48}
    """
    patterns = [paths] if isinstance(paths, str | Path) else paths
    found = [store for pattern in patterns for store in stores_like(pattern, NAME)]
    return Runs([open_run(store.path) for store in found])
