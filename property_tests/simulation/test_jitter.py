"""Prices that change from game to game: drawn as documented, played with by both engines, and known to all readers."""

import itertools
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from patchstats import compute_metrics, open_run, open_runs, verify
from patchstats.agents import make_agent
from patchstats.dataset.jitter import JITTERS, draw_steps, jitter_of, ruleset_of
from patchstats.dataset.schema import LOG_LEVELS
from patchstats.errors import AgentError, RunError
from patchstats.notation import format_record, parse_record, replay_record
from patchstats.rules import Ruleset
from patchstats.simulation import compiled
from patchstats.simulation.game import play_game, ring_of
from patchstats.simulation.spec import RunSpec
from patchstats.streams import JITTER, SEATS, SETUP, Stream

ORIGINAL = Ruleset.load("original")
ALL = "cost+time+income"
SHIPPED = pytest.mark.parametrize("ruleset", ["original", "revised"])
#: Numbers at both bounds, and beside them.
AT_BOUNDS = ORIGINAL.with_changes(
    {
        "patches.p01.cost": 0,
        "patches.p02.cost": 1000,
        "patches.p03.cost": 1,
        "patches.p01.time": 1,
        "patches.p02.time": 255,
        "patches.p03.time": 2,
        "patches.p01.income": 0,
        "patches.p02.income": 1000,
        "patches.p03.income": 999,
    }
)


def steps_of(ruleset, jitter, seed, rings):
    """The steps of many rings, a row each."""
    return np.array([np.frombuffer(draw_steps(ruleset, jitter, seed, ring), np.int8) for ring in rings])


@pytest.fixture(scope="module")
def run(tmp_path_factory, simulate):
    """Fourteen mirrored games of which all prices change."""
    asked = {"games": 14, "seed": 3, "agents": ("greedy", "random"), "pairing": "mirrored", "log": "offers"}
    return simulate(**asked, jitter=ALL, games_per_shard=4, out=tmp_path_factory.mktemp("jitter") / "run")


@SHIPPED
@pytest.mark.parametrize("seed", [1, 2])
def test_every_step_that_leaves_a_legal_number_is_equally_likely(ruleset, seed):
    ruleset, rings = Ruleset.load(ruleset), 1500
    numbers = [getattr(patch, key) for key in ALL.split("+") for patch in ruleset.patches]
    least = [least for least in (0, 1, 0) for _ in ruleset.patches]
    found, degrees = 0.0, 0
    for column, number, lowest in zip(steps_of(ruleset, ALL, seed, range(rings)).T, numbers, least, strict=True):
        legal = [step for step in (-1, 0, 1) if number + step >= lowest]
        counts = Counter(column.tolist())
        assert sorted(counts) == legal
        found += sum((counts[step] - rings / len(legal)) ** 2 / (rings / len(legal)) for step in legal)
        degrees += len(legal) - 1
    assert 0.001 < chi2.sf(found, degrees) < 0.999


def test_steps_do_not_depend_on_each_other():
    steps = steps_of(ORIGINAL, ALL, 5, range(2000))
    correlations = np.corrcoef(steps.T)[np.triu_indices(steps.shape[1], 1)]
    found = (correlations**2).sum() * len(steps)
    assert 0.001 < chi2.sf(found, len(correlations)) < 0.999
    steps = steps - steps.mean(axis=0)
    rings = np.corrcoef(steps[:-1].reshape(-1), steps[1:].reshape(-1))[0, 1]
    assert abs(rings) < 4 / np.sqrt(steps[1:].size)


@pytest.mark.parametrize("jitter", JITTERS)
def test_numbers_at_their_bounds_stay_within_them(jitter):
    legal = {"cost": ({0, 1}, {-1, 0}), "time": ({0, 1}, {-1, 0}), "income": ({0, 1}, {-1, 0})}
    steps = steps_of(AT_BOUNDS, jitter, 1, range(100))
    for number, key in enumerate(jitter.split("+")):
        lowest, greatest, between = (set(steps[:, 33 * number + place].tolist()) for place in range(3))
        assert (lowest, greatest, between) == (*legal[key], {-1, 0, 1})
    for row in steps:
        assert ruleset_of(AT_BOUNDS, jitter, row.tobytes()).patches != AT_BOUNDS.patches


