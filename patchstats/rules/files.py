"""Where the project's data lies: in the installed package, else beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

from patchstats.errors import PatchstatsError


def data_directory() -> Path:
    """Return the folder that holds `rulesets/`, `rulebook/` and the other data files.

    >>> (data_directory() / "rulesets" / "original" / "patches.csv").is_file()
    True
    """
    package = Path(__file__).resolve().parents[1]
    for candidate in (package / "data", package.parent / "data"):
        if (candidate / "rulesets").is_dir():
            return candidate
    raise PatchstatsError(f"{package}: the data files of patchstats are missing; install it again")
