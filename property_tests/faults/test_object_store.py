"""Runs in a bucket: a real S3 interface, spoken over HTTP to a server on this machine that the test starts."""

import os
import pickle
import signal
import socket
import subprocess
import sys
import time
import warnings

import pytest

from patchstats import open_run, open_runs, simulate, verify
from patchstats.dataset.store import store_at
from patchstats.errors import RunError

pytest.importorskip("s3fs", reason="the extra cluster is not installed")


@pytest.fixture(scope="module")
def bucket():
    """The URL of an empty bucket; the environment says where its server is."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        "AWS_ACCESS_KEY_ID": "anyone",
        "AWS_SECRET_ACCESS_KEY": "anything",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
    }
    server = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with (
        pytest.MonkeyPatch.context() as patch,
        subprocess.Popen(server, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process,
    ):
        for name, value in environment.items():
            patch.setenv(name, value)
        _wait_for(port)
        _files().mkdir("bucket")
        yield "s3://bucket"
        process.kill()


def _wait_for(port):
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("the server did not come up")


def _files():
    import s3fs

    return s3fs.S3FileSystem(use_listings_cache=False)


@pytest.fixture
def contents_at():
    """A function: the files of a run in the bucket, but for its log."""

    def contents_at(url):
        files, root = _files(), url.removeprefix("s3://")
        names = [name for name in files.find(root) if not name.endswith("log.jsonl")]
        return {name.removeprefix(f"{root}/"): files.cat_file(name) for name in names}

    return contents_at


@pytest.fixture
def into(spec):
    """A function: the arguments of the command that simulates into a URL."""
    return lambda url: ("simulate", *spec("a few"), "--out", url, "--progress", "off", "--workers", "2")


def test_a_run_in_a_bucket_has_the_bytes_of_one_on_this_machine(bucket, into, patchstats, undisturbed, contents_at):
    url = f"{bucket}/runs/whole"
    assert patchstats(*into(url)) == (0, f"{url}\n", "")
    assert contents_at(url) == undisturbed("a few")


def test_a_simulation_into_a_bucket_that_is_killed_goes_on(
    bucket, into, start, patchstats, undisturbed, contents_at, is_part_of, often, moments
):
    for number in range(often(1, 20)):
        url = f"{bucket}/runs/killed-{number}"
        simulation = start(*into(url))
        simulation.wait_until(lambda url=url: len(_files().find(url)) > 2)
        time.sleep(moments.uniform(0, 0.7))
        simulation.send(signal.SIGKILL)
        simulation.end()
        assert is_part_of(contents_at(url), undisturbed("a few"))
        assert patchstats(*into(url)).status == 0
        assert contents_at(url) == undisturbed("a few")


def test_two_simulations_into_one_place_of_a_bucket_both_end_well(bucket, into, start, undisturbed, contents_at):
    url = f"{bucket}/runs/both"
    both = [start(*into(url)), start(*into(url))]
    assert [command.end() for command in both] == [(0, f"{url}\n", "")] * 2
    assert contents_at(url) == undisturbed("a few")


def test_damage_in_a_bucket_is_named_and_mended_and_nothing_else_is_written_again(bucket, contents_at, run_command):
    url, files = f"{bucket}/runs/damaged", _files()
    command = ("simulate", "--games", 40, "--games-per-shard", 5, "--seed", 1, "--log", "turns", "--out", url)
    assert run_command(*command).status == 0
    whole = contents_at(url)
    files.rm_file("bucket/runs/damaged/games/part-00003.parquet")
    files.pipe_file("bucket/runs/damaged/turns/part-00005.parquet", b"PAR1")
    found = run_command("verify", url, "--games", 0)
    assert found.status == 1
    assert f"{url}/games/part-00003.parquet" in found.err
    assert f"{url}/turns/part-00005.parquet" in found.err
    before = {name: files.info(f"bucket/runs/damaged/{name}")["LastModified"] for name in contents_at(url)}
    assert run_command(*command).status == 0
    assert contents_at(url) == whole
    after = {name: files.info(f"bucket/runs/damaged/{name}")["LastModified"] for name in before}
    assert {name for name in before if after[name] != before[name]} <= {
        *(f"{table}/part-0000{shard}.parquet" for table in ("games", "turns") for shard in (3, 5)),
        "manifest.json",
    }


def test_a_cluster_writes_into_a_bucket(bucket, into, patchstats, undisturbed, contents_at):
    distributed = pytest.importorskip("distributed", reason="the extra cluster is not installed")
    url = f"{bucket}/runs/cluster"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None)
    with cluster:
        executor = ("--executor", "dask", "--scheduler", cluster.scheduler_address)
        assert patchstats(*into(url)[:-2], *executor) == (0, f"{url}\n", "")
    assert contents_at(url) == undisturbed("a few")


def test_a_run_in_a_bucket_is_read_like_any_other(bucket, run_command):
    url = f"{bucket}/read/here"
    run = simulate(games=30, seed=1, log="turns", games_per_shard=10, out=url)
    simulate(games=30, seed=2, log="turns", games_per_shard=10, out=f"{bucket}/read/too")
    assert open_run(url).games().equals(run.games())
    assert len(open_run(url).turns(["ply"], filters=[("kind", "==", "buy")])) > 100
    assert [str(one.path) for one in open_runs(f"{bucket}/read/*")] == [url, f"{bucket}/read/too"]
    assert len(list(run.batches("games"))) == 3
    assert verify(url) == 30
    assert open_run(url).record(7) == run.record(7)
    assert run_command("replay", url, "--game", 7).status == 0


def test_a_store_in_a_bucket_is_the_same_in_another_process(bucket):
    store = store_at(f"{bucket}/runs/pickled")
    store.write("a", b"1")
    assert pickle.loads(pickle.dumps(store)).read("a") == b"1"


def test_a_bucket_that_is_not_there_or_out_of_reach_is_said_in_a_line(bucket, into, patchstats):
    missing = patchstats(*into("s3://no-such-bucket/run"))
    assert (missing.status, missing.out, missing.err.count("\n")) == (2, "", 1)
    assert missing.err.startswith("patchstats: s3://no-such-bucket/run/manifest.json cannot be written: ")
    away = patchstats(
        *into(f"{bucket}/run"), env={**os.environ, "AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_MAX_ATTEMPTS": "1"}
    )
    assert (away.status, away.out, away.err.count("\n")) == (2, "", 1)
    assert away.err.startswith(f"patchstats: {bucket}/run/manifest.json cannot be read: ")
    with pytest.raises(RunError, match="is no run"):
        open_run(f"{bucket}/nothing")
