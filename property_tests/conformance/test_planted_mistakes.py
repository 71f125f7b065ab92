"""Engines of another make with one mistake each: every mistake is found, under its clause, with a short game."""

import json
import os
import runpy
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from patchstats.conformance.conform import drawn
from patchstats.conformance.conform.abilities import Abilities
from patchstats.conformance.conform.check import check
from patchstats.conformance.conform.drawn import Drawn, plain_games
from patchstats.conformance.conform.report import history, is_shipped
from patchstats.conformance.protocol.engines import REFERENCE
from patchstats.conformance.protocol.server import answers
from patchstats.notation import parse_record, replay_record
from patchstats.rules import Ruleset
from patchstats.rules.rulebook import clauses

ENGINE = str(Path(__file__).parent / "engines" / "compact.py")
LONGEST = 10
NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
#: For each mistake the clauses that it breaks.
BREAKS = {
    "income-by-landing-only": {"6.2"},
    "income-by-passing-only": {"6.1"},
    "income-again-when-leaving": {"6.1"},
    "one-income-a-move": {"6.2"},
    "finish-pays-twice": {"6.3"},
    "new-patch-pays-later": {"5.10"},
    "income-helps-to-pay": {"5.4"},
    "leather-by-passing-only": {"6.1"},
    "leather-twice": {"6.4"},
    "leather-optional": {"6.7"},
    "leather-anywhere": {"6.5"},
    "leather-waits-for-room": {"6.8"},
    "no-bonus-by-leather": {"7.2"},
    "other-token-on-top": {"3.2"},
    "seats-alternate": {"3.3"},
    "advance-pays-one-too-few": {"4.2"},
    "advance-pays-beyond-the-finish": {"4.5"},
    "advance-lands-on-the-other": {"4.1"},
    "past-the-finish": {"4.5", "5.11"},
    "stops-short-of-the-finish": {"4.5", "5.11"},
    "bonus-twice": {"7.3"},
    "bonus-for-a-smaller-square": {"7.1"},
    "bonus-is-buttons": {"7.4"},
    "neutral-token-stays": {"5.6"},
    "neutral-token-before-the-start-patch": {"2.5"},
    "offer-of-four": {"5.1"},
    "offer-goes-round": {"5.2"},
    "no-flips": {"5.8"},
    "one-button-too-few": {"5.4"},
    "keeps-the-last-button": {"5.4"},
    "patches-must-touch": {"5.8"},
    "slips-become-advances": {"5.13"},
    "pays-before-it-looks": {"5.13"},
    "buttons-for-bought-spaces": {"5.9"},
    "ends-at-the-first-arrival": {"8.1"},
    "tie-goes-to-seat-0": {"9.4"},
    "one-point-a-gap": {"9.1"},
    "no-score-below-zero": {"9.3"},
    "incomes-score": {"9.2"},
}


def checked(*words, **options):
    """What a check of the compact engine finds, with a mistake or without some ability."""
    return check([sys.executable, "-I", "-S", ENGINE, *words], **options)


def test_every_mistake_of_the_engine_has_its_clause_here():
    assert runpy.run_path(ENGINE)["MISTAKES"] == list(BREAKS)


#: Those that are much like others wait for the nightly profile.
SEVERAL_OF_A_KIND = {
    "income-by-passing-only",
    "income-again-when-leaving",
    "income-helps-to-pay",
    "leather-by-passing-only",
    "leather-anywhere",
    "advance-pays-beyond-the-finish",
    "stops-short-of-the-finish",
    "no-bonus-by-leather",
    "bonus-is-buttons",
    "neutral-token-before-the-start-patch",
    "offer-goes-round",
    "one-button-too-few",
    "patches-must-touch",
    "pays-before-it-looks",
    "no-score-below-zero",
    "incomes-score",
}


@pytest.mark.parametrize("mistake", BREAKS if NIGHTLY else [one for one in BREAKS if one not in SEVERAL_OF_A_KIND])
def test_a_planted_mistake_is_found_with_a_short_game(mistake):
    findings = checked(mistake, parts=["drawn"], examples=30 if NIGHTLY else 2)
    assert not findings.faults
    assert findings.broken.keys() & BREAKS[mistake]
    assert findings.broken.keys() <= BREAKS[mistake]
    for difference in findings.broken.values():
        assert difference.script.ring is not None
        assert difference.length <= LONGEST
        assert difference.telling in difference.values
        record = parse_record(history(difference), difference.script.ruleset)
        assert len(replay_record(record)) == len(difference.plies)
        shows_it(mistake, difference)


def shows_it(mistake, difference):
    """The requests that are told bring the difference back, and the reference engine answers them otherwise."""
    answer = runpy.run_path(ENGINE)["answer"]
    answer.__globals__["MISTAKE"] = mistake
    game = {}
    requests = [{"id": number, **request} for number, request in enumerate(difference.session)]
    theirs = [answer(request, game) for request in requests]
    ours = [json.loads(line) for line in answers(map(json.dumps, requests), REFERENCE)]
    value, last = difference.telling, theirs[-1]
    if value.field in ("accepts", "refuses"):
        assert ("refused" in last) != ("refused" in ours[-1])
    elif value.field in ("count", "list"):
        assert last != {key: ours[-1][key] for key in last}
    elif value.expected != "the action is refused":
        keys = [key for key in last["state"] if last["state"][key] != ours[-1]["state"][key]]
        assert keys
        assert value.field in (*keys, "changes")


