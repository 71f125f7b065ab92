"""Pictures within a page, as SVG: figures of matplotlib, whose ids differ, quilts, and small patches."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from patchstats.analysis.figures.style import INK, drawn
from patchstats.render.figures import BUTTON, patch_colour
from patchstats.render.outlines import outlines
from patchstats.rules import Ruleset

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: How many pixels a cell of a small patch is wide.
_CELL = 9


def text(words: object) -> str:
    """Return words as HTML shows them; what cannot be printed, and would upset a page, is shown as a mark.

    >>> text("<b> & 'c'"), text("a\\x00b")
    ('&lt;b&gt; &amp; &#x27;c&#x27;', 'a\\ufffdb')
    """
    return html.escape("".join(letter if letter.isprintable() else "\ufffd" for letter in str(words)))


def inline(figure: Figure, name: str, words: str) -> str:
    """Return a figure as an SVG element; `name` comes before all its ids, and `words` say what is to be seen.

    >>> from patchstats.analysis.figures.style import begin
    >>> picture = inline(begin(height=2)[0], "scores", "how scores are spread")
    >>> picture.partition(">")[0]
    '<svg role="img" aria-labelledby="scores-title" width="672" viewBox="0 0 504 144"'
    """
    svg = drawn(figure, ".svg").decode()
    [(width, box)] = re.findall(r'<svg [^>]*?width="([\d.]+)pt"[^>]*? viewBox="([^"]+)"', svg)
    inside = svg[svg.index(">", svg.index("<svg")) + 1 : svg.rindex("</svg>")]
    # Its metadata and comments name addresses and programs, and its style would be that of the whole page.
    for left_out in (r"<metadata>.*?</metadata>", r"<!--.*?-->", r"<style.*?</style>"):
        inside = re.sub(left_out, "", inside, flags=re.DOTALL)
    inside = re.sub(r'\bid="', f'id="{name}-', inside)
    inside = re.sub(r'\bxlink:href="#', f'href="#{name}-', inside)
    inside = re.sub(r"url\(#", f"url(#{name}-", inside)
    inside = re.sub(r'(?<= d=")[^"]+', lambda line: re.sub(r"(\.\d\d)\d+", r"\1", line[0]), inside)
    inside = re.sub(r"\n\s*", "\n", inside)
    head = f'<svg role="img" aria-labelledby="{name}-title" width="{float(width) / 0.75:g}" viewBox="{box}">'
    return f'{head}<title id="{name}-title">{text(words)}</title>{inside}</svg>'


def within_page(svg: str) -> str:
    """Return a picture of `patchstats.render` as an element of a page, where SVG needs no name of its language.

    >>> within_page('<svg xmlns="http://www.w3.org/2000/svg" role="img"/>')
    '<svg role="img"/>'
    """
    return svg.replace(' xmlns="http://www.w3.org/2000/svg"', "", 1)


def small_patch(ruleset: Ruleset, patch_id: str) -> str:
    """Return a patch as a small SVG element, in the colour that it has in every picture, with the buttons it brings.

    >>> small_patch(Ruleset.load("original"), "p01").partition(" role")[0]
    '<svg width="20" height="11" viewBox="-1 -1 20 11"'
    """
    patch = ruleset[patch_id]
    rows = 1 + max(row for row, _ in patch.shape)
    across = 1 + max(column for _, column in patch.shape)
    side = max(rows, across)
    cells = sum(1 << (row * side + column) for row, column in patch.shape)
    lines = "".join(
        "M" + "L".join(f"{_CELL * x:g} {_CELL * y:g}" for x, y in line) + "Z" for line in outlines(cells, side)
    )
    colour = "#" + "".join(f"{round(255 * part):02x}" for part in patch_colour(ruleset.number_of(patch_id)))
    middles = [(_CELL * (column + 0.5), _CELL * (row + 0.5)) for row, column in sorted(patch.shape)]
    buttons = "".join(
        f'<circle cx="{x:g}" cy="{y:g}" r="2.4" fill="{BUTTON}"/>' for x, y in middles[::-1][: patch.income]
    )
    width, height = _CELL * across + 2, _CELL * rows + 2
    size = f'width="{width}" height="{height}" viewBox="-1 -1 {width} {height}"'
    return (
        f'<svg {size} role="img" aria-label="shape of {text(patch_id)}: {text(patch.rows)}">'
        f'<path d="{lines}" fill="{colour}" fill-rule="evenodd" stroke="{INK}" stroke-width="1"/>{buttons}</svg>'
    )
