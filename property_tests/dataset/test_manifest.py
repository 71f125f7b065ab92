"""The manifest: what was simulated, and which files hold it."""

import hashlib
import json
from dataclasses import asdict, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from patchstats.dataset.jitter import JITTERS
from patchstats.dataset.manifest import NAME, File, Shard, read_manifest, write_manifest
from patchstats.dataset.schema import LOG_LEVELS, SCHEMA_VERSION
from patchstats.dataset.store import store_at
from patchstats.dataset.tally import Tally
from patchstats.errors import DamagedManifest, RunError
from patchstats.rules import Ruleset
from patchstats.simulation.spec import RunSpec
from patchstats.streams import GREATEST_SEED

ORIGINAL = Ruleset.load("original")
FILES = st.builds(File, st.integers(0, 10**6), st.integers(0, 10**9), st.text("0123456789abcdef", min_size=64))
PAIRINGS = {"none": 1, "mirrored": 2, "rings:5": 5}
SPECS = st.builds(
    RunSpec,
    st.just(ORIGINAL),
    st.tuples(*[st.sampled_from(["random", "random-patch"])] * 2),
    seed=st.integers(0, GREATEST_SEED),
    games=st.integers(1, 10**5).map(lambda tens: 10 * tens),
    log=st.sampled_from(list(LOG_LEVELS)),
    pairing=st.sampled_from(list(PAIRINGS)),
    stop_when=st.none() | st.sampled_from(["ci:0.01", "ci:0.2"]),
    games_per_shard=st.integers(1, 10**4).map(lambda tens: 10 * tens),
    jitter=st.sampled_from(["", *JITTERS]),
)

SETTINGS = ["agents", "seed", "games", "log", "pairing", "stop_when", "games_per_shard", "jitter"]


@st.composite
def manifests(draw):
    """Manifests of runs that are finished, or of which the first shards are."""
    spec = draw(SPECS)
    shards = []
    for number in spec.shards[: draw(st.integers(0, len(spec.shards)))]:
        games = spec.games_of(number)
        tally = Tally(
            len(games), draw(st.integers(0, len(games))), len(games) // spec.games_per_ring, draw(st.integers(0))
        )
        shards.append(Shard(number, games.start, tally, {table: draw(FILES) for table in LOG_LEVELS[spec.log]}))
    return replace(spec.manifest(), shards=tuple(shards))


FILE = File(rows=3, bytes=1200, sha256="ab" * 32)
ENTRIES = (
    Shard(0, 0, Tally(3, 2, 3, 2), {"games": FILE, "turns": FILE}),
    Shard(1, 3, Tally(2, 0, 2, 0), {"games": FILE, "turns": FILE}),
)
SPEC = RunSpec(ORIGINAL, ("random", "random"), seed=1, games=5, log="turns", games_per_shard=3)
MANIFEST = replace(SPEC.manifest(), shards=ENTRIES)


@pytest.fixture
def store(tmp_path):
    """An empty store, with the manifest in it that the other tests damage."""
    store = store_at(tmp_path)
    write_manifest(store, MANIFEST)
    return store


def signed(values):
    """Values as the bytes of a manifest that has their checksum."""
    checksum = hashlib.sha256(json.dumps(values).encode()).hexdigest()
    return (json.dumps({**values, "checksum": checksum}, indent=1) + "\n").encode()


@pytest.fixture(scope="module")
def written():
    """A store that damaged manifests are written to, and the bytes of the undamaged one."""
    store = store_at("memory://test_manifest")
    write_manifest(store, MANIFEST)
    yield store, store.read(NAME)
    store.remove(NAME)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(manifest=manifests())
def test_a_manifest_is_read_back_as_it_was_written(tmp_path, manifest):
    write_manifest(store_at(tmp_path), manifest)
    assert read_manifest(store_at(tmp_path)) == manifest
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_the_patches_of_a_ruleset_keep_their_order(store):
    settings = ORIGINAL.to_dict()
    settings["patches"] = dict(reversed(settings["patches"].items()))
    write_manifest(store, replace(MANIFEST, ruleset=settings))
    assert list(read_manifest(store).ruleset["patches"]) == [f"p{number:02}" for number in range(33, 0, -1)]


@given(data=st.data())
def test_a_manifest_cut_anywhere_is_refused_as_damaged(written, data):
    store, content = written
    store.write(NAME, content[: data.draw(st.integers(0, len(content) - 3))])
    with pytest.raises(DamagedManifest, match=rf"{NAME} is damaged \(.*\); the simulate command of this run mends it"):
        read_manifest(store)


@settings(max_examples=10 * settings().max_examples)
@given(data=st.data())
def test_a_flipped_bit_of_a_manifest_is_never_taken_for_another_run_or_a_newer_version(written, data):
    store, content = written
    place = data.draw(st.integers(0, len(content) - 1))
    flipped = content[place] ^ 1 << data.draw(st.integers(0, 7))
    store.write(NAME, content[:place] + bytes([flipped]) + content[place + 1 :])
    try:
        found = read_manifest(store)
    except DamagedManifest:
        return
    assert found == MANIFEST


@pytest.mark.parametrize("key", ["seed", "log", "stop_when", "rows", "wins", "run_id", "cost", "schema"])
def test_a_manifest_with_another_value_than_it_was_written_with_is_refused_as_damaged(store, key):
    lines = store.read(NAME).decode().splitlines(keepends=True)
    number = next(number for number, line in enumerate(lines) if f'"{key}"' in line)
    value = json.loads("{" + lines[number].strip().rstrip(",") + "}")[key]
    other = value + 1 if isinstance(value, int) else "games"
    lines[number] = lines[number].replace(json.dumps(value), json.dumps(other))
    store.write(NAME, "".join(lines).encode())
    with pytest.raises(DamagedManifest, match="it is not what its checksum is of"):
        read_manifest(store)


