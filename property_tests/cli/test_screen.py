"""patchstats screen: what it prints, what it leaves behind, and what it refuses."""

import json
from pathlib import Path

import pytest

from patchstats.experiments import screen

SCREEN = ("screen", "--games", 700, "--seed", 4)


def test_the_page_has_the_greatest_effects_of_each_outcome(patchstats):
    answer = patchstats(*SCREEN, "--top", 2, "--progress", "off")
    assert (answer.status, answer.err) == (0, "")
    found = screen(agents=["greedy", "greedy"], games=700, seed=4)
    *blocks, games = answer.out.split("\n\n")
    assert games == "700 games on original, greedy against greedy, seed 4\n"
    for block, (outcome, frame) in zip(blocks, found.effects.items(), strict=True):
        heads, *rows, apart = block.splitlines()
        assert heads.startswith(outcome)
        assert [row.split()[0] for row in rows] == list(frame.index[:2])
        scale = 100 if found.units[outcome] == "share" else 1
        assert rows[0].split()[1] == f"{scale * frame['estimate'].iloc[0]:+.2f}"
        assert apart == f"{(frame['q_value'] <= 0.05).sum()} of 33 with a q-value of at most 0.05"
    assert not list(Path().iterdir())


def test_json_has_all_of_it_and_the_answer_and_a_figure_are_kept(patchstats):
    answer = patchstats(*SCREEN, "--out", "kept", "--json")
    found = screen(agents=["greedy", "greedy"], games=700, seed=4, out="kept")
    assert json.loads(answer.out) == json.loads(json.dumps(found.to_dict()))
    assert json.loads(Path("kept/screen.json").read_text(encoding="utf-8")) == json.loads(answer.out)
    assert "<svg" in Path("kept/screen.svg").read_text(encoding="utf-8")
    assert {path.name for path in Path("kept").iterdir()} == {"screen.json", "screen.svg", "run"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--games", 10), "games must be a whole number from 660 on"),
        (("--jitter", "price"), "jitter 'price' is none of"),
        (("--top", 0), "Invalid value for '--top'"),
        (("--ruleset", "orignal"), "no such ruleset"),
        (("--out", ""), "an empty text is no path"),
    ],
)
def test_what_cannot_be_screened_is_refused_in_one_line(patchstats, arguments, message):
    answer = patchstats("screen", "--games", 700, *arguments)
    assert (answer.status, answer.out) == (2, "")
    assert len(answer.err.splitlines()) == 1
    assert message in answer.err
    assert not list(Path().iterdir())
