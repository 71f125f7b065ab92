"""When a run ends: as soon as the interval of the share that seat 0 won is narrow enough, whoever plays it how."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from patchstats import open_run, verify
from patchstats.analysis.shares import share_by_ring
from patchstats.dataset.manifest import Shard, write_manifest
from patchstats.dataset.store import store_at
from patchstats.dataset.tally import Tally, tally_of
from patchstats.errors import RunError, VerificationError
from patchstats.rules import Ruleset
from patchstats.simulation.spec import RunSpec
from patchstats.simulation.stopping import Ending

ORIGINAL = Ruleset.load("original")
#: At most twenty shards of seven games; with this rule it takes four of them.
SETTINGS = {"games": 140, "seed": 4, "agents": ("random", "random-patch"), "stop_when": "ci:0.3"}
SHARDS = 4


class Interrupted(BaseException):
    """As Ctrl-C ends a run, but for the test session, which goes on when a test lets it through."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, simulate, contents):
    """The files of that run, simulated in one go."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    simulate(**SETTINGS, out=folder)
    return contents(folder)


def files_of(shards):
    return {"manifest.json", *(f"games/part-{shard:05d}.parquet" for shard in range(shards))}


# Which shard a run ends with


@pytest.mark.parametrize("width", [0.4, 0.3, 0.2])
def test_a_run_ends_with_the_first_shard_after_which_the_interval_is_narrow_enough(tmp_path, simulate, contents, width):
    whole = simulate(**{**SETTINGS, "stop_when": None}, out=tmp_path / "whole").games()
    widths = []
    for games in range(7, 141, 7):
        wins = int((whole["winner"][:games] == 0).sum())
        low, high = binomtest(wins, games).proportion_ci(0.95, method="wilson")
        widths.append(high - low)
    first = next(number for number, there in enumerate(widths) if there <= width)
    run = simulate(**{**SETTINGS, "stop_when": f"ci:{width}"}, out=tmp_path / "run")
    assert 0 < first < 19
    assert run.manifest.games == 7 * (first + 1)
    assert set(contents(tmp_path / "run")) == files_of(first + 1)
    assert run.games().equals(whole[: run.manifest.games])


@pytest.mark.parametrize(("pairing", "games_per_ring"), [("mirrored", 2), ("rings:2", 2)])
def test_the_interval_allows_for_games_on_the_same_ring(tmp_path, simulate, pairing, games_per_ring):
    asked = {**SETTINGS, "pairing": pairing, "games_per_shard": 14}
    whole = simulate(**{**asked, "stop_when": None}, out=tmp_path / "whole").games()
    widths = []
    for games in range(14, 141, 14):
        wins = (whole["winner"][:games] == 0).groupby(whole["ring_index"]).sum()
        _, low, high = share_by_ring(games, wins.sum(), games // games_per_ring, (wins**2).sum())
        widths.append(high - low if games >= 30 * games_per_ring else 1)
    first = next(number for number, there in enumerate(widths) if there <= 0.3)
    run = simulate(**asked, out=tmp_path / "run")
    assert 0 < first < 9
    assert len(run.manifest.shards) == first + 1


def test_rings_too_few_to_tell_how_much_they_differ_do_not_end_a_run():
    spec = RunSpec(ORIGINAL, ("random", "random"), 1, 100_000, pairing="rings:1000", stop_when="ci:0.01")
    alike = Tally(20_000, 10_000, 20, 20 * 500**2 + 8)
    ending = Ending(spec)
    ending.note(Shard(0, 0, alike, {}))
    assert ending.shards is None
    ending.note(Shard(1, 20_000, alike, {}))
    assert ending.shards == 2


def test_a_run_that_ended_says_how_many_games_were_asked_for_and_how_many_there_are(tmp_path, simulate):
    run = simulate(**SETTINGS, out=tmp_path / "run")
    assert (run.spec["games"], run.spec["stop_when"]) == (140, "ci:0.3")
    assert run.manifest.games == len(run.games()) == 7 * SHARDS
    again = open_run(tmp_path / "run")
    assert (again.manifest, len(again.games())) == (run.manifest, 7 * SHARDS)


def test_a_run_whose_interval_never_gets_narrow_enough_has_all_games(tmp_path, simulate, contents):
    run = simulate(**{**SETTINGS, "games": 24, "stop_when": "ci:0.01"}, out=tmp_path / "run")
    assert run.manifest.games == len(run.games()) == 24
    assert set(contents(tmp_path / "run")) == files_of(4)
    assert verify(run.path) == 24


@pytest.mark.parametrize("style", ["plain", "json"])
def test_it_is_said_that_a_run_ended_before_its_last_game_and_only_then(tmp_path, simulate, capsys, style):
    said = f"the interval is narrow enough after {7 * SHARDS} games"
    simulate(**SETTINGS, progress=style, out=tmp_path / "run")
    assert capsys.readouterr().err.splitlines()[-1] == (said if style == "plain" else json.dumps({"message": said}))
    simulate(**{**SETTINGS, "games": 7 * SHARDS}, progress=style, out=tmp_path / "just so")
    assert "narrow" not in capsys.readouterr().err


TALLIES = st.lists(st.integers(0, 7).map(lambda wins: Tally(7, wins, 7, wins)), min_size=1, max_size=20)


@given(tallies=TALLIES, width=st.sampled_from([0.2, 0.3, 0.5, 0.7]), data=st.data())
def test_the_end_is_the_same_in_whatever_order_the_shards_come(tallies, width, data):
    spec = RunSpec(ORIGINAL, ("random", "random"), 1, 7 * len(tallies), stop_when=f"ci:{width}", games_per_shard=7)
    total, last = Tally(), len(tallies)
    for number, tally in enumerate(tallies, start=1):
        total += tally
        low, high = binomtest(total.wins, total.games).proportion_ci(0.95, method="wilson")
        if high - low <= width:
            last = number
            break
    ending, there = Ending(spec), set()
    for number in data.draw(st.permutations(range(len(tallies)))):
        ending.note(Shard(number, 7 * number, tallies[number], {}))
        there.add(number)
        assert ending.shards == (last if there.issuperset(range(last)) else None)


def test_widths_that_end_a_run_early_and_late_and_never_are_among_those_drawn(reach):
    drawn = st.tuples(TALLIES, st.sampled_from([0.2, 0.3, 0.5, 0.7]))

    def end(drawn):
        tallies, width = drawn
        spec = RunSpec(ORIGINAL, ("random", "random"), 1, 7 * len(tallies), stop_when=f"ci:{width}", games_per_shard=7)
        ending = Ending(spec)
        for number, tally in enumerate(tallies):
            ending.note(Shard(number, 7 * number, tally, {}))
        return ending.shards, len(tallies)

    reach(drawn, lambda d: 1 == end(d)[0] < end(d)[1], lambda d: 4 < end(d)[0] < end(d)[1], lambda d: end(d)[1] > 4)


@given(st.lists(st.lists(st.integers(0, 1), min_size=6, max_size=6), max_size=6), st.sampled_from([1, 2, 3]), st.data())
def test_what_is_counted_of_shards_adds_up_in_any_order_and_grouping(shards, games_per_ring, data):
    tallies = [tally_of(winners, games_per_ring) for winners in shards]
    whole = tally_of([winner for winners in shards for winner in winners], games_per_ring)
    left = list(data.draw(st.permutations(tallies)))
    while len(left) > 1:
        first, second = left.pop(data.draw(st.integers(0, len(left) - 1))), left.pop()
        left.insert(data.draw(st.integers(0, len(left))), first + second)
    assert sum(left, Tally()) == whole


# Whoever plays it, and however often it is broken off


@pytest.mark.parametrize(
    ("engine", "workers"), [("kernel", 1), ("kernel", 2), ("kernel", 4), ("reference", 1), ("reference", 2)]
)
def test_a_run_ends_with_the_same_shard_by_either_engine_and_any_number_of_workers(
    tmp_path, simulate, contents, undisturbed, engine, workers
):
    simulate(**SETTINGS, engine=engine, workers=workers, out=tmp_path / "run")
    assert contents(tmp_path / "run") == undisturbed
    assert set(undisturbed) == files_of(SHARDS)


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("games", [3, 10, 7 * SHARDS - 1])
def test_a_run_broken_off_before_its_end_goes_on_to_the_same_bytes(
    tmp_path, simulate, contents, undisturbed, plays_before, games, workers
):
    mend = plays_before(games, Interrupted())
    with pytest.raises(Interrupted):
        simulate(**SETTINGS, engine="reference", out=tmp_path / "run")
    with pytest.raises(RunError, match="is not finished"):
        open_run(tmp_path / "run")
    mend()
    simulate(**SETTINGS, workers=workers, out=tmp_path / "run")
    assert contents(tmp_path / "run") == undisturbed


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("known", [False, True], ids=["unfinished", "finished"])
@pytest.mark.parametrize("absent", [[0], [2], [SHARDS - 1], [0, 3]])
def test_shards_finished_before_an_earlier_one_make_no_difference(
    tmp_path, simulate, contents, undisturbed, absent, known, workers
):
    folder = tmp_path / "run"
    manifest = simulate(**SETTINGS, out=folder).manifest
    for shard in absent:
        (folder / "games" / f"part-{shard:05d}.parquet").unlink()
    if not known:
        write_manifest(store_at(folder), replace(manifest, shards=()))
    simulate(**SETTINGS, workers=workers, out=folder)
    assert contents(folder) == undisturbed


def test_shards_beyond_the_end_that_others_finished_are_removed(tmp_path, simulate, contents, undisturbed, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Ending, "_is_narrow", lambda _: False)
        manifest = simulate(**SETTINGS, out=tmp_path / "run").manifest
    write_manifest(store_at(tmp_path / "run"), replace(manifest, shards=()))
    assert set(contents(tmp_path / "run")) == files_of(20)
    simulate(**SETTINGS, out=tmp_path / "run")
    assert contents(tmp_path / "run") == undisturbed


def test_a_lost_shard_is_played_again_before_any_beyond_the_end(tmp_path, simulate, contents, undisturbed, played):
    simulate(**SETTINGS, out=tmp_path / "run")
    (tmp_path / "run" / "games" / "part-00001.parquet").unlink()
    simulate(**SETTINGS, engine="reference", out=tmp_path / "run")
    assert contents(tmp_path / "run") == undisturbed
    assert played == list(range(7, 14))


# More games


def test_a_run_that_ended_is_the_same_when_more_games_are_asked_for(tmp_path, simulate, contents, times):
    folder = tmp_path / "run"
    simulate(**SETTINGS, out=folder)
    before = times(folder / "games")
    run = simulate(**{**SETTINGS, "games": 1400}, out=folder)
    assert (run.spec["games"], run.manifest.games) == (1400, 7 * SHARDS)
    assert times(folder / "games") == before
    simulate(**{**SETTINGS, "games": 1400}, out=tmp_path / "at once")
    assert contents(folder) == contents(tmp_path / "at once")


@pytest.mark.parametrize("first", [7, 10, 28])
def test_a_run_that_had_not_ended_goes_on_to_its_end_and_not_beyond(
    tmp_path, simulate, contents, undisturbed, played, first
):
    assert simulate(**{**SETTINGS, "games": first}, out=tmp_path / "run").manifest.games == first
    simulate(**SETTINGS, engine="reference", out=tmp_path / "run")
    assert contents(tmp_path / "run") == undisturbed
    assert played == list(range(first // 7 * 7, 7 * SHARDS))


def test_a_run_that_ended_is_refused_to_whoever_asks_for_fewer_games(tmp_path, simulate, contents, undisturbed):
    simulate(**SETTINGS, out=tmp_path / "run")
    with pytest.raises(RunError, match="is a run of at most 140 games, more than 70; ask for 140 games or more"):
        simulate(**{**SETTINGS, "games": 70}, out=tmp_path / "run")
    assert contents(tmp_path / "run") == undisturbed


# Checking a run that ended


@pytest.mark.parametrize("games", [None, 10])
def test_a_run_that_ended_passes_its_check(tmp_path, simulate, games):
    run = simulate(**SETTINGS, out=tmp_path / "run")
    assert verify(run.path, games) == (games or 7 * SHARDS)


def test_a_run_cut_before_its_end_is_found(tmp_path, simulate):
    run = simulate(**SETTINGS, out=tmp_path / "run")
    write_manifest(run.store, replace(run.manifest, shards=run.manifest.shards[:-1]))
    run.store.remove(f"games/part-{SHARDS - 1:05d}.parquet")
    message = f"manifest.json: the run ends with {SHARDS - 1} shards, not where ci:0.3 is reached"
    with pytest.raises(VerificationError, match=f"^{re.escape(message)}$"):
        verify(run.path)


@pytest.mark.parametrize("shards", [SHARDS + 1, 20])
def test_a_run_that_went_on_after_its_end_is_found(tmp_path, simulate, monkeypatch, shards):
    with monkeypatch.context() as patch:
        patch.setattr(Ending, "_is_narrow", lambda ending: ending._judged == shards)
        run = simulate(**SETTINGS, out=tmp_path / "run")
    message = f"manifest.json: the run ends with {shards} shards, not where ci:0.3 is reached"
    with pytest.raises(VerificationError, match=f"^{re.escape(message)}$"):
        verify(run.path)


# The rule itself


BAD = ["", "ci", "ci:", "ci:0", "ci:1", "ci:2", "ci:-0.1", "ci:nan", "ci:inf", "ci:x", "ci:0.9999999", "CI:0.1"]


@pytest.mark.parametrize("rule", [*BAD, " ci:0.1", "n:100", "0.1", 0.1, True, ("ci", 0.1)])
def test_a_rule_that_cannot_be_is_refused(tmp_path, simulate, rule):
    message = re.escape(f"stop_when {rule!r} is not ci:W with a width W between 0 and 1, such as ci:0.01")
    with pytest.raises(RunError, match=message):
        simulate(**{**SETTINGS, "stop_when": rule}, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("rule", BAD)
def test_on_the_command_line_a_rule_that_cannot_be_is_refused(tmp_path, run_command, rule):
    answer = run_command(
        *("simulate", "--games", 2, "--seed", 1, "--stop-when", rule, "--progress", "off", "--out", tmp_path / "run")
    )
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"patchstats: stop_when {rule!r} is not ci:W")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("rule", ["ci:0.30", "ci:.3", "ci:3e-1", "ci:0.3000000001"])
def test_a_width_is_the_same_however_it_is_written(tmp_path, simulate, contents, undisturbed, rule):
    simulate(**{**SETTINGS, "stop_when": rule}, out=tmp_path / "run")
    assert contents(tmp_path / "run") == undisturbed


@pytest.mark.parametrize("rule", ["ci:0.999999", "ci:1e-300", "ci:0.123456789"])
def test_a_rule_is_read_back_from_the_manifest_as_it_was_written(rule):
    spec = RunSpec(ORIGINAL, ("random", "random"), seed=1, games=4, stop_when=rule)
    assert RunSpec.of(spec.manifest()) == spec
    assert spec.greatest_width == pytest.approx(float(rule[3:]), rel=1e-5)
