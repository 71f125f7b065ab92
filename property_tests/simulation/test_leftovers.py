"""What killed writers left is swept away at the end; what is being written stays."""

import subprocess
import sys

import pytest

from patchstats.dataset.manifest import NAME

#: Locks a file as its writer does, says so, and waits to be told to end.
WRITER = """
import fcntl, sys
with open(sys.argv[1], "xb") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    print("locked", flush=True)
    sys.stdin.read()
"""


class Interrupted(BaseException):
    """As Ctrl-C ends a run, but for the test session, which goes on when a test lets it through."""


@pytest.fixture
def writer():
    """A function that starts a process which writes a file; it returns that process."""
    started = []

    def writer(path):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        assert process.stdout.readline() == "locked\n"
        return process

    yield writer
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("games", [0, 7])
def test_a_run_killed_while_it_wrote_a_shard_goes_on_and_leaves_nothing_half_written(
    run, undisturbed, contents, plays_before, games
):
    mend = plays_before(games, Interrupted())
    with pytest.raises(Interrupted):
        run(engine="reference")
    mend()
    half = run.folder / "turns" / ".part-00001.parquet.4242abcd.tmp"
    half.parent.mkdir(exist_ok=True)
    half.write_bytes(b"PAR1")
    run()
    assert contents(run.folder) == undisturbed


def test_a_run_killed_while_it_wrote_its_first_manifest_goes_on_and_leaves_nothing_half_written(
    run, undisturbed, contents
):
    run.folder.mkdir(parents=True)
    (run.folder / f".{NAME}.4242abcd.tmp").write_bytes(b"{")
    run()
    assert contents(run.folder) == undisturbed


def test_what_a_killed_writer_left_in_a_finished_run_is_removed_by_the_same_command(run, undisturbed, contents):
    run()
    (run.folder / "games" / ".part-00001.parquet.4242abcd.tmp").write_bytes(b"PAR1")
    run()
    assert contents(run.folder) == undisturbed


@pytest.mark.skipif(sys.platform == "win32", reason="there an open file cannot be removed anyway")
def test_what_another_process_is_writing_stays_until_that_process_is_gone(run, undisturbed, contents, writer):
    run()
    written = run.folder / "games" / ".part-00001.parquet.4242abcd.tmp"
    process = writer(written)
    run()
    assert written.exists()
    process.kill()
    process.communicate()
    run()
    assert contents(run.folder) == undisturbed


def test_a_file_that_only_looks_like_a_leftover_is_not_removed(run):
    run()
    mine = run.folder / "notes.tmp"
    mine.write_text("mine", encoding="utf-8")
    run()
    assert mine.exists()
