"""What was the case when an engine was compared, by the words that `data/protocol/differences.toml` uses.

Facts and amounts are told from what the reference engine did; which clause they point to is said in that file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from patchstats.rules import Action, Advance, Buy, Event, PlaceLeather, Position
from patchstats.rules.events import BonusWon, Income, LeatherSetAside, LeatherTaken, Moved


@dataclass(frozen=True)
class Moment:
    """A position that an engine is compared in: how it came about, if by an action, and what it is.

    Attributes:
        before: the position before the action, or None at an opening.
        action: what was played, or None.
        events: what happened.
        after: the position that is compared.
        from_start: whether it is the first position of a game, and not one that was set up.
    """

    before: Position | None
    action: Action | None
    events: tuple[Event, ...]
    after: Position
    from_start: bool = False

    @cached_property
    def mover(self) -> int | None:
        """Who acted."""
        return None if self.before is None else self.before.seat_on_turn

    @cached_property
    def way(self) -> tuple[int, int] | None:
        """The spaces where the token that moved was and is."""
        return next(((event.start, event.end) for event in self.events if isinstance(event, Moved)), None)

    @cached_property
    def incomes(self) -> list[Income]:
        """The incomes paid that were more than 0."""
        return [event for event in self.events if isinstance(event, Income) and event.buttons]

    @cached_property
    def leathers(self) -> list[int]:
        """The spaces from which leathers were taken."""
        return [event.mark for event in self.events if isinstance(event, LeatherTaken)]

    @cached_property
    def gone(self) -> int:
        """How many leather marks were crossed where no leather lay any more."""
        if self.before is None or self.way is None:
            return 0
        marks = set(self.after.ruleset.leather_marks) - set(self.before.leather_marks)
        return sum(1 for mark in marks if self.way[0] < mark <= self.way[1])

    @cached_property
    def beyond(self) -> int:
        """How many spaces the token would have gone beyond the finish."""
        if self.before is None or self.way is None:
            return 0
        ruleset = self.after.ruleset
        if isinstance(self.action, Buy):
            return max(0, self.way[0] + ruleset[self.action.patch].time - ruleset.finish)
        return max(0, self.before.players[1 - int(self.mover or 0)].space + 1 - ruleset.finish)

    @cached_property
    def at_finish(self) -> int:
        """How many tokens are on the finish."""
        return sum(player.space == self.after.ruleset.finish for player in self.after.players)


#: A seat is that of the value that differs, or None where a value is of both.
Fact = Callable[[Moment, int | None], bool]
Amount = Callable[[Moment, int | None], set[int]]


def _happened(moment: Moment, kind: type) -> bool:
    return any(isinstance(event, kind) for event in moment.events)


def _full(position: Position, seats: Sequence[int]) -> bool:
    return any(position.players[seat].covered == position.ruleset.quilt for seat in seats)


def _has_square(position: Position, seat: int) -> bool:
    return any(square & ~position.players[seat].covered == 0 for square in position.ruleset.bonus_squares)


def _leaves(moment: Moment, marks: Sequence[int]) -> bool:
    return moment.way is not None and moment.way[0] in marks


def _level(position: Position) -> bool:
    first, second = position.players
    return first.space == second.space < position.ruleset.finish


def _landed(moment: Moment, marks: Sequence[int]) -> bool:
    return moment.way is not None and moment.way[1] in marks


def _is_second_square(moment: Moment) -> bool:
    before, mover = moment.before, moment.mover
    if before is None or mover is None or before.bonus_owner is None:
        return False
    return before.bonus_owner != mover and _has_square(moment.after, mover) and not _has_square(before, mover)


def _is_as_many_as_a_square(moment: Moment) -> bool:
    if moment.mover is None or moment.after.bonus_owner is not None:
        return False
    return moment.after.players[moment.mover].covered.bit_count() >= moment.after.ruleset.bonus_square**2


def _had_last_button(moment: Moment) -> bool:
    before, action = moment.before, moment.action
    if before is None or not isinstance(action, Buy):
        return False
    return before.players[int(moment.mover or 0)].buttons == before.ruleset[action.patch].cost


FACTS: dict[str, Fact] = {
    "start": lambda moment, _: moment.from_start,
    "the mover": lambda moment, seat: seat is not None and seat == moment.mover,
    "advance": lambda moment, _: isinstance(moment.action, Advance),
    "buy": lambda moment, _: isinstance(moment.action, Buy),
    "leather": lambda moment, _: isinstance(moment.action, PlaceLeather),
    "from a shared space": lambda moment, _: moment.before is not None and _level(moment.before),
    "past the finish": lambda moment, _: moment.beyond > 0,
    "with the last button": lambda moment, _: _had_last_button(moment),
    "the ring is empty": lambda moment, _: not moment.after.ring,
    "the ring is short": lambda moment, _: len(moment.after.ring) < moment.after.ruleset.offer_size,
    "a full quilt": lambda moment, _: _full(moment.after, (0, 1)),
    "a full quilt is on turn": lambda moment, _: (
        moment.after.seat_on_turn is not None and _full(moment.after, (moment.after.seat_on_turn,))
    ),
    "a leather is set aside": lambda moment, _: _happened(moment, LeatherSetAside),
    "a leather taken": lambda moment, _: len(moment.leathers) > 0,
    "two leathers": lambda moment, _: len(moment.leathers) > 1,
    "a leather on the space landed on": lambda moment, _: _landed(moment, moment.leathers),
    "a mark without its leather": lambda moment, _: moment.gone > 0,
    "leaves a leather mark": lambda moment, _: _leaves(moment, moment.after.ruleset.leather_marks),
    "leaves an income mark": lambda moment, _: _leaves(moment, moment.after.ruleset.income_marks),
    "a leather waits": lambda moment, _: moment.after.waiting > 0,
    "income": lambda moment, _: len(moment.incomes) > 0,
    "two incomes": lambda moment, _: len(moment.incomes) > 1,
    "the bonus is won": lambda moment, _: _happened(moment, BonusWon),
    "the bonus is owned already": lambda moment, _: moment.before is not None and moment.before.bonus_owner is not None,
    "a second square": lambda moment, _: _is_second_square(moment),
    "as many covered cells as a square": lambda moment, _: _is_as_many_as_a_square(moment),
    "one token on the finish": lambda moment, _: moment.at_finish == 1,
    "both on the finish, a leather waits": lambda moment, _: moment.at_finish == 2 and moment.after.waiting > 0,
    "game over": lambda moment, _: moment.after.finished,
    "the last move crosses a mark": lambda moment, _: len(moment.incomes) + len(moment.leathers) > 0,
    "the tokens share a space": lambda moment, _: _level(moment.after),
    "the same seat goes on": lambda moment, _: moment.mover is not None and moment.mover == moment.after.seat_on_turn,
    "equal scores": lambda moment, _: moment.after.finished and moment.after.score(0) == moment.after.score(1),
    "both scores below zero": lambda moment, _: (
        moment.after.finished and max(moment.after.score(seat) for seat in (0, 1)) < 0
    ),
}


def _either_way(amount: int) -> set[int]:
    return {amount, -amount} - {0}


def _incomes_on(moment: Moment, spaces: Sequence[int]) -> int:
    return sum(income.buttons for income in moment.incomes if income.mark in spaces)


def _new_part(moment: Moment) -> int:
    """What the patch just bought adds to the incomes paid."""
    action = moment.action
    return moment.after.ruleset[action.patch].income * len(moment.incomes) if isinstance(action, Buy) else 0


def _one_income(moment: Moment, seat: int | None) -> int:
    return moment.after.players[seat].income if seat is not None else 0


def _placements(position: Position, patches: Sequence[str], flipped: bool = False) -> list[int]:
    """How many placements each of some patches has on the quilt of the seat on turn."""
    seat = position.seat_on_turn
    if seat is None:
        return []
    free = position.ruleset.quilt & ~position.players[seat].covered
    return [
        sum(
            way.fits(free).bit_count()
            for way in position.ruleset.distinct_ways_to_lay[patch]
            if way.number > 3 or not flipped
        )
        for patch in patches
    ]


def _some_of(amounts: Sequence[int]) -> set[int]:
    """What some of the amounts, one at least, add up to."""
    sums = {0}
    for amount in amounts:
        sums |= {amount + one for one in sums}
    return sums - {0}


def _priced(position: Position, offer: Sequence[str], sign: int) -> list[str]:
    """The patches that cost less than the seat on turn has (-1), exactly that (0), or more (1)."""
    seat = position.seat_on_turn
    if seat is None or position.waiting:
        return []
    stock = position.players[seat].buttons
    costs = {patch: position.ruleset[patch].cost for patch in offer}
    return [patch for patch, cost in costs.items() if (cost > stock) - (cost < stock) == sign]


def _payable(position: Position, offer: Sequence[str]) -> list[str]:
    return [*_priced(position, offer, -1), *_priced(position, offer, 0)]


def _actions_of_a_turn(position: Position) -> set[int]:
    """What comes on top where a leather waits, and the seat may act all the same."""
    buttons = position.players[position.top].buttons
    payable = [patch for patch in position.offer if position.ruleset[patch].cost <= buttons]
    return {1 + more for more in {0, *_some_of(_placements(position, payable))}}


AMOUNTS: dict[str, Amount] = {
    "the same length": lambda _, __: {0},
    "one less": lambda _, __: {-1},
    "one leather more": lambda _, __: {1},
    "the leathers that are gone": lambda moment, _: {moment.gone} - {0},
    "the leather landed on": lambda _, __: {-1},
    "the bonus": lambda moment, _: {moment.after.ruleset.bonus_points} - {0},
    "the bonus points": lambda moment, seat: (
        _either_way(moment.after.ruleset.bonus_points) if moment.after.bonus_owner == seat else set()
    ),
    "the new patch's part of the income": lambda moment, _: {-_new_part(moment)} - {0},
    "the income on the finish": lambda moment, _: _either_way(_incomes_on(moment, [moment.after.ruleset.finish])),
    "the income landed on": lambda moment, _: {-_incomes_on(moment, [moment.way[1]] if moment.way else [])} - {0},
    "all incomes but one": lambda moment, _: {-sum(income.buttons for income in moment.incomes[1:])} - {0},
    "the whole income": lambda moment, _: _either_way(sum(income.buttons for income in moment.incomes)),
    "one income more": lambda moment, seat: {_one_income(moment, seat)} - {0},
    "a button for each space": lambda moment, _: {moment.way[1] - moment.way[0]} - {0} if moment.way else set(),
    "the spaces beyond the finish": lambda moment, _: {moment.beyond} - {0},
    "its printed incomes": lambda moment, seat: {_one_income(moment, seat)} - {0},
    "up to zero": lambda moment, seat: {max(0, -moment.after.score(seat))} - {0} if seat is not None else set(),
    "the next patch behind the offer": lambda moment, _: _some_of(
        _placements(moment.after, _payable(moment.after, moment.after.ring[moment.after.ruleset.offer_size :][:1]))
    ),
    "the last patch of the offer": lambda moment, _: {
        -amount for amount in _placements(moment.after, _payable(moment.after, moment.after.offer[-1:])) if amount
    },
    "patches that take the last button": lambda moment, _: {
        -amount for amount in _some_of(_placements(moment.after, _priced(moment.after, moment.after.offer, 0)))
    },
    "patches that are too dear": lambda moment, _: _some_of(
        _placements(moment.after, _priced(moment.after, moment.after.offer, 1))
    ),
    "flipped patches": lambda moment, _: (
        {-sum(_placements(moment.after, _payable(moment.after, moment.after.offer), flipped=True))} - {0}
    ),
    "the actions of a turn": lambda moment, _: _actions_of_a_turn(moment.after),
}
