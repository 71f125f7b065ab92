"""Runs of a few games that have several shards all the same."""

import hashlib
import json
from functools import partial

import pytest

import patchstats
from patchstats.dataset.manifest import NAME
from patchstats.simulation import shard as shard_module
from patchstats.simulation.plan import plan


@pytest.fixture(scope="session")
def simulate():
    """`patchstats.simulate` with seven games a shard, or as many as are asked for."""
    return partial(patchstats.simulate, games_per_shard=7)


@pytest.fixture(scope="session")
def planned():
    """What `simulate` would do with the same settings."""
    return partial(plan, games_per_shard=7)


@pytest.fixture(scope="session")
def settings_of_run():
    """What `run` simulates: 17 games in shards of 7, 7 and 3, with two tables."""
    return {"games": 17, "seed": 4, "ruleset": "revised", "agents": ("random", "random-patch"), "log": "turns"}


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory, simulate, contents, settings_of_run):
    """The files of that run, simulated in one go."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    simulate(**settings_of_run, out=folder)
    return contents(folder)


@pytest.fixture
def run(tmp_path, simulate, settings_of_run):
    """A function that simulates that run, with other settings where they are given, into one and the same folder."""
    folder = tmp_path / "folder" / "run"

    def run(**changes):
        return simulate(**{**settings_of_run, "out": folder, **changes})

    run.folder = folder
    return run


@pytest.fixture
def plays_before(monkeypatch):
    """A function that lets an error happen when the reference engine has played so many games.

    It returns a function that mends that.
    """

    def plays_before(games, error):
        played = []
        play_game = shard_module.play_game

        def play_and_count(*arguments):
            if len(played) == games:
                raise error
            played.append(arguments)
            return play_game(*arguments)

        monkeypatch.setattr(shard_module, "play_game", play_and_count)
        return lambda: monkeypatch.setattr(shard_module, "play_game", play_game)

    return plays_before


@pytest.fixture
def played(monkeypatch):
    """The indices of the games that the reference engine plays in this process, one after another."""
    indices = []
    play_game = shard_module.play_game

    def play_and_note(ruleset, agents, seed, game_index, ring_index, jitter):
        indices.append(game_index)
        return play_game(ruleset, agents, seed, game_index, ring_index, jitter)

    monkeypatch.setattr(shard_module, "play_game", play_and_note)
    return indices


@pytest.fixture
def script(tmp_path, monkeypatch):
    """A function that writes a module whose `choose` has this body, and returns the spec of the agent it makes."""
    monkeypatch.syspath_prepend(tmp_path)

    def script(body, name="a_script"):
        text = f"from patchstats.agents import Choice\n\n\ndef choose(position, legal, stream):\n    {body}\n"
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        return f"scripted:{name}:choose"

    return script


@pytest.fixture(scope="session")
def times():
    """A function: when each file in a folder was last written, and which file it is."""

    def times(folder):
        files = [path for path in folder.rglob("*") if path.is_file()]
        return {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in files}

    return times


@pytest.fixture
def change_manifest():
    """A function that writes the manifest of a run anew, changed, with the checksum of what it says then."""

    def change_manifest(folder, change):
        values = json.loads((folder / NAME).read_text(encoding="utf-8"))
        change(values)
        del values["checksum"]
        values["checksum"] = hashlib.sha256(json.dumps(values).encode()).hexdigest()
        (folder / NAME).write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")

    return change_manifest


@pytest.fixture(scope="session")
def sha256_of_file():
    """A function: the checksum of a file."""
    return lambda path: hashlib.sha256(path.read_bytes()).hexdigest()
