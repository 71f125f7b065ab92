"""The report on a run: its numbers are those of the estimators, and the page is sound whatever the run is like."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from patchstats import Ruleset, simulate
from patchstats.analysis.bonus import award_share, award_table
from patchstats.analysis.first_player import first_player
from patchstats.analysis.patches import access_effect, confounded_holder_share
from patchstats.analysis.positions import positions
from patchstats.analysis.prices import hedonic, price_list
from patchstats.analysis.report import collect, numbers, page
from patchstats.analysis.report.economy import economy, economy_of_patches
from patchstats.analysis.report.numbers import Missing
from patchstats.analysis.report.pictures import text
from patchstats.analysis.report.repeating import command, differences
from patchstats.analysis.surplus import greedy_advance, in_buttons, shadow_surplus
from patchstats.analysis.tension import tension_of_games
from patchstats.analysis.win_probability import held_out
from patchstats.notation import replay_record
from patchstats.render import quilt_text, quilt_tiles
from patchstats.rules.loading import parse_change

#: Elements that are never closed.
VOID = {"meta", "br", "hr", "img", "input", "link"}
HOSTILE = "</code><script>alert(1)</script><b onload='x'>\"&$HOME`$(id)\u202e\x00\ud800"


class Soundness(HTMLParser):
    """Reads a page, and keeps what is wrong with it and what is in it."""

    def __init__(self, words):
        super().__init__()
        self.wrong, self.open, self.ids, self.named, self.headings = [], [], [], [], []
        self.tags, self.tables, self.text, self.attributes = [], [], [], []
        self.feed(words)
        self.close()
        self.wrong += [f"{tag} is not closed" for tag in self.open]
        self.wrong += [f"there is no {name}" for name in self.named if name not in self.ids]
        self.wrong += [f"{one} twice" for one in sorted({one for one in self.ids if self.ids.count(one) > 1})]

    def handle_starttag(self, tag, attributes):
        self.begin(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.begin(tag, attributes)

    def begin(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attributes]
        if len({name for name, _ in attributes}) < len(attributes):
            self.wrong.append(f"{tag} has an attribute twice")
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name.endswith("href"):
                self.named.append(value.removeprefix("#") if value.startswith("#") else f"nothing but {value}")
            if name == "aria-labelledby":
                self.named += value.split()
            self.named += re.findall(r"url\(#?([^)]*)\)", value or "")
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.text.append(data)
        if "td" in self.open or "th" in self.open:
            self.tables[-1][-1][-1] += data


def sound(words):
    """Check that a page is sound and loads nothing, and return what was read."""
    found = Soundness(words)
    assert not found.wrong
    assert words.startswith("<!DOCTYPE html>\n")
    assert not {"link", "img", "iframe", "object", "embed", "base", "form", "image", "foreignobject"} & set(found.tags)
    assert found.tags.count("script") == found.tags.count("style") == 1
    assert not re.search(r"(?i)https?:|@import|src=|//[a-z]", words)
    assert not [one for one in found.attributes if one[1].startswith("on")]
    assert ("html", "lang", "en") in found.attributes
    assert ("meta", "name", "viewport") in found.attributes
    assert found.headings[0] == 1
    assert found.headings.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(found.headings, found.headings[1:], strict=False))
    named = r'<svg (?=[^>]*role="img")(?:[^>]* aria-label|[^>]*><title>[^<])'
    assert len(re.findall("<svg ", words)) == len(re.findall(named, words))
    for table in found.tables:
        assert len({len(row) for row in table}) == 1
        assert len(table) > 1
    return found


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A function that plays some games by the reference engine, each run once."""
    runs = {}

    def played(log="games", games=30, agents=("random-patch", "random-patch"), **settings):
        key = json.dumps([log, games, agents, settings], default=str)
        if key not in runs:
            out = tmp_path_factory.mktemp("played") / "run"
            given = {"seed": 1, "engine": "reference", "workers": 1} | settings
            runs[key] = simulate(games=games, agents=list(agents), log=log, out=out, **given)
        return runs[key]

    return played


@pytest.fixture(scope="module")
def greedy_report(greedy_run):
    return collect(greedy_run)


