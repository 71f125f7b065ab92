"""Perft: how many sequences of actions there are, by length. Two engines that count alike know the same actions.

The counts of `data/perft` were made by the reference engine; a complete action is an advance, a purchase with its
placement, or the placing of one leather.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from typing import NamedTuple

from patchstats.errors import PatchstatsError
from patchstats.notation import format_action, format_position, parse_position
from patchstats.rules import Position, Ruleset
from patchstats.rules.files import data_directory


def perft(position: Position, depth: int) -> int:
    """Return the number of sequences of `depth` legal actions from a position; a finished game ends its sequences.

    Sequences that end before are not counted. The last action of each is counted, not played.

    >>> from patchstats.rules import Ruleset
    >>> ruleset = Ruleset.load("original")
    >>> start = Position.start(ruleset, [patch.id for patch in ruleset.patches])
    >>> perft(start, 0), perft(start, 1)
    (1, 639)
    """
    if depth == 0:
        return 1
    legal = position.legal_actions
    if depth == 1:
        return len(legal)
    return sum(perft(position.apply(action).position, depth - 1) for action in legal)


#: Counts the sequences of a length from a position.
Counter = Callable[[Position, int], int]


def counter(ruleset: Ruleset, engine: str) -> Counter:
    """Return what counts for an engine: `kernel`, `reference`, or `auto`, the compiled one where it can.

    Raises PatchstatsError when the compiled engine is asked for and cannot serve the ruleset.
    """
    if engine == "reference":
        return perft
    from patchstats.kernel.engine import count_sequences, why_not

    reason = why_not(ruleset)
    if reason and engine == "kernel":
        raise PatchstatsError(f"the compiled engine cannot count this: {reason}")
    return perft if reason else count_sequences


def divide(position: Position, depth: int, count: Counter = perft) -> dict[str, int]:
    """Return the counts behind each first action, by its token: where two engines part, follow that one.

    >>> from patchstats.rules import Ruleset
    >>> ruleset = Ruleset.load("original")
    >>> start = Position.start(ruleset, [patch.id for patch in ruleset.patches])
    >>> divide(start, 1)["advance"]
    1
    """
    size = position.ruleset.quilt_size
    return {
        format_action(action, size): count(position.apply(action).position, depth - 1)
        for action in position.legal_actions
    }


class Count(NamedTuple):
    """A line of `data/perft/counts.csv`: what the position is, the position, and the nodes at this depth."""

    name: str
    position: Position
    depth: int
    nodes: int


def known_counts() -> tuple[Count, ...]:
    """Return the counts that are checked in; `python -m patchstats.conformance.perft` makes them again."""
    with (data_directory() / "perft" / "counts.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Count(row["name"], parse_position(row["position"]), int(row["depth"]), int(row["nodes"]))
            for row in csv.DictReader(file)
        )


def _main() -> None:
    """Count again from every position that is checked in, as deep as there, and print the file anew."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(Count._fields)
    for name, position, depth, _ in known_counts():
        writer.writerow((name, format_position(position), depth, perft(position, depth)))


if __name__ == "__main__":
    _main()
