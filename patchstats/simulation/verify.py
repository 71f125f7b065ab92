"""Whether the files of a run say what its games were: checksums, and games played again by the reference engine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from patchstats.agents import AGENTS, Agent
from patchstats.dataset import metric_tables
from patchstats.dataset.jitter import draw_steps, ruleset_of
from patchstats.dataset.manifest import Manifest, Shard
from patchstats.dataset.played import PlayedGame, replay_to_the_end, ring_from
from patchstats.dataset.rows import Row, games_row, offers_rows, turns_rows
from patchstats.dataset.run import Run, open_run
from patchstats.dataset.schema import SCHEMA_VERSION, TABLES
from patchstats.dataset.shards import has_schema, read_shard, shard_name
from patchstats.dataset.store import Store, sha256_of
from patchstats.dataset.tally import tally_of
from patchstats.errors import DamagedManifest, IllegalAction, RingError, RunError, VerificationError
from patchstats.simulation.game import play_game, ring_of
from patchstats.simulation.progress import Report
from patchstats.simulation.progress import progress as show_progress
from patchstats.simulation.spec import BEHAVIOUR_VERSION, RunSpec
from patchstats.simulation.stopping import Ending

_MOST_FINDINGS = 20


def verify(path: str | Path, games: int | None = None, progress: str = "off") -> int:
    """Check a run and return how many games were played again.

    The checksum of every file is compared with the manifest. Then the games, all of them or `games` evenly spread ones,
    are played again from their action logs (by their agents, for a summary or a log of offers), and every column of
    every table is compared with what the game gives. Of the tables of metrics the checksums are compared, and whether
    they are of the games that the run has now. Games of an agent that is limited by seconds are always played again
    from their action logs, and what it held of the offers is not compared.

    With `games` 0 none is, and the files alone are checked.

    Raises VerificationError with a line for each finding (the first 20), and RunError when there is no finished run,
    and for a summary of games that cannot be played again.
    """
    try:
        run = open_run(path)
    except DamagedManifest as error:
        raise VerificationError(str(error)) from None
    spec = RunSpec.of(run.manifest)
    versions = {"behaviour": BEHAVIOUR_VERSION, "schema": SCHEMA_VERSION}
    if run.manifest.versions != versions:
        raise RunError(f"{run.path} has the versions {run.manifest.versions}; this patchstats verifies {versions}")
    findings: list[str] = []
    total = run.manifest.games
    if games is not None and games < 0:
        raise RunError(f"games must be a whole number from 0 on, not {games!r}")
    wanted = total if games is None else min(games, total)
    if wanted and spec.log == "summary" and (hasty := _not_reproducible(run)):
        raise RunError(
            f"{run.path}: the games cannot be played again, since agent {hasty[0]!r} is limited by seconds, and a "
            "summary has no action logs; give --games 0 to check the files alone, or simulate with --log games"
        )
    with show_progress(progress, "verify", wanted) as report:
        for finding in _findings(run, spec, wanted, report):
            findings.append(finding)
            if len(findings) == _MOST_FINDINGS:
                findings.append("and perhaps more: the check ended here")
                break
    if findings:
        raise VerificationError("\n".join(findings))
    return wanted


def _not_reproducible(run: Run) -> list[str]:
    """The agents whose games cannot be played again, by their specs."""
    return [agent["spec"] for agent in run.spec["agents"] if not agent.get("reproducible", True)]


def _spread(wanted: int, total: int) -> Callable[[range], list[int]]:
    """Choose so many games of all, evenly spread; return what tells which of a range are chosen."""

    def chosen(games: range) -> list[int]:
        first = -(-games.start * wanted // total)
        last = -(-games.stop * wanted // total)
        return [number * total // wanted for number in range(first, last)]

    return chosen


def _findings(run: Run, spec: RunSpec, wanted: int, report: Report) -> Iterator[str]:
    manifest = run.manifest
    if manifest.spec["ruleset_id"] != spec.ruleset.ruleset_id:
        yield f"manifest.json: ruleset_id {manifest.spec['ruleset_id']}, and its ruleset has {spec.ruleset.ruleset_id}"
    listed = [(shard.shard, shard.first_game, shard.games, sorted(shard.files)) for shard in manifest.shards]
    tables = sorted(spec.tables)
    shards = spec.shards[: len(listed)]
    if listed != [(shard, spec.games_of(shard).start, len(spec.games_of(shard)), tables) for shard in shards]:
        yield f"manifest.json: its shards are not those that {manifest.games} games need"
        return
    yield from _ending_findings(manifest, spec)
    yield from _foreign_files(run, spec)
    yield from metric_tables.findings(run.store, manifest)
    simulated = wanted and spec.log in ("summary", "offers") and not _not_reproducible(run)
    play_again = _simulated(run, spec) if simulated else _replayed(run, spec)
    chosen = _spread(wanted, manifest.games)
    for shard in manifest.shards:
        yield from _file_findings(run, shard)
        games = chosen(spec.games_of(shard.shard))
        try:
            yield from _game_findings(run, spec, shard, games, play_again)
        except RunError as error:
            yield str(error)
        report(len(games))


def _ending_findings(manifest: Manifest, spec: RunSpec) -> Iterator[str]:
    """Whether the run ends with the shard it should end with."""
    ending = Ending(spec)
    for shard in manifest.shards:
        if ending.shards is not None:
            break
        ending.note(shard)
    if ending.shards != len(manifest.shards):
        yield f"manifest.json: the run ends with {len(manifest.shards)} shards, not where {spec.stop_when} is reached"


def _foreign_files(run: Run, spec: RunSpec) -> Iterator[str]:
    """Name the files among the tables that are no shards of the run: whoever reads a whole folder would read them."""
    own = {shard_name(table, shard.shard) for shard in run.manifest.shards for table in spec.tables}
    for name in run.store.names():
        if name.partition("/")[0] in TABLES and name not in own:
            yield f"{run.store.where(name)} is no shard of this run; remove it"


def _file_findings(run: Run, shard: Shard) -> Iterator[str]:
    """Compare the checksums and sizes of a shard's files with the manifest."""
    for table, file in shard.files.items():
        name = shard_name(table, shard.shard)
        try:
            sha256 = sha256_of(run.store, name)
        except RunError as error:
            yield str(error)
        else:
            if sha256 != file.sha256:
                yield f"{run.store.where(name)}: its sha256 is {sha256}, and {file.sha256} in the manifest"
            elif (size := _size_of(run.store, name)) != file.bytes:
                yield f"{run.store.where(name)}: it has {size} bytes, and {file.bytes} in the manifest"


