"""Where the files of a run lie: whole or not at all, on this machine and elsewhere."""

import errno
import io
import os
import pickle
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import fsspec
import pytest
from fsspec.registry import known_implementations

from patchstats.dataset.shards import described, read_shard
from patchstats.dataset.store import sha256_of, store_at, stores_like
from patchstats.errors import RunError

NAME = "games/part-00000.parquet"


class Elsewhere(fsspec.AbstractFileSystem):
    """Files that all instances share, each with a memory of its own of what it once listed."""

    protocol = "elsewhere"
    files: dict[str, bytes] = {}  # noqa: RUF012
    refusal = None

    def _asked(self):
        if self.refusal is not None:
            raise self.refusal

    def ls(self, path, detail=True, **_):
        self._asked()
        path = path.rstrip("/")
        inside = {file for file in self.files if file.startswith(f"{path}/")}
        tops = sorted({f"{path}/{file.removeprefix(path + '/').partition('/')[0]}" for file in inside})
        if path in self.dircache:
            entries = self.dircache[path]
        elif tops:
            entries = [{"name": top, "size": 0, "type": "file" if top in inside else "directory"} for top in tops]
            self.dircache[path] = entries
        else:
            raise FileNotFoundError(path)
        return entries if detail else [entry["name"] for entry in entries]

    def _open(self, path, *_, **__):
        self._asked()
        if path not in self.ls(self._parent(path), detail=False):
            raise FileNotFoundError(path)
        return io.BytesIO(self.files[path])

    def cat_file(self, path, **_):
        return self._open(path).read()

    def pipe_file(self, path, value, **_):
        self._asked()
        self.files[path] = value
        self.invalidate_cache()

    def rm_file(self, path):
        self._asked()
        if path not in self.files:
            raise FileNotFoundError(path)
        del self.files[path]
        self.invalidate_cache()


@pytest.fixture
def elsewhere(monkeypatch):
    """Elsewhere, without a file, can be reached by URLs."""
    monkeypatch.setattr(Elsewhere, "files", {})
    Elsewhere.clear_instance_cache()
    fsspec.register_implementation("elsewhere", Elsewhere, clobber=True)
    return Elsewhere


@pytest.fixture(params=["local", "memory", "elsewhere"])
def store(request, tmp_path, elsewhere):  # noqa: ARG001
    """A store of each kind that holds nothing."""
    memory = fsspec.filesystem("memory")
    memory.makedirs("/test_store")
    yield store_at(tmp_path / "runs" if request.param == "local" else f"{request.param}://test_store/runs")
    memory.rm("/test_store", recursive=True)


@pytest.fixture
def local(tmp_path):
    """A store of this machine, in a directory that is there."""
    return store_at(tmp_path)


