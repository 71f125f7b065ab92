"""Figures that others published on Patchwork: what was measured, on which games, where, and what is wrong with it.

They stand in `data/published`, a file a topic. A figure is `stated` in its source or `computed` from the source's data.
"""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING

from patchstats.rules.files import data_directory

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFigure:
    """A published figure, a row of `data/published`.

    Attributes:
        topic: the file it stands in.
        id: its name, unique among all topics.
        quantity: what it is a figure of, in a few words.
        value: the figure.
        low: the lower end of its interval; `definition` says which interval it is. None where there is none.
        high: the upper end.
        unit: what the value counts.
        wins: of a share, how many games or patches had it, where that is known.
        games: of how many.
        definition: what exactly was measured.
        sample: what it was measured on.
        source: author or repository, and where in it.
        address: where the source can be read.
        status: `stated` in the source, or `computed` from its data.
        caveat: what is wrong with it; empty where nothing is known to be.
    """

    topic: str
    id: str
    quantity: str
    value: float
    low: float | None
    high: float | None
    unit: str
    wins: int | None
    games: int | None
    definition: str
    sample: str
    source: str
    address: str
    status: str
    caveat: str

    def __str__(self) -> str:
        interval = "" if self.low is None else f" [{self.low:.4g}, {self.high:.4g}]"
        return f"{self.value:.4g}{interval} {self.unit} ({self.source})"


def published(topic: str | None = None) -> pd.DataFrame:
    """Return the published figures of a topic, or of all topics, a row each, with the columns of `PublishedFigure`.

    Raises ValueError for a topic that does not exist; the message lists those that do.

    >>> bounds = published("bounds").set_index("id")
    >>> float(bounds.loc["score-greatest", "value"]), bounds.loc["score-greatest", "unit"]
    (85.0, 'points')
    """
    import pandas as pd

    topics = _topics()
    if topic is not None and topic not in topics:
        raise ValueError(f"there are no published figures on {topic!r}; topics: {', '.join(topics)}")
    chosen = topics if topic is None else (topic,)
    table = pd.DataFrame([asdict(figure) for figure in _figures().values() if figure.topic in chosen])
    return table.astype({"low": "float64", "high": "float64", "wins": "Int64", "games": "Int64"})


def figure(name: str) -> PublishedFigure:
    """Return the published figure with this id.

    Raises ValueError when there is none.

    >>> print(figure("random-actions-mean"))
    83.66 actions (NicoZeitz/Studienarbeit (DHBW Karlsruhe, 2024), notebook empirical_analysis)
    >>> figure("first-player-advantage").caveat
    "No number is given, and not how it was found; a reviewer's account of what the publisher says."
    """
    if name not in _figures():
        raise ValueError(f"no published figure is called {name!r}; published() lists them all")
    return _figures()[name]


def _topics() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in (data_directory() / "published").glob("*.csv")))


@cache
def _figures() -> dict[str, PublishedFigure]:
    """Return all figures by id, topic by topic."""
    found = {}
    for topic in _topics():
        with (data_directory() / "published" / f"{topic}.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                found[row["id"]] = PublishedFigure(
                    topic=topic,
                    id=row["id"],
                    quantity=row["quantity"],
                    value=float(row["value"]),
                    low=float(row["low"]) if row["low"] else None,
                    high=float(row["high"]) if row["high"] else None,
                    unit=row["unit"],
                    wins=int(row["wins"]) if row["wins"] else None,
                    games=int(row["games"]) if row["games"] else None,
                    definition=row["definition"],
                    sample=row["sample"],
                    source=row["source"],
                    address=row["address"],
                    status=row["status"],
                    caveat=row["caveat"],
                )
    return found
