"""A run's directory: what is in it, how it goes on, how it grows, and what it refuses."""

import json
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from patchstats import Ruleset, open_run
from patchstats.agents import AGENTS
from patchstats.dataset.manifest import NAME, read_manifest, write_manifest
from patchstats.dataset.schema import LOG_LEVELS, SCHEMA_VERSION
from patchstats.dataset.shards import METADATA_KEY
from patchstats.errors import AgentError, PatchstatsError, RunError
from patchstats.simulation import pool
from patchstats.simulation import shard as shard_module
from patchstats.simulation.spec import BEHAVIOUR_VERSION, RunSpec

RULESET = Ruleset.load("revised")
SETTINGS = {"games": 17, "seed": 4, "ruleset": "revised", "agents": ("random", "random-patch"), "log": "turns"}
FILES = {
    "manifest.json",
    *(f"{table}/part-{shard:05d}.parquet" for table in ("games", "turns") for shard in range(3)),
}


class Interrupted(BaseException):
    """As Ctrl-C ends a run, but for the test session, which goes on when a test lets it through."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, simulate, contents):
    """The files of a run of 17 games in shards of 7, 7 and 3, simulated in one go."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    simulate(**SETTINGS, out=folder)
    return contents(folder)


@pytest.fixture
def run(tmp_path, simulate):
    """A function that simulates that run, with other settings where they are given, into one and the same folder."""
    folder = tmp_path / "folder" / "run"

    def run(**changes):
        return simulate(**{**SETTINGS, "out": folder, **changes})

    run.folder = folder
    return run


@pytest.fixture
def plays_before(monkeypatch):
    """A function that lets an error happen when the reference engine has played so many games."""

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


