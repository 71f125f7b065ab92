"""Where the files of a run lie: a directory of this machine, or whatever fsspec reaches by a URL.

A file is there, whole, or it is not: nothing half-written ever has its final name. Names are relative to the run, with
slashes: `games/part-00000.parquet`.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from glob import glob
from pathlib import Path
from typing import Any, BinaryIO

from patchstats.errors import RunError

try:
    import fcntl
except ImportError:  # not on Windows, where an open file cannot be removed anyway
    fcntl = None  # type: ignore[assignment]


class Store(ABC):
    """The directory of a run. Every method raises OSError when the system refuses."""

    #: How the user named it: a path, or a URL.
    path: Path | str

    def __str__(self) -> str:
        return str(self.path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Store) and self.path == other.path

    __hash__ = None  # type: ignore[assignment]

    def where(self, name: str) -> str:
        """Return the path or URL of a file, for messages and for other programs."""
        return f"{self.path}/{name}"

    @abstractmethod
    def open(self, name: str) -> BinaryIO:
        """Open a file for reading at any place."""

    @abstractmethod
    def read(self, name: str) -> bytes:
        """Return what is in a file."""

    @abstractmethod
    def write(self, name: str, data: bytes) -> None:
        """Write a file, whole or not at all; what had that name is replaced."""

    @abstractmethod
    def append(self, name: str, line: str) -> None:
        """Add a line to a text."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""

    @abstractmethod
    def names(self) -> list[str]:
        """Return the names of all files, sorted; none when there is no such directory."""

    @abstractmethod
    def make(self) -> list[Path]:
        """Make the directory, and return those that had to be made, innermost first."""

    @abstractmethod
    def clear(self, folders: Iterable[str], made: list[Path]) -> None:
        """Remove folders in it, and directories that were made for it, where they hold no file."""

    @abstractmethod
    def sweep(self) -> None:
        """Remove what writers left that were killed; what is being written stays."""

    @abstractmethod
    def absolute(self) -> Store:
        """Return the same store, named so that a process with another current folder finds it."""

    def holds(self, name: str) -> bool:
        """Whether a file is there."""
        try:
            self.open(name).close()
        except FileNotFoundError:
            return False
        return True


def store_at(path: str | Path) -> Store:
    """Return the store at a path, or at a URL such as `s3://bucket/run`.

    Raises RunError for a URL that names nothing, and for one of a kind that nothing installed can reach.

    >>> store_at("runs/first").where("manifest.json")
    'runs/first/manifest.json'
    """
    if not isinstance(path, str | Path) or "\0" in str(path):
        raise RunError(f"{path!r} is neither the path of a directory nor a URL")
    if isinstance(path, Path) or "://" not in path:
        return _Local(Path(path))
    protocol, _, name = path.partition("://")
    if not name.strip("/"):
        raise RunError(f"{path} names no directory; add one")
    return _Local(Path(name)) if protocol in ("file", "local") else _Remote(path)


class _Local(Store):
    def __init__(self, path: Path) -> None:
        self.path: Path = path

    def open(self, name: str) -> BinaryIO:
        return (self.path / name).open("rb")

    def read(self, name: str) -> bytes:
        return (self.path / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        """Write under a temporary name in the same folder, sync, and rename."""
        path = self.path / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with _temporary_beside(path) as (temporary, file):
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                if fcntl is None:
                    file.close()  # an open file cannot be renamed there
                temporary.replace(path)
            _sync_folder(path.parent)
        except OSError as error:
            error.filename = str(path)  # not the temporary one, nor none, as of a full disk
            raise

    def append(self, name: str, line: str) -> None:
        with (self.path / name).open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def remove(self, name: str) -> None:
        (self.path / name).unlink(missing_ok=True)

    def names(self) -> list[str]:
        if not self.path.is_dir():
            return []
        found = (path for path in self.path.rglob("*") if not path.is_dir() and not _is_temporary(path))
        return sorted(path.relative_to(self.path).as_posix() for path in found)

    def make(self) -> list[Path]:
        absent = [path for path in (self.path, *self.path.parents) if not os.path.exists(path)]
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError:
            _remove_empty(absent)
            raise
        return absent

    def clear(self, folders: Iterable[str], made: list[Path]) -> None:
        _remove_empty([*(self.path / folder for folder in folders), *made])

    def sweep(self) -> None:
        for path in self.path.rglob("*.tmp"):
            if _is_temporary(path):
                _remove_if_left(path)

    def absolute(self) -> Store:
        return _Local(self.path.absolute())


class _Remote(Store):
    """A file is put under its final name by one call, which object stores carry out whole or not at all."""

    def __init__(self, url: str) -> None:
        self.path: str = url.rstrip("/")
        self._files, self._root = _reached(self.path)

    def __reduce__(self) -> tuple[type[_Remote], tuple[str]]:
        return _Remote, (self.path,)

    def open(self, name: str) -> BinaryIO:
        with self._refused(name):
            file = self._files.open(self._at(name), "rb")
        return io.BufferedReader(_Reading(file, lambda: self._refused(name)))

    def read(self, name: str) -> bytes:
        with self._refused(name):
            data: bytes = self._files.cat_file(self._at(name))
        return data

    def write(self, name: str, data: bytes) -> None:
        with self._refused(name):
            self._files.pipe_file(self._at(name), data)

    def append(self, name: str, line: str) -> None:
        before = self.read(name) if self.holds(name) else b""
        self.write(name, before + line.encode() + b"\n")

    def remove(self, name: str) -> None:
        with self._refused(name), contextlib.suppress(FileNotFoundError):
            self._files.rm_file(self._at(name))

    def names(self) -> list[str]:
        found: list[str] = []
        with self._refused(""), contextlib.suppress(FileNotFoundError):
            # Not by `find`, which may leave out what it cannot list.
            for folder, _, files in self._files.walk(self._root, on_error="raise"):
                found += [f"{folder}/{file}" for file in files]
        return sorted(path.removeprefix(self._root).lstrip("/") for path in found)

    def make(self) -> list[Path]:
        return []

    def clear(self, folders: Iterable[str], made: list[Path]) -> None:
        pass

    def sweep(self) -> None:
        pass

    def absolute(self) -> Store:
        return self

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextmanager
    def _refused(self, name: str) -> Iterator[None]:
        """Let whatever a library of a remote store raises be an OSError, as of a local one."""
        try:
            yield
        except Exception as error:
            if isinstance(error, FileNotFoundError):  # some say no more than the path
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.where(name)) from error
            raise OSError(getattr(error, "errno", None), reason(error), self.where(name)) from error


