"""Checking a run: a good one passes, and whatever is wrong with another one is said with the place."""

import hashlib
import json
import re
import shutil
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from patchstats import verify
from patchstats.dataset.manifest import NAME
from patchstats.dataset.schema import GAMES, LOG_LEVELS, OFFERS, TURNS
from patchstats.errors import PatchstatsError, RunError, VerificationError
from patchstats.notation import format_record
from patchstats.rules import Ruleset
from patchstats.rules.files import data_directory

SETTINGS = {"games": 9, "seed": 2, "agents": ("random", "random-patch"), "games_per_shard": 4}


@pytest.fixture(scope="module")
def good(tmp_path_factory, simulate):
    """Nine games in shards of 4, 4 and 1, at each level of logging."""
    folder = tmp_path_factory.mktemp("good")
    return {log: simulate(**SETTINGS, log=log, out=folder / log).path for log in LOG_LEVELS}


@pytest.fixture
def copy(good, tmp_path):
    """A function that copies a run, so that it can be spoiled."""

    def copy(log="turns"):
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        return shutil.copytree(good[log], tmp_path / "run")

    return copy


def shard(run, table, number):
    return run / table / f"part-{number:05d}.parquet"


@pytest.fixture
def rewrite(change_manifest):
    """A function that changes a shard's table, and lets the manifest say that it is right so."""

    def rewrite(run, table, number, change):
        path = shard(run, table, number)
        changed = change(pq.read_table(path, partitioning=None))
        pq.write_table(changed, path)

        def tell(values):
            entry = values["shards"][number]
            entry["files"][table].update(facts_of(path))
            if table == "games" and "winner" in changed.column_names:
                wins = changed["winner"].to_pylist().count(0)
                entry["tally"].update(wins=wins, squares=wins)

        change_manifest(run, tell)

    return rewrite


