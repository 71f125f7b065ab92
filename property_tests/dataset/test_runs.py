"""Several runs, read into one frame."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from patchstats import open_run, open_runs
from patchstats.columns import GAME_INDEX, OF_RUNS, Column
from patchstats.dataset.manifest import NAME, read_manifest, write_manifest
from patchstats.dataset.metric_tables import Definition, MetricTable, encode_part, write_table
from patchstats.dataset.run import Run
from patchstats.dataset.runs import Runs
from patchstats.dataset.schema import GAMES, SCHEMA_VERSION
from patchstats.dataset.shards import shard_name
from patchstats.dataset.store import store_at
from patchstats.errors import RunError
from patchstats.rules import Ruleset

SPEC = list(OF_RUNS)
GREATEST_SEED = 2**64 - 1


def with_one_more_patch():
    """The original ruleset, its last patch there twice under another name."""
    settings = Ruleset.load("original").to_dict()
    settings["name"] = "larger"
    settings["patches"]["more"] = settings["patches"]["p33"]
    return Ruleset.from_dict(settings)


@pytest.fixture(scope="module")
def folder(simulate, tmp_path_factory):
    """Three runs, of five, four and two games, with different rulesets, agents and seeds."""
    folder = tmp_path_factory.mktemp("runs")
    both = ("random", "random-patch")
    simulate(games=5, seed=1, log="offers", out=folder / "a")
    simulate(
        games=4, games_per_shard=2, seed=GREATEST_SEED, agents=both, pairing="mirrored", log="offers", out=folder / "b"
    )
    simulate(games=2, seed=1, agents=both, ruleset=with_one_more_patch(), log="offers", out=folder / "c")
    (folder / "d").mkdir()
    return folder


@pytest.fixture(scope="module")
def runs(folder):
    """The three runs, opened together."""
    return open_runs(str(folder / "*"))


@pytest.fixture
def remote(folder):
    """The same runs at a URL."""
    stores = []
    for name in "abc":
        stores.append(store_at(f"memory://test_runs/{name}"))
        local = store_at(folder / name)
        for file in local.names():
            stores[-1].write(file, local.read(file))
    yield "memory://test_runs"
    for store in stores:
        for file in store.names():
            store.remove(file)


def test_runs_are_opened_by_a_list_or_a_pattern_in_order(folder):
    paths = [folder / name for name in "abc"]
    for given in (
        paths,
        [str(path) for path in paths],
        str(folder / "*"),
        folder / "[abc]",
        [folder / "[a-b]", folder / "c"],
    ):
        assert [run.path for run in open_runs(given)] == paths
    assert [run.path for run in open_runs(folder / "b")] == [folder / "b"]
    assert [run.path for run in open_runs([folder / "c", folder / "a"])] == [folder / "c", folder / "a"]
    assert [run.path for run in open_runs(f"file://{folder}/?")] == paths


def test_runs_are_opened_by_a_pattern_of_urls(remote, runs):
    there = open_runs(f"{remote}/*")
    assert [run.run_id for run in there] == [run.run_id for run in runs]
    assert [store_at(run.path).holds(NAME) for run in there] == [True] * 3
    assert there.games(["plies"]).drop(columns="run").equals(runs.games(["plies"]).drop(columns="run"))
    assert [run.run_id for run in open_runs([f"{remote}/b"])] == [runs[1].run_id]


def test_a_folder_whose_name_has_the_signs_of_patterns_is_that_folder(simulate, tmp_path):
    simulate(games=1, seed=1, out=tmp_path / "runs [1]")
    assert [run.path for run in open_runs(tmp_path / "runs [1]")] == [tmp_path / "runs [1]"]


@pytest.mark.parametrize("pattern", ["{}/x*", "{}/d*", "{}/a/*", "file://{}/x*", "memory://nowhere/*"])
def test_a_pattern_that_fits_no_run_is_refused(folder, pattern):
    with pytest.raises(RunError, match=r"fits no directory with a manifest\.json"):
        open_runs(pattern.format(folder))


def test_a_folder_that_holds_no_run_is_refused(folder):
    with pytest.raises(RunError, match=f"{folder}/d is no run"):
        open_runs([folder / "a", folder / "d"])


def test_frames_begin_with_the_specs_of_the_runs(runs, folder):
    frame = runs.games(["winner"])
    assert list(frame.columns) == [*SPEC, "winner"]
    assert list(runs.games().columns) == [*SPEC, *(column.name for column in GAMES)]
    firsts = frame.iloc[[0, 5, 9]].to_dict("records")
    for name, run, first in zip("abc", runs, firsts, strict=True):
        assert first["run"] == str(folder / name)
        assert first["run_id"] == run.run_id
        assert first["ruleset"] == run.ruleset.name
        assert first["ruleset_id"] == run.ruleset.ruleset_id
    assert [first["agents"] for first in firsts] == ["random,random", "random,random-patch", "random,random-patch"]
    assert [first["pairing"] for first in firsts] == ["none", "mirrored", "none"]
    assert [first["seed"] for first in firsts] == [1, GREATEST_SEED, 1]
    assert [first["log"] for first in firsts] == ["offers"] * 3
    assert [first["games"] for first in firsts] == [5, 4, 2]
    assert frame["stop_when"].isna().all()
    assert (frame["seed"].dtype, frame["games"].dtype) == ("uint64", "int64")
    others = [name for name in SPEC if name not in ("seed", "games")]
    assert all(isinstance(frame[name].dtype, pd.CategoricalDtype) for name in others)


@pytest.mark.parametrize("table", ["games", "turns", "offers", "patches"])
def test_frames_hold_the_rows_of_the_runs_one_run_after_another(runs, table):
    whole = getattr(runs, table)()
    assert list(whole.index) == list(range(len(whole)))
    for run in runs:
        part = whole[whole["run_id"] == run.run_id].drop(columns=SPEC).reset_index(drop=True)
        alone = getattr(run, table)()
        for name, column in alone.items():
            same = part[name].astype(object) if isinstance(column.dtype, pd.CategoricalDtype) else part[name]
            pd.testing.assert_series_equal(same, column.astype(same.dtype))


@pytest.mark.parametrize("table", ["turns", "offers", "patches"])
def test_the_categories_are_the_patches_of_all_rulesets(runs, table):
    frame = getattr(runs, table)()
    assert list(frame["patch"].cat.categories) == [*(f"p{number:02}" for number in range(1, 34)), "more"]
    assert set(frame.loc[frame["patch"] == "more", "ruleset"]) <= {"larger"}


@pytest.mark.parametrize("table", ["games", "turns", "offers", "patches"])
def test_frames_have_the_types_of_a_single_run_even_without_rows(runs, table):
    types = getattr(runs[0], table)().dtypes
    nothing = [("game_index", "<", 0)]
    for frame in (getattr(runs, table)(), getattr(runs, table)(filters=nothing)):
        for name, dtype in types.items():
            categorical = isinstance(dtype, pd.CategoricalDtype)
            assert isinstance(frame[name].dtype, pd.CategoricalDtype) if categorical else frame[name].dtype == dtype
        assert frame["seed"].dtype == "uint64"
    assert len(getattr(runs, table)(filters=nothing)) == 0
    one = [("game_index", ">=", 4)]
    assert set(getattr(runs, table)(filters=one)["run_id"]) == {runs[0].run_id}


def test_columns_and_filters_are_those_of_each_run(runs):
    won = runs.games(["plies"], filters=[("winner", "==", 1)])
    whole = runs.games(["plies", "winner"])
    assert won.equals(whole[whole["winner"] == 1].drop(columns="winner").reset_index(drop=True))
    with pytest.raises(RunError, match=r"the games of .*/a have no column 'score'"):
        runs.games(["score"])
    with pytest.raises(RunError, match="there is no patch 'more'"):
        runs.turns(filters=[("patch", "==", "more")])


@pytest.mark.parametrize("table", ["games", "turns", "offers", "patches"])
def test_batches_are_the_shards_of_one_run_after_another(runs, table):
    frames = list(runs.batches(table))
    assert [sorted(set(frame["game_index"])) for frame in frames] == [[0, 1, 2], [3, 4], [0, 1], [2, 3], [0, 1]]
    assert [frame["run_id"].iloc[0] for frame in frames] == [runs[number].run_id for number in (0, 0, 1, 1, 2)]
    alike = [frame.astype(dict.fromkeys(frame.select_dtypes("category"), object)) for frame in frames]
    whole = getattr(runs, table)()
    assert pd.concat(alike, ignore_index=True).equals(
        whole.astype(dict.fromkeys(whole.select_dtypes("category"), object))
    )


def test_what_cannot_be_asked_for_of_a_later_run_is_refused_before_the_first_batch(
    runs, simulate, tmp_path, monkeypatch
):
    short = simulate(games=1, seed=9, log="summary", out=tmp_path / "run")
    both = open_runs([runs[0].path, short.path])
    monkeypatch.setattr("patchstats.dataset.run.read_shard", None)
    with pytest.raises(RunError, match="was simulated with --log summary"):
        both.batches("patches")


def test_runs_are_a_sequence_of_runs(runs, folder):
    assert len(runs) == 3
    assert runs[0].games().equals(open_run(folder / "a").games())
    assert runs[-1].path == folder / "c"
    assert [run.path.name for run in runs[1:]] == ["b", "c"]
    assert runs[1:].games(["plies"]).run_id.unique().tolist() == [run.run_id for run in runs][1:]
    assert runs[1:2].games(["plies"]).drop(columns=SPEC).equals(runs[1].games(["plies"]))
    with pytest.raises(IndexError):
        runs[3]


@pytest.mark.parametrize("read", [lambda runs: runs.games(), lambda runs: runs[:0].patches()])
def test_no_runs_have_no_frame(read):
    with pytest.raises(RunError, match="there are no runs to read"):
        read(open_runs([]))


def test_runs_of_the_same_games_are_refused(simulate, folder, tmp_path):
    more = simulate(games=6, seed=1, log="offers", out=tmp_path / "more")
    with pytest.raises(
        RunError,
        match=rf"{folder}/a and {more.path} hold the same games \(ruleset, agents, .* are the same\); give one",
    ):
        open_runs([folder / "b", folder / "a", more.path])
    with pytest.raises(RunError, match="hold the same games"):
        open_runs([folder / "a", folder / "*"])


@pytest.mark.parametrize(
    "change", [{"log": "summary"}, {"games_per_shard": 2}, {"stop_when": "ci:0.4"}, {"games": 3}], ids=str
)
def test_the_same_games_are_refused_however_they_are_logged_cut_and_stopped(simulate, folder, tmp_path, change):
    again = simulate(**{"games": 5, "seed": 1, "log": "offers", **change}, out=tmp_path / "run")
    with pytest.raises(RunError, match=f"{folder}/a and {again.path} hold the same games"):
        open_runs([folder / "a", again.path])


def test_the_same_games_of_an_earlier_schema_version_are_refused(simulate, tmp_path):
    earlier = Path(__file__).parent / "earlier" / "version_1"
    now = simulate(games=5, seed=1, agents=("random", "random-patch"), out=tmp_path / "run")
    with pytest.raises(RunError, match="hold the same games"):
        open_runs([earlier, now.path])


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 2},
        {"agents": ("random", "random-patch")},
        {"pairing": "mirrored", "games": 4, "games_per_shard": 2},
        {"ruleset": "revised"},
    ],
    ids=str,
)
def test_other_games_are_read_together(simulate, folder, tmp_path, change):
    other = simulate(**{"games": 5, "seed": 1, "log": "offers", **change}, out=tmp_path / "run")
    assert len(open_runs([folder / "a", other.path]).games()) == 5 + other.manifest.games


def test_games_of_another_behaviour_version_are_other_games(simulate, folder, tmp_path):
    other = simulate(games=5, seed=1, log="offers", out=tmp_path / "run")
    manifest = read_manifest(other.store)
    write_manifest(other.store, replace(manifest, versions={**manifest.versions, "behaviour": 0}))
    assert len(open_runs([folder / "a", other.path])) == 2


def test_the_rule_that_stops_a_run_is_missing_where_there_is_none_and_games_are_those_it_has(
    simulate, folder, tmp_path
):
    stopped = simulate(games=60, games_per_shard=10, seed=7, stop_when="ci:0.45", out=tmp_path / "run")
    assert stopped.manifest.games < 60
    for paths in ([folder / "b", stopped.path], [stopped.path, folder / "b"]):
        runs = open_runs(paths)
        for frame in (runs.games(["winner"]), pd.concat(runs.batches("games", ["winner"]))):
            is_stopped = frame["run_id"] == stopped.run_id
            assert set(frame.loc[is_stopped, "stop_when"]) == {"ci:0.45"}
            assert frame.loc[~is_stopped, "stop_when"].isna().all()
            assert set(frame.loc[is_stopped, "games"]) == {stopped.manifest.games} == {is_stopped.sum()}
            assert set(frame.loc[~is_stopped, "games"]) == {4}
        assert list(runs.games(["winner"])["stop_when"].cat.categories) == ["ci:0.45"]


def test_runs_that_have_other_columns_in_a_table_are_read_by_those_they_share(simulate, folder, tmp_path, monkeypatch):
    summary = simulate(games=3, seed=9, log="summary", out=tmp_path / "run")
    both = open_runs([folder / "a", summary.path])
    assert both.games(["plies", "winner"])["plies"].dtype == "int16"
    monkeypatch.setattr("patchstats.dataset.run.read_shard", None)
    for read in (both.games, lambda: both.batches("games")):
        with pytest.raises(
            RunError,
            match=rf"the games of {folder}/a and of {summary.path} have different columns \(actions\); "
            "name as `columns` some that are the same in both: game_index, ring_index, .*, plies",
        ):
            read()


def test_metrics_of_one_name_with_other_types_of_columns_are_not_mixed(simulate, tmp_path):
    opened = []
    for seed, columns in enumerate(
        ([("least", "int16"), ("most", "int16")], [("least", "int16"), ("most", "float64")])
    ):
        run = simulate(games=4, seed=seed, out=tmp_path / str(seed))
        write_metric(run, [Column(name, type_) for name, type_ in columns])
        opened.append(run.path)
    runs = open_runs(opened)
    for columns in (None, ["most"]):
        with pytest.raises(
            RunError, match=r"the metrics/mine of .*/0 and of .*/1 have different columns \(most\); name"
        ):
            runs.metric("mine", columns)
    assert runs.metric("mine", ["least"])["least"].dtype == "int16"
    with pytest.raises(RunError, match=r"\(most\); .* in both: game_index, least$"):
        runs.batches("metrics/mine")


def test_a_metric_with_a_column_that_is_named_as_one_of_the_specs_is_refused(simulate, tmp_path):
    run = simulate(games=2, seed=1, out=tmp_path / "run")
    write_metric(run, [Column("seed", "int16"), Column("most", "int16")])
    runs = open_runs([run.path])
    with pytest.raises(
        RunError, match=r"the metrics/mine of .*/run have columns that are named as .* \(seed\); name other"
    ):
        runs.metric("mine")
    assert list(runs.metric("mine", ["most"]).columns) == [*SPEC, "most"]


def write_metric(run, columns):
    """Write a table of a metric `mine`, with a row of zeros for each game."""
    definition = Definition("mine", "mine:Mine", None, (GAME_INDEX, *columns))
    parts = []
    for shard in run.manifest.shards:
        zeros = {column.name: [0] * shard.games for column in definition.columns}
        part, data = encode_part(zeros, run.manifest, definition, shard)
        run.store.write(shard_name(definition.table, shard.shard), data)
        parts.append(part)
    write_table(run.store, MetricTable(run.run_id, definition, SCHEMA_VERSION, tuple(parts)))


def test_what_can_be_gone_through_once_serves_every_run(runs):
    wanted = ["plies", "winner"], [("game_index", "in", [0, 1])]
    expected = runs.games(*wanted)
    assert len(expected) == 6
    assert runs.games(iter(wanted[0]), [("game_index", "in", iter([0, 1]))]).equals(expected)
    frames = runs.batches("games", iter(wanted[0]), [("game_index", "in", iter([0, 1]))])
    assert sum(map(len, frames)) == len(expected)


def test_a_place_gives_a_run_and_a_slice_gives_runs(runs):
    assert isinstance(runs[0], Run)
    assert isinstance(runs[:2], Runs)
