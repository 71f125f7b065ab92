"""The ring as a picture: patches in a circle, clockwise, the neutral token, and what is on offer in the middle."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from patchstats.render.figures import CLOTH, FRAME, GRID, INK
from patchstats.render.outlines import Point
from patchstats.render.svg.pieces import QUIET, box_of, lying, neutral_token
from patchstats.render.svg.writer import element, group, label, picture, words
from patchstats.render.text import ring_text
from patchstats.rules.position import Position
from patchstats.rules.ruleset import Ruleset

#: In pixels: the width and height of any ring, and of a card with a patch on offer before it is scaled.
WIDTH = 360
CARD_WIDTH, CARD_HEIGHT, CARD_SHAPE = 76, 134, 68
#: The patches lie in as many circles within each other, in turn, as let each have so many pixels, or in the most.
LEAST, MOST_LANES = 13.0, 5
#: How the ground of a patch on offer looks; on a page its style says so.
HALO = {"fill": "#f7dc93", "stroke": INK, "stroke_width": 1.2}


@dataclass(frozen=True)
class Ring:
    """Where each patch lies in the picture, at first and now.

    Attributes:
        ruleset: what is played with.
        places: the ids of the patches clockwise, from the first behind the place 0 on, which bears no patch; place 1
            bears the first of them.
        token: the place where the neutral token stands.
        left: the ids of the patches that are still there, clockwise from the neutral token.
        offer: the ids of those on offer.
    """

    ruleset: Ruleset
    places: tuple[str, ...]
    token: int
    left: tuple[str, ...]
    offer: tuple[str, ...]

    @classmethod
    def of(cls, position: Position, places: Sequence[str] | None = None, last: str | None = None) -> Ring:
        """Return the ring of a position.

        With `places`, the ring at the start of the game, every patch keeps the place that it had there, and the neutral
        token stands where the patch `last`, which was bought last, has lain (5.6).
        """
        if places is None:
            return cls(position.ruleset, position.ring, 0, position.ring, position.offer)
        token = 0 if last is None else 1 + list(places).index(last)
        return cls(position.ruleset, tuple(places), token, position.ring, position.offer)

    @cached_property
    def lanes(self) -> tuple[int, float]:
        """In how many circles the patches lie, and how many pixels each has."""
        for lanes in range(1, MOST_LANES + 1):
            around = lanes * self._angle(lanes)
            room = min(around * WIDTH / 2 / (1 + around * (lanes - 0.5)), 44.0)
            if room >= LEAST:
                break
        return lanes, room

    def _angle(self, lanes: int) -> float:
        """From one place to the next; as many places as fill all lanes, so that the last is not too near the first."""
        return 2 * math.pi / (lanes * -(-(len(self.places) + 1) // lanes))

    @property
    def inside(self) -> float:
        """The radius of the free circle in the middle."""
        lanes, room = self.lanes
        return WIDTH / 2 - lanes * room - 4

    def middle_of(self, place: int) -> Point:
        """Return the middle of a place; place 0 is at the top, the others follow clockwise."""
        lanes, room = self.lanes
        radius = WIDTH / 2 - (place % lanes + 0.5) * room
        angle = place * self._angle(lanes)
        return WIDTH / 2 + radius * math.sin(angle), WIDTH / 2 - radius * math.cos(angle)

    def cards(self, count: int) -> list[tuple[float, float, float]]:
        """Return where so many cards lie in the middle: the middle of each, and by how much it is scaled."""
        best: tuple[float, int] = (0.0, 1)
        for columns in range(1, count + 1):
            rows = -(-count // columns)
            across, down = columns * CARD_WIDTH, rows * CARD_HEIGHT
            best = max(best, (min(2 * self.inside / math.hypot(across, down), 1.25), columns))
        scale, columns = best
        rows = -(-count // columns)
        found = []
        for place in range(count):
            row, column = divmod(place, columns)
            in_row = min(columns, count - row * columns)
            x = WIDTH / 2 + (column - (in_row - 1) / 2) * CARD_WIDTH * scale
            found.append((x, WIDTH / 2 + (row - (rows - 1) / 2) * CARD_HEIGHT * scale, scale))
        return found


def ring_svg(position: Position) -> str:
    """Return the ring of a position as SVG; it is in it as text, too, as `ring_text` lists it.

    The neutral token is at the top and the patches follow clockwise; those on offer have a light ground, and are drawn
    in the middle with what they cost and bring.

    >>> start = Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)])
    >>> ring_svg(start).count('class="slot offered"')
    3
    """
    return picture((WIDTH, WIDTH), title_of(position), ring_text(position), drawn(Ring.of(position)))


def title_of(position: Position) -> str:
    """Say what is on the ring, and what on offer.

    >>> title_of(Position.start(Ruleset.load("original"), [f"p{number:02}" for number in range(1, 34)]))
    'Ring of 33 patches; on offer: p02, p03, p04'
    """
    count = len(position.ring)
    return f"Ring of {count} patch{'' if count == 1 else 'es'}; on offer: {', '.join(position.offer) or 'nothing'}"


def drawn(ring: Ring, until: Mapping[str, int] | None = None, ever: Collection[str] = ()) -> str:
    """Return the ring as elements, its top left corner at (0, 0).

    `until` says for each patch that is bought the number of plies after which it is gone; it stands in the attribute
    `data-until`, and then every patch is drawn, with the class `gone` where it is gone, and its `data-patch`. `ever`
    names the patches that are ever on offer: each of them has a card, with the class `hidden` where it is not on offer.
    """
    lanes, room = ring.lanes
    width = lanes * room
    band = element(
        "circle", cx=WIDTH / 2, cy=WIDTH / 2, r=(WIDTH - width) / 2, fill="none", stroke=CLOTH, stroke_width=width
    )
    inner = element("circle", cx=WIDTH / 2, cy=WIDTH / 2, r=WIDTH / 2 - width, fill="none", stroke=GRID)
    largest = max((max(box_of(ring.ruleset[patch])) for patch in ring.places), default=1)
    parts = [band, inner]
    for place, patch in enumerate(ring.places, start=1):
        middle = ring.middle_of(place)
        gone = patch not in ring.left
        if gone and until is None:
            parts.append(element("circle", cx=middle[0], cy=middle[1], r=1.5, fill=FRAME, opacity=0.5))
            continue
        marks = ["slot", *(["offered"] if patch in ring.offer else []), *(["gone"] if gone else [])]
        last = None if until is None else until.get(patch)
        halo = element("circle", r=0.52 * room, class_="halo", **({} if until is not None else HALO))
        inside = [
            element("title", words(patch)),
            halo if until is not None or patch in ring.offer else "",
            lying(ring.ruleset, patch, (0, 0), 0.86 * room / max(largest, 2)),
        ]
        number = None if until is None else ring.ruleset.number_of(patch)
        parts.append(group(*inside, at=middle, class_=" ".join(marks), data_until=last, data_patch=number))
    parts.append(neutral_token(max(0.8 * room, 14), ring.middle_of(ring.token)))
    return "".join([*parts, *_middle(ring, ever)])


def _middle(ring: Ring, ever: Collection[str]) -> list[str]:
    """The cards of the patches that are now, or ever, on offer, and what is said when nothing is."""
    found = []
    if ever or not ring.offer:
        hidden = "nothing hidden" if ring.offer else "nothing"
        empty = label("no patch is left", (WIDTH / 2, WIDTH / 2), 14, fill=QUIET, class_=hidden)
        found.append(empty)
    lie = dict(zip(ring.offer, ring.cards(len(ring.offer)), strict=True)) if ring.offer else {}
    for patch in ever or ring.offer:
        x, y, scale = lie.get(patch, (0, 0, 1))
        marks = "card" if patch in lie else "card hidden"
        number = ring.ruleset.number_of(patch) if ever else None
        found.append(group(_card(ring.ruleset, patch), at=(x, y), scale=scale, class_=marks, data_patch=number))
    return found


def _card(ruleset: Ruleset, patch_id: str) -> str:
    """A patch with its id and numbers, around (0, 0)."""
    patch = ruleset[patch_id]
    side = min(CARD_SHAPE / max(*box_of(patch), 3), 22)
    name = label(patch_id, (0, 17), min(14, 1.6 * CARD_WIDTH / len(patch_id)), fill=INK, font_weight="bold")
    lines = [f"cost {patch.cost}", f"time {patch.time}", f"income {patch.income}"]
    rows = [element("text", line, y=37 + 14 * row) for row, line in enumerate(lines)]
    numbers = element("g", *rows, font_size=12.5, text_anchor="middle", fill=INK)
    return "".join([lying(ruleset, patch_id, (0, -30), side, seam=True), name, numbers])
