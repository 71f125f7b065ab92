"""Metrics of a finished run: its games are replayed from their action logs, and each metric's table is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from patchstats.dataset.jitter import ruleset_of
from patchstats.dataset.manifest import NAME, Shard
from patchstats.dataset.metric_tables import (
    Definition,
    MetricTable,
    Part,
    encode_part,
    intact_part,
    logs_of,
    read_table,
    write_table,
)
from patchstats.dataset.played import GameLog, replay_to_the_end, ring_from
from patchstats.dataset.run import Run, open_run
from patchstats.dataset.schema import SCHEMA_VERSION
from patchstats.dataset.shards import shard_name
from patchstats.errors import DamagedManifest, IllegalAction, MetricError, RunError
from patchstats.metrics import NamedMetric, make_metric
from patchstats.rules import Ruleset
from patchstats.simulation.directory import explained
from patchstats.simulation.executors import check_workers, done_in_processes
from patchstats.simulation.progress import Report
from patchstats.simulation.progress import progress as show_progress

#: How many games are replayed at a time: a fraction of a second's work, so that an interrupted command ends soon.
_GAMES_AT_A_TIME = 200


def compute_metrics(
    run: str | Path, metrics: Iterable[str], *, workers: int = 1, again: bool = False, progress: str = "off"
) -> list[MetricTable]:
    """Compute metrics of a finished run and return the manifests of their tables, in the order asked for.

    The same as `patchstats metrics` on the command line. What is there is kept: an interrupted computation is gone on
    with, and when the run was extended or mended since, what has changed is computed. `Run.metric` returns the tables.

    Args:
        run: the directory of the run, or its URL.
        metrics: names of shipped metrics, or `module:Class` for a metric of one's own.
        workers: how many processes replay games. The files do not depend on it. They start as fresh interpreters, so
            that a script which asks for more than one must do so under `if __name__ == "__main__":`.
        again: compute everything, and replace a table of another metric with the same name.
        progress: `auto`, `plain`, `json` or `off`; shown on standard error.

    Raises MetricError for a metric that is none, fails or gives what is no row of its table; RunError when there is no
    finished run with action logs, or the table of another metric with that name.

    >>> import tempfile
    >>> from patchstats import simulate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = simulate(games=10, seed=1, out=folder)
    ...     [table] = compute_metrics(folder, ["streaks"])
    ...     longest = run.metric("streaks", ["longest_streak_0"]).max()
    >>> table.metric.table, longest.tolist()
    ('metrics/streaks', [3])
    """
    names = list(metrics) if isinstance(metrics, Iterable) and not isinstance(metrics, str) else None
    if not names or not all(isinstance(name, str) for name in names):
        raise RunError(f"metrics must be a list of one name or more, not {metrics if names is None else names!r}")
    check_workers(workers)
    opened = open_run(run)
    if opened.spec["log"] == "summary":
        raise RunError(f"{opened.path} was simulated with --log summary; metrics are computed from action logs")
    for place, name in enumerate(names):
        if name in names[:place]:
            raise RunError(f"{name} is given twice")
    asked = [_Asked.of(opened, make_metric(name), again) for name in names]
    for number, one in enumerate(asked):
        for other in asked[:number]:
            if one.metric.name == other.metric.name:
                raise RunError(f"{other.metric.spec} and {one.metric.spec} are both named {one.metric.name!r}")
    for one in asked:
        if not again:
            one.look()
    with explained(opened.store):
        shards = [shard for shard in opened.manifest.shards if any(one.lacks(shard) for one in asked)]
        games = sum(shard.games for shard in shards)
        with show_progress(progress, "metrics", opened.manifest.games, opened.manifest.games - games) as report:
            _compute(opened, asked, shards, workers, report)
        return [one.completed() for one in asked]


@dataclass(slots=True)
class _Asked:
    """A metric that was asked for, and what of its table is there.

    Attributes:
        run: the run.
        metric: the metric.
        definition: the same as plain values.
        replaced: whether a manifest that is there is to go before the first part is written.
        present: the manifest that is there and stays, if one is.
        found: the parts that are there and need not be computed, by shard.
    """

    run: Run
    metric: NamedMetric
    definition: Definition
    replaced: bool
    present: MetricTable | None = None
    found: dict[int, Part] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run, metric: NamedMetric, again: bool) -> _Asked:
        definition = Definition(metric.name, metric.spec, metric.sha256, metric.columns)
        return cls(run, metric, definition, again)

    def look(self) -> None:
        """Find the parts that are there. Raises RunError when they are those of another metric."""
        try:
            self.present = read_table(self.run.store, self.metric.name)
        except DamagedManifest:
            self.present = None
        if self.present is not None and self.present.metric != self.definition:
            raise RunError(
                f"{self.run.store.where(self.definition.table)} holds another metric "
                f"({_difference(self.present.metric, self.definition)}); --again replaces it"
            )
        listed = {part.shard: part for part in self.present.parts} if self.present else {}
        for shard in self.run.manifest.shards:
            part = intact_part(self.run.store, self.run.manifest, self.definition, shard, listed.get(shard.shard))
            if part is not None:
                self.found[shard.shard] = part

    def lacks(self, shard: Shard) -> bool:
        return shard.shard not in self.found

    def write(self, shard: Shard, values: dict[str, list[Any]]) -> None:
        part, data = encode_part(values, self.run.manifest, self.definition, shard)
        if self.replaced:
            self.run.store.remove(f"{self.definition.table}/{NAME}")
            self.replaced = False
        self.run.store.write(shard_name(self.definition.table, shard.shard), data)
        self.found[shard.shard] = part

    def completed(self) -> MetricTable:
        """Write the manifest, unless it is there, and remove what is left of another table."""
        store = self.run.store
        parts = tuple(self.found[shard.shard] for shard in self.run.manifest.shards)
        table = MetricTable(self.run.run_id, self.definition, SCHEMA_VERSION, parts)
        if table != self.present:
            write_table(store, table)
        own = {f"{self.definition.table}/{NAME}", *(shard_name(self.definition.table, part.shard) for part in parts)}
        for name in store.names():
            if name.startswith(f"{self.definition.table}/") and name not in own:
                store.remove(name)
        store.sweep()
        return table


#: Metrics by their specs and the hashes of their modules.
_Named = tuple[tuple[str, str | None], ...]


class _Task(NamedTuple):
    """Some games of a shard, from its `first` on, to be watched by some of the metrics."""

    shard: int
    first: int
    metrics: list[int]
    games: list[GameLog]


class _Watched(NamedTuple):
    """What comes of a task: for each of its metrics the values of each column."""

    shard: int
    first: int
    games: int
    values: dict[int, dict[str, list[Any]]]


def _compute(run: Run, asked: list[_Asked], shards: list[Shard], workers: int, report: Report) -> None:
    """Write the parts that are missing."""
    by_number = {shard.shard: shard for shard in shards}
    wanted = {number: [at for at, one in enumerate(asked) if one.lacks(shard)] for number, shard in by_number.items()}
    workers = min(workers, sum(-(-shard.games // _GAMES_AT_A_TIME) for shard in shards))
    pieces: dict[int, list[_Watched]] = defaultdict(list)  # of each shard, in whatever order
    with closing(_watchers(run, asked, _tasks(run, shards, wanted), workers)) as watched:
        for piece in watched:
            report(piece.games)
            shard = by_number[piece.shard]
            pieces[shard.shard].append(piece)
            if sum(one.games for one in pieces[shard.shard]) == shard.games:
                whole = sorted(pieces.pop(shard.shard), key=lambda one: one.first)
                for at in wanted[shard.shard]:
                    names = [column.name for column in asked[at].definition.columns]
                    asked[at].write(shard, {name: [v for one in whole for v in one.values[at][name]] for name in names})


def _tasks(run: Run, shards: list[Shard], wanted: dict[int, list[int]]) -> Iterator[_Task]:
    for shard in shards:
        games = logs_of(run.store, run.manifest, shard)
        for first in range(0, len(games), _GAMES_AT_A_TIME):
            yield _Task(shard.shard, first, wanted[shard.shard], games[first : first + _GAMES_AT_A_TIME])


def _watchers(run: Run, asked: list[_Asked], tasks: Iterator[_Task], workers: int) -> Generator[_Watched, None, None]:
    """Let this process, or several others, do the tasks; when it is closed, the others end."""
    where, jitter = str(run.path), run.manifest.jitter
    if workers <= 1:
        yield from map(partial(_watch, where, jitter, run.ruleset, [one.metric for one in asked]), tasks)
        return
    named = tuple((one.metric.spec, one.metric.sha256) for one in asked)
    yield from done_in_processes(
        partial(_watch_elsewhere, where, jitter, run.ruleset, named), tasks, workers, run.store
    )


def _watch_elsewhere(where: str, jitter: str, ruleset: Ruleset, named: _Named, task: _Task) -> _Watched:
    return _watch(where, jitter, *_kept(ruleset, named), task)


@lru_cache(maxsize=1)
def _kept(ruleset: Ruleset, named: _Named) -> tuple[Ruleset, list[NamedMetric]]:
    """What a worker keeps for its next task: the ruleset with all that was worked out of it, and the metrics."""
    metrics = [make_metric(spec) for spec, _ in named]
    for metric, (spec, sha256) in zip(metrics, named, strict=True):
        if metric.sha256 != sha256:
            raise MetricError(f"metric {spec!r}: its module was changed while it was computed; start again")
    return ruleset, metrics


def _watch(where: str, jitter: str, ruleset: Ruleset, metrics: list[NamedMetric], task: _Task) -> _Watched:
    """Replay the games of a task and let its metrics watch them."""
    values: dict[int, dict[str, list[Any]]] = {
        number: {column.name: [] for column in metrics[number].columns} for number in task.metrics
    }
    for game in task.games:
        try:
            of_game = ruleset_of(ruleset, jitter, game.jitter)
            plies = replay_to_the_end(of_game, ring_from(of_game, game.ring), game.actions)
        except (RunError, IllegalAction) as error:
            raise RunError(f"{where}: game {game.game_index}: its actions cannot be played: {error}") from None
        for number, columns in values.items():
            for row in metrics[number].rows(game.game_index, plies):
                for name, value in row.items():
                    columns[name].append(value)
    return _Watched(task.shard, task.first, len(task.games), values)


def _difference(there: Definition, asked: Definition) -> str:
    """What tells two metrics with the same name apart."""
    for what in ("spec", "sha256"):
        one, other = getattr(there, what), getattr(asked, what)
        if one != other:
            return f"{what}: {one!r} there, {other!r} asked for"
    return "with other columns"
