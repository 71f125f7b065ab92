"""Whether the files of a run say what its games were: checksums, and games played again by the reference engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from patchstats.dataset.manifest import Shard
from patchstats.dataset.played import PlayedGame, replay_to_the_end
from patchstats.dataset.rows import Row, games_row, turns_rows
from patchstats.dataset.run import Run, open_run
from patchstats.dataset.schema import LOG_LEVELS, SCHEMA_VERSION
from patchstats.dataset.shards import has_schema, sha256_of, shard_path
from patchstats.errors import IllegalAction, RingError, RunError, VerificationError
from patchstats.simulation.game import play_game, ring_of
from patchstats.simulation.progress import Report
from patchstats.simulation.progress import progress as show_progress
from patchstats.simulation.spec import BEHAVIOUR_VERSION, RunSpec

_MOST_FINDINGS = 20


def verify(path: str | Path, games: int | None = None, progress: str = "off") -> int:
    """Check a run and return how many games were played again.

    The checksum of every file is compared with the manifest. Then the games, all of them or `games` evenly spread ones,
    are played again from their action logs (those of a summary run by their agents), and every column of every table is
    compared with what the game gives.

    With `games` 0 none is, and the files alone are checked.

    Raises VerificationError with a line for each finding (the first 20), and RunError when there is no finished run.
    """
    run = open_run(path)
    spec = RunSpec.of(run.manifest)
    versions = {"behaviour": BEHAVIOUR_VERSION, "schema": SCHEMA_VERSION}
    if run.manifest.versions != versions:
        raise RunError(f"{run.path} has the versions {run.manifest.versions}; this patchstats verifies {versions}")
    findings: list[str] = []
    total = spec.games
    if games is not None and games < 0:
        raise RunError(f"games must be a whole number from 0 on, not {games!r}")
    wanted = total if games is None else min(games, total)
    chosen = _spread(wanted, total)
    with show_progress(progress, "verify", wanted) as report:
        for finding in _findings(run, spec, chosen, report):
            findings.append(finding)
            if len(findings) == _MOST_FINDINGS:
                findings.append("and perhaps more: the check ended here")
                break
    if findings:
        raise VerificationError("\n".join(findings))
    return wanted


def _spread(wanted: int, total: int) -> Callable[[range], list[int]]:
    """Choose so many games of all, evenly spread; return what tells which of a range are chosen."""

    def chosen(games: range) -> list[int]:
        first = -(-games.start * wanted // total)
        last = -(-games.stop * wanted // total)
        return [number * total // wanted for number in range(first, last)]

    return chosen


def _findings(run: Run, spec: RunSpec, chosen: Callable[[range], list[int]], report: Report) -> Iterator[str]:
    manifest = run.manifest
    if manifest.spec["ruleset_id"] != spec.ruleset.ruleset_id:
        yield f"manifest.json: ruleset_id {manifest.spec['ruleset_id']}, and its ruleset has {spec.ruleset.ruleset_id}"
    listed = [(shard.shard, shard.first_game, shard.games, sorted(shard.files)) for shard in manifest.shards]
    tables = sorted(LOG_LEVELS[spec.log])
    if listed != [(shard, spec.games_of(shard).start, len(spec.games_of(shard)), tables) for shard in spec.shards]:
        yield f"manifest.json: its shards are not the {len(spec.shards)} that {spec.games} games need"
        return
    play_again = _simulated(run, spec) if spec.log == "summary" else _replayed(run, spec)
    for shard in manifest.shards:
        yield from _file_findings(run, shard)
        games = chosen(spec.games_of(shard.shard))
        try:
            yield from _game_findings(run, spec, shard, games, play_again)
        except RunError as error:
            yield str(error)
        report(len(games))


def _file_findings(run: Run, shard: Shard) -> Iterator[str]:
    """Compare the checksums of a shard's files with the manifest."""
    for table, file in shard.files.items():
        path = shard_path(run.path, table, shard.shard)
        try:
            sha256 = sha256_of(path)
        except RunError as error:
            yield str(error)
        else:
            if sha256 != file.sha256:
                yield f"{path}: its sha256 is {sha256}, and {file.sha256} in the manifest"
            elif path.stat().st_size != file.bytes:
                yield f"{path}: it has {path.stat().st_size} bytes, and {file.bytes} in the manifest"


