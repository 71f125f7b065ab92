"""Golden games: whole games written down with everything that happened in them, to be replayed event by event.

How each was made and what it shows stands in `data/games/games.toml`; that it does show that is asked by the tests. A
file of `data/games` is a game record whose comments hold the rest: before each ply how many legal actions there are,
after it every event, and every field of the position that has changed.
"""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from patchstats.agents import Choice, make_agent
from patchstats.errors import IllegalAction
from patchstats.notation import (
    GameRecord,
    format_action,
    format_cell,
    format_position,
    format_record,
    parse_record,
    record_of,
    result_of,
    start_of,
)
from patchstats.rules import Action, Event, Position, Ruleset
from patchstats.rules.cells import cells_in
from patchstats.rules.events import LeatherPlaced, Placed
from patchstats.rules.files import data_directory
from patchstats.rules.loading import parse_change
from patchstats.simulation.game import ring_of
from patchstats.streams import SEATS, Stream

COMMAND = "python -m patchstats.conformance.golden"


class GoldenGame(NamedTuple):
    """An entry of `games.toml`.

    `ruleset` is the name of a shipped ruleset or of a file beside the games, `changes` are written as for `--set`.
    `seed` and `game` lay the ring as for that game of a run, and `agents` play there; without agents each of the
    `choices`, modulo the number of legal actions, says which of them is played, and then 0 to the end. `shows` names
    situations of the same file.
    """

    name: str
    title: str
    ruleset: str
    changes: tuple[str, ...]
    seed: int
    game: int
    agents: tuple[str, str] | None
    choices: tuple[int, ...]
    shows: tuple[str, ...]

    @property
    def path(self) -> Path:
        """The file of the game."""
        return _folder() / f"{self.name}.txt"

    @property
    def rules(self) -> Ruleset:
        """The ruleset with its changes."""
        beside = _folder() / self.ruleset
        ruleset = Ruleset.load(str(beside) if beside.is_file() else self.ruleset)
        return ruleset.with_changes(dict(map(parse_change, self.changes))) if self.changes else ruleset

    @property
    def clauses(self) -> frozenset[str]:
        """The clauses that the game shows at work: those of its situations."""
        return frozenset(clause for name in self.shows for clause in situations()[name])

    def written(self) -> str:
        """What was checked in."""
        return self.path.read_text(encoding="utf-8")

    def record(self) -> GameRecord:
        """The game record that was checked in. Raises NotationError for a damaged file."""
        return parse_record(self.written(), self.rules)


class Difference(NamedTuple):
    """Where a replay parts from the file: the ply, counted from 0 (None: before the first), and the lines around."""

    ply: int | None
    lines: str


def golden_games() -> tuple[GoldenGame, ...]:
    """Return the golden games as `games.toml` lists them.

    >>> next(game.title for game in golden_games() if game.name == "advance-only")
    'Two seats that only advance'
    """
    return tuple(
        GoldenGame(
            name=entry["name"],
            title=entry["title"],
            ruleset=entry["ruleset"],
            changes=tuple(entry.get("set", ())),
            seed=entry["seed"],
            game=entry["game"],
            agents=(entry["agents"][0], entry["agents"][1]) if "agents" in entry else None,
            choices=tuple(entry.get("choices", ())),
            shows=tuple(entry["shows"]),
        )
        for entry in _manifest()["game"]
    )


def situations() -> dict[str, tuple[str, ...]]:
    """Return the situations that golden games show, each with the clauses that are at work in it.

    >>> situations()["a tie, won by the first to finish"]
    ('9.4',)
    """
    return {name: tuple(clauses) for name, clauses in _manifest()["situations"].items()}


def make(game: GoldenGame) -> GameRecord:
    """Play the game as its entry says.

    >>> advances = next(game for game in golden_games() if game.name == "advance-only")
    >>> make(advances) == advances.record()
    True
    """
    ruleset = game.rules
    ring = ring_of(ruleset, game.seed, game.game)
    choose = _choices(game) if game.agents is None else _agents(game, game.agents, ruleset)
    position = Position.start(ruleset, ring)
    actions: list[Action] = []
    longest = 2 * ruleset.finish + len(ruleset.leather_marks)  # an engine that moves no token must not play for ever
    while (seat := position.seat_on_turn) is not None and len(actions) < longest:
        actions.append(choose(seat, position))
        position = position.apply(actions[-1]).position
    return record_of(ruleset, ring, actions, game.agents)


