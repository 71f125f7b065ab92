"""A whole game as one HTML page that steps through it. The pictures in it are those of `patchstats.render.svg`."""

from patchstats.render.page.content import game_page

__all__ = ["game_page"]
