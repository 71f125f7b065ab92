"""The rare situations of the game, each with the strategy that reaches it: else a property holds for want of cases."""

from collections import Counter

import pytest
from hypothesis import strategies as st

from patchstats.rules import Advance, Buy, PlaceLeather, Ply
from patchstats.rules.events import BonusWon, Income, LeatherSetAside, LeatherTaken, Moved
from patchstats.testing import games, positions, rulesets

KINDS = {"shipped": rulesets(invented=False), "invented": rulesets(shipped=False)}
GAMES = {kind: games(rulesets=drawn) for kind, drawn in KINDS.items()}
LAID_OUT = {kind: positions(rulesets=drawn, played=False) for kind, drawn in KINDS.items()}


@st.composite
def one_action_on(draw, drawn):
    """An action from a position, often one that completes a square of the bonus or the quilt, if there is one."""
    position = draw(drawn.filter(lambda position: not position.finished))
    ruleset, covered = position.ruleset, position.players[position.seat_on_turn].covered
    missing = [target & ~covered for target in (*ruleset.bonus_squares, ruleset.quilt)]
    missing = [cells for cells in missing if 0 < cells.bit_count() <= 8]

    def completes(action):
        match action:
            case Buy(patch, orientation, cell):
                cells = ruleset.ways_to_lay[patch][orientation].pattern << cell
            case PlaceLeather(cell):
                cells = 1 << cell
            case _:
                return False
        return any(not lacking & ~cells for lacking in missing)

    actions = position.legal_actions
    if missing and draw(st.booleans()):
        actions = [action for action in actions if completes(action)] or actions
    return Ply.played(position, actions[draw(st.integers(0, len(actions) - 1))])


#: One action from a position that was laid out: what no game would come to in a thousand tries.
ACTIONS = {kind: one_action_on(drawn) for kind, drawn in LAID_OUT.items()}


def counts(ply):
    return Counter(type(event) for event in ply.events)


def moved(ply):
    return next((event for event in ply.events if isinstance(event, Moved)), None)


def levels(ply):
    """Whether the action brought one token onto the space of the other."""
    return moved(ply) and ply.after.players[0].space == ply.after.players[1].space


def finish(ply):
    return ply.before.ruleset.finish


def buys_level(ply):
    return isinstance(ply.action, Buy) and levels(ply) and moved(ply).end < finish(ply)


def advances_onto_the_finish_and_the_other_token(ply):
    return isinstance(ply.action, Advance) and levels(ply)


def overshoots(ply):
    return isinstance(ply.action, Buy) and moved(ply).start + ply.before.ruleset[ply.action.patch].time > finish(ply)


def overshoots_an_advance(ply):
    return isinstance(ply.action, Advance) and ply.before.players[1 - ply.seat].space == finish(ply)


def incomes(ply):
    return [(event.mark, event.buttons) for event in ply.events if isinstance(event, Income)]


def leathers(ply):
    return [event.mark for event in ply.events if isinstance(event, LeatherTaken)]


def wins_the_bonus(ply, kind):
    return isinstance(ply.action, kind) and counts(ply)[BonusWon] and ply.before.ruleset.bonus_square > 1


def fills_a_quilt(ply):
    return isinstance(ply.action, Buy) and ply.after.players[ply.seat].covered == ply.before.ruleset.quilt


def sets_aside_at_once(ply):
    return counts(ply)[LeatherSetAside] and moved(ply)


def sets_aside_the_second(ply):
    return counts(ply)[LeatherSetAside] and isinstance(ply.action, PlaceLeather)


def last_moves_cross_marks(game):
    """Whether the last move of either seat is paid at a mark."""
    last = {ply.seat: ply for ply in game.plies if moved(ply)}
    return len(last) == 2 and all(any(dict(incomes(ply)).values()) for ply in last.values())


def is_tie(position, winner=None):
    return position.finished and position.score(0) == position.score(1) and position.winner == winner


def losses(position):
    return position.finished and max(position.score(0), position.score(1)) < 0


def equal_near_the_end(position):
    return (
        not position.finished
        and position.score(0) == position.score(1)
        and min(player.space for player in position.players) >= position.ruleset.finish - 5
    )


def lacks_one_cell_for_a_leather(position):
    """Whether a bonus square of the seat for which a leather waits lacks exactly one cell."""
    covered = position.players[position.top].covered
    lacking = [(square & ~covered).bit_count() for square in position.ruleset.bonus_squares]
    return position.waiting and position.bonus_owner is None and 1 in lacking


def fills(position):
    return any(player.covered == position.ruleset.quilt for player in position.players)


def any_ply(condition):
    return lambda game: any(condition(ply) for ply in game.plies)


def any_position(condition):
    return lambda game: any(condition(position) for position in game.positions)


