"""Files of games that others recorded, replayed by the reference engine: where each departs first from the rules.

What a departure is lives in `departures.py`, how records are read in `notation.foreign`, and how the games that were
played to their end become a run in `simulation.recorded`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from patchstats.conformance.departures import KINDS, Checked, Departure, check_game
from patchstats.dataset.manifest import NAME as MANIFEST
from patchstats.dataset.store import store_at
from patchstats.errors import NotationError, PatchstatsError
from patchstats.notation.foreign import FORMATS, ForeignGame, GameText, guessed_format
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    from patchstats.simulation.recorded import GameRows, RecordedRun

#: How many games are handed out at a time: a fraction of a second's work.
_GAMES_AT_A_TIME = 200


class Finding(NamedTuple):
    """The first departure of a game: of which, by its number from 0, where that stands, and what it is."""

    game: int
    where: str
    departure: Departure

    def __str__(self) -> str:
        column = f", column {self.departure.column}" if self.departure.column is not None else ""
        line = f", line {self.departure.line}" if column and not self.where.startswith("line ") else ""
        return f"{self.where}{line}{column}: {self.departure}"


@dataclass(slots=True)
class Audit:
    """What came of a file of games.

    Attributes:
        file: the file or folder.
        format: in which of the formats it was read.
        ruleset: what the games were replayed under.
        games: how many there are.
        finished: how many were played to their end by the rules; those are in the run, if one was asked for.
        kinds: how many games depart first by each kind, for the kinds that there are, in the order of `KINDS`.
        run: where the run is, or None.
    """

    file: Path
    format: str
    ruleset: Ruleset
    games: int = 0
    finished: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    run: Path | str | None = None

    @property
    def departing(self) -> int:
        """How many games depart from the rules."""
        return self.kinds.total()


def audit(
    file: str | Path,
    *,
    format: str = "auto",  # noqa: A002
    ruleset: str | Ruleset = "original",
    out: str | Path | None = None,
    log: str = "games",
    workers: int = 1,
    progress: str = "off",
    tell: Callable[[Finding], None] = lambda _: None,
) -> Audit:
    """Replay recorded games and tell where each of them departs first from the rules; `patchstats audit`.

    Args:
        file: the file, or the folder of record files.
        format: one of `notation.foreign.FORMATS`, or `auto` for the one that the file seems to have.
        ruleset: a ruleset, or the name, folder or file of one.
        out: the directory, or URL, of a run for the games that were played to their end by the rules.
        log: what the run holds: `games`, `turns` or `offers`.
        workers: how many processes replay games. They start as fresh interpreters, so that a script which asks for more
            than one must do so under `if __name__ == "__main__":`.
        progress: `auto`, `plain`, `json` or `off`; shown on standard error.
        tell: called with each finding, in the order of the games.

    Raises PatchstatsError for a file that cannot be read or holds no game, RulesetError for a ruleset that cannot be or
    that the format cannot write, and RunError for a directory that holds something else.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "games.csv")
    ...     _ = file.write_text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg,..hAAA,1\\n")
    ...     found = audit(file, tell=print)
    line 1: extra leather: ply 2 (hAAA), seat 0: no leather waits to be placed (clause 6.5)
    >>> found.games, found.departing
    (1, 1)
    """
    from patchstats.simulation.executors import check_workers
    from patchstats.simulation.progress import progress as show_progress

    rules = Ruleset.load(ruleset)
    place = Path(file)
    check_workers(workers)
    games, sha256, name = _looked_through(place, format)
    FORMATS[name].reader(rules)  # a ruleset that cannot be written so is refused now
    found = Audit(place, name, rules, games)
    with (
        _run_for(out, rules, sha256, log, f"its games are recorded ones, read from {name}") as run,
        show_progress(progress, "audit", games) as report,
        closing(_checked(place, name, rules, None if out is None else log, games, workers)) as pieces,
    ):
        number = 0
        for piece in pieces:
            for where, departure, rows, finished in piece:
                if departure is not None:
                    found.kinds[departure.kind] += 1
                    tell(Finding(number, where, departure))
                if run is not None and rows is not None:
                    run.add(rows)
                found.finished += finished
                number += 1
            report(len(piece))
        if run is not None:
            written = run.finished()
            found.run = None if written is None else written.path
    found.kinds = Counter({kind: found.kinds[kind] for kind in KINDS if kind in found.kinds})
    return found


def _run_for(
    out: str | Path | None, ruleset: Ruleset, sha256: str, log: str, remark: str
) -> AbstractContextManager[RecordedRun | None]:
    if out is None:
        return nullcontext()
    from patchstats.simulation.recorded import recorded_run

    return recorded_run(out, ruleset, sha256, log=log, remark=remark)


def _looked_through(place: Path, format_name: str) -> tuple[int, str, str]:
    """How many games a file holds, the checksum of their texts, and the format.

    Raises PatchstatsError when there is none, or the file cannot be read.
    """
    checksum = hashlib.sha256()
    games = 0
    try:
        name = guessed_format(place) if format_name == "auto" else format_name
        if name not in FORMATS:
            raise PatchstatsError(f"format {name!r} is none of auto, {', '.join(FORMATS)}")
        if place.is_dir() and name != "records":
            raise PatchstatsError(f"{place} is a folder, and games in {name} stand in a file")
        for text in FORMATS[name].texts(place):
            checksum.update(f"{text.text}\n".encode(errors="surrogateescape"))
            games += 1
    except NotationError as error:
        raise PatchstatsError(f"{place}: {error}") from None
    except OSError as error:
        raise PatchstatsError(f"{error.filename or place} cannot be read: {error.strerror or error}") from None
    if not games:
        if place.is_dir() and store_at(place).holds(MANIFEST):
            raise PatchstatsError(
                f"{place} is a run, whose games `patchstats verify` replays, and no folder of records"
            )
        raise PatchstatsError(f"{place} holds no game in the format {name}")
    return games, checksum.hexdigest(), name


class _Piece(NamedTuple):
    """Some games in a row, and which of all pieces they are."""

    number: int
    texts: list[GameText]


class _One(NamedTuple):
    """What came of a game: where it stands, its departure, its rows if a run wants them, and whether it is whole."""

    where: str
    departure: Departure | None
    rows: GameRows | None
    finished: bool


def _checked(
    place: Path, format_name: str, ruleset: Ruleset, log: str | None, games: int, workers: int
) -> Generator[list[_One], None, None]:
    """Let this process, or several others, check the games, and yield what came of them, in their order."""
    pieces = _pieces(FORMATS[format_name].texts(place))
    workers = min(workers, -(-games // _GAMES_AT_A_TIME))
    check = partial(_check, format_name, ruleset, log)
    if workers <= 1:
        yield from (done for _, done in map(check, pieces))
        return
    from patchstats.simulation.executors import done_in_processes

    early: dict[int, list[_One]] = {}
    next_one = 0
    with closing(done_in_processes(check, pieces, workers, None)) as done_by_others:
        for number, done in done_by_others:
            early[number] = done
            while next_one in early:
                yield early.pop(next_one)
                next_one += 1


def _pieces(texts: Iterator[GameText]) -> Iterator[_Piece]:
    number = 0
    while piece := list(islice(texts, _GAMES_AT_A_TIME)):
        yield _Piece(number, piece)
        number += 1


def _check(format_name: str, ruleset: Ruleset, log: str | None, piece: _Piece) -> tuple[int, list[_One]]:
    """Check the games of a piece, in whatever process."""
    rules, read = _kept(format_name, ruleset)
    done = []
    for text in piece.texts:
        departure, plies = _check_text(text, rules, read)
        rows = None
        if log is not None and plies is not None:
            from patchstats.simulation.recorded import rows_of_game

            rows = rows_of_game(plies, log)
        done.append(_One(text.where, departure, rows, plies is not None))
    return piece.number, done


def _check_text(text: GameText, ruleset: Ruleset, read: Callable[[GameText], ForeignGame]) -> Checked:
    try:
        game = read(text)
    except NotationError as error:
        found = repr(error.found) if error.found else "the end"
        reason = f"expected {error.expected}, found {found}"
        return Checked(Departure("unreadable", reason, line=error.line, column=error.column), None)
    return check_game(game, ruleset)


@lru_cache(maxsize=1)
def _kept(format_name: str, ruleset: Ruleset) -> tuple[Ruleset, Callable[[GameText], ForeignGame]]:
    """What a process keeps for its next piece: the ruleset with all that was worked out of it, and the reader."""
    return ruleset, FORMATS[format_name].reader(ruleset)