def test_steps_are_drawn_key_by_key_and_patch_by_patch_from_a_stream_of_their_own():
    assert JITTER not in (SETUP, *SEATS)
    stream = Stream(7, JITTER, 11)
    expected = []
    for key, least in (("cost", 0), ("time", 1), ("income", 0)):
        for patch in ORIGINAL.patches:
            lowest = 0 if getattr(patch, key) == least else -1
            expected.append(lowest + stream.below(2 - lowest))
    assert steps_of(ORIGINAL, ALL, 7, [11])[0].tolist() == expected
    assert draw_steps(ORIGINAL, "cost", 7, 11) == draw_steps(ORIGINAL, "cost+income", 7, 11)[:33]
    assert draw_steps(ORIGINAL, "", 7, 11) == b""


def test_a_game_is_played_by_its_own_ruleset():
    steps = draw_steps(ORIGINAL, ALL, 3, 5)
    ruleset = ruleset_of(ORIGINAL, ALL, steps)
    agents = make_agent("random", ORIGINAL), make_agent("greedy", ORIGINAL)
    game = play_game(ORIGINAL, agents, 3, 9, 5, ALL)
    assert (game.jitter, game.end.ruleset) == (steps, ruleset)
    signed = iter(np.frombuffer(steps, np.int8).tolist())
    for key in ALL.split("+"):
        for patch in ORIGINAL.patches:
            assert getattr(ruleset[patch.id], key) == getattr(patch, key) + next(signed)
    assert game.ring == ring_of(ORIGINAL, 3, 5)
    assert replace(ruleset, patches=ORIGINAL.patches, name="original") == ORIGINAL


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        (bytes(32), "its jitter has 32 steps, and 33 numbers of patches are changed"),
        (b"", "its jitter has 0 steps"),
        (bytes(66), "its jitter has 66 steps"),
        (bytes([2] + [0] * 32), "its jitter changes the cost of p01, 2, by 2"),
        (bytes([0] * 20 + [255] + [0] * 12), "its jitter changes the cost of p21, 0, by -1"),
    ],
)
def test_what_are_no_steps_of_a_ruleset_is_refused(steps, reason):
    with pytest.raises(RunError, match=reason):
        ruleset_of(ORIGINAL, "cost", steps)


@SHIPPED
@pytest.mark.parametrize("pairing", ["none", "mirrored"])
@pytest.mark.parametrize(
    ("agents", "jitter"),
    [
        (("random", "random-patch"), "cost"),
        (("greedy", "random"), ALL),
        (("puct:iterations=10", "greedy"), "cost+time"),
    ],
)
def test_both_engines_write_the_same_files_with_any_number_of_workers(
    tmp_path, simulate, contents, ruleset, pairing, agents, jitter
):
    asked = {"games": 6, "seed": 8, "agents": agents, "ruleset": ruleset, "pairing": pairing, "log": "offers"}
    simulate(**asked, jitter=jitter, games_per_shard=2, engine="reference", out=tmp_path / "reference")
    expected = contents(tmp_path / "reference")
    assert len(expected) == 1 + 3 * 3
    for workers in (1, 2):
        simulate(
            **asked, jitter=jitter, games_per_shard=2, engine="kernel", workers=workers, out=tmp_path / f"{workers}"
        )
        assert contents(tmp_path / f"{workers}") == expected


