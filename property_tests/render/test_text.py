"""Quilts, positions and games as plain text."""

import re
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from patchstats.notation import record_of
from patchstats.render import bonus_square, game_text, position_text, quilt_text, quilt_tiles
from patchstats.rules import Advance, Ruleset
from patchstats.rules.cells import cells_in
from patchstats.rules.events import BonusWon, Earned, Income, LeatherSetAside, LeatherTaken, Paid
from patchstats.testing import games, play_game, positions, situation

ORIGINAL = Ruleset.load("original")
RING = tuple(f"p{number:02}" for number in range(1, 34))
CROWDED = Ruleset.from_dict(
    {
        **ORIGINAL.to_dict(),
        "quilt_size": 11,
        "finish": 200,
        "start_patch": "p1",
        "patches": {f"p{number}": {"rows": "1", "cost": 0, "time": 1, "income": 0} for number in range(1, 201)},
    }
)

few = settings(max_examples=max(1, settings().max_examples // 2))


def grid_of(text, size):
    """The marks on a drawn quilt, by cell, and the letters of the columns."""
    head, *rows = text.splitlines()[: size + 1]
    marks = [re.split(" +", row.strip())[: size + 1] for row in rows]
    assert [row[0] for row in marks] == [str(number) for number in range(1, size + 1)]
    return dict(enumerate(mark for row in marks for mark in row[1:])), head.split()[:size]


@given(games(), st.integers(0, 1))
def test_the_tiles_of_a_quilt_are_what_the_position_says_is_on_it(game, seat):
    tiles = quilt_tiles(game.log, seat)
    player = game.final.players[seat]
    assert sum(tile.cells for tile in tiles) == player.covered
    assert sum(tile.cells.bit_count() for tile in tiles) == player.covered.bit_count()
    assert {tile.patch for tile in tiles} - {None} == player.patches
    assert sum(tile.patch is None for tile in tiles) == player.leathers
    assert all(tile.cells.bit_count() == game.ruleset[tile.patch].size for tile in tiles if tile.patch)


@given(games(), st.integers(0, 1))
def test_the_bonus_square_was_not_whole_before_the_tile_that_won_the_bonus(game, seat):
    square = bonus_square(game.ruleset, game.log, seat)
    assert (square is not None) == (game.final.bonus_owner == seat)
    if square is not None:
        assert square in game.ruleset.bonus_squares
        won = next(ply for ply in game.plies if BonusWon(seat) in ply.events)
        assert square & ~won.after.players[seat].covered == 0
        assert square & ~won.before.players[seat].covered != 0


def test_games_with_a_bonus_are_among_those_that_are_tried(reach):
    reach(games(), lambda game: game.final.bonus_owner is not None and game.ruleset.bonus_square > 2)


@given(games(), st.integers(0, 1))
def test_all_cells_of_a_patch_bear_one_letter_that_no_other_patch_bears(game, seat):
    tiles = quilt_tiles(game.log, seat)
    marks, columns = grid_of(quilt_text(game.ruleset, tiles), game.ruleset.quilt_size)
    assert "".join(columns) == "abcdefghijk"[: game.ruleset.quilt_size]
    letters = []
    for tile in tiles:
        glyphs = {marks.pop(cell) for cell in cells_in(tile.cells)}
        assert len(glyphs) == 1
        if tile.patch is None:
            assert glyphs == {"*"}
        else:
            letters += glyphs
    assert len(set(letters)) == len(letters)
    assert not {".", "*"} & set(letters)
    assert set(marks.values()) <= {"."}


@given(games(), st.integers(0, 1))
def test_the_legend_tells_cost_time_and_income_of_every_letter(game, seat):
    tiles = quilt_tiles(game.log, seat)
    text = quilt_text(game.ruleset, tiles)
    marks, _ = grid_of(text, game.ruleset.quilt_size)
    rows = re.findall(r"(\S+) +(p[0-9]+) +([0-9]+) +([0-9]+) +([0-9]+)", text)
    told = {patch: (glyph, *map(int, numbers)) for glyph, patch, *numbers in rows}
    expected = {}
    for tile in tiles:
        if tile.patch is not None:
            patch = game.ruleset[tile.patch]
            expected[patch.id] = (marks[next(cells_in(tile.cells))], patch.cost, patch.time, patch.income)
    assert told == expected
    assert ("leather" in text) == any(tile.patch is None for tile in tiles)


def test_a_quilt_of_more_patches_than_letters_gives_two_letters_to_each():
    game = play_game(CROWDED, [patch.id for patch in CROWDED.patches], [1] * 400)
    tiles = quilt_tiles(game.log, seat=0)
    marks, _ = grid_of(quilt_text(CROWDED, tiles), 11)
    patches = [marks[next(cells_in(tile.cells))] for tile in tiles if tile.patch]
    assert len(patches) > 52
    assert {len(glyph) for glyph in patches} == {2}
    assert len(set(patches)) == len(patches)


def test_a_position_is_drawn_in_this_way():
    position = situation(
        ORIGINAL, spaces=(9, 12), buttons=(1, 14), income=(3, 0), covered=([0, 1, 10], [80]), ring=["p01", "p33"]
    )
    assert position_text(position) == "\n".join(
        [
            "Ruleset original. Seat 0 is on turn: its token is behind.",
            "",
            "space    0         10        20        30        40        50",
            "seat 0   .........0............................................",
            "seat 1   ............1.........................................",
            "income   .....+.....+.....+.....+.....+.....+.....+.....+.....+",
            "leather  ....................*.....*.....*...........*.....*...",
            "",
            "        space  buttons  income  patches  leathers  empty cells  bonus  score",
            "seat 0      9        1       3        0         0           78     no   -155",
            "seat 1     12       14       0        0         0           80     no   -146",
            "buttons in the bank: 147",
            "",
            "on offer, of 2 on the ring:",
            "p01         p33",
            "cost 2      cost 5",
            "time 1      time 3",
            "income 0    income 1",
            "##          .##.",
            "            ####",
            "            .##.",
            "",
            "seat 0                   seat 1",
            "    a b c d e f g h i        a b c d e f g h i",
            " 1  # # . . . . . . .     1  . . . . . . . . .",
            " 2  . # . . . . . . .     2  . . . . . . . . .",
            *(f" {row}  . . . . . . . . .     {row}  . . . . . . . . ." for row in range(3, 9)),
            " 9  . . . . . . . . .     9  . . . . . . . . #",
        ]
    )


def line_of(text, name):
    """A line of the track, put together from the blocks it is drawn in."""
    track, _, _ = text.partition("buttons")
    return "".join(re.findall(rf"^{name} +([.01+*]+)$", track, re.MULTILINE))


@given(positions())
def test_a_position_shows_tokens_marks_offer_and_numbers(position):
    text = position_text(position)
    ruleset = position.ruleset
    for seat, player in enumerate(position.players):
        assert line_of(text, f"seat {seat}") == "." * player.space + str(seat) + "." * (ruleset.finish - player.space)
        bonus = "yes" if position.bonus_owner == seat else "no"
        numbers = [player.space, player.buttons, player.income, len(player.patches), player.leathers]
        row = [*numbers, position.empty_cells(seat), bonus, position.score(seat)]
        assert re.search(rf"^seat {seat} +{' +'.join(map(str, row))}$", text, re.MULTILINE)
    for name, mark, spaces in (("income", "+", ruleset.income_marks), ("leather", "*", position.leather_marks)):
        line = line_of(text, name)
        assert len(line) == ruleset.finish + 1
        assert tuple(space for space, sign in enumerate(line) if sign == mark) == spaces
    offer = re.search(r"^on offer.*\n(.*)$", text, re.MULTILINE)
    assert tuple(offer[1].split() if offer else ()) == position.offer
    covered = sum(player.covered.bit_count() for player in position.players)
    offered = sum(ruleset[patch].size for patch in position.offer)
    assert text.count("#") == covered + offered
    seat = position.seat_on_turn
    assert text.splitlines()[0].startswith(
        f"Ruleset {ruleset.name}. " + ("The game is over. " if seat is None else f"Seat {seat} ")
    )


@few
@given(games())
def test_a_game_is_told_ply_by_ply_with_what_the_seat_has_then(game):
    text = game_text(record_of(game.ruleset, game.ring, game.actions))
    rows = re.findall(r"^ *([0-9]+) +([01]) +([0-9]+) +([0-9]+) +([0-9]+)  (?=[a-z])", text, re.MULTILINE)
    expected = []
    for number, (before, after) in enumerate(zip(game.positions, game.positions[1:], strict=False)):
        player = after.players[before.seat_on_turn]
        expected.append((number, before.seat_on_turn, player.space, player.buttons, player.income))
    assert [tuple(map(int, row)) for row in rows] == expected


@few
@given(games())
def test_a_game_tells_everything_that_happened(game):
    text = game_text(record_of(game.ruleset, game.ring, game.actions))
    told = Counter(
        {
            "pays": sum(map(int, re.findall(r"\bpays ([0-9]+)", text))),
            "earns": sum(map(int, re.findall(r"\bearns ([0-9]+)", text))),
            "income": sum(map(int, re.findall(r"\bgets an income of ([0-9]+) at", text))),
            "taken": sum(map(int, re.findall(r"\btakes the leather at ([0-9]+)", text))),
            "aside": text.count("sets a leather aside"),
            "laid": text.count("lays a leather on"),
            "bonus": text.count("wins the bonus"),
            "ends": text.count("finishes"),
        }
    )
    log = list(game.log)
    happened = Counter(
        {
            "pays": sum(event.buttons for event in log if isinstance(event, Paid)),
            "earns": sum(event.buttons for event in log if isinstance(event, Earned)),
            "income": sum(event.buttons for event in log if isinstance(event, Income)),
            "taken": sum(event.mark for event in log if isinstance(event, LeatherTaken)),
            "aside": sum(isinstance(event, LeatherSetAside) for event in log),
            "laid": sum(player.leathers for player in game.final.players),
            "bonus": int(game.final.bonus_owner is not None),
            "ends": 2,
        }
    )
    assert told == happened
    bought = re.findall(r"buys (\S+) and lays it", text)
    assert sorted(bought) == sorted(patch for player in game.final.players for patch in player.patches)


@few
@given(games())
def test_the_scores_of_a_game_are_broken_down_and_add_up(game):
    text = game_text(record_of(game.ruleset, game.ring, game.actions, agents=("random", "scripted:x")))
    rows = re.findall(r"^seat ([01]) +([0-9]+) +([0-9]+) +([0-9]+) +(-?[0-9]+) +(-?[0-9]+)$", text, re.MULTILINE)
    assert [int(row[0]) for row in rows] == [0, 1]
    for seat, buttons, bonus, empty, penalty, score in (map(int, row) for row in rows):
        assert buttons + bonus + penalty == score == game.final.score(seat)
        assert (buttons, empty) == (game.final.players[seat].buttons, game.final.empty_cells(seat))
        assert (bonus > 0) <= (game.final.bonus_owner == seat)
    assert re.search(rf"^The game is over\..* seat {game.final.winner} wins", text, re.MULTILINE | re.IGNORECASE)
    assert "seat 0: random; seat 1: scripted:x" in text


@few
@given(games())
def test_a_game_ends_with_both_quilts(game):
    text = game_text(record_of(game.ruleset, game.ring, game.actions))
    for seat in (0, 1):
        assert f"quilt of seat {seat}\n\n{quilt_text(game.ruleset, quilt_tiles(game.log, seat))}" in text


def test_an_unfinished_game_is_told_as_far_as_it_went():
    text = game_text(record_of(ORIGINAL, RING, [Advance()]))
    assert "The game is not over; the scores are those of the moment. Seat 1 is on turn: its token is behind." in text
    text = game_text(record_of(ORIGINAL, RING, []))
    assert "Seat 0 is on turn: its token lies on top." in text


def test_a_tie_is_won_by_the_first_finisher_and_the_text_says_so():
    tie = play_game(ORIGINAL.with_changes({"empty_cell_penalty": 0}), RING, [])
    text = game_text(record_of(tie.ruleset, RING, tie.actions))
    assert "The game is over. The scores are equal, and seat 0 wins: it finished first.\n" in text