def facts_of(path):
    content = path.read_bytes()
    return {
        "rows": pq.read_metadata(path).num_rows,
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def with_value(column, row, value):
    """What sets one value of a table."""

    def change(table):
        values = table[column].to_pylist()
        values[row] = value(values[row])
        at = table.column_names.index(column)
        return table.set_column(at, table.schema.field(at), pa.array(values, table.schema.field(at).type))

    return change


def findings(run, **settings):
    with pytest.raises(VerificationError) as error:
        verify(run, **settings)
    return str(error.value).splitlines()


@pytest.mark.parametrize("log", LOG_LEVELS)
def test_a_good_run_passes_and_all_its_games_are_counted(good, log):
    assert verify(good[log]) == 9
    assert verify(str(good[log])) == 9


@pytest.mark.parametrize("games", [0, 1, 4, 9, 10, 1000])
def test_some_games_may_be_replayed(good, games):
    assert verify(good["games"], games) == min(games, 9)


@pytest.mark.parametrize(
    ("games", "replayed"),
    [(1, [0]), (2, [0, 4]), (3, [0, 3, 6]), (5, [0, 1, 3, 5, 7]), (8, [0, 1, 2, 3, 4, 5, 6, 7]), (9, list(range(9)))],
)
def test_the_games_replayed_are_spread_evenly_over_the_run(good, monkeypatch, games, replayed):
    from patchstats.simulation import verify as module

    seen = []
    games_row = module.games_row
    monkeypatch.setattr(module, "games_row", lambda game: (seen.append(game.game_index), games_row(game))[1])
    verify(good["games"], games)
    assert seen == replayed


def test_a_wrong_value_is_found_when_its_game_is_replayed_and_only_then(copy, rewrite):
    run = copy("games")
    rewrite(run, "games", 1, with_value("plies", 0, lambda plies: plies + 1))
    assert verify(run, 3) == 3
    assert len(findings(run, games=2)) == 1


@pytest.mark.parametrize("log", LOG_LEVELS)
def test_a_step_of_a_price_that_was_not_drawn_is_found(simulate, tmp_path, rewrite, log):
    run = simulate(**SETTINGS, jitter="cost+income", log=log, out=tmp_path / "run").path
    assert verify(run) == 9
    for place in (7, 65):  # of p08.cost, of p33.income
        rewrite(run, "games", 1, with_value("jitter", 2, partial(changed, place)))
        assert verify(run, 1) == 1
        [line] = findings(run)
        assert line.startswith(f"{shard(run, 'games', 1)}: game 6: jitter is b'")


def changed(place, steps):
    """The steps with another one at a place."""
    return steps[:place] + bytes([(steps[place] + 2) % 3 - 1 & 0xFF]) + steps[place + 1 :]


@pytest.mark.parametrize("log", LOG_LEVELS)
@pytest.mark.parametrize("place", [0, 3, 4, 0.1, 0.25, 0.5, 0.75, 0.99, -9, -5, -1])
def test_one_flipped_byte_is_found_and_its_file_named(copy, log, place):
    run = copy(log)
    for table in LOG_LEVELS[log]:
        path = shard(run, table, 1)
        content = bytearray(path.read_bytes())
        content[int(place * len(content)) if isinstance(place, float) else place] ^= 0b100
        path.write_bytes(content)
    named = {line.partition(": ")[0] for line in findings(run, games=0)}
    assert named >= {str(shard(run, table, 1)) for table in LOG_LEVELS[log]}


def test_a_missing_shard_is_named(copy):
    run = copy()
    for table in ("games", "turns"):
        shard(run, table, 2).unlink()
    lines = findings(run)
    for table in ("games", "turns"):
        assert any(line.startswith(f"{shard(run, table, 2)} cannot be read: No such file") for line in lines)


@pytest.mark.parametrize("part", [0, 0.5, 0.99])
def test_a_truncated_shard_is_named(copy, part):
    run = copy()
    path = shard(run, "turns", 0)
    content = path.read_bytes()
    path.write_bytes(content[: int(part * len(content))])
    lines = findings(run)
    assert lines[0].startswith(f"{path}: its sha256 is ")
    assert lines[1].startswith(f"{path} cannot be read: ")


ALTERED = {
    "bool": lambda value: not value,
    "binary": lambda value: value[::-1],
    "string": lambda value: value + "?",
}


def altered(column):
    return ALTERED.get(column.type, lambda value: value + 1)


@pytest.mark.parametrize("column", GAMES, ids=lambda column: column.name)
def test_every_column_of_games_is_compared(copy, rewrite, column):
    run = copy("games")
    rewrite(run, "games", 1, with_value(column.name, 2, altered(column)))
    [line] = findings(run)
    said = {"game_index": "its games are not 4 to 7", "actions": "game 6: its actions "}
    assert line.startswith(f"{shard(run, 'games', 1)}: {said.get(column.name, f'game 6: {column.name} is ')}")


@pytest.mark.parametrize("column", [column for column in TURNS if column.name != "game_index"], ids=lambda c: c.name)
def test_every_column_of_turns_is_compared(copy, rewrite, column):
    run = copy()
    rewrite(run, "turns", 2, with_value(column.name, 3, altered(column)))
    [line] = findings(run)
    expected = rf"{shard(run, 'turns', 2)}: game 8, ply 3: {column.name} is (\S+), and (\S+) when played again"
    found = re.fullmatch(expected, line)
    assert found
    assert int(found[1]) == int(found[2]) + 1


@pytest.mark.parametrize(
    "column", [column for column in OFFERS if column.name != "game_index" and not column.nullable], ids=lambda c: c.name
)
def test_every_column_of_offers_is_compared(copy, rewrite, column):
    run = copy("offers")
    rewrite(run, "offers", 2, with_value(column.name, 4, altered(column)))
    [line] = findings(run)
    place = re.escape(f"{shard(run, 'offers', 2)}: game 8, ply 1, slot 1: {column.name} is ")
    assert re.fullmatch(rf"{place}\S+, and \S+ when played again", line)


@pytest.mark.parametrize("column", ["value", "probability"])
def test_what_no_agent_told_of_an_offer_is_found(copy, rewrite, column):
    run = copy("offers")
    rewrite(run, "offers", 0, with_value(column, 0, lambda _: 7))
    assert findings(run) == [
        f"{shard(run, 'offers', 0)}: game 0, ply 0, slot 0: {column} is 7, and None when played again"
    ]


def test_every_column_of_a_summary_but_the_actions_is_compared(copy, rewrite):
    for column in LOG_LEVELS["summary"]["games"]:
        run = copy("summary")
        rewrite(run, "games", 0, with_value(column.name, 1, altered(column)))
        [line] = findings(run)
        said = "its games are not 0 to 3" if column.name == "game_index" else f"game 1: {column.name} is "
        assert line.startswith(f"{shard(run, 'games', 0)}: {said}")


@pytest.mark.parametrize("index", [5, 99])
def test_a_ply_that_says_it_is_of_another_game_is_found(copy, rewrite, index):
    run = copy()
    rewrite(run, "turns", 1, with_value("game_index", -1, lambda _: index))
    assert findings(run)[0].startswith(f"{shard(run, 'turns', 1)}: game ")


@pytest.mark.parametrize("index", [2, 99])
def test_a_ply_too_many_is_found_whichever_game_it_says_it_is_of(copy, rewrite, index):
    def one_more(table):
        extra = with_value("game_index", 0, lambda _: index)(table.slice(0, 1))
        return pa.concat_tables([table, extra])

    run = copy()
    rewrite(run, "turns", 0, one_more)
    assert findings(run)[0].startswith(str(shard(run, "turns", 0)))


def test_games_in_another_order_are_found(copy, rewrite):
    run = copy("games")
    rewrite(run, "games", 0, lambda table: table.take([1, 0, 2, 3]))
    assert findings(run) == [f"{shard(run, 'games', 0)}: its games are not 0 to 3"]


@pytest.mark.parametrize("table", ["games", "turns", "offers"])
def test_rows_that_are_missing_are_found(copy, rewrite, table):
    run = copy("offers")
    rewrite(run, table, 0, lambda rows: rows.slice(0, rows.num_rows - 1))
    [line] = findings(run)
    assert line.startswith(str(shard(run, table, 0)))
    assert re.search(r"its games are not 0 to 3|game 3: it has \d+ rows, and \d+ when played again", line)


@pytest.mark.parametrize(
    ("table", "change"),
    [
        pytest.param("games", lambda table: table.drop_columns(["winner"]), id="no winner"),
        pytest.param("turns", lambda table: table.drop_columns(["holes"]), id="no holes"),
        pytest.param("games", lambda table: table.drop_columns(["actions"]), id="no actions"),
        pytest.param("games", lambda table: table.append_column("more", table["plies"]), id="one more"),
        pytest.param("games", lambda table: table.replace_schema_metadata({}), id="no metadata"),
    ],
)
def test_a_table_of_other_columns_is_found_and_its_file_named(copy, rewrite, table, change):
    run = copy()
    rewrite(run, table, 0, change)
    assert findings(run)[0].startswith(str(shard(run, table, 0)))


def test_actions_that_cannot_be_played_are_found(copy, rewrite):
    run = copy("games")
    rewrite(run, "games", 0, with_value("actions", 3, lambda log: log[:-2]))
    [line] = findings(run)
    assert line.startswith(f"{shard(run, 'games', 0)}: game 3: its actions cannot be played: after the ")


def test_actions_of_another_game_are_found(copy, rewrite):
    run = copy("games")
    other = pq.read_table(shard(run, "games", 2))["actions"][0].as_py()
    rewrite(run, "games", 0, with_value("actions", 0, lambda _: other))
    assert findings(run)[0].startswith(f"{shard(run, 'games', 0)}: game 0: ")


@pytest.mark.parametrize("log", ["games", "summary"])
def test_another_seed_in_the_manifest_is_found(copy, change_manifest, log):
    run = copy(log)
    change_manifest(run, lambda values: values["spec"].update(seed=3))
    assert f"{shard(run, 'games', 0)}: its columns and metadata are not those of this run" in findings(run)


def test_another_ruleset_in_the_manifest_is_found(copy, change_manifest):
    run = copy("summary")
    change_manifest(run, lambda values: values.update(ruleset=Ruleset.load("revised").to_dict()))
    assert findings(run)[0] == (
        f"manifest.json: ruleset_id {Ruleset.load('original').ruleset_id},"
        f" and its ruleset has {Ruleset.load('revised').ruleset_id}"
    )


def test_shards_missing_from_the_manifest_are_found(copy, change_manifest):
    run = copy()

    def merge(values):
        values["shards"][1]["tally"]["games"] += values["shards"].pop(2)["tally"]["games"]

    change_manifest(run, merge)
    assert findings(run) == ["manifest.json: its shards are not those that 9 games need"]


@pytest.mark.parametrize("key", ["wins", "rings", "squares"])
def test_a_count_of_the_manifest_that_is_not_of_its_shard_is_found(copy, change_manifest, key):
    run = copy()
    change_manifest(run, lambda values: values["shards"][1]["tally"].update({key: 99}))
    assert findings(run) == [f"{shard(run, 'games', 1)}: its winners are not those that the manifest counts"]


@pytest.mark.parametrize(
    "name", ["games/part-00003.parquet", "offers/part-00000.parquet", "turns/more/part-00000.parquet", "games/mine.txt"]
)
def test_a_file_among_the_tables_that_is_no_shard_of_the_run_is_found(copy, name):
    run = copy()
    (run / name).parent.mkdir(exist_ok=True)
    (run / name).write_bytes(shard(run, "games", 0).read_bytes())
    assert findings(run) == [f"{run / name} is no shard of this run; remove it"]


def test_notes_beside_the_tables_are_nobodys_business(copy):
    run = copy()
    (run / "notes.txt").write_text("mine", encoding="utf-8")
    assert verify(run) == 9


def test_an_altered_manifest_is_found_by_its_checksum(copy):
    run = copy()
    manifest = run / NAME
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace('"seed": 2', '"seed": 3'), encoding="utf-8")
    [line] = findings(run)
    assert line.startswith(f"{manifest} is damaged (it is not what its checksum is of)")


