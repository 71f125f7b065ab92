"""Files that a command leaves behind, each whole or not at all: a page, a picture, what an experiment keeps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def keep(out: Path | str, name: str, answer: str, figure: Figure) -> None:
    """Write the answer as `name.json` and the figure as `name.svg`. Raises RunError when that cannot be."""
    from patchstats.analysis.figures.style import drawn
    from patchstats.dataset.store import reason, store_at
    from patchstats.errors import RunError

    store = store_at(out)
    try:
        store.write(f"{name}.json", f"{answer}\n".encode())
        store.write(f"{name}.svg", drawn(figure, ".svg"))
    except OSError as error:
        raise RunError(f"{error.filename or store} cannot be written: {reason(error)}; the games are kept") from None


def write_file(place: Path | str, content: str) -> None:
    """Write a file, at a path or URL, whole or not at all. Raises RunError when that cannot be."""
    from patchstats.dataset.store import reason, store_at
    from patchstats.errors import RunError

    folder: Path | str
    if isinstance(place, Path):
        folder, name = place.parent, place.name
    else:
        folder, _, name = place.rpartition("/")
    try:
        store_at(folder).write(name, content.encode())
    except OSError as error:
        raise RunError(f"{error.filename or place} cannot be written: {reason(error)}") from None