def times(folder):
    """When each file was last written, and which file it is."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in files}


# What is there


def test_a_run_holds_a_manifest_a_log_and_a_file_for_each_table_and_shard(undisturbed, run):
    run()
    assert set(undisturbed) == FILES
    assert {path.relative_to(run.folder).as_posix() for path in times(run.folder)} == FILES | {"log.jsonl"}


@pytest.mark.parametrize("log", LOG_LEVELS)
def test_a_run_holds_the_tables_of_its_log_level_with_their_columns(run, log):
    run(log=log)
    for table, columns in LOG_LEVELS[log].items():
        for shard in range(3):
            schema = pq.read_schema(run.folder / table / f"part-{shard:05d}.parquet")
            assert schema.names == [column.name for column in columns]
    assert {path.name for path in run.folder.iterdir() if path.is_dir()} == set(LOG_LEVELS[log])


def test_shards_hold_their_games_in_order_and_the_last_one_the_rest(run):
    run()
    shards = [pq.read_table(run.folder / "games" / f"part-0000{shard}.parquet") for shard in range(3)]
    assert [shard["game_index"].to_pylist() for shard in shards] == [
        list(range(7)),
        list(range(7, 14)),
        list(range(14, 17)),
    ]


def test_every_file_says_which_versions_and_ruleset_it_is_of(run):
    run()
    for name in FILES - {"manifest.json"}:
        assert json.loads(pq.read_schema(run.folder / name).metadata[METADATA_KEY]) == {
            "schema_version": SCHEMA_VERSION,
            "behaviour_version": BEHAVIOUR_VERSION,
            "ruleset": RULESET.to_dict(),
        }


def test_the_manifest_says_what_was_simulated(run):
    manifest = run().manifest
    assert manifest == read_manifest(run.folder)
    assert manifest.spec == {
        "agents": [{"spec": spec, "sha256": None, "ring": None} for spec in ("random", "random-patch")],
        "games": 17,
        "games_per_shard": 7,
        "log": "turns",
        "ruleset_id": RULESET.ruleset_id,
        "seed": 4,
    }
    assert manifest.ruleset == RULESET.to_dict()
    assert manifest.versions == {"schema": SCHEMA_VERSION, "behaviour": BEHAVIOUR_VERSION}
    assert [(shard.shard, shard.first_game, shard.games) for shard in manifest.shards] == [
        (0, 0, 7),
        (1, 7, 7),
        (2, 14, 3),
    ]


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_the_log_notes_when_what_was_played_and_nothing_of_the_machine(run, engine):
    run(workers=1, engine=engine)
    notes = [json.loads(line) for line in (run.folder / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [note["event"] for note in notes] == ["start", "end"]
    assert {key: notes[0][key] for key in ("workers", "engine", "shards_missing")} == {
        "workers": 1,
        "engine": engine,
        "shards_missing": 3,
    }
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", note["time"]) for note in notes)
    assert set().union(*notes) == {"time", "event", "workers", "engine", "shards_missing"}


def test_a_ruleset_may_be_given_as_itself_and_a_directory_as_a_text(run, undisturbed, contents):
    given = run(ruleset=RULESET, out=str(run.folder))
    assert given.path == run.folder
    assert contents(run.folder) == undisturbed


@pytest.mark.parametrize(
    ("agents", "size"), [(("random", "random-patch"), 20_000), (("random", "scripted:game.txt"), 1000)]
)
def test_a_shard_holds_as_many_games_as_suit_the_agents_and_the_last_one_the_rest(agents, size):
    spec = RunSpec(RULESET, agents, seed=1, games=2 * size + 1)
    assert [spec.games_of(shard) for shard in spec.shards] == [
        range(size),
        range(size, 2 * size),
        range(2 * size, 2 * size + 1),
    ]
    assert len(replace(spec, games=2 * size).shards) == 2


# The same command again


def test_the_same_command_again_leaves_every_file_as_it_is(run):
    first = run()
    before = times(run.folder)
    second = run()
    assert times(run.folder) == before
    assert second.manifest == first.manifest


@pytest.mark.parametrize(
    "deleted",
    [
        pytest.param(["games/part-00000.parquet"], id="the games of a shard"),
        pytest.param(["turns/part-00002.parquet"], id="the turns of a shard"),
        pytest.param(sorted(FILES - {"manifest.json"}), id="every shard"),
    ],
)
def test_deleted_shards_are_written_again_and_the_others_left_alone(run, undisturbed, contents, deleted):
    run()
    before = times(run.folder)
    for name in deleted:
        (run.folder / name).unlink()
    run()
    assert contents(run.folder) == undisturbed
    shards = {Path(name).name for name in deleted}
    for path, time in times(run.folder).items():
        assert (time == before[path]) == (path.name not in {*shards, "manifest.json", "log.jsonl"})


@pytest.mark.parametrize("games", [0, 3, 7, 10, 16])
@pytest.mark.parametrize("error", [Interrupted(), OSError(28, "No space left on device")], ids=["Ctrl-C", "full"])
def test_a_run_broken_off_anywhere_goes_on_to_the_same_bytes(run, undisturbed, contents, plays_before, games, error):
    mend = plays_before(games, error)
    with pytest.raises((Interrupted, RunError)):
        run(engine="reference")
    finished = {name: content for name, content in contents(run.folder).items() if name.endswith(".parquet")}
    assert len(finished) == 2 * (games // 7)
    assert finished.items() <= undisturbed.items()
    with pytest.raises(RunError, match=r"is not finished|is no run"):
        open_run(run.folder)
    mend()
    before = times(run.folder)
    run()
    assert contents(run.folder) == undisturbed
    assert all(times(run.folder)[run.folder / name] == before[run.folder / name] for name in finished)


@pytest.mark.parametrize("games", [0, 7])
def test_a_run_killed_while_it_wrote_a_shard_goes_on_to_the_same_games(run, undisturbed, contents, plays_before, games):
    mend = plays_before(games, Interrupted())
    with pytest.raises(Interrupted):
        run(engine="reference")
    mend()
    half = run.folder / "turns" / ".part-00001.parquet.4242.tmp"
    half.parent.mkdir(exist_ok=True)
    half.write_bytes(b"PAR1")
    run()
    assert {name: content for name, content in contents(run.folder).items() if not name.endswith(".tmp")} == undisturbed


def test_a_run_killed_while_it_wrote_its_first_manifest_goes_on_to_the_same_games(run, undisturbed, contents):
    run.folder.mkdir(parents=True)
    (run.folder / f".{NAME}.4242.tmp").write_bytes(b"{")
    run()
    assert {name: content for name, content in contents(run.folder).items() if not name.endswith(".tmp")} == undisturbed


@pytest.mark.parametrize("kept", [0, 2])
def test_a_run_killed_between_its_last_shard_and_its_manifest_is_completed(run, undisturbed, contents, kept):
    manifest = run().manifest
    write_manifest(run.folder, replace(manifest, shards=manifest.shards[:kept]))
    assert run().manifest.finished
    assert contents(run.folder) == undisturbed


def test_a_cut_shard_is_played_again(run, undisturbed, contents):
    run()
    shard = run.folder / "games" / "part-00001.parquet"
    shard.write_bytes(shard.read_bytes()[:-100])
    run()
    assert contents(run.folder) == undisturbed


def test_a_flipped_byte_never_gets_a_checksum_of_its_own(run, undisturbed, contents):
    run(games=10)
    shard = run.folder / "games" / "part-00000.parquet"
    content = bytearray(shard.read_bytes())
    content[len(content) // 3] ^= 1
    shard.write_bytes(content)
    with suppress(RunError):
        run(games=17)
    assert not read_manifest(run.folder).finished or contents(run.folder) == undisturbed


# More games


@pytest.mark.parametrize("log", LOG_LEVELS)
@pytest.mark.parametrize("steps", [[7], [3], [10], [1, 2, 16]], ids=str)
def test_a_run_grows_to_the_bytes_of_one_that_had_all_games_at_once(tmp_path, run, simulate, contents, log, steps):
    simulate(**{**SETTINGS, "log": log}, out=tmp_path / "fresh")
    for games in [*steps, SETTINGS["games"]]:
        frame = run(games=games, log=log).games()
        assert len(frame) == games
    assert contents(run.folder) == contents(tmp_path / "fresh")


def test_growing_leaves_whole_shards_alone_and_replaces_a_partial_one(run):
    run(games=10)
    before = times(run.folder)
    run()
    after = times(run.folder)
    for table in ("games", "turns"):
        whole, partial = (run.folder / table / f"part-0000{shard}.parquet" for shard in (0, 1))
        assert after[whole] == before[whole]
        assert after[partial] != before[partial]


@pytest.mark.parametrize("games", [0, 5, 7])
def test_a_run_broken_off_while_it_grew_goes_on_to_the_same_bytes(run, undisturbed, contents, plays_before, games):
    run(games=10)
    mend = plays_before(games, Interrupted())
    with pytest.raises(Interrupted):
        run(engine="reference")
    still = read_manifest(run.folder)
    assert (still.spec["games"], still.finished) == (10, True)
    mend()
    run()
    assert contents(run.folder) == undisturbed


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_run_reached_by_any_way_has_the_same_bytes(tmp_path_factory, simulate, contents, undisturbed, data):
    folder = tmp_path_factory.mktemp("ways") / "run"
    grown = 0
    for _ in range(data.draw(st.integers(1, 3), label="steps")):
        grown = data.draw(st.integers(max(grown, 1), SETTINGS["games"]), label="games")
        simulate(**{**SETTINGS, "games": grown}, out=folder)
        names = sorted(name for name in contents(folder) if name.endswith(".parquet"))
        for name in data.draw(st.lists(st.sampled_from(names), unique=True, max_size=3), label="deleted"):
            (folder / name).unlink()
    simulate(**SETTINGS, out=folder)
    assert contents(folder) == undisturbed


def test_fewer_games_are_refused_and_nothing_is_changed(run):
    run()
    before = times(run.folder)
    with pytest.raises(RunError, match=f"{run.folder} is a run of 17 games, more than 16; ask for 17 games or more"):
        run(games=16)
    assert times(run.folder) == before


# What is refused


@pytest.mark.parametrize(
    ("changes", "keys"),
    [
        pytest.param({"seed": 5}, ["seed: 4 there, 5 asked for"], id="seed"),
        pytest.param({"log": "games"}, ["log: 'turns' there, 'games' asked for"], id="log"),
        pytest.param({"games_per_shard": 5}, ["games_per_shard: 7 there, 5 asked for"], id="shards"),
        pytest.param(
            {"agents": ("random", "random")},
            ["agents.1.spec: 'random-patch' there, 'random' asked for"],
            id="agent",
        ),
        pytest.param(
            {"ruleset": RULESET.with_changes({"name": "revised", "patches.p21.cost": 1})},
            ["ruleset.patches.p21.cost: 0 there, 1 asked for", "ruleset_id: "],
            id="ruleset",
        ),
        pytest.param(
            {"seed": 9, "log": "summary", "games": 3},
            ["games: 17 there, 3 asked for", "log: ", "seed: "],
            id="several",
        ),
    ],
)
def test_another_spec_is_refused_with_the_keys_that_differ_and_nothing_is_changed(run, changes, keys):
    run()
    before = times(run.folder)
    with pytest.raises(RunError) as error:
        run(**changes)
    [listed] = re.findall(r"holds another run \((.*)\); choose another directory", str(error.value))
    assert len(listed.split("; ")) == len(keys)
    assert all(part.startswith(key) for part, key in zip(listed.split("; "), keys, strict=True))
    assert times(run.folder) == before


@pytest.mark.parametrize("part", ["schema", "behaviour"])
def test_a_run_of_another_version_is_refused(run, part):
    manifest = run().manifest
    write_manifest(run.folder, replace(manifest, versions={**manifest.versions, part: 0}))
    with pytest.raises(RunError, match=rf"another run \({part}: 0 there, \d asked for\)"):
        run()


@pytest.mark.parametrize(
    "spec", [{}, [1], None, {"games": "many"}, {"games": None}], ids=["empty", "list", "null", "many", "no games"]
)
def test_a_directory_whose_manifest_makes_no_sense_is_refused(run, spec):
    manifest = run().manifest
    whole = {**manifest.spec, **spec} if isinstance(spec, dict) and spec else spec
    write_manifest(run.folder, replace(manifest, spec=whole))
    before = times(run.folder)
    with pytest.raises(PatchstatsError):
        run()
    assert times(run.folder) == before


def test_a_directory_with_a_damaged_manifest_is_refused(run):
    run()
    (run.folder / NAME).write_text("{", encoding="utf-8")
    before = times(run.folder)
    with pytest.raises(RunError, match="is damaged"):
        run()
    assert times(run.folder) == before


def test_a_directory_with_foreign_files_is_refused_and_left_as_it_was(run):
    run.folder.mkdir(parents=True)
    (run.folder / "notes.txt").write_text("mine", encoding="utf-8")
    before = times(run.folder)
    with pytest.raises(RunError, match=f"{run.folder} holds other files and no run; choose a directory that is empty"):
        run()
    assert times(run.folder) == before


def test_an_empty_directory_and_one_that_is_not_there_yet_will_do(run, undisturbed, contents):
    run.folder.mkdir(parents=True)
    run()
    assert contents(run.folder) == undisturbed


@pytest.mark.parametrize("below", [".", "run", "deep/down/run"])
def test_a_directory_that_cannot_be_written_is_refused_and_nothing_is_left(tmp_path, run, below):
    file = tmp_path / "file"
    file.write_text("no directory", encoding="utf-8")
    with pytest.raises(RunError, match=f"{file}.* cannot be written: "):
        run(out=file / below)
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_text(encoding="utf-8") == "no directory"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games": 0}, "games must be a whole number from 1 to 1000000000, not 0"),
        ({"games": -1}, "games must be a whole number from 1 to 1000000000, not -1"),
        ({"games": 10**12 + 1}, "games must be a whole number"),
        ({"games": 1.5}, "games must be a whole number .* not 1.5"),
        ({"games": True}, "games must be a whole number .* not True"),
        ({"seed": -1}, "seed must be a whole number from 0 to 18446744073709551615, not -1"),
        ({"seed": 2**64}, "seed must be a whole number"),
        ({"seed": "1"}, "seed must be a whole number .* not '1'"),
        ({"workers": 0}, "workers must be a whole number from 1 on, not 0"),
        ({"workers": 1.0}, "workers must be a whole number from 1 on, not 1.0"),
        ({"workers": True}, "workers must be a whole number from 1 on, not True"),
        ({"log": "everything"}, "log 'everything' is none of summary, games, turns"),
        ({"agents": ["random"]}, "two agents are needed, one a seat, such as random,random; given 1: random"),
        ({"agents": ["random"] * 3}, "two agents are needed"),
        ({"agents": ["random", "randon"]}, "agent 'randon' is unknown; did you mean random"),
        ({"ruleset": "orignal"}, "orignal: no such ruleset"),
    ],
)
def test_settings_that_cannot_be_are_refused_before_anything_is_written(tmp_path, run, changes, message):
    with pytest.raises(PatchstatsError, match=message):
        run(**changes)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("games", "seed"), [(1, 0), (1, 2**64 - 1)])
def test_the_least_and_the_greatest_settings_will_do(run, games, seed):
    assert len(run(games=games, seed=seed).games()) == games


@pytest.fixture
def failing_agent(monkeypatch):
    """An agent that advances until game `failing.game`, and fails in the third ply of that."""

    class Failing:
        game = 0
        seated = -1

    def make(spec, _, ruleset):
        def sit_down(seat):
            Failing.seated += seat == 0
            game, plies = Failing.seated, []

            def choose(position, legal, _):
                plies.append(position)
                if game == Failing.game and len(plies) == 2:
                    raise AgentError("agent 'failing' has no idea")
                return legal[0]

            return choose

        return replace(AGENTS["random"].make("random", "", ruleset), spec=spec, sit_down=sit_down)

    monkeypatch.setitem(AGENTS, "failing", replace(AGENTS["random"], make=make))
    return Failing


FAILING = {"agents": ("failing", "failing")}


def test_an_agent_that_fails_in_the_first_shard_leaves_no_directory_behind(tmp_path, run, failing_agent):
    failing_agent.game = 5
    with pytest.raises(AgentError, match="game 5, ply 2, seat 0: agent 'failing' has no idea"):
        run(**FAILING)
    assert list(tmp_path.iterdir()) == []


def test_an_agent_that_fails_leaves_an_empty_directory_empty(run, failing_agent):
    failing_agent.game = 5
    run.folder.mkdir(parents=True)
    with pytest.raises(AgentError, match="game 5"):
        run(**FAILING)
    assert list(run.folder.iterdir()) == []


def test_an_agent_that_fails_later_leaves_what_was_finished_before(run, failing_agent, contents):
    failing_agent.game = 8
    with pytest.raises(AgentError, match="game 8"):
        run(**FAILING)
    assert set(contents(run.folder)) == {"manifest.json", "games/part-00000.parquet", "turns/part-00000.parquet"}


@pytest.mark.parametrize("finished", [5, 7])
def test_an_agent_that_fails_while_a_run_grows_leaves_the_run_as_it_was(run, failing_agent, contents, finished):
    failing_agent.game = -1
    run(**FAILING, games=finished)
    before = contents(run.folder)
    failing_agent.game, failing_agent.seated = 0, -1
    with pytest.raises(AgentError):
        run(**FAILING)
    assert open_run(run.folder).spec["games"] == finished
    assert before.items() <= contents(run.folder).items()


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_more_shards_than_workers_have_in_hand_are_all_played(tmp_path, simulate, contents, monkeypatch, engine):
    monkeypatch.setattr(pool, "IN_HAND", 1)
    for workers in (1, 2):
        simulate(**{**SETTINGS, "games": 60}, out=tmp_path / str(workers), workers=workers, engine=engine)
    assert contents(tmp_path / "1") == contents(tmp_path / "2")


@pytest.mark.parametrize(
    ("setting", "value"),
    [("agents", "random"), ("agents", ["random", 5]), ("ruleset", 5), ("log", ["games"]), ("out", None), ("out", "")],
)
def test_a_setting_of_another_type_is_refused_and_named(tmp_path, simulate, setting, value):
    settings = {**SETTINGS, "out": tmp_path / "run", setting: value}
    with pytest.raises(RunError, match=setting):
        simulate(**settings)
    assert list(tmp_path.iterdir()) == []