def _size_of(store: Store, name: str) -> int:
    with store.open(name) as file:
        return file.seek(0, os.SEEK_END)


#: Plays the game of a row of the games table again.
_PlayAgain = Callable[[Row, int], PlayedGame]


def _replayed(run: Run, spec: RunSpec) -> _PlayAgain:
    """Play games from their action logs, on the rings that the seed lays, with the prices that it draws.

    The rings of games that were recorded elsewhere are those of the games table.
    """
    recorded = [tuple(agent["ring"]) for agent in run.spec["agents"] if agent["ring"]]

    def play_again(row: Row, game_index: int) -> PlayedGame:
        ring_index = spec.ring_index(game_index)
        if run.manifest.recorded:
            ring = ring_from(spec.ruleset, row["ring"])
        else:
            ring = recorded[0] if recorded else ring_of(spec.ruleset, spec.seed, ring_index)
        steps = draw_steps(spec.ruleset, spec.jitter, spec.seed, ring_index)
        plies = replay_to_the_end(ruleset_of(spec.ruleset, spec.jitter, steps), ring, row["actions"])
        return PlayedGame(game_index, ring_index, ring, spec.seated(spec.agents, game_index), plies, jitter=steps)

    return play_again


def _simulated(run: Run, spec: RunSpec) -> _PlayAgain:
    """Let the agents play the games again."""
    agents = spec.make_agents()
    for agent, played in zip(agents, run.spec["agents"], strict=True):
        if agent.sha256 != played["sha256"]:
            raise RunError(_another(run, agent, played["sha256"]))

    def play_again(_: Row, game_index: int) -> PlayedGame:
        seated = spec.seated(agents, game_index)
        return play_game(spec.ruleset, seated, spec.seed, game_index, spec.ring_index(game_index), spec.jitter)

    return play_again


