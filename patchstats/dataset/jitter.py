"""Prices that change from game to game: by which lots, and the ruleset that a game is played with then.

Of the numbers of a patch (cost, time, income) some are changed by a step of -1, 0 or 1 in each game, so that one run
tells what each of them does. The steps are drawn from a stream of their own, of kind `streams.JITTER`, by the index of
the ring: all games on a ring have the same prices. Key by key, in the order in which `JITTERS` has them, and patch by
patch, in the order of the ruleset, each step that leaves the number within its bounds is equally likely, and one draw
chooses among them, from the lowest on. The games table has the steps in that order, a signed byte each.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from patchstats.errors import RunError
from patchstats.rules import Patch, Ruleset
from patchstats.rules.checking import PATCH_AMOUNTS
from patchstats.streams import JITTER, Stream

if TYPE_CHECKING:
    import pandas as pd

#: Which numbers of the patches can be changed: one of them or several. A run that changes none says nothing of it.
JITTERS = tuple("+".join(keys) for number in (1, 2, 3) for keys in combinations(PATCH_AMOUNTS, number))


def legal_steps(key: str, amount: int) -> list[int]:
    """Return those of -1, 0 and 1 by which a number of a patch can be changed.

    >>> legal_steps("cost", 0), legal_steps("time", 6)
    ([0, 1], [-1, 0, 1])
    """
    least, greatest = PATCH_AMOUNTS[key]
    return [step for step in (-1, 0, 1) if least <= amount + step <= greatest]


def draw_steps(ruleset: Ruleset, jitter: str, seed: int, ring_index: int) -> bytes:
    """Return the steps of all games on a ring, as the games table has them; none without jitter.

    >>> memoryview(draw_steps(Ruleset.load("original"), "cost", seed=1, ring_index=0)).cast("b").tolist()[:8]
    [-1, 0, 0, -1, 0, 0, 0, 1]
    """
    if not jitter:
        return b""
    stream = Stream(seed, JITTER, ring_index)
    steps = []
    for patch, key in _changed(ruleset, jitter):
        legal = legal_steps(key, getattr(patch, key))
        steps.append(legal[stream.below(len(legal))])
    return np.array(steps, dtype=np.int8).tobytes()


def ruleset_of(ruleset: Ruleset, jitter: str, steps: bytes) -> Ruleset:
    """Return the ruleset of a game that has these steps; the run's own where they change nothing.

    Raises RunError for what are no steps of this ruleset.

    >>> original = Ruleset.load("original")
    >>> ruleset_of(original, "income", bytes([0] * 20 + [1] + [0] * 12))["p21"].income - original["p21"].income
    1
    """
    changed = _changed(ruleset, jitter)
    if len(steps) != len(changed):
        raise RunError(f"its jitter has {len(steps)} steps, and {len(changed)} numbers of patches are changed")
    changes = {}
    for (patch, key), step in zip(changed, np.frombuffer(steps, dtype=np.int8).tolist(), strict=True):
        amount = getattr(patch, key)
        if step not in legal_steps(key, amount):
            raise RunError(f"its jitter changes the {key} of {patch.id}, {amount}, by {step}")
        if step:
            changes[f"patches.{patch.id}.{key}"] = amount + step
    return ruleset.with_changes(changes) if changes else ruleset


def jitter_of(games: pd.DataFrame, ruleset: Ruleset, jitter: str) -> pd.DataFrame:
    """Return the steps of games as numbers: a row a game, a column such as `p21.cost` for each number that is changed.

    `games` has the column `jitter`, and its index is kept; `ruleset` and `jitter` are those of the run, as
    `Run.ruleset` and `Run.spec["jitter"]` have them. Raises RunError for other numbers of steps.

    >>> import pandas as pd
    >>> games = pd.DataFrame({"jitter": [bytes([255] + [0] * 32), bytes([1] * 33)]})
    >>> jitter_of(games, Ruleset.load("original"), "time")[["p01.time", "p33.time"]].values.tolist()
    [[-1, 0], [1, 1]]
    """
    import pandas as pd

    names = [f"{patch.id}.{key}" for patch, key in _changed(ruleset, jitter)]
    if not (games["jitter"].map(len) == len(names)).all():
        raise RunError(f"the jitter of some games has not {len(names)} steps, one for each number that is changed")
    steps = np.frombuffer(b"".join(games["jitter"]), dtype=np.int8).reshape(len(games), len(names))
    return pd.DataFrame(steps, index=games.index, columns=names)


def _changed(ruleset: Ruleset, jitter: str) -> list[tuple[Patch, str]]:
    """The numbers that are changed, each by its patch and key, in the order of the steps."""
    return [(patch, key) for key in jitter.split("+") for patch in ruleset.patches] if jitter else []
