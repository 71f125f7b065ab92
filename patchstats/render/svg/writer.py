"""How SVG is written: elements, numbers, escaped words, paths, and the frame of a picture. What is drawn is not known
here.

A picture needs nothing from outside and has no ids, so that any number of them can stand on one page.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from itertools import pairwise

from patchstats.render.outlines import Point

FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"


def words(text: object) -> str:
    """Return words as XML holds them; what cannot be printed is shown as a mark, but for the ends of lines.

    >>> words("<a> & 'b'"), words("one\\ntwo\\x00")
    ('&lt;a&gt; &amp; &#x27;b&#x27;', 'one\\ntwo\\ufffd')
    """
    shown = (letter if letter.isprintable() or letter == "\n" else "\ufffd" for letter in str(text))
    return html.escape("".join(shown))


def number(value: float) -> str:
    """Return a length in as few letters as two decimals need.

    >>> number(3.0), number(0.126), number(-0.001)
    ('3', '0.13', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(name: str, *inside: str, **attributes: object) -> str:
    """Return an element around what is inside, which is SVG already; attributes that are None are left out.

    An underscore in the name of an attribute is a hyphen, and one at its end is dropped (`class_`).

    >>> element("rect", x=1.25, stroke_width=2, class_="a & b", fill=None)
    '<rect x="1.25" stroke-width="2" class="a &amp; b"/>'
    """
    listed = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{number(value) if isinstance(value, int | float) else words(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{listed}>{''.join(inside)}</{name}>" if inside else f"<{name}{listed}/>"


def group(*inside: str, at: Point | None = None, scale: float | None = None, **attributes: object) -> str:
    """Return elements as one, moved to a place and scaled, if that is asked for.

    >>> group("<path/>", at=(3, 4), scale=0.5)
    '<g transform="translate(3 4) scale(0.5)"><path/></g>'
    """
    moves = [f"translate({number(at[0])} {number(at[1])})"] if at is not None else []
    moves += [f"scale({number(scale)})"] if scale is not None else []
    return element("g", *inside, transform=" ".join(moves) or None, **attributes)


def label(text: object, at: Point, size: float, *, fill: str, anchor: str = "middle", **attributes: object) -> str:
    """Return words whose middle, or other `anchor`, stands at a point, with their height centred on it.

    >>> label("p01", (1, 2), 10, fill="#000")
    '<text x="1" y="5.4" font-size="10" text-anchor="middle" fill="#000">p01</text>'
    """
    x, y = at
    return element(
        "text", words(text), x=x, y=y + 0.34 * size, font_size=size, text_anchor=anchor, fill=fill, **attributes
    )


def path_of(lines: Iterable[Sequence[Point]], scale: float, corner: float = 0.0) -> str:
    """Return closed lines, level and upright, as the data of a path, with corners rounded by `corner`.

    Every length is multiplied by `scale`.

    >>> path_of([[(2, 0), (2, 1), (0, 1), (0, 0)]], scale=10)
    'M20 0V10H0V0Z'
    """
    data = []
    for corners in lines:
        if not corner:
            sides = (
                f"H{number(scale * x)}" if y == above else f"V{number(scale * y)}"
                for (_, above), (x, y) in pairwise(corners)
            )
            data.append(f"M{_point(corners[0], scale)}{''.join(sides)}Z")
            continue
        steps = []
        around = zip([corners[-1], *corners[:-1]], corners, [*corners[1:], corners[0]], strict=True)
        for before, here, after in around:
            start, end = _towards(here, before, corner), _towards(here, after, corner)
            steps.append(f"{_point(start, scale)}Q{_point(here, scale)} {_point(end, scale)}")
        data.append(f"M{'L'.join(steps)}Z")
    return "".join(data)


def picture(size: Point, title: str, text: str, *inside: str) -> str:
    """Return a whole picture so many pixels wide and high, with what it shows as words for readers and programs.

    Its ground is white, so that it can be read in a dark notebook, too.

    >>> picture((20, 10), "A line", "from left to right", "<path/>").partition("<title>")[2]
    'A line</title><desc>from left to right</desc><rect width="20" height="10" fill="#fff"/><path/></svg>'
    """
    width, height = size
    return element(
        "svg",
        element("title", words(title)),
        element("desc", words(text)),
        element("rect", width=width, height=height, fill="#fff"),
        *inside,
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=height,
        viewBox=f"0 0 {number(width)} {number(height)}",
        role="img",
        font_family=FONT,
        stroke_linejoin="round",
    )


def _point(point: Point, scale: float) -> str:
    return f"{number(scale * point[0])} {number(scale * point[1])}"


def _towards(start: Point, end: Point, step: float) -> Point:
    """Return the point `step` away from the start, at most in the middle, on a level or upright line to the end."""
    x, y = end[0] - start[0], end[1] - start[1]
    part = min(step / (abs(x) + abs(y)), 0.5)
    return start[0] + part * x, start[1] + part * y
