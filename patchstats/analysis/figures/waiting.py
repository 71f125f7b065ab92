"""When something is won: the share of games in which it still is to be had."""

from __future__ import annotations

from typing import TYPE_CHECKING

from patchstats.analysis.figures.style import MARK, begin

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def plot_waiting(table: pd.DataFrame, what: str) -> Figure:
    """Draw the share of games in which the bonus was not won up to each space, with its interval.

    `table` is that of `bonus.award_table`; `what` is the name of the bonus. Raises ValueError for a table without rows.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"waiting": [1, 0.4], "waiting_low": [0.9, 0.3], "waiting_high": [1, 0.5]})
    >>> plot_waiting(table, "7x7 bonus").axes[0].get_title(loc="left")
    'the 7x7 bonus is left in 40% of games in the end'
    """
    if not len(table):
        raise ValueError("there is nothing to draw")
    figure, axes = begin(height=2.6, width=4.8)
    low, high = (100 * table[f"waiting_{end}"] for end in ("low", "high"))
    axes.fill_between(table.index, low, high, step="post", color=MARK, alpha=0.2, linewidth=0)
    axes.step(table.index, 100 * table["waiting"], where="post", color=MARK)
    axes.set_ylim(0, 102)
    axes.set_title(f"the {what} is left in {table['waiting'].iloc[-1]:.0%} of games in the end", loc="left", fontsize=9)
    axes.set_xlabel("space of the token that won it, before that action")
    axes.set_ylabel("games with it to be won, %")
    return figure
