"""patchstats power: how many games a question takes."""

import json

import pytest


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ("--difference", 0.01),
            "19,623 games can tell a difference of 0.01, found in 80% of such runs",
        ),
        (("--difference", 0.25, "--sd", 4.38), "2,410 games can tell a difference of 0.25"),
        (
            ("--difference", 0.01, "--equivalence"),
            "21,410 games show that there is no difference of 0.01, shown",
        ),
        (("--difference", 0.01, "--games-per-ring", 50, "--icc", 0.19), "202,350 games can tell"),
        (
            ("--difference", 0.01, "--power", 0.9, "--alpha", 0.01),
            "if it is there, and in 1%",
        ),
        (("--games", 78489), "78,489 games can tell a difference of 0.005"),
    ],
)
def test_a_sentence_says_it(patchstats, arguments, text):
    answer = patchstats("power", *arguments)
    assert (answer.status, answer.err) == (0, "")
    assert text in answer.out


def test_json_has_both_numbers_whichever_was_asked_for(patchstats):
    assert json.loads(patchstats("power", "--difference", 0.02, "--json").out) == {"games": 4906, "difference": 0.02}
    found = json.loads(patchstats("power", "--games", 4906, "--json").out)
    assert found == {"games": 4906, "difference": pytest.approx(0.02, rel=1e-3)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give either --difference, such as 0.01, or --games"),
        (("--difference", 0.01, "--games", 5), "give either --difference, such as 0.01, or --games"),
        (("--difference", 0), "the difference must be a number above 0, not 0.0"),
        (("--difference", 0.1, "--sd", -1), "the sd must be a number above 0"),
        (("--difference", 0.1, "--power", 1), "power must be between 0 and 1, not 1.0"),
        (("--difference", 0.1, "--icc", 2), "icc must be from 0 to 1, not 2.0"),
        (("--difference", 0.1, "--games-per-ring", 0), "a ring is played once or more, not 0 times"),
        (("--games", 0), "the number of units must be a number above 0, not 0"),
        (("--games", 10, "--equivalence"), "--equivalence goes with --difference"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(patchstats, arguments, message):
    answer = patchstats("power", *arguments)
    assert (answer.status, answer.out) == (2, "")
    assert len(answer.err.splitlines()) == 1
    assert message in answer.err
