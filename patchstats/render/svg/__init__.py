"""Pictures as SVG, by a small writer of our own: quilts, the time board, the ring, whole positions and games.

Each is a pure function from data to a text, needs no other library, and carries what it shows as words, too.
"""

from patchstats.render.svg.quilt import Quilt, quilt_svg
from patchstats.render.svg.ring import ring_svg
from patchstats.render.svg.track import track_svg
from patchstats.render.svg.whole import game_svg, position_svg

__all__ = ["Quilt", "game_svg", "position_svg", "quilt_svg", "ring_svg", "track_svg"]
