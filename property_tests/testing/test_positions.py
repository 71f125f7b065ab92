"""`positions()`: nothing is wrong with those that were laid out without play, and play goes on from them."""

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from patchstats.rules import Ruleset
from patchstats.testing import positions, rulesets
from patchstats.testing.packing import pack

ORIGINAL = Ruleset.load("original")


@given(positions(played=False))
def test_nothing_is_wrong_with_a_position_that_was_laid_out(position):
    assert position.status() == ()


@pytest.mark.parametrize("kind", [{"invented": False}, {"shipped": False}], ids=["shipped", "invented"])
@given(data=st.data())
def test_play_goes_on_from_a_position_that_was_laid_out(kind, data):
    position = data.draw(positions(rulesets=rulesets(**kind), played=False))
    for choice in data.draw(st.lists(st.integers(0, 2**16), max_size=6)):
        if position.finished:
            break
        legal = position.legal_actions
        position, _ = position.apply(legal[choice % len(legal)])
        assert position.status() == ()


@given(positions(rulesets=rulesets(invented=False), laid_out=False))
def test_positions_that_were_played_have_moved_tokens_as_far_as_their_patches_took_them(position):
    for player in position.players:
        times = [position.ruleset[patch].time for patch in player.patches]
        assert sum(times) - max(times, default=0) <= player.space


def test_positions_of_neither_kind_are_refused():
    with pytest.raises(ValueError, match="nothing to draw"):
        positions(played=False, laid_out=False)


def test_a_position_that_was_laid_out_shrinks_to_a_plain_one():
    plain = find(
        positions(rulesets=st.just(ORIGINAL), played=False),
        lambda position: len(position.players[0].patches) == 2,
        settings=settings(max_examples=200, derandomize=True, database=None, phases=[Phase.generate, Phase.shrink]),
    )
    assert [(player.space, player.buttons, player.patches) for player in plain.players] == [
        (1, 0, {"p01", "p02"}),
        (0, 5, frozenset()),
    ]


@given(st.permutations([patch.id for patch in ORIGINAL.patches]), st.sampled_from([0, *ORIGINAL.bonus_squares]))
def test_packed_patches_lie_apart_on_free_cells_and_cover_the_target_or_all_that_was_found(patches, covered):
    laid = pack(ORIGINAL, patches, ORIGINAL.quilt, covered=covered, holes=3)
    assert sum(laid.values()).bit_count() == sum(ORIGINAL[patch].size for patch in laid)
    assert sum(laid.values()) & covered == 0
    for patch, cells in laid.items():
        assert any(way.pattern << cell == cells for way in ORIGINAL.distinct_ways_to_lay[patch] for cell in range(81))
