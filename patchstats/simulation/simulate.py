"""A whole run: its directory is prepared, the shards that are missing are played, the manifest is completed."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from patchstats.agents import Agent
from patchstats.analysis.shares import Share, share_by_ring
from patchstats.dataset.manifest import Manifest, Shard, write_manifest
from patchstats.dataset.run import Run
from patchstats.dataset.shards import shard_name
from patchstats.dataset.store import reason, store_at
from patchstats.dataset.tally import Tally
from patchstats.errors import PatchstatsError, RunError
from patchstats.rules import Ruleset
from patchstats.simulation.cluster import play_on_cluster
from patchstats.simulation.directory import (
    begun,
    clear_directory,
    explained,
    manifest_there,
    note,
    note_shards,
    noted_shards,
    tidy_up,
)
from patchstats.simulation.executors import check_workers, play_in_processes, play_in_threads
from patchstats.simulation.players import play_here
from patchstats.simulation.progress import progress as show_progress
from patchstats.simulation.progress import say
from patchstats.simulation.shard import Work, intact_shard
from patchstats.simulation.spec import RunSpec
from patchstats.simulation.stopping import Ending
from patchstats.simulation.threads import aside

_SECONDS_BETWEEN_NOTES = 10.0

ENGINES = ("auto", "kernel", "reference")
EXECUTORS = ("local", "dask")


def simulate(
    *,
    games: int,
    seed: int,
    out: str | Path,
    agents: Sequence[str] = ("random", "random"),
    ruleset: str | Ruleset = "original",
    log: str = "games",
    pairing: str = "none",
    stop_when: str | None = None,
    games_per_shard: int = 0,
    jitter: str = "",
    engine: str = "auto",
    workers: int = 1,
    executor: str = "local",
    scheduler: str | None = None,
    progress: str = "off",
) -> Run:
    """Simulate games and return the run; the same as `patchstats simulate` on the command line.

    Args:
        games: how many games; with `stop_when` at most so many.
        seed: the seed of every random stream, 0 to 2**64 - 1; the same seed gives the same games, however many.
        out: the directory of the run, or a URL that fsspec understands, such as `s3://bucket/run`. When it holds a part
            of this very run, that is completed; when it holds fewer games of it, they become more.
        agents: the spec strings of the agents at seat 0, which moves first, and seat 1.
        ruleset: a ruleset, or the name, folder or file of one.
        log: `summary` (a row a game), `games` (the same, with the action log), `turns` (also a row a ply) or `offers`
            (also a row a patch on offer at each turn).
        pairing: `none` (a ring a game), `rings:K` (K games a ring) or `mirrored` (two games a ring, the agents swapping
            seats for the second).
        stop_when: `ci:W`, to end with the first shard after which the 95 % interval of the share of games that seat 0
            won is at most W wide, from end to end; where rings are played more than once, not before 30 were.
        games_per_shard: how many games a file holds; 0 for what suits the agents: at most 20,000 of those that are
            compiled, 1,000 of others, fewer of those that search, and as many as fill whole rings.
        jitter: `cost`, `time`, `income`, or several of them in this order, such as `cost+time`: these numbers of each
            patch are changed by -1, 0 or 1, by lot, anew for each ring. `Run.jitter` tells by how much.
        engine: `kernel`, the compiled engine, which plays the agents of patchstats; `reference`; or `auto`, the
            compiled one where it can play. The files do not depend on it.
        workers: how many play at a time on this machine. The files do not depend on it. The compiled engine plays in
            threads. The reference engine plays in processes, which start as fresh interpreters, so that a script which
            asks for more than one must do so under `if __name__ == "__main__":`.
        executor: `local`, or `dask` for the workers of the Dask cluster at `scheduler`.
        scheduler: the address of a Dask scheduler, such as `tcp://10.0.0.5:8786`.
        progress: `auto`, `plain`, `json` or `off`; shown on standard error.

    Raises RunError, RulesetError or AgentError for settings that cannot be, for a directory that holds something else
    or cannot be written, and for an agent that fails.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = simulate(games=100, seed=1, pairing="mirrored", agents=["random", "random-patch"], out=folder)
    ...     games = run.games(["ring_index", "agent_0", "winner"])
    >>> games.head(2).values.tolist()
    [[0, 'random', 0], [0, 'random-patch', 1]]
    """
    job = prepare(
        games=games,
        seed=seed,
        out=out,
        agents=agents,
        ruleset=ruleset,
        log=log,
        pairing=pairing,
        stop_when=stop_when,
        games_per_shard=games_per_shard,
        jitter=jitter,
        engine=engine,
        workers=workers,
        executor=executor,
        scheduler=scheduler,
        progress=progress,
    )
    store, planned = job.work.store, job.work.planned
    with explained(store):
        if job.ending.shards is None:
            with _undone_if_nothing_came_of_it(job):
                if job.present is None:
                    write_manifest(store, planned)
                _play(job)
        complete = replace(planned, shards=tuple(job.found[number] for number in range(job.ending.shards or 0)))
        tidy_up(store, complete)
        if complete != job.present:
            write_manifest(store, complete)
    return Run(store, complete)


@dataclass(slots=True)
class Job:
    """A run that is about to be simulated: what for, by whom, and what of it is there.

    Attributes:
        work: the spec, and where the files go.
        engine: `kernel` or `reference`.
        workers: how many play at a time on this machine.
        scheduler: the address of the scheduler whose workers play instead.
        progress: how progress is shown.
        present: the manifest that is there, if one is.
        found: the shards that are there and undamaged, by number.
        ending: knows with which shard the run ends, or that more are needed.
    """

    work: Work
    engine: str
    workers: int
    scheduler: str | None
    progress: str
    present: Manifest | None
    ending: Ending
    found: dict[int, Shard] = field(default_factory=dict)

    @property
    def missing(self) -> list[int]:
        """The shards to be played, unless the run ends before; those that the manifest lists come last.

        So a run that is being extended can be read as the run it was till then. Where the run may end before, they are
        played in order, since no shard tells whether it ends there as long as one before it is missing.
        """
        present = self.present if self.work.spec.stop_when is None else None
        listed = {shard.shard for shard in present.shards} if present else set()
        absent = (number for number in self.work.spec.shards if number not in self.found)
        return sorted(absent, key=lambda number: (number in listed, number))


def prepare(
    *,
    out: str | Path,
    agents: Sequence[str] = ("random", "random"),
    ruleset: str | Ruleset = "original",
    engine: str = "auto",
    workers: int = 1,
    executor: str = "local",
    scheduler: str | None = None,
    progress: str = "off",
    **settings: Any,
) -> Job:
    """Check the settings of `simulate`, and look at what is there; nothing is written."""
    if not isinstance(out, str | Path) or out == "":
        raise RunError(f"out must be the path of a directory or a URL, not {out!r}")
    if not isinstance(ruleset, str | Ruleset):
        raise RunError(f"ruleset must be a ruleset, or the name, folder or file of one, not {ruleset!r}")
    check_workers(workers)
    if isinstance(agents, str) or not isinstance(agents, Sequence):
        raise RunError(f"agents must be a sequence of two spec strings, not {agents!r}")
    if engine not in ENGINES:
        raise RunError(f"engine {engine!r} is none of {', '.join(ENGINES)}")
    if executor not in EXECUTORS:
        raise RunError(f"executor {executor!r} is none of {', '.join(EXECUTORS)}")
    if scheduler is not None and not isinstance(scheduler, str):
        raise RunError(f"scheduler must be an address such as tcp://127.0.0.1:8786, not {scheduler!r}")
    if (executor == "dask") != (scheduler is not None):
        raise RunError("executor dask and the address of its scheduler belong together; give both or neither")
    played_with = Ruleset.load(ruleset)
    spec = RunSpec(played_with, tuple(agents), **settings)  # type: ignore[arg-type]
    store = store_at(out)
    work = Work(spec, spec.manifest(), store)
    chosen = _engine_for(spec, engine, progress)
    if str(out).startswith("memory://") and (scheduler is not None or (chosen == "reference" and workers > 1)):
        raise RunError(f"{out} is of this process alone, and others are to write there; give a directory")
    try:
        present = manifest_there(store, work.planned)
        job = Job(work, chosen, workers, scheduler, progress, present, Ending(spec))
        if present is not None or begun(store):
            _look_at_shards(job)
    except OSError as error:
        raise RunError(f"{error.filename or store} cannot be read: {reason(error)}") from None
    return job


def _look_at_shards(job: Job) -> None:
    listed = {shard.shard: shard for shard in job.present.shards} if job.present else {}
    store = job.work.store
    names, noted = set(store.names()), noted_shards(store, job.work.planned.run_id)
    for number in job.work.spec.shards:
        if shard_name("games", number) not in names:
            continue
        there = intact_shard(job.work, number, listed.get(number), noted.get(number, {}))
        if there is not None:
            job.found[number] = there
            job.ending.note(there)
            if job.ending.shards is not None:
                break


def _engine_for(spec: RunSpec, engine: str, progress: str) -> str:
    """Return which engine plays. Raises RunError when the compiled one is asked for and cannot."""
    unknown = [agent for agent in spec.make_agents() if agent.decider is None or not agent.reproducible]
    if engine == "reference" or (engine == "auto" and unknown):
        return "reference"
    why_not = aside(partial(import_module, "patchstats.kernel.engine")).why_not  # it compiles something, once
    obstacle = _why_not(unknown[0]) if unknown else why_not(spec.ruleset)
    if obstacle and engine == "kernel":
        raise RunError(f"the compiled engine cannot play this: {obstacle}")
    if obstacle:
        say(progress, f"played by the reference engine, which is slower: {obstacle}")
        return "reference"
    return "kernel"


def _why_not(agent: Agent) -> str:
    if agent.decider is None:
        return f"agent {agent.spec!r} is none of patchstats"
    return f"agent {agent.spec!r} is limited by seconds, and the compiled engine looks at no clock"


@contextmanager
def _undone_if_nothing_came_of_it(job: Job) -> Iterator[None]:
    """Make the directory of a fresh run, and clear it away when an error ends the run before its first shard."""
    store = job.work.store
    made = store.make()
    try:
        yield
    except (PatchstatsError, OSError):
        if job.present is None and not begun(store):
            clear_directory(store, made)
        raise


def _play(job: Job) -> None:
    """Play the missing shards until it is known that no more are needed."""
    spec, missing = job.work.spec, job.missing
    note(
        job.work.store,
        event="start",
        run_id=job.work.planned.run_id,
        workers=job.workers if job.scheduler is None else None,
        executor="local" if job.scheduler is None else "dask",
        engine=job.engine,
        shards_missing=len(missing),
    )
    tally = sum((shard.tally for shard in job.found.values()), Tally())

    def share() -> Share | None:
        return share_by_ring(tally.games, tally.wins, tally.rings, tally.squares) if tally.games else None

    with (
        show_progress(job.progress, "simulate", spec.games, tally.games, share) as report,
        closing(_players(job, missing)) as shards,
        _noting(job.work) as tell,
    ):
        for shard in shards:
            job.found[shard.shard] = shard
            job.ending.note(shard)
            tell(shard)
            tally += shard.tally
            report(shard.games)
            if job.ending.shards is not None:
                break
    if spec.stop_when is not None and job.ending.shards is not None and job.ending.shards < len(spec.shards):
        say(job.progress, f"the interval is narrow enough after {spec.games_of(job.ending.shards - 1).stop:,} games")
    note(job.work.store, event="end")


@contextmanager
def _noting(work: Work) -> Iterator[Callable[[Shard], None]]:
    """Note the finished shards that are told in the run's log, now and then, and when the work is broken off."""
    fresh: list[Shard] = []
    noted = time.monotonic()

    def tell(shard: Shard) -> None:
        nonlocal noted
        fresh.append(shard)
        if time.monotonic() - noted > _SECONDS_BETWEEN_NOTES:
            note_shards(work.store, work.planned.run_id, fresh)
            fresh.clear()
            noted = time.monotonic()

    try:
        yield tell
    except BaseException:
        with suppress(OSError):  # the error that broke it off is the one to be told
            note_shards(work.store, work.planned.run_id, fresh)
        raise


