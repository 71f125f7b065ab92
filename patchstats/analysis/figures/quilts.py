"""The quilt of a seat at the end of a game, without words, for pages that say them beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from patchstats.render import bonus_square, draw_quilt, quilt_tiles
from patchstats.rules import Ruleset
from patchstats.rules.ply import Ply

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_quilt(ruleset: Ruleset, plies: Sequence[Ply], seat: int) -> Figure:
    """Draw the quilt that a seat has after these plies of a game, with the square that won it the bonus.

    >>> figure = plot_quilt(Ruleset.load("original"), [], seat=0)
    >>> len(figure.axes), figure.axes[0].get_title()
    (1, '')
    """
    from matplotlib.figure import Figure

    events = [event for ply in plies for event in ply.events]
    figure = Figure(figsize=(3.2, 3.2), layout="constrained")
    tiles = quilt_tiles(events, seat)
    draw_quilt(figure.add_subplot(), ruleset, tiles, bonus=bonus_square(ruleset, events, seat))
    return figure
