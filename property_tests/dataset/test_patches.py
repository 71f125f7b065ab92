"""The table of patches, which is computed from rings and action logs: the turns tell the same."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.dataset.patches import NEEDED, patches_of
from patchstats.dataset.schema import PATCHES
from patchstats.dataset.shards import arrow_schema, read_shard, shard_name
from patchstats.errors import RunError
from patchstats.testing import rulesets

AGENTS = st.sampled_from(["random", "random-patch"])
BOUGHT = ["seat", "ply", "slot", "space"]


def patches_from_turns(run):
    """The table of patches, from the rings of the games and the purchases among the turns."""
    names = [patch.id for patch in run.ruleset.patches]
    games, turns = run.games(["game_index", "ring"]), run.turns()
    bought = turns[turns["kind"] == "buy"].rename(columns={"time_before": "space"})
    laid = pd.DataFrame(
        [
            (game, names[number - 1], place)
            for game, ring in games.itertuples(index=False)
            for place, number in enumerate(ring)
        ],
        columns=["game_index", "patch", "place"],
    )
    table = laid.merge(bought[["game_index", "patch", *BOUGHT]].astype({"patch": object}), "left")
    table["patch"] = pd.Categorical(table["patch"], names)
    table[BOUGHT] = table[BOUGHT].fillna(-1)
    types = {column.name: column.type for column in PATCHES if column.name != "patch"}
    return table.sort_values(["game_index", "patch"], ignore_index=True).astype(types)


@pytest.fixture(scope="module")
def run(simulate, tmp_path_factory):
    """A run of 30 games in three shards."""
    settings = {"agents": ("random", "random-patch"), "log": "turns"}
    return simulate(games=30, games_per_shard=12, seed=1, out=tmp_path_factory.mktemp("runs") / "run", **settings)


@pytest.mark.parametrize("ruleset", ["original", "revised"])
@pytest.mark.parametrize("pairing", ["none", "mirrored", "rings:3"])
def test_the_turns_tell_the_same_of_every_patch_by_the_shipped_rulesets(simulate, tmp_path, ruleset, pairing):
    settings = {"agents": ("random", "random-patch"), "log": "turns", "pairing": pairing}
    run = simulate(games=42, games_per_shard=12, seed=4, ruleset=ruleset, out=tmp_path / "run", **settings)
    pd.testing.assert_frame_equal(run.patches(), patches_from_turns(run), check_categorical=True)


@given(
    ruleset=rulesets(shipped=False), agents=st.tuples(AGENTS, AGENTS), games=st.integers(1, 7), seed=st.integers(0, 99)
)
def test_the_turns_tell_the_same_of_every_patch_by_any_ruleset(
    simulate, tmp_path_factory, ruleset, agents, games, seed
):
    out = tmp_path_factory.mktemp("run") / "run"
    run = simulate(games=games, seed=seed, ruleset=ruleset, agents=agents, log="turns", engine="reference", out=out)
    pd.testing.assert_frame_equal(run.patches(), patches_from_turns(run))


def test_every_game_has_every_patch_once_in_the_order_of_the_ruleset(run):
    patches = run.patches()
    assert list(patches["game_index"]) == list(np.repeat(range(30), 33))
    assert list(patches["patch"]) == [patch.id for patch in run.ruleset.patches] * 30


def test_the_place_of_a_patch_is_where_the_ring_has_it(run):
    places = run.patches().sort_values(["game_index", "place"])["patch"].to_numpy().reshape(30, 33)
    names = np.array([patch.id for patch in run.ruleset.patches])
    assert [list(row) for row in places] == [list(names[np.frombuffer(ring, "u1") - 1]) for ring in run.games()["ring"]]


def test_a_patch_that_nobody_bought_has_no_seat_and_nothing_else_of_a_purchase(run):
    patches = run.patches()
    nobody = patches["seat"] == -1
    assert (patches.loc[nobody, BOUGHT] == -1).all(axis=None)
    assert (patches.loc[~nobody, BOUGHT] >= 0).all(axis=None)
    games = run.games()
    counts = patches[~nobody].groupby(["game_index", "seat"]).size().unstack(fill_value=0)
    assert counts.to_numpy().tolist() == games[["patches_0", "patches_1"]].to_numpy().tolist()
    assert nobody.any()


def test_the_patches_of_a_summary_are_refused(simulate, tmp_path):
    run = simulate(games=1, seed=1, log="summary", out=tmp_path / "run")
    for ask in (run.patches, lambda: run.batches("patches")):
        with pytest.raises(RunError, match="was simulated with --log summary; patches are computed from action logs"):
            ask()


def test_no_games_have_no_patches(run):
    games = read_shard(run.store, shard_name("games", 0)).select(NEEDED)
    in_no_chunks = pa.table([pa.chunked_array([], field.type) for field in games.schema], NEEDED)
    for nothing in (games.slice(0, 0), games.schema.empty_table(), in_no_chunks):
        table = patches_of(run.ruleset, nothing)
        assert table.num_rows == 0
        assert table.schema.equals(arrow_schema(PATCHES, {}))


def test_some_games_out_of_a_table_have_the_same_patches_as_within_it(run):
    games = read_shard(run.store, shard_name("games", 1)).select(NEEDED)
    assert patches_of(run.ruleset, games.slice(5, 4)).equals(patches_of(run.ruleset, games).slice(5 * 33, 4 * 33))