def everything_in(folder):
    """The names of all files, those with temporary names too."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_file_is_read_as_it_was_written_last(store):
    for content in (b"first", b"", b"a longer one than the first"):
        store.write(NAME, content)
        assert store.read(NAME) == content
        assert store.names() == [NAME]


def test_an_open_file_is_read_from_any_place(store):
    store.write(NAME, b"0123456789")
    with store.open(NAME) as file:
        assert file.read(3) == b"012"
        file.seek(-4, io.SEEK_END)
        assert file.read() == b"6789"
        file.seek(1)
        assert (file.read(2), file.tell()) == (b"12", 3)


def test_a_line_is_added_to_a_text_or_begins_it(store):
    store.make()
    for line in ("one", "two", "dréi"):
        store.append("log.jsonl", line)
    assert store.read("log.jsonl").decode() == "one\ntwo\ndréi\n"


def test_a_file_that_was_removed_is_not_there(store):
    store.write("manifest.json", b"{}")
    store.write(NAME, b"rows")
    store.remove(NAME)
    store.remove(NAME)
    store.remove("never there")
    assert not store.holds(NAME)
    assert store.names() == ["manifest.json"]


def test_all_names_are_told_in_order(store):
    names = ["games/part-00000.parquet", "games/part-00001.parquet", "manifest.json", "turns/part-00000.parquet"]
    for name in reversed(names):
        store.write(name, b"")
    assert store.names() == names
    assert all(map(store.holds, names))
    assert not store.holds("games/part-00002.parquet")


def test_a_store_that_is_not_there_has_no_names_and_no_files(store):
    assert store.names() == []
    assert not store.holds("manifest.json")


@pytest.mark.parametrize("ask", ["read", "open"])
def test_a_file_that_is_not_there_is_refused_by_name_in_the_words_of_the_system(store, ask):
    with pytest.raises(FileNotFoundError) as error:
        getattr(store, ask)(NAME)
    assert error.value.strerror == "No such file or directory"
    assert str(error.value.filename) == store.where(NAME) == f"{store}/{NAME}"
    with pytest.raises(RunError, match=r"cannot be read: No such file or directory$"):
        sha256_of(store, NAME)


def test_a_store_is_the_same_after_pickling(store):
    store.write(NAME, b"rows")
    again = pickle.loads(pickle.dumps(store))
    assert again == store
    assert again.read(NAME) == b"rows"


def test_stores_are_equal_when_they_are_named_equally(store):
    assert store == store_at(store.path)
    assert store == store_at(f"{store}/")
    assert store != store_at(f"{store}/more")
    assert store != store.path
    with pytest.raises(TypeError):
        hash(store)


def test_an_absolute_store_is_found_from_any_folder(store, tmp_path, monkeypatch):
    assert store.absolute() == store
    monkeypatch.chdir(tmp_path)
    relative = store_at("here")
    relative.write(NAME, b"rows")
    absolute = relative.absolute()
    monkeypatch.chdir("/")
    assert absolute.read(NAME) == b"rows"
    assert not relative.holds(NAME)


def test_directories_are_made_and_cleared_away_again_when_nothing_is_in_them(local):
    store = store_at(local.path / "a" / "b")
    made = store.make()
    assert made == [local.path / "a" / "b", local.path / "a"]
    assert store.make() == []
    store.write(NAME, b"rows")
    store.clear(("games",), made)
    assert store.read(NAME) == b"rows"
    store.remove(NAME)
    store.clear(("games",), made)
    assert list(local.path.iterdir()) == []


def test_a_directory_that_was_there_stays(local):
    store = store_at(local.path / "a")
    store.path.mkdir()
    made = store.make()
    store.write(NAME, b"rows")
    store.remove(NAME)
    store.clear(("games",), made)
    assert list(local.path.rglob("*")) == [local.path / "a"]


def test_elsewhere_no_directories_are_made(elsewhere):
    store = store_at("elsewhere://test_store/first")
    assert store.make() == []
    store.clear((), [])
    store.sweep()
    assert elsewhere.files == {}


@pytest.mark.parametrize("protocol", ["file", "local"])
def test_a_url_of_this_machine_is_its_directory(local, protocol):
    store = store_at(f"{protocol}://{local.path}")
    assert store == local
    store.write(NAME, b"rows")
    assert (local.path / NAME).read_bytes() == b"rows"


@pytest.mark.parametrize("url", ["file://", "memory://", "s3://", "s3:///", "memory:////"])
def test_a_url_that_names_nothing_is_refused(url):
    with pytest.raises(RunError, match=f"{url} names no directory; add one"):
        store_at(url)


@pytest.mark.parametrize("reached", [store_at, lambda url: stores_like(f"{url}/*", "manifest.json")])
def test_what_cannot_be_reached_is_refused_in_a_line_that_says_why(reached, monkeypatch):
    missing = {"class": "nowhere_installed.Files", "err": "Install nowhere_installed\nto reach it"}
    monkeypatch.setitem(known_implementations, "missing", missing)
    with pytest.raises(RunError, match=r"^missing://a/b.* cannot be reached: Install nowhere_installed to reach it$"):
        reached("missing://a/b")
    with pytest.raises(RunError, match=r"^unheard-of://a/b.* cannot be reached: Protocol not known: unheard-of$"):
        reached("unheard-of://a/b")
    monkeypatch.setattr(Elsewhere, "__init__", refuse)
    Elsewhere.clear_instance_cache()
    fsspec.register_implementation("elsewhere", Elsewhere, clobber=True)
    with pytest.raises(RunError, match=r"^elsewhere://a/b.* cannot be reached: No space left$"):
        reached("elsewhere://a/b")


REFUSALS = [
    pytest.param(PermissionError(errno.EACCES, "Access denied"), "Access denied", id="an error of the system"),
    pytest.param(RuntimeError("the connection\nwas lost"), "the connection was lost", id="an error of a library"),
    pytest.param(TimeoutError(), "TimeoutError", id="an error without words"),
]


@pytest.mark.parametrize(("refusal", "words"), REFUSALS)
@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda store: store.read(NAME), id="read"),
        pytest.param(lambda store: store.open(NAME), id="open"),
        pytest.param(lambda store: store.holds(NAME), id="holds"),
        pytest.param(lambda store: store.write(NAME, b"new"), id="write"),
        pytest.param(lambda store: store.append(NAME, "new"), id="append"),
        pytest.param(lambda store: store.remove(NAME), id="remove"),
        pytest.param(lambda store: store.names(), id="names"),
    ],
)
def test_whatever_is_raised_elsewhere_is_an_error_of_the_system_that_names_the_file(
    elsewhere, monkeypatch, refusal, words, ask
):
    store = store_at("elsewhere://test_store/first")
    store.write(NAME, b"old")
    monkeypatch.setattr(elsewhere, "refusal", refusal)
    with pytest.raises(OSError, match=words) as error:
        ask(store)
    assert error.value.strerror == words
    assert error.value.filename in (store.where(NAME), store.where(""))
    assert isinstance(error.value, PermissionError) == isinstance(refusal, PermissionError)
    monkeypatch.setattr(elsewhere, "refusal", None)
    assert store.read(NAME) == b"old"


@pytest.mark.parametrize(("refusal", "words"), REFUSALS)
def test_a_connection_that_is_lost_while_a_file_is_read_is_told_in_a_line(elsewhere, monkeypatch, refusal, words):
    class Lost(io.BytesIO):
        def read(self, *_):
            raise refusal

    store = store_at("elsewhere://test_store/first")
    store.write(NAME, b"PAR1 and more")
    monkeypatch.setattr(elsewhere, "_open", lambda *_, **__: Lost(b"PAR1 and more"))
    for read in (sha256_of, read_shard):
        with pytest.raises(RunError, match=f"^elsewhere://test_store/first/{NAME} cannot be read: {words}$"):
            read(store, NAME)
    assert described(store, NAME) is None


def test_a_pattern_that_cannot_be_looked_up_is_refused_in_a_line(elsewhere, monkeypatch):
    monkeypatch.setattr(elsewhere, "refusal", RuntimeError("the connection\nwas lost"))
    with pytest.raises(RunError, match=r"^elsewhere://a/\* cannot be read: the connection was lost$"):
        stores_like("elsewhere://a/*", "manifest.json")


def test_what_others_write_is_seen_though_it_was_looked_for_before(elsewhere):
    store = store_at("elsewhere://test_store/first")
    store.write("manifest.json", b"{}")
    assert store.names() == ["manifest.json"]
    assert not store.holds("log.jsonl")
    elsewhere.files["test_store/first/log.jsonl"] = b"of another process"
    assert store.holds("log.jsonl")
    assert store.names() == ["log.jsonl", "manifest.json"]
    assert store.read("log.jsonl") == b"of another process"


def refuse(*_, **__):
    raise OSError(errno.ENOSPC, "No space left")


@contextmanager
def files_cannot_grow():
    """After a thousand bytes of a file the system takes no more."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


