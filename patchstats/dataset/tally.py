"""What is counted of games while they are played, so that it can be added up over shards in any order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class Tally:
    """How often seat 0 won, with what an interval needs that allows for games on the same ring.

    Attributes:
        games: how many games.
        wins: how many of them seat 0 won.
        rings: how many rings they were played on, each as often as the others.
        squares: the squares of the wins on each ring, added up.

    >>> Tally(games=4, wins=3, rings=2, squares=5) + Tally(games=2, wins=0, rings=1, squares=0)
    Tally(games=6, wins=3, rings=3, squares=5)
    """

    games: int = 0
    wins: int = 0
    rings: int = 0
    squares: int = 0

    def __add__(self, other: Any) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        return Tally(
            self.games + other.games,
            self.wins + other.wins,
            self.rings + other.rings,
            self.squares + other.squares,
        )


def tally_of(winners: ArrayLike, games_per_ring: int) -> Tally:
    """Return the tally of games that follow one another, so many on each ring, from the seats that won them.

    >>> tally_of([0, 0, 1, 0], games_per_ring=2)
    Tally(games=4, wins=3, rings=2, squares=5)
    """
    won = np.asarray(winners).reshape(-1, games_per_ring) == 0
    wins = won.sum(axis=1, dtype=np.int64)
    return Tally(won.size, int(won.sum()), len(won), int(np.sum(wins * wins)))
