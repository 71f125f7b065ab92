"""The agents that choose by lot."""

from __future__ import annotations

from patchstats.rules import Action, Advance, LegalActions, Position
from patchstats.streams import Stream


def choose_any(position: Position, legal: LegalActions, stream: Stream) -> Action:  # noqa: ARG001
    """Every complete legal action is equally likely, each placement of a patch being one."""
    return legal[stream.below(len(legal))]


def choose_patch_first(position: Position, legal: LegalActions, stream: Stream) -> Action:
    """The advance and each patch that can be bought are equally likely, then each placement of the chosen patch.

    A waiting leather goes on any empty cell. One draw chooses the advance (0) or the patch (by offer slot), a second
    one, when a patch was chosen, its placement.
    """
    if position.waiting:
        return choose_any(position, legal, stream)
    patches = legal.purchases.patches
    option = stream.below(1 + len(patches))
    if option == 0:
        return Advance()
    placements = legal.purchases.of(patches[option - 1])
    return placements[stream.below(len(placements))]