OF_ACTIONS = {
    "a purchase onto the other token": buys_level,
    "an advance onto the other token, on the finish": advances_onto_the_finish_and_the_other_token,
    "a purchase past the finish": overshoots,
    "an advance cut short by the finish": overshoots_an_advance,
    "an income of 0 at a mark": lambda ply: 0 in dict(incomes(ply)).values(),
    "an income of more at a mark": lambda ply: any(dict(incomes(ply)).values()),
    "a purchase for nothing": lambda ply: isinstance(ply.action, Buy) and not ply.before.ruleset[ply.action.patch].cost,
}
OF_DISTANT_TOKENS = {
    "two incomes in one advance": lambda ply: isinstance(ply.action, Advance) and len(incomes(ply)) > 1,
}
OF_CLOSE_MARKS = {
    **OF_DISTANT_TOKENS,
    "two incomes in one purchase": lambda ply: isinstance(ply.action, Buy) and len(incomes(ply)) > 1,
    "several leathers in one move": lambda ply: len(leathers(ply)) > 1,
    "marks of both kinds on space 1": lambda ply: 1 in dict(incomes(ply)) and 1 in leathers(ply),
    "marks of both kinds on the finish": lambda ply: finish(ply) in dict(incomes(ply)) and finish(ply) in leathers(ply),
    "an income and a leather on one space": lambda ply: set(dict(incomes(ply))) & set(leathers(ply)),
}
OF_QUILTS = {
    "a square of the bonus completed by a patch": lambda ply: wins_the_bonus(ply, Buy),
    "a square of the bonus completed by a leather": lambda ply: wins_the_bonus(ply, PlaceLeather),
    "a quilt filled by a patch": fills_a_quilt,
    "a leather set aside at once": sets_aside_at_once,
}
OF_SMALL_QUILTS = {
    **OF_QUILTS,
    "the second of two leathers set aside": sets_aside_the_second,
}
OF_GAMES = {
    "last moves of both seats that are paid at marks": last_moves_cross_marks,
    "an advance as the only action": any_position(lambda position: list(position.legal_actions) == [Advance()]),
    "scores below zero of both seats": any_position(losses),
}
OF_POSITIONS = {
    "one patch left": lambda position: len(position.ring) == 1 and any(p.patches for p in position.players),
    "two patches left": lambda position: len(position.ring) == 2 and any(p.patches for p in position.players),
    "several leathers waiting": lambda position: position.waiting > 1,
    "equal scores": lambda position: not position.finished and position.score(0) == position.score(1),
    "equal scores near the end": equal_near_the_end,
    "a tie won by seat 0": lambda position: is_tie(position, winner=0),
    "a tie won by seat 1": lambda position: is_tie(position, winner=1),
    "a bank below zero": lambda position: position.bank < 0,
    "a full quilt": fills,
}
OF_DENSE_QUILTS = {
    "a full quilt with a leather ahead": lambda position: fills(position) and position.leather_marks,
    "a square that lacks one cell while a leather waits": lacks_one_cell_for_a_leather,
}
OF_SHORT_RINGS = {
    "an empty ring": lambda position: not position.ring and not position.finished,
}


def offers(*sizes):
    return {
        f"an offer of {size}": lambda position, size=size: len(position.offer) == size <= position.ruleset.offer_size
        for size in sizes
    }


SMALL = rulesets(shipped=False, quilt_sizes=(3, 4))
#: What is drawn, and which situations that must reach.
DISCOVERIES = {
    "games of shipped rulesets": (
        GAMES["shipped"],
        {name: any_ply(condition) for name, condition in OF_ACTIONS.items()} | OF_GAMES,
    ),
    "games of invented rulesets": (
        GAMES["invented"],
        {name: any_ply(condition) for name, condition in {**OF_ACTIONS, **OF_CLOSE_MARKS}.items()} | OF_GAMES,
    ),
    "games on small quilts": (
        games(rulesets=SMALL),
        {name: any_ply(condition) for name, condition in OF_SMALL_QUILTS.items()},
    ),
    "an action on from a layout of a shipped ruleset": (ACTIONS["shipped"], {**OF_QUILTS, **OF_DISTANT_TOKENS}),
    "layouts of shipped rulesets": (LAID_OUT["shipped"], {**OF_POSITIONS, **OF_DENSE_QUILTS, **offers(1, 2, 3)}),
    "layouts of invented rulesets": (LAID_OUT["invented"], {**OF_POSITIONS, **OF_SHORT_RINGS, **offers(1, 2, 3, 4, 5)}),
}


@pytest.mark.parametrize(
    ("strategy", "situations"), [pytest.param(*drawn, id=name) for name, drawn in DISCOVERIES.items()]
)
def test_rare_situations_are_reached(reach, strategy, situations):
    reach(strategy, *situations.values())