FAILURES = [
    pytest.param(files_cannot_grow, "File too large", id="in the middle"),
    pytest.param(lambda: patch.object(os, "fsync", refuse), "No space left", id="at the end"),
    pytest.param(lambda: patch.object(Path, "replace", refuse), "No space left", id="when all but the name is done"),
]


@pytest.mark.parametrize(("failing", "words"), FAILURES)
def test_nothing_is_left_when_writing_fails(local, failing, words):
    with pytest.raises(OSError, match=words), failing():
        local.write(NAME, bytes(10**6))
    assert everything_in(local.path) == []


@pytest.mark.parametrize(("failing", "words"), FAILURES)
def test_an_older_file_stays_as_it_was_when_writing_fails(local, failing, words):
    local.write(NAME, b"what was there before")
    with pytest.raises(OSError, match=words), failing():
        local.write(NAME, bytes(10**6))
    assert local.read(NAME) == b"what was there before"
    assert everything_in(local.path) == [NAME]


def test_a_file_gets_its_name_when_it_is_whole_and_on_the_disk(local, monkeypatch):
    log = []

    def recorded(name, function):
        def call(*arguments):
            there = everything_in(local.path)
            sizes = [(local.path / file).stat().st_size for file in there]
            log.append((name, NAME in there, sizes))
            return function(*arguments)

        return call

    monkeypatch.setattr(os, "fsync", recorded("sync", os.fsync))
    monkeypatch.setattr(Path, "replace", recorded("name", Path.replace))
    local.write(NAME, b"rows")
    assert log == [("sync", False, [4]), ("name", False, [4]), ("sync", True, [4])]


