"""Several runs, read into one frame."""

import pandas as pd
import pytest

from patchstats import open_run, open_runs
from patchstats.dataset.manifest import NAME
from patchstats.dataset.schema import GAMES
from patchstats.dataset.store import store_at
from patchstats.errors import RunError
from patchstats.rules import Ruleset

SPEC = ["run", "run_id", "ruleset", "ruleset_id", "agents", "pairing", "seed"]
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
    assert all(isinstance(frame[name].dtype, pd.CategoricalDtype) for name in SPEC[:-1])


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
        RunError, match=rf"{folder}/a and {more.path} hold the same games \(run {more.run_id}\); give one"
    ):
        open_runs([folder / "b", folder / "a", more.path])
    with pytest.raises(RunError, match="hold the same games"):
        open_runs([folder / "a", folder / "*"])
