"""Games in numbers, and records of our own, read as others' games are; how a file tells what it holds."""

import pytest
from hypothesis import given

from patchstats.errors import NotationError
from patchstats.notation import format_record, record_of
from patchstats.notation.action_log import decode_action
from patchstats.notation.foreign import CODES_HEADER, FORMATS, GameText, format_codes, format_letters, guessed_format
from patchstats.rules import Advance, Position, Ruleset
from patchstats.testing import games, play_game

ORIGINAL = Ruleset.load("original")
RING = tuple(patch.id for patch in ORIGINAL.patches)
NUMBERS = " ".join(map(str, range(1, 34)))
#: The column in which the plies begin, behind the numbers of the ring.
PLIES = len(NUMBERS) + 2
HEADER = tuple(CODES_HEADER.split(","))


def recorded(choices=()):
    return record_of(ORIGINAL, RING, play_game(ORIGINAL, RING, choices).actions)


@given(games())
def test_a_game_that_is_written_in_numbers_is_read_back(game):
    record = record_of(game.ruleset, game.ring, game.actions)
    read = FORMATS["codes"].reader(game.ruleset)(GameText(format_codes(record), header=HEADER))
    assert (read.ring, read.scores, read.winner) == (record.ring, *record.result)
    position = Position.start(game.ruleset, read.ring)
    for code, action in zip(read.plies, record.actions, strict=True):
        assert position.apply(decode_action(position, code)) == position.apply(action)
        position = position.apply(action).position


def test_columns_stand_in_any_order_among_others(tmp_path):
    file = tmp_path / "games.csv"
    file.write_text(f'game_index,actions,agent_0,ring\n7,0 0,"mcts:a=1,b=2",{NUMBERS}\n')
    [text] = FORMATS["codes"].texts(file)
    read = FORMATS["codes"].reader(ORIGINAL)(text)
    assert (read.ring, read.plies, read.words) == (RING, (0, 0), ("0", "0"))
    assert (read.winner, read.scores, read.seats) == (None, None, None)
    assert text.where == "line 2"


@pytest.mark.parametrize(
    ("header", "column", "expected"),
    [
        ("ring", 5, "a column named actions"),
        ("actions,winner", 15, "a column named ring"),
        ("ring,actions,score_1", 21, "a column named score_0"),
        ("ring,actions,ring", 14, "another column: this one is there already"),
    ],
)
def test_a_first_line_without_the_columns_is_refused(tmp_path, header, column, expected):
    file = tmp_path / "games.csv"
    file.write_text(header)
    with pytest.raises(NotationError) as refused:
        list(FORMATS["codes"].texts(file))
    assert (refused.value.line, refused.value.column, refused.value.expected) == (1, column, expected)


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [
        (f"{NUMBERS},0,0,1", PLIES + 5, "5 fields in all, as in the first line"),
        (f"{NUMBERS[:-2]}1,0,0,1,2", PLIES - 3, "the number of a patch from 1 to 33, each once"),
        (f"{NUMBERS[:-3]},0,0,1,2", PLIES - 4, "1 more patches of the ring, such as 33"),
        (f"{NUMBERS},0 x,0,1,2", PLIES + 2, "the number of an action"),
        (f"{NUMBERS},0 3,0,1,2", PLIES + 2, "the number of an action"),
        (f"{NUMBERS},4,0,1,2", PLIES, "the number of an action"),
        (f"{NUMBERS},6,0,1,2", PLIES, "the number of an action"),
        (f"{NUMBERS},32769,0,1,2", PLIES, "the number of an action"),
        (f"{NUMBERS},01,0,1,2", PLIES, "the number of an action"),
        (f"{NUMBERS},0,2,1,2", PLIES + 2, "the seat that won, 0 or 1"),
        (f"{NUMBERS},0,1,1,2.5", PLIES + 6, "the score_1, a whole number"),
    ],
)
def test_a_line_that_is_no_game_is_refused_where_it_goes_wrong(line, column, expected):
    with pytest.raises(NotationError) as refused:
        FORMATS["codes"].reader(ORIGINAL)(GameText(line, line=4, header=HEADER))
    assert (refused.value.line, refused.value.column, refused.value.expected) == (4, column, expected)


def test_a_game_that_is_not_over_is_not_written_in_numbers():
    with pytest.raises(ValueError, match="the game is not over"):
        format_codes(record_of(ORIGINAL, RING, [Advance()]))


def test_records_are_read_from_a_file_or_a_folder_with_seats_and_result(tmp_path):
    for name, choices in (("b.txt", [1, 5]), ("a.txt", [3]), ("no record.toml", [])):
        (tmp_path / name).write_text(format_record(recorded(choices)), encoding="utf-8")
    texts = list(FORMATS["records"].texts(tmp_path))
    assert [text.where for text in texts] == ["a.txt", "b.txt"]
    assert texts[1:] == list(FORMATS["records"].texts(tmp_path / "b.txt"))
    read = FORMATS["records"].reader(ORIGINAL)(texts[1])
    record = recorded([1, 5])
    assert (read.ring, read.plies, read.seats) == (record.ring, record.actions, record.seats)
    assert (read.scores, read.winner, read.ruleset) == (*record.result, ORIGINAL)
    assert read.words[0] == "p02/0@a1"


def test_a_record_of_another_ruleset_names_it_and_one_of_none_is_refused():
    revised = Ruleset.load("revised")
    changed = ORIGINAL.with_changes({"start_buttons": 6})
    text = GameText(format_record(recorded()), file="one.txt")
    assert FORMATS["records"].reader(revised)(text).ruleset == ORIGINAL
    own = GameText(format_record(record_of(changed, RING, [])), file="own.txt")
    assert FORMATS["records"].reader(changed)(own).ruleset == changed
    with pytest.raises(NotationError) as refused:
        FORMATS["records"].reader(ORIGINAL)(own)
    assert (refused.value.line, refused.value.column) == (2, 19)


def test_the_first_line_tells_how_the_games_are_written(tmp_path):
    record = recorded()
    written = {
        "letters": format_letters(record),
        "codes": f"{CODES_HEADER}\n{format_codes(record)}",
        "records": f"\n# a game\n{format_record(record)}",
    }
    for name, text in written.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert guessed_format(tmp_path / name) == name
    assert guessed_format(tmp_path) == "records"
    assert set(written) == set(FORMATS)
