"""patchstats whatif: what it prints, what it leaves behind, and what it refuses."""

import json
from pathlib import Path

import pytest

from patchstats.experiments import whatif

WHATIF = ("whatif", "--set", "patches.p21.cost=1", "--pairs", 60)


def test_the_page_has_a_line_for_each_quantity(patchstats):
    answer = patchstats(*WHATIF, "--progress", "off")
    assert answer.status == 0
    assert answer.err == ""
    [variant] = whatif(agents=["greedy", "greedy"], pairs=60, changes=["patches.p21.cost=1"]).variants
    rows, games = answer.out.split("\n\n")
    heads, *lines, unchanged = rows.splitlines()
    assert heads.split()[:4] == ["patches.p21.cost=1", "original", "changed", "difference"]
    assert [line.split("  ")[0] for line in lines] == [one.name for one in variant.differences]
    score = variant.differences[2].found
    assert lines[2].split()[1:4] == [f"{score.base:.2f}", f"{score.new:.2f}", f"{score.difference.value:+.2f}"]
    wins = variant.differences[0].found
    low, high = (100 * end for end in wins.difference[1:])
    assert f"{wins.base:.1%}" in lines[0]
    assert f"{100 * wins.difference.value:+.2f} pp  [{low:+.2f}, {high:+.2f}]" in lines[0]
    assert unchanged == f"unchanged games  {variant.unchanged}"
    assert games == "60 games by each ruleset, greedy against greedy, seed 1\n"
    assert not list(Path().iterdir())


def test_json_has_all_of_it_and_the_answer_and_a_figure_are_kept(patchstats):
    answer = patchstats(*WHATIF, "--set", "start_buttons=5..6", "--out", "kept", "--json", "--seed", 3)
    settings = {"agents": ["greedy", "greedy"], "pairs": 60, "seed": 3, "out": "kept"}
    found = whatif(**settings, changes=["patches.p21.cost=1", "start_buttons=5..6"])
    assert json.loads(answer.out) == json.loads(json.dumps(found.to_dict()))
    assert json.loads(Path("kept/whatif.json").read_text(encoding="utf-8")) == json.loads(answer.out)
    picture = Path("kept/whatif.svg").read_text(encoding="utf-8")
    assert "<svg" in picture
    assert {path.name for path in Path("kept").iterdir()} == {
        *("whatif.json", "whatif.svg", "base"),
        *(f"patches.p21.cost=1,start_buttons={buttons}" for buttons in (5, 6)),
    }
    assert patchstats(*WHATIF, "--set", "start_buttons=5..6", "--out", "kept", "--json", "--seed", 3).out == answer.out


def test_an_identity_says_the_same(patchstats):
    answer = patchstats("whatif", "--set", "patches.p21.cost=0", "--pairs", 20, "--json", "--progress", "off")
    [variant] = json.loads(answer.out)["variants"]
    assert variant["unchanged"]["share"] == 1
    for one in variant["differences"]:
        assert (one["difference"], one["low"], one["high"]) == (0, 0, 0)
    page = patchstats("whatif", "--set", "patches.p21.cost=0", "--pairs", 20, "--progress", "off").out
    assert all(line.endswith("same") for line in page.split("\n\n")[0].splitlines()[1:-1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--set", "patches.p21.price=1"), "patches.p21.price: no such key"),
        ((), "nothing is changed"),
        (("--set", "start_buttons=6", "--pairs", "x"), "Invalid value for '--pairs'"),
        (("--set", "start_buttons=6", "--agents", "greedy"), "two agents are needed"),
        (("--set", "start_buttons=6", "--out", ""), "an empty text is no path"),
        (("--set", "start_buttons=6", "--pairing", "rings:2", "--pairs", 5), "games must be a multiple of 2"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(patchstats, arguments, message):
    answer = patchstats("whatif", *arguments)
    assert (answer.status, answer.out) == (2, "")
    assert len(answer.err.splitlines()) == 1
    assert message in answer.err
    assert not list(Path().iterdir())


def test_what_is_to_be_kept_in_mind_stands_below(patchstats):
    answer = patchstats("whatif", "--agents", "puct:iterations=2,random", "--set", "bonus_points=0", "--pairs", "2")
    assert answer.out.splitlines()[-1].startswith("puct:iterations=2 judges original and bonus_points=0 by different")
