"""What the tests of the kernel share: rulesets up to its bounds, agents, and both engines side by side.

Loaded with `runpy`, as no test module can import another.
"""

import numpy as np
from hypothesis import strategies as st
from numba import njit

from patchstats.agents import PANEL, make_agent
from patchstats.dataset.rows import games_row, offers_rows, turns_rows
from patchstats.kernel import layout
from patchstats.kernel.engine import Player
from patchstats.kernel.layout import EMPTY, NUMBER, OFFER, SEAT_SIZE, SEATS, WAITING
from patchstats.kernel.offer_rows import NOTHING
from patchstats.kernel.positions import position_in, put_position
from patchstats.kernel.tables import WORD, arena_for
from patchstats.kernel.turn import (
    NO_SEAT,
    advance,
    buy,
    count_legal,
    count_placeable,
    nth_empty_cell,
    nth_placement,
    place_leather,
    score,
    seat_on_turn,
    slot_of,
    winner,
)
from patchstats.kernel.words import U0, U1
from patchstats.rules import Advance, Buy, PlaceLeather, Ruleset
from patchstats.simulation.game import play_game
from patchstats.testing import rulesets, shapes

#: Agents that draw lots, in every seating; the kernel draws for them.
LOTS = ("random", "random-patch")
SEATINGS = [(first, second) for first in LOTS for second in LOTS]
#: Agents that the kernel asks: all others that do not search, and some with restrictions.
ASKED = (
    *(card.name for card in PANEL if card.name not in LOTS and card.cost != "search"),
    "no-advance-unless-forced+random",
    "no-income-3+random-patch",
    "no-advance-unless-forced+no-income-3+advance-only",
)
#: Each of them once, against the next one.
ASKED_SEATINGS = list(zip(ASKED[::2], (*ASKED[1::2], "random"), strict=False))
#: Any agents at both seats.
ANY_SEATING = st.tuples(*[st.sampled_from(LOTS + ASKED)] * 2)

_EDGES_OF_WORDS = st.sampled_from([63, 64, 65, 127, 128, 129, 191, 192, 193, 254, 255])


def tallest(quilt_size):
    """How many rows a patch may have on a quilt that the kernel can serve."""
    return quilt_size if quilt_size**2 <= WORD else WORD // quilt_size


def drawing(shape):
    """A shape as the rows of a patch."""
    height, width = (1 + max(cell[axis] for cell in shape) for axis in (0, 1))
    return "/".join("".join("01"[(row, column) in shape] for column in range(width)) for row in range(height))


@st.composite
def large_rulesets(draw):
    """Rulesets with the tallest patches that can be served, and tracks over several words."""
    settings = draw(rulesets(shipped=False, quilt_sizes=(5, 11), most_patches=8)).to_dict()
    finish = draw(st.integers(61, 255))
    spaces = (st.integers(1, finish) | _EDGES_OF_WORDS).filter(lambda space: space <= finish)
    for patch in settings["patches"].values():
        patch["time"] = draw(st.integers(1, 255))
        if draw(st.booleans()):
            patch["rows"] = drawing(draw(shapes(side=tallest(settings["quilt_size"]), most_cells=30)))
    marks = {kind: sorted(draw(st.sets(spaces, max_size=12))) for kind in ("income_marks", "leather_marks")}
    return Ruleset.from_dict({**settings, **marks, "finish": finish})


#: Any ruleset that the kernel can serve.
RULESETS = rulesets() | large_rulesets()


@njit
def _legal(a):
    """How many actions are legal, how many patches can be paid, and how many fit."""
    number = seat_on_turn(a)
    if number == NO_SEAT:
        return U0, U0, U0
    seat = SEATS + number * SEAT_SIZE
    legal, affordable = count_legal(a, seat)
    placeable = count_placeable(a, seat, affordable)
    return a[seat + EMPTY] if a[WAITING] else legal, affordable, placeable


@njit
def _action(a, n):
    """Offer slot, way and cell of the n-th legal action; slot 8 for a leather, 9 for the advance."""
    seat = SEATS + seat_on_turn(a) * SEAT_SIZE
    if a[WAITING]:
        return np.uint64(8), U0, nth_empty_cell(a, seat, n)
    count_legal(a, seat)
    if n == U0:
        return np.uint64(9), U0, U0
    slot, left = slot_of(a, n - U1)
    way, cell = nth_placement(a, slot, left)
    return slot, way, cell


@njit
def _play(a, n):
    """Play the n-th legal action."""
    number = seat_on_turn(a)
    seat, other = SEATS + number * SEAT_SIZE, SEATS + (U1 - number) * SEAT_SIZE
    slot, way, cell = _action(a, n)
    if slot == np.uint64(8):
        place_leather(a, seat, cell)
    elif slot == np.uint64(9):
        advance(a, seat, other)
    else:
        buy(a, seat, slot, way, cell)


@njit
def _standing(a):
    """The seat on turn, both scores, and who has won if the game is over."""
    number = seat_on_turn(a)
    return number, score(a, U0), score(a, U1), winner(a) if number == NO_SEAT else NO_SEAT


