"""Games that Hypothesis draws and, where an engine differs in one, makes as short as it can.

To import this loads Hypothesis, so it is imported when needed.
"""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import DrawFn, SearchStrategy

from patchstats.conformance.conform.scripts import Script, script_of_choices
from patchstats.rules import Ruleset
from patchstats.rules.files import data_directory
from patchstats.rules.loading import shipped_rulesets
from patchstats.testing import rulesets

#: A number holds the choice of an action in its low bits, and above them an illegal action to be tried before, or 0.
CHOICE_BITS, SLIP_BITS = 12, 5
LONGEST = 80
#: How a game may be played, by what becomes of a choice: anything at all; half of it advances, which brings the buttons
#: to buy anything; mostly the first purchase listed, which packs a quilt from its top left corner until it is full.
MANNERS: tuple[Callable[[int], int], ...] = (
    lambda choice: choice,
    lambda choice: choice >> 1 if choice & 1 else 0,
    lambda choice: min(1, choice & 3),
)


class Drawn(NamedTuple):
    """A game as numbers; `script_of_choices` plays it."""

    ruleset: Ruleset
    ring: tuple[str, ...]
    choices: tuple[tuple[int, int], ...]

    @property
    def script(self) -> Script:
        """What an engine is asked."""
        return script_of_choices(self.ruleset, self.ring, self.choices)


class Enough(BaseException):
    """No more games are wanted. Not an Exception, because Hypothesis would take that for a find."""


@lru_cache
def small_rulesets() -> tuple[Ruleset, ...]:
    """Return the small rulesets of `data/protocol/rulesets.toml`.

    >>> small_rulesets()[0].name, small_rulesets()[0].finish
    ('two-spaces', 2)
    """
    data = data_directory()
    base = Ruleset.load(str(data / "games" / "small.toml"))
    table = tomllib.loads((data / "protocol" / "rulesets.toml").read_text(encoding="utf-8"))
    return tuple(base.with_changes({**entry["changes"], "name": entry["name"]}) for entry in table["ruleset"])


def plain_games(plays: Callable[[Ruleset], bool]) -> Iterator[Drawn]:
    """Yield the plainest games by the small rulesets that an engine plays by: advances, first purchases, both in turn.

    In half of them an illegal action is tried before each ply, another one each time.

    >>> [game.choices for game in plain_games(lambda ruleset: ruleset.name == "two-spaces")][2:4]
    [((1, 0), (0, 0), (1, 0), (0, 0)), ((0, 1), (0, 2), (0, 3), (0, 4))]
    """
    for ruleset in filter(plays, small_rulesets()):
        longest = 2 * ruleset.finish + len(ruleset.leather_marks)
        for slips in (0, 1):
            for pattern in ([0], [1], [1, 0]):
                choices = tuple((pattern[ply % len(pattern)], slips * (ply + 1)) for ply in range(longest))
                yield Drawn(ruleset, tuple(patch.id for patch in ruleset.patches), choices)


def drawn_games(plays: Callable[[Ruleset], bool]) -> SearchStrategy[Drawn]:
    """Draw games by the rulesets that an engine plays by: small ones, shipped ones, and invented ones if it plays all.

    A number for the ruleset, one for the ring and one a ply: so the fewest numbers are the shortest game.
    """
    small = [ruleset for ruleset in small_rulesets() if plays(ruleset)]
    shipped = [ruleset for ruleset in map(Ruleset.load, shipped_rulesets()) if plays(ruleset)]
    kinds = [st.sampled_from(some) for some in (small, shipped) if some]
    if small:
        kinds.append(rulesets(shipped=False, quilt_sizes=(3, 6), most_patches=6))
    return _drawn(st.one_of(kinds))


@st.composite
def _drawn(draw: DrawFn, known: SearchStrategy[Ruleset]) -> Drawn:
    ruleset = draw(known)
    ids = [patch.id for patch in ruleset.patches]
    ring = _arranged(ids, draw(st.integers(0, 2**64 - 1)))
    manner = draw(st.sampled_from(MANNERS))
    numbers = st.integers(0, 2 ** draw(st.sampled_from([CHOICE_BITS, CHOICE_BITS + SLIP_BITS])) - 1)
    drawn = draw(st.lists(numbers, min_size=draw(st.sampled_from([0, 12, 40])), max_size=LONGEST))
    pairs = ((manner(number % 2**CHOICE_BITS), number >> CHOICE_BITS) for number in drawn)
    return Drawn(ruleset, ring, tuple(pairs))


def _arranged(ids: Sequence[str], number: int) -> tuple[str, ...]:
    """One of the orders of the ids; 0 leaves them as they are."""
    left, ring = list(ids), []
    while left:
        number, place = divmod(number, len(left))
        ring.append(left.pop(place))
    return tuple(ring)


def search(
    games: SearchStrategy[Drawn], examples: int, seed: int, condition: Callable[[Drawn], bool], *, shrink: bool
) -> None:
    """Draw games until the condition holds, and then shorter ones in which it still does; what is found it must keep.

    The condition may raise Enough. The same seed draws the same games, as long as the condition does not hold.
    """
    phases = [Phase.generate, Phase.shrink] if shrink else [Phase.generate]
    chosen = settings(
        max_examples=examples,
        phases=phases,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    with contextlib.suppress(NoSuchExample, Enough):
        find(games, condition, settings=chosen, random=Random(seed))