def test_the_numbers_are_those_of_the_estimators(greedy_run, greedy_report):
    games, turns, patches = greedy_run.games(), greedy_run.turns(), greedy_run.patches()
    found, ruleset = greedy_report, greedy_run.ruleset
    assert found.first == first_player(games)
    assert found.bonus["won"] == award_share(games)
    assert found.waiting.equals(award_table(games, turns, ruleset))
    assert found.holders.equals(confounded_holder_share(games, patches))
    assert found.access.equals(access_effect(games, patches))
    assert found.patches["residual"].equals(hedonic(price_list(ruleset)).residuals)
    there = positions(turns, games, ruleset)
    tension = tension_of_games(there, held_out(there, ruleset), games)
    assert found.decided.loc["decided_ply", "estimate"] == pytest.approx(tension["decided_ply"].mean())
    assert found.tension.loc["lead_changes", "estimate"] == pytest.approx(games["lead_changes"].mean())
    offers = greedy_run.offers()
    buttons = offers.assign(value=in_buttons(offers["value"], "greedy"))
    surplus = shadow_surplus(buttons, games, greedy_advance(turns, games, ruleset))
    assert found.surplus["greedy"].equals(surplus)
    for patch, rows in patches[patches["seat"] >= 0].groupby("patch", observed=True):
        assert found.patches.loc[patch, "bought"] == pytest.approx(len(rows) / len(games))
        assert found.patches.loc[patch, "space"] == pytest.approx(rows["space"].mean())
    for seat in (0, 1):
        assert found.scores[f"seat {seat}"].to_dict() == {
            score: int((games[f"score_{seat}"] == score).sum()) for score in found.scores.index
        }
        assert found.ends.loc["empty", f"seat {seat}"] == games[f"empty_{seat}"].mean()
    spread = found.spreads["plies"]
    assert (spread.least, spread.greatest) == (games["plies"].min(), games["plies"].max())
    assert (games["plies"] <= spread.median).mean() >= 0.5 > (games["plies"] < spread.median).mean()


def test_the_page_says_these_numbers(greedy_report):
    found = sound(page(greedy_report))
    words = "".join(found.text)
    first = greedy_report.first
    assert f"won {first.share} of them" in words
    assert f"{greedy_report.bonus['won']}" in words
    tables = {table[0][0]: table for table in found.tables}
    assert dict(tables["quantity"][1:])["margin of seat 0, points"] == f"{first.margin:+.2f}"
    heads, *rows = tables["patch"]
    assert [row[0] for row in rows] == list(greedy_report.patches.index)
    for row in rows:
        cells = dict(zip(heads, row, strict=True))
        numbers_of = greedy_report.patches.loc[row[0]]
        assert cells["cost"] == f"{numbers_of['cost']:g}"
        assert cells["bought"] == f"{numbers_of['bought']:.1%}"
        assert cells["price residual, buttons"] == f"{numbers_of['residual']:+.2f}"
        for head, frame, factor, form in (
            ("buyer wins, % (confounded)", greedy_report.holders, 100, ".1f"),
            ("first offer, pp", greedy_report.access, 100, "+.1f"),
            ("surplus, buttons", greedy_report.surplus["greedy"], 1, "+.2f"),
        ):
            one = frame.loc[row[0]] * factor
            expected = f"{one['estimate']:{form}} [{one['low']:{form}}, {one['high']:{form}}]"
            assert cells[head] == ("" if np.isnan(one["estimate"]) else expected)


def test_both_quilts_of_a_game_are_shown_as_they_lie_at_its_end(greedy_report):
    words = page(greedy_report)
    for shown in greedy_report.shown:
        events = [event for ply in replay_record(shown.record) for event in ply.events]
        drawn = [quilt_text(greedy_report.ruleset, quilt_tiles(events, seat)) for seat in (0, 1)]
        assert drawn[0] != drawn[1]
        assert words.count(f"<desc>{drawn[0]}</desc>") == words.count(f"<desc>{drawn[1]}</desc>") == 1
        assert words.index(drawn[0]) < words.index(drawn[1])


