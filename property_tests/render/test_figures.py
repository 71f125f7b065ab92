"""Quilts as pictures: the outlines of their tiles, the colours, and what is drawn."""

import io
import itertools
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.path import Path

from patchstats.notation import record_of
from patchstats.render import PlacedTile, bonus_square, quilt_tiles
from patchstats.render.figures import BONUS, BUTTON, CLOTH, LEATHER, draw_quilt, patch_colour, quilt_figure
from patchstats.render.outlines import outlines
from patchstats.rules import Advance, Buy, Ruleset
from patchstats.rules.cells import set_of
from patchstats.testing import games, play_game, shapes

ORIGINAL = Ruleset.load("original")
RING = tuple(f"p{number:02}" for number in range(1, 34))

few = settings(max_examples=max(1, settings().max_examples // 8))


def area_of(corners):
    """What a closed line goes around, positive when it goes clockwise (y points down)."""
    return (
        sum(x * after[1] - after[0] * y for (x, y), after in zip(corners, [*corners[1:], corners[0]], strict=True)) / 2
    )


def length_of(corners):
    return sum(abs(x - a) + abs(y - b) for (x, y), (a, b) in zip(corners, [*corners[1:], corners[0]], strict=True))


def border_of(cells, size):
    """How many sides of the cells have nothing of the set behind them."""
    inside = {divmod(cell, size) for cell in range(size * size) if cells >> cell & 1}
    around = [
        (row + down, column + right) for row, column in inside for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0))
    ]
    return sum(cell not in inside for cell in around)


@given(st.integers(3, 11).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, 2 ** (size * size) - 1))))
def test_outlines_go_around_exactly_the_cells_of_any_set(drawn):
    size, cells = drawn
    lines = outlines(cells, size)
    assert sum(map(area_of, lines)) == cells.bit_count()
    assert sum(map(length_of, lines)) == border_of(cells, size)
    for corners in lines:
        for (x, y), (a, b) in zip(corners, [*corners[1:], corners[0]], strict=True):
            assert (x == a) != (y == b)


@given(shapes(), st.integers(1, 4))
def test_an_inset_outline_lies_inside_by_that_much(shape, tenths):
    cells = set_of(row * 11 + column for row, column in shape)
    outer, inner = outlines(cells, 11), outlines(cells, 11, inset=tenths / 10)
    for corners, inset in zip(outer, inner, strict=True):
        for (x, y), (a, b) in zip(corners, inset, strict=True):
            assert abs(x - a) == pytest.approx(tenths / 10)
            assert abs(y - b) == pytest.approx(tenths / 10)
            assert (int(b), int(a)) in shape
            assert 0 < a < 11
            assert 0 < b < 11


def test_the_outline_of_a_ring_has_a_hole_and_cells_that_touch_at_a_corner_have_outlines_of_their_own():
    assert [area_of(corners) for corners in outlines(0b111_101_111, 3)] == [9, -1]
    assert [area_of(corners) for corners in outlines(0b010_001, 3)] == [1, 1]


def shown(colour):
    return tuple(round(part, 6) for part in to_rgb(colour))


def faces(axes):
    return [shown(patch.get_facecolor()) for patch in axes.patches if patch.get_facecolor()[3] == 1]


