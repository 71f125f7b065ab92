"""What one player has on the table. What belongs to both lives in `position.py`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Player:
    """What one seat has in front of it.

    `space` is where its token stands, `buttons` its stock, `income` the buttons it gets at an income mark, `covered`
    the set of cells covered on its quilt, `patches` the ids of the patches on it and `leathers` the number of leathers
    on it.
    """

    space: int
    buttons: int
    income: int = 0
    covered: int = 0
    patches: frozenset[str] = frozenset()
    leathers: int = 0
