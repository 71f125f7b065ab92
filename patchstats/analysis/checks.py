"""What the estimators ask of their input: each returns it, or says what is wrong, where, and what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import pandas as pd


def chance(number: float, what: str) -> float:
    """Return a number that must be between 0 and 1. Raises ValueError when it is not, naming what it is."""
    if not 0 < number < 1:
        raise ValueError(f"{what} must be between 0 and 1, not {number}")
    return number


def positive(number: float, what: str) -> float:
    """Return a number that must be finite and above 0. Raises ValueError when it is not, naming what it is."""
    if not 0 < number < np.inf:
        raise ValueError(f"{what} must be a number above 0, not {number}")
    return number


def columns(frame: pd.DataFrame, names: tuple[str, ...], what: str = "games") -> pd.DataFrame:
    """Return these columns of a frame. Raises ValueError when it has no rows, lacks one, or has a missing value.

    >>> import pandas as pd
    >>> columns(pd.DataFrame({"winner": [0, 1]}), ("winner", "score_0"))
    Traceback (most recent call last):
        ...
    ValueError: the frame of games has no column score_0; it needs winner, score_0
    """
    for name in names:
        if name not in frame:
            raise ValueError(f"the frame of {what} has no column {name}; it needs {', '.join(names)}")
    if not len(frame):
        raise ValueError(f"the frame of {what} has no rows; give one row or more")
    for name in names:
        missing = frame[name].isna().to_numpy()
        if missing.any():
            row = frame.index[int(missing.argmax())]
            raise ValueError(f"the frame of {what} has no value in column {name} at row {row}; leave such rows out")
    return frame[list(names)]


def finite(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Return numbers as an array. Raises ValueError when there is none, or one that is not finite, or a table of them.

    >>> finite([1.0, float("nan")], "the margins")
    Traceback (most recent call last):
        ...
    ValueError: the margins must be numbers; at place 1 (from 0) there is nan
    """
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or not len(numbers):
        raise ValueError(f"{what} must be one number or more in a row, not an array of shape {numbers.shape}")
    good = np.isfinite(numbers)
    if not good.all():
        place = int(good.argmin())
        raise ValueError(f"{what} must be numbers; at place {place} (from 0) there is {numbers[place]}")
    return numbers
