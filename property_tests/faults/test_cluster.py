"""A Dask cluster of processes: the same bytes as on one machine, whatever happens to its workers and its scheduler."""

import os
import signal
import subprocess
import sys
import time
import warnings

import psutil
import pytest

distributed = pytest.importorskip("distributed", reason="the extra cluster is not installed")


@pytest.fixture(scope="module")
def cluster():
    """A cluster of two worker processes on this machine."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        )
    yield cluster
    cluster.close()


@pytest.fixture
def on_cluster(tmp_path, start, cluster, spec):
    """A function that starts a simulation whose shards the cluster plays."""

    def on_cluster(kind, address=None):
        executor = ("--executor", "dask", "--scheduler", address or cluster.scheduler_address)
        return start("simulate", *spec(kind), *executor, "--out", "run", "--progress", "off", cwd=tmp_path)

    return on_cluster


@pytest.fixture
def finished(tmp_path):
    """A function: how many shards are finished."""
    return lambda: len(list((tmp_path / "run").glob("games/part-*.parquet")))


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_a_cluster_writes_the_bytes_that_one_machine_writes(tmp_path, on_cluster, undisturbed, contents, kind):
    assert on_cluster(kind).end() == (0, "run\n", "")
    assert contents(tmp_path / "run") == undisturbed(kind)


def test_a_killed_worker_is_replaced_and_its_shards_are_played_by_others(
    tmp_path, on_cluster, cluster, undisturbed, contents, finished, often, moments
):
    for _ in range(often(1, 10)):
        simulation = on_cluster("processes")
        simulation.wait_until(finished)
        time.sleep(moments.uniform(0, 1))
        os.kill(moments.choice(list(cluster.workers.values())).pid, signal.SIGKILL)
        assert simulation.end() == (0, "run\n", "")
        assert contents(tmp_path / "run") == undisturbed("processes")
        for path in (tmp_path / "run").rglob("*.parquet"):
            path.unlink()


def test_a_simulation_killed_while_a_cluster_plays_goes_on_anywhere(
    tmp_path, on_cluster, patchstats, spec, undisturbed, contents, finished, often, moments
):
    for _ in range(often(1, 10)):
        simulation = on_cluster("processes")
        simulation.wait_until(finished)
        time.sleep(moments.uniform(0, 0.5))
        simulation.send(signal.SIGKILL)
        simulation.end()
        out = ("--out", tmp_path / "run", "--progress", "off")
        assert patchstats("simulate", *spec("processes"), *out, "--workers", "1").status == 0
        assert contents(tmp_path / "run") == undisturbed("processes")
        for path in (tmp_path / "run").rglob("*.parquet"):
            path.unlink()


@pytest.fixture
def scheduler():
    """A scheduler of its own, with a worker, that can go away: its process, and its address."""
    port = _free_port()
    address = f"tcp://127.0.0.1:{port}"
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([*dask, "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"], **quiet) as scheduler:
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "2", "--no-dashboard"]
        with subprocess.Popen(worker, **quiet) as workers:
            yield scheduler, address
            for process in psutil.Process(workers.pid).children(recursive=True):
                process.kill()
            workers.kill()
            scheduler.kill()


def test_a_scheduler_that_goes_away_is_said_in_a_line_and_loses_nothing_that_was_finished(
    tmp_path, on_cluster, scheduler, patchstats, spec, undisturbed, contents, is_part_of, finished
):
    process, address = scheduler
    with distributed.Client(address, timeout="30s", set_as_default=False) as client:
        client.wait_for_workers(1, timeout="60s")
    simulation = on_cluster("processes", address)
    simulation.wait_until(finished)
    process.kill()
    assert simulation.end() == (
        2,
        "",
        f"patchstats: the scheduler at {address} went away; what was finished is kept, and the same command goes on "
        f"with {tmp_path / 'run'}\n",
    )
    half = contents(tmp_path / "run")
    assert is_part_of(half, undisturbed("processes"))
    assert patchstats("simulate", *spec("processes"), "--out", tmp_path / "run", "--progress", "off").status == 0
    assert contents(tmp_path / "run") == undisturbed("processes")


def test_a_scheduler_that_does_not_answer_is_said_in_a_line_and_nothing_is_left(tmp_path, run_command, monkeypatch):
    monkeypatch.setattr("patchstats.simulation.cluster._SECONDS", "1s")
    address, out = f"tcp://127.0.0.1:{_free_port()}", tmp_path / "run"
    arguments = ("--games", 9, "--seed", 1, "--out", out, "--progress", "off", "--executor", "dask")
    status, printed, errors = run_command("simulate", *arguments, "--scheduler", address)
    assert (status, printed, errors.count("\n")) == (2, "", 1)
    assert errors.startswith(f"patchstats: there is no Dask scheduler at {address}: ")
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--executor", "dask"), "executor dask and the address of its scheduler belong together"),
        (("--scheduler", "tcp://127.0.0.1:8786"), "executor dask and the address of its scheduler belong together"),
        (("--executor", "dask", "--scheduler", "nonsense"), "there is no Dask scheduler at nonsense"),
        (("--executor", "dask", "--scheduler", "x://127.0.0.1:1"), "there is no Dask scheduler at x://127.0.0.1:1"),
        (
            ("--executor", "dask", "--scheduler", "tcp://127.0.0.1:1", "--workers", "2"),
            "--workers is for --executor local",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_line(tmp_path, run_command, arguments, said):
    out = tmp_path / "run"
    status, printed, errors = run_command(
        "simulate", "--games", 9, "--seed", 1, "--out", out, "--progress", "off", *arguments
    )
    assert (status, printed, errors.count("\n")) == (2, "", 1)
    assert said in errors
    assert not out.exists()


def _free_port():
    import socket

    with socket.socket() as socket_:
        socket_.bind(("127.0.0.1", 0))
        return socket_.getsockname()[1]
