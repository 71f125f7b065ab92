"""The page about clusters can be followed: its first terminal is a shell in the background."""

import os
import signal
import socket
import subprocess

import pytest

pytest.importorskip("distributed", reason="the extra cluster is not installed")


def free_port():
    """A port that nothing listens to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def first_terminal(tmp_path, environment):
    """A function that runs commands which do not end until they are interrupted."""
    shells = []

    def first_terminal(text):
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        shells.append(
            subprocess.Popen(["bash", "-c", text], cwd=tmp_path, env=environment, start_new_session=True, **quiet)
        )

    yield first_terminal
    for shell in shells:
        os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()


def test_the_page_about_clusters_can_be_followed(tmp_path, first_terminal, blocks_of, run_commands):
    from distributed import Client

    port = free_port()
    blocks = [(kind, text.replace("8786", str(port))) for kind, text in blocks_of("docs/cluster.md")]
    [servers] = [text for kind, text in blocks if kind == "sh"]
    first_terminal(servers)
    with Client(f"tcp://127.0.0.1:{port}", timeout="60s", set_as_default=False) as client:
        client.wait_for_workers(2, timeout="60s")
    [commands] = [text for kind, text in blocks if kind == "console"]
    run_commands(commands, tmp_path)