def test_the_economy_is_what_the_positions_say(greedy_run):
    games, turns = greedy_run.games(), greedy_run.turns()
    found = economy(turns, greedy_run.ruleset)
    assert found.iloc[-1].to_dict() == pytest.approx({name: games[name].mean() for name in found})
    # What each seat has before its first ply from beyond a space is what it leaves that space with.
    there = positions(turns, games, greedy_run.ruleset)
    beyond = there[(there["seat"] == 1) & (there["space_1"] > 25)].groupby("game_index").first()
    assert len(beyond) == len(games)
    passed = turns[(turns["seat"] == 1) & (turns["time_after"] <= 25)]
    bought = passed.merge(price_list(greedy_run.ruleset), left_on="patch", right_index=True)
    assert found.loc[25, "income_1"] == pytest.approx(bought["income"].sum() / len(games))
    last = passed.sort_values("ply").groupby("game_index")["buttons_after"].last()
    start = greedy_run.ruleset.start_buttons
    assert found.loc[25, "buttons_1"] == pytest.approx(last.reindex(range(len(games))).fillna(start).mean())
    of_patches = economy_of_patches(greedy_run.patches(), greedy_run.ruleset)
    assert of_patches["income_0"].to_numpy() == pytest.approx(found["income_0"].to_numpy())
    leathers = games["leathers_0"].mean()
    assert of_patches["empty_0"].iloc[-1] - leathers == pytest.approx(found["empty_0"].iloc[-1])


@pytest.mark.parametrize("log", ["summary", "games", "turns", "offers"])
def test_what_a_log_lacks_is_said_with_the_command_that_would_log_it(played, log):
    run = played(log)
    report = collect(run)
    words = "".join(sound(page(report)).text)
    needed = {"patches": "games", "turns": "turns", "offers": "offers"}
    levels = ["summary", "games", "turns", "offers"]
    for table, level in needed.items():
        there = levels.index(log) >= levels.index(level)
        assert (table in report.seen) == there
        if level != "games" or log == "summary":
            assert (f"--log {level} --games-per-shard" in words) == (not there or log == level)
    assert ("Everything that can be is logged." in words) == (log == "offers")
    assert ("patchstats replay" in words) == (log != "summary")
    assert bool(getattr(report.decided, "command", "")) == (log in ("summary", "games"))
    if log == "offers":
        [why] = report.surplus.values()
        assert "its values are no buttons" in why.why
        assert text(why.why) in page(report)


@pytest.mark.parametrize(
    "settings",
    [
        {"games": 1, "log": "offers"},
        {"games": 2, "log": "offers"},
        {"games": 2, "pairing": "mirrored", "log": "offers"},
        {"games": 30, "pairing": "mirrored", "agents": ("random", "advance-only"), "log": "turns"},
        {"games": 30, "pairing": "rings:5", "agents": ("random", "first-legal")},
        {"games": 20, "jitter": "cost+time+income", "log": "turns"},
        {"games": 6, "agents": ("advance-only", "advance-only"), "log": "offers"},
        {"games": 20, "stop_when": "ci:0.9"},
    ],
    ids=lambda settings: "-".join(map(str, settings.values())),
)
def test_any_run_has_a_page(played, settings):
    report = collect(played(**settings))
    sound(page(report))
    json.dumps(report.to_dict(), allow_nan=False)


def test_agents_that_swap_seats_are_told_apart(played):
    run = played(games=30, pairing="mirrored", agents=("random", "advance-only"), log="turns")
    games, report = run.games(), collect(run)
    begins = games["agent_0"] == "random"
    first = np.where(begins, games["score_0"], games["score_1"])
    assert report.spreads["score of the first agent"].mean.value == pytest.approx(first.mean())
    assert report.first_agent.share == np.where(begins, games["winner"] == 0, games["winner"]).mean()
    assert collect(played(games=30)).first_agent is None


def tiny():
    """A ruleset with four patches, a quilt of 3 by 3 cells and no leathers."""
    settings = Ruleset.load("original").to_dict()
    patches = {name: settings["patches"][name] for name in ("p01", "p02", "p03", "p05")}
    changes = {"quilt_size": 3, "bonus_square": 2, "finish": 9, "leather_marks": [], "income_marks": [3]}
    return Ruleset.from_dict({**settings, **changes, "patches": patches})


def test_any_ruleset_has_a_page(played):
    report = collect(played(games=12, log="offers", ruleset=tiny()))
    words = page(report)
    found = sound(words)
    assert "The 2x2 bonus" in "".join(found.text)
    assert "RULESET is the folder of the ruleset" in words
    assert "--ruleset RULESET" in report.command
    assert [row[0] for row in next(table for table in found.tables if table[0][0] == "patch")[1:]] == list(
        report.patches.index
    )


