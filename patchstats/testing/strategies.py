"""Hypothesis strategies: what a property is tried on. A drawn game itself is described in `games.py`.

A strategy is named by the plural of what it draws. Its arguments say what may be drawn, can only be given by name, and
left out let everything be drawn.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from patchstats.rules import Ruleset
from patchstats.rules.loading import shipped_rulesets
from patchstats.rules.shapes import Shape, normalised
from patchstats.testing.games import Game, play_game

LONGEST_TRACK = 60
ANY_NUMBER = st.integers(0, 2**16 - 1)

#: How a game may be played, as numbers for `play_game`: anything at all; half of it advances, which brings the buttons
#: to buy anything; mostly the first purchase listed, which packs a quilt from its top left corner until it is full.
MANNERS = (ANY_NUMBER, st.just(0) | ANY_NUMBER, st.sampled_from([0, 1, 1, 1]))


def shapes(*, side: int = 5, most_cells: int = 25) -> SearchStrategy[Shape]:
    """Draw polyominoes of 1 to `most_cells` cells in a box of at most `side` rows and columns.

    >>> from hypothesis import find
    >>> sorted(find(shapes(), lambda shape: len(shape) == 2))
    [(0, 0), (1, 0)]
    """
    return _shapes(side, most_cells)


def rulesets(
    *,
    shipped: bool = True,
    invented: bool = True,
    quilt_sizes: tuple[int, int] = (3, 11),
    most_patches: int = 12,
) -> SearchStrategy[Ruleset]:
    """Draw rulesets: about as often one that is `shipped` with patchstats as one `invented` from nothing.

    An invented ruleset has a quilt of a size within `quilt_sizes` (both included), 1 to `most_patches` patches of any
    polyomino in a box of up to 5 by 5 cells, a track of up to 60 spaces, and marks anywhere on it: far apart, side by
    side, on space 1, on the finish, an income and a leather mark on one space.

    >>> from hypothesis import given, settings
    >>> @settings(max_examples=5)
    ... @given(rulesets(shipped=False, quilt_sizes=(3, 5)))
    ... def every_patch_fits_the_quilt(ruleset):
    ...     assert all(patch.size <= ruleset.quilt_size**2 <= 25 for patch in ruleset.patches)
    >>> every_patch_fits_the_quilt()
    """
    if not shipped and not invented:
        raise ValueError("rulesets() has nothing to draw when neither shipped nor invented ones are wanted")
    kinds = []
    if shipped:
        kinds.append(st.sampled_from(shipped_rulesets()).map(_load))
    if invented:
        kinds.append(_invented(quilt_sizes, most_patches))
    return st.one_of(kinds)


def rings(ruleset: Ruleset) -> SearchStrategy[tuple[str, ...]]:
    """Draw the ids of all patches of a ruleset in any order, as `Position.start` takes them.

    >>> from hypothesis import given, settings
    >>> from patchstats.rules import Position
    >>> original = Ruleset.load("original")
    >>> @settings(max_examples=5)
    ... @given(rings(original))
    ... def a_ring_can_be_set_up(ring):
    ...     assert set(Position.start(original, ring).ring) == set(ring)
    >>> a_ring_can_be_set_up()
    """
    return st.permutations([patch.id for patch in ruleset.patches]).map(tuple)


def games(*, rulesets: SearchStrategy[Ruleset] | None = None) -> SearchStrategy[Game]:
    """Draw whole games, from setup to the end, by one of these `rulesets` (any, if left out).

    Some play at random, some often advance, some pack their quilts densely; so late purchases, shared spaces, full
    quilts and bonuses are reached, too. Games shrink towards two seats that only advance.

    >>> from hypothesis import given, settings
    >>> from patchstats.rules import Buy
    >>> @settings(max_examples=5)
    ... @given(games())
    ... def every_patch_is_bought_at_most_once(game):
    ...     bought = [action.patch for action in game.actions if isinstance(action, Buy)]
    ...     assert len(bought) == len(set(bought))
    >>> every_patch_is_bought_at_most_once()
    """
    return _games(_rulesets() if rulesets is None else rulesets)


#: Under a name that the arguments of the strategies above do not hide.
_rulesets = rulesets


@lru_cache
def _load(name: str) -> Ruleset:
    return Ruleset.load(name)


@st.composite
def _shapes(draw: DrawFn, side: int, most_cells: int) -> Shape:
    """Begin with one cell and add neighbours as long as the box stays small enough."""
    cells = {(0, 0)}
    for choice in draw(st.lists(st.integers(0, 63), max_size=most_cells - 1)):
        neighbours = {
            neighbour
            for row, column in cells
            for neighbour in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        }
        growing = sorted(cell for cell in neighbours - cells if _side_of_box(cells | {cell}) <= side)
        if not growing:
            break
        cells.add(growing[choice % len(growing)])
    return normalised(frozenset(cells))


def _side_of_box(cells: set[tuple[int, int]]) -> int:
    rows = [row for row, _ in cells]
    columns = [column for _, column in cells]
    return 1 + max(max(rows) - min(rows), max(columns) - min(columns))


def _drawing(shape: Shape) -> str:
    height = 1 + max(row for row, _ in shape)
    width = 1 + max(column for _, column in shape)
    return "/".join("".join("01"[(row, column) in shape] for column in range(width)) for row in range(height))


@st.composite
def _invented(draw: DrawFn, quilt_sizes: tuple[int, int], most_patches: int) -> Ruleset:
    quilt_size = draw(st.integers(*quilt_sizes))
    finish = draw(st.integers(1, LONGEST_TRACK))
    income_marks = draw(_marks(finish))
    start_buttons = draw(st.integers(0, 20))
    patches = draw(st.lists(_patches(min(5, quilt_size)), min_size=1, max_size=most_patches))
    ids = [f"p{number:02}" for number, _ in enumerate(patches, start=1)]
    settings: dict[str, Any] = {
        "name": "invented",
        "quilt_size": quilt_size,
        "finish": finish,
        "income_marks": income_marks,
        "leather_marks": draw(_marks(finish) | st.just(income_marks)),
        "start_buttons": start_buttons,
        "offer_size": draw(st.integers(1, 8)),
        "start_patch": draw(st.sampled_from(ids)),
        "bonus_square": draw(st.integers(1, quilt_size)),
        "bonus_points": draw(st.integers(0, 20)),
        "empty_cell_penalty": draw(st.integers(0, 5)),
        "button_supply": draw(st.integers(2 * start_buttons, 2 * start_buttons + 200)),
        "patches": dict(zip(ids, patches, strict=True)),
    }
    return Ruleset.from_dict(settings)


def _patches(side: int) -> SearchStrategy[dict[str, Any]]:
    """The settings of one patch; mostly small and cheap, so that quilts fill up."""
    small = shapes(side=min(3, side), most_cells=4)
    return st.fixed_dictionaries(
        {
            "rows": (small | shapes(side=side)).map(_drawing),
            "cost": st.integers(0, 9),
            "time": st.integers(1, 8),
            "income": st.integers(0, 4),
        }
    )


def _marks(finish: int) -> SearchStrategy[list[int]]:
    """Spaces with marks of one kind: anywhere, in one close row, or at both ends of the track."""
    spaces = st.integers(1, finish)
    anywhere = st.sets(spaces, max_size=12).map(sorted)
    rows = st.tuples(spaces, spaces).map(lambda ends: list(range(min(ends), max(ends) + 1))[:12])
    ends = st.just(sorted({1, finish}))
    return anywhere | rows | ends


@st.composite
def _games(draw: DrawFn, rulesets: SearchStrategy[Ruleset]) -> Game:
    ruleset = draw(rulesets)
    ring = draw(rings(ruleset))
    lists = [st.lists(numbers, min_size=least, max_size=80) for least in (0, 40) for numbers in MANNERS]
    return play_game(ruleset, ring, draw(st.one_of(lists)))
