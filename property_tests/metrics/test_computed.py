"""Metrics computed over a finished run: the same bytes whoever does it and however often it is broken off."""

import json
import re
import shutil
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from patchstats import compute_metrics, open_run, open_runs, verify
from patchstats.columns import OF_RUNS
from patchstats.dataset.manifest import NAME
from patchstats.dataset.metric_tables import write_table
from patchstats.dataset.store import store_at
from patchstats.errors import MetricError, PatchstatsError, RunError, VerificationError
from patchstats.metrics import METRICS, make_metric
from patchstats.notation import replay_record

GAMES = 10
OWN = """
class Tokens(Metric):
    name = "tokens"
    columns = (
        Column("ply", "int16"),
        Column("where", "string", "", "", "the spaces of both tokens"),
        Column("waiting", "int8", nullable=True),
    )

    def before(self, position):
        self.rows = []

    def ply(self, ply):
        spaces = [player.space for player in ply.after.players]
        row = {"ply": len(self.rows), "where": f"{spaces}", "waiting": ply.after.waiting or None}
        self.rows.append(row)

    def after(self, position):
        return self.rows
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory, simulate):
    """Ten games in shards of 4, 4 and 2."""
    return simulate(games=GAMES, out=tmp_path_factory.mktemp("whole") / "run").path


@pytest.fixture
def run(whole, tmp_path):
    """A copy of it, for a test to add metrics to."""
    return shutil.copytree(whole, tmp_path / "run")


def part(run, name, shard):
    return run / "metrics" / name / f"part-{shard:05d}.parquet"


def tables_of(contents, run):
    return {name: data for name, data in contents(run).items() if name.startswith("metrics/")}


def written_by(monkeypatch, work):
    """The names of the files that are written meanwhile."""
    store, names = type(store_at("run")), []
    write = store.write
    with monkeypatch.context() as patch:
        patch.setattr(store, "write", lambda self, name, data: (names.append(name), write(self, name, data))[1])
        work()
    return names


def interrupting(monkeypatch, after):
    """Interrupt the writing of files when so many have been written."""
    store, left = type(store_at("run")), [after]
    write = store.write

    def write_or_stop(self, name, data):
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        write(self, name, data)

    monkeypatch.setattr(store, "write", write_or_stop)


def refusal(run, *metrics, **settings):
    with pytest.raises(PatchstatsError) as error:
        compute_metrics(run, metrics, **settings)
    return str(error.value)


def refused_as_stale(run, name):
    stale = f"{run}/metrics/{name} is not of the games that the run has now; patchstats metrics {run} --metric {name}"
    with pytest.raises(RunError, match=re.escape(stale)):
        open_run(run).metric(name)
    with pytest.raises(VerificationError, match=re.escape(stale)):
        verify(run, 0)


@pytest.mark.parametrize("name", METRICS)
def test_the_table_of_a_metric_has_the_rows_of_every_game_in_order(run, name):
    compute_metrics(run, [name])
    opened = open_run(run)
    expected = []
    for index in range(GAMES):
        expected += make_metric(name).rows(index, tuple(replay_record(opened.record(index))))
    frame = opened.metric(name)
    assert frame.to_dict("records") == expected
    assert [str(type_) for type_ in frame.dtypes] == [column.type for column in make_metric(name).columns]


def test_the_metrics_say_what_the_games_table_says(run):
    compute_metrics(run, METRICS.keys())
    opened = open_run(run)
    columns = ["game_index", "longest_streak_0", "longest_streak_1"]
    assert opened.metric("streaks", columns).equals(opened.games(columns))
    assert opened.metric("lead-changes")["lead_changes"].equals(opened.games()["lead_changes"])


def test_the_files_do_not_depend_on_the_workers_nor_on_what_is_computed_with_them(script, run, tmp_path, contents):
    script(OWN)
    asked = [*METRICS, "mine:Tokens"]
    compute_metrics(shutil.copytree(run, tmp_path / "two"), asked, workers=2)
    for metric in reversed(asked):
        compute_metrics(run, [metric])
    assert len(tables_of(contents, run)) == 5 * (3 + 1)
    assert contents(run) == contents(tmp_path / "two")


@pytest.mark.parametrize("games_at_a_time", [1, 2, 1000])
def test_the_files_do_not_depend_on_how_many_games_are_watched_at_a_time(
    run, tmp_path, contents, monkeypatch, games_at_a_time
):
    other = shutil.copytree(run, tmp_path / "other")
    compute_metrics(run, ["income-curve"])
    monkeypatch.setattr("patchstats.simulation.metrics._GAMES_AT_A_TIME", games_at_a_time)
    compute_metrics(other, ["income-curve"])
    assert contents(run) == contents(other)


def test_pieces_that_come_in_another_order_give_the_same_files(run, tmp_path, contents, monkeypatch):
    from patchstats.simulation import metrics as module

    other = shutil.copytree(run, tmp_path / "other")
    compute_metrics(run, ["holes", "income-curve"])
    watchers = module._watchers
    monkeypatch.setattr(module, "_watchers", lambda *given: (piece for piece in list(watchers(*given))[::-1]))
    compute_metrics(other, ["holes", "income-curve"])
    assert contents(run) == contents(other)


def test_the_same_again_writes_nothing(run, monkeypatch):
    tables = compute_metrics(run, ["holes", "streaks"])
    assert written_by(monkeypatch, lambda: compute_metrics(run, ["holes", "streaks"])) == []
    assert compute_metrics(run, ["streaks", "holes"]) == tables[::-1]


def test_a_metric_is_added_without_computing_the_others_again(run, monkeypatch):
    compute_metrics(run, ["holes"])
    names = written_by(monkeypatch, lambda: compute_metrics(run, ["holes", "streaks"]))
    assert [name for name in names if not name.startswith("metrics/streaks/")] == []
    assert names[-1] == "metrics/streaks/manifest.json"


def test_names_may_come_from_whatever_gives_them_one_by_one(run):
    asked = ["streaks", "holes"]
    for names in (asked, tuple(asked), dict.fromkeys(asked), iter(asked), (name for name in asked)):
        assert [table.metric.name for table in compute_metrics(run, names)] == asked


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_whoever_watches_has_ended_when_an_interruption_or_a_full_disk_is_told(run, monkeypatch, workers, error):
    from patchstats.simulation import metrics as module

    watchers, ended = module._watchers, []

    def watched(*given):
        try:
            yield from watchers(*given)
        finally:
            ended.append(given)

    def stop(*_):
        raise error

    monkeypatch.setattr(module, "_watchers", watched)
    monkeypatch.setattr(type(store_at("run")), "write", stop)
    with pytest.raises((KeyboardInterrupt, RunError)) as told:  # which keeps all that the frames hold
        compute_metrics(run, ["holes"], workers=workers)
    assert (len(ended), active_children()) == (1, []), told


@pytest.mark.parametrize("written", [0, 1, 3, 5, 6, 7])
def test_an_interrupted_computation_goes_on_where_it_was(run, tmp_path, contents, monkeypatch, written):
    other = shutil.copytree(run, tmp_path / "other")
    compute_metrics(run, ["holes", "streaks"])
    with monkeypatch.context() as patch:
        interrupting(patch, written)
        with pytest.raises(KeyboardInterrupt):
            compute_metrics(other, ["holes", "streaks"])
    there = set(tables_of(contents, other))
    assert len(there) == written
    names = written_by(monkeypatch, lambda: compute_metrics(other, ["holes", "streaks"]))
    assert there.isdisjoint(names)
    assert contents(other) == contents(run)


def test_an_interrupted_table_cannot_be_read_and_verify_says_so(run, monkeypatch):
    with monkeypatch.context() as patch:
        interrupting(patch, 2)
        with pytest.raises(KeyboardInterrupt):
            compute_metrics(run, ["holes"])
    command = f"patchstats metrics {run} --metric holes computes it"
    with pytest.raises(RunError, match=re.escape(f"{run} has no table of the metric 'holes'; {command}")):
        open_run(run).metric("holes")
    with pytest.raises(VerificationError, match=re.escape(f"{run}/metrics/holes is not finished; {command}")):
        verify(run, 0)


def test_when_the_run_was_extended_the_table_is_refused_until_what_is_new_has_been_computed(
    run, simulate, tmp_path, contents, monkeypatch
):
    compute_metrics(run, ["holes"])
    simulate(games=15, out=run)
    refused_as_stale(run, "holes")
    names = written_by(monkeypatch, lambda: compute_metrics(run, ["holes"]))
    assert names == [
        "metrics/holes/part-00002.parquet",
        "metrics/holes/part-00003.parquet",
        "metrics/holes/manifest.json",
    ]
    assert len(open_run(run).metric("holes")) == 15
    simulate(games=15, out=tmp_path / "fresh")
    compute_metrics(tmp_path / "fresh", ["holes"])
    assert tables_of(contents, run) == tables_of(contents, tmp_path / "fresh")
    verify(run, 0)


def test_tables_that_were_copied_beside_another_run_are_refused_until_they_have_been_computed(
    run, simulate, tmp_path, contents
):
    compute_metrics(run, ["holes"])
    right = contents(run)
    other = simulate(games=GAMES, seed=6, out=tmp_path / "other").path
    compute_metrics(other, ["holes"])
    shutil.rmtree(run / "metrics")
    shutil.copytree(other / "metrics", run / "metrics")
    refused_as_stale(run, "holes")
    compute_metrics(run, ["holes"])
    assert contents(run) == right


def test_a_table_that_names_another_run_is_refused_though_its_games_are_the_same(run, contents):
    [table] = compute_metrics(run, ["holes"])
    right = contents(run)
    write_table(store_at(run), replace(table, run_id="0" * 16))
    refused_as_stale(run, "holes")
    compute_metrics(run, ["holes"])
    assert contents(run) == right


@pytest.mark.parametrize("damage", ["flip", "cut", "missing", "another"])
def test_a_damaged_file_is_named_by_verify_with_the_command_that_mends_it(run, contents, damage):
    compute_metrics(run, ["holes"])
    right = contents(run)
    path = part(run, "holes", 1)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    spoil = {
        "flip": lambda: path.write_bytes(data),
        "cut": lambda: path.write_bytes(data[:100]),
        "missing": path.unlink,
        "another": lambda: shutil.copy(part(run, "holes", 0), path),
    }
    spoil[damage]()
    with pytest.raises(VerificationError) as error:
        verify(run, 0)
    [finding] = str(error.value).splitlines()
    assert finding.startswith(str(path))
    assert finding.endswith(f"; patchstats metrics {run} --metric holes computes it")
    compute_metrics(run, ["holes"])
    assert contents(run) == right
    verify(run, 0)


@pytest.mark.parametrize(
    "name",
    [
        "notes.txt",
        "holes/notes.txt",
        "holes/part-00009.parquet",
        "holes/old/part-00000.parquet",
        "holes/old/manifest.json",
        "old/holes/part-00000.parquet",
        "old/notes.txt",
        "old/part-00003.parquet",
    ],
)
def test_a_file_that_is_no_part_of_a_table_is_named_by_verify(run, name):
    compute_metrics(run, ["holes", "streaks"])
    path = run / "metrics" / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(part(run, "holes", 0).read_bytes())
    with pytest.raises(VerificationError) as error:
        verify(run, 0)
    assert str(error.value) == f"{path} is no part of this table; remove it"
    path.unlink()
    verify(run, 0)


def test_the_parts_of_a_table_that_is_being_brought_up_to_date_are_not_to_be_removed(run, simulate, monkeypatch):
    compute_metrics(run, ["holes"])
    simulate(games=15, out=run)
    with monkeypatch.context() as patch:
        interrupting(patch, 2)
        with pytest.raises(KeyboardInterrupt):
            compute_metrics(run, ["holes"])
    assert part(run, "holes", 3).exists()
    with pytest.raises(VerificationError) as error:
        verify(run, 0)
    [finding] = str(error.value).splitlines()
    assert finding.endswith("--metric holes computes it")


def test_a_damaged_manifest_is_named_and_mended(run, contents):
    compute_metrics(run, ["holes"])
    right = contents(run)
    path = run / "metrics" / "holes" / NAME
    values = json.loads(path.read_text())
    values["parts"][0]["file"]["rows"] = 7
    path.write_text(json.dumps(values))
    message = re.escape(f"{path} is damaged (it is not what its checksum is of); patchstats metrics {run} ")
    with pytest.raises(RunError, match=message):
        open_run(run).metric("holes")
    with pytest.raises(VerificationError, match=message):
        verify(run, 0)
    compute_metrics(run, ["holes"])
    assert contents(run) == right


def test_a_file_that_is_missing_when_it_is_read_is_named(run):
    compute_metrics(run, ["holes"])
    part(run, "holes", 2).unlink()
    with pytest.raises(
        RunError, match=r"part-00002.parquet is missing; the metrics command of this run writes it again"
    ):
        open_run(run).metric("holes")


def test_a_part_says_of_which_metric_and_of_which_games_it_is(script, run):
    script(OWN)
    [table] = compute_metrics(run, ["mine:Tokens"])
    manifest = open_run(run).manifest
    for shard in range(3):
        found = json.loads(pq.read_schema(part(run, "tokens", shard)).metadata[b"patchstats"])
        assert found["run_id"] == manifest.run_id == table.run_id
        assert found["metric"] == {"name": "tokens", "spec": "mine:Tokens", "sha256": table.metric.sha256}
        assert found["source"] == manifest.shards[shard].files["games"].sha256


# Another metric of the same name


def test_a_changed_module_is_refused_where_the_table_of_the_old_one_lies(script, run, contents):
    script(OWN)
    [old] = compute_metrics(run, ["mine:Tokens"])
    there = contents(run)
    script(f"{OWN}# changed\n")
    new = make_metric("mine:Tokens").sha256
    assert refusal(run, "mine:Tokens") == (
        f"{run}/metrics/tokens holds another metric (sha256: {old.metric.sha256!r} there, {new!r} asked for); "
        "--again replaces it"
    )
    assert contents(run) == there


def test_another_class_of_the_same_name_is_refused_and_replaces_the_first_on_demand(script, run, contents, tmp_path):
    other = shutil.copytree(run, tmp_path / "other")
    script(OWN + OWN.replace("Tokens", "Others").replace("spaces}", "spaces}!"))
    compute_metrics(run, ["mine:Tokens"])
    assert "(spec: 'mine:Tokens' there, 'mine:Others' asked for)" in refusal(run, "mine:Others")
    (run / "metrics" / "tokens" / "part-00009.parquet").write_bytes(b"left over")
    compute_metrics(run, ["mine:Others"], again=True)
    compute_metrics(other, ["mine:Others"])
    assert contents(run) == contents(other)


def test_an_interrupted_replacement_leaves_no_table_of_both(script, run, monkeypatch, contents, tmp_path):
    other = shutil.copytree(run, tmp_path / "other")
    script(OWN)
    compute_metrics(run, ["mine:Tokens"])
    script(f"{OWN}# changed\n")
    with monkeypatch.context() as patch:
        interrupting(patch, 1)
        with pytest.raises(KeyboardInterrupt):
            compute_metrics(run, ["mine:Tokens"], again=True)
    with pytest.raises(RunError, match="has no table of the metric 'tokens'; patchstats metrics"):
        open_run(run).metric("tokens")
    compute_metrics(run, ["mine:Tokens"])
    compute_metrics(other, ["mine:Tokens"])
    assert contents(run) == contents(other)


def test_again_computes_everything_again(run, monkeypatch):
    compute_metrics(run, ["holes"])
    assert len(written_by(monkeypatch, lambda: compute_metrics(run, ["holes"], again=True))) == 4


def test_a_failing_replacement_leaves_the_table_that_is_there(script, run, contents):
    script(OWN)
    compute_metrics(run, ["mine:Tokens"])
    there = contents(run)
    script(OWN.replace("return self.rows", "return 7"))
    assert "after must return a row" in refusal(run, "mine:Tokens", again=True)
    assert contents(run) == there


# What is refused


@pytest.mark.parametrize("workers", [1, 2])
def test_a_metric_that_fails_leaves_nothing_behind(script, run, contents, workers):
    script(OWN.replace("self.rows.append(row)", "self.rows[len(self.rows)]"))
    there = contents(run)
    message = refusal(run, "mine:Tokens", workers=workers)
    assert message.startswith("metric 'mine:Tokens' failed: game ")
    assert ", ply 0: IndexError: list index out of range (" in message
    assert contents(run) == there


def test_a_metric_that_fails_later_keeps_the_shards_before(script, run):
    eight_times = OWN.replace("return self.rows", "return self.rows if next(games) < 8 else 7")
    script(f"games = iter(range({GAMES}))\n{eight_times}")
    assert refusal(run, "mine:Tokens").startswith("metric 'mine:Tokens': game 8: after must return a row")
    assert sorted(path.name for path in (run / "metrics" / "tokens").iterdir()) == [
        "part-00000.parquet",
        "part-00001.parquet",
    ]


def test_a_run_without_action_logs_is_refused(simulate, tmp_path):
    simulate(games=2, log="summary", out=tmp_path / "run")
    expected = f"{tmp_path / 'run'} was simulated with --log summary; metrics are computed from action logs"
    assert refusal(tmp_path / "run", "holes") == expected


def test_a_directory_without_a_run_is_refused(tmp_path):
    assert refusal(tmp_path, "holes").startswith(f"{tmp_path} is no run")


def test_a_damaged_shard_of_games_is_refused_with_what_mends_it(run):
    path = run / "games" / "part-00001.parquet"
    shutil.copy(run / "games" / "part-00000.parquet", path)
    mended = "the simulate command of this run writes it again"
    assert refusal(run, "holes") == f"{path}: its sha256 is not that in the manifest; {mended}"
    path.unlink()
    assert refusal(run, "holes").startswith(f"{path} cannot be read: No such file")
    assert refusal(run, "holes").endswith(mended)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"metrics": "holes"}, "metrics must be a list of one name or more, not 'holes'"),
        ({"metrics": []}, "metrics must be a list of one name or more, not []"),
        ({"metrics": iter([])}, "metrics must be a list of one name or more, not []"),
        ({"metrics": [7]}, "metrics must be a list of one name or more, not [7]"),
        ({"metrics": 3}, "metrics must be a list of one name or more, not 3"),
        ({"metrics": None}, "metrics must be a list of one name or more, not None"),
        ({"metrics": b"holes"}, "metrics must be a list of one name or more, not [104, "),
        ({"metrics": ["holes", "streaks", "holes"]}, "holes is given twice"),
        ({"metrics": ["holes"], "workers": 0}, "workers must be a whole number from 1 on, not 0"),
        ({"metrics": ["holes"], "workers": True}, "workers must be a whole number from 1 on, not True"),
        ({"metrics": ["holes"], "progress": "loud"}, "progress 'loud' is none of"),
    ],
)
def test_settings_that_cannot_be_are_refused(run, contents, settings, reason):
    there = contents(run)
    with pytest.raises(RunError, match=re.escape(reason)):
        compute_metrics(run, **settings)
    assert contents(run) == there


def test_two_classes_of_the_same_name_are_refused(script, run):
    script(OWN + OWN.replace("Tokens", "Others"))
    assert refusal(run, "mine:Tokens", "mine:Others") == "mine:Tokens and mine:Others are both named 'tokens'"


def test_a_full_disk_is_told_and_what_was_finished_is_kept(run, monkeypatch, contents, tmp_path):
    other = shutil.copytree(run, tmp_path / "other")
    store, left = type(store_at("run")), [2]
    write = store.write

    def fill(self, name, data):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device", self.where(name))
        write(self, name, data)

    with monkeypatch.context() as patch:
        patch.setattr(store, "write", fill)
        message = refusal(run, "holes")
    assert message.startswith(f"{part(run, 'holes', 2)} cannot be written: No space left on device; ")
    assert len(tables_of(contents, run)) == 2
    compute_metrics(run, ["holes"])
    compute_metrics(other, ["holes"])
    assert contents(run) == contents(other)


# Reading


def test_some_columns_and_rows_of_a_table_can_be_read(run):
    compute_metrics(run, ["income-curve"])
    opened = open_run(run)
    whole = opened.metric("income-curve")
    some = opened.metric("income-curve", ["mark", "income"], [("seat", "==", 1), ("mark", "in", [5, 11])])
    expected = whole[(whole["seat"] == 1) & whole["mark"].isin([5, 11])][["mark", "income"]]
    assert some.equals(expected.reset_index(drop=True))
    assert [len(frame) for frame in opened.batches("metrics/income-curve", ["mark"])] == [
        int(whole["game_index"].between(first, first + 3).sum()) for first in (0, 4, 8)
    ]


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"name": "hole"}, "has no table of the metric 'hole'; patchstats metrics "),
        ({"name": "holes", "columns": ["hole"]}, "no column 'hole'; there are game_index, holes_0"),
        ({"name": "holes", "columns": []}, "columns is empty"),
        ({"name": "holes", "filters": [("hole", "==", 1)]}, "no column 'hole'"),
        ({"name": "holes", "filters": [("holes_0", "==", "one")]}, "cannot be used"),
    ],
)
def test_what_is_not_there_cannot_be_read(run, asked, reason):
    compute_metrics(run, ["holes"])
    with pytest.raises(RunError, match=re.escape(reason)):
        open_run(run).metric(**asked)


def test_columns_of_ones_own_are_read_as_they_are_whatever_their_names(script, run):
    script(
        """
        class Plain(Metric):
            name = "plain"
            columns = (
                Column("patch", "string"), Column("kind", "int8"), Column("agent_0", "bool", nullable=True),
                Column("value", "int64", nullable=True), Column("share", "float64"), Column("data", "binary"),
            )

            def after(self, position):
                some = {"patch": "p21", "kind": 9, "agent_0": True, "value": 2**60 + 1, "share": 1, "data": b"x"}
                return [some, {**some, "agent_0": None, "value": None}]
        """
    )
    compute_metrics(run, ["mine:Plain"])
    frame = open_run(run).metric("plain", filters=[("patch", "==", "p21"), ("kind", "==", 9)])
    assert len(frame) == 2 * GAMES
    assert str(frame.dtypes["value"]) == "Int64"
    first, second = frame.head(2).to_dict("records")
    assert (first["patch"], first["kind"], first["agent_0"], first["value"]) == ("p21", 9, True, 2**60 + 1)
    assert (first["share"], first["data"]) == (1.0, b"x")
    assert frame[["agent_0", "value"]].isna().iloc[1].all()
    assert second["patch"] == "p21"


def test_a_metric_without_any_row_has_an_empty_table(script, run):
    script(OWN.replace("return self.rows", "return []"))
    compute_metrics(run, ["mine:Tokens"])
    assert open_run(run).metric("tokens").empty
    assert list(open_run(run).metric("tokens")) == ["game_index", "ply", "where", "waiting"]
    verify(run, 0)


def test_the_tables_of_several_runs_are_read_into_one_frame(run, simulate, tmp_path):
    simulate(games=2, seed=6, out=tmp_path / "second")
    for path in (run, tmp_path / "second"):
        compute_metrics(path, ["holes"])
    frame = open_runs([run, tmp_path / "second"]).metric("holes", ["holes_0"])
    assert list(frame["seed"]) == [5] * GAMES + [6] * 2
    *before, last = frame
    assert last == "holes_0"
    assert set(before) <= set(OF_RUNS)


# On the command line


def test_the_command_prints_the_directories_of_the_tables(script, run, run_command):
    script(OWN)
    answer = run_command("metrics", run, "--metric", "holes", "--metric", "mine:Tokens", "--workers", "1")
    assert (answer.status, answer.out) == (0, f"{run}/metrics/holes\n{run}/metrics/tokens\n")
    assert answer.err.splitlines()[-1].startswith("metrics: 10 of 10 games, ")
    again = run_command("metrics", run, "--metric", "holes", "--progress", "off", "--json")
    assert json.loads(again.out) == [
        {"metric": "holes", "table": f"{run}/metrics/holes", "rows": GAMES, "sha256": None}
    ]
    assert again.err == ""


def test_the_command_without_a_run_lists_the_shipped_metrics(run_command):
    answer = run_command("metrics")
    assert answer.status == 0
    assert [line for line in answer.out.splitlines() if not line.startswith("    ")] == list(METRICS)
    assert list(json.loads(run_command("metrics", "--json").out)) == list(METRICS)


def test_an_interrupted_command_says_how_to_go_on(run, run_command, monkeypatch):
    interrupting(monkeypatch, 1)
    answer = run_command("metrics", run, "--metric", "holes", "--workers", "1", "--progress", "off")
    assert (answer.status, answer.out) == (130, "")
    assert answer.err.strip() == (
        "patchstats: interrupted; what was finished is kept, and the same command goes on from there"
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["RUN"], "name a metric of the run with --metric"),
        (["--metric", "holes"], "--metric needs the RUN"),
        (["RUN", "--metric", "holes", "--metric", "holes"], "holes is given twice"),
        (["RUN", "--metric", "hole"], "metric 'hole' is unknown; did you mean holes?"),
        (["RUN", "--metric", "mine:Tokens"], "module mine cannot be imported: No module named 'mine'"),
        (["nowhere", "--metric", "holes"], "nowhere is no run"),
        (["RUN", "--metric", "holes", "--workers", "0"], "workers must be a whole number from 1 on"),
        (["", "--metric", "holes"], "an empty text is no path"),
    ],
)
def test_bad_input_is_told_in_a_line(run, run_command, contents, monkeypatch, tmp_path, arguments, reason):
    monkeypatch.chdir(tmp_path)
    there = contents(tmp_path)
    answer = run_command("metrics", *(run if argument == "RUN" else argument for argument in arguments))
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert reason in answer.err
    assert contents(tmp_path) == there


def test_a_changed_module_is_noticed_by_a_worker(script, run):
    from patchstats.simulation import metrics as module

    script(OWN)
    module._kept.cache_clear()
    with pytest.raises(MetricError, match="its module was changed while it was computed"):
        module._kept(open_run(run).ruleset, (("mine:Tokens", "0" * 64),))


def test_the_run_goes_on_and_is_verified_with_metrics_beside_it(run, simulate):
    compute_metrics(run, ["holes"])
    simulate(games=GAMES, out=run)
    assert verify(run) == GAMES
    (run / "games" / "part-00001.parquet").unlink()
    simulate(games=GAMES, out=run)
    assert len(open_run(Path(run)).metric("holes")) == GAMES