def test_the_command_makes_the_same_run(played, tmp_path, run_command, monkeypatch):
    changes = {"patches.p21.cost": 1, "patches.p01.rows": "111", "income_marks": [5, 53], "start_patch": "p02"}
    run = played(
        games=20, ruleset=Ruleset.load("revised").with_changes(changes), pairing="mirrored", jitter="cost", seed=7
    )
    words = command(run)
    assert "--ruleset revised" in words
    import shlex

    monkeypatch.chdir(tmp_path)
    arguments = shlex.split(words)[1:-1]
    assert run_command(*arguments, "again", "--progress", "off", "--engine", "reference").status == 0
    again = json.loads(Path("again/manifest.json").read_text(encoding="utf-8"))
    assert again["run_id"] == run.run_id


def test_the_differences_are_all_that_has_to_be_changed():
    original = Ruleset.load("original")
    assert differences(original, original) == []
    changed = original.with_changes({"patches.p21.cost": 1, "bonus_points": 9})
    found = differences(changed, original)
    assert {one.key: (one.there, one.here) for one in found} == {"patches.p21.cost": (0, 1), "bonus_points": (7, 9)}
    asked = dict(parse_change(f"{one.key}={json.dumps(one.here)}") for one in found)
    assert original.with_changes(asked).ruleset_id == changed.ruleset_id
    gone = differences(tiny(), original)
    assert {one.here for one in gone if one.key.startswith("patches.p33.")} == {None}


def test_what_users_write_is_escaped(played):
    report = collect(played(log="turns"))
    agents = [{**agent, "spec": HOSTILE, "remark": HOSTILE} for agent in report.spec["agents"]]
    hostile = replace(
        report,
        spec={**report.spec, "agents": agents},
        command=HOSTILE,
        path=HOSTILE,
        run_id=HOSTILE,
        surplus={HOSTILE: Missing(HOSTILE, HOSTILE)},
        shown=tuple(
            replace(one, command=HOSTILE, record=replace(one.record, agents=(HOSTILE, HOSTILE))) for one in report.shown
        ),
    )
    words = page(hostile)
    words.encode()
    found = sound(words)
    assert not {"b"} & {tag for tag, name, _ in found.attributes if name == "onload"}
    assert "alert(1)" not in words[words.rindex("<script>") :]
    shown = HOSTILE.replace("\u202e", "\ufffd").replace("\x00", "\ufffd").replace("\ud800", "\ufffd")
    assert "".join(found.text).count(shown) >= 8


def test_the_same_run_gives_the_same_bytes(played):
    run = played(log="turns")
    assert page(collect(run)) == page(collect(run))


def test_of_a_large_run_the_first_games_are_read_and_no_more(played, monkeypatch):
    run = played(games=60, games_per_shard=10, seed=3)
    whole = collect(run)
    monkeypatch.setattr(numbers, "MOST_GAMES", 35)
    monkeypatch.setattr(numbers, "MOST_ROWS", {**numbers.MOST_ROWS, "patches": 33 * 20})
    (Path(run.path) / "games/part-00005.parquet").unlink()
    report = collect(run)
    assert report.seen == {"games": 35, "patches": 20}
    assert report.first == first_player(run_of(whole, run, 35))
    words = "".join(sound(page(report)).text)
    assert "35 games (the first of 60)" in words
    assert "Who bought what: from 20 games (the first of 60)." in words
    assert "the first games were read, which are as good a sample as any: 35 for games, 20 for patches." in words


def run_of(whole, run, games):
    """The first games of a run, of which the last shard is gone."""
    import pandas as pd

    assert whole.games == 60
    batches = run.batches("games")
    return pd.concat([next(batches) for _ in range(5)]).head(games)


def test_the_games_that_are_shown_are_the_typical_and_the_extreme_ones(greedy_run, greedy_report):
    games = greedy_run.games()
    margin = (games["score_0"] - games["score_1"]).abs()
    by_reason = {why.partition(":")[0]: one for one in greedy_report.shown for why in one.why}
    assert margin[by_reason["the largest margin"].game_index] == margin.max()
    assert margin[by_reason["the closest"].game_index] == margin.min()
    assert games[["score_0", "score_1"]].max(axis=1)[by_reason["the highest score"].game_index] == (
        games[["score_0", "score_1"]].to_numpy().max()
    )
    typical = margin[by_reason["typical"].game_index]
    assert (margin <= typical).mean() >= 0.5
    assert (margin >= typical).mean() >= 0.5
    for one in greedy_report.shown:
        assert one.command == f"patchstats replay {greedy_run.path} --game {one.game_index}"
        assert one.record == greedy_run.record(one.game_index)
