"""Where compiled routines are kept, so that a machine compiles once.

numba looks at the one file a routine is written in, not at what that imports; so the folder is named by a hash of all
sources of the kernel, and changed sources are compiled anew.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import numba

#: Names another folder for what is compiled.
VARIABLE = "PATCHSTATS_CACHE"


@lru_cache
def cache_folder() -> Path:
    """Return the folder: in the user's cache, or, where that cannot be written, in a temporary place for this process.

    >>> cache_folder().name.startswith("kernel-")
    True
    """
    name = f"kernel-{_hash_of_sources()}"
    for parent in filter(None, (os.environ.get(VARIABLE), _user_cache())):
        folder = Path(parent) / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix=f"{name}-"))


def is_compiled(module: str) -> bool:
    """Whether routines of a module, named by its last part, have been compiled and kept before."""
    return any(cache_folder().rglob(f"{module}.*.nbi"))


@contextmanager
def kept_on_disk() -> Iterator[None]:
    """Let the routines that are decorated meanwhile be kept in the folder."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def _user_cache() -> str:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "patchstats")


def _hash_of_sources() -> str:
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]
