"""The agents by a rule so simple that everybody can foresee it: what each does in any position, and how games begin."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.agents import make_agent
from patchstats.notation import format_action
from patchstats.rules import Advance, Buy, PlaceLeather, Ruleset
from patchstats.simulation.game import play_game, ring_of
from patchstats.streams import SEATS, Stream
from patchstats.testing import positions, situation

ORIGINAL = Ruleset.load("original")
SPECS = ("advance-only", "first-legal", "cheapest", "biggest", "most-income")


def chosen(spec, position):
    seat = position.seat_on_turn
    return make_agent(spec, position.ruleset).sit_down(seat)(
        position, position.legal_actions, Stream(1, SEATS[seat], 0)
    )


def buyable(position):
    """The patches on offer that can be paid and placed, in the order of the offer."""
    bought = {action.patch for action in position.legal_actions.purchases}
    return [position.ruleset[patch] for patch in position.offer if patch in bought]


def on_turn(position):
    return not position.finished and not position.waiting


TURNS = positions().filter(on_turn)


# In any position


@given(TURNS)
def test_advance_only_advances_whatever_is_on_offer(position):
    assert chosen("advance-only", position) == Advance()


@given(TURNS)
def test_first_legal_buys_no_patch_when_one_nearer_to_the_neutral_token_can_be_bought(position):
    action = chosen("first-legal", position)
    if isinstance(action, Buy):
        assert action.patch == buyable(position)[0].id


@given(TURNS)
def test_cheapest_never_buys_a_dearer_patch_when_a_cheaper_one_can_be_bought(position):
    action = chosen("cheapest", position)
    if isinstance(action, Buy):
        assert position.ruleset[action.patch].cost == min(patch.cost for patch in buyable(position))


@given(TURNS)
def test_biggest_never_buys_a_smaller_patch_when_a_bigger_one_can_be_bought(position):
    action = chosen("biggest", position)
    if isinstance(action, Buy):
        assert position.ruleset[action.patch].size == max(patch.size for patch in buyable(position))


@given(TURNS)
def test_most_income_never_buys_a_patch_of_less_income_when_one_of_more_can_be_bought(position):
    action = chosen("most-income", position)
    if isinstance(action, Buy):
        assert position.ruleset[action.patch].income == max(patch.income for patch in buyable(position))


WORTH = {
    "first-legal": lambda _: 0,
    "cheapest": lambda patch: -patch.cost,
    "biggest": lambda patch: patch.size,
    "most-income": lambda patch: patch.income,
}


@pytest.mark.parametrize("spec", WORTH)
@given(position=TURNS)
def test_of_equal_patches_the_first_on_offer_is_bought_at_its_first_place_and_only_without_any_it_advances(
    spec, position
):
    patches = buyable(position)
    expected = Advance()
    if patches:
        best = max(patches, key=WORTH[spec])  # the first of equal ones
        expected = next(action for action in position.legal_actions.purchases if action.patch == best.id)
    assert chosen(spec, position) == expected


def test_positions_in_which_the_rules_differ_from_each_other_are_among_the_drawn_ones(reach):
    def differ(one, other):
        return lambda position: max(buyable(position), key=WORTH[one]) != max(buyable(position), key=WORTH[other])

    several = TURNS.filter(lambda position: len(buyable(position)) > 1)
    reach(several, *(differ(one, other) for one in WORTH for other in WORTH if one < other))


@pytest.mark.parametrize("spec", SPECS)
@given(covered=st.sets(st.integers(0, 80), max_size=80))
def test_a_waiting_leather_goes_on_the_first_empty_cell(spec, covered):
    position = situation(ORIGINAL, spaces=(20, 5), covered=(covered, ()), waiting=1)
    assert chosen(spec, position) == PlaceLeather(min(set(range(81)) - covered))


# How games begin

#: The ring of the transcripts. The first patches by cost and income: p29 8 3, p17 5 2, p24 2 0, p18 7 1, p23 1 1,
#: p15 3 1, p10 6 2, p30 10 3, p32 2 0, p04 3 0, p09 4 2, p14 2 1, p20 10 3, p12 1 0, p25 3 2, p22 1 0, p26 4 0.
RING = (
    "p29 p17 p24 p18 p23 p15 p10 p30 p32 p04 p09 p14 p20 p12 p25 p22 p26 p31 p13 p16 p19 p07 p05 p33 p08 p21 p03 p27 "
    "p02 p06 p28 p11 p01"
)

TRANSCRIPTS = {
    "advance-only": ["0 advance", "1 advance"] * 6,
    "first-legal": [
        "0 p17/0@a1",
        "1 p24/0@a1",
        "1 p23/0@e1",
        "0 advance",
        "1 p15/0@d3",
        "0 p32/0@d1",
        "0 p14/0@f2",
        "1 advance",
        "0 p12/0@a4",
        "1 p25/0@a3",
        "1 leather@a1",
        "0 p22/0@d4",
    ],
    "cheapest": [
        "0 p24/0@a1",
        "1 p23/0@a1",
        "0 p15/0@d1",
        "0 advance",
        "1 p32/0@e1",
        "0 p14/0@f2",
        "1 p12/0@a3",
        "0 advance",
        "1 p22/0@d3",
        "0 p31/0@b3",
        "1 p13/0@a5",
        "1 advance",
    ],
    "biggest": [
        "0 p24/0@a1",
        "1 p23/0@a1",
        "0 p15/0@d1",
        "0 advance",
        "1 p32/0@e1",
        "0 p14/0@f2",
        "1 p25/0@b2",
        "0 advance",
        "1 p31/0@b4",
        "0 p13/0@d3",
        "0 p16/0@a3",
        "0 leather@a1",
    ],
    "most-income": [
        "0 p17/0@a1",
        "1 p23/0@a1",
        "1 p15/0@e1",
        "0 p32/0@d1",
        "0 advance",
        "1 p14/0@a3",
        "0 p12/0@g1",
        "0 p25/0@g3",
        "1 p31/0@e2",
        "1 p13/0@a5",
        "1 p07/0@d5",
        "1 leather@i1",
    ],
}


def test_every_agent_of_a_simple_rule_has_a_transcript():
    assert tuple(TRANSCRIPTS) == SPECS
    assert " ".join(ring_of(ORIGINAL, seed=1, ring_index=0)) == RING


@pytest.mark.parametrize("spec", SPECS)
def test_the_first_plies_of_a_game_against_itself_are_these(spec):
    agent = make_agent(spec, ORIGINAL)
    game = play_game(ORIGINAL, (agent, agent), seed=1, game_index=0, ring_index=0)
    plies = [f"{ply.seat} {format_action(ply.action, 9)}" for ply in game.plies]
    assert " ".join(game.ring) == RING
    assert plies[:12] == TRANSCRIPTS[spec]
