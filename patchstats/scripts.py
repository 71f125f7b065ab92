"""Python modules of the user's own, run from the very bytes whose hash a run keeps."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

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


def what_went_wrong(error: BaseException, file: str | None = None, called: Callable[..., object] | None = None) -> str:
    """Return in one line what went wrong in the user's code, and where: in the script if it passed there.

    What never got into `called`, such as a call with other arguments than it takes, went wrong where that is defined.
    """
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{frame.filename} line {frame.lineno}" for frame in frames if frame.filename == file]
    if not places and len(frames) == 1:
        places = _definition(called, file)
    places = places or [f"{frame.filename} line {frame.lineno}" for frame in frames]
    where = f" ({places[-1]})" if places else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{where}"


def _definition(called: Any, file: str | None) -> list[str]:
    """Where in a script a function is defined, or a class: there what makes its instances, or else all of it."""
    function = inspect.getattr_static(called, "__init__") if isinstance(called, type) else called
    code = getattr(function, "__code__", None)
    if code is not None and code.co_filename == file:
        return [f"{file} line {code.co_firstlineno}"]
    with suppress(OSError, TypeError):  # of a class that no class statement made
        if isinstance(called, type) and inspect.getfile(called) == file:
            return [f"{file} line {inspect.getsourcelines(called)[1]}"]
    return []


@contextmanager
def _current_folder_importable() -> Iterator[None]:
    sys.path.insert(0, "")
    try:
        yield
    finally:
        sys.path.remove("")