@pytest.mark.parametrize(
    ("mistake", "clause"),
    [("leather-waits-for-room", "6.8"), ("bonus-twice", "7.3"), ("incomes-score", "9.2")],
)
def test_the_rule_cases_find_a_mistake_of_their_own(mistake, clause):
    findings = checked(mistake, parts=["cases"])
    assert clause in findings.broken
    assert findings.tallies["cases"].different > 0


def test_perft_follows_a_wrong_count_to_the_action_behind_it():
    findings = checked("no-flips", parts=["perft"])
    assert findings.tallies["perft"].different > 5
    assert findings.broken.keys() == {"5.8"}
    assert findings.broken["5.8"].telling.field == "count"
    findings = checked("leather-twice", parts=["perft"])
    assert findings.broken.keys() == {"6.4"}
    assert len(findings.broken["6.4"].plies) > 0


@pytest.fixture(scope="module")
def right():
    """What a check of the right engine finds."""
    return checked(examples=20)


def test_the_right_engine_passes_in_all_that_is_asked(right):
    assert right.passed
    assert right.tallies.keys() == {"cases", "games", "perft", "drawn"}
    assert not any(tally.different for tally in right.tallies.values())
    left_out = {clause.number for clause in clauses() if right.verdict(clause) != "held"}
    assert left_out == {"1.6", "2.7"}


def test_a_partial_engine_is_checked_in_what_it_can_do(right):
    findings = checked(
        "without:perft,position,list,refuse,rulesets,score,winner,bonus_owner,ring",
        parts=["cases", "perft", "drawn"],
        examples=5,
    )
    assert findings.passed
    by_number = {clause.number: clause for clause in clauses()}
    assert {"3.1", "4.2", "6.2", "5.8"} <= findings.held
    assert {"9.1", "9.4", "7.1", "5.13"} & findings.held == set()
    assert findings.why_not_covered(by_number["9.1"]).startswith("needs ")
    assert findings.tallies["perft"].left_out == {"the engine has no perft": findings.tallies["perft"].of}
    assert "needs the request position" in findings.tallies["cases"].left_out
    assert findings.held < right.held


def test_a_partial_engine_is_caught_in_what_it_can_do():
    findings = checked("new-patch-pays-later", "without:list,count,refuse,rulesets", parts=["drawn"], examples=8)
    assert findings.broken.keys() == {"5.10"}
    assert is_shipped(findings.broken["5.10"].script.ruleset)


@pytest.mark.parametrize(
    ("mistake", "clause", "field"),
    [
        ("leather-optional", "6.7", "accepts"),
        ("pays-before-it-looks", "5.13", "changes"),
        ("slips-become-advances", "5.13", "changes"),
    ],
)
def test_what_an_engine_lets_pass_is_seen_without_a_count_of_actions(mistake, clause, field):
    findings = checked(mistake, "without:list,count,perft", parts=["drawn"], examples=2)
    assert clause in findings.broken
    assert findings.broken[clause].telling.field == field
    assert findings.broken[clause].illegal is not None
    assert checked(mistake, "without:list,count,perft,refuse", parts=["drawn"], examples=2).passed


def test_the_same_seed_finds_the_same_games():
    first, second = (checked("bonus-twice", parts=["drawn"], examples=3, seed=7) for _ in range(2))
    assert [one.session for one in first.broken.values()] == [one.session for one in second.broken.values()]
    assert first.tallies == second.tallies


def test_an_engine_is_asked_for_the_rulesets_only_that_it_names():
    abilities = Abilities("one", "1", frozenset(), ("space",), ("original", "another"))
    original = Ruleset.load("original")
    assert abilities.plays(original)
    assert not abilities.plays(Ruleset.load("revised"))
    assert not abilities.plays(original.with_changes({"patches.p01.cost": 9}))
    assert replace(abilities, rulesets=None).plays(Ruleset.load("revised"))
    assert {game.ruleset for game in plain_games(abilities.plays)} == set()


def test_a_long_game_is_made_shorter(monkeypatch):
    original = Ruleset.load("original")
    long = Drawn(original, tuple(patch.id for patch in original.patches), ((1, 0), (0, 0)) * 60)
    monkeypatch.setattr(drawn, "plain_games", lambda _: [long])
    search = drawn.search
    monkeypatch.setattr(
        drawn, "search", lambda *settings, shrink: search(*settings, shrink=True) if shrink else None
    )  # nothing but the long game is known to begin with
    findings = checked("finish-pays-twice", parts=["drawn"], examples=200)
    assert findings.broken["6.3"].length <= 3
    monkeypatch.setattr("patchstats.conformance.conform.check._Check._shorten", lambda *_: None)
    assert checked("finish-pays-twice", parts=["drawn"], examples=1).broken["6.3"].length > 40
