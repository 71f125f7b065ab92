"""The forest plot: what is drawn is what was estimated, and the same figure gives the same bytes."""

import pytest

from patchstats.analysis.estimate import Estimate
from patchstats.analysis.figures.forest import forest_plot, plot_ratings
from patchstats.analysis.figures.style import save_plot
from patchstats.analysis.ratings import Ratings

RATINGS = Ratings(
    ("weak", "strong", "middle"),
    (Estimate(-50, -60, -40), Estimate(45, 30, 60), Estimate(5, -5, 15)),
    Estimate(-12, -20, -4),
    300,
    50,
)


def drawn(figure):
    """What stands in each row of a plot: its label, its mark, and the ends of its line."""
    [axes] = figure.axes
    _, *lines = axes.get_lines()  # the first is at 0
    labels = [label.get_text() for label in axes.get_yticklabels()]
    rows = {}
    for line in lines:
        [place] = set(line.get_ydata())
        rows.setdefault(labels[int(place)], []).append([float(one) for one in line.get_xdata()])
    return {label: (marks[0], *ends) for label, (ends, marks) in rows.items()}


def test_ratings_are_drawn_the_strongest_first_with_the_seat_below_them():
    found = drawn(plot_ratings(RATINGS))
    assert list(found.items()) == [
        ("strong", (45, 30, 60)),
        ("middle", (5, -5, 15)),
        ("weak", (-50, -60, -40)),
        ("advantage of seat 0", (-12, -20, -4)),
    ]
    axes = plot_ratings(RATINGS).axes[0]
    bottom, top = axes.get_ylim()
    assert bottom > top  # the first row is on top
    assert axes.get_title(loc="left") == "strong is 40 Elo points ahead of middle"


def test_long_names_are_cut():
    [label] = drawn(forest_plot({"x" * 60: Estimate(1, 0, 2)}, "Elo"))
    assert label == "x" * 47 + "…"


def test_signs_in_names_are_no_formulas(tmp_path):
    save_plot(forest_plot({r"scripted:a$\nothing$": Estimate(1, 0, 2)}, "Elo"), tmp_path / "plot.svg")
    assert r"scripted:a$\nothing$" in (tmp_path / "plot.svg").read_text(encoding="utf-8")


def test_a_plot_of_nothing_is_refused():
    with pytest.raises(ValueError, match="there is nothing to draw"):
        forest_plot({}, "Elo")


@pytest.mark.parametrize(("suffix", "beginning"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".PNG", b"\x89PNG")])
def test_the_same_figure_gives_the_same_bytes_in_the_format_of_the_suffix(tmp_path, suffix, beginning):
    files = [tmp_path / f"{name}{suffix}" for name in ("first", "second")]
    for file in files:
        save_plot(plot_ratings(RATINGS), file)
    first, second = (file.read_bytes() for file in files)
    assert first == second
    assert first.startswith(beginning)


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"plot\.jpg: a plot is written as one of \.svg, \.png"):
        save_plot(plot_ratings(RATINGS), tmp_path / "plot.jpg")
