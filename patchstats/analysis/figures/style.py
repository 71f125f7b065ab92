"""The one style of all figures: colours, sizes, and how a figure is begun and written.

Colours are those of Okabe and Ito, "Color universal design" (2008), which people with any kind of colour vision tell
apart. A title says what was found, an axis what is measured and in which unit; frames and grids are left out.
matplotlib is loaded when the first figure is drawn, not before.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The kinds of file that a plot can be written as, by the ends of their names.
SUFFIXES = (".svg", ".png")

INK, MUTED, MARK = "#3f362e", "#8a7866", "#0072b2"
#: For several kinds of things in a figure, in this order; seat 0 and seat 1 are the first two.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
#: In inches.
WIDTH = 7.0
#: How much of a long label is shown.
_LONGEST = 48


def begin(height: float, width: float = WIDTH) -> tuple[Figure, Axes]:
    """Return a new figure of so many inches, and its one plot.

    >>> figure, axes = begin(height=3)
    >>> figure.get_size_inches().tolist()
    [7.0, 3.0]
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    plain(axes)
    return figure, axes


def plain(axes: Axes, *, left: bool = True) -> None:
    """Take away the frame of a plot but for the lower side, and, unless `left` is False, the left one."""
    for side in ("top", "right") if left else ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def shortened(label: str) -> str:
    """Return a label, or as much of it as is shown of long ones.

    >>> shortened("greedy"), len(shortened("x" * 100))
    ('greedy', 48)
    """
    return label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"


def save_plot(figure: Figure, path: str | Path) -> None:
    """Write a figure as SVG or PNG, by the suffix of the path; the same figure gives the same bytes.

    Raises ValueError for another suffix, and OSError when the file cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_plot(begin(height=2)[0], Path(folder, "plot.svg"))
    ...     Path(folder, "plot.svg").read_text(encoding="utf-8")[:5]
    '<?xml'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: a plot is written as one of {', '.join(SUFFIXES)}")
    Path(path).write_bytes(drawn(figure, suffix))


def drawn(figure: Figure, suffix: str) -> bytes:
    """Return the file of a figure, whose name is to end in one of SUFFIXES; the same figure gives the same bytes.

    >>> drawn(begin(height=2)[0], ".svg")[:5]
    b'<?xml'
    """
    import matplotlib as mpl

    file = BytesIO()
    with mpl.rc_context({"svg.hashsalt": "patchstats"}):
        metadata = {"Date": None} if suffix == ".svg" else {"Software": None}
        figure.savefig(file, format=suffix[1:], dpi=150, metadata=metadata)
    return file.getvalue()
