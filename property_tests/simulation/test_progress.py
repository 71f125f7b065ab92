"""Progress on standard error: a bar, lines, objects or nothing."""

import json
import re
import sys
from types import SimpleNamespace

import pytest

from patchstats import verify
from patchstats.analysis.shares import Share, share, share_by_ring
from patchstats.simulation.progress import STYLES, progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that is moved by hand."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr("patchstats.simulation.progress.time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def shown(capsys):
    out, err = capsys.readouterr()
    assert out == ""
    return err.splitlines()


def test_plain_progress_is_a_line_every_two_seconds_and_one_at_the_end(capsys, clock):
    with progress("plain", "simulate", games=5000) as advance:
        for games, seconds in ((1000, 1), (500, 0.9), (500, 0.2), (1000, 1.9), (1000, 0.1), (1000, 5)):
            clock.now += seconds
            advance(games)
    assert shown(capsys) == [
        "simulate: 2,000 of 5,000 games, 952 games/s, 3 s left",
        "simulate: 4,000 of 5,000 games, 976 games/s, 1 s left",
        "simulate: 5,000 of 5,000 games, 549 games/s",
    ]


def test_json_progress_is_an_object_a_line(capsys, clock):
    with progress("json", "verify", games=40) as advance:
        clock.now += 4
        advance(10)
        clock.now += 1
        advance(30)
    assert [json.loads(line) for line in shown(capsys)] == [
        {"what": "verify", "games": 10, "of": 40, "games_per_second": 2.5, "seconds_left": 12.0},
        {"what": "verify", "games": 40, "of": 40, "games_per_second": 8.0, "seconds_left": 0.0},
    ]


def test_games_that_were_there_before_count_as_done_and_not_towards_the_speed(capsys, clock):
    with progress("json", "simulate", games=100, done=60) as advance:
        clock.now += 2
        advance(20)
    first, last = map(json.loads, shown(capsys))
    assert first == {"what": "simulate", "games": 80, "of": 100, "games_per_second": 10.0, "seconds_left": 2.0}
    assert last == first


def test_no_time_is_told_before_the_first_game(capsys, clock):
    with progress("json", "simulate", games=100):
        clock.now += 2
    [line] = shown(capsys)
    assert json.loads(line)["seconds_left"] is None


def test_off_says_nothing(capsys, clock):
    with progress("off", "simulate", games=10) as advance:
        clock.now += 100
        advance(10)
    assert shown(capsys) == []


def test_auto_is_plain_where_there_is_no_terminal(capsys, clock):
    with progress("auto", "simulate", games=10) as advance:
        clock.now += 1
        advance(10)
    assert shown(capsys) == ["simulate: 10 of 10 games, 10 games/s"]


def test_auto_is_a_bar_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with progress("auto", "simulate", games=10, done=4) as advance:
        advance(6)
    bar = "".join(shown(capsys))
    assert "simulate" in bar
    assert "10/10" in bar
    assert "games/s" not in bar


def test_how_far_it_got_is_told_when_the_work_is_broken_off(capsys, clock):
    def work():
        with progress("plain", "simulate", games=10) as advance:
            clock.now += 1
            advance(3)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert shown(capsys) == ["simulate: 3 of 10 games, 3 games/s, 2 s left"]


# How often seat 0 has won so far


def test_plain_progress_of_a_run_tells_how_often_seat_0_won_with_the_interval(tmp_path, simulate, capsys):
    run = simulate(games=15, seed=1, out=tmp_path / "run", progress="plain")
    wins = share(int((run.games()["winner"] == 0).sum()), 15)
    [line] = shown(capsys)
    assert re.fullmatch(rf"simulate: 15 of 15 games, [\d,]+ games/s, seat 0 wins {re.escape(str(wins))}", line)


@pytest.mark.parametrize("pairing", ["none", "mirrored", "rings:5"])
def test_json_progress_of_a_run_tells_how_often_seat_0_won_with_the_interval_that_allows_for_rings(
    tmp_path, simulate, capsys, pairing
):
    asked = {"seed": 1, "pairing": pairing, "games_per_shard": 10}
    run = simulate(**asked, games=30, out=tmp_path / "run", progress="json")
    won = (run.games()["winner"] == 0).groupby(run.games()["ring_index"]).sum()
    expected = share_by_ring(30, won.sum(), len(won), (won**2).sum())
    [line] = map(json.loads, shown(capsys))
    assert [line[key] for key in ("share_0", "low", "high")] == pytest.approx(expected, abs=1e-6)
    assert line["low"] < line["share_0"] < line["high"]


def test_games_that_were_there_before_count_towards_the_share(tmp_path, simulate, capsys):
    simulate(games=21, seed=1, out=tmp_path / "run")
    run = simulate(games=35, seed=1, out=tmp_path / "run", progress="json")
    [line] = map(json.loads, shown(capsys))
    assert line["share_0"] == pytest.approx((run.games()["winner"] == 0).mean(), abs=1e-6)


def test_no_share_is_told_before_the_first_game_and_none_of_games_that_are_only_checked(tmp_path, simulate, capsys):
    with progress("json", "simulate", games=100, share=lambda: None):
        pass
    path = simulate(games=5, seed=1, out=tmp_path / "run").path
    for style in ("json", "plain"):
        verify(path, progress=style)
    first, second, third = shown(capsys)
    assert set(json.loads(first)) == set(json.loads(second))
    assert set(json.loads(second)) == {"what", "games", "of", "games_per_second", "seconds_left"}
    assert "wins" not in third


def test_a_bar_tells_how_often_seat_0_won_too(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "160")
    with progress("auto", "simulate", games=10, done=4, share=lambda: Share(0.5, 0.25, 0.75)) as advance:
        advance(6)
    assert "seat 0 wins 50.0% [25.0%, 75.0%]" in "".join(shown(capsys))


@pytest.mark.parametrize("style", STYLES)
def test_a_run_shows_its_progress_in_every_style_on_standard_error_alone(tmp_path, simulate, capsys, style):
    simulate(games=15, seed=1, out=tmp_path / "run", progress=style)
    lines = shown(capsys)
    assert len(lines) == (0 if style == "off" else 1)
    assert style == "off" or "15" in lines[0]