def _another(run: Run, agent: Agent, played: str | None) -> str:
    """What is said of an agent whose script, or network, is not the one that the run was played with."""
    name = agent.spec.partition(":")[0].rpartition("+")[2]
    what = "script" if AGENTS[name].card is None else "network"
    there, before = (f"{sha256[:12]}..." if sha256 else "none" for sha256 in (agent.sha256, played))
    return (
        f"{run.path}: the {what} of agent {agent.spec!r} is another one than the run was played with (sha256 {there}, "
        f"then {before}); put that one back, or give --games 0 to check the files alone"
    )


def _game_findings(run: Run, spec: RunSpec, shard: Shard, games: list[int], play_again: _PlayAgain) -> Iterator[str]:
    """Play the chosen games of a shard again and compare every column of every table."""
    rows: dict[str, dict[int, list[Row]]] = {}
    where = {table: run.store.where(shard_name(table, shard.shard)) for table in shard.files}
    for table, file in shard.files.items():
        found = read_shard(run.store, shard_name(table, shard.shard))
        if not has_schema(found, spec.tables[table], run.manifest.metadata()):
            yield f"{where[table]}: its columns and metadata are not those of this run"
            return
        if found.num_rows != file.rows:
            yield f"{where[table]}: it has {found.num_rows} rows, and {file.rows} in the manifest"
        if table == "offers" and _not_reproducible(run):
            found = found.drop_columns(["value", "probability"])  # nobody can be asked for them again
        indices = found["game_index"].to_numpy()
        for game_index in sorted(set(np.unique(indices).tolist()).difference(spec.games_of(shard.shard))):
            yield f"{where[table]}: game {game_index} is not of this shard"
        rows[table] = {game_index: [] for game_index in games}
        for row in found.take(np.flatnonzero(np.isin(indices, games))).to_pylist():
            rows[table][row["game_index"]].append(row)
        if table == "games":
            if indices.tolist() != list(spec.games_of(shard.shard)):
                yield f"{where[table]}: its games are not {shard.first_game} to {shard.first_game + shard.games - 1}"
                return
            if tally_of(found["winner"].to_numpy(), spec.games_per_ring) != shard.tally:
                yield f"{where[table]}: its winners are not those that the manifest counts"
    for game_index in games:
        [row] = rows["games"][game_index]
        try:
            game = play_again(row, game_index)
        except (RunError, RingError, IllegalAction) as error:
            yield f"{where['games']}: game {game_index}: its actions cannot be played: {error}"
            continue
        expected = {"games": [games_row(game)]}
        if "turns" in rows:
            expected["turns"] = turns_rows(game)
        if "offers" in rows:
            expected["offers"] = offers_rows(game)
        for table, again in expected.items():
            yield from _rows_findings(f"{where[table]}: game {game_index}", rows[table][game_index], again)


def _rows_findings(where: str, there: list[Row], expected: list[Row]) -> Iterator[str]:
    """Compare the rows of a game in one table."""
    if len(there) != len(expected):
        yield f"{where}: it has {len(there)} rows, and {len(expected)} when played again"
        return
    for row, again in zip(there, expected, strict=True):
        places = [f"{name} {again[name]}" for name in ("ply", "slot") if name in again and len(expected) > 1]
        yield from _row_findings(", ".join([where, *places[: 1 + ("chosen" in again)]]), row, again)


def _row_findings(where: str, there: Row, expected: Row) -> Iterator[str]:
    for column, value in there.items():
        if value != expected[column]:
            yield f"{where}: {column} is {value!r}, and {expected[column]!r} when played again"