def test_only_the_first_findings_are_told(copy, rewrite):
    run = copy()
    rewrite(
        run, "turns", 0, lambda table: table.set_column(2, table.schema.field(2), pa.array([7] * len(table), "int8"))
    )
    lines = findings(run)
    assert len(lines) == 21
    assert lines[-1] == "and perhaps more: the check ended here"


def test_a_run_that_is_not_finished_or_none_at_all_is_refused(copy, change_manifest, tmp_path):
    with pytest.raises(RunError, match="is no run"):
        verify(tmp_path)
    run = copy()
    change_manifest(run, lambda values: values["shards"].pop())
    with pytest.raises(RunError, match="is not finished"):
        verify(run)


def test_a_run_of_other_versions_is_refused(copy, change_manifest):
    run = copy()
    change_manifest(run, lambda values: values["versions"].update(behaviour=0))
    with pytest.raises(RunError, match=r"has the versions .*'behaviour': 0.*; this patchstats verifies"):
        verify(run)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda values: values["spec"].pop("agents"), id="no agents"),
        pytest.param(lambda values: values["spec"].pop("seed"), id="no seed"),
        pytest.param(lambda values: values["spec"].pop("ruleset_id"), id="no ruleset_id"),
        pytest.param(lambda values: values["spec"]["agents"][0].pop("ring"), id="an agent without a ring"),
        pytest.param(lambda values: values["spec"].update(agents="random"), id="agents that are a text"),
        pytest.param(lambda values: values["spec"].update(seed="two"), id="a seed that is a text"),
        pytest.param(lambda values: values["spec"].update(games_per_shard=0), id="no games a shard"),
        pytest.param(lambda values: values["ruleset"].pop("patches"), id="no patches"),
        pytest.param(lambda values: values.update(ruleset=None), id="no ruleset"),
        pytest.param(lambda values: values.update(versions=None), id="no versions"),
        pytest.param(lambda values: values["shards"][1].update(first_game=0), id="a shard that begins elsewhere"),
        pytest.param(lambda values: values["shards"][1].update(first_game=9), id="a shard that begins later"),
        pytest.param(lambda values: values["shards"][0]["files"].pop("turns"), id="a table less"),
        pytest.param(lambda values: values["shards"][0]["files"]["games"].update(rows=5), id="other rows"),
        pytest.param(lambda values: values["shards"][0]["files"]["games"].update(bytes=5), id="other bytes"),
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(copy, change_manifest, change):
    run = copy()
    change_manifest(run, change)
    with pytest.raises(PatchstatsError):
        verify(run)


