"""The action log: every ply as a number of two bytes, and back."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from patchstats.dataset.played import replay_to_the_end
from patchstats.errors import IllegalAction, RunError
from patchstats.notation.action_log import decode_action, encode_action, pack, unpack
from patchstats.rules import Advance, Buy, PlaceLeather, Position, Ruleset
from patchstats.testing import games, positions, situation

ORIGINAL = Ruleset.load("original")
START = Position.start(ORIGINAL, [f"p{number:02}" for number in range(1, 34)])
CODES = st.integers(0, 2**16 - 1)


def same_cells(position, action):
    """The orientation numbers in which the patch of a purchase covers the same cells."""
    ways = position.ruleset.ways_to_lay[action.patch]
    return [number for number, way in enumerate(ways) if way.pattern == ways[action.orientation].pattern]


@given(position=positions())
def test_every_legal_action_has_a_code_of_its_own_that_is_read_back(position):
    actions = list(position.legal_actions)
    codes = [encode_action(position, action) for action in actions]
    assert [decode_action(position, code) for code in codes] == actions
    assert len(set(codes)) == len(actions)


@given(position=positions())
def test_the_bits_of_a_code_are_those_of_the_format(position):
    for action in position.legal_actions:
        match action:
            case Advance():
                fields = (0, 0, 0, 0)
            case Buy(patch, orientation, cell):
                fields = (1, position.ring.index(patch), min(same_cells(position, action)), cell)
                assert orientation == fields[2]
            case PlaceLeather(cell):
                fields = (2, 0, 0, cell)
        kind, slot, orientation, cell = fields
        assert encode_action(position, action) == kind + 4 * slot + 32 * orientation + 256 * cell < 2**15


@given(position=positions())
def test_purchases_that_cover_the_same_cells_have_one_code_with_the_lowest_orientation(position):
    for action in position.legal_actions.purchases:
        for number in same_cells(position, action):
            other = Buy(action.patch, number, action.cell)
            assert encode_action(position, other) == encode_action(position, action)


@given(position=positions(), code=CODES)
def test_any_code_is_refused_or_means_an_action_that_has_this_code_if_it_is_legal(position, code):
    try:
        action = decode_action(position, code)
    except RunError:
        return
    if action in position.legal_actions:
        canonical = encode_action(position, action)
        assert decode_action(position, canonical) in list(position.legal_actions)
        # Only the orientation, bits 5 to 7, may be another one of equal ones.
        assert code & ~0b11100000 == canonical & ~0b11100000
        assert code == canonical or code >> 5 & 7 in same_cells(position, action)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(3, id="no kind"),
        pytest.param(0 | 1 << 2, id="an advance with a slot"),
        pytest.param(0 | 1 << 5, id="an advance with an orientation"),
        pytest.param(0 | 1 << 8, id="an advance with a cell"),
        pytest.param(1 | 3 << 2, id="a slot beyond the offer"),
        pytest.param(2 | 1 << 2 | 9 << 8, id="a leather with a slot"),
        pytest.param(2 | 1 << 5 | 9 << 8, id="a leather with an orientation"),
    ],
)
def test_a_code_that_means_nothing_is_refused_with_its_parts(code):
    with pytest.raises(RunError, match=rf"{code} is no action here: kind {code & 3}, slot {code >> 2 & 7}"):
        decode_action(START, code)


def test_the_slots_end_where_the_ring_ends():
    position = situation(ORIGINAL, ring=["p02", "p03"], buttons=(9, 9))
    assert decode_action(position, 1 | 1 << 2) == Buy("p03", 0, 0)
    with pytest.raises(RunError):
        decode_action(position, 1 | 2 << 2)


@given(codes=st.lists(CODES))
def test_a_log_holds_two_bytes_a_ply_the_low_one_first(codes):
    log = pack(codes)
    assert [low + 256 * high for low, high in zip(log[::2], log[1::2], strict=True)] == codes
    assert unpack(log) == codes


@given(log=st.binary().filter(lambda log: len(log) % 2))
def test_a_log_of_half_a_ply_is_refused(log):
    with pytest.raises(RunError, match=f"two bytes a ply, and this one {len(log)} bytes"):
        unpack(log)


def log_of(game):
    return pack(encode_action(ply.before, ply.action) for ply in game.plies)


@given(game=games())
def test_a_game_is_played_again_from_its_log(game):
    plies = replay_to_the_end(game.ruleset, game.ring, log_of(game))
    assert [ply.action for ply in plies] == list(game.actions)
    assert [ply.events for ply in plies] == list(game.events)
    assert [*(ply.before for ply in plies), plies[-1].after] == list(game.positions)


@given(game=games(), data=st.data())
def test_a_log_that_ends_early_is_refused(game, data):
    plies = data.draw(st.integers(0, len(game.actions) - 1))
    with pytest.raises(RunError, match=f"after the {plies} plies of the log the game is not over"):
        replay_to_the_end(game.ruleset, game.ring, log_of(game)[: 2 * plies])


@given(game=games())
def test_a_log_that_goes_on_after_the_end_is_refused(game):
    with pytest.raises(IllegalAction, match=r"the game is over \(clause 8\.4\)"):
        replay_to_the_end(game.ruleset, game.ring, log_of(game) + pack([0]))


@given(game=games(), code=CODES, data=st.data())
def test_a_log_with_another_code_in_it_is_refused_or_another_game(game, code, data):
    codes = unpack(log_of(game))
    at = data.draw(st.integers(0, len(codes) - 1))
    assume(codes[at] != code)
    try:
        plies = replay_to_the_end(game.ruleset, game.ring, pack([*codes[:at], code, *codes[at + 1 :]]))
    except (RunError, IllegalAction):
        return
    assert plies[at].position == game.positions[at]
    assert plies[at].action != game.actions[at]
