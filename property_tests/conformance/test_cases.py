"""Rule cases: each comes out right, a wrong one is found broken, and what is no case is refused."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from patchstats.conformance import cases as conformance_cases
from patchstats.conformance.cases import load_cases, run_case
from patchstats.errors import PatchstatsError
from patchstats.rules.files import data_directory
from patchstats.rules.rulebook import clauses

CASES = load_cases()
#: Of these a case can say little or nothing: that every order of the ring is as likely, that all is open.
BARELY_PLAYED = {"2.4", "2.7"}

GOOD = """
[[case]]
id = "Z01"
clauses = ["4.1"]
question = "Is this a case?"
situation = { seat_0.space = 3, seat_1.space = 5, ring = "p03" }
actions = ["advance"]
right = { seat_0.space = 6 }
tempting = { seat_0.space = 5 }
"""


@pytest.fixture
def load(tmp_path):
    """A function that writes a file of cases and loads it."""

    def load(text):
        (tmp_path / "4-own.toml").write_text(text, encoding="utf-8")
        return load_cases(tmp_path)

    return load


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.id, marks=pytest.mark.clause(*case.clauses)) for case in CASES]
)
def test_the_case_holds(case):
    assert run_case(case).faults == (), f"{case.question} (patchstats rules --cases {case.clauses[0]})"


def test_every_case_is_broken_when_any_right_value_is_altered():
    for case in CASES:
        for key, value in case.right.items():
            finding = run_case(replace(case, right={**case.right, key: _other_than(value)}))
            assert not finding.held, case.id
            assert any(fault.startswith(f"{key} is {value}, not ") for fault in finding.faults), case.id


def test_every_case_is_broken_when_the_tempting_result_comes_out():
    for case in CASES:
        finding = run_case(replace(case, tempting=case.right))
        assert finding.faults == ("the tempting result is what was found",), case.id


def test_a_case_is_broken_when_an_action_before_its_last_one_is_refused(load):
    (case,) = load(
        GOOD.replace('["advance"]', '["leather@a1", "advance"]')
        .replace("{ seat_0.space = 6 }", '{ illegal = "6.5" }')
        .replace("{ seat_0.space = 5 }", '{ illegal = "none" }')
    )
    assert run_case(case).faults == ("action 1 of 2 is refused: no leather waits to be placed (clause 6.5)",)


def test_every_section_from_the_setup_on_has_three_cases_and_so_has_nearly_every_clause():
    held = Counter(number for case in CASES for number in case.clauses)
    sections = Counter(section for case in CASES for section in {number.split(".")[0] for number in case.clauses})
    assert all(sections[str(section)] >= 3 for section in range(2, 10))
    numbers = {clause.number for clause in clauses() if not clause.number.startswith("1.")}
    assert {number for number in numbers if held[number] < 3} == BARELY_PLAYED


def test_each_case_stands_in_the_file_of_a_section_that_it_names():
    for path in sorted((data_directory() / "cases").glob("*.toml")):
        text = path.read_text(encoding="utf-8")
        for case in CASES:
            if f'\nid = "{case.id}"\n' in text:
                assert path.name[0] in {number[0] for number in case.clauses}, case.id


def test_a_plain_case_is_read(load):
    (case,) = load(GOOD)
    assert run_case(case).held
    assert run_case(case).found == {"illegal": "none", "seat_0.space": 6}


def test_the_example_of_the_readme_is_a_case_that_holds(load):
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    (case,) = load(readme.split("```toml\n")[1].split("```")[0])
    assert run_case(case).held


def test_a_tempting_result_that_equals_the_right_one_is_refused(load):
    with pytest.raises(PatchstatsError, match=r"4-own.toml: case Z01: tempting: contradicts nothing in right"):
        load(GOOD.replace("{ seat_0.space = 5 }", "{ seat_0.space = 6 }"))


def test_a_tempting_result_that_names_other_values_than_the_right_one_is_refused(load):
    with pytest.raises(PatchstatsError, match=r"case Z01: tempting: contradicts nothing in right"):
        load(GOOD.replace("{ seat_0.space = 5 }", "{ seat_0.buttons = 5 }"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id = "Z01"', "", r"case number 1: id: is missing"),
        ('"Z01"', '"z1"', r"case z1: id: 'z1' is not a letter and two digits"),
        ('"Z01"', "1", r"id: 1 is not"),
        ("question", "title", r"case Z01: title: no such key|question: is missing"),
        ("Is this a case?", "This is a case.", r"question: 'This is a case.' is not one line that ends"),
        ('["4.1"]', '["4.9"]', r"clauses: \['4.9'\] is not like"),
        ('["4.1"]', "[]", r"clauses: \[\] is not like"),
        ('["4.1"]', "[[1]]", r"clauses: \[\[1\]\] is not like"),
        ('["advance"]', '"advance"', r"actions: 'advance' is not a list"),
        ('["advance"]', '["advanc"]', r"actions: 'advanc': line 1, column 7: expected '/'"),
        ('["advance"]', "[3]", r"actions: 3: line 1, column 1: expected an action"),
        ('["advance"]', '[{ patch = "p03", cell = -1 }]', r"actions: orientation: is missing"),
        ('["advance"]', '[{ word = "pass", cell = 1 }]', r"actions: cell: no such key"),
        ("{ seat_0.space = 6 }", "6", r"right: 6 is not a table"),
        ("{ seat_0.space = 6 }", "{}", r"right: names no value"),
        ("{ seat_0.space = 6 }", "{ seat_0.spaces = 6 }", r"right: seat_0: spaces: no such key; the keys are space,"),
        ("{ seat_0.space = 6 }", "{ seat_0 = 6 }", r"right: seat_0: 6 is not a table"),
        ("{ seat_0.space = 6 }", "{ seat_0.space = true }", r"right: seat_0: space: True is not a whole number"),
        ("{ seat_0.space = 6 }", "{ top = 2 }", r"right: top: 2 is not 0, 1 or \"none\""),
        ("{ seat_0.space = 6 }", "{ finished = 1 }", r"right: finished: 1 is not true or false"),
        ("{ seat_0.space = 6 }", '{ illegal = "4.9" }', r"right: illegal: '4.9' is not the number of a clause"),
        ("{ seat_0.space = 6 }", '{ events = "Jumped" }', r"right: events: 'Jumped' is not names of events"),
        ("{ seat_0.space = 6 }", "{ leather_marks = 20 }", r"right: leather_marks: 20 is not a list of spaces"),
        ("{ seat_0.space = 6 }", '{ offer = "p99" }', r"right: offer: 'p99' does not name patches of the ruleset, or"),
        ("seat_0.space = 3", "seat_0.space = 54", r"situation: seat_0: space: 54 is outside 0 to 53"),
        ("seat_0.space = 3", "seat_0.space = -1", r"situation: seat_0: space: -1 is not a whole number from 0 on"),
        ("seat_0.space = 3", "seat_0.quilt = '##.'", r"situation: seat_0: quilt: is 81 marks, # or a dot each"),
        ("seat_0.space = 3", "seat_0.covered = 82", r"situation: seat_0: quilt: is 81 marks"),
        ("seat_0.space = 3", "seat_2.space = 3", r"situation: seat_2: no such key; the keys are ruleset,"),
        ("seat_0.space = 3", "start = 'p02'", r"situation: .*: no such key; the keys are ruleset, changes, start$"),
        ("seat_0.space = 3", "ruleset = 'mine'", r"situation: ruleset: mine: no such ruleset"),
        ("seat_0.space = 3", "changes = { price = 1 }", r"situation: changed ruleset: price: no such key"),
        ('"p03"', '"p03 p03"', r"situation: ring: 'p03 p03' does not name patches of the ruleset, each once, or none"),
        ('"p03"', '["p03"]', r"situation: ring: \['p03'\] is not patch ids"),
    ],
)
def test_what_is_no_case_is_refused_with_file_case_and_key(load, old, new, message):
    assert old in GOOD
    with pytest.raises(PatchstatsError, match=message) as caught:
        load(GOOD.replace(old, new))
    assert "4-own.toml: case " in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[case", r"4-own.toml: cannot be read as TOML: "),
        ("", r"4-own.toml: a file of cases holds \[\[case\]\] tables and nothing else"),
        ("case = 1", r"4-own.toml: a file of cases holds"),
        ("case = [1]", r"4-own.toml: case number 1: 1 is no table"),
        (f"title = 'mine'\n{GOOD}", r"4-own.toml: a file of cases holds"),
        (GOOD + GOOD, r"4-own.toml: case Z01: id: another case has this id"),
    ],
)
def test_what_is_no_file_of_cases_is_refused(load, text, message):
    with pytest.raises(PatchstatsError, match=message):
        load(text)


def test_a_start_that_names_a_patch_twice_is_refused(load):
    situation = '{ seat_0.space = 3, seat_1.space = 5, ring = "p03" }'
    with pytest.raises(PatchstatsError, match=r"situation: start: 'p02 p02' does not name patches"):
        load(GOOD.replace(situation, '{ start = "p02 p02" }'))


def test_the_command_prints_a_line_a_case_and_a_closing_line(run_command):
    status, out, _ = run_command("rules", "--cases")
    *lines, closing = out.splitlines()
    assert status == 0
    assert [line.split()[:2] for line in lines] == [[case.id, "held"] for case in CASES]
    assert all(case.question in line for case, line in zip(CASES, lines, strict=True))
    assert closing == f"cases held: {len(CASES)}, broken: 0"


def test_the_command_runs_the_cases_of_some_clauses_for_programs_to_read(run_command):
    status, out, _ = run_command("rules", "--cases", "--json", "5.3", "7")
    wanted = [case.id for case in CASES if any(number == "5.3" or number[0] == "7" for number in case.clauses)]
    assert status == 0
    assert [case["id"] for case in json.loads(out)] == wanted
    assert all(case["held"] and case["found"].items() >= case["right"].items() for case in json.loads(out))


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_the_command_ends_with_status_1_when_a_case_is_broken(run_command, monkeypatch, load, options):
    broken = load(GOOD.replace("{ seat_0.space = 6 }", "{ seat_0.space = 7 }"))
    monkeypatch.setattr(conformance_cases, "load_cases", lambda: broken)
    status, out, err = run_command("rules", "--cases", *options)
    assert status == 1
    assert err == "patchstats: case Z01: seat_0.space is 6, not 7\n"
    if options:
        assert json.loads(out)[0]["held"] is False
    else:
        assert out.splitlines()[0].split()[:2] == ["Z01", "broken"]
        assert out.splitlines()[1] == "cases held: 0, broken: 1"


def _other_than(value):
    """Return a value of the same kind that is another one."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return f"not {value}"
    return [*value, 99]
