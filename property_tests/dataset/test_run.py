"""A finished run, read back: its frames and the records of its games."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from patchstats import open_run
from patchstats.agents import Agent
from patchstats.agents.protocol import Choice
from patchstats.agents.registry import AGENTS, Entry
from patchstats.dataset.manifest import NAME, read_manifest, write_manifest
from patchstats.dataset.rows import games_row, offers_rows, turns_rows
from patchstats.dataset.schema import GAMES, OFFERS, PATCHES, TURNS
from patchstats.dataset.shards import read_shard, shard_name
from patchstats.dataset.store import store_at
from patchstats.errors import RunError
from patchstats.notation import replay_record
from patchstats.rules import Ruleset

ORIGINAL = Ruleset.load("original")
SPECS = ("random", "random-patch")
GAMES_IN_RUN = 7


@pytest.fixture(scope="module")
def runs(simulate, tmp_path_factory):
    """The same seven games at each level of logging, three to a shard."""
    folder = tmp_path_factory.mktemp("runs")
    return {
        log: simulate(games=GAMES_IN_RUN, seed=3, agents=SPECS, log=log, out=folder / log)
        for log in ("summary", "games", "turns", "offers")
    }


@pytest.fixture(scope="module")
def played(runs, played_games):
    """The games of the runs, played without a run."""
    return played_games(runs["games"])


def read_nothing(*_):
    raise AssertionError("a shard was read")


@pytest.fixture
def changed(runs, tmp_path):
    """A function that changes the values of a run's manifest and writes them into another directory."""

    def change(values):
        text = (runs["games"].path / NAME).read_text(encoding="utf-8")
        (tmp_path / NAME).write_text(json.dumps(values(json.loads(text))), encoding="utf-8")
        return tmp_path

    return change


def test_the_games_frame_has_a_row_a_game_in_the_order_of_the_games(runs, played):
    frame = runs["games"].games()
    assert frame.to_dict("records") == [games_row(game) for game in played]
    assert list(frame.index) == list(range(GAMES_IN_RUN))


def test_the_turns_frame_has_a_row_a_ply_with_the_names_of_patches_and_kinds(runs, played):
    frame = runs["turns"].turns()
    kinds = ["advance", "buy", "place leather"]
    expected = [
        {
            **row,
            "kind": kinds[row["kind"]],
            "patch": None if row["patch"] == -1 else ORIGINAL.patches[row["patch"] - 1].id,
        }
        for game in played
        for row in turns_rows(game)
    ]
    rows = frame.astype({"patch": object}).to_dict("records")
    assert [{**row, "patch": row["patch"] if isinstance(row["patch"], str) else None} for row in rows] == expected


def test_every_column_has_its_type_and_nothing_is_missing(runs):
    run = runs["offers"]
    for frame, columns in (
        (run.games(), GAMES),
        (run.turns(), TURNS),
        (run.offers(), OFFERS),
        (run.patches(), PATCHES),
    ):
        assert list(frame.columns) == [column.name for column in columns]
        for column in columns:
            if column.name.startswith("agent_") or column.name in ("kind", "patch"):
                assert isinstance(frame[column.name].dtype, pd.CategoricalDtype)
            elif column.nullable:
                assert str(frame[column.name].dtype) == column.type.capitalize()
            else:
                assert str(frame[column.name].dtype) == {"binary": "object"}.get(column.type, column.type)
            assert column.nullable or column.name == "patch" or not frame[column.name].hasnans


def test_the_categories_are_all_patches_all_kinds_and_the_agents(runs):
    games, turns = runs["turns"].games(), runs["turns"].turns()
    assert list(turns["patch"].cat.categories) == [patch.id for patch in ORIGINAL.patches]
    assert list(turns["kind"].cat.categories) == ["advance", "buy", "place leather"]
    assert [list(games[f"agent_{seat}"].cat.categories) for seat in (0, 1)] == [["random"], ["random-patch"]]


def test_a_patch_is_missing_where_none_was_bought(runs):
    turns = runs["turns"].turns(["kind", "patch"])
    assert (turns["patch"].isna() == (turns["kind"] != "buy")).all()
    assert turns["patch"].isna().any()
    assert turns["patch"].notna().any()


