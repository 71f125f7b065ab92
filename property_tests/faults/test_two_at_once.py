"""Several processes that simulate into one directory at the same time: both may write, for the bytes are the same."""

import signal
import time

import pytest


@pytest.fixture
def begin(tmp_path, start, spec):
    """A function that starts a simulation into the directory that all of them share."""

    def begin(kind, *arguments):
        out = ("--out", tmp_path / "run", "--progress", "off")
        return start("simulate", *spec(kind), *out, "--workers", "1", *arguments)

    return begin


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_two_that_begin_together_both_end_well_with_the_same_bytes(tmp_path, begin, undisturbed, contents, often, kind):
    for _ in range(often(1, 10)):
        both = [begin(kind), begin(kind)]
        assert [command.end() for command in both] == [(0, f"{tmp_path / 'run'}\n", "")] * 2
        assert contents(tmp_path / "run") == undisturbed(kind)


def test_one_that_joins_at_any_moment_ends_well_when_the_other_is_killed(
    tmp_path, begin, undisturbed, contents, starts_in, often, moments
):
    for number in range(often(1, 10)):
        first = begin("threads")
        first.wait_until(lambda number=number: starts_in(tmp_path / "run") > 2 * number)
        second = begin("threads")
        time.sleep(moments.uniform(0, 0.8))
        first.send(signal.SIGKILL)
        assert second.end() == (0, f"{tmp_path / 'run'}\n", "")
        assert contents(tmp_path / "run") == undisturbed("threads")
        for path in (tmp_path / "run").rglob("*.parquet"):
            path.unlink()


def test_one_that_wants_more_games_and_one_that_wants_fewer_leave_whichever_ended_last_whole(
    tmp_path, begin, patchstats, spec, contents, undisturbed
):
    both = [begin("threads"), begin("threads", "--games", "10000")]
    for command in both:
        status, _, err = command.end()
        assert status == 0 or (status == 2 and "is a run of 20000 games, more than 10000" in err)
    out = ("--out", tmp_path / "run", "--progress", "off")
    assert patchstats("simulate", *spec("threads"), *out).status == 0
    assert contents(tmp_path / "run") == undisturbed("threads")