@pytest.mark.parametrize(("pairing", "on_a_ring"), [("none", 1), ("mirrored", 2), ("rings:4", 4)])
def test_games_on_a_ring_have_the_same_prices_and_others_have_others(tmp_path, simulate, pairing, on_a_ring):
    asked = {"games": 12, "seed": 1, "pairing": pairing, "games_per_shard": 4, "jitter": "time"}
    games = simulate(**asked, out=tmp_path / "run").games()
    for index, steps in zip(games["game_index"], games["jitter"], strict=True):
        assert steps == draw_steps(ORIGINAL, "time", 1, index // on_a_ring)
    assert games["jitter"].nunique() == 12 // on_a_ring


def test_prices_do_not_depend_on_agents_or_how_many_games_there_are_and_rings_not_on_prices(tmp_path, simulate, run):
    other = simulate(games=6, seed=3, jitter=ALL, pairing="mirrored", games_per_shard=2, out=tmp_path / "other")
    plain = simulate(games=6, seed=3, pairing="mirrored", games_per_shard=2, out=tmp_path / "plain")
    assert run.jitter().head(6).equals(other.jitter())
    assert run.games()["ring"].head(6).tolist() == other.games()["ring"].tolist() == plain.games()["ring"].tolist()
    assert list(plain.games().columns) == [column.name for column in LOG_LEVELS["games"]["games"]]
    assert list(other.games().columns) == [*plain.games().columns, "jitter"]


def test_what_is_paid_moved_and_earned_is_of_the_changed_prices(run):
    steps, turns = run.jitter(), run.turns()
    bought = turns[turns["kind"] == "buy"]
    assert len(bought) > 150
    for row in bought.itertuples():
        patch, changes = ORIGINAL[row.patch], steps.loc[row.game_index]
        assert row.cost == patch.cost + changes[f"{row.patch}.cost"]
        assert row.time_after == min(row.time_before + patch.time + changes[f"{row.patch}.time"], ORIGINAL.finish)
    income = run.games(["income_0", "income_1"])
    for seat in (0, 1):
        mine = bought[bought["seat"] == seat]
        each = [
            ORIGINAL[row.patch].income + steps.loc[row.game_index, f"{row.patch}.income"] for row in mine.itertuples()
        ]
        assert (
            mine.assign(income=each).groupby("game_index")["income"].sum().tolist() == income[f"income_{seat}"].tolist()
        )


def test_what_can_be_paid_is_asked_of_the_changed_prices(run):
    offers = run.offers().merge(run.turns(["game_index", "ply", "buttons_before"]), on=["game_index", "ply"])
    steps = run.jitter()
    paid = [
        ORIGINAL[row.patch].cost + steps.loc[row.game_index, f"{row.patch}.cost"] <= row.buttons_before
        for row in offers.itertuples()
    ]
    assert offers["affordable"].tolist() == paid


def test_the_table_of_patches_knows_when_who_bought_what(run):
    bought = run.turns(["game_index", "ply", "seat", "patch", "slot", "time_before"], [("kind", "==", "buy")])
    patches = run.patches(filters=[("seat", ">=", 0)]).merge(bought, on=["game_index", "patch"], suffixes=("", "_then"))
    assert len(patches) == len(bought)
    for column in ("ply", "seat", "slot"):
        assert (patches[column] == patches[f"{column}_then"]).all()
    assert (patches["space"] == patches["time_before"]).all()


def test_an_agent_of_ones_own_sees_the_changed_prices(tmp_path, simulate, script):
    prices = "{patch: position.ruleset[patch].cost for patch in position.offer}"
    agent = script(f"return Choice(legal[-1], {prices} if not position.waiting else {{}})")
    run = simulate(games=4, seed=2, agents=(agent, agent), jitter="cost", log="offers", out=tmp_path / "run")
    offers, steps = run.offers(), run.jitter()
    assert offers["value"].tolist() == [
        ORIGINAL[row.patch].cost + steps.loc[row.game_index, f"{row.patch}.cost"] for row in offers.itertuples()
    ]


@pytest.mark.parametrize("log", LOG_LEVELS)
@pytest.mark.parametrize("jitter", ["cost", "time+income"])
def test_a_run_stands_its_check_however_it_is_logged(tmp_path, simulate, log, jitter):
    asked = {"games": 6, "seed": 4, "agents": ("greedy", "random"), "pairing": "mirrored", "games_per_shard": 4}
    assert verify(simulate(**asked, jitter=jitter, log=log, out=tmp_path / "run").path) == 6


def test_the_record_of_a_game_holds_its_prices_and_is_played_again(run):
    rulesets = set()
    for index in range(14):
        record = run.record(index)
        assert record.base == run.ruleset == ORIGINAL
        assert record.ruleset == ruleset_of(ORIGINAL, ALL, run.games()["jitter"][index])
        text = format_record(record)
        assert parse_record(text) == record
        assert replay_record(parse_record(text))[-1].after.finished
        rulesets.add(record.ruleset.ruleset_id)
    assert len(rulesets) == 7


def test_a_game_is_told_alike_from_the_run_and_from_its_record(run, run_command, tmp_path):
    told = run_command("replay", run.path, "--game", 5)
    record = run_command("replay", run.path, "--game", 5, "--record")
    assert (told.status, record.status) == (0, 0)
    (tmp_path / "game.txt").write_text(record.out, encoding="utf-8")
    again = run_command("replay", tmp_path / "game.txt")
    assert (again.status, again.out) == (0, told.out)
    with pytest.raises(AgentError, match=r"game\.txt: the prices of its game were changed for that game alone"):
        make_agent(f"scripted:{tmp_path / 'game.txt'}", ORIGINAL)


@pytest.mark.parametrize("workers", [1, 2])
def test_metrics_are_of_games_replayed_with_their_prices(run, simulate, tmp_path, workers):
    asked = {"games": 14, "seed": 3, "agents": ("greedy", "random"), "pairing": "mirrored", "games_per_shard": 4}
    made = simulate(**asked, jitter=ALL, out=tmp_path / "run")
    compute_metrics(made.path, ["lead-changes", "streaks"], workers=workers)
    assert made.metric("lead-changes")["lead_changes"].tolist() == run.games()["lead_changes"].tolist()
    assert verify(made.path) == 14


def test_the_steps_of_a_run_are_read_as_numbers(run):
    steps = run.jitter()
    assert list(steps.columns) == [f"{patch.id}.{key}" for key in ALL.split("+") for patch in ORIGINAL.patches]
    assert steps.shape == (14, 99)
    assert set(np.unique(steps)) == {-1, 0, 1}
    assert [row.astype(np.int8).tobytes() for row in steps.to_numpy()] == run.games()["jitter"].tolist()
    some = run.games(["winner", "jitter"])[lambda games: games["winner"] == 1]
    assert jitter_of(some, run.ruleset, ALL).equals(steps.loc[some.index])
    with pytest.raises(RunError, match="the jitter of some games has not 33 steps"):
        jitter_of(some, run.ruleset, "cost")


def test_a_run_without_jitter_has_none_to_read(tmp_path, simulate):
    plain = simulate(games=2, seed=1, out=tmp_path / "run")
    with pytest.raises(RunError, match=r"the games of .* have no column 'jitter'"):
        plain.jitter()


@pytest.mark.parametrize(
    ("ruleset", "settings", "run_id"),
    [
        ("original", {}, "0a6f7e1ed7189a37"),
        ("original", {"log": "offers", "pairing": "mirrored"}, "1be0a7063987a490"),
        ("revised", {}, "f60de26d0f0ba5a7"),
        ("revised", {"log": "offers", "pairing": "mirrored"}, "ee8648a5d6334bc6"),
    ],
)
def test_a_run_without_jitter_keeps_the_name_that_it_had_before_there_was_any(ruleset, settings, run_id):
    spec = RunSpec(Ruleset.load(ruleset), ("random", "greedy"), seed=1, games=100, **settings)
    assert spec.manifest().run_id == run_id
    assert "jitter" not in spec.to_dict()
    assert RunSpec.of(spec.manifest()).jitter == ""


def test_runs_that_differ_in_jitter_have_other_names_and_one_that_grows_keeps_its_own():
    specs = [
        RunSpec(ORIGINAL, ("random", "greedy"), seed=1, games=100, jitter=jitter).manifest()
        for jitter in ("", *JITTERS)
    ]
    assert len({spec.run_id for spec in specs}) == 8
    assert RunSpec.of(specs[3]).jitter == JITTERS[2]
    more = RunSpec(ORIGINAL, ("random", "greedy"), seed=1, games=200, jitter=JITTERS[2])
    assert more.manifest().run_id == specs[3].run_id


def test_a_run_that_was_broken_off_and_one_that_grows_are_as_if_done_at_once(tmp_path, simulate, contents, monkeypatch):
    asked = {"seed": 6, "jitter": "cost", "log": "turns", "games_per_shard": 4}
    simulate(**asked, games=14, engine="reference", out=tmp_path / "at once")
    write_played, calls = compiled.write_played, itertools.count()

    def broken_off(*arguments):
        if next(calls):
            raise OSError(28, "No space left on device")
        return write_played(*arguments)

    monkeypatch.setattr(compiled, "write_played", broken_off)
    with pytest.raises(RunError, match="No space left"):
        simulate(**asked, games=10, out=tmp_path / "run")
    monkeypatch.undo()
    simulate(**asked, games=10, out=tmp_path / "run")
    simulate(**asked, games=14, out=tmp_path / "run")
    assert contents(tmp_path / "run") == contents(tmp_path / "at once")


@pytest.mark.parametrize(("there", "shown"), [("", "None"), ("time", "'time'")])
def test_a_directory_with_a_run_of_another_jitter_is_refused(tmp_path, simulate, there, shown):
    simulate(games=3, seed=1, jitter=there, out=tmp_path)
    with pytest.raises(RunError, match=rf"holds another run \(jitter: {shown} there, 'cost' asked for\)"):
        simulate(games=3, seed=1, jitter="cost", out=tmp_path)


@pytest.mark.parametrize(
    "jitter", ["price", "time+cost", "cost+cost", "cost,time", "+", "Cost", " cost", None, 1, ["cost"]]
)
def test_what_cannot_be_changed_is_refused(tmp_path, simulate, jitter):
    with pytest.raises(RunError) as refused:
        simulate(games=3, seed=1, jitter=jitter, out=tmp_path / "run")
    assert str(refused.value) == (
        f"jitter {jitter!r} is none of cost, time, income, cost+time, cost+income, time+income, cost+time+income"
    )
    assert not (tmp_path / "run").exists()


def test_on_the_command_line_it_is_asked_for_and_shown(tmp_path, run_command):
    asked = ("simulate", "--games", 4, "--seed", 1, "--out", tmp_path / "run", "--progress", "off")
    assert (
        "jitter    cost+time, by -1, 0 or 1 for each patch"
        in run_command(*asked, "--jitter", "cost+time", "--dry-run").out
    )
    planned = json.loads(run_command(*asked, "--jitter", "cost", "--dry-run", "--json").out)
    assert planned["jitter"] == "cost"
    assert "jitter" not in run_command(*asked, "--dry-run").out
    assert run_command(*asked, "--jitter", "cost").status == 0
    assert open_run(tmp_path / "run").spec["jitter"] == "cost"
    refused = run_command(*asked, "--jitter", "price")
    assert (refused.status, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert "jitter 'price' is none of cost, time, income" in refused.err


def test_runs_with_and_without_are_not_the_same_games_and_are_read_together(tmp_path, simulate):
    for jitter in ("", "cost", "time"):
        simulate(games=3, seed=1, jitter=jitter, out=tmp_path / f"run-{jitter}")
    runs = open_runs(tmp_path / "run-*")
    assert len(runs.games(["winner"])) == 9
    with pytest.raises(RunError, match=r"have different columns \(jitter\)"):
        runs.games()