def test_the_agents_that_may_sit_at_a_seat_are_its_categories_in_every_part_of_a_frame(simulate, tmp_path):
    run = simulate(games=4, games_per_shard=2, seed=1, agents=SPECS, pairing="mirrored", out=tmp_path / "run")
    only = [("agent_0", "==", "random-patch")]
    for frame in (run.games(), run.games(filters=only), *run.batches("games"), *run.batches("games", filters=only)):
        assert [list(frame[f"agent_{seat}"].cat.categories) for seat in (0, 1)] == [list(SPECS)] * 2


def test_the_offers_frame_has_a_row_a_patch_on_offer_at_each_turn(runs, played):
    rows = runs["offers"].offers().astype({"patch": object, "value": object}).to_dict("records")
    assert [{**row, "value": None if row["value"] is pd.NA else row["value"]} for row in rows] == [
        {**row, "patch": ORIGINAL.patches[row["patch"] - 1].id} for game in played for row in offers_rows(game)
    ]


def test_the_worth_of_an_offer_is_a_whole_number_or_missing(simulate, tmp_path, monkeypatch):
    greatest = 2**31 - 1

    def choose(position, legal, _):
        return Choice(legal[0], dict.fromkeys(position.offer[:1], greatest) if position.seat_on_turn == 0 else {})

    def make(spec, *_):
        return Agent(spec, lambda _: choose)

    monkeypatch.setitem(AGENTS, "judging", Entry("judging", "judges the nearest patch from seat 0", make))
    run = simulate(games=4, seed=1, agents=("judging", "judging"), log="offers", out=tmp_path / "run")
    for offers in (run.offers(), *run.batches("offers")):
        first = offers.merge(run.turns(["game_index", "ply", "seat"]))["seat"].eq(0) & offers["slot"].eq(0)
        assert str(offers["value"].dtype) == "Int32"
        assert (offers["value"].notna() == first).all()
        assert (offers["value"].dropna() == greatest).all()
        assert 0 < first.sum() < len(first)


def test_a_patch_is_named_by_the_ruleset_that_was_played(simulate, tmp_path):
    renamed = ORIGINAL.to_dict()
    renamed["patches"] = {f"tile-{number}": patch for number, patch in enumerate(renamed["patches"].values())}
    renamed["start_patch"] = "tile-0"
    run = simulate(games=1, seed=1, ruleset=Ruleset.from_dict(renamed), log="turns", out=tmp_path / "run")
    assert open_run(run.path).turns()["patch"].dropna().str.startswith("tile-").all()
    assert open_run(run.path).ruleset == Ruleset.from_dict(renamed)


def test_a_frame_may_have_some_columns_in_any_order(runs):
    run = runs["turns"]
    assert run.games(["plies", "winner"]).equals(run.games()[["plies", "winner"]])
    assert run.turns(["patch", "ply"]).equals(run.turns()[["patch", "ply"]])
    assert run.patches(["patch", "ply"]).equals(run.patches()[["patch", "ply"]])


def test_a_column_that_is_not_there_is_refused_with_those_that_are(runs):
    with pytest.raises(RunError, match="have no column 'score'; there are game_index, ring_index, ring, agent_0"):
        runs["games"].games(["winner", "score"])
    with pytest.raises(RunError, match=r"the turns of .* have no column 'winner'; there are game_index, ply, seat"):
        runs["turns"].turns(["winner"])
    with pytest.raises(RunError, match="no column 'actions'"):
        runs["summary"].games(["actions"])
    with pytest.raises(RunError, match=r"the patches of .* have no column 'cell'; there are game_index, patch, place"):
        runs["games"].patches(["cell"])


def test_a_summary_has_the_same_games_without_their_actions(runs):
    assert runs["summary"].games().equals(runs["games"].games().drop(columns="actions"))


@pytest.mark.parametrize("log", ["summary", "games"])
def test_the_turns_of_a_run_that_was_logged_without_them_are_refused(runs, log):
    with pytest.raises(RunError, match=f"was simulated with --log {log}, which writes no table of turns"):
        runs[log].turns()


