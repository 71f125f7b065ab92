"""No tile is lost or made in any game: patches, leathers, and the cells they cover."""

from collections import Counter

import pytest
from hypothesis import given

from patchstats.rules.events import LeatherPlaced, LeatherSetAside, LeatherTaken, Placed
from patchstats.testing import games, rulesets


@pytest.mark.clause("1.2", "5.6", "5.8")
@given(games())
def test_every_patch_is_always_on_the_ring_or_on_one_quilt(game):
    for position in game.positions:
        places = Counter(position.ring)
        for player in position.players:
            places.update(player.patches)
        assert places == {patch.id: 1 for patch in game.ruleset.patches}


@pytest.mark.clause("1.2", "1.6")
@given(games(rulesets=rulesets(invented=False)))
def test_by_the_shipped_rulesets_there_are_always_33_patches_of_166_cells_and_five_leathers(game):
    for position in game.positions:
        first, second = position.players
        assert len(position.ring) + len(first.patches) + len(second.patches) == 33
        on_ring = sum(game.ruleset[patch].size for patch in position.ring)
        covered = first.covered.bit_count() + second.covered.bit_count()
        assert on_ring + covered - first.leathers - second.leathers == 166
        placed = first.leathers + second.leathers
        assert len(position.leather_marks) + position.waiting + placed + position.set_aside == 5


@pytest.mark.clause("6.4", "6.5", "6.8")
@given(games())
def test_every_leather_is_on_the_track_or_waiting_or_on_a_quilt_or_set_aside(game):
    for position in game.positions:
        placed = sum(player.leathers for player in position.players)
        places = (len(position.leather_marks), position.waiting, placed, position.set_aside)
        assert min(places) >= 0
        assert sum(places) == len(game.ruleset.leather_marks)


@pytest.mark.clause("6.4", "6.7")
@given(games())
def test_the_leathers_waiting_are_those_taken_and_not_yet_placed_or_set_aside(game):
    waiting = 0
    for ply in game.plies:
        for event in ply.events:
            waiting += isinstance(event, LeatherTaken)
            waiting -= isinstance(event, LeatherPlaced | LeatherSetAside)
            assert waiting >= 0
        assert ply.after.waiting == waiting
    assert waiting == 0
    assert game.final.leather_marks == ()


@pytest.mark.clause("5.8", "6.5")
@given(games())
def test_the_covered_cells_add_up_and_lie_on_the_quilt(game):
    for position in game.positions:
        for player in position.players:
            tiles = sum(game.ruleset[patch].size for patch in player.patches) + player.leathers
            assert player.covered.bit_count() == tiles
            assert player.covered & ~game.ruleset.quilt == 0


@pytest.mark.clause("5.8", "6.5")
@given(games())
def test_a_quilt_holds_what_the_events_laid_on_it_and_nothing_under_another_tile(game):
    covered = [0, 0]
    for ply in game.plies:
        for event in ply.events:
            if isinstance(event, Placed | LeatherPlaced):
                cells = event.cells if isinstance(event, Placed) else 1 << event.cell
                assert cells & covered[event.seat] == 0
                covered[event.seat] |= cells
        assert [player.covered for player in ply.after.players] == covered


@pytest.mark.clause("6.8")
def test_games_with_leathers_on_a_quilt_and_set_aside_are_reached(reach):
    reach(
        games(rulesets=rulesets(shipped=False, quilt_sizes=(3, 3))),
        lambda game: game.final.set_aside > 0 and any(player.leathers for player in game.final.players),
    )
