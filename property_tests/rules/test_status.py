"""`Position.status`: nothing is wrong in any game, and each thing that can be wrong is found."""

from dataclasses import replace

import pytest
from hypothesis import given

from patchstats.rules import Player, Position, Ruleset
from patchstats.rules.cells import set_of
from patchstats.testing import games, situation

ORIGINAL = Ruleset.load("original")


@pytest.mark.clause("9.5", "6.4", "5.8")
@given(games())
def test_nothing_is_wrong_at_any_time_in_any_game(game):
    for position in game.positions:
        assert position.status() == ()


IDS = [patch.id for patch in ORIGINAL.patches]
OWNER, TAKER = 0, 1

#: The owner has bought p21, with 6 cells and an income of 1; the taker has placed the leather of space 20 on cell 0.
GOOD = replace(
    situation(ORIGINAL, spaces=(19, 20), buttons=(3, 8), ring=[patch for patch in IDS if patch != "p21"]),
    players=(
        Player(space=19, buttons=3, income=1, covered=set_of([1, 9, 10, 11, 12, 19]), patches=frozenset({"p21"})),
        Player(space=20, buttons=8, covered=set_of([0]), leathers=1),
    ),
)
#: The end of a game in which nobody bought anything.
END = replace(
    situation(ORIGINAL, spaces=(53, 53), buttons=(58, 58), top=1),
    players=(Player(space=53, buttons=58), Player(space=53, buttons=58, covered=set_of(range(5)), leathers=5)),
)
START = Position.start(ORIGINAL, IDS)


def with_player(position, seat, **changes):
    """The position with some things of one seat changed."""
    players = list(position.players)
    players[seat] = replace(players[seat], **changes)
    return replace(position, players=tuple(players))


def test_the_positions_that_the_faults_are_put_into_are_good():
    assert GOOD.status() == END.status() == START.status() == ()


def fault(clause, what, position, *said):
    """One tampered position: the clause that it breaks, what is wrong, and what must be said of it."""
    return pytest.param(position, clause, said, id=what, marks=pytest.mark.clause(clause))


FAULTS = [
    fault("2.5", "a ring that begins elsewhere", replace(START, ring=START.ring[::-1]), "p01 is not the last"),
    fault(
        "2.1", "more buttons at the start", replace(with_player(START, 1, buttons=6), bank=151), "seat 1 has 6 buttons"
    ),
    fault("1.3", "before the start", with_player(GOOD, OWNER, space=-1), "stands on space -1"),
    fault(
        "1.3",
        "beyond the finish",
        replace(with_player(END, 0, space=54), first_finisher=1, top=0),
        "seat 0 stands on space 54, outside 0 to 53",
    ),
    fault(
        "3.2",
        "seat 1 on top at the start",
        replace(START, top=1),
        "seat 1 moved last",
    ),
    fault("3.2", "a third seat on top", replace(GOOD, top=2), "the token on top is that of seat 2"),
    fault("3.2", "nobody on top", replace(GOOD, top=None), "the token on top is that of seat None"),
    fault("9.4", "a first finisher on the way", replace(GOOD, first_finisher=0), "the first finisher is 0"),
    fault("9.4", "no first finisher at the end", replace(END, first_finisher=None), "the first finisher is None"),
    fault("9.4", "the first finisher on top", replace(END, top=END.first_finisher), "finished first, and yet"),
    fault(
        "5.8",
        "a cell covered by nothing",
        with_player(GOOD, OWNER, covered=GOOD.players[OWNER].covered | 1 << 80),
        f"seat {OWNER} has 7 covered cells under patches and leathers of 6",
    ),
    fault("5.8", "a patch over no cell", with_player(GOOD, OWNER, covered=0), f"seat {OWNER} has 0 covered cells"),
    fault(
        "5.8", "a cell outside the quilt", with_player(GOOD, TAKER, covered=1 << 81), "covered cells outside its quilt"
    ),
    fault("5.8", "a quilt of all numbers", with_player(GOOD, TAKER, covered=-1), "covered cells outside its quilt"),
    fault("6.2", "an income without a patch", with_player(GOOD, TAKER, income=3), f"seat {TAKER} has an income of 3"),
    fault("6.2", "a patch without its income", with_player(GOOD, OWNER, income=0), f"seat {OWNER} has an income of 0"),
    fault("1.2", "a patch in two places", replace(GOOD, ring=(*GOOD.ring, "p21")), "patch p21 is 2 times"),
    fault("1.2", "a patch on the ring twice", replace(GOOD, ring=(*GOOD.ring, "p05")), "patch p05 is 2 times"),
    fault("1.2", "a patch nowhere", replace(GOOD, ring=GOOD.ring[1:]), f"patch {GOOD.ring[0]} is 0 times"),
    fault("1.2", "a patch of another game", replace(GOOD, ring=(*GOOD.ring, "p99")), "p99 is not in the ruleset"),
    fault(
        "1.5", "a leather off the marks", replace(GOOD, leather_marks=(26, 32, 44, 51)), "(26, 32, 44, 51), which are"
    ),
    fault("1.5", "leathers out of order", replace(GOOD, leather_marks=(32, 26, 44, 50)), "which are not leather marks"),
    fault(
        "1.5", "two leathers on a mark", replace(GOOD, leather_marks=(26, 26, 44, 50)), "which are not leather marks"
    ),
    fault(
        "6.4",
        "a leather that was passed",
        with_player(replace(GOOD, leather_marks=ORIGINAL.leather_marks), TAKER, leathers=0, covered=0),
        "a leather still lies at or behind space 20",
    ),
    fault(
        "6.4",
        "a leather taken that no token has reached",
        with_player(replace(GOOD, leather_marks=(26, 32, 44)), TAKER, leathers=2, covered=3),
        "a leather is gone from beyond space 20",
    ),
    fault("6.4", "a leather lost", replace(GOOD, leather_marks=(26, 32, 44)), "3 leathers on the track", "are not 5"),
    fault("6.4", "a leather too many", replace(GOOD, set_aside=1), "1 set aside", "are not 5"),
    fault("6.4", "a leather waiting that was placed", replace(GOOD, waiting=1), "1 waiting", "are not 5"),
    fault("6.4", "a negative number waiting", replace(GOOD, waiting=-1, set_aside=1), "-1 leathers are waiting"),
    fault("6.4", "a negative number set aside", replace(GOOD, set_aside=-1, waiting=1), "-1 leathers are set aside"),
    fault(
        "6.4",
        "a negative number placed",
        replace(with_player(GOOD, TAKER, leathers=-1, covered=0), set_aside=2),
        "-1 leathers are placed",
    ),
    fault(
        "6.8",
        "a leather set aside while no quilt is full",
        replace(with_player(GOOD, TAKER, leathers=0, covered=0), set_aside=1),
        "1 leathers are set aside, and no quilt is full",
    ),
    fault(
        "3.2",
        "a token that moved last and stands on the start",
        replace(situation(ORIGINAL, spaces=(7, 0)), top=1),
        "seat 1 moved last, and yet its token stands on the start",
    ),
    fault(
        "3.2",
        "the token of seat 0 that moved last and stands on the start",
        replace(situation(ORIGINAL, spaces=(0, 7)), top=0),
        "seat 0 moved last, and yet its token stands on the start",
    ),
    fault(
        "5.4",
        "a seat in debt",
        replace(with_player(GOOD, 0, buttons=-2), bank=GOOD.bank + GOOD.players[0].buttons + 2),
        "seat 0 has -2 buttons",
    ),
    fault("9.5", "a button lost", replace(GOOD, bank=GOOD.bank - 1), "hold 161 buttons, and the supply is 162"),
    fault("9.5", "a button too many", with_player(GOOD, 1, buttons=GOOD.players[1].buttons + 1), "hold 163 buttons"),
    fault("7.1", "a bonus for nothing", replace(GOOD, bonus_owner=0), "the bonus is with 0"),
]


