"""The rulebook as data: its numbers, the standing of its sources, and the code that cites it."""

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from patchstats.rules import rulebook
from patchstats.rules.files import data_directory
from patchstats.rules.rulebook import STANDINGS, clauses

CHECKOUT = Path(__file__).parents[2]
NUMBERS = [clause.number for clause in clauses()]
EACH_CLAUSE = pytest.mark.parametrize("clause", clauses(), ids=NUMBERS)
#: A clause number as code and pages write it, and not a part of a longer number.
CITED = re.compile(r"(?<![\d.])[1-9]\.\d{1,2}(?!\.?\d)")


def citations():
    """For each file of the reference engine, but for the rulebook's own, the numbers it cites."""
    files = [path for path in Path(rulebook.__file__).parent.glob("*.py") if path.name != "rulebook.py"]
    return {path.name: set(CITED.findall(path.read_text(encoding="utf-8"))) for path in files}


def sections():
    text = (data_directory() / "rulebook" / "clauses.toml").read_text(encoding="utf-8")
    return list(tomllib.loads(text)["sections"])


def test_numbers_rise_and_none_is_given_twice():
    order = [tuple(int(part) for part in number.split(".")) for number in NUMBERS]
    assert all(first < second for first, second in pairwise(order))


def test_sections_1_to_9_are_all_there():
    assert list(dict.fromkeys(number.split(".")[0] for number in NUMBERS)) == sections() == list("123456789")


@EACH_CLAUSE
def test_a_clause_is_complete(clause):
    assert clause.standing in STANDINGS
    assert clause.confidence in {"high", "medium"}
    for text in (clause.text, clause.sources, *filter(None, (clause.ruling, clause.untestable))):
        assert text.endswith("."), text
        assert text == " ".join(text.split()), text


@EACH_CLAUSE
def test_where_texts_differ_or_are_silent_there_is_a_ruling(clause):
    assert clause.ruling or clause.standing not in {"publisher", "silent"}


@EACH_CLAUSE
def test_where_the_publisher_decides_the_sources_name_its_rulebook(clause):
    assert clause.standing != "publisher" or "the publisher's rulebook" in clause.sources.lower()


def test_every_standing_is_in_use():
    assert {clause.standing for clause in clauses()} == set(STANDINGS)


def test_the_comment_over_the_clauses_explains_every_standing():
    text = (data_directory() / "rulebook" / "clauses.toml").read_text(encoding="utf-8")
    comment = text.partition("[sections]")[0]
    assert dict(re.findall(r"^#     (\w+) +(.+)$", comment, re.MULTILINE)) == STANDINGS


COMPLETE = 'number = "1.1"\ntitle = "A"\ntext = "A."\nstanding = "agreed"\nsources = "All."\n'


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        pytest.param(COMPLETE, None, id="complete"),
        pytest.param(COMPLETE.replace('standing = "agreed"\n', ""), "'standing'", id="no standing"),
        pytest.param(COMPLETE.replace('sources = "All."\n', ""), "'sources'", id="no sources"),
        pytest.param(COMPLETE + 'confidense = "medium"\n', "'confidense'", id="a key that no clause has"),
    ],
)
def test_a_clause_that_lacks_a_key_or_has_a_strange_one_is_not_read(tmp_path, monkeypatch, entry, complaint):
    (tmp_path / "rulebook").mkdir()
    (tmp_path / "rulebook" / "clauses.toml").write_text(f"[[clause]]\n{entry}", encoding="utf-8")
    monkeypatch.setattr(rulebook, "data_directory", lambda: tmp_path)
    read = clauses.__wrapped__
    if complaint is None:
        [clause] = read()
        assert (clause.ruling, clause.confidence, clause.untestable) == ("", "high", "")
    else:
        with pytest.raises(TypeError, match=complaint):
            read()


@pytest.mark.parametrize("file", sorted(citations()))
def test_the_reference_engine_cites_no_clause_that_is_not_there(file):
    assert citations()[file] <= set(NUMBERS)


@pytest.mark.parametrize("number", [number for number in NUMBERS if number[0] not in "12"])
def test_the_reference_engine_cites_every_clause_of_play(number):
    assert any(number in cited for cited in citations().values())


@EACH_CLAUSE
def test_texts_of_the_rulebook_refer_to_clauses_that_are_there(clause):
    referred = set(CITED.findall(f"{clause.text} {clause.ruling} {clause.sources}"))
    assert referred <= set(NUMBERS) - {clause.number}


def test_the_page_on_departures_has_a_row_for_every_clause_on_which_texts_differ_or_are_silent():
    page = (CHECKOUT / "docs" / "rules.md").read_text(encoding="utf-8")
    rows = set(CITED.findall(" ".join(re.findall(r"^\| ([\d., ]+) \|", page, re.MULTILINE))))
    assert {clause.number for clause in clauses() if clause.standing in {"publisher", "silent"}} <= rows


def test_the_page_on_departures_names_the_clauses_of_medium_confidence():
    page = (CHECKOUT / "docs" / "rules.md").read_text(encoding="utf-8")
    [named] = re.findall(r"medium\s+confidence:([^;:]+)[;:]", page)
    assert CITED.findall(named) == [clause.number for clause in clauses() if clause.confidence == "medium"]