@pytest.mark.parametrize(
    "text", ["[]", "3", "{}", '{"spec": {}, "ruleset": {}, "versions": {}}', "\udcff", "[" * 10**5]
)
def test_what_is_no_manifest_is_refused_as_damaged(store, text):
    store.write(NAME, text.encode("utf-8", "surrogateescape"))
    with pytest.raises(DamagedManifest, match="is damaged"):
        read_manifest(store)


@pytest.mark.parametrize("key", ["shard", "first_game", "tally", "files", "rows", "bytes", "sha256", "wins"])
def test_a_shard_without_one_of_its_values_is_refused_as_damaged(store, key):
    values = asdict(MANIFEST)
    entry = values["shards"][1]
    del next(part for part in (entry, entry["files"]["turns"], entry["tally"]) if key in part)[key]
    store.write(NAME, signed({"run_id": MANIFEST.run_id, **values}))
    with pytest.raises(DamagedManifest, match=f"is damaged .*{key}|is damaged .*files cannot be"):
        read_manifest(store)


def test_a_newer_schema_version_is_refused_with_what_to_do(store):
    store.write(NAME, signed({"versions": {"schema": SCHEMA_VERSION + 1, "behaviour": 1}, "all": "else"}))
    with pytest.raises(RunError) as error:
        read_manifest(store)
    assert not isinstance(error.value, DamagedManifest)
    assert str(error.value) == (
        f"{store}/{NAME} is of schema version {SCHEMA_VERSION + 1}, "
        f"and this patchstats reads 1 to {SCHEMA_VERSION}; update it"
    )


@pytest.mark.parametrize("version", [0, -1, True, None, "2", 2.0])
def test_a_schema_version_that_there_never_was_is_refused_as_damaged(store, version):
    values = asdict(replace(MANIFEST, versions={"schema": version, "behaviour": 1}))
    store.write(NAME, signed({"run_id": MANIFEST.run_id, **values}))
    with pytest.raises(DamagedManifest):
        read_manifest(store)


def test_a_directory_without_a_manifest_is_no_run(tmp_path):
    with pytest.raises(RunError, match=f"{tmp_path} is no run: {NAME} in it: No such file or directory") as error:
        read_manifest(store_at(tmp_path))
    assert not isinstance(error.value, DamagedManifest)


def test_a_run_keeps_its_name_when_it_grows():
    for games, shards in ((5, ENTRIES[:1]), (5, ()), (10**6, ENTRIES)):
        other = replace(MANIFEST, spec={**MANIFEST.spec, "games": games}, shards=shards)
        assert other.run_id == MANIFEST.run_id


@pytest.mark.parametrize("key", sorted({*MANIFEST.spec, *MANIFEST.versions} - {"games"}))
def test_a_run_has_another_name_with_another_value_of_anything_else(key):
    part = "versions" if key in MANIFEST.versions else "spec"
    another = [{"spec": "another"}] if key == "agents" else "another"
    other = replace(MANIFEST, **{part: {**getattr(MANIFEST, part), key: another}})
    assert other.run_id != MANIFEST.run_id


def test_a_run_keeps_its_name_whatever_is_remarked_on_its_agents():
    first, second = MANIFEST.spec["agents"]
    other = replace(MANIFEST, spec={**MANIFEST.spec, "agents": [first, {**second, "remark": "plays by hand"}]})
    assert other.run_id == MANIFEST.run_id


@pytest.mark.parametrize("jitter", ["", "price", "time+cost", "cost+cost", None, True, ["cost"]])
def test_a_jitter_that_is_none_is_refused_as_damaged(store, jitter):
    values = asdict(replace(MANIFEST, spec={**MANIFEST.spec, "jitter": jitter}))
    store.write(NAME, signed({"run_id": MANIFEST.run_id, **values}))
    with pytest.raises(DamagedManifest, match=r"is damaged .*jitter cannot be"):
        read_manifest(store)


@pytest.mark.parametrize("remark", [None, 3, ["by hand"], True])
def test_a_remark_that_is_no_text_is_refused_as_damaged(store, remark):
    values = asdict(MANIFEST)
    values["spec"]["agents"][1]["remark"] = remark
    store.write(NAME, signed({"run_id": MANIFEST.run_id, **values}))
    with pytest.raises(DamagedManifest, match=r"is damaged .*agents cannot be"):
        read_manifest(store)


@given(first=SPECS, other=SPECS)
def test_runs_have_the_same_name_when_nothing_but_the_number_of_games_differs(first, other):
    for name in SETTINGS:
        second = replace(first, **{name: getattr(other, name)})
        same = name == "games" or second == first
        assert (first.manifest().run_id == second.manifest().run_id) == same


@pytest.mark.parametrize(
    ("stop_when", "shards", "finished"),
    [
        (None, ENTRIES, True),
        (None, ENTRIES[:1], False),
        (None, (), False),
        ("ci:0.1", ENTRIES, True),
        ("ci:0.1", ENTRIES[:1], True),
        ("ci:0.1", (), False),
    ],
)
def test_a_run_is_finished_when_every_game_is_in_a_shard_or_it_was_to_stop_before(stop_when, shards, finished):
    manifest = replace(MANIFEST, spec={**MANIFEST.spec, "stop_when": stop_when}, shards=shards)
    assert manifest.finished is finished
    assert manifest.games == sum(shard.tally.games for shard in shards)