@pytest.mark.parametrize("log", ["summary", "games", "turns"])
def test_the_offers_of_a_run_that_was_logged_without_them_are_refused(runs, log):
    with pytest.raises(RunError, match=f"was simulated with --log {log}, which writes no table of offers"):
        runs[log].offers()


def test_a_table_that_there_never_is_is_refused_with_those_that_there_are(runs):
    with pytest.raises(RunError, match="there is no table 'plies'; there are games, turns, offers and patches"):
        runs["offers"].batches("plies")


@pytest.mark.parametrize("table", ["games", "turns", "offers", "patches"])
def test_batches_are_the_table_shard_by_shard(runs, table):
    run = runs["offers"]
    frames = list(run.batches(table))
    assert [sorted(set(frame["game_index"])) for frame in frames] == [[0, 1, 2], [3, 4, 5], [6]]
    whole = getattr(run, table)()
    assert pd.concat(frames, ignore_index=True).equals(whole)
    assert pd.concat(frames, ignore_index=True).dtypes.equals(whole.dtypes)


@pytest.mark.parametrize("table", ["games", "patches"])
def test_batches_have_the_columns_and_rows_that_are_asked_for(runs, table):
    run = runs["games"]
    wanted = (["ply", "patch"] if table == "patches" else ["plies", "winner"], [("game_index", "in", [1, 4])])
    frames = list(run.batches(table, *wanted))
    assert [len(frame) for frame in frames] == ([33, 33, 0] if table == "patches" else [1, 1, 0])
    whole = getattr(run, table)()
    expected = whole.loc[whole["game_index"].isin([1, 4]), wanted[0]].reset_index(drop=True)
    assert pd.concat(frames, ignore_index=True).equals(expected)


@pytest.mark.parametrize("table", ["games", "turns", "offers", "patches"])
def test_a_batch_is_read_when_its_turn_comes(runs, table, monkeypatch):
    read = []

    def reading(store, name, *wanted):
        read.append(name)
        return read_shard(store, name, *wanted)

    monkeypatch.setattr("patchstats.dataset.run.read_shard", reading)
    batches = runs["offers"].batches(table)
    assert read == []
    file = "games" if table == "patches" else table
    for number, _ in enumerate(batches):
        assert read == [shard_name(file, shard) for shard in range(number + 1)]
    assert len(read) == 3


def test_what_cannot_be_asked_for_is_refused_before_the_first_batch(runs, monkeypatch):
    monkeypatch.setattr("patchstats.dataset.run.read_shard", read_nothing)
    for wanted in ({"columns": ["score"]}, {"columns": []}, {"filters": [("winner", "==", "nobody")]}):
        with pytest.raises(RunError):
            runs["games"].batches("games", **wanted)
    with pytest.raises(RunError):
        runs["games"].batches("turns")


def test_the_record_of_a_game_plays_that_game(runs, played):
    for log in ("games", "turns"):
        for index, game in enumerate(played):
            record = runs[log].record(index)
            assert record.actions == tuple(ply.action for ply in game.plies)
            assert replay_record(record)[-1].after == game.end
            assert (record.ring, record.agents, record.ruleset) == (game.ring, SPECS, ORIGINAL)


def test_a_summary_has_no_records(runs):
    with pytest.raises(RunError, match="a run with --log summary has no action logs"):
        runs["summary"].record(0)


@pytest.mark.parametrize("index", [-1, GAMES_IN_RUN, 10**9])
def test_the_record_of_a_game_that_is_not_there_is_refused(runs, index):
    with pytest.raises(RunError, match=f"there is no game {index}; the games are 0 to {GAMES_IN_RUN - 1}"):
        runs["games"].record(index)


def test_opening_a_run_gives_what_simulating_it_gave(runs):
    for run in runs.values():
        again = open_run(str(run.path))
        assert again.manifest == run.manifest
        assert again.games().equals(run.games())
        assert again.ruleset == ORIGINAL
        assert repr(again) == f"<run {run.path}: 7 games of random,random-patch with ruleset original>"