def test_another_network_than_the_run_was_played_with_is_called_a_network_with_both_hashes(tmp_path, simulate):
    shipped = data_directory() / "evaluation" / "network.json"
    mine = tmp_path / "mine.json"
    mine.write_bytes(shipped.read_bytes())
    agent = f"no-income-3+puct:iterations=2,network={mine}"
    run = simulate(games=2, seed=1, agents=(agent, "random"), log="summary", out=tmp_path / "run").path
    assert verify(run) == 2
    values = json.loads(shipped.read_bytes())
    mine.write_text(json.dumps({**values, "notes": {"learned": "again"}}), encoding="utf-8")
    there, before = (hashlib.sha256(path.read_bytes()).hexdigest()[:12] for path in (mine, shipped))
    with pytest.raises(RunError) as error:
        verify(run)
    assert str(error.value) == (
        f"{run}: the network of agent {agent!r} is another one than the run was played with (sha256 {there}..., then "
        f"{before}...); put that one back, or give --games 0 to check the files alone"
    )
    assert verify(run, games=0) == 0
    mine.write_text(json.dumps({**values, "ruleset_ids": []}), encoding="utf-8")
    with pytest.raises(RunError, match=rf"played with \(sha256 none, then {before}\.\.\.\)"):
        verify(run)


def test_a_run_of_recorded_games_needs_no_record_any_more(tmp_path, simulate, good):
    from patchstats import open_run

    path = tmp_path / "game.txt"
    path.write_text(format_record(open_run(good["games"]).record(4)), encoding="utf-8")
    run = simulate(games=2, seed=1, agents=[f"scripted:{path}"] * 2, log="turns", out=tmp_path / "run")
    path.unlink()
    assert verify(run.path) == 2


def test_a_run_of_a_ruleset_of_ones_own_passes(tmp_path, simulate):
    settings = Ruleset.load("original").to_dict()
    settings["patches"] = {f"n{number}": patch for number, patch in enumerate(settings["patches"].values())}
    ruleset = Ruleset.from_dict({**settings, "name": "own", "start_patch": "n0"})
    run = simulate(games=2, seed=1, ruleset=ruleset, log="turns", out=tmp_path / "run")
    assert verify(run.path) == 2
