"""Ruleset files with slips in them, and what is none: refused by name, or another ruleset that can be played with."""

import shutil
from contextlib import contextmanager

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from patchstats.errors import RulesetError
from patchstats.rules import Position, Ruleset
from patchstats.rules.files import data_directory
from patchstats.rules.loading import parse_change
from patchstats.testing import damaged_texts

SHIPPED = data_directory() / "rulesets"
ORIGINAL = Ruleset.load("original")
TOML = (SHIPPED / "original" / "ruleset.toml").read_text(encoding="utf-8")
BASED = (SHIPPED / "revised" / "ruleset.toml").read_text(encoding="utf-8")
CSV = (SHIPPED / "original" / "patches.csv").read_text(encoding="utf-8")
CHANGES = [
    "start_buttons=6",
    "leather_marks=[20, 38]",
    'patches.p21.rows="111"',
    "patches.p21.cost=1",
    "name=plain",
    "title=a line",
]
#: What may stand behind a key: values of every kind that TOML has, and what is none.
WORDS = r"""-1 0 1 53 300 1e9 inf nan true "" "p01" "\u0000" [] [[]] [1,1] {} {a=1} 1979-05-27 07:32:00 0x1F 1_000"""
VALUES = st.sampled_from([*WORDS.split(), "", "'''\n'''", "9" * 5000, f'"{"9" * 5000}"', "[" * 3000])


@st.composite
def damaged_values(draw, text):
    """The text with another value behind one of its keys, in which there may be slips as well."""
    lines = text.splitlines()
    number = draw(st.sampled_from([number for number, line in enumerate(lines) if " = " in line]))
    key, _, value = lines[number].partition(" = ")
    lines[number] = f"{key} = {draw(VALUES | damaged_texts(value))}"
    return "\n".join(lines)


def damaged_files(text):
    """The bytes of a damaged file, or of a file that is nothing of ours."""
    bytes_in_it = st.tuples(st.integers(0, len(text)), st.binary(max_size=3)).map(
        lambda slip: text.encode()[: slip[0]] + slip[1] + text.encode()[slip[0] + 1 :]
    )
    return damaged_texts(text).map(_encoded) | bytes_in_it | st.text().map(_encoded) | st.binary()


def _encoded(text):
    return text.encode("utf-8", "surrogatepass")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a copy of the shipped rulesets, to be spoilt again and again."""
    folder = tmp_path_factory.mktemp("rulesets")
    shutil.copytree(SHIPPED, folder, dirs_exist_ok=True)
    return folder


@contextmanager
def content(path, damaged):
    """For a while the file holds these bytes; nobody else writes to it, and then it is as it was."""
    good = path.read_bytes()
    path.write_bytes(damaged)
    try:
        yield
        assert path.read_bytes() == damaged
    finally:
        path.write_bytes(good)


def loaded_or_refused(load):
    try:
        return load()
    except RulesetError as error:
        return error


def refused_or_playable(load, source):
    """Whether the ruleset is refused, naming the source; if not, it can be played with and told again."""
    ruleset = loaded_or_refused(load)
    if isinstance(ruleset, RulesetError):
        assert ruleset.source.startswith(source) or ruleset.reason.startswith("cannot be read: ")
        assert ruleset.reason
        assert "\n" not in ruleset.reason
        return True
    again = Ruleset.from_dict(ruleset.to_dict())
    assert (again, again.ruleset_id) == (ruleset, ruleset.ruleset_id)
    position = Position.start(ruleset, [patch.id for patch in ruleset.patches])
    assert position.apply(position.legal_actions[-1]).position.status() == ()
    return False


def is_refused(file, damaged):
    """What comes of a file in place of a good one, which is as good as before when it is back."""
    folder = file.parent
    good = Ruleset.load(str(folder))
    with content(file, damaged):
        refused = refused_or_playable(lambda: Ruleset.load(str(folder)), str(folder.parent))
    assert Ruleset.load(str(folder)) == good
    return refused


@given(damaged=damaged_files(TOML) | damaged_values(TOML).map(_encoded))
@example(damaged=b"title = " + b"[" * 3000)
def test_a_damaged_ruleset_is_refused_or_is_another_ruleset(folder, damaged):
    is_refused(folder / "original" / "ruleset.toml", damaged)


@given(damaged=damaged_files(BASED) | damaged_values(BASED).map(_encoded))
def test_a_damaged_ruleset_that_is_based_on_another_is_refused_or_is_another_ruleset(folder, damaged):
    is_refused(folder / "revised" / "ruleset.toml", damaged)


@given(damaged=damaged_files(CSV))
@example(damaged=_encoded(CSV.replace("p02,11/10,1", 'p02,"11/10,1')))
@example(damaged=_encoded(CSV.replace("p02,11/10,1", "p02,11/10,one")))
def test_a_damaged_table_of_patches_is_refused_or_is_another_table(folder, damaged):
    is_refused(folder / "original" / "patches.csv", damaged)


@given(st.lists(damaged_texts(st.sampled_from(CHANGES)) | damaged_values("name = a").map(str) | st.text(), max_size=3))
def test_damaged_changes_are_refused_or_make_another_ruleset(texts):
    before = ORIGINAL.to_dict()

    def changed():
        return ORIGINAL.with_changes(dict(parse_change(text) for text in texts))

    refused_or_playable(changed, ("--set", "changed ruleset"))
    assert ORIGINAL.to_dict() == before
    assert Ruleset.load("original") == ORIGINAL


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("original/ruleset.toml", damaged_texts(TOML) | damaged_values(TOML)),
        ("revised/ruleset.toml", damaged_texts(BASED) | damaged_values(BASED)),
        ("original/patches.csv", damaged_texts(CSV)),
    ],
)
def test_damage_makes_files_that_are_refused_and_files_that_are_not(reach, folder, name, texts):
    file = folder / name
    good = file.read_text(encoding="utf-8")
    reach(
        texts,
        lambda text: is_refused(file, _encoded(text)),
        lambda text: text.split() != good.split() and not is_refused(file, _encoded(text)),
    )


def test_a_table_of_patches_with_a_zero_byte_in_its_name_is_refused(folder):
    damaged = TOML.replace('"patches.csv"', r'"patches\u0000.csv"')
    assert is_refused(folder / "original" / "ruleset.toml", _encoded(damaged))