def test_what_is_being_written_is_no_file_yet(local, monkeypatch):
    seen = []
    monkeypatch.setattr(os, "fsync", lambda _: seen.append(local.names()))
    local.write(NAME, b"rows")
    assert seen[0] == []


#: Writes a file, and waits with its temporary name until something can be read from standard input.
SLOW_WRITER = """
import os, sys
from pathlib import Path
from patchstats.dataset.store import store_at

def wait(_):
    print("writing", flush=True)
    sys.stdin.read(1)

os.fsync = wait
store_at(Path(sys.argv[1])).write("games/part-00000.parquet", b"rows of another process")
"""


@pytest.fixture
def writer(local):
    """Another process that is writing a file."""
    command = [sys.executable, "-c", SLOW_WRITER, str(local.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "writing\n"
        yield process
        process.kill()


def test_sweeping_leaves_what_another_process_is_writing(local, writer):
    [temporary] = everything_in(local.path)
    local.sweep()
    assert everything_in(local.path) == [temporary]
    assert local.names() == []
    writer.communicate("..", timeout=30)
    assert writer.returncode == 0
    assert everything_in(local.path) == [NAME]
    assert local.read(NAME) == b"rows of another process"


def test_sweeping_removes_what_a_killed_process_left(local, writer):
    local.write("turns/part-00000.parquet", b"rows")
    (local.path / "games" / "notes.tmp").touch()
    writer.kill()
    writer.wait(timeout=30)
    assert len(everything_in(local.path)) == 3
    local.sweep()
    assert everything_in(local.path) == ["games/notes.tmp", "turns/part-00000.parquet"]


def test_a_file_whose_temporary_name_is_swept_before_it_is_locked_is_written_all_the_same(local, monkeypatch):
    from patchstats.dataset import store as module

    lock, swept = module._lock, []

    def sweep_before_locking(file, *, wait):
        if wait and not swept:
            swept.append(everything_in(local.path))
            local.sweep()
        return lock(file, wait=wait)

    monkeypatch.setattr(module, "_lock", sweep_before_locking)
    local.write(NAME, b"rows")
    assert len(swept[0]) == 1
    assert everything_in(local.path) == [NAME]
    assert local.read(NAME) == b"rows"


#: Writes the same file again and again, and sweeps.
EAGER_WRITER = """
import sys
from pathlib import Path
from patchstats.dataset.store import store_at

store = store_at(Path(sys.argv[1]))
for _ in range(200):
    store.write("games/part-00000.parquet", sys.argv[2].encode() * 300_000)
    store.sweep()
"""


def test_processes_that_write_the_same_file_at_once_leave_one_of_the_whole_files(local):
    command = [sys.executable, "-c", EAGER_WRITER, str(local.path)]
    wholes = {letter.encode() * 300_000 for letter in "ab"}
    seen = set()
    writers = [subprocess.Popen([*command, letter]) for letter in "ab"]
    try:
        while any(process.poll() is None for process in writers):
            if local.holds(NAME):
                seen.add(local.read(NAME))
    finally:
        for process in writers:
            process.kill()
            process.wait()
    assert [process.returncode for process in writers] == [0, 0]
    assert seen <= wholes
    assert local.read(NAME) in wholes
    assert everything_in(local.path) == [NAME]