#: Plays the game of a row of the games table again.
_PlayAgain = Callable[[Row, int], PlayedGame]


def _replayed(run: Run, spec: RunSpec) -> _PlayAgain:
    """Play games from their action logs, on the rings that the seed lays."""
    recorded = [tuple(agent["ring"]) for agent in run.spec["agents"] if agent["ring"]]

    def play_again(row: Row, game_index: int) -> PlayedGame:
        ring = recorded[0] if recorded else ring_of(spec.ruleset, spec.seed, game_index)
        plies = replay_to_the_end(spec.ruleset, ring, row["actions"])
        return PlayedGame(game_index, game_index, ring, spec.agents, plies)

    return play_again


def _simulated(run: Run, spec: RunSpec) -> _PlayAgain:
    """Let the agents play the games again."""
    agents = spec.make_agents()
    for agent, played in zip(agents, run.spec["agents"], strict=True):
        if agent.sha256 != played["sha256"]:
            raise RunError(
                f"{run.path}: the script of agent {agent.spec!r} is another one than the run was played with"
            )
    return lambda _, game_index: play_game(spec.ruleset, agents, spec.seed, game_index)


def _game_findings(run: Run, spec: RunSpec, shard: Shard, games: list[int], play_again: _PlayAgain) -> Iterator[str]:
    """Play the chosen games of a shard again and compare every column of every table."""
    rows: dict[str, list[Row]] = {}
    for table, file in shard.files.items():
        found = run.shard_table(shard, table)
        path = shard_path(run.path, table, shard.shard)
        if not has_schema(found, LOG_LEVELS[spec.log][table], spec.metadata()):
            yield f"{path}: its columns and metadata are not those of this run"
            return
        if found.num_rows != file.rows:
            yield f"{path}: it has {found.num_rows} rows, and {file.rows} in the manifest"
        rows[table] = found.to_pylist()
    path = shard_path(run.path, "games", shard.shard)
    if len(rows["games"]) != len(spec.games_of(shard.shard)):
        yield f"{path}: it has {len(rows['games'])} games, and should have {len(spec.games_of(shard.shard))}"
        return
    turns: dict[int, list[Row]] = {}
    for row in rows.get("turns", ()):
        turns.setdefault(row["game_index"], []).append(row)
    for game_index in turns.keys() - set(spec.games_of(shard.shard)):
        yield f"{shard_path(run.path, 'turns', shard.shard)}: game {game_index} is not of this shard"
    for game_index in games:
        row = rows["games"][game_index - shard.first_game]
        try:
            game = play_again(row, game_index)
        except (RunError, RingError, IllegalAction) as error:
            yield f"{path}: game {game_index}: its actions cannot be played: {error}"
            continue
        yield from _row_findings(f"{path}: game {game_index}", row, games_row(game))
        if "turns" in rows:
            yield from _turns_findings(run, shard, game_index, turns.get(game_index, []), turns_rows(game))


def _turns_findings(run: Run, shard: Shard, game_index: int, there: list[Row], expected: list[Row]) -> Iterator[str]:
    where = f"{shard_path(run.path, 'turns', shard.shard)}: game {game_index}"
    if len(there) != len(expected):
        yield f"{where}: it has {len(there)} plies, and {len(expected)} when played again"
        return
    for row, again in zip(there, expected, strict=True):
        yield from _row_findings(f"{where}, ply {again['ply']}", row, again)


def _row_findings(where: str, there: Row, expected: Row) -> Iterator[str]:
    for column, value in there.items():
        if value != expected[column]:
            yield f"{where}: {column} is {value!r}, and {expected[column]!r} when played again"