class _Reading(io.RawIOBase):
    """A remote file, of which more is fetched while it is read: that can be refused, too."""

    def __init__(self, file: Any, refused: Callable[[], AbstractContextManager[None]]) -> None:
        self._file = file
        self._refused = refused

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        place: int = self._file.seek(offset, whence)
        return place

    def readinto(self, buffer: Any) -> int:
        with self._refused():
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def sha256_of(store: Store, name: str) -> str:
    """Return the checksum of a file, in hexadecimal. Raises RunError when the file cannot be read."""
    try:
        with store.open(name) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    except OSError as error:
        raise RunError(f"{store.where(name)} cannot be read: {reason(error)}") from None


def reason(error: Exception) -> str:
    """Why the system refuses, in its own words, in one line.

    >>> reason(OSError(28, "No space left on device"))
    'No space left on device'
    """
    return getattr(error, "strerror", None) or " ".join(str(error).split()) or type(error).__name__


def _is_temporary(path: Path) -> bool:
    return path.name.startswith(".") and path.suffix == ".tmp"


@contextmanager
def _temporary_beside(path: Path) -> Iterator[tuple[Path, Any]]:
    """Make a file in the same folder that is locked while it is written, so that `sweep` leaves it alone."""
    while True:
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
        try:
            with temporary.open("xb") as file:
                if not _lock(file, wait=True) or os.fstat(file.fileno()).st_nlink:
                    yield temporary, file
                    return
        finally:
            temporary.unlink(missing_ok=True)


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):  # somebody else writes there
            folder.rmdir()


def _remove_if_left(path: Path) -> None:
    with contextlib.suppress(OSError), path.open("rb") as file:
        if _lock(file, wait=False):
            path.unlink()


def _lock(file: Any, *, wait: bool) -> bool:
    """Lock an open file until it is closed; whether that could be done. It ends with the process, however that ends."""
    if fcntl is None:
        return not wait
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _sync_folder(folder: Path) -> None:
    """Let a renamed file keep its name when the machine loses power, where folders can be synced."""
    if os.name == "nt":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def stores_like(pattern: str | Path, name: str) -> list[Store]:
    """Return the stores that a pattern with `*` fits and that hold a file of this name; without `*`, the one there.

    Raises RunError when the pattern fits none.
    """
    if not any(sign in str(pattern) for sign in "*?[") or os.path.exists(os.path.join(pattern, name)):
        return [store_at(pattern)]
    if "://" in str(pattern):
        files, root = _reached(str(pattern))
        try:
            paths = sorted(files.glob(f"{root.rstrip('/')}/{name}"))
        except Exception as error:  # whatever its library raises
            raise RunError(f"{pattern} cannot be read: {reason(error)}") from None
        found = [files.unstrip_protocol(path.rpartition("/")[0]) for path in paths]
    else:
        found = sorted(folder for folder in glob(str(pattern)) if os.path.exists(os.path.join(folder, name)))
    if not found:
        raise RunError(f"{pattern} fits no directory with a {name}")
    return [store_at(path) for path in found]


def _reached(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it."""
    import fsspec

    try:
        # Without a cache of what is there: others write there, too.
        files, root = fsspec.core.url_to_fs(url, use_listings_cache=False)
    except Exception as error:  # no such protocol, its library not installed, its server out of reach
        raise RunError(f"{url} cannot be reached: {reason(error)}") from None
    return files, root
