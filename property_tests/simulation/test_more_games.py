"""A run grows to the bytes of one that had all its games at once."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from patchstats import verify
from patchstats.dataset.manifest import NAME, read_manifest
from patchstats.dataset.schema import LOG_LEVELS
from patchstats.dataset.store import store_at
from patchstats.errors import RunError


class Interrupted(BaseException):
    """As Ctrl-C ends a run, but for the test session, which goes on when a test lets it through."""


@pytest.mark.parametrize("log", LOG_LEVELS)
@pytest.mark.parametrize("steps", [[7], [3], [10], [1, 2, 16]], ids=str)
def test_a_run_grows_to_the_bytes_of_one_that_had_all_games_at_once(
    tmp_path, run, simulate, contents, settings_of_run, log, steps
):
    simulate(**{**settings_of_run, "log": log}, out=tmp_path / "fresh")
    for games in [*steps, settings_of_run["games"]]:
        frame = run(games=games, log=log).games()
        assert len(frame) == games
    assert contents(run.folder) == contents(tmp_path / "fresh")


def test_growing_leaves_whole_shards_alone_and_replaces_a_partial_one(run, times):
    run(games=10)
    before = times(run.folder)
    run()
    after = times(run.folder)
    for table in ("games", "turns"):
        whole, partial = (run.folder / table / f"part-0000{shard}.parquet" for shard in (0, 1))
        assert after[whole] == before[whole]
        assert after[partial] != before[partial]


def test_a_run_keeps_its_id_while_it_grows_and_no_other_run_has_it(run, tmp_path):
    ids = [run(games=games).run_id for games in (3, 17)]
    assert json.loads((run.folder / NAME).read_text(encoding="utf-8"))["run_id"] == ids[0] == ids[1]
    changes = [
        {"seed": 5},
        {"log": "games"},
        {"ruleset": "original"},
        {"agents": ("random", "random")},
        {"pairing": "mirrored"},
        {"stop_when": "ci:0.9"},
        {"games_per_shard": 8},
    ]
    for number, change in enumerate(changes):
        ids.append(run(**{"games": 4, "games_per_shard": 4, **change}, out=tmp_path / str(number)).run_id)
    assert len(set(ids)) == 1 + len(changes)


@pytest.mark.parametrize("games", [0, 5, 7])
def test_a_run_broken_off_while_it_grew_goes_on_to_the_same_bytes(run, undisturbed, contents, plays_before, games):
    run(games=10)
    mend = plays_before(games, Interrupted())
    with pytest.raises(Interrupted):
        run(engine="reference")
    still = read_manifest(store_at(run.folder))
    assert (still.spec["games"], still.finished) == (10, True)
    mend()
    run()
    assert contents(run.folder) == undisturbed


def test_a_run_broken_off_while_it_grew_can_be_had_as_it_was(run, contents, plays_before):
    run(games=10)
    before = contents(run.folder)
    mend = plays_before(5, Interrupted())
    with pytest.raises(Interrupted):
        run(engine="reference")
    mend()
    assert set(contents(run.folder)) > set(before)
    run(games=10)
    assert contents(run.folder) == before
    assert verify(run.folder) == 10


@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_run_reached_by_any_way_has_the_same_bytes(
    tmp_path_factory, simulate, contents, undisturbed, settings_of_run, data
):
    folder = tmp_path_factory.mktemp("ways") / "run"
    grown = 0
    for _ in range(data.draw(st.integers(1, 3), label="steps")):
        grown = data.draw(st.integers(max(grown, 1), settings_of_run["games"]), label="games")
        simulate(**{**settings_of_run, "games": grown}, out=folder)
        names = sorted(contents(folder))
        for name in data.draw(st.lists(st.sampled_from(names), unique=True, max_size=3), label="deleted"):
            (folder / name).unlink()
        for name in data.draw(st.lists(st.sampled_from(names), unique=True, max_size=2), label="cut"):
            if (folder / name).exists():
                (folder / name).write_bytes((folder / name).read_bytes()[:-50])
    simulate(**settings_of_run, out=folder)
    assert contents(folder) == undisturbed


def test_fewer_games_are_refused_and_nothing_is_changed(run, times):
    run()
    before = times(run.folder)
    with pytest.raises(RunError, match=f"{run.folder} is a run of 17 games, more than 16; ask for 17 games or more"):
        run(games=16)
    assert times(run.folder) == before
