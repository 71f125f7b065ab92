"""Many questions at once: p-values that allow for how many of them were asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from patchstats.analysis.checks import chance, columns

if TYPE_CHECKING:
    import pandas as pd


def adjusted(frame: pd.DataFrame, column: str = "p_value", level: float = 0.05) -> pd.DataFrame:
    """Return a frame with two columns more: `q_value`, the adjusted p-value of each row, and `found`, whether it holds.

    If all rows are reported whose q-value is at most `level`, no more than that share of the reports is false on
    average, provided that the questions are independent or all depend on each other positively. With p the i-th
    smallest of m p-values, its q-value is the least m p(j) / j over j >= i. Benjamini and Hochberg, "Controlling the
    false discovery rate", Journal of the Royal Statistical Society B 57 (1995); Benjamini and Yekutieli, Annals of
    Statistics 29 (2001). Rows stay in their order. The p-values must be of all questions that were asked, not of those
    that looked promising, and of tests whose unit is the ring.

    Raises ValueError for a frame without rows or without the column, and for p-values that are missing or not between 0
    and 1.

    >>> import pandas as pd
    >>> found = adjusted(pd.DataFrame({"patch": ["p01", "p02", "p03"], "p_value": [0.04, 0.001, 0.3]}))
    >>> found["q_value"].round(3).tolist(), found["found"].tolist()
    ([0.06, 0.003, 0.3], [False, True, False])
    """
    from scipy.stats import false_discovery_control

    p_values = columns(frame, (column,), "p-values")[column].to_numpy(dtype=float)
    if (p_values < 0).any() or (p_values > 1).any():
        wrong = p_values[(p_values < 0) | (p_values > 1)][0]
        raise ValueError(f"the column {column} must hold p-values, from 0 to 1, not {wrong}")
    q_values = false_discovery_control(p_values)
    return frame.assign(q_value=q_values, found=q_values <= chance(level, "level"))
