"""Files of rule cases with slips in them, and what is none: refused by name, or cases that can be run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.conformance.cases import load_cases, run_case
from patchstats.errors import PatchstatsError
from patchstats.rules.files import data_directory
from patchstats.testing import damaged_texts

#: The tables of a file of cases, one a text.
CASES = [
    "[[case]]" + table
    for path in sorted((data_directory() / "cases").glob("*.toml"))
    for table in path.read_text(encoding="utf-8").split("[[case]]")[1:]
]
WORDS = r"""-1 0 1 54 10000000000 1e9 nan true "" "none" "p01" "\u0000" [] [[]] [1] {} [{}] 1979-05-27 07:32:00"""
VALUES = st.sampled_from([*WORDS.split(), '"p99 p99"', '{ word = "pass" }', "9" * 5000, "[" * 3000])


@st.composite
def damaged_values(draw):
    """A case with something else where a value, or a part of one, stands."""
    case = draw(st.sampled_from(CASES))
    values = [place + 1 for place, mark in enumerate(case) if mark == "="]
    start = draw(st.sampled_from(values))
    ends = [place for place in range(start, len(case)) if case[place] in ",}\n"]
    return f"{case[:start]} {draw(VALUES)}{case[ends[0] :]}"


DAMAGED = damaged_texts(st.sampled_from(CASES)) | damaged_values()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The one file of a folder of cases, to be written again and again."""
    return tmp_path_factory.mktemp("cases") / "4-own.toml"


def loaded_or_refused(folder):
    try:
        return load_cases(folder)
    except PatchstatsError as error:
        return error


def is_refused(file, content):
    """Whether the file is refused, by its name; if not, its cases can be run, and come out the same again."""
    file.write_bytes(content)
    cases = loaded_or_refused(file.parent)
    assert file.read_bytes() == content
    if isinstance(cases, PatchstatsError):
        assert str(cases).startswith(f"{file}: ")
        assert len(str(cases)) > len(f"{file}: ")
        return True
    for case in cases:
        assert run_case(case).faults == run_case(case).faults
        assert run_case(case).found.keys() == {*case.right, *case.tempting}
    assert load_cases(file.parent) == cases
    return False


def _encoded(text):
    return text.encode("utf-8", "surrogatepass")


@given(content=DAMAGED.map(_encoded) | st.text().map(_encoded) | st.binary())
def test_a_damaged_file_of_cases_is_refused_or_holds_cases_that_can_be_run(file, content):
    is_refused(file, content)


def test_damage_makes_cases_that_are_refused_and_cases_that_are_not(reach, file):
    reach(
        DAMAGED,
        lambda text: is_refused(file, _encoded(text)),
        lambda text: text not in CASES and not is_refused(file, _encoded(text)),
    )


@pytest.mark.parametrize(
    "text", ["case = " + "[" * 3000, "case = " + "9" * 5000], ids=["nested too deep", "too long a number"]
)
def test_what_is_too_much_for_the_reader_is_refused(file, text):
    assert is_refused(file, text.encode())
