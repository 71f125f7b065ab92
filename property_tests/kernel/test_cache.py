"""Where compiled routines are kept, and that one machine compiles once."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numba
import pytest

from patchstats.kernel import cache, engine
from patchstats.kernel.cache import VARIABLE, cache_folder, kept_on_disk


@pytest.fixture(autouse=True)
def _asked_anew():
    """Let the folder be looked for again, in this test and after it."""
    cache_folder.cache_clear()
    yield
    cache_folder.cache_clear()


@pytest.fixture
def no_folder(tmp_path):
    """A path at which nobody can make a folder, root neither."""
    file = tmp_path / "file"
    file.write_text("no folder", encoding="utf-8")
    return file / "below"


@pytest.fixture
def hash_of_a_copy(tmp_path, monkeypatch):
    """The folder of a copy of the sources, and a function that gives the hash of what is there."""
    copy = tmp_path / "kernel"
    shutil.copytree(Path(cache.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(cache, "__file__", str(copy / "cache.py"))
    return copy, cache._hash_of_sources


def test_the_folder_lies_where_the_variable_says(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "deep" / "cache"))
    assert cache_folder().parent == tmp_path / "deep" / "cache"
    assert list(cache_folder().iterdir()) == []
    assert not cache.is_compiled("games")


def test_the_engine_is_compiled_when_what_plays_games_and_all_agents_are(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    (cache_folder() / "uniform.choose-19.py311.nbi").touch()
    assert not engine.is_compiled(["games", "uniform"])
    (cache_folder() / "games.play_games-70.py311.nbi").touch()
    assert engine.is_compiled(["games", "uniform"])
    assert not engine.is_compiled(["games", "uniform", "greedy"])


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="the user's cache lies elsewhere")
@pytest.mark.parametrize("value", [None, ""])
def test_without_the_variable_the_folder_lies_in_the_cache_of_the_user(tmp_path, monkeypatch, value):
    monkeypatch.delenv(VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(VARIABLE, value)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder().parent == tmp_path / "patchstats"


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="the user's cache lies elsewhere")
def test_where_the_variable_names_no_place_to_write_the_cache_of_the_user_is_taken(tmp_path, monkeypatch, no_folder):
    monkeypatch.setenv(VARIABLE, str(no_folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder().parent == tmp_path / "patchstats"


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="the user's cache lies elsewhere")
def test_where_nothing_can_be_written_a_temporary_folder_is_taken_which_stays_the_same(
    tmp_path, monkeypatch, no_folder
):
    monkeypatch.setenv(VARIABLE, str(no_folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(no_folder))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert cache_folder().parent == tmp_path
    assert cache_folder() == cache_folder()
    assert list(cache_folder().iterdir()) == []


def test_a_copy_of_the_sources_has_the_same_hash(hash_of_a_copy):
    _, hash_of_sources = hash_of_a_copy
    of_the_copy = hash_of_sources()
    assert cache_folder().name.startswith(f"kernel-{of_the_copy}")


def test_any_changed_source_changes_the_hash(hash_of_a_copy):
    copy, hash_of_sources = hash_of_a_copy
    hashes = [hash_of_sources()]
    paths = sorted(copy.rglob("*.py"))
    assert {"games.py", "deciding.py", "baselines.py"} <= {path.name for path in paths}
    for path in paths:
        path.write_bytes(path.read_bytes() + b"\n")
        hashes.append(hash_of_sources())
    (copy / "turn.py").rename(copy / "move.py")
    hashes.append(hash_of_sources())
    (copy / "move.py").unlink()
    hashes.append(hash_of_sources())
    assert len(set(hashes)) == len(hashes) > 10


def test_another_numba_or_another_python_changes_the_hash(monkeypatch):
    hashes = [cache._hash_of_sources()]
    monkeypatch.setattr(numba, "__version__", "0.0")
    hashes.append(cache._hash_of_sources())
    monkeypatch.setattr(sys, "version", "4.0")
    hashes.append(cache._hash_of_sources())
    assert len(set(hashes)) == 3


def test_only_what_is_decorated_meanwhile_is_kept_there(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    before = numba.config.CACHE_DIR
    with kept_on_disk():
        meanwhile = numba.config.CACHE_DIR
    assert (meanwhile, numba.config.CACHE_DIR) == (str(cache_folder()), before)
    with pytest.raises(ZeroDivisionError), kept_on_disk():
        1 / 0  # noqa: B018
    assert before == numba.config.CACHE_DIR


def simulate(folder, out):
    """Simulate a few games in a process of its own; return its exit status, what it printed, and its errors."""
    ran = subprocess.run(
        [
            *(sys.executable, "-W", "error", "-c", "from patchstats.cli import main; main()", "simulate"),
            *("--games", "5", "--seed", "1", "--out", str(out), "--progress", "plain"),
        ],
        env={**os.environ, VARIABLE: str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr


def test_the_engine_is_compiled_once_on_a_machine_also_by_two_processes_at_a_time(tmp_path, contents):
    folder = tmp_path / "cache"
    outs = [tmp_path / name for name in ("first", "second", "third")]
    with ThreadPoolExecutor(2) as executor:
        ran = list(executor.map(partial(simulate, folder), outs[:2]))
    ran.append(simulate(folder, outs[2]))
    assert [(status, printed) for status, printed, _ in ran] == [(0, f"{out}\n") for out in outs], ran
    said = ["the engine is being compiled, once on this machine\n" in errors for _, _, errors in ran]
    assert any(said[:2])
    assert not said[2]
    assert contents(outs[0]) == contents(outs[1]) == contents(outs[2])
    assert len(list(folder.iterdir())) == 1
