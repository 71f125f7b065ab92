"""patchstats verifies the rules of the board game Patchwork and analyses its balance.

The public names load what they need when they are first used, so that `import patchstats` itself is quick.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
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


#: What notebooks show as pictures: for a package its classes, and the function of `patchstats.render` that draws each.
_PICTURES = {"rules": {"Position": "position_svg"}, "notation": {"GameRecord": "game_svg"}}


class _Door(ModuleType):
    """This package, which gives classes their pictures as soon as the package that they live in has been loaded.

    Rules and notation so know nothing of pictures, and `patchstats.render` is loaded when the first one is shown.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if isinstance(value, ModuleType):  # Python hands every package that it has loaded to the one around it
            for shown, draw in _PICTURES.get(name, {}).items():
                getattr(value, shown)._repr_svg_ = _drawn_by(draw)


def _drawn_by(draw: str) -> Callable[[Any], str | None]:
    def _repr_svg_(self: Any) -> str | None:
        """Return a picture for a notebook, or None for what cannot be drawn and is shown as text instead."""
        try:
            svg: str = getattr(importlib.import_module("patchstats.render"), draw)(self)
        except (LookupError, ValueError):  # such as a token beside the track, or a record that cannot be played
            return None
        return svg

    return _repr_svg_


sys.modules[__name__].__class__ = _Door


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