def compile_players(job: Job) -> None:
    """Compile what plays on this machine, or load it, before several threads or processes would do so at once."""
    agents = [
        agent for agent in job.work.spec.make_agents() if agent.decider and (job.engine == "kernel" or agent.asked)
    ]
    if not agents:
        return
    from patchstats.kernel.asking import compile_asking
    from patchstats.kernel.engine import compile_engine, is_compiled

    rules, compile_rules = ("games", compile_engine) if job.engine == "kernel" else ("asking", compile_asking)
    if not is_compiled([rules, *(agent.module for agent in agents)]):
        say(job.progress, "the engine is being compiled, once on this machine")
    for compiled in (compile_rules, *(agent.decider for agent in agents if agent.decider)):
        aside(compiled)


def _players(job: Job, missing: list[int]) -> Generator[Shard, None, None]:
    for remark in dict.fromkeys(agent.remark for agent in job.work.spec.make_agents() if agent.remark):
        say(job.progress, remark)
    if job.scheduler is None:
        compile_players(job)
    workers = min(job.workers, len(missing))
    if job.scheduler is not None:
        work = replace(job.work, store=job.work.store.absolute())
        yield from play_on_cluster(work, job.engine, missing, job.scheduler, partial(say, job.progress))
    elif job.engine == "kernel":
        yield from play_in_threads(job.work, missing, workers)
    elif workers > 1:
        yield from play_in_processes(job.work, missing, workers)
    else:
        yield from (play_here(job.work, job.engine, number) for number in missing)
