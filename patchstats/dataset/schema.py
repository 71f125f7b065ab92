"""The tables of a run, column by column: the one authority on their names, types, units and meaning.

How a column is computed from a game lives in `rows.py`, how tables become files in `shards.py`; `docs/schema.md` is
generated from this module.
"""

from __future__ import annotations

from patchstats.columns import GAME_INDEX, Column, for_each_seat, table_of
from patchstats.metrics.lead_changes import LEAD_CHANGES
from patchstats.metrics.streaks import LONGEST_STREAK
from patchstats.notation.action_log import FORMAT

#: Raised by one whenever the files of a run change: other columns, types or meanings, another manifest.
SCHEMA_VERSION = 3

#: The column that a summary leaves out.
ACTIONS = Column("actions", "binary", "", "2 bytes a ply", "the action log: every ply, enough to replay the game")

GAMES = (
    GAME_INDEX,
    Column(
        "ring_index",
        "int64",
        "",
        "0 to games - 1",
        "the index of the stream that shuffled the ring, unless a record laid it",
    ),
    Column(
        "ring",
        "binary",
        "",
        "a byte a patch",
        "the patches clockwise from the neutral token on, each by its row in the ruleset's table, from 1",
    ),
    *for_each_seat("agent", "string", "", "", "the spec of the agent"),
    Column("winner", "int8", "seat", "0, 1", "who won"),
    Column("tie_broken", "bool", "", "", "whether the scores were equal, so that the first finisher won"),
    Column("first_finisher", "int8", "seat", "0, 1", "whose token reached the finish first"),
    *for_each_seat("score", "int32", "points", "", "the final score"),
    *for_each_seat("buttons", "int32", "buttons", "from 0", "the final buttons"),
    *for_each_seat("empty", "int16", "cells", "0 to 121", "the empty cells in the end"),
    *for_each_seat("income", "int32", "buttons a mark", "from 0", "the final income"),
    Column("bonus_seat", "int8", "seat", "-1, 0, 1", "who won the bonus; -1: nobody"),
    Column("bonus_ply", "int16", "ply", "-1 to plies - 1", "the ply that won the bonus; -1: none"),
    *for_each_seat("leathers", "int16", "leathers", "from 0", "the leathers on the quilt"),
    *for_each_seat("patches", "int16", "patches", "from 0", "the patches bought, leathers not counted,"),
    *for_each_seat("advances", "int16", "turns", "from 0", "the turns spent on an advance"),
    Column("plies", "int16", "plies", "from 2", "the actions of both seats, placing a leather being one of its own"),
    LEAD_CHANGES,
    *LONGEST_STREAK,
    ACTIONS,
)

#: Behind the other columns of the games where prices change from game to game, and nowhere else.
JITTER = Column(
    "jitter",
    "binary",
    "",
    "a byte a number changed",
    "with `--jitter` alone: for each of its keys, patch by patch, by how much that is changed: -1, 0 or 1, signed",
)

TURNS = (
    GAME_INDEX,
    Column("ply", "int16", "ply", "0 to plies - 1", "the number of the action in its game"),
    Column("seat", "int8", "seat", "0, 1", "who acted"),
    Column("kind", "int8", "", "0, 1, 2", "0 an advance, 1 a purchase, 2 placing a leather"),
    Column("patch", "int16", "", "-1, 1 to 255", "the patch bought, by its row in the ruleset's table; -1: none"),
    Column("slot", "int8", "", "-1 to 7", "where on offer the patch lay, 0 being nearest the neutral token; -1: none"),
    Column("orientation", "int8", "", "-1 to 7", "the patch's orientation, the lowest of equal ones; -1: none"),
    Column("cell", "int16", "", "-1 to 120", "the top left cell of the patch's box, or the leather's cell; -1: none"),
    Column("time_before", "int16", "space", "0 to 255", "where the seat's token stood before"),
    Column("time_after", "int16", "space", "0 to 255", "where it stood after"),
    Column("buttons_before", "int32", "buttons", "from 0", "the seat's buttons before"),
    Column("buttons_after", "int32", "buttons", "from 0", "the seat's buttons after"),
    Column("cost", "int16", "buttons", "0 to 1000", "what was paid for the patch; 0 when none was bought"),
    Column("income_gained", "int32", "buttons", "from 0", "what the income marks crossed gave"),
    Column("marks_crossed", "int16", "marks", "from 0", "the income marks crossed"),
    Column("leather_gained", "int16", "leathers", "from 0", "the leathers taken from the track"),
    Column("legal_actions", "int16", "actions", "from 1", "how many actions were legal"),
    Column("affordable", "int8", "patches", "0 to 8", "patches on offer that the seat could pay"),
    Column(
        "placeable", "int8", "patches", "0 to 8", "patches on offer that fitted on the seat's quilt, payable or not"
    ),
    Column("holes", "int16", "regions", "from 0", "empty regions of one cell on the seat's quilt afterwards"),
    Column("regions", "int16", "regions", "from 0", "empty regions (joined by sides) on the seat's quilt afterwards"),
)

