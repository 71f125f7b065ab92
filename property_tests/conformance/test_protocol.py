"""The engine protocol: the session on its page, and our own engines behind it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.conformance.conform.scripts import illegal_actions, meaning
from patchstats.conformance.protocol.engines import REFERENCE, engine_named
from patchstats.conformance.protocol.messages import (
    ABILITIES,
    REQUESTS,
    STATE,
    format_action,
    read_action,
    read_position,
    set_up_from,
    state_of,
)
from patchstats.conformance.protocol.server import answers
from patchstats.errors import IllegalAction
from patchstats.rules import Buy, Position, Ruleset
from patchstats.testing import damaged_texts, games, positions, rulesets

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
SESSION = re.search(r"^```session\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)[1].splitlines()
ASKED = [line.removeprefix("> ") for line in SESSION if line.startswith("> ")]
ANSWERED = [line.removeprefix("< ") for line in SESSION if line.startswith("< ")]
NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
SMALL = rulesets(shipped=False, quilt_sizes=(3, 5), most_patches=4)


def asked(*requests):
    """The answers of the reference engine."""
    lines = (json.dumps({"id": number, **request}) for number, request in enumerate(requests, start=1))
    return [json.loads(line) for line in answers(lines, REFERENCE)]


def test_the_session_of_the_page_is_what_the_engine_answers():
    ran = subprocess.run(
        [str(Path(sys.executable).with_name("patchstats")), "engine"],
        input="".join(f"{line}\n" for line in ASKED),
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.splitlines() == ANSWERED
    assert ran.stderr == ""


def test_the_session_shows_every_request_and_every_kind_of_answer():
    assert {json.loads(line)["ask"] for line in ASKED} >= set(REQUESTS)
    shown = {key for line in ANSWERED for key in json.loads(line)}
    assert shown >= {"state", "count", "actions", "nodes", "refused", "error"}
    assert [json.loads(line)["id"] for line in ANSWERED] == [json.loads(line)["id"] for line in ASKED]


def test_the_page_names_every_word_of_the_protocol():
    for word in (*REQUESTS, *STATE, *ABILITIES):
        assert f"`{word}`" in PAGE


@given(positions(rulesets=SMALL))
def test_a_position_is_set_up_by_its_values(position):
    [answer] = asked({"ask": "position", "ruleset": position.ruleset.to_dict(), "position": set_up_from(position)})
    assert answer["state"] == state_of(position)
    assert read_position(position.ruleset, json.loads(json.dumps(set_up_from(position)))) == position


@given(games(rulesets=SMALL))
def test_a_game_goes_over_the_protocol_as_it_went(game):
    acts = [{"ask": "act", "action": format_action(action, game.ruleset)} for action in game.actions]
    found = asked({"ask": "start", "ruleset": game.ruleset.to_dict(), "ring": list(game.ring)}, *acts)
    assert [answer["state"] for answer in found] == [state_of(position) for position in game.positions]


@given(positions(rulesets=rulesets()), st.data())
def test_an_action_is_read_back_whichever_way_its_cells_are_listed(position, data):
    legal = position.legal_actions
    if not legal:
        return
    action = legal[data.draw(st.integers(0, len(legal) - 1))]
    said = format_action(action, position.ruleset)
    if isinstance(action, Buy):
        said["cells"] = data.draw(st.permutations(said["cells"]))
    assert read_action(position, said) == action


@given(positions(rulesets=SMALL))
def test_illegal_actions_are_refused_with_a_clause_and_change_nothing(position):
    slips = illegal_actions(position)
    assert slips
    for said in slips:
        assert isinstance(meaning(position, said), IllegalAction)
    begin = {"ask": "position", "ruleset": position.ruleset.to_dict(), "position": set_up_from(position)}
    found = asked(begin, *({"ask": "act", "action": said} for said in slips), {"ask": "state"})
    assert all(
        answer["refused"]["clause"] == meaning(position, said).clause
        for answer, said in zip(found[1:], slips, strict=False)
    )
    assert found[-1]["state"] == found[0]["state"]


def test_every_kind_of_illegal_action_is_tried_somewhere(reach):
    tried = positions(rulesets=SMALL).map(
        lambda position: {meaning(position, said).clause for said in illegal_actions(position)}
    )
    reach(
        tried,
        *(
            lambda clauses, number=number: number in clauses
            for number in ("3.5", "5.1", "5.4", "5.8", "6.5", "6.7", "8.4")
        ),
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("rubbish", "a request is one JSON object on one line"),
        ("[" * 100_000, "a request is one JSON object on one line"),
        ("[]", 'a request is a JSON object with an "id"'),
        ('{"ask": "state"}', 'a request is a JSON object with an "id"'),
        ('{"id": true, "ask": "state"}', 'a request is a JSON object with an "id"'),
        ('{"id": 1}', "ask: 'None' is none of hello, start"),
        ('{"id": 1, "ask": ["act"]}', "is none of hello, start"),
        ('{"id": 1, "ask": "act"}', "action: is missing"),
        ('{"id": 1, "ask": "act", "action": {"do": "advance"}}', "no game: ask for start first"),
        ('{"id": 1, "ask": "hello", "protocol": 2}', "protocol: this engine speaks 1"),
        ('{"id": 1, "ask": "start", "ruleset": 3, "ring": []}', "ruleset: is an object"),
        ('{"id": 1, "ask": "start", "ruleset": {}, "ring": []}', "ruleset: patches: is missing"),
        ('{"id": 1, "ask": "start", "ruleset": {}, "ring": "abc"}', "ring: is a list of patch ids"),
    ],
)
def test_what_is_no_request_is_answered_with_an_error(line, message):
    [answer] = map(json.loads, answers([line], REFERENCE))
    assert answer["error"]["kind"] == "request"
    assert message in answer["error"]["message"]


@given(st.lists(st.sampled_from(ASKED).flatmap(damaged_texts), max_size=6))
def test_damaged_requests_get_an_answer_each_and_the_engine_goes_on(lines):
    lines = [" ".join(line.splitlines()) for line in ASKED[:2] + lines]
    spoken = [line for line in [*lines, ASKED[0]] if line.strip()]
    found = list(map(json.loads, answers(spoken, REFERENCE)))
    assert len(found) == len(spoken)
    assert all(("error" in answer) or ("refused" in answer) or len(answer) > 1 for answer in found)
    assert found[-1] == json.loads(ANSWERED[0])


def test_a_ring_that_is_none_is_an_error():
    rules = Ruleset.load("original").to_dict()
    [answer] = asked({"ask": "start", "ruleset": rules, "ring": ["p01"]})
    assert "names every patch" in answer["error"]["message"]


@pytest.mark.skipif(not NIGHTLY, reason="compiles single plies, which takes long; done in the nightly profile")
def test_the_kernel_plays_the_same_over_the_protocol():
    kernel = engine_named("kernel")
    original = Ruleset.load("original")
    position = Position.start(original, [patch.id for patch in original.patches])
    for ply in range(90):
        if position.finished:
            break
        legal = position.legal_actions
        action = legal[(ply * 7919) % len(legal)]
        after = kernel.apply(position, action)
        assert after == position.apply(action).position
        assert kernel.perft(after, 1) == len(after.legal_actions)
        with pytest.raises(IllegalAction):
            kernel.apply(position, Buy("p01", 9, 0))
        position = after
    assert position.finished
