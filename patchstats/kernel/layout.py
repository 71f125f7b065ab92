"""Where everything lies in the arena, the one array of unsigned 64-bit words that the kernel works on.

    0 .................... the ruleset's numbers, and where each table begins
    SEATS ................ what seat 0 has, then what seat 1 has: SEAT_SIZE words each
    TOP and on ........... what belongs to no seat
    STREAMS .............. the random streams of setup, seat 0 and seat 1: STREAM_SIZE words each
    OFFER and on ......... worked out anew each turn
    TABLES ............... the tables of this ruleset, each from where its AT_ number says:
      AT_NEXT              for each patch the next one clockwise on the ring
      AT_OWNER             for each patch 0 on the ring, 1 with seat 0, 2 with seat 1
      AT_INCOMES           for each space how many income marks lie up to it
      AT_PATCHES           for each patch PATCH_SIZE words
      AT_ORIENTATIONS      for each distinct way to lay a patch a[ORIENTATION_SIZE] words
      AT_WAYS              for each patch and number of an orientation where that lies
      AT_SQUARES           for each bonus square, of which there are a[SQUARES], its cells in two words
      AT_FITS              for each slot, way and window the corners from which the patch fits; worked out each turn

Patches are numbered from 0 in the order of the ruleset. No other file knows a place by its number.
"""

from __future__ import annotations

from itertools import count

import numpy as np

MOST_WINDOWS = 8
MOST_OFFERS = 8
#: Most distinct ways to lay a patch.
MOST_WAYS = 8
#: Words that hold a bit for each space of the longest track.
TRACK_WORDS = 4

_place = count()


def _places(number: int) -> list[np.uint64]:
    return [np.uint64(next(_place)) for _ in range(number)]


def _room(words: int) -> np.uint64:
    """Return where the next so many words begin."""
    return _places(words)[0]


def _fields(number: int) -> list[np.uint64]:
    return [np.uint64(field) for field in range(number)]


#: The ruleset's numbers. RUNS is how many runs make up an orientation; WINDOWS, how many words show a quilt.
QUILT_SIZE, CELLS, QUILT_LOW, QUILT_HIGH, FINISH, OFFER_SIZE, START_BUTTONS = _places(7)
PENALTY, BONUS_POINTS, BONUS_SIDE, PATCHES, START_PATCH, RUNS, WINDOWS, ORIENTATION_SIZE = _places(8)
#: The cells that have a neighbour to the left, and to the right.
LEFT_LOW, LEFT_HIGH, RIGHT_LOW, RIGHT_HIGH = _places(4)
AT_NEXT, AT_OWNER, AT_INCOMES, AT_PATCHES, AT_ORIENTATIONS, AT_WAYS, AT_FITS = _places(7)
AT_SQUARES, SQUARES = _places(2)
#: For each window the number of the first cell it holds.
WINDOW_START = _room(MOST_WINDOWS)
#: Bit `space % 64` of word `space // 64`: whether a leather lies there at the start.
LEATHERS_AT_START = _room(TRACK_WORDS)

#: What a seat has; the second line is worked out for the logs alone.
SPACE, BUTTONS, INCOME, COVERED_LOW, COVERED_HIGH, EMPTY, LEATHERS, BOUGHT = _fields(8)
ADVANCES, LONGEST_STREAK, HOLES, REGIONS = _fields(12)[8:]
SEAT_SIZE = np.uint64(12)
SEATS = _room(2 * int(SEAT_SIZE))

#: What belongs to no seat. BONUS and FIRST hold 0 for nobody, else the seat + 1. TAIL is the patch just before the
#: neutral token, so the last in line; ACCOUNT is what the bank and both seats hold together, modulo 2**64.
TOP, WAITING, SET_ASIDE, BONUS, FIRST, TAIL, ON_RING, ACCOUNT = _places(8)
LEATHERS_ON_TRACK = _room(TRACK_WORDS)
#: For the logs alone. LEADER and LAST_MOVER hold 0 for nobody, else the seat + 1.
PLIES, BONUS_PLY, LEAD_CHANGES, LEADER, LAST_MOVER, STREAK = _places(6)

#: What names every stream besides its kind. INDEX is the ring's while ring and prices are drawn, else the game's.
SEED, INDEX = _places(2)
#: A stream: its kind, its next block, how many words of the block at hand are used, the four words of that.
KIND, BLOCK, USED, WORDS = _fields(4)
STREAM_SIZE = np.uint64(7)
STREAMS = _room(3 * int(STREAM_SIZE))

#: The patches on offer, and for each how many placements there are.
OFFER = _room(MOST_OFFERS)
SLOT_COUNT = _room(MOST_OFFERS)
#: Whether the agent on turn allows itself to advance.
(MAY_ADVANCE,) = _places(1)
#: What the agent on turn tells of the offers: bit `slot` of VALUES_TOLD, whether VALUE + slot is what it holds the
#: patch to be worth, a signed number; PROBABILITIES_TOLD, whether PROBABILITY + slot is how likely it was to buy each
#: patch, in parts of CERTAIN.
VALUES_TOLD, PROBABILITIES_TOLD = _places(2)
VALUE = _room(MOST_OFFERS)
PROBABILITY = _room(MOST_OFFERS)
CERTAIN = np.uint64(10**9)
#: For each window, and for each shape of `tables.RUN_SHAPES`, the corners from which it meets free cells alone.
MOST_RUNS = 10
RUN = _room(MOST_RUNS * MOST_WINDOWS)

TABLES = next(_place)

#: A patch; its ways to be laid are the orientations FIRST_WAY up to, not including, LAST_WAY.
COST, TIME, PATCH_INCOME, SIZE, FIRST_WAY, LAST_WAY = _fields(6)
PATCH_SIZE = np.uint64(6)

#: An orientation: its number; the cells it covers with its corner on cell 0; for each window the corners it may have;
#: and from there on its runs, each as run << 6 | distance of the run's corner from the patch's.
NUMBER, PATTERN_LOW, PATTERN_HIGH, CORNERS = _fields(4)

#: An agent's memory, see `deciders.deciding`: 0 when a game begins; how the agent draws lots, 0 if it does not; what it
#: is not allowed to do, see `restrictions`; and where its own words begin.
FRESH, LOTS, RESTRICTIONS, OWN = _fields(4)
#: Any action, or the patch first.
ANY_ACTION, PATCH_FIRST = _fields(3)[1:]
