"""The part of `docs/metrics.md` that is generated: the tables of the shipped metrics."""

from __future__ import annotations

from patchstats.columns import table_of
from patchstats.metrics.registry import METRICS, line_about, make_metric

COMMAND = "python -m patchstats.metrics.page"


def shipped_metrics() -> str:
    """Return the last section of `docs/metrics.md`: every column of every shipped metric, as Markdown."""
    lines = ["## The shipped metrics", "", f"This section is generated: `{COMMAND}`."]
    for name, kind in METRICS.items():
        lines += ["", f"### {name}", "", line_about(kind), "", *table_of(make_metric(name).columns)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(shipped_metrics(), end="")
