"""The game kept a second time, with piles of tokens, a circle of patches and bare lists, beside every position.

Of the engine this knows only what was played: the actions, and the cells that the log says a patch went onto.
"""

import pytest
from hypothesis import given

from patchstats.rules import Advance, Buy, PlaceLeather
from patchstats.rules.events import Placed
from patchstats.testing import games, rulesets


class Table:
    """A table on which tokens walk space by space; `top` ends of lists are their last elements."""

    def __init__(self, ruleset, ring):
        self.ruleset = ruleset
        self.piles = [[] for _ in range(ruleset.finish + 1)]
        self.piles[0] = [1, 0]
        self.circle = list(ring)
        self.neutral = self.circle.index(ruleset.start_patch) + 1
        self.buttons = [ruleset.start_buttons] * 2
        self.patches = [[], []]
        self.quilts = [set(), set()]
        self.taken = set()
        self.waiting = []
        self.set_aside = 0
        self.bonus_owners = []
        self.arrived = []

    def space_of(self, seat):
        return next(space for space, pile in enumerate(self.piles) if seat in pile)

    def seat_on_turn(self):
        if self.waiting:
            return self.waiting[0]
        return next((pile[-1] for pile in self.piles[:-1] if pile), None)

    def round_the_circle(self):
        """The patches as the neutral token would meet them on one round."""
        return [self.circle[(self.neutral + step) % len(self.circle)] for step in range(len(self.circle))]

    def income_of(self, seat):
        return sum(self.ruleset[patch].income for patch in self.patches[seat])

    def play(self, action, events):
        seat = self.seat_on_turn()
        match action:
            case Advance():
                while self.space_of(seat) <= self.space_of(1 - seat) and seat not in self.piles[-1]:
                    self.buttons[seat] += 1
                    self.step(seat)
            case Buy(patch):
                self.neutral = self.circle.index(patch)
                self.circle.remove(patch)
                self.buttons[seat] -= self.ruleset[patch].cost
                self.patches[seat].append(patch)
                [cells] = [event.cells for event in events if isinstance(event, Placed)]
                for cell in range(self.ruleset.quilt_size**2):
                    if cells & 1 << cell:
                        self.cover(seat, cell)
                self.look_for_a_square(seat)
                for _ in range(self.ruleset[patch].time):
                    if seat not in self.piles[-1]:
                        self.step(seat)
            case PlaceLeather(cell):
                self.waiting.pop(0)
                self.cover(seat, cell)
                self.look_for_a_square(seat)
        while self.waiting and len(self.quilts[seat]) == self.ruleset.quilt_size**2:
            self.waiting.pop(0)
            self.set_aside += 1

    def step(self, seat):
        space = self.space_of(seat)
        self.piles[space].remove(seat)
        self.piles[space + 1].append(seat)
        if space + 1 in self.ruleset.income_marks:
            self.buttons[seat] += self.income_of(seat)
        if space + 1 in self.ruleset.leather_marks and space + 1 not in self.taken:
            self.taken.add(space + 1)
            self.waiting.append(seat)
        if space + 1 == self.ruleset.finish:
            self.arrived.append(seat)

    def cover(self, seat, cell):
        assert cell not in self.quilts[seat]
        self.quilts[seat].add(cell)

    def look_for_a_square(self, seat):
        size, side = self.ruleset.quilt_size, self.ruleset.bonus_square
        if not self.bonus_owners:
            for top in range(size - side + 1):
                for left in range(size - side + 1):
                    rows, columns = range(top, top + side), range(left, left + side)
                    if all(row * size + column in self.quilts[seat] for row in rows for column in columns):
                        self.bonus_owners = [seat]


def walked(game):
    """The table beside the position, at the start and after every ply of a game."""
    table = Table(game.ruleset, game.ring)
    yield table, game.positions[0]
    for ply in game.plies:
        table.play(ply.action, ply.events)
        yield table, ply.after


@pytest.mark.clause("2.2", "3.1", "3.2", "3.3", "3.4", "4.1", "4.5", "5.9", "5.12", "6.7", "8.1", "4.4", "5.2", "5.3")
@given(games())
def test_the_token_on_top_of_the_rearmost_pile_acts_unless_a_leather_waits(game):
    for table, position in walked(game):
        assert [player.space for player in position.players] == [table.space_of(0), table.space_of(1)]
        assert position.seat_on_turn == table.seat_on_turn()
        assert position.finished == (table.seat_on_turn() is None)


@pytest.mark.clause("2.5", "5.1", "5.2", "5.3", "5.6")
@given(games())
def test_a_neutral_token_that_walks_round_a_circle_meets_the_patches_on_offer(game):
    for table, position in walked(game):
        met = table.round_the_circle()
        assert list(position.ring) == met
        assert list(position.offer) == met[: game.ruleset.offer_size]


@pytest.mark.clause("4.2", "4.3", "5.7", "5.9", "5.10", "6.1", "6.2", "6.3", "9.5", "5.1", "7.4", "8.2")
@given(games())
def test_tokens_that_walk_space_by_space_bring_the_same_buttons(game):
    for table, position in walked(game):
        assert [player.buttons for player in position.players] == table.buttons
        assert [player.income for player in position.players] == [table.income_of(0), table.income_of(1)]
        assert position.bank == game.ruleset.button_supply - sum(table.buttons)


@pytest.mark.clause("6.4", "6.5", "6.7", "6.8")
@given(games())
def test_the_first_token_on_a_leather_mark_takes_the_leather_and_nobody_takes_it_again(game):
    for table, position in walked(game):
        assert set(position.leather_marks) == set(game.ruleset.leather_marks) - table.taken
        assert [position.top] * position.waiting == table.waiting
        assert position.set_aside == table.set_aside
        for player, patches, quilt in zip(position.players, table.patches, table.quilts, strict=True):
            assert player.patches == set(patches)
            assert player.leathers == len(quilt) - sum(game.ruleset[patch].size for patch in patches)


@pytest.mark.clause("7.1", "7.2", "7.3")
@given(games(rulesets=rulesets(quilt_sizes=(3, 7))))
def test_the_bonus_is_won_once_and_when_the_first_whole_square_lies_there(game):
    for table, position in walked(game):
        assert position.bonus_owner == next(iter(table.bonus_owners), None)


@pytest.mark.clause("9.4")
@given(games())
def test_the_seat_that_has_walked_onto_the_finish_first_is_the_first_finisher(game):
    for table, position in walked(game):
        assert position.first_finisher == next(iter(table.arrived), None)
    assert len(table.arrived) == 2
