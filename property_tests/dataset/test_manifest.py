"""The manifest: what was simulated, and which files hold it."""

import json
from dataclasses import asdict, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from patchstats.dataset.manifest import (
    NAME,
    File,
    Shard,
    read_manifest,
    write_manifest,
)
from patchstats.dataset.schema import LOG_LEVELS
from patchstats.errors import RunError
from patchstats.rules import Ruleset
from patchstats.simulation.spec import RunSpec
from patchstats.streams import GREATEST_SEED

ORIGINAL = Ruleset.load("original")
FILES = st.builds(File, st.integers(0, 10**6), st.integers(0, 10**9), st.text("0123456789abcdef", min_size=64))
SPECS = st.builds(
    RunSpec,
    st.just(ORIGINAL),
    st.tuples(*[st.sampled_from(["random", "random-patch"])] * 2),
    seed=st.integers(0, GREATEST_SEED),
    games=st.integers(1, 10**6),
    log=st.sampled_from(list(LOG_LEVELS)),
    games_per_shard=st.integers(10**5, 10**6),
)


@st.composite
def manifests(draw):
    """Manifests of runs that are finished, or of which the first shards are."""
    spec = draw(SPECS)
    shards = [
        Shard(number, spec.games_of(number).start, len(spec.games_of(number)), {table: draw(FILES) for table in tables})
        for tables in [LOG_LEVELS[spec.log]]
        for number in spec.shards[: draw(st.integers(0, len(spec.shards)))]
    ]
    return replace(spec.manifest(), shards=tuple(shards))


FILE = File(rows=3, bytes=1200, sha256="ab" * 32)
MANIFEST = replace(
    RunSpec(ORIGINAL, ("random", "random"), seed=1, games=5, log="turns", games_per_shard=3).manifest(),
    shards=(Shard(0, 0, 3, {"games": FILE, "turns": FILE}), Shard(1, 3, 2, {"games": FILE, "turns": FILE})),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(manifest=manifests())
def test_a_manifest_is_read_back_as_it_was_written(tmp_path, manifest):
    write_manifest(tmp_path, manifest)
    assert read_manifest(tmp_path) == manifest
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_the_patches_of_a_ruleset_keep_their_order(tmp_path):
    settings = ORIGINAL.to_dict()
    settings["patches"] = dict(reversed(settings["patches"].items()))
    write_manifest(tmp_path, replace(MANIFEST, ruleset=settings))
    assert list(read_manifest(tmp_path).ruleset["patches"]) == [f"p{number:02}" for number in range(33, 0, -1)]


@pytest.mark.parametrize("part", [0, 0.1, 0.5, 0.9, 0.999])
def test_a_manifest_cut_anywhere_is_refused_as_damaged(tmp_path, part):
    write_manifest(tmp_path, MANIFEST)
    content = (tmp_path / NAME).read_bytes()
    (tmp_path / NAME).write_bytes(content[: int(part * len(content))])
    with pytest.raises(RunError, match=f"{NAME} is damaged .*; simulate into another directory"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("text", ["[]", "3", "{}", '{"spec": {}, "ruleset": {}, "versions": {}}', "\udcff"])
def test_what_is_no_manifest_is_refused_as_damaged(tmp_path, text):
    (tmp_path / NAME).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(RunError, match="is damaged"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("key", ["shard", "first_game", "games", "files", "rows", "bytes", "sha256"])
def test_a_shard_without_one_of_its_values_is_refused_as_damaged(tmp_path, key):
    values = asdict(MANIFEST)
    entry = values["shards"][1]
    del (entry if key in entry else entry["files"]["turns"])[key]
    (tmp_path / NAME).write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(RunError, match=f"is damaged .*{key}"):
        read_manifest(tmp_path)


def test_a_directory_without_a_manifest_is_no_run(tmp_path):
    with pytest.raises(RunError, match=f"{tmp_path} is no run: {NAME} in it: No such file or directory"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(("shards", "finished"), [((0, 1), True), ((0,), False), ((), False)])
def test_a_run_is_finished_when_every_game_is_in_a_shard(shards, finished):
    manifest = replace(MANIFEST, shards=tuple(MANIFEST.shards[number] for number in shards))
    assert manifest.finished is finished