OFFERS = (
    GAME_INDEX,
    Column("ply", "int16", "ply", "0 to plies - 1", "the turn, by the number of its action in the game"),
    Column("slot", "int8", "", "0 to 7", "where on offer the patch lay, 0 being nearest the neutral token"),
    Column("patch", "int16", "", "1 to 255", "the patch, by its row in the ruleset's table"),
    Column("affordable", "bool", "", "", "whether the seat on turn could pay it"),
    Column(
        "placements", "int16", "placements", "from 0", "how many placements fitted on the seat's quilt, payable or not"
    ),
    Column(
        "value", "int32", "", "", "what the agent held buying it to be worth, in its own unit, or null", nullable=True
    ),
    Column(
        "probability",
        "int32",
        "",
        "0 to 10**9",
        "how likely the agent was to buy it, in parts of 10**9 (what is left of all patches is the advance), or null",
        nullable=True,
    ),
    Column("chosen", "bool", "", "", "whether the seat bought it"),
)

#: The tables that are written.
TABLES = {"games": GAMES, "turns": TURNS, "offers": OFFERS}

#: Not written: computed from the action logs when it is read.
PATCHES = (
    GAME_INDEX,
    Column("patch", "int16", "", "1 to 255", "the patch, by its row in the ruleset's table"),
    Column(
        "place", "int16", "", "0 to patches - 1", "where on the ring it was laid out, clockwise from the neutral token"
    ),
    Column("seat", "int8", "seat", "-1, 0, 1", "who bought it; -1: nobody"),
    Column("ply", "int16", "ply", "-1 to plies - 1", "the ply at which it was bought; -1: never"),
    Column("slot", "int8", "", "-1 to 7", "where on offer it lay then; -1: never bought"),
    Column("space", "int16", "space", "-1 to 255", "where the buyer's token stood then; -1: never bought"),
)

#: What each level of `--log` writes: the columns of each table, where prices do not change.
LOG_LEVELS: dict[str, dict[str, tuple[Column, ...]]] = {
    "summary": {"games": tuple(column for column in GAMES if column is not ACTIONS)},
    "games": {"games": GAMES},
    "turns": {"games": GAMES, "turns": TURNS},
    "offers": TABLES,
}


def tables_of(log: str, jitter: str) -> dict[str, tuple[Column, ...]]:
    """Return the columns of each table that a run writes."""
    tables = LOG_LEVELS[log]
    return {**tables, "games": (*tables["games"], JITTER)} if jitter else tables


def schema_page() -> str:
    """Return `docs/schema.md`: every column of every table, as Markdown."""
    lines = [_INTRODUCTION.format(version=SCHEMA_VERSION)]
    for table, columns in {**tables_of("offers", "cost"), "patches": PATCHES}.items():
        lines += ["", f"## {_TITLES[table]}", "", *table_of(columns)]
    lines += ["", "## The action log", "", "`actions` is absent with `--log summary`. " + FORMAT]
    lines += ["", "## Prices that change from game to game", "", _JITTER]
    return "\n".join(lines) + "\n"


_TITLES = {
    "games": "games: one row a game",
    "turns": "turns: one row a ply, with `--log turns` or `offers`",
    "offers": "offers: one row a patch on offer at each turn, with `--log offers`",
    "patches": "patches: one row a patch and game, not written but computed by `run.patches()`",
}

_INTRODUCTION = """\
# The tables of a run

Schema version {version}. This page is generated: `python -m patchstats.dataset.schema > docs/schema.md`.

-1 means that there is nothing to tell; only `value` and `probability` of the offers hold nulls. Seats, plies, games,
offer slots and cells count from 0; a cell is `row * quilt_size + column` from the top left. A patch is its row in the
ruleset's table, from 1: in the shipped rulesets, 21 is p21. In the frames that patchstats reads, patches and kinds of
action have their names.

Every file carries in its Parquet metadata, as JSON under the key `patchstats`, the schema version, the behaviour
version, the id of the run and the ruleset in full. The files of every earlier version can be read; version 2 had no
`probability`, which is then null, and version 1 no offers, and its files do not name their run."""


_JITTER = """\
With `--jitter cost`, or with several of `cost`, `time` and `income` in this order, such as `cost+time`, these numbers
of each patch are changed in each game, which is played with them. The changes are drawn from a random stream of their
own, named by the seed and `ring_index`: all games on a ring, such as the two of a mirrored pair, have the same prices,
and rings and agents draw from their streams as they do without. Key by key, and patch by patch in the order of the
ruleset's table, each of -1, 0 and 1 that leaves the number within its bounds is equally likely (a cost of 0 stays or
rises, and so does a time of 1). `jitter` has the changes in this order; `run.jitter()` returns them as numbers, a
column each. All other columns, and all that agents see, are of the changed prices; the ruleset in the metadata is that
before them."""


if __name__ == "__main__":
    print(schema_page(), end="")