def test_a_run_that_is_not_finished_cannot_be_opened(runs, tmp_path):
    manifest = read_manifest(runs["games"].store)
    store = store_at(tmp_path)
    write_manifest(store, replace(manifest, shards=()))
    store.write(shard_name("games", 1), runs["games"].store.read(shard_name("games", 1)))
    with pytest.raises(
        RunError, match="is not finished: 1 of 3 shards are there; the same simulate command goes on with it"
    ):
        open_run(tmp_path)


def test_what_is_no_run_cannot_be_opened(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(RunError, match=f"{path} is no run"):
            open_run(path)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda values: {**values, "spec": {}}, id="an empty spec"),
        pytest.param(lambda values: {**values, "spec": [1]}, id="a spec that is a list"),
        pytest.param(lambda values: {**values, "spec": {**values["spec"], "games": "many"}}, id="many games"),
        pytest.param(lambda values: {**values, "spec": {**values["spec"], "games": None}}, id="games missing"),
    ],
)
def test_a_run_whose_manifest_makes_no_sense_cannot_be_opened(changed, change):
    with pytest.raises(RunError):
        open_run(changed(change))


def test_a_missing_shard_is_named_when_the_frame_is_asked_for(simulate, tmp_path):
    run = simulate(games=2, seed=1, out=tmp_path / "run")
    run.store.remove(shard_name("games", 0))
    for read in (open_run(run.path).games, open_run(run.path).patches):
        with pytest.raises(RunError, match=f"{tmp_path}/run/games/part-00000.parquet is missing"):
            read()


@pytest.mark.parametrize("table", ["games", "turns", "patches"])
def test_an_empty_choice_of_columns_is_refused(runs, table):
    with pytest.raises(RunError, match="columns is empty"):
        getattr(runs["turns"], table)(columns=[])


READERS = {
    "games": lambda run: run.games(["winner"]),
    "turns": lambda run: run.turns(),
    "offers": lambda run: run.offers(filters=[("slot", "==", 0)]),
    "patches": lambda run: run.patches(),
    "batches": lambda run: list(run.batches("games")),
    "record": lambda run: run.record(run.manifest.games - 1),
}


def table_read_by(reader):
    return reader if reader in ("turns", "offers") else "games"


@pytest.mark.parametrize("reader", READERS)
def test_a_shard_of_another_run_is_never_read_and_the_command_that_is_named_mends_it(simulate, tmp_path, reader):
    settings = {"games": 4, "log": "offers"}
    run = simulate(**settings, seed=1, out=tmp_path / "run")
    other = simulate(**settings, seed=2, out=tmp_path / "other")
    name = shard_name(table_read_by(reader), 1)
    run.store.write(name, other.store.read(name))
    said = re.escape(f"{run.path}/{name}: its columns and metadata are not those of this run")
    end = "; it is not the one that the manifest lists: .* simulate command .* mends it$"
    with pytest.raises(RunError, match=said + end):
        READERS[reader](open_run(run.path))
    simulate(**settings, seed=1, out=run.path)
    READERS[reader](open_run(run.path))


@pytest.mark.parametrize("reader", READERS)
def test_a_run_that_has_grown_since_it_was_opened_is_refused_until_it_is_opened_again(simulate, tmp_path, reader):
    run = simulate(games=4, seed=1, log="offers", out=tmp_path / "run")
    READERS[reader](run)
    simulate(games=5, seed=1, log="offers", out=run.path)
    name = re.escape(f"{run.path}/{shard_name(table_read_by(reader), 1)}")
    end = "; .*: open the run again if it has grown meanwhile"
    with pytest.raises(RunError, match=rf"{name}: it has \d+ rows, and \d+ in the manifest{end}"):
        READERS[reader](run)
    READERS[reader](open_run(run.path))


@pytest.mark.parametrize("metadata", [None, {}, {b"patchstats": b"nothing"}, {b"patchstats": b"[1]"}])
def test_a_shard_that_does_not_say_of_which_run_it_is_is_not_read(simulate, tmp_path, metadata):
    run = simulate(games=2, seed=1, out=tmp_path / "run")
    table = read_shard(run.store, shard_name("games", 0)).replace_schema_metadata(metadata)
    pq.write_table(table, run.path / shard_name("games", 0))
    with pytest.raises(RunError, match="its columns and metadata are not those of this run"):
        run.games()


