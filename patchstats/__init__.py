"""patchstats verifies the rules of the board game Patchwork and analyses its balance.

The public names load what they need when they are first used, so that `import patchstats` itself is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from patchstats.agents import Choice
    from patchstats.columns import Column
    from patchstats.dataset.run import Run, open_run
    from patchstats.dataset.runs import Runs, open_runs
    from patchstats.errors import IllegalAction, PatchstatsError
    from patchstats.experiments import ladder
    from patchstats.metrics import Metric
    from patchstats.rules import Advance, Buy, PlaceLeather, Ply, Position, Ruleset
    from patchstats.simulation.metrics import compute_metrics
    from patchstats.simulation.simulate import simulate
    from patchstats.simulation.verify import verify

__version__ = "0.1.0"

__all__ = [
    "Advance",
    "Buy",
    "Choice",
    "Column",
    "IllegalAction",
    "Metric",
    "PatchstatsError",
    "PlaceLeather",
    "Ply",
    "Position",
    "Ruleset",
    "Run",
    "Runs",
    "compute_metrics",
    "ladder",
    "open_run",
    "open_runs",
    "simulate",
    "verify",
]

_HOMES = {
    "Advance": "patchstats.rules",
    "Buy": "patchstats.rules",
    "Choice": "patchstats.agents",
    "Column": "patchstats.columns",
    "IllegalAction": "patchstats.errors",
    "Metric": "patchstats.metrics",
    "PatchstatsError": "patchstats.errors",
    "PlaceLeather": "patchstats.rules",
    "Ply": "patchstats.rules",
    "Position": "patchstats.rules",
    "Ruleset": "patchstats.rules",
    "Run": "patchstats.dataset.run",
    "Runs": "patchstats.dataset.runs",
    "compute_metrics": "patchstats.simulation.metrics",
    "ladder": "patchstats.experiments",
    "open_run": "patchstats.dataset.run",
    "open_runs": "patchstats.dataset.runs",
    "simulate": "patchstats.simulation.simulate",
    "verify": "patchstats.simulation.verify",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
