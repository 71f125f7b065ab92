"""Rulesets as data: what is refused and what is said then, how one is changed, and what its id tells apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.errors import PatchstatsError, RulesetError
from patchstats.rules import Ruleset
from patchstats.rules.loading import parse_change, shipped_rulesets
from patchstats.testing import rulesets

ORIGINAL = Ruleset.load("original")
PATCHES = "id,rows,cost,time,income\nsmall,11,2,1,0\nbent,11/10,1,3,1\n"
SETTINGS = """\
quilt_size = 5
finish = 20
income_marks = [5, 10, 20]
leather_marks = [7]
start_buttons = 5
offer_size = 3
bonus_square = 3
bonus_points = 7
empty_cell_penalty = 2
button_supply = 100
patches = "patches.csv"
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with a small ruleset, to be spoilt."""
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "ruleset.toml").write_text(SETTINGS, encoding="utf-8")
    (folder / "patches.csv").write_text(PATCHES, encoding="utf-8")
    return folder


def refusal_of(path):
    with pytest.raises(RulesetError) as refusal:
        Ruleset.load(str(path))
    assert isinstance(refusal.value, PatchstatsError)
    assert "\n" not in str(refusal.value)
    return refusal.value


def test_a_folder_and_its_file_name_the_same_ruleset(folder):
    ruleset = Ruleset.load(str(folder))
    assert ruleset == Ruleset.load(str(folder / "ruleset.toml"))
    assert (ruleset.name, ruleset.quilt_size, ruleset.start_patch) == ("small", 5, "small")
    assert [patch.id for patch in ruleset.patches] == ["small", "bent"]
    assert (ruleset["bent"].cost, ruleset["bent"].time, ruleset["bent"].income) == (1, 3, 1)


@pytest.mark.clause("1.1", "1.3", "1.4", "1.5")
@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("quilt_size", "2", "2 is outside 3 to 11"),
        ("quilt_size", "12", "12 is outside 3 to 11"),
        ("quilt_size", "5.0", "5.0 is no whole number"),
        ("quilt_size", "true", "True is no whole number"),
        ("quilt_size", '"5"', "'5' is no whole number"),
        ("finish", "0", "0 is outside 1 to 255"),
        ("finish", "256", "256 is outside 1 to 255"),
        ("start_buttons", "-1", "-1 is outside 0 to 1000"),
        ("start_buttons", "51", "100 buttons are too few for two starts with 51"),
        ("offer_size", "0", "0 is outside 1 to 8"),
        ("offer_size", "9", "9 is outside 1 to 8"),
        ("bonus_square", "0", "0 is outside 1 to 11"),
        ("bonus_square", "6", "6 cells a side are more than the quilt's 5"),
        ("bonus_points", "-1", "-1 is outside 0 to 1000"),
        ("empty_cell_penalty", "-1", "-1 is outside 0 to 1000"),
        ("button_supply", "-1", "-1 is outside 0 to 100000"),
        ("income_marks", "5", "5 is no list of spaces"),
        ("income_marks", "[5, 21]", "21 is outside 1 to 20"),
        ("income_marks", "[0, 5]", "0 is outside 1 to 20"),
        ("income_marks", "[5, 5]", "space 5 stands there twice"),
        ("income_marks", '["5"]', "'5' is no whole number"),
        ("leather_marks", "[-1]", "-1 is outside 1 to 20"),
        ("leather_marks", "[21]", "21 is outside 1 to 20"),
        ("leather_marks", "[7, 8, 7]", "space 7 stands there twice"),
        ("leather_marks", "{ first = 7 }", "is no list of spaces"),
        ("start_patch", '"nothing"', "'nothing' is no patch of this ruleset"),
        ("start_patch", "1", "1 is no patch of this ruleset"),
        ("name", '""', "'' is no name without blanks or commas"),
        ("name", '"two words"', "'two words' is no name without blanks or commas"),
        ("name", '"a,b"', "'a,b' is no name without blanks or commas"),
        ("name", '"bell\\u0007"', "is no name without blanks or commas"),
        ("name", "7", "7 is no name without blanks or commas"),
        ("title", '"two\\nlines"', "is no line of text"),
        ("title", '"a bell\\u0007"', "is no line of text"),
        ("title", "7", "7 is no line of text"),
        ("patches", "[]", "1 to 255 patches by id are needed"),
        ("patches", "{}", "1 to 255 patches by id are needed"),
        ("patches", "33", "1 to 255 patches by id are needed"),
        ("colour", '"red"', "no such key; the keys are bonus_points"),
        ("quilt-size", "5", "no such key; the keys are bonus_points"),
    ],
)
def test_a_bad_setting_is_refused_with_file_key_and_reason(folder, key, value, reason):
    file = folder / "ruleset.toml"
    kept = [line for line in SETTINGS.splitlines() if not line.startswith(f"{key} =")]
    file.write_text("\n".join([*kept, f"{key} = {value}"]), encoding="utf-8")
    error = refusal_of(folder)
    expected_key = "button_supply" if "too few" in reason else key
    assert (error.source, error.key) == (str(file), expected_key)
    assert reason in error.reason
    assert str(error) == f"{file}: {expected_key}: {error.reason}"


@pytest.mark.parametrize("key", [line.split(" =")[0] for line in SETTINGS.splitlines()])
def test_a_missing_setting_is_named(folder, key):
    kept = [line for line in SETTINGS.splitlines() if not line.startswith(f"{key} =")]
    (folder / "ruleset.toml").write_text("\n".join(kept), encoding="utf-8")
    error = refusal_of(folder)
    assert (error.key, error.reason) == (key, "is missing")


@pytest.mark.clause("1.6")
@pytest.mark.parametrize(
    ("row", "key", "reason"),
    [
        ("odd,101,1,1,0", "patches.odd.rows", "do not hang together by their sides"),
        ("odd,10/01,1,1,0", "patches.odd.rows", "do not hang together by their sides"),
        ("odd,0,1,1,0", "patches.odd.rows", "has no cell"),
        ("odd,,1,1,0", "patches.odd.rows", "is no drawing of a shape"),
        ("odd,12,1,1,0", "patches.odd.rows", "is no drawing of a shape"),
        ("odd,11/1,1,1,0", "patches.odd.rows", "differ in length"),
        ("odd,01/01,1,1,0", "patches.odd.rows", "empty row or column at its edge"),
        ("odd,110,1,1,0", "patches.odd.rows", "empty row or column at its edge"),
        ("odd,00/11,1,1,0", "patches.odd.rows", "empty row or column at its edge"),
        ("odd,11/00,1,1,0", "patches.odd.rows", "empty row or column at its edge"),
        ("odd,11/,1,1,0", "patches.odd.rows", "differ in length"),
        ("odd,111111,1,1,0", "patches.odd.rows", "does not fit a quilt of 5 cells a side"),
        ("odd,1/1/1/1/1/1,1,1,0", "patches.odd.rows", "does not fit a quilt of 5 cells a side"),
        ("odd,111,-1,1,0", "patches.odd.cost", "-1 is outside 0 to 1000"),
        ("odd,111,1,0,0", "patches.odd.time", "0 is outside 1 to 255"),
        ("odd,111,1,-1,0", "patches.odd.time", "-1 is outside 1 to 255"),
        ("odd,111,1,256,0", "patches.odd.time", "256 is outside 1 to 255"),
        ("odd,111,1,1,-1", "patches.odd.income", "-1 is outside 0 to 1000"),
        ("odd,111,1.5,1,0", "cost", "'1.5' is no whole number"),
        ("odd,111,,1,0", "cost", "'' is no whole number"),
        ("odd,111,1,two,0", "time", "'two' is no whole number"),
        ("odd,111,1,1, 0", "income", "' 0' is no whole number"),
        ("odd,111,1,1", "", "4 values instead of 5"),
        ("odd,111,1,1,0,0", "", "6 values instead of 5"),
        ("bent,111,1,1,0", "id", "'bent' stands there twice"),
        ("9lives,111,1,1,0", "patches.9lives", "a patch id is a letter followed by"),
        ("two words,111,1,1,0", "patches.two words", "a patch id is a letter followed by"),
        ("morethansixteenletters,111,1,1,0", "patches.morethansixteenletters", "up to 15 letters"),
        (",111,1,1,0", "patches.", "a patch id is a letter followed by"),
        ("a.b,111,1,1,0", "patches.a.b", "a patch id is a letter followed by"),
        ('"odd,111,1,1,0', "", "is no CSV"),
    ],
)
def test_a_bad_patch_is_refused_with_file_and_line_and_key_and_reason(folder, row, key, reason):
    file = folder / "patches.csv"
    file.write_text(PATCHES + row + "\n", encoding="utf-8")
    error = refusal_of(folder)
    assert (error.source, error.key) == (f"{file} line 4", key)
    assert reason in error.reason


@pytest.mark.parametrize(
    "patches",
    [
        '{ odd = { rows = "11", cost = 1, time = 1 } }',
        '{ odd = { rows = "11", cost = 1, time = 1, income = 0, colour = "red" } }',
        '{ odd = "11" }',
    ],
)
def test_a_patch_has_exactly_its_five_values(folder, patches):
    file = folder / "ruleset.toml"
    file.write_text(SETTINGS.replace('"patches.csv"', patches), encoding="utf-8")
    error = refusal_of(folder)
    assert (error.source, error.key) == (str(file), "patches.odd")
    assert "a patch has the keys rows, cost, time, income and no others" in error.reason


@pytest.mark.parametrize("rows", [11, 1, True, None, ["11"]])
def test_a_drawing_is_a_text(rows):
    settings = ORIGINAL.to_dict()
    settings["patches"]["p02"]["rows"] = rows
    with pytest.raises(RulesetError, match="is no drawing of a shape") as refusal:
        Ruleset.from_dict(settings)
    assert refusal.value.key == "patches.p02.rows"


@pytest.mark.clause("2.5")
def test_no_start_patch_can_be_told_among_several_smallest(folder):
    (folder / "patches.csv").write_text(PATCHES + "low,11,1,1,0\n", encoding="utf-8")
    error = refusal_of(folder)
    assert (error.key, error.reason) == ("start_patch", "is needed, since several patches are the smallest: small, low")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("", "line 1", id="empty"),
        pytest.param("id,rows,cost,income,time\n", "the columns must be id,rows,cost,time,income", id="wrong columns"),
        pytest.param("id,rows,cost,time\n", "the columns must be id,rows,cost,time,income", id="a column short"),
        pytest.param("id,rows,cost,time,income\n", "1 to 255 patches by id are needed", id="no patch"),
        pytest.param(b"id,rows,cost,time,income\nsmall,\xff,1,1,0\n", "is no UTF-8 text", id="other bytes"),
        pytest.param(None, "cannot be read: No such file or directory", id="missing"),
        pytest.param(
            "id,rows,cost,time,income\n" + "".join(f"q{n},11,1,1,0\n" for n in range(256)),
            "1 to 255 patches by id are needed",
            id="256 patches",
        ),
    ],
)
def test_a_table_of_patches_that_is_none_is_refused(folder, text, reason):
    file = folder / "patches.csv"
    file.unlink()
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert reason in str(refusal_of(folder))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(b"quilt_size = \n", "is no TOML", id="no value"),
        pytest.param(b"quilt_size = 5\nquilt_size = 6\n", "is no TOML", id="a key twice"),
        pytest.param(b"title = '\xff'\n", "is no UTF-8 text", id="other bytes"),
        pytest.param(b"", "quilt_size: is missing", id="empty"),
    ],
)
def test_a_file_that_is_no_ruleset_is_refused(folder, text, reason):
    (folder / "ruleset.toml").write_bytes(text)
    error = refusal_of(folder)
    assert reason.split(": ")[-1] in error.reason
    assert error.source == str(folder / "ruleset.toml")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("nothing", id="nothing"),
        pytest.param("", id="empty"),
        pytest.param("orig", id="the beginning of a name"),
        pytest.param("original/nothing", id="within a shipped one"),
        pytest.param("x" * 5000, id="longer than a file name can be"),
        pytest.param("nul\0", id="a zero byte"),
    ],
)
def test_an_unknown_ruleset_is_refused_with_the_names_of_those_there_are(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    error = refusal_of(name)
    assert (error.source, error.key) == ("ruleset", name)
    assert all(shipped in error.reason for shipped in ("original", "revised"))


def test_a_ruleset_may_be_based_on_another_and_say_only_what_differs(folder):
    with (folder / "ruleset.toml").open("a", encoding="utf-8") as file:
        file.write('name = "named"\n')
    other = folder.parent / "other"
    other.mkdir()
    (other / "ruleset.toml").write_text('based_on = "../small"\nfinish = 25\n', encoding="utf-8")
    ruleset = Ruleset.load(str(other))
    assert ruleset.name == "other"
    assert ruleset == Ruleset.load(str(folder)).with_changes({"finish": 25, "name": "other"})


def test_what_is_wrong_in_the_base_is_said_of_the_base(folder):
    other = folder.parent / "other"
    other.mkdir()
    (other / "ruleset.toml").write_text('based_on = "../small"\nfinish = 6\n', encoding="utf-8")
    error = refusal_of(other)
    assert error.key == "income_marks"
    assert error.source.endswith("small/ruleset.toml")


@pytest.mark.parametrize(
    "bases",
    [
        pytest.param({"first": "../first"}, id="on itself, by its folder"),
        pytest.param({"first": "ruleset.toml"}, id="on itself, by its file"),
        pytest.param({"first": "../second", "second": "../first"}, id="in a circle of two"),
        pytest.param({"first": "../second", "second": "../third", "third": "../second"}, id="on a circle"),
    ],
)
def test_a_ruleset_that_is_based_on_itself_is_refused(tmp_path, bases):
    for name, base in bases.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "ruleset.toml").write_text(f'based_on = "{base}"\n', encoding="utf-8")
    error = refusal_of(tmp_path / "first")
    assert (error.key, error.reason) == ("based_on", "a ruleset cannot be based on itself")


@pytest.mark.parametrize("base", ['"nothing"', "7", "[]", '""'])
def test_a_base_that_is_none_is_refused(tmp_path, base):
    file = tmp_path / "ruleset.toml"
    file.write_text(f"based_on = {base}\n", encoding="utf-8")
    error = refusal_of(file)
    assert str(file) in error.source
    assert "based_on" in str(error)


def made_or_refused(settings):
    try:
        return Ruleset.from_dict(settings, source="here"), None
    except RulesetError as error:
        return None, error


@given(st.data(), rulesets())
def test_settings_of_any_kind_make_a_ruleset_or_are_refused_by_name(data, ruleset):
    """One value of a good ruleset is replaced by anything that a TOML file can hold."""
    settings = ruleset.to_dict()
    values = st.recursive(
        st.none() | st.booleans() | st.integers(-5, 300) | st.floats() | st.text(alphabet="01/p\n é", max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet="p01", max_size=3), inner, max_size=3)
        ),
        max_leaves=4,
    )
    key = data.draw(st.sampled_from(sorted(settings)))
    place = settings
    if key == "patches":
        place = settings["patches"][data.draw(st.sampled_from(sorted(settings["patches"])))]
        key = data.draw(st.sampled_from(sorted(place)))
    place[key] = data.draw(values)
    made, error = made_or_refused(settings)
    if error:
        assert error.source == "here"
        assert key in error.key or key in {"finish", "quilt_size", "start_buttons", "start_patch"}
    else:
        assert made.ways_to_lay
        assert Ruleset.from_dict(made.to_dict()) == made


@given(rulesets())
def test_a_ruleset_as_plain_values_is_the_same_ruleset(ruleset):
    again = Ruleset.from_dict(ruleset.to_dict())
    assert again == ruleset
    assert (again.ruleset_id, hash(again)) == (ruleset.ruleset_id, hash(ruleset))


@pytest.mark.parametrize(
    ("file", "name"),
    [("plain.toml", "plain"), ("two words, and more.toml", "two-words-and-more"), ("ruleset.toml", "small")],
)
def test_a_ruleset_without_a_name_is_called_as_its_file_or_folder(folder, file, name):
    (folder / "ruleset.toml").rename(folder / file)
    assert Ruleset.load(str(folder / file)).name == name


def test_a_ruleset_in_this_folder_is_called_as_the_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert Ruleset.load(".").name == "small"


# What changes a ruleset


def test_changes_go_into_a_new_ruleset_and_leave_the_old_one_alone():
    changed = ORIGINAL.with_changes({"patches.p21.cost": 1, "start_buttons": 6, "leather_marks": [38, 20]})
    assert (changed["p21"].cost, changed.start_buttons, changed.leather_marks) == (1, 6, (20, 38))
    assert changed["p20"] == ORIGINAL["p20"]
    assert ORIGINAL["p21"].cost == 0
    assert Ruleset.load("original") == ORIGINAL


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "original"),
        ({"start_buttons": 6}, "original*"),
        ({"start_buttons": 6, "name": "richer"}, "richer"),
    ],
)
def test_a_changed_ruleset_does_not_pass_for_the_one_it_came_from(changes, name):
    assert ORIGINAL.with_changes(changes).name == name
    assert ORIGINAL.with_changes(changes).with_changes(changes).name == name


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("start_button", 6, "no such key; did you mean start_buttons?"),
        ("patches.p21.price", 6, "no such key"),
        ("patches.p99.cost", 6, "no such key"),
        ("patches.p21.cost.high", 6, "no such key"),
        ("patches", {}, "is a table; change a value in it"),
        ("patches.p21", {}, "is a table; change a value in it"),
        ("", 6, "no such key"),
        ("zzz", 6, "no such key; there are name, title"),
        ("patches.p21.cost", -1, "-1 is outside 0 to 1000"),
        ("patches.p21.time", 0, "0 is outside 1 to 255"),
        ("patches.p21.rows", "101", "do not hang together"),
        ("patches.p21.rows", 11, "is no drawing of a shape"),
        ("quilt_size", 4, "does not fit a quilt of 4 cells a side"),
        ("quilt_size", "9", "'9' is no whole number"),
        ("finish", 52, "53 is outside 1 to 52"),
        ("start_patch", "p99", "'p99' is no patch"),
    ],
)
def test_a_change_that_makes_no_ruleset_is_refused_with_its_key(key, value, reason):
    changes = {key: value}
    if key == "quilt_size" and value == 4:
        changes["bonus_square"] = 4
    with pytest.raises(RulesetError) as refusal:
        ORIGINAL.with_changes(changes)
    assert refusal.value.source == "changed ruleset"
    assert reason in refusal.value.reason


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("start_buttons=6", ("start_buttons", 6)),
        (" start_buttons = 6 ", ("start_buttons", 6)),
        ("leather_marks=[20, 38]", ("leather_marks", [20, 38])),
        ("leather_marks=[]", ("leather_marks", [])),
        ('patches.p21.rows="111"', ("patches.p21.rows", "111")),
        ("patches.p21.rows=11/10", ("patches.p21.rows", "11/10")),
        ("name=plain", ("name", "plain")),
        ("title=a=b", ("title", "a=b")),
        ("title=", ("title", "")),
    ],
)
def test_a_change_is_written_as_key_and_value(text, change):
    assert parse_change(text) == change


@pytest.mark.parametrize("text", ["", "start_buttons", "=6", " = 6"])
def test_a_change_without_key_or_value_is_refused(text):
    with pytest.raises(RulesetError, match="is not of the form key=value") as refusal:
        parse_change(text)
    assert (refusal.value.source, refusal.value.key) == ("--set", text)


# What the id of a ruleset tells apart


@pytest.mark.clause("1.5")
def test_the_shipped_rulesets_have_different_ids():
    assert shipped_rulesets() == ("original", "revised")
    assert len({Ruleset.load(name).ruleset_id for name in shipped_rulesets()}) == 2
    for name in shipped_rulesets():
        assert len(Ruleset.load(name).ruleset_id) == 16
        assert set(Ruleset.load(name).ruleset_id) <= set("0123456789abcdef")


@pytest.mark.parametrize(
    "change",
    [
        {"quilt_size": 10},
        {"finish": 54},
        {"income_marks": [5, 11, 17, 23, 29, 35, 41, 47]},
        {"leather_marks": [20, 26, 32, 44, 51]},
        {"start_buttons": 6},
        {"offer_size": 4},
        {"start_patch": "p02"},
        {"bonus_square": 6},
        {"bonus_points": 8},
        {"empty_cell_penalty": 1},
        {"patches.p33.cost": 6},
        {"patches.p33.time": 4},
        {"patches.p33.income": 0},
        {"patches.p33.rows": "1111/1111"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_changes_play_changes_the_id(change):
    assert ORIGINAL.with_changes(change).ruleset_id != ORIGINAL.ruleset_id


@pytest.mark.clause("9.5")
@pytest.mark.parametrize("change", [{"name": "other"}, {"title": "Another title"}, {"button_supply": 200}, {}])
def test_names_and_the_supply_do_not_change_the_id(change):
    assert ORIGINAL.with_changes(change).ruleset_id == ORIGINAL.ruleset_id


@given(rulesets())
def test_the_ids_of_the_patches_do_not_change_the_id(ruleset):
    settings = ruleset.to_dict()
    settings["patches"] = {f"other-{patch}": values for patch, values in settings["patches"].items()}
    settings["start_patch"] = f"other-{settings['start_patch']}"
    assert Ruleset.from_dict(settings).ruleset_id == ruleset.ruleset_id


@pytest.mark.clause("2.5")
def test_a_start_patch_that_is_named_or_told_by_its_size_is_the_same():
    settings = ORIGINAL.to_dict()
    del settings["start_patch"]
    assert Ruleset.from_dict(settings) == ORIGINAL


@pytest.mark.parametrize(("number", "good"), [(255, True), (256, False)])
def test_there_are_255_patches_at_most(number, good):
    values = {"rows": "1", "cost": 0, "time": 1, "income": 0}
    settings = {**ORIGINAL.to_dict(), "patches": {f"p{patch}": values for patch in range(number)}, "start_patch": "p0"}
    made, error = made_or_refused(settings)
    assert (made is not None) == good
    assert good or "1 to 255 patches by id are needed" in str(error)
