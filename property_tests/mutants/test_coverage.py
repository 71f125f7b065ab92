"""`patchstats rules --coverage`: what holds each clause, and a gap where nothing does."""

import json
from pathlib import Path

import pytest

from patchstats.errors import VerificationError
from patchstats.mutants import coverage, workbench
from patchstats.mutants.catalogue import Mutant, load_mutants

CHECKOUT = Path(__file__).parents[2]
HARMLESS = Mutant("none", "4.4", "Nothing.", "patchstats/rules/play.py", (("def advance(", "\n\ndef advance("),))


@pytest.fixture
def run(monkeypatch, run_command):
    """A function that runs a command in the checkout and returns its exit status and what it printed."""
    monkeypatch.chdir(CHECKOUT)
    return run_command


def test_a_clause_is_shown_with_the_tests_the_cases_and_the_mutants_that_hold_it(run):
    status, out, err = run("rules", "--coverage", "4.4", "--json", "--workers", "1")
    (clause,) = json.loads(out)
    mutants = [mutant for mutant in load_mutants(CHECKOUT) if mutant.clause == "4.4"]
    assert status == 0
    assert (clause["clause"], clause["held"]) == ("4.4", True)
    assert "property_tests/rules/test_4_advance.py::test_an_advance_leaves_no_choice_of_space" in clause["tests"]
    assert "A08" in clause["cases"]
    assert [mutant["name"] for mutant in clause["mutants"]] == [mutant.name for mutant in mutants]
    assert all(mutant["noticed_by"] for mutant in clause["mutants"])
    assert err.splitlines() == [f"4.4 {mutant.name}: noticed" for mutant in mutants]


def test_a_clause_without_a_mutant_that_is_noticed_is_a_gap(run, monkeypatch):
    monkeypatch.setattr(coverage, "load_mutants", lambda _: (HARMLESS,))
    status, out, err = run("rules", "--coverage", "4.4")
    assert status == 1
    assert out.splitlines()[0] == "4.4 No choice of space: NOT HELD"
    assert "        NOT NOTICED" in out.splitlines()
    assert out.splitlines()[-1] == (
        "clauses: 0 held, 0 that no test can hold, 1 not held; mutants: 0 noticed, 1 not noticed"
    )
    assert "patchstats: clause 4.4 is not held: no mutant of it is noticed\nmutant 'none' of clause 4.4" in err


def test_elsewhere_there_is_nothing_to_break(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert run("rules", "--coverage") == (
        2,
        "",
        "patchstats: the current folder is in no checkout of patchstats, where its tests and mutants are\n",
    )


@pytest.mark.parametrize("options", [["--cases", "--coverage"], ["--workers", "2"]])
def test_options_that_do_not_go_together_are_refused(run, options):
    status, out, err = run("rules", *options)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1


def test_tests_that_fail_though_nothing_is_broken_prove_nothing(tmp_path):
    for name in workbench.COPIED:
        (tmp_path / name).symlink_to(CHECKOUT / name)
    (tmp_path / "property_tests").unlink()
    (tmp_path / "property_tests").mkdir()
    (tmp_path / "property_tests" / "test_wrong.py").write_text("def test_wrong():\n    assert False\n")
    with pytest.raises(VerificationError, match=r"the tests fail.*test_wrong\.py::test_wrong"):
        workbench.unbroken(tmp_path, ["property_tests"], workers=1)
