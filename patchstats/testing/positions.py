"""Positions to try a property on: some of a game that was played, some laid out on the table as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from patchstats.rules import Player, Position, Ruleset
from patchstats.rules.cells import nth_cell
from patchstats.testing.packing import pack
from patchstats.testing.strategies import ANY_NUMBER, games, rings
from patchstats.testing.strategies import rulesets as any_rulesets

SEATS = (0, 1)
#: Says for a patch where it lies: on which quilt, in which of its ways, on which of the cells where it fits.
ANY_PLACE = st.integers(0, 2**24 - 1)


def positions(
    *, rulesets: SearchStrategy[Ruleset] | None = None, played: bool = True, laid_out: bool = True
) -> SearchStrategy[Position]:
    """Draw positions of every stage, by one of these `rulesets` (any, if left out), with nothing for `status` to name.

    Some are `played`: a game shows them, from the start to the end. The others are `laid_out`: patches and leathers
    are put on the quilts, scattered or densely packed, the tokens anywhere, and all else as the rules then demand. That
    reaches what games hardly come to: full quilts, squares that lack one cell, one patch left on the ring, equal
    scores. Whether the time of the patches and the buttons would have led there is not asked.

    >>> from hypothesis import given, settings
    >>> @settings(max_examples=5)
    ... @given(positions())
    ... def nobody_is_on_turn_when_the_game_is_over(position):
    ...     assert (position.seat_on_turn is None) == position.finished
    >>> nobody_is_on_turn_when_the_game_is_over()
    """
    if not played and not laid_out:
        raise ValueError("positions() has nothing to draw when neither played nor laid out ones are wanted")
    if rulesets is None:
        rulesets = any_rulesets()
    kinds = []
    if played:
        kinds.append(_played(rulesets))
    if laid_out:
        kinds.append(_laid_out(rulesets))
    return st.one_of(kinds)


@st.composite
def _played(draw: DrawFn, rulesets: SearchStrategy[Ruleset]) -> Position:
    game = draw(games(rulesets=rulesets))
    return game.positions[draw(st.integers(0, len(game.positions) - 1))]


class Track(NamedTuple):
    """Where the tokens stand, and where the leathers went that lay there.

    `due` says how many leathers each seat has gained and placed, or would have if its quilt had room; `waiting` how
    many more wait for the seat on `top`.
    """

    spaces: tuple[int, int]
    top: int
    due: tuple[int, int]
    waiting: int

    @property
    def seat_on_turn(self) -> int:
        """Who acts, unless the game is over or the quilt turns out to be full."""
        if self.waiting or self.spaces[0] == self.spaces[1]:
            return self.top
        return self.spaces.index(min(self.spaces))


class Quilt:
    """A quilt that is being laid: the cells of each patch on it, and the `holes` where its leathers go first."""

    def __init__(self) -> None:
        self.patches: dict[str, int] = {}
        self.covered = 0
        self.holes = 0
        self.leathers = 0

    def lay(self, patch: str, cells: int) -> None:
        self.patches[patch] = cells
        self.covered |= cells

    def take_back(self, patch: str) -> None:
        self.covered &= ~self.patches.pop(patch)


@st.composite
def _laid_out(draw: DrawFn, rulesets: SearchStrategy[Ruleset]) -> Position:
    ruleset = draw(rulesets)
    clockwise = draw(rings(ruleset))
    track = draw(_tracks(ruleset))
    start = Position.start(ruleset, clockwise)
    if track.spaces == (0, 0):
        return start
    quilts, ring = draw(
        _scattered(ruleset, clockwise, track)
        | _packed(ruleset, clockwise, track, nearly_all=False)
        | _packed(ruleset, clockwise, track, nearly_all=True)
    )
    for quilt, due in zip(quilts, track.due, strict=True):
        _place_leathers(quilt, ruleset, [draw(ANY_NUMBER) for _ in range(due)])
    waiting = 0 if quilts[track.top].covered == ruleset.quilt else track.waiting
    marks_ahead = tuple(mark for mark in ruleset.leather_marks if mark > max(track.spaces))
    placed = sum(quilt.leathers for quilt in quilts)
    complete = [seat for seat in SEATS if _has_square(ruleset, quilts[seat].covered)]
    at_finish = [seat for seat in SEATS if track.spaces[seat] == ruleset.finish]
    bonus_owner = draw(st.sampled_from(complete)) if complete else None
    buttons = draw(_buttons(ruleset, track.spaces, quilts, bonus_owner))
    first, second = (
        Player(
            space=track.spaces[seat],
            buttons=buttons[seat],
            income=sum(ruleset[patch].income for patch in quilts[seat].patches),
            covered=quilts[seat].covered,
            patches=frozenset(quilts[seat].patches),
            leathers=quilts[seat].leathers,
        )
        for seat in SEATS
    )
    return Position(
        ruleset=ruleset,
        players=(first, second),
        ring=tuple(ring) if len(ring) < len(clockwise) else start.ring,
        leather_marks=marks_ahead,
        top=track.top,
        waiting=waiting,
        set_aside=len(ruleset.leather_marks) - len(marks_ahead) - placed - waiting,
        bonus_owner=bonus_owner,
        first_finisher=1 - track.top if len(at_finish) == 2 else next(iter(at_finish), None),
        bank=ruleset.button_supply - sum(buttons),
    )


@st.composite
def _tracks(draw: DrawFn, ruleset: Ruleset) -> Track:
    """Tokens anywhere, often near a mark, near the finish, or near each other; a token on the start has not moved."""
    finish = ruleset.finish
    marks = {*ruleset.income_marks, *ruleset.leather_marks, finish}
    beside = {space for mark in marks for space in (mark - 1, mark, mark + 1) if 0 < space <= finish}
    before_leathers = {mark - 1 for mark in ruleset.leather_marks} or {0}
    anywhere = st.one_of(
        st.integers(0, finish),
        st.sampled_from(sorted(beside)),
        st.sampled_from(sorted(before_leathers)),
        st.just(finish),
    )
    first = draw(anywhere)
    second = draw(anywhere | st.just(first) | st.integers(max(0, first - 2), min(finish, first + 2)))
    spaces = first, second
    if spaces == (0, 0):
        return Track(spaces, top=0, due=(0, 0), waiting=0)
    top = draw(st.sampled_from([seat for seat in SEATS if spaces[seat]]))
    passed_by_both = sum(mark <= min(spaces) for mark in ruleset.leather_marks)
    passed_by_one = sum(min(spaces) < mark <= max(spaces) for mark in ruleset.leather_marks)
    waiting = draw(st.integers(0, passed_by_one)) if spaces[top] == max(spaces) else 0
    due = [0, 0]
    due[0 if first > second else 1] = passed_by_one - waiting
    for_first = draw(st.integers(0, passed_by_both))
    return Track(spaces, top, (due[0] + for_first, due[1] + passed_by_both - for_first), waiting)


#: Two quilts, and the patches that stay on the ring.
Dealt = tuple[tuple[Quilt, Quilt], list[str]]


@st.composite
def _scattered(draw: DrawFn, ruleset: Ruleset, clockwise: Sequence[str], track: Track) -> Dealt:
    """Each patch stays on the ring, or lies on one of the quilts wherever it fits."""
    quilts = Quilt(), Quilt()
    least = draw(st.sampled_from([0, len(clockwise) // 2]))
    places = draw(st.lists(ANY_PLACE, min_size=least, max_size=len(clockwise)))
    for patch, number in zip(clockwise, places, strict=False):
        number, seat = divmod(number, 3)
        if seat in SEATS and track.spaces[seat]:
            ways = ruleset.distinct_ways_to_lay[patch]
            number, way = divmod(number, len(ways))
            corners = ways[way].fits(ruleset.quilt & ~quilts[seat].covered)
            if corners:
                quilts[seat].lay(patch, ways[way].pattern << _chosen(corners, number))
    return quilts, [patch for patch in clockwise if not any(patch in quilt.patches for quilt in quilts)]


@st.composite
def _packed(draw: DrawFn, ruleset: Ruleset, clockwise: Sequence[str], track: Track, *, nearly_all: bool) -> Dealt:
    """Quilts of which all or a part is covered, the largest patches first, so that the small ones fill what is left.

    Cells are left open for the leathers that will be placed or that wait. Of the seat on turn a patch may be taken
    back, so that it lies first on the ring and is all that is missing.
    """
    quilts = Quilt(), Quilt()
    by_size = sorted(clockwise, key=lambda patch: -ruleset[patch].size)
    kept = draw(st.sampled_from([1, 0, 2]) if nearly_all else st.integers(0, len(by_size) // 2))
    taken_back: list[str] = []
    for seat in draw(st.permutations([seat for seat in SEATS if track.spaces[seat]])):
        quilt = quilts[seat]
        waiting = track.waiting if seat == track.top else 0
        acts = seat == track.seat_on_turn
        target = ruleset.quilt if nearly_all else draw(_targets(ruleset, acts))
        leathers = track.due[seat] if waiting or draw(st.booleans()) else 0
        leathers = min(leathers + draw(st.integers(min(1, waiting), waiting)), target.bit_count())
        for _ in range(leathers):
            quilt.holes |= 1 << _chosen(target & ~quilt.holes, draw(ANY_NUMBER))
        patches = [patch for patch in by_size[kept:] if patch not in {*taken_back, *quilts[1 - seat].patches}]
        cells_of_patches = sum(ruleset[patch].size for patch in patches)
        slack = max(track.due[seat] - leathers, target.bit_count() - leathers - cells_of_patches, 0)
        for patch, cells in pack(ruleset, patches, target, covered=quilt.holes, holes=slack).items():
            quilt.lay(patch, cells)
        quilt.holes = target & ~quilt.covered
        if quilt.patches and acts and not waiting and draw(st.booleans()):
            taken_back.append(draw(st.sampled_from(sorted(quilt.patches))))
            quilt.take_back(taken_back[-1])
    on_quilts = {*quilts[0].patches, *quilts[1].patches}
    return quilts, [*taken_back, *(patch for patch in clockwise if patch not in {*on_quilts, *taken_back})]


def _targets(ruleset: Ruleset, acts: bool) -> SearchStrategy[int]:
    """Cells to be covered: some from the top left, all, or a square of the bonus, about to be completed by who acts."""
    from_top_left = st.integers(0, ruleset.quilt.bit_count()).map(lambda cells: (1 << cells) - 1)
    square = st.sampled_from(ruleset.bonus_squares) if acts else st.nothing()
    return from_top_left | square | st.just(ruleset.quilt)


def _place_leathers(quilt: Quilt, ruleset: Ruleset, choices: Sequence[int]) -> None:
    """Place a leather for each number, first where cells were left open, as long as the quilt has room."""
    for choice in choices:
        free = ruleset.quilt & ~quilt.covered
        if free:
            cells = free & quilt.holes or free
            quilt.covered |= 1 << _chosen(cells, choice)
            quilt.leathers += 1


def _chosen(cells: int, choice: int) -> int:
    return nth_cell(cells, choice % cells.bit_count())


def _has_square(ruleset: Ruleset, covered: int) -> bool:
    return any(not square & ~covered for square in ruleset.bonus_squares)


@st.composite
def _buttons(
    draw: DrawFn, ruleset: Ruleset, spaces: tuple[int, int], quilts: tuple[Quilt, Quilt], bonus_owner: int | None
) -> tuple[int, int]:
    """Few or many; or as many more for the seat that would lose as make the scores equal."""
    amounts = st.integers(0, 12) | st.integers(0, 250)
    buttons = [draw(amounts) if spaces[seat] else ruleset.start_buttons for seat in SEATS]
    if draw(st.booleans()):
        scores = [
            buttons[seat]
            + ruleset.bonus_points * (bonus_owner == seat)
            - ruleset.empty_cell_penalty * (ruleset.quilt & ~quilts[seat].covered).bit_count()
            for seat in SEATS
        ]
        loser = scores.index(min(scores))
        if spaces[loser]:
            buttons[loser] += max(scores) - min(scores)
    return buttons[0], buttons[1]
