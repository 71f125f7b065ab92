"""The kind of figure that `figures.py` returns. To import it loads matplotlib, so it is imported when needed."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class ShownFigure(Figure):
    """A matplotlib figure that a notebook shows as a picture when it is the value of a cell.

    Notebooks do so for plain figures only once pyplot has been at work, and a library had better leave pyplot's list of
    open figures alone.

    >>> ShownFigure()._repr_png_()[:4]
    b'\\x89PNG'
    """

    def _repr_png_(self) -> bytes:
        picture = io.BytesIO()
        self.savefig(picture, format="png")
        return picture.getvalue()