@pytest.mark.parametrize(("position", "clause", "said"), FAULTS)
def test_each_thing_that_is_wrong_is_named_with_the_clause_it_breaks(position, clause, said):
    faults = position.status()
    assert any(all(part in fault for part in said) and fault.endswith(f"({clause})") for fault in faults), faults


@pytest.mark.clause("7.1")
@pytest.mark.parametrize(
    ("covered", "owner", "wrong"),
    [
        (((), ()), None, False),
        ((range(9 * 7), ()), 0, False),
        ((range(9 * 7), ()), None, True),
        ((range(9 * 7), ()), 1, True),
        ((range(9 * 7), range(9 * 7)), 1, False),
        ((range(9 * 7), range(9 * 7)), None, True),
    ],
)
def test_a_bonus_and_a_covered_square_belong_together(covered, owner, wrong):
    faults = situation(ORIGINAL, covered=covered, bonus_owner=owner).status()
    assert any("the bonus is with" in fault for fault in faults) == wrong


@pytest.mark.clause("6.8")
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("empty", "wrong"), [(0, True), (1, False)])
def test_a_leather_does_not_wait_for_a_full_quilt(seat, empty, wrong):
    covered = [(), ()]
    covered[seat] = range(81 - empty)
    faults = situation(ORIGINAL, spaces=(21, 21), top=seat, covered=covered, waiting=1).status()
    assert any(f"waits for the full quilt of seat {seat}" in fault for fault in faults) == wrong


@pytest.mark.clause("2.1")
@pytest.mark.parametrize("spaces", [(0, 7), (7, 0)])
def test_buttons_are_asked_about_only_while_nobody_has_moved(spaces):
    faults = situation(ORIGINAL, spaces=spaces, buttons=(3, 9)).status()
    assert not any(fault.endswith("(2.1)") for fault in faults)


def test_everything_that_is_wrong_is_named_at_once():
    faults = replace(with_player(GOOD, 0, buttons=-1), top=7, waiting=3, bonus_owner=1).status()
    assert [fault.rpartition("(")[2].rstrip(")") for fault in faults] == ["3.2", "6.4", "5.4", "9.5", "7.1"]
