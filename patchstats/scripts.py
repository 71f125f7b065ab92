"""Python modules of the user's own, run from the very bytes whose hash a run keeps."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

#: What names a thing in a module: `module:name`.
IN_MODULE = re.compile(r"(?P<module>[A-Za-z_][\w.]*):(?P<name>[A-Za-z_]\w*)")


class ScriptError(Exception):
    """A module that cannot be used; whoever asked for it says what for."""


class Script(NamedTuple):
    """A module that was run, and the hash of its file."""

    module: ModuleType
    sha256: str


def load_script(module_name: str) -> Script:
    """Run a module, which is looked for in the current folder, too; an older state of it that is imported stays.

    Raises ScriptError, in one line, when there is none or it fails.
    """
    with _current_folder_importable():
        return _loaded(module_name)


def _loaded(module_name: str) -> Script:
    cannot = f"module {module_name} cannot be imported"
    importlib.invalidate_caches()
    try:
        found = importlib.util.find_spec(module_name)
    except (Exception, SystemExit) as error:  # from a package around the module
        raise ScriptError(f"{cannot}: {what_went_wrong(error)}") from error
    if found is None:
        raise ScriptError(
            f"{cannot}: No module named {module_name!r}, neither in this folder nor among those installed"
        )
    if found.origin is None or not found.origin.endswith(".py"):
        raise ScriptError(f"{cannot}: module {module_name} has no file of Python text, whose hash a run could keep")
    source = Path(found.origin).read_bytes()
    module = importlib.util.module_from_spec(found)
    module.__name__ = f"patchstats_script_{module_name}"  # beside what others import under the module's own name
    sys.modules[module.__name__] = module
    try:
        exec(compile(source, found.origin, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        raise ScriptError(f"{cannot}: {what_went_wrong(error, found.origin)}") from error
    return Script(module, hashlib.sha256(source).hexdigest())


def what_went_wrong(error: BaseException, file: str | None = None) -> str:
    """Return in one line what went wrong in the user's code, and where: in the script if it passed there."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == file] or frames
    where = f" ({own[-1].filename} line {own[-1].lineno})" if own else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{where}"


@contextmanager
def _current_folder_importable() -> Iterator[None]:
    sys.path.insert(0, "")
    try:
        yield
    finally:
        sys.path.remove("")