def test_of_a_shard_of_version_1_which_does_not_name_its_run_the_rows_are_counted(tmp_path):
    run = open_run(shutil.copytree(Path(__file__).parent / "earlier" / "version_1", tmp_path / "run"))
    assert len(run.games()) == 5
    run.store.write(shard_name("games", 1), run.store.read(shard_name("games", 0)))
    with pytest.raises(RunError, match=r"part-00001\.parquet: it has 3 rows, and 2 in the manifest"):
        run.games()


def test_a_shard_is_opened_once_so_that_what_is_checked_is_what_is_read(runs, monkeypatch):
    opened = []
    run = open_run(runs["offers"].path)
    opening = run.store.open
    monkeypatch.setattr(run.store, "open", lambda name: (opened.append(name), opening(name))[1])
    for table in ("games", "turns", "offers"):
        getattr(run, table)()
    assert opened == [shard_name(table, shard) for table in ("games", "turns", "offers") for shard in range(3)]


def test_of_a_record_nothing_is_read_but_its_own_row_and_what_the_record_is_made_of(runs, monkeypatch):
    read = []

    def reading(*wanted):
        read.append(read_shard(*wanted))
        return read[-1]

    monkeypatch.setattr("patchstats.dataset.run.read_shard", reading)
    runs["games"].record(4)
    [table] = read
    assert (table.num_rows, sorted(table.column_names)) == (1, ["actions", "agent_0", "agent_1", "ring"])


def test_a_game_that_its_shard_has_twice_or_not_at_all_has_no_record(simulate, tmp_path):
    run = simulate(games=3, seed=1, out=tmp_path / "run")
    pq.write_table(read_shard(run.store, shard_name("games", 0)).take([0, 0, 2]), run.path / shard_name("games", 0))
    for index, rows in ((0, 2), (1, 0)):
        with pytest.raises(RunError, match=f"part-00000.parquet: it has {rows} rows of game {index}, not one"):
            run.record(index)
    run.record(2)


@pytest.mark.parametrize("columns", [("plies", "winner"), {"plies": 1, "winner": 2}, pd.Index(["plies", "winner"])])
def test_columns_may_come_in_anything_that_gives_their_names(runs, columns):
    run = runs["games"]
    expected = run.games(["plies", "winner"])
    assert run.games(columns).equals(expected)
    assert run.games(name for name in columns).equals(expected)
    assert pd.concat(run.batches("games", iter(columns)), ignore_index=True).equals(expected)


@pytest.mark.parametrize("columns", ["winner", 3, [3], ["winner", None], b"winner", [["winner"]], np.eye(2)])
@pytest.mark.parametrize(
    "read",
    [
        lambda run, columns: run.games(columns),
        lambda run, columns: run.patches(columns),
        lambda run, columns: run.batches("turns", columns),
        lambda run, columns: run.metric("holes", columns),
    ],
)
def test_what_are_no_names_of_columns_is_refused_in_a_line(runs, read, columns):
    with pytest.raises(RunError, match=r"^columns must be a list of names, such as \['winner'\], not .+$") as error:
        read(runs["turns"], columns)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", [None, 3, b"games", ["games"]])
def test_what_is_no_name_of_a_table_or_a_metric_is_refused_in_a_line(runs, name):
    with pytest.raises(RunError, match=r"^table must be the name of a table, such as 'games', not .+$"):
        runs["games"].batches(name)
    with pytest.raises(RunError, match=r"^name must be that of a metric, such as 'holes', not .+$"):
        runs["games"].metric(name)


@pytest.mark.parametrize("index", ["0", None, 1.0, True, [0], np.eye(2)])
def test_what_is_no_number_of_a_game_is_refused_in_a_line(runs, index):
    with pytest.raises(RunError, match=r"^game_index must be a whole number, not .+$"):
        runs["games"].record(index)


def test_the_number_of_a_game_may_come_out_of_a_frame(runs):
    index = runs["games"].games(["game_index"])["game_index"].iloc[4]
    assert runs["games"].record(index) == runs["games"].record(4)
