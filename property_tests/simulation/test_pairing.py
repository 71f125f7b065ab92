"""Several games on each ring: which games share one, who sits where in them, and that nothing else changes."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from patchstats import verify
from patchstats.agents import make_agent
from patchstats.dataset.rows import games_row
from patchstats.errors import RunError, VerificationError
from patchstats.rules import Ruleset
from patchstats.simulation.game import play_game, ring_of
from patchstats.simulation.spec import RunSpec

ORIGINAL = Ruleset.load("original")
AGENTS = ("random", "random-patch")
SETTINGS = {"games": 24, "seed": 5, "agents": AGENTS, "log": "offers", "games_per_shard": 6}

PAIRINGS = pytest.mark.parametrize(
    ("pairing", "games_per_ring"), [("none", 1), ("mirrored", 2), ("rings:2", 2), ("rings:3", 3)]
)
BAD = ("", ":", ":0", ":1", ":-2", ":02", ":2.0", ": 2", ":2 ", ":x", ":\u0663", ":1000000000")
PAIRED = pytest.mark.parametrize("pairing", ["mirrored", "rings:3"])


class Interrupted(BaseException):
    """As Ctrl-C ends a run, but for the test session, which goes on when a test lets it through."""


@PAIRINGS
def test_games_that_follow_one_another_share_a_ring_of_their_own(tmp_path, simulate, pairing, games_per_ring):
    frame = simulate(**SETTINGS, pairing=pairing, out=tmp_path / "run").games()
    assert frame["ring_index"].tolist() == [index // games_per_ring for index in range(24)]
    for ring_index, games in frame.groupby("ring_index"):
        ring = bytes(map(ORIGINAL.number_of, ring_of(ORIGINAL, SETTINGS["seed"], ring_index)))
        assert games["ring"].tolist() == [ring] * games_per_ring
    assert frame["ring"].nunique() == 24 // games_per_ring


@PAIRINGS
def test_agents_swap_seats_in_every_second_game_of_a_mirrored_run_and_in_no_other(
    tmp_path, simulate, pairing, games_per_ring
):
    frame = simulate(**SETTINGS, pairing=pairing, out=tmp_path / "run").games()
    swapped = [pairing == "mirrored" and index % games_per_ring == 1 for index in range(24)]
    assert list(zip(frame["agent_0"], frame["agent_1"], strict=True)) == [
        AGENTS[::-1] if turned else AGENTS for turned in swapped
    ]


@PAIRED
def test_games_on_the_same_ring_differ_since_each_seat_draws_by_the_index_of_the_game(tmp_path, simulate, pairing):
    asked = {**SETTINGS, "agents": ("random", "random")}
    frame = simulate(**asked, pairing=pairing, out=tmp_path / "run").games()
    assert frame["actions"].nunique() == 24
    agent = make_agent("random", ORIGINAL)
    for row in frame.to_dict("records"):
        game = play_game(ORIGINAL, (agent, agent), SETTINGS["seed"], row["game_index"], row["ring_index"])
        assert games_row(game) == row


@pytest.mark.parametrize("pairing", ["mirrored", "rings:2"])
def test_a_game_is_that_of_any_pairing_as_long_as_ring_seats_and_index_are_the_same(tmp_path, simulate, pairing):
    alone, paired = (
        simulate(**SETTINGS, pairing=how, out=tmp_path / how.replace(":", "-")).games().to_dict("records")
        for how in ("none", pairing)
    )
    assert alone[0] == paired[0]
    assert not {row["actions"] for row in alone[1:]} & {row["actions"] for row in paired[1:]}


@PAIRED
@pytest.mark.parametrize("log", ["summary", "offers"])
def test_both_engines_and_any_number_of_workers_write_the_same_files(tmp_path, simulate, contents, pairing, log):
    asked = {**SETTINGS, "pairing": pairing, "log": log}
    simulate(**asked, engine="reference", out=tmp_path / "reference")
    for workers in (1, 2, 4):
        simulate(**asked, engine="kernel", workers=workers, out=tmp_path / str(workers))
        assert contents(tmp_path / str(workers)) == contents(tmp_path / "reference")


@pytest.mark.parametrize("workers", [2, 4])
def test_workers_of_the_reference_swap_the_agents_too(tmp_path, simulate, contents, workers):
    asked = {**SETTINGS, "pairing": "mirrored"}
    simulate(**asked, engine="reference", workers=workers, out=tmp_path / "several")
    simulate(**asked, engine="kernel", out=tmp_path / "kernel")
    assert contents(tmp_path / "several") == contents(tmp_path / "kernel")


@PAIRED
@pytest.mark.parametrize("games", [0, 4, 7, 17])
def test_a_paired_run_broken_off_anywhere_goes_on_to_the_same_bytes(
    tmp_path, simulate, contents, plays_before, pairing, games
):
    asked = {**SETTINGS, "pairing": pairing}
    mend = plays_before(games, Interrupted())
    with pytest.raises(Interrupted):
        simulate(**asked, engine="reference", out=tmp_path / "run")
    mend()
    simulate(**asked, out=tmp_path / "run")
    simulate(**asked, out=tmp_path / "at once")
    assert contents(tmp_path / "run") == contents(tmp_path / "at once")


@PAIRED
def test_a_paired_run_grows_to_the_bytes_of_one_that_had_all_games_at_once(tmp_path, simulate, contents, pairing):
    asked = {**SETTINGS, "pairing": pairing, "games_per_shard": 12}
    for games in (6, 18, 24):
        simulate(**{**asked, "games": games}, out=tmp_path / "run")
    simulate(**asked, out=tmp_path / "at once")
    assert contents(tmp_path / "run") == contents(tmp_path / "at once")


# What is refused, and what a shard holds


@pytest.mark.parametrize(("pairing", "games_per_ring"), [("mirrored", 2), ("rings:2", 2), ("rings:5", 5)])
def test_games_that_would_leave_a_ring_half_played_are_refused(tmp_path, simulate, pairing, games_per_ring):
    for games in (1, games_per_ring - 1, games_per_ring + 1):
        message = f"games must be a multiple of {games_per_ring} with pairing {pairing}, not {games}"
        with pytest.raises(RunError, match=message):
            simulate(**{**SETTINGS, "games": games}, pairing=pairing, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("pairing", ["", "Mirrored", "mirrored:2", "pairs", 2, None, True, *map("rings{}".format, BAD)])
def test_a_pairing_that_does_not_exist_is_refused(tmp_path, simulate, pairing):
    with pytest.raises(RunError, match=r"pairing .* is none of none, mirrored, and rings:K with a number K from 2 on"):
        simulate(**SETTINGS, pairing=pairing, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("pairing", "agents", "games_per_shard"),
    [
        ("none", AGENTS, 20_000),
        ("mirrored", AGENTS, 20_000),
        ("rings:3", AGENTS, 19_998),
        ("rings:12000", AGENTS, 12_000),
        ("rings:30000", AGENTS, 30_000),
        ("rings:3", ("random", "a script"), 999),
        ("rings:2000", ("random", "a script"), 2000),
    ],
)
def test_a_shard_holds_all_the_games_of_its_rings(script, pairing, agents, games_per_shard):
    agents = tuple(script("return legal[0]") if agent == "a script" else agent for agent in agents)
    spec = RunSpec(ORIGINAL, agents, seed=1, games=60_000, pairing=pairing)
    assert spec.games_per_shard == games_per_shard
    for shard in spec.shards:
        games = spec.games_of(shard)
        assert spec.ring_index(games.start - 1) < spec.ring_index(games.start)
        assert spec.ring_index(games[-1]) < spec.ring_index(games.stop)


@pytest.mark.parametrize("pairing", ["mirrored", "rings:3"])
def test_a_shard_that_would_end_within_a_ring_is_refused(pairing):
    with pytest.raises(RunError, match=r"games_per_shard must be a multiple of [23] with pairing"):
        RunSpec(ORIGINAL, AGENTS, seed=1, games=60, pairing=pairing, games_per_shard=25)


# Checking a paired run


@pytest.fixture
def spoilt(tmp_path, simulate, change_manifest, sha256_of_file):
    """A function that alters columns of the first shard of games of a run, and lets the manifest say it is right so."""

    def spoilt(pairing, log, **columns):
        run = simulate(**{**SETTINGS, "log": log}, pairing=pairing, out=tmp_path / "run").path
        path = run / "games" / "part-00000.parquet"
        table = pq.read_table(path, partitioning=None)
        for name, change in columns.items():
            field = table.schema.field(name)
            values = pa.array(change(table[name].to_pylist()), field.type)
            table = table.set_column(table.column_names.index(name), field, values)
        pq.write_table(table, path)
        facts = {"bytes": path.stat().st_size, "sha256": sha256_of_file(path)}
        change_manifest(run, lambda values: values["shards"][0]["files"]["games"].update(facts))
        return run

    return spoilt


@PAIRED
@pytest.mark.parametrize("log", ["summary", "games", "offers"])
def test_a_paired_run_passes_its_check(tmp_path, simulate, pairing, log):
    run = simulate(**{**SETTINGS, "log": log}, pairing=pairing, out=tmp_path / "run")
    assert verify(run.path) == 24


@PAIRED
@pytest.mark.parametrize("log", ["summary", "games"])
def test_a_wrong_ring_index_is_found(spoilt, pairing, log):
    run = spoilt(pairing, log, ring_index=lambda indices: [*indices[:-1], 5])
    with pytest.raises(VerificationError, match=r"part-00000.*: game 5: ring_index is 5, and [12] when played again"):
        verify(run)


@pytest.mark.parametrize("log", ["summary", "games"])
def test_rings_counted_as_if_each_game_had_its_own_are_found(spoilt, log):
    run = spoilt("mirrored", log, ring_index=lambda indices: range(len(indices)))
    with pytest.raises(VerificationError) as said:
        verify(run)
    assert [line.partition(": game ")[2] for line in str(said.value).splitlines()] == [
        f"{index}: ring_index is {index}, and {index // 2} when played again" for index in range(1, 6)
    ]


@pytest.mark.parametrize(("pairing", "wrong"), [("mirrored", 1), ("rings:2", 0)])
@pytest.mark.parametrize("log", ["summary", "games"])
def test_agents_at_each_others_seats_are_found(spoilt, pairing, wrong, log):
    def turned(agents):
        agents[2 + wrong] = AGENTS[1 - AGENTS.index(agents[2 + wrong])]
        return agents

    run = spoilt(pairing, log, agent_0=turned, agent_1=turned)
    with pytest.raises(VerificationError) as said:
        verify(run)
    first, second = str(said.value).splitlines()
    assert f"game {2 + wrong}: agent_0 is " in first
    assert f"game {2 + wrong}: agent_1 is " in second
