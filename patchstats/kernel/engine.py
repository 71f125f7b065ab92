"""What the rest of patchstats asks of the compiled engine: games of a run as columns, and counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchstats.kernel import cache, games, perft, positions
from patchstats.kernel.deciders.deciding import Decider
from patchstats.kernel.deciders.uniform import any_action
from patchstats.kernel.offer_rows import OFFER_COLUMNS
from patchstats.kernel.tables import Arena, arena_for, can_serve, jitter_for
from patchstats.kernel.turn_rows import TURN_COLUMNS
from patchstats.rules import Position, Ruleset

#: Games whose turns and offers are in memory as the compiled routine writes them, before they are made narrower.
GAMES_AT_A_TIME = 1000

Columns = dict[str, NDArray[np.signedinteger[Any]]]


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """Games of a run that follow one another, as columns.

    Attributes:
        first: the index of the first.
        rings: for each game the patches clockwise from the neutral token on, by their rows in the ruleset's table,
            counted from 1.
        jitter: for each game by how much each number of a patch that changes was changed.
        plies: for each game how many plies it has.
        actions: the action logs, one after the other.
        games: the columns of `games.GAME_COLUMNS`, a value a game.
        turns: the columns of `turn_rows.TURN_COLUMNS`, a value a ply, if they were asked for.
        offers: the columns of `offer_rows.OFFER_COLUMNS`, a value for each patch on offer at a turn, if they were asked
            for.
        offers_per_game: for each game how many values `offers` has of it; 0 if they were not asked for.
    """

    first: int
    rings: NDArray[np.uint8]
    jitter: NDArray[np.int8]
    plies: NDArray[np.int32]
    actions: NDArray[np.uint16]
    games: Columns
    turns: Columns | None
    offers: Columns | None
    offers_per_game: NDArray[np.int32]


class Player:
    """Plays games of one ruleset and two agents; a thread needs one of its own.

    Game `i` is laid out by the setup stream of ring index `i // games_per_ring`; if the games are mirrored, the agents
    swap seats in every odd one. With `jitter` (`cost`, `time`, `income`, or several such as `cost+time`) these numbers
    of each patch are changed by lot, anew for each ring.

    >>> player = Player(Ruleset.load("original"), (any_action(), any_action()))
    >>> played = player.play(seed=1, first=0, count=2)
    >>> played.games["winner"].tolist()
    [0, 0]
    """

    def __init__(
        self,
        ruleset: Ruleset,
        deciders: tuple[Decider, Decider],
        games_per_ring: int = 1,
        mirrored: bool = False,
        jitter: str = "",
    ) -> None:
        self._arena = arena_for(ruleset)
        self._patches = len(ruleset.patches)
        #: No turn moves a token by nothing, and every leather is placed once.
        self._longest = 2 * ruleset.finish + len(ruleset.leather_marks)
        self._most_offers = 2 * ruleset.finish * min(ruleset.offer_size, self._patches)
        self._turns = np.empty((len(TURN_COLUMNS), GAMES_AT_A_TIME * self._longest), dtype=np.int32)
        self._offers = np.empty((len(OFFER_COLUMNS), GAMES_AT_A_TIME * self._most_offers), dtype=np.int32)
        self._games_per_ring = np.uint64(games_per_ring)
        self._mirrored = mirrored
        self._prices = jitter_for(self._arena, ruleset, jitter)
        self._decides = tuple(one.decide for one in deciders)
        self._memories = tuple(one.memory() for one in deciders)

    def play(self, seed: int, first: int, count: int, *, turns: bool = False, offers: bool = False) -> PlayedGames:
        """Play `count` games of the run with this seed, from game `first` on."""
        rings = np.empty((count, self._patches), dtype=np.uint8)
        jitter = np.empty((count, len(self._prices)), dtype=np.int8)
        columns = np.empty((count, len(games.GAME_COLUMNS)), dtype=np.int32)
        offers_per_game = np.empty(count, dtype=np.int32)
        # Room for the longest games; memory is taken only where something is written.
        actions = np.empty(count * self._longest, dtype=np.uint16)
        turns_logged = _room_for(count * self._longest if turns else 0, TURN_COLUMNS)
        offers_logged = _room_for(count * self._most_offers if offers else 0, OFFER_COLUMNS)
        turns_room = self._turns if turns else self._turns[:, :0]
        offers_room = self._offers if offers else self._offers[:, :0]
        plies = rows = 0
        for begin in range(0, count, GAMES_AT_A_TIME):
            part = slice(begin, begin + GAMES_AT_A_TIME)
            new_plies = int(
                games.play_games(
                    self._arena,
                    np.uint64(seed),
                    np.uint64(first + begin),
                    self._games_per_ring,
                    *self._decides,
                    *self._memories,
                    self._mirrored,
                    self._prices,
                    rings[part],
                    jitter[part],
                    actions[plies:],
                    columns[part],
                    turns_room,
                    offers_room,
                    offers_per_game[part],
                )
            )
            new_rows = int(offers_per_game[part].sum())
            if turns:
                _copy(turns_room[:, :new_plies], turns_logged, plies)
            if offers:
                _copy(offers_room[:, :new_rows], offers_logged, rows)
            plies += new_plies
            rows += new_rows
        return PlayedGames(
            first,
            rings,
            jitter,
            columns[:, games.GAME_COLUMNS.index("plies")],
            actions[:plies],
            {name: columns[:, place] for place, name in enumerate(games.GAME_COLUMNS)},
            {name: column[:plies] for name, column in turns_logged.items()} if turns else None,
            {name: column[:rows] for name, column in offers_logged.items()} if offers else None,
            offers_per_game,
        )


def _room_for(rows: int, dtypes: dict[str, type[np.signedinteger[Any]]]) -> Columns:
    return {name: np.empty(rows, dtype) for name, dtype in dtypes.items()}


def _copy(written: NDArray[np.int32], columns: Columns, begin: int) -> None:
    """Copy what the compiled routine wrote, a column in each row, into narrower columns from a place on."""
    for column, row in zip(columns.values(), written, strict=True):
        column[begin : begin + len(row)] = row


#: Tables of rulesets that positions are counted of, one after another.
_arena_for = lru_cache(arena_for)


def why_not(ruleset: Ruleset) -> str:
    """Return why the kernel cannot play by this ruleset, or nothing when it can.

    >>> why_not(Ruleset.load("original"))
    ''
    """
    if not can_serve(ruleset):
        return f"ruleset {ruleset.name}: its patches are too tall for a quilt of {ruleset.quilt_size} cells a side"
    return ""


def is_compiled(modules: Iterable[str]) -> bool:
    """Whether these modules were compiled on this machine before; otherwise their first use takes some seconds."""
    return all(map(cache.is_compiled, modules))


def compile_engine() -> None:
    """Compile what plays games, or load it, so that no two threads do it at once."""
    Player(Ruleset.load("original"), (any_action(), any_action())).play(seed=0, first=0, count=1)


def count_sequences(position: Position, depth: int) -> int:
    """Return the number of sequences of `depth` legal actions from a position; equals `conformance.perft.perft`.

    Raises ValueError for a ruleset that the kernel cannot serve.

    >>> ruleset = Ruleset.load("original")
    >>> count_sequences(Position.start(ruleset, [patch.id for patch in ruleset.patches]), 2)
    387453
    """
    arenas: Arena = np.stack([_arena_for(position.ruleset)] * (depth + 1))
    positions.put_position(arenas[0], position)
    return int(perft.perft(arenas, 0, depth))
