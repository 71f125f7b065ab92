"""A disk that is full or cannot be written, and a limit on the size of files: said in a line, and nothing half-written.

A disk of its own is a mount that only the command sees, where the system allows that.
"""

import resource
import subprocess
import sys

import pytest

#: Ways to have mounts of one's own: as root, or in a user namespace.
WAYS = (["unshare", "--mount"], ["unshare", "--user", "--map-root-user", "--mount"])
PATCHSTATS = f'{sys.executable} -c "from patchstats.cli import main; main()"'


@pytest.fixture(scope="session")
def with_own_mounts():
    """The words before a command that let it mount what it likes."""
    probe = ["sh", "-c", "mount -t tmpfs none /tmp"]
    for way in WAYS:
        try:
            if subprocess.run([*way, *probe], capture_output=True, check=False).returncode == 0:
                return way
        except FileNotFoundError:
            continue
    pytest.skip("this system does not let a test mount a disk of its own")


@pytest.fixture
def on_a_disk(tmp_path, with_own_mounts, spec):
    """A function that runs a script in a folder where a disk of so many kB is mounted on `disk`.

    In the script `simulate` is the command with the run on the disk; what it prints is returned.
    """

    def on_a_disk(kind, kilobytes, script):
        (tmp_path / "disk").mkdir()
        simulate = f"{PATCHSTATS} simulate {' '.join(spec(kind))} --out disk/run --workers 2 --progress off"
        lines = [
            f'simulate() {{ {simulate} "$@"; echo "status $?"; }}',
            f"mount -t tmpfs -o size={kilobytes}k none disk",
        ]
        done = subprocess.run(
            [*with_own_mounts, "sh", "-c", "\n".join([*lines, script])],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=120,
        )
        return done.stdout

    return on_a_disk


@pytest.mark.parametrize(("kind", "kilobytes"), [("threads", 1500), ("processes", 300)])
def test_a_full_disk_loses_nothing_that_was_finished_and_the_run_goes_on_when_there_is_room(
    tmp_path, on_a_disk, undisturbed, contents, is_part_of, kind, kilobytes
):
    printed = on_a_disk(
        kind,
        kilobytes,
        "simulate; cp -r disk/run half; mount -o remount,size=100m disk; simulate; cp -r disk/run whole",
    )
    first, status, *rest = printed.splitlines()
    assert first.startswith("patchstats: disk/run/")
    assert first.endswith(
        "cannot be written: No space left on device; what was finished is kept, and the same command goes on with it"
    )
    assert [status, *rest] == ["status 2", "disk/run", "status 0"]
    half = contents(tmp_path / "half")
    assert any(name.endswith(".parquet") for name in half)
    assert not any(name.endswith(".tmp") for name in half)
    assert is_part_of(half, undisturbed(kind))
    assert contents(tmp_path / "whole") == undisturbed(kind)


def test_a_disk_too_small_for_the_first_shard_is_left_empty(tmp_path, on_a_disk):
    printed = on_a_disk("threads", 16, "simulate; find disk > left")
    assert printed.endswith("cannot be written: No space left on device\nstatus 2\n")
    assert (tmp_path / "left").read_text() == "disk\n"


def test_a_directory_that_cannot_be_written_is_said_and_left_as_it_is(tmp_path, on_a_disk, contents):
    script = """
        simulate --games 2000; cp -r disk/run before
        mount -o remount,ro disk; simulate
        cp -r disk/run after; mount -o remount,rw disk; rm -r disk/run; mount -o remount,ro disk; simulate
    """
    printed = on_a_disk("threads", 100_000, script.replace("simulate --games 2000", "simulate --games 2000"))
    assert printed.splitlines() == [
        "disk/run",
        "status 0",
        "patchstats: disk/run/log.jsonl cannot be written: Read-only file system; what was finished is kept, and the "
        "same command goes on with it",
        "status 2",
        "patchstats: disk/run cannot be written: Read-only file system",
        "status 2",
    ]
    assert contents(tmp_path / "after") == contents(tmp_path / "before")


@pytest.mark.parametrize("limit", [2_000, 30_000])
def test_a_limit_on_the_size_of_files_is_said_and_leaves_nothing_half_written(
    tmp_path, patchstats, spec, undisturbed, contents, is_part_of, limit
):
    run = tmp_path / "run"
    command = ("simulate", *spec("threads"), "--out", run, "--workers", "2", "--progress", "off")
    limited = patchstats(*command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert limited.status == 2
    assert limited.err.count("\n") == 1
    assert "cannot be written: File too large" in limited.err
    if run.exists():
        assert is_part_of(contents(run), undisturbed("threads"))
    assert patchstats(*command).status == 0
    assert contents(run) == undisturbed("threads")