def transcript(game: GoldenGame, record: GameRecord) -> str:
    """Replay the record and write down everything that happens: the text of the game's file.

    An action that is refused ends the text with the reason, so that it can be compared up to there.

    >>> advances = next(game for game in golden_games() if game.name == "advance-only")
    >>> print("\\n".join(transcript(advances, advances.record()).splitlines()[6:11]))
    # legal: advance, 196 p17, 168 p24
    0 advance
    #   Moved seat=0 start=0 end=1
    #   Earned seat=0 buttons=1
    #   now space=1,0 buttons=6,5 bank=151
    """
    options = "" if game.ruleset == "original" else f" --ruleset {game.ruleset}"
    options += "".join(f" --set '{change}'" for change in game.changes)
    empty = dataclasses.replace(record, actions=(), seats=(), result=None)
    *head, _ = format_record(empty).splitlines()
    position, size = start_of(record), record.ruleset.quilt_size
    lines = [f"# {game.title}", f"# patchstats replay {game.name}.txt{options}", *head]
    lines.append(f"# start: {format_position(position)}")
    for action in record.actions:
        lines.append(f"# legal: {_legal(position)}")
        try:
            after, events = position.apply(action)
        except IllegalAction as error:
            return "\n".join([*lines, f"# {format_action(action, size)} is refused: {error}", ""])
        lines.append(f"{position.seat_on_turn} {format_action(action, size)}")
        lines += (f"#   {_event(event, size)}" for event in events)
        lines.append(f"#   now {_changes(position, after)}")
        position = after
    lines += [f"# legal: {_legal(position)}", f"# end: {format_position(position)}"]
    *_, result = format_record(dataclasses.replace(empty, result=result_of(position))).splitlines()
    return "\n".join([*lines, result, ""])


def first_difference(written: str, replayed: str) -> Difference | None:
    """Return where a replay parts from what was written, or None where both say the same.

    >>> first_difference("0 advance\\n#   now space=1,0\\n", "0 advance\\n#   now space=2,0\\n").ply
    0
    """
    if written == replayed:
        return None
    before, now = written.splitlines(), replayed.splitlines()
    same = next((place for place, lines in enumerate(zip(before, now, strict=False)) if lines[0] != lines[1]), None)
    reached = [line for line in before[: len(before) if same is None else same + 1] if line.startswith(("0 ", "1 "))]
    diff = list(difflib.unified_diff(before, now, "written", "replayed", lineterm="", n=4))
    return Difference(len(reached) - 1 if reached else None, "\n".join(diff[:30]))


def _choices(game: GoldenGame) -> Callable[[int, Position], Action]:
    numbers = iter(game.choices)

    def choose(seat: int, position: Position) -> Action:  # noqa: ARG001
        legal = position.legal_actions
        return legal[next(numbers, 0) % len(legal)]

    return choose


def _agents(game: GoldenGame, agents: tuple[str, str], ruleset: Ruleset) -> Callable[[int, Position], Action]:
    seats = [make_agent(spec, ruleset).sit_down(seat) for seat, spec in enumerate(agents)]
    streams = [Stream(game.seed, kind, game.game) for kind in SEATS]

    def choose(seat: int, position: Position) -> Action:
        chosen = seats[seat](position, position.legal_actions, streams[seat])
        return chosen.action if isinstance(chosen, Choice) else chosen

    return choose


@cache
def _folder() -> Path:
    return data_directory() / "games"


@cache
def _manifest() -> dict[str, Any]:
    return tomllib.loads((_folder() / "games.toml").read_text(encoding="utf-8"))


def _legal(position: Position) -> str:
    """How many legal actions there are: the advance, the placements of each patch, or the cells for a leather."""
    legal = position.legal_actions
    if position.waiting:
        return f"{len(legal)} leather"
    purchases = (f"{len(legal.purchases.of(patch))} {patch}" for patch in legal.purchases.patches)
    return ", ".join(["advance", *purchases]) if legal else "nothing"


def _event(event: Event, quilt_size: int) -> str:
    """An event with its fields; covered cells by their names."""
    fields = {field.name: getattr(event, field.name) for field in dataclasses.fields(event)}
    if isinstance(event, Placed):
        fields["cells"] = ",".join(format_cell(cell, quilt_size) for cell in cells_in(event.cells))
    if isinstance(event, LeatherPlaced):
        fields["cell"] = format_cell(event.cell, quilt_size)
    return " ".join([type(event).__name__, *(f"{name}={value}" for name, value in fields.items())])


def _changes(before: Position, after: Position) -> str:
    """The fields of the position string that are not what they were."""
    pairs = zip(format_position(before).split(), format_position(after).split(), strict=True)
    return " ".join(now for then, now in pairs if then != now)


def _main() -> None:
    """Make every game again, and write and name the files that this changes."""
    for game in golden_games():
        text = transcript(game, make(game))
        if not game.path.is_file() or game.written() != text:
            game.path.write_text(text, encoding="utf-8", newline="\n")
            print(game.path)


if __name__ == "__main__":
    _main()