@few
@given(games(), st.integers(0, 1))
def test_every_tile_is_drawn_in_its_colour_over_its_cells(game, seat):
    axes = Figure().subplots()
    tiles = quilt_tiles(game.log, seat)
    draw_quilt(axes, game.ruleset, tiles, labels=False)
    size = game.ruleset.quilt_size
    colours = [
        shown(LEATHER if tile.patch is None else patch_colour(game.ruleset.number_of(tile.patch))) for tile in tiles
    ]
    pieces = [patch for patch in axes.patches if patch.get_zorder() == 2]
    assert [shown(piece.get_facecolor()) for piece in pieces] == colours
    for piece, tile in zip(pieces, tiles, strict=True):
        middles = [(cell % size + 0.5, cell // size + 0.5) for cell in range(size * size)]
        covered = piece.get_path().contains_points(middles)
        assert set_of(cell for cell, inside in enumerate(covered) if inside) == tile.cells
    assert axes.get_xlim()[0] < 0 < size < axes.get_xlim()[1]
    assert axes.get_ylim()[1] < 0 < size < axes.get_ylim()[0]


@few
@given(games())
def test_a_patch_bears_a_button_a_cell_for_its_income_or_one_with_a_number(game):
    for seat in (0, 1):
        axes = Figure().subplots()
        tiles = quilt_tiles(game.log, seat)
        draw_quilt(axes, game.ruleset, tiles, labels=False)
        expected = 0
        for tile in tiles:
            income = game.ruleset[tile.patch].income if tile.patch else 0
            expected += income if income < tile.cells.bit_count() else 1
        assert faces(axes).count(shown(BUTTON)) == expected


def test_a_hole_in_a_patch_shows_what_lies_below():
    ruleset = ORIGINAL.with_changes({"patches.p33.rows": "111/101/111"})
    figure = Figure()
    axes = figure.subplots()
    draw_quilt(axes, ruleset, [PlacedTile("p33", cells=0b111 | 0b101 << 9 | 0b111 << 18)], labels=False)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = canvas.buffer_rgba()

    def seen(x, y):
        across, up = axes.transData.transform((x, y))
        return shown([pixels[len(pixels) - round(up), round(across), part] / 255 for part in range(3)])

    patch = [round(255 * part) / 255 for part in patch_colour(33)]
    assert [seen(x + 0.5, y + 0.5) for x, y in ((0, 0), (1, 1), (0, 1))] == [shown(patch), shown(CLOTH), shown(patch)]


def test_labels_are_drawn_unless_they_are_not_wanted():
    drawn = []
    for labels in (False, True):
        axes = Figure().subplots()
        draw_quilt(axes, ORIGINAL, [PlacedTile("p01", cells=0b11)], labels=labels)
        drawn.append([patch.get_path() for patch in axes.patches if patch.get_zorder() == 7])
    assert drawn[0] == []
    (label,) = drawn[1]
    assert isinstance(label, Path)
    box = label.get_extents()
    assert 0 < box.x0 < box.x1 < 1
    assert 0 < box.y0 < box.y1 < 1


def test_the_patches_of_a_ruleset_have_colours_that_differ():
    colours = [patch_colour(number) for number in range(1, 34)]
    for first, second in itertools.combinations(colours, 2):
        assert sum(abs(one - other) for one, other in zip(first, second, strict=True)) > 0.03
    for number in range(1, 33):
        first, second = patch_colour(number), patch_colour(number + 1)
        assert sum(abs(one - other) for one, other in zip(first, second, strict=True)) > 0.3


@pytest.mark.parametrize(("seat", "quilts"), [(None, 2), (0, 1), (1, 1)])
def test_a_figure_of_a_game_can_be_saved_and_says_how_the_score_comes_about(seat, quilts):
    game = play_game(ORIGINAL.with_changes({"bonus_square": 2}), RING, [1] * 60)
    figure = quilt_figure(record_of(game.ruleset, RING, game.actions, agents=("first", "second")), seat)
    assert len(figure.axes) == quilts
    for shown_seat, axes in zip((0, 1) if seat is None else (seat,), figure.axes, strict=True):
        heading, reckoning = axes.get_title(loc="left").splitlines()
        wins = ", wins" if game.final.winner == shown_seat else ""
        agent = ("first", "second")[shown_seat]
        assert heading == f"seat {shown_seat} ({agent}): {game.final.score(shown_seat)} points{wins}"
        bonus = " and 7 for the bonus" if game.final.bonus_owner == shown_seat else ""
        buttons, empty = game.final.players[shown_seat].buttons, game.final.empty_cells(shown_seat)
        assert reckoning == f"{buttons} buttons{bonus}, {empty} empty cells"
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=40)
    assert picture.getvalue().startswith(b"\x89PNG")
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_the_square_that_won_the_bonus_is_framed_on_the_quilt_of_its_owner_alone():
    game = play_game(ORIGINAL.with_changes({"bonus_square": 3}), RING, [1] * 60)
    owner = game.final.bonus_owner
    figure = quilt_figure(record_of(game.ruleset, RING, game.actions))
    frames = [[patch for patch in axes.patches if shown(patch.get_edgecolor()) == shown(BONUS)] for axes in figure.axes]
    assert [len(frame) for frame in frames] == [seat == owner for seat in (0, 1)]
    box = frames[owner][0].get_path().get_extents()
    square = bonus_square(game.ruleset, game.log, owner)
    inside = {row * 9 + column for row in range(9) for column in range(9) if box.contains(column + 0.5, row + 0.5)}
    assert set_of(inside) == square


def test_nothing_that_is_drawn_is_cut_off_and_there_is_a_margin():
    figure = quilt_figure(record_of(ORIGINAL, RING, [Buy("p02", 0, 0), Advance()], agents=("random", "random")))
    figure.draw_without_rendering()
    whole = figure.bbox.padded(-8)
    for axes in figure.axes:
        box = axes.get_tightbbox()
        assert box is not None
        assert whole.x0 <= box.x0 < box.x1 <= whole.x1
        assert whole.y0 <= box.y0 < box.y1 <= whole.y1


def test_matplotlib_is_not_loaded_before_the_first_picture():
    code = "import sys, patchstats.notation, patchstats.render, patchstats.render.figures; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "patchstats.render.figures" in modules
    assert not {"matplotlib", "numpy", "pandas"} & set(modules)