def arena_with(position):
    """A fresh arena with a position in it."""
    arena = arena_for(position.ruleset)
    put_position(arena, position)
    return arena


def play(arena, n):
    """Play the n-th legal action with the kernel."""
    _play(arena, np.uint64(n))


def kernel_action(arena, ruleset, n):
    """The n-th legal action as the kernel lists it."""
    slot, way, cell = _action(arena, np.uint64(n))
    if slot == 8:
        return PlaceLeather(cell)
    if slot == 9:
        return Advance()
    patch = ruleset.patches[int(arena[int(OFFER) + slot])].id
    return Buy(patch, int(arena[int(way) + int(NUMBER)]), cell)


def kernel_answers(arena, ruleset):
    """Everything the kernel says of the game in an arena."""
    number, first, second, won = _standing(arena)
    seats = [int(layout.SEATS) + seat * int(layout.SEAT_SIZE) for seat in (0, 1)]
    return {
        "position": position_in(arena, ruleset),
        "legal, affordable, placeable": _legal(arena),
        "seat on turn": number,
        "scores": (first, second),
        "winner": won,
        "empty": [arena[seat + int(layout.EMPTY)] for seat in seats],
        "bought": [arena[seat + int(layout.BOUGHT)] for seat in seats],
    }


def reference_answers(position):
    """The same of a position, by the reference."""
    ruleset, seat = position.ruleset, position.seat_on_turn
    affordable = placeable = 0
    if seat is not None:
        player = position.players[seat]
        free = ruleset.quilt & ~player.covered
        affordable = sum(ruleset[patch].cost <= player.buttons for patch in position.offer)
        ways = ruleset.distinct_ways_to_lay
        placeable = sum(any(way.fits(free) for way in ways[patch]) for patch in position.offer)
    return {
        "position": position,
        "legal, affordable, placeable": (len(position.legal_actions), affordable, placeable),
        "seat on turn": NO_SEAT if seat is None else seat,
        "scores": (position.score(0), position.score(1)),
        "winner": position.winner if position.finished else NO_SEAT,
        "empty": [position.empty_cells(seat) for seat in (0, 1)],
        "bought": [len(player.patches) for player in position.players],
    }


def deciders(ruleset, agents):
    """What plays the agents of these specs in the compiled engine."""
    return tuple(make_agent(agent, ruleset).decider() for agent in agents)


def kernel_rows(
    ruleset, agents, seed, first, count, *, turns=True, offers=True, games_per_ring=1, mirrored=False, jitter=""
):
    """The rows of games that the kernel plays, of their turns and of their offers, as the reference gives them."""
    player = Player(ruleset, deciders(ruleset, agents), games_per_ring, mirrored, jitter)
    played = player.play(seed, first, count, turns=turns, offers=offers)
    games, plies = [], 0
    for place, index in enumerate(range(first, first + count)):
        part = slice(plies, plies + int(played.plies[place]))
        plies = part.stop
        seated = agents[::-1] if mirrored and index % 2 else agents
        games.append(
            {name: column[place].item() for name, column in played.games.items()}
            | {"game_index": index, "ring_index": index // games_per_ring, "ring": played.rings[place].tobytes()}
            | {"agent_0": seated[0], "agent_1": seated[1]}
            | {"actions": played.actions[part].astype("<u2").tobytes()}
            | ({"jitter": played.jitter[place].tobytes()} if jitter else {})
        )
    assert (played.first, len(played.plies), len(played.offers_per_game)) == (first, count, count)
    assert plies == len(played.actions)
    assert (played.turns is not None, played.offers is not None) == (turns, offers)
    assert offers or not played.offers_per_game.any()
    return (
        games,
        _logged(played.turns or {}, played.plies, first),
        [
            row | {name: None if row[name] == NOTHING else row[name] for name in ("value", "probability")}
            for row in _logged(played.offers or {}, played.offers_per_game, first)
        ],
    )


def _logged(columns, rows_per_game, first):
    """The rows of a log, so many of each game."""
    indices = [first + place for place, rows in enumerate(rows_per_game.tolist()) for _ in range(rows)]
    values = zip(*(column.tolist() for column in columns.values()), strict=True)
    rows = [dict(zip(columns, row, strict=True)) for row in values]
    return [{"game_index": index, **row} for index, row in zip(indices, rows, strict=True)] if columns else []


def reference_rows(
    ruleset, agents, seed, first, count, *, turns=True, offers=True, games_per_ring=1, mirrored=False, jitter=""
):
    """The rows of the same games by the reference."""
    seated = tuple(make_agent(agent, ruleset) for agent in agents)
    games = [
        play_game(ruleset, at, seed, index, index // games_per_ring, jitter)
        for index in range(first, first + count)
        for at in [seated[::-1] if mirrored and index % 2 else seated]
    ]
    return (
        [games_row(game) for game in games],
        [row for game in games if turns for row in turns_rows(game)],
        [row for game in games if offers for row in offers_rows(game)],
    )
