"""Small slips anywhere in the rules are noticed, or listed with the reason why they change nothing."""

import os
from pathlib import Path

import pytest

from patchstats.errors import PatchstatsError
from patchstats.mutants.general import EQUIVALENT, TESTS, equivalents, rule_files, slips_in, try_slips
from patchstats.mutants.workbench import unbroken

pytest.importorskip("cosmic_ray", reason="the general mutation tester is in the extra [test]")

CHECKOUT = Path(__file__).parents[2]
NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"


@pytest.fixture(scope="session")
def seconds():
    """How long each test of the rules takes."""
    return {test.id: test.seconds for test in unbroken(CHECKOUT, TESTS, workers=1)}


@pytest.mark.skipif(not NIGHTLY, reason="takes long; tried in the nightly profile")
@pytest.mark.parametrize("file", rule_files(CHECKOUT))
def test_every_slip_is_noticed_or_listed_with_its_reason(file, seconds):
    reasons = equivalents(CHECKOUT)
    slips = list(slips_in(CHECKOUT, file))
    assert {listed for listed in reasons if listed[0] == file} <= {slip.key for slip in slips}
    tried = [slip for slip in slips if slip.key not in reasons]
    assert [slip.key for slip, noticed_by in try_slips(CHECKOUT, tried, seconds, workers=1) if not noticed_by] == []


def test_slips_are_made_of_what_runs_and_not_of_annotations(tmp_path):
    (tmp_path / "rule.py").write_text("def double(x: int | None) -> int | None:\n    return x + x if x > 0 else 0\n")
    slips = list(slips_in(tmp_path, "rule.py"))
    assert {slip.old for slip in slips} == {"return x + x if x > 0 else 0"}
    lines = {slip.new for slip in slips}
    assert {"return x - x if x > 0 else 0", "return x + x if x >= 0 else 0", "return x + x if x > 0 else 1"} <= lines
    assert len({slip.key for slip in slips}) == len(slips)


def test_a_slip_that_nothing_notices_is_told_from_one_that_is_noticed():
    tests = ["property_tests/games/test_finish.py", "property_tests/games/test_tiles.py"]
    seconds = {test.id: test.seconds for test in unbroken(CHECKOUT, tests, workers=2)}
    slips = {slip.new: slip for slip in slips_in(CHECKOUT, "patchstats/rules/play.py")}
    lost, untold = slips["self.ring = self.ring[place + 1 :] - self.ring[:place]"], slips["self.set_aside += 2"]
    verdicts = list(try_slips(CHECKOUT, [lost, untold], seconds, workers=2, tests=tests[:1]))
    assert [verdict.slip for verdict in verdicts] == [lost, untold]
    assert verdicts[0].noticed_by.startswith(tests[0])
    assert verdicts[1].noticed_by == ""


def test_every_equivalent_slip_has_a_reason_and_its_line_is_in_its_file():
    for (file, old, _), reason in equivalents(CHECKOUT).items():
        assert old in (CHECKOUT / file).read_text(encoding="utf-8")
        assert reason.endswith(".")


def test_an_entry_without_a_reason_is_refused(tmp_path):
    (tmp_path / EQUIVALENT).parent.mkdir(parents=True)
    (tmp_path / EQUIVALENT).write_text('[[equivalent]]\nfile = "a"\nold = "b"\nnew = "c"\n')
    with pytest.raises(PatchstatsError, match="number 1: the keys are file, old, new and reason"):
        equivalents(tmp_path)
