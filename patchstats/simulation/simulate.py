"""A whole run: its directory is prepared, the shards that are missing are played, the manifest is completed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from glob import glob
from pathlib import Path

from patchstats.agents import Agent, is_compiled
from patchstats.dataset.manifest import Shard, write_manifest
from patchstats.dataset.run import Run
from patchstats.errors import PatchstatsError, RunError
from patchstats.rules import Ruleset
from patchstats.simulation.directory import absent_directories, clear_directory, manifest_there, note
from patchstats.simulation.processes import play_in_processes
from patchstats.simulation.progress import progress as show_progress
from patchstats.simulation.progress import say
from patchstats.simulation.shard import intact_shard, play_shard
from patchstats.simulation.spec import RunSpec

ENGINES = ("auto", "kernel", "reference")


def simulate(
    *,
    games: int,
    seed: int,
    out: str | Path,
    agents: Sequence[str] = ("random", "random"),
    ruleset: str | Ruleset = "original",
    log: str = "games",
    workers: int = 1,
    progress: str = "off",
    engine: str = "auto",
) -> Run:
    """Simulate games and return the run; the same as `patchstats simulate` on the command line.

    Args:
        games: how many games.
        seed: the seed of every random stream, 0 to 2**64 - 1; the same seed gives the same games, however many.
        out: the directory of the run. When it holds a part of this very run, that is completed; when it holds fewer
            games of it, they become more.
        agents: the spec strings of the agents at seat 0, which moves first, and seat 1.
        ruleset: a ruleset, or the name, folder or file of one.
        log: `summary` (a row a game), `games` (the same, with the action log) or `turns` (also a row a ply).
        workers: how many play at a time. The files do not depend on it. The compiled engine plays in threads. The
            reference engine plays in processes, which start as fresh interpreters, so that a script which asks for more
            than one must do so under `if __name__ == "__main__":`.
        progress: `auto`, `plain`, `json` or `off`; shown on standard error.
        engine: `kernel`, the compiled engine, which plays the agents of chance; `reference`; or `auto`, the compiled
            one where it can play. The files do not depend on it.

    Raises RunError, RulesetError or AgentError for settings that cannot be, for a directory that holds something else
    or cannot be written, and for an agent that fails.
    """
    if not isinstance(out, str | Path) or out == "":
        raise RunError(f"out must be the path of a directory, not {out!r}")
    if not isinstance(ruleset, str | Ruleset):
        raise RunError(f"ruleset must be a ruleset, or the name, folder or file of one, not {ruleset!r}")
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise RunError(f"workers must be a whole number from 1 on, not {workers!r}")
    if isinstance(agents, str):
        raise RunError(f"agents must be a sequence of two spec strings, not the text {agents!r}")
    if engine not in ENGINES:
        raise RunError(f"engine {engine!r} is none of {', '.join(ENGINES)}")
    played_with = ruleset if isinstance(ruleset, Ruleset) else Ruleset.load(ruleset)
    spec = RunSpec(played_with, tuple(agents), seed, games, log)  # type: ignore[arg-type]
    seated = spec.make_agents()
    chosen = _engine_for(spec, engine, progress)
    run = Path(out)
    planned = spec.manifest()
    with _explained(run):
        present = manifest_there(run, planned)
        listed = {shard.shard: shard for shard in present.shards} if present else {}
        found: dict[int, Shard | None] = dict.fromkeys(spec.shards)
        if present:
            found = {number: intact_shard(spec, run, number, listed.get(number)) for number in spec.shards}
        missing = [number for number, shard in found.items() if shard is None]
        if missing:
            with _undone_if_nothing_came_of_it(run, fresh=present is None):
                if present is None:
                    write_manifest(run, planned)
                # What the manifest lists is replaced last, so that a run being extended stays the run it was till then.
                missing.sort(key=lambda number: number in listed)
                found |= _play_shards(spec, seated, run, missing, workers, progress, chosen)
        complete = replace(planned, shards=tuple(filter(None, found.values())))
        if missing or complete != present:
            write_manifest(run, complete)
    return Run(run, complete)


def _engine_for(spec: RunSpec, engine: str, progress: str) -> str:
    """Return which engine plays. Raises RunError when the compiled one is asked for and cannot."""
    if engine == "reference" or (engine == "auto" and not all(map(is_compiled, spec.agents))):
        return "reference"
    from patchstats.kernel.engine import engine_is_compiled, why_not

    reason = why_not(spec.ruleset, spec.agents)
    if reason and engine == "kernel":
        raise RunError(f"the compiled engine cannot play this: {reason}")
    if reason:
        say(progress, f"played by the reference engine, which is slower: {reason}")
        return "reference"
    if not engine_is_compiled():
        say(progress, "the engine is being compiled, once on this machine")
    return "kernel"


@contextmanager
def _undone_if_nothing_came_of_it(run: Path, *, fresh: bool) -> Iterator[None]:
    """Make the directory of a fresh run, and clear it away when an error ends the run before its first shard."""
    created = absent_directories(run) if fresh else []
    try:
        run.mkdir(parents=True, exist_ok=True)
        yield
    except (PatchstatsError, OSError):
        if fresh and not glob("*/part-*", root_dir=run):
            clear_directory(run, created)
        raise


def _play_shards(
    spec: RunSpec, agents: tuple[Agent, Agent], run: Path, missing: list[int], workers: int, progress: str, engine: str
) -> dict[int, Shard]:
    """Play the shards, and return the manifest's entries for them, by number."""
    done = spec.games - sum(len(spec.games_of(shard)) for shard in missing)
    workers = min(workers, len(missing))
    note(run, event="start", workers=workers, engine=engine, shards_missing=len(missing))
    shards: Iterator[Shard]
    with show_progress(progress, "simulate", spec.games, done) as report:
        if engine == "kernel":
            from patchstats.simulation.compiled import play_compiled

            shards = play_compiled(spec, run, missing, workers)
        elif workers == 1:
            shards = (play_shard(spec, agents, run, number) for number in missing)
        else:
            shards = play_in_processes(spec, run, missing, workers)
        played = {}
        for shard in shards:
            played[shard.shard] = shard
            report(shard.games)
    note(run, event="end")
    return played


@contextmanager
def _explained(run: Path) -> Iterator[None]:
    """Say what is wrong with the directory when the system refuses to write there."""
    try:
        yield
    except OSError as error:
        raise RunError(f"{error.filename or run} cannot be written: {error.strerror or error}") from None
