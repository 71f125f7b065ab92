"""The compiled engine: the rules of `patchstats.rules` on one array of words, bit for bit equal to them.

Start in `engine.py`, which is what the rest of patchstats uses; a game goes like this:

    tables.py      arena_for(ruleset)         plain Python: the tables of a ruleset, once
    games.py       play_games                 for each game:
                     shuffle_ring             the setup stream lays the ring               philox.py
                     draw_prices              where prices change, a stream of its own says how
                     turn.set_up, lay_ring    section 2
                     play_game                until nobody is on turn:
                       turn.seat_on_turn        3.1, 3.2, 6.7, 8.1
                       turn.count_legal         where each patch on offer fits             section 5
                       decision.py              the agent is asked, or a lot drawn         deciders/, philox.py
                       turn.advance             section 4
                       turn.buy                 5.5 to 5.11, turn.cover: section 7
                       turn.place_leather       6.5
                       turn.move                the marks crossed: section 6
                     write_columns            sections 8 and 9
    turn_rows.py   what `--log turns` tells of each ply
    offer_rows.py  what `--log offers` tells of each patch on offer at a turn
    perft.py       counting instead of playing
    positions.py   positions into an arena and out of it
    asking.py      agents asked for one decision, on positions of the reference engine
    lessons.py     games to learn an evaluation from
    deciders/      the agents, each a compiled routine with a memory of its own
    search/        what those that look ahead share; quilt.py and packing.py: what lies well

`layout.py` draws the arena: what a game is, the tables, and scratch, in one array of unsigned 64-bit words, because a
compiled routine reads one array faster than many. `words.py` has the few things that words can do in hardware.

Everything is unsigned, and each constant is a `numpy.uint64`: mixed with a signed number, numba would go over to
floating point. Routines take the arena as `a`, and a seat as the place where its words begin.

`forceinline` stands where a call would cost, since an array is passed in seven words: without it a random game takes a
fifth longer.

What is compiled is kept on disk, see `cache.py`. The modules with compiled routines are imported here, so that nobody
gets at them before it is said where.
"""

from patchstats.kernel.cache import kept_on_disk

with kept_on_disk():
    from patchstats.kernel import games, perft, positions

__all__ = ["games", "perft", "positions"]
