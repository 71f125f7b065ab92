"""A ladder from end to end: what it says is what its runs hold, and it is gone on with like any run."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import patchstats
from patchstats.analysis.shares import share_by_ring
from patchstats.dataset.manifest import read_manifest
from patchstats.dataset.store import store_at
from patchstats.errors import AgentError, RunError
from patchstats.experiments import Sprt
from patchstats.experiments.pairs import directory_name, mean_margin, scores_of
from patchstats.simulation import shard as shard_module

CHEAPEST, IDLE = "scripted:bystander:cheapest", "scripted:bystander:idle"


class Interrupted(BaseException):
    """As Ctrl-C ends a run, but for the test session, which goes on when a test lets it through."""


def run_of(folder, *agents):
    return patchstats.open_run(folder / directory_name(agents))


def test_every_two_agents_play_each_ring_twice_and_swap_seats(play, tmp_path):
    found = play()
    assert [pair.agents for pair in found.pairs] == list(combinations(found.agents, 2))
    rings = []
    for pair in found.pairs:
        run = run_of(tmp_path / "ladder", *pair.agents)
        games = run.games()
        assert (pair.run, pair.run_id, pair.games) == (str(run.path), run.run_id, len(games))
        assert (run.spec["pairing"], run.spec["seed"], len(games)) == ("mirrored", 3, 20)
        assert (games["agent_0"].to_numpy()[::2] == games["agent_1"].to_numpy()[1::2]).all()
        rings.append(list(games["ring"]))
    assert rings[0] == rings[1] == rings[2]


def test_shares_margins_and_means_are_those_of_the_games(play, tmp_path):
    found = play()
    seen = {agent: [] for agent in found.agents}
    for pair in found.pairs:
        wins, margins = [], []
        for row in run_of(tmp_path / "ladder", *pair.agents).games().itertuples():
            for seat in (0, 1):
                agent = getattr(row, f"agent_{seat}")
                score, other = getattr(row, f"score_{seat}"), getattr(row, f"score_{1 - seat}")
                seen[agent].append((score, getattr(row, f"empty_{seat}"), row.bonus_seat == seat))
                if agent == pair.agents[0]:
                    wins.append(row.winner == seat)
                    margins.append(score - other)
        by_pair = np.reshape(wins, (-1, 2)).sum(axis=1)
        assert pair.share == share_by_ring(20, sum(wins), 10, sum(by_pair**2))
        assert pair.margin.value == pytest.approx(np.mean(margins))
        assert pair.margin.low < pair.margin.value < pair.margin.high
    for one in found.scores:
        assert (one.games, len(seen[one.agent])) == (40, 40)
        assert (one.score, one.empty, one.bonus) == pytest.approx(tuple(np.mean(seen[one.agent], axis=0)))


def test_the_bonus_is_counted_for_whoever_got_it():
    columns = {"score_0": 0, "score_1": 0, "empty_0": 0, "empty_1": 0}
    games = pd.DataFrame(
        {"agent_0": ["a", "b", "a", "b"], "agent_1": ["b", "a", "b", "a"], "bonus_seat": [0, 0, 0, -1]}
    )
    assert [(one.agent, one.bonus) for one in scores_of(games.assign(**columns), ["b", "a"])] == [
        ("b", 0.25),
        ("a", 0.5),
    ]


def test_an_agent_that_always_loses_is_rated_lowest_with_a_finite_interval(play):
    found = play(agents=["random", "random-patch", IDLE])
    worst = found.ratings.elo[2]
    assert worst.low < worst.high < min(one.low for one in found.ratings.elo[:2])
    assert 50 < worst.high - worst.low < 2000
    share = found.pairs[1].share
    assert share.share == share.high == 1
    assert 0.5 < share.low < 0.95


def test_the_same_ladder_again_writes_nothing_and_says_the_same(play, times):
    first = play()
    before = times()
    assert play() == first
    assert times() == before


def test_the_order_in_which_agents_are_named_changes_the_view_alone(play, times):
    first = play()
    before = times()
    second = play(agents=first.agents[::-1])
    assert times() == before
    for pair in first.pairs:
        [mirrored] = [other for other in second.pairs if other.agents == pair.agents[::-1]]
        assert mirrored.run == pair.run
        assert mirrored.share.share == pytest.approx(1 - pair.share.share)
        assert mirrored.margin.value == pytest.approx(-pair.margin.value)
    for agent, elo in zip(first.ratings.agents, first.ratings.elo, strict=True):
        assert second.ratings.elo[second.agents.index(agent)] == pytest.approx(elo, abs=1e-6)


def test_more_agents_leave_the_runs_that_are_there_as_they_are(play, times):
    play(agents=["random", "random-patch"])
    before = times()
    found = play()
    assert len(found.pairs) == 3
    assert all(times()[path] == time for path, time in before.items() if path.is_file())


def test_a_larger_number_of_games_gives_the_files_of_a_ladder_that_had_so_many_at_once(play, tmp_path, contents):
    play(games=8)
    play(games=20)
    play(games=20, out=tmp_path / "at once")
    assert contents(tmp_path / "ladder") == contents(tmp_path / "at once")


@pytest.mark.parametrize("games", [3, 23, 45])
def test_a_ladder_broken_off_anywhere_goes_on_to_the_same_bytes(play, tmp_path, contents, times, monkeypatch, games):
    expected = play(out=tmp_path / "undisturbed", engine="reference")
    played = []
    play_game = shard_module.play_game

    def play_and_count(*arguments):
        if len(played) == games:
            raise Interrupted
        played.append(arguments)
        return play_game(*arguments)

    monkeypatch.setattr(shard_module, "play_game", play_and_count)
    with pytest.raises(Interrupted):
        play(engine="reference")
    before = {path: time for path, time in times().items() if path.suffix == ".parquet"}
    assert len(before) == 4 * (games // 20) + games % 20 // 6
    monkeypatch.setattr(shard_module, "play_game", play_game)
    found = play(engine="reference")
    assert contents(tmp_path / "ladder") == contents(tmp_path / "undisturbed")
    assert before.items() <= times().items()
    assert found.ratings == expected.ratings


def test_two_workers_give_the_same_files(play, tmp_path, contents):
    agents = ["random", "random-patch"]
    play(agents=agents, workers=1)
    play(agents=agents, workers=2, out=tmp_path / "two")
    assert contents(tmp_path / "ladder") == contents(tmp_path / "two")


# Sequential tests


def test_a_sequential_test_ends_a_pair_that_is_clear_and_goes_on_with_one_that_is_not(play, tmp_path):
    found = play(agents=["random", IDLE, "random-patch"], games=200, sprt=Sprt(0, 100), games_per_shard=20)
    clear, close, reverse = found.pairs
    assert (clear.verdict.accepted, clear.verdict.pairs, clear.games) == ("H1", 30, 60)
    assert (reverse.verdict.accepted, reverse.games) == ("H0", 60)
    assert close.games > 60
    assert found.ratings.games == clear.games + close.games + reverse.games
    assert len(run_of(tmp_path / "ladder", "random", IDLE).games()) == 60


def test_a_test_that_cannot_tell_plays_as_many_games_as_it_may(play):
    found = play(agents=["random", "random-patch"], games=100, sprt=Sprt(0, 1))
    assert (found.pairs[0].games, found.pairs[0].verdict.accepted, found.pairs[0].verdict.pairs) == (100, None, 50)


def test_a_sequential_ladder_is_the_same_however_often_it_was_broken_off(play, tmp_path, contents, times):
    settings = {"agents": ["random", "random-patch"], "sprt": Sprt(0, 100), "games_per_shard": 4}
    at_once = play(**settings, games=400, out=tmp_path / "at once")
    assert 60 < at_once.pairs[0].games < 400
    for games in (10, 64, 400):
        found = play(**settings, games=games)
    assert found.pairs[0].verdict == at_once.pairs[0].verdict
    assert contents(tmp_path / "ladder") == contents(tmp_path / "at once")
    before = times()
    assert play(**settings, games=400) == found
    assert times() == before


def test_a_sequential_ladder_whose_manifest_is_damaged_is_mended(play, tmp_path, contents):
    settings = {"agents": ["random", "random-patch"], "sprt": Sprt(0, 100), "games_per_shard": 4, "games": 400}
    found = play(**settings)
    undamaged = contents(tmp_path / "ladder")
    manifest = Path(found.pairs[0].run) / "manifest.json"
    manifest.write_bytes(manifest.read_bytes()[:100])
    assert play(**settings) == found
    assert contents(tmp_path / "ladder") == undamaged
    assert read_manifest(store_at(found.pairs[0].run)).finished


# Progress


def test_progress_counts_the_games_of_all_pairs(play, capsys):
    play(progress="json")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [(line["what"], line["games"], line["of"]) for line in lines if "what" in line][-1] == ("ladder", 60, 60)
    play(games=26, progress="json")
    [line] = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert (line["games"], line["of"]) == (78, 78)


def test_progress_counts_each_file_as_soon_as_it_is_there(play, monkeypatch):
    from patchstats.experiments import field

    told = []
    monkeypatch.setattr("patchstats.experiments.match._SECONDS_BETWEEN_LOOKS", 0.001)
    show = field.show_progress

    def listen(*arguments):
        from contextlib import contextmanager

        @contextmanager
        def listening():
            with show(*arguments):
                yield told.append

        return listening()

    monkeypatch.setattr(field, "show_progress", listen)
    play(agents=[CHEAPEST, "random"], games=60)
    assert sum(told) == 60
    assert len(told) > 3
    assert min(told) > 0


# What is refused


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        (
            {"agents": ["random"]},
            RunError,
            "a ladder needs two agents or more, such as random,random-patch; given 1: r",
        ),
        ({"agents": []}, RunError, "given 0: none"),
        ({"agents": "random,random-patch"}, RunError, "agents must be a sequence of spec strings"),
        ({"agents": ["random", "random-patch", "random"]}, RunError, "agent 'random' is given twice; name each agent"),
        ({"agents": ["random", "randon"]}, AgentError, "agent 'randon' is unknown"),
        ({"games": 2}, RunError, "games must be an even number from 4 on, two games a mirrored pair, not 2"),
        ({"games": 7}, RunError, "games must be an even number"),
        ({"games": True}, RunError, "games must be an even number"),
        ({"games": 10**10}, RunError, "games must be a whole number from 1 to"),
        ({"seed": -1}, RunError, "seed must be a whole number"),
        ({"log": "everything"}, RunError, "log 'everything' is none of"),
        ({"workers": 0}, RunError, "workers must be a whole number"),
        ({"engine": "fast"}, RunError, "engine 'fast' is none of"),
        ({"games_per_shard": 5}, RunError, "games_per_shard must be a multiple of 2"),
        ({"sprt": (0, 20)}, RunError, r"sprt must be a sequential test such as Sprt\(0, 20\), not \(0, 20\)"),
        ({"out": ""}, RunError, "out must be the path of a directory or a URL"),
        ({"progress": "loud"}, RunError, "progress 'loud' is none of"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_is_written(play, tmp_path, settings, error, message):
    with pytest.raises(error, match=message):
        play(**settings)
    assert not list(tmp_path.iterdir())


def test_settings_that_differ_from_those_of_a_run_that_is_there_are_refused_before_anything_is_played(play, times):
    play(agents=["random", "random-patch"])
    before = times()
    for agents in (["random", "random-patch"], [CHEAPEST, "random", "random-patch"]):
        with pytest.raises(RunError, match=r"holds another run \(seed: 3 there, 4 asked for\)"):
            play(agents=agents, seed=4)
        with pytest.raises(RunError, match="is a run of 20 games, more than 10; ask for 20 games or more"):
            play(agents=agents, games=10)
        with pytest.raises(RunError, match="is a run of 20 games, more than 10"):
            play(agents=agents, games=10, sprt=Sprt(0, 20))
    assert times() == before


def test_the_directory_of_a_run_is_no_place_for_a_ladder(play, tmp_path):
    patchstats.simulate(games=2, seed=1, out=tmp_path / "ladder")
    with pytest.raises(RunError, match="holds a run; those of an experiment need a directory that is none"):
        play()


def test_an_agent_that_plays_a_record_is_refused(play, tmp_path):
    from patchstats.notation import format_record

    run = patchstats.simulate(games=1, seed=1, out=tmp_path / "run")
    (tmp_path / "game.txt").write_text(format_record(run.record(0)), encoding="utf-8")
    with pytest.raises(RunError, match="plays a game on a ring of its own; a ladder needs agents for any ring"):
        play(agents=["random", f"scripted:{tmp_path / 'game.txt'}"])


def test_names_of_directories_differ_where_agents_do_and_only_there():
    specs = ["random", "random-patch", "greedy:a=1", "greedy:a=1,b=2", "greedy;a=1", "x" * 300, "x" * 301, "GREEDY:a=1"]
    names = {directory_name(pair) for pair in combinations(specs, 2)}
    assert len(names) == len(list(combinations(specs, 2)))
    assert names == {directory_name(pair[::-1]) for pair in combinations(specs, 2)}
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert len(name) < 100
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.=")


def test_the_interval_of_a_margin_holds_the_truth_as_often_as_it_says():
    random = np.random.default_rng(7)
    held = 0
    for _ in range(500):
        ring = random.normal(0, 10, 30).repeat(2)  # what seat 0 is worth on it
        first = np.tile([1, -1], 30)
        scores = 3 * first + ring + random.normal(0, 5, 60)
        agents = np.where(first == 1, "a", "b")
        rings = np.repeat(range(30), 2)
        games = pd.DataFrame({"ring_index": rings, "agent_0": agents, "score_0": scores, "score_1": 0.0})
        margin = mean_margin(games, "a")
        held += margin.low <= 3 <= margin.high
    assert 0.92 < held / 500 < 0.98
