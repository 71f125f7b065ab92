"""What a notebook asks of its numbers: how many games it plays, by which seed, and in which range a number must lie.

Two environment variables say how a notebook is run. PATCHSTATS_NOTEBOOK_SCALE multiplies its numbers of games: 1 for
the full run, 0.02 where it is not given, so that whoever only wants to see whether it runs need not wait.
PATCHSTATS_NOTEBOOK_SEED is the seed of its games, 1 where it is not given; ranges are set from runs by other seeds.
"""

from __future__ import annotations

import math
import os

from patchstats.analysis.checks import positive
from patchstats.analysis.estimate import Estimate
from patchstats.analysis.shares import Share

SCALE, SEED = "PATCHSTATS_NOTEBOOK_SCALE", "PATCHSTATS_NOTEBOOK_SEED"

#: The scale where the environment gives none.
SMALL = 0.02

#: The confidence of the intervals that are held against ranges, so that small samples seldom fail by chance.
CONFIDENCE = 0.99


def scaled(games: int, least: int = 100, of: int = 2) -> int:
    """Return so many games times the scale, `least` or more, and a multiple of `of`.

    Raises ValueError for a scale that is no number above 0.

    >>> os.environ["PATCHSTATS_NOTEBOOK_SCALE"] = "0.1"
    >>> scaled(1234), scaled(200), scaled(90, least=10, of=50)
    (124, 100, 50)
    >>> del os.environ["PATCHSTATS_NOTEBOOK_SCALE"]
    """
    given = os.environ.get(SCALE, SMALL)
    try:
        scale = positive(float(given), SCALE)
    except ValueError:
        raise ValueError(f"{SCALE} must be a number above 0, not {given!r}") from None
    return max(math.ceil(least / of), math.ceil(round(games * scale / of, 9))) * of


def seed() -> int:
    """Return the seed of a notebook's games.

    >>> seed()
    1
    """
    given = os.environ.get(SEED, "1")
    if not given.isascii() or not given.isdigit():
        raise ValueError(f"{SEED} must be a whole number from 0 on, not {given!r}")
    return int(given)


def check(name: str, found: Estimate | Share | float, low: float, high: float, form: str = "") -> None:
    """Print a number and the range in which it must lie. Raises AssertionError when its whole interval misses that.

    The interval is to be of CONFIDENCE, 99 %: a small sample then fails by chance in at most one of a hundred runs,
    and a large one as soon as something is wrong. A number without an interval must lie in the range itself. `form` is
    how numbers are written, as in format strings; shares are written in per cent.

    >>> check("plies, mean", Estimate(42.80, 42.70, 42.90), 42.75, 42.85, ".2f")
    plies, mean: 42.80 [42.70, 42.90] within 42.75 to 42.85
    >>> check("cells", 166, 166, 166)
    cells: 166 as it must be
    >>> check("plies, mean", Estimate(42.80, 42.70, 42.90), 43, 44)
    Traceback (most recent call last):
        ...
    AssertionError: plies, mean: 42.8 [42.7, 42.9] misses the range from 43 to 44
    """
    form = form or (".1%" if isinstance(found, Share) else ".6g")
    value, least, most = found if isinstance(found, tuple) else (found, found, found)
    shown = f"{value:{form}}" if least == value == most else f"{value:{form}} [{least:{form}}, {most:{form}}]"
    ends = f"{low:{form}} to {high:{form}}"
    if not (least <= high and most >= low):
        raise AssertionError(f"{name}: {shown} misses the range from {ends}")
    print(f"{name}: {shown} {'as it must be' if low == high else f'within {ends}'}")
