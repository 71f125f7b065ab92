"""Games in letters: what is written is read back, what each letter means, and texts that are no games."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.errors import NotationError, RulesetError
from patchstats.notation import GameRecord, record_of
from patchstats.notation.foreign import FORMATS, GameText, format_letters
from patchstats.notation.foreign.letters import lettering, letters_reader
from patchstats.rules import Advance, Buy, PlaceLeather, Ruleset
from patchstats.rules.files import data_directory
from patchstats.rules.shapes import orientations, parse_shape
from patchstats.testing import games, rulesets

ORIGINAL = Ruleset.load("original")
READ = letters_reader(ORIGINAL)
RING = "BCDEFGHIJKLMNOPQRSTUVWXYZabcdefgA"
SHIPPED = rulesets(invented=False)
LAST = "the letter of a patch, h for a leather, or '.' for an advance"


def cells(word):
    """The cells that a purchase covers, as a drawing of rows."""
    [action] = READ(GameText(f"{RING},{word}")).plies
    way = ORIGINAL.ways_to_lay[action.patch][action.orientation]
    covered = [divmod(cell, 9) for cell in range(81) if way.pattern << action.cell >> cell & 1]
    top, left = min(row for row, _ in covered), min(column for _, column in covered)
    height, width = (1 + max(cell[axis] for cell in covered) - (top, left)[axis] for axis in (0, 1))
    drawing = "/".join(
        "".join("01"[(top + row, left + column) in covered] for column in range(width)) for row in range(height)
    )
    return drawing, (top, left)


@given(games(rulesets=SHIPPED))
def test_a_game_that_is_written_in_letters_is_read_back(game):
    record = record_of(game.ruleset, game.ring, game.actions)
    line = format_letters(record)
    read = letters_reader(game.ruleset)(GameText(line))
    assert (read.ring, read.plies) == (record.ring, record.actions)
    assert (read.scores, read.winner) == (record.result.scores, record.result.winner)
    assert read.difference == abs(read.scores[0] - read.scores[1])
    assert "".join(read.words) == line.split(",")[1]
    assert [len(word) for word in read.words] == [1 if action == Advance() else 4 for action in record.actions]


@given(st.sampled_from(sorted(lettering(ORIGINAL).laid)))
def test_each_letter_lays_its_patch_as_the_table_draws_it(kind):
    with (data_directory() / "foreign" / "letters.csv").open(encoding="utf-8", newline="") as file:
        [row] = [row for row in csv.DictReader(file) if row["letter"] == kind[0]]
    drawn = orientations(parse_shape(row["rows"]))["ABCDEFGH".index(kind[1])]
    drawing, corner = cells(f"{kind[0]}BC{kind[1]}")
    assert parse_shape(drawing) == drawn
    assert corner == (2, 1)  # row C, column B


def test_the_letters_are_those_of_the_ring_and_a_is_the_patch_of_two_cells():
    patches = lettering(ORIGINAL).patches
    assert "".join(patches) == "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"
    assert sorted(patches.values()) == sorted(patch.id for patch in ORIGINAL.patches)
    assert patches["A"] == ORIGINAL.start_patch
    assert ORIGINAL[patches["A"]].size == 2


@pytest.mark.parametrize(
    ("word", "drawing"),
    [
        ("OBBA", "10/10/11/10"),
        ("OBBB", "1111/0100"),
        ("OBBC", "01/11/01/01"),
        ("OBBD", "0010/1111"),
        ("OBBE", "01/01/11/01"),
        ("OBBF", "0100/1111"),
        ("OBBG", "10/11/10/10"),
        ("OBBH", "1111/0010"),
    ],
)
def test_quarter_turns_are_clockwise_and_the_flip_comes_first(word, drawing):
    assert cells(word) == (drawing, (1, 1))


def test_column_comes_before_row_for_leathers_too_and_how_one_is_laid_means_nothing():
    assert READ(GameText(f"{RING},hBDA.hBDH")).plies == (PlaceLeather(28), Advance(), PlaceLeather(28))


def test_the_ring_may_begin_anywhere_and_the_neutral_token_starts_behind_a():
    read = READ(GameText("CDEFGHIJKLMNOPQRSTUVWXYZabcdefgAB,"))
    assert read.ring[-2:] == ("p01", "p02")
    assert read.plies == ()
    assert format_letters(GameRecord(ORIGINAL, read.ring, (), (), None)) == "CDEFGHIJKLMNOPQRSTUVWXYZabcdefgAB,"


def test_the_result_is_said_of_players_one_and_two():
    told = {
        "": (None, None, None),
        ",1": (0, None, None),
        ",2,-3,40": (1, (-3, 40), None),
        ",2,-3,40,43": (1, (-3, 40), 43),
    }
    for text, expected in told.items():
        read = READ(GameText(f"{RING},..{text}"))
        assert (read.winner, read.scores, read.difference) == expected


def test_blanks_and_quotes_around_fields_are_let_pass():
    assert READ(GameText(f'"{RING}" ,\t"..",2')) == READ(GameText(f"{RING},..,2"))


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [
        ("", 1, "33 more letters of the ring, such as A"),
        (RING[:-1], 33, "1 more letter of the ring, such as A"),
        (f"{RING[:5]}?{RING[6:]},", 6, "the letter of a patch, each once, A to Z and a to g"),
        (f"h{RING[1:]},", 1, "the letter of a patch, each once, A to Z and a to g"),
        (f"B{RING[:-1]},", 2, "the letter of a patch, each once, A to Z and a to g"),
        (f"{RING}B,", 34, "',' and the plies"),
        (RING, 34, "',' and the plies"),
        (f"{RING},..i", 37, LAST),
        (f"{RING},.null", 36, LAST),
        (f"{RING},. .", 36, LAST),
        (f"{RING},BJAA", 36, "a column from A to I"),
        (f"{RING},B.AA", 36, "a column from A to I"),
        (f"{RING},.BAaA", 38, "a row from A to I"),
        (f"{RING},hAAI", 38, "how it is laid, A to H"),
        (f"{RING},.hAA", 39, "how it is laid, A to H"),
        (f"{RING},..B", 38, "a column from A to I"),
        (f"{RING},..,0", 38, "the player who won, 1 or 2"),
        (f"{RING},..,", 38, "the player who won, 1 or 2"),
        (f"{RING},..,1,5", 41, "',' and the score of player 2"),
        (f"{RING},..,1,5,+5", 42, "the score of player 2"),
        (f"{RING},..,1,x,5", 40, "the score of player 1"),
        (f"{RING},..,1,5,5,0.0", 44, "the difference of the scores"),
        (f"{RING},..,1,5,5,0,7", 46, "nothing more behind the difference of the scores"),
        (f'{RING},"..', 35, "a field, with quotes around the whole of it or none"),
        (f'{RING},.".",1', 35, "a field, with quotes around the whole of it or none"),
    ],
)
def test_a_text_that_is_no_game_is_refused_where_it_goes_wrong(line, column, expected):
    with pytest.raises(NotationError) as refused:
        READ(GameText(line, line=7))
    assert (refused.value.line, refused.value.column, refused.value.expected) == (7, column, expected)


@given(st.text(st.sampled_from(RING + 'hi.,"12- \ud800'), max_size=60), st.integers(0, 60), st.booleans())
def test_any_other_text_is_refused_in_the_same_way(noise, place, whole):
    good = f"{RING},BAAA.hAAA,1,2,3,1"
    text = noise if whole else good[:place] + noise + good[place + 1 :]
    refusals = []
    try:
        READ(GameText(text, line=2))
    except NotationError as error:
        refusals.append(error)
    assert all(error.line == 2 and 1 <= error.column <= len(text) + 1 for error in refusals)


def test_a_ruleset_whose_patches_have_no_letters_is_refused():
    other = ORIGINAL.with_changes({"patches.p21.rows": "111/111/111"})
    settings = ORIGINAL.to_dict()
    patches = settings["patches"]
    less = Ruleset.from_dict({**settings, "patches": {key: patches[key] for key in patches if key != "p05"}})
    more = Ruleset.from_dict({**settings, "patches": {**patches, "p99": patches["p05"]}})
    for ruleset, wrong in ((other, "p21: has not the shape"), (less, "p05 is missing"), (more, "p99: has no letter")):
        with pytest.raises(RulesetError, match=wrong):
            letters_reader(ruleset)


def test_another_drawing_of_the_same_patch_has_the_same_letters():
    turned = ORIGINAL.with_changes({"patches.p15.rows": "01/11/01/01"})
    line = format_letters(GameRecord(turned, tuple(READ(GameText(f"{RING},")).ring), (Buy("p15", 0, 10),), (0,), None))
    assert line == f"{RING},OBBC"
    assert letters_reader(turned)(GameText(line)).plies == (Buy("p15", 0, 10),)


def test_what_has_no_letters_is_not_written():
    ring = READ(GameText(f"{RING},")).ring
    with pytest.raises(ValueError, match="cell 81 is not on a quilt of 9 cells a side"):
        format_letters(GameRecord(ORIGINAL, ring, (PlaceLeather(81),), (0,), None))
    with pytest.raises(ValueError, match="the ring does not name every patch"):
        format_letters(GameRecord(ORIGINAL, ring[1:], (), (), None))


def test_lines_end_in_either_way_and_blank_ones_are_passed_over(tmp_path):
    file = tmp_path / "games.csv"
    file.write_bytes(b"\xef\xbb\xbf" + f"{RING},.\r\n\r\n \n{RING},..\n{RING},\xff".encode("latin-1"))
    texts = list(FORMATS["letters"].texts(file))
    assert [(text.line, text.where) for text in texts] == [(1, "line 1"), (4, "line 4"), (5, "line 5")]
    assert [len(READ(text).plies) for text in texts[:2]] == [1, 2]
    with pytest.raises(NotationError):
        READ(texts[2])
