"""Each misreading of the rules is noticed by a test that bears the mark of its clause."""

import os
from collections import Counter
from pathlib import Path

import pytest

from patchstats.errors import PatchstatsError
from patchstats.mutants.catalogue import Mutant, load_mutants
from patchstats.mutants.coverage import hunt
from patchstats.mutants.workbench import Workbench
from patchstats.rules.rulebook import clauses

CHECKOUT = Path(__file__).parents[2]
MUTANTS = load_mutants(CHECKOUT)
NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
#: A few, or, in the nightly profile, all of them, which `patchstats rules --coverage` tries, too.
TRIED = MUTANTS if NIGHTLY else MUTANTS[::50]

GOOD = """
[[mutant]]
name = "two spaces beyond"
clause = "4.1"
misreading = "An advance ends two spaces beyond the other token."
file = "patchstats/rules/play.py"
changes = [["table.other.space + 1)", "table.other.space + 2)"]]
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Workbench(CHECKOUT, tmp_path_factory.mktemp("bench"))


@pytest.fixture
def load(tmp_path):
    """A function that writes a file of mutants into an empty checkout and loads it."""

    def load(text):
        folder = tmp_path / "property_tests" / "mutants"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "4-own.toml").write_text(text, encoding="utf-8")
        return load_mutants(tmp_path)

    return load


@pytest.mark.parametrize("mutant", TRIED, ids=lambda mutant: f"{mutant.clause} {mutant.name}")
def test_the_misreading_is_noticed(bench, mutant):
    verdict = hunt(bench, mutant)
    assert verdict.killed, f"{mutant.misreading} {verdict.trouble}"


def test_what_changes_no_rule_is_not_noticed_and_leaves_the_copy_as_it_was(bench):
    file = "patchstats/rules/play.py"
    text = (bench.folder / file).read_text()
    verdict = hunt(bench, Mutant("none", "4.1", "Nothing.", file, (("def advance(", "\n\ndef advance("),)))
    assert (verdict.by_example, verdict.by_property, verdict.trouble) == (None, None, "")
    assert not verdict.killed
    assert (bench.folder / file).read_text() == text == (CHECKOUT / file).read_text()


def test_what_does_not_even_start_is_not_taken_for_noticed(bench):
    mutant = Mutant("crash", "4.1", "None.", "patchstats/rules/play.py", (("def advance(table", "def advance(tabel"),))
    assert hunt(bench, mutant).killed
    verdict = hunt(bench, mutant._replace(changes=(("def advance(", "def advance(("),)))
    assert not verdict.killed
    assert verdict.trouble


def test_the_tests_that_notice_are_named_with_the_examples_it_took(bench, load):
    (mutant,) = load(GOOD)
    verdict = hunt(bench, mutant)
    assert verdict.by_example.id.startswith("property_tests/")
    assert verdict.by_example.kind in ("case", "example")
    assert verdict.by_property.kind == "property"
    assert 1 <= verdict.by_property.examples <= 40
    assert "4.1" in verdict.by_example.clauses
    assert "4.1" in verdict.by_property.clauses


def test_every_mutant_fits_its_file_and_is_python():
    for mutant in MUTANTS:
        text = (CHECKOUT / mutant.file).read_text(encoding="utf-8")
        broken = mutant.broken(text)
        assert broken != text
        if mutant.file.endswith(".py"):
            compile(broken, mutant.file, "exec")


def test_there_are_sixty_mutants_and_each_clause_that_can_be_tested_has_one():
    of_clause = Counter(mutant.clause for mutant in MUTANTS)
    assert of_clause.total() >= 60
    assert {clause.number for clause in clauses() if not clause.untestable} <= set(of_clause)


def test_each_mutant_stands_in_the_file_of_its_section():
    for path in (CHECKOUT / "property_tests" / "mutants").glob("[1-9]-*.toml"):
        text = path.read_text(encoding="utf-8")
        assert all(mutant.clause[0] == path.name[0] for mutant in MUTANTS if f'\nname = "{mutant.name}"\n' in text)


def test_the_example_of_the_readme_fits_its_file(load):
    readme = (CHECKOUT / "property_tests" / "README.md").read_text(encoding="utf-8")
    (mutant,) = load(next(part.split("```")[0] for part in readme.split("```toml\n") if part.startswith("[[mutant]]")))
    assert mutant.broken((CHECKOUT / mutant.file).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('clause = "4.1"', "", r"4-own.toml: mutant number 1: the keys are name, clause, misreading, file, changes"),
        ('"4.1"', '"4.9"', r"clause: the rulebook has no clause 4.9"),
        ('"two spaces beyond"', "2", r"name: 2 is no text"),
        ('[["table.other.space + 1)", "table.other.space + 2)"]]', "[]", r"changes: pairs of texts are needed"),
        ('"table.other.space + 2)"', "2", r"changes: pairs of texts are needed"),
        ("[[mutant]]", "[[mutant", r"4-own.toml: cannot be read as TOML"),
    ],
)
def test_what_is_no_mutant_is_refused_with_file_and_key(load, old, new, message):
    with pytest.raises(PatchstatsError, match=message):
        load(GOOD.replace(old, new))


def test_two_mutants_of_one_name_are_refused(load):
    with pytest.raises(PatchstatsError, match="mutant number 2: another one is called 'two spaces beyond'"):
        load(GOOD + GOOD)


@pytest.mark.parametrize("text", ["nothing", "a table.other.space + 1) b table.other.space + 1)"])
def test_a_mutant_that_does_not_fit_its_file_is_refused(load, text):
    (mutant,) = load(GOOD)
    with pytest.raises(PatchstatsError, match=r"mutant 'two spaces beyond': .* stands [02] times in patchstats/rules"):
        mutant.broken(text)
