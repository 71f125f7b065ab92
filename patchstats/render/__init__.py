"""Quilts, positions and whole games for people to look at: plain text and pictures.

What programs read back is written by `patchstats.notation`.
"""

from patchstats.render.figures import draw_quilt, quilt_figure
from patchstats.render.page import game_page
from patchstats.render.story import game_text
from patchstats.render.svg import Quilt, game_svg, position_svg, quilt_svg, ring_svg, track_svg
from patchstats.render.text import position_text, quilt_text
from patchstats.render.tiles import PlacedTile, bonus_square, quilt_tiles

__all__ = [
    "PlacedTile",
    "Quilt",
    "bonus_square",
    "draw_quilt",
    "game_page",
    "game_svg",
    "game_text",
    "position_svg",
    "position_text",
    "quilt_figure",
    "quilt_svg",
    "quilt_text",
    "quilt_tiles",
    "ring_svg",
    "track_svg",
]
