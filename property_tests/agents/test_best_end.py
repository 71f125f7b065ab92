"""Agents that look far enough ahead play the best end of all that the rules allow."""

import pytest

from patchstats.kernel.asking import Asked
from patchstats.kernel.deciders.alphabeta import alphabeta
from patchstats.kernel.deciders.puct import puct
from patchstats.notation.action_log import decode_action
from patchstats.rules import Ruleset
from patchstats.testing import situation

ORIGINAL = Ruleset.load("original")
EVERYWHERE = {"root_placements": 7, "placements": 7}
DECIDERS = [alphabeta(ORIGINAL, None, 20, **EVERYWHERE), puct(ORIGINAL, None, 5000, objective="margin", **EVERYWHERE)]


def outcome(position):
    """What the best play of both makes of the end, by all legal actions: the margin of seat 0, and who wins a tie."""
    if position.finished:
        return 2 * (position.score(0) - position.score(1)) + (1 if position.winner == 0 else -1)
    outcomes = [outcome(position.apply(action).position) for action in position.legal_actions]
    return max(outcomes) if position.seat_on_turn == 0 else min(outcomes)


@pytest.mark.parametrize("decider", DECIDERS, ids=["alphabeta", "puct"])
@pytest.mark.parametrize("number", range(6))
def test_the_best_end_is_played(decider, number):
    # Two by three free cells for each, where none of these patches has more than seven placements.
    free = [(60, 61, 62, 69, 70, 71), (0, 1, 9, 10, 18, 19)]
    small = ["p01", "p03", "p05", "p06", "p08", "p10", "p12", "p13"] * 2
    position = situation(
        ORIGINAL,
        spaces=[(49, 50), (48, 50), (50, 48), (51, 50), (47, 48), (50, 51)][number],
        buttons=(9, 8),
        income=(4, 3),
        covered=tuple([cell for cell in range(81) if cell not in cells] for cells in free),
        ring=small[number : number + 4],
        bonus_owner=0,
        leather_marks=(),
    )
    assert position.legal_actions.purchases
    best = outcome(position)
    while not position.finished:
        code = Asked(ORIGINAL, decider, 0, 0).choose(position).code
        position = position.apply(decode_action(position, code)).position
        assert outcome(position) == best
