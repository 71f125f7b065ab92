"""What changes on the page of a game from ply to ply, as compact data. What does not change is drawn once, in
`content.py`; how the one is laid over the other is in `script.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from patchstats.render.explained import explained, setup
from patchstats.render.svg import track
from patchstats.render.svg.ring import Ring
from patchstats.render.text import turn_text
from patchstats.rules.actions import Buy
from patchstats.rules.events import LeatherPlaced, LeatherTaken, Placed
from patchstats.rules.ply import Ply
from patchstats.rules.position import Position


def states_of(start: Position, plies: Sequence[Ply]) -> list[dict[str, Any]]:
    """Return what is to be shown before the first ply and after each.

    The keys of a state: `seats` (of each seat space, buttons, income, empty cells, score and whether it has the bonus),
    `top`, `turn` (the seat on turn, or None), `head` (whose turn it is, and why), `offer` (numbers of patches), `token`
    (the place of the neutral token on the ring), `steps` (sentences and clauses of the ply that led there, or of
    the setup) and `seat` (who played it).

    >>> from patchstats.rules import Advance, Ruleset
    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> states = states_of(start, [Ply.played(start, Advance())])
    >>> states[1]["seats"][0], states[1]["offer"], states[1]["steps"][2]
    ([1, 6, 0, 81, -156, 0], [2, 3, 4], ['moves from 0 to 1', ['4.1']])
    """
    place = 0
    states = [{**_state(start, place), "steps": [[step.words, list(step.clauses)] for step in setup(start)]}]
    for ply in plies:
        if isinstance(ply.action, Buy):
            place = 1 + start.ring.index(ply.action.patch)
        steps = [[step.words, list(step.clauses)] for step in explained(ply)]
        states.append({**_state(ply.after, place), "seat": ply.seat, "steps": steps})
    return states


def tiles_since(plies: Sequence[Ply], seat: int) -> list[int]:
    """Return for each tile of a seat, in order, the number of plies after which it lies there.

    >>> tiles_since([], seat=0)
    []
    """
    return [
        number
        for number, ply in enumerate(plies, start=1)
        for event in ply.events
        if isinstance(event, Placed | LeatherPlaced) and event.seat == seat
    ]


def leathers_until(plies: Sequence[Ply]) -> dict[int, int]:
    """Return for each leather mark the number of plies after which its leather is gone, if it goes.

    >>> leathers_until([])
    {}
    """
    return {
        event.mark: number
        for number, ply in enumerate(plies, start=1)
        for event in ply.events
        if isinstance(event, LeatherTaken)
    }


def patches_until(plies: Sequence[Ply]) -> dict[str, int]:
    """Return for each patch that is bought the number of plies after which it is gone from the ring.

    >>> patches_until([])
    {}
    """
    return {ply.action.patch: number for number, ply in enumerate(plies, start=1) if isinstance(ply.action, Buy)}


def places_of(start: Position) -> dict[str, Any]:
    """Return where things can lie in the drawings: spaces of the track, places of the ring, cards by their count.

    >>> from patchstats.rules import Ruleset
    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> places = places_of(start)
    >>> len(places["spaces"]), len(places["ring"]), list(map(len, places["cards"]))
    (54, 34, [0, 1, 2, 3])
    """
    ruleset = start.ruleset
    ring = Ring.of(start, start.ring)
    largest = min(ruleset.offer_size, len(start.ring))
    return {
        "cells": ruleset.quilt_size**2,
        "side": track.side_of(ruleset),
        "spaces": _rounded(track.middles_of(ruleset)),
        "ring": _rounded(ring.middle_of(place) for place in range(len(start.ring) + 1)),
        "cards": [_rounded(ring.cards(count)) for count in range(largest + 1)],
        "patches": {ruleset.number_of(patch): patch for patch in start.ring},
    }


def _state(position: Position, place: int) -> dict[str, Any]:
    ruleset = position.ruleset
    seats = [
        [
            player.space,
            player.buttons,
            player.income,
            position.empty_cells(seat),
            position.score(seat),
            int(position.bonus_owner == seat),
        ]
        for seat, player in enumerate(position.players)
    ]
    return {
        "seats": seats,
        "top": position.top,
        "turn": position.seat_on_turn,
        "head": turn_text(position),
        "offer": [ruleset.number_of(patch) for patch in position.offer],
        "token": place,
    }


def _rounded(points: Any) -> list[list[float]]:
    return [[round(value, 2) for value in point] for point in points]
