"""Rules as they are beside rules as they might be: what is compared are the same games."""

import numpy as np
import pytest

import patchstats
from patchstats import Ruleset
from patchstats.errors import AgentError, RulesetError, RunError
from patchstats.experiments import whatif

ORIGINAL = Ruleset.load("original")
GREEDY = ["greedy", "greedy"]


@pytest.fixture
def compare(tmp_path):
    """A function that compares few games by greedy agents, with other settings where they are given."""

    def compare(**settings):
        given = {"agents": GREEDY, "pairs": 60, "seed": 5, "games_per_shard": 20, "out": tmp_path / "whatif"}
        return whatif(**{**given, **settings})

    return compare


def of(variant, name):
    [found] = [one.found for one in variant.differences if one.name == name]
    return found


@pytest.mark.parametrize("changes", [["patches.p21.cost=0"], ["start_buttons=5", "patches.p02.time=3"]])
def test_where_nothing_changes_all_differences_are_exactly_zero(compare, changes):
    [variant] = compare(changes=changes).variants
    assert variant.ruleset_id == ORIGINAL.ruleset_id
    assert variant.unchanged.share == 1
    for one in variant.differences:
        assert (*one.found.difference, one.found.base) == (0, 0, 0, one.found.new)


def test_an_identity_is_played_and_not_taken_for_granted(compare, tmp_path):
    compare(changes=["patches.p21.cost=0"])
    for name in ("base", "patches.p21.cost=0"):
        assert len(patchstats.open_run(tmp_path / "whatif" / name).games()) == 60


def test_what_is_compared_is_what_the_runs_hold(compare, tmp_path):
    found = compare(changes=["patches.p21.cost=2", "patches.p30.income=0"], ruleset="revised")
    [variant] = found.variants
    assert (found.base, found.games, found.agents) == ("revised", 60, ("greedy", "greedy"))
    runs = [patchstats.open_run(tmp_path / "whatif" / "base"), patchstats.open_run(variant.run)]
    assert runs[1].ruleset == Ruleset.load("revised").with_changes({"patches.p21.cost": 2, "patches.p30.income": 0})
    assert runs[1].ruleset.ruleset_id == variant.ruleset_id
    base, new = (run.games() for run in runs)
    assert (base["ring"] == new["ring"]).all()
    for side, games in (("base", base), ("new", new)):
        assert getattr(of(variant, "seat 0 wins"), side) == (games["winner"] == 0).mean()
        assert getattr(of(variant, "margin of seat 0"), side) == (games["score_0"] - games["score_1"]).mean()
        assert getattr(of(variant, "score"), side) == games[["score_0", "score_1"]].to_numpy().mean()
        assert getattr(of(variant, "empty cells"), side) == games[["empty_0", "empty_1"]].to_numpy().mean()
        assert getattr(of(variant, "7x7 bonus"), side) == (games["bonus_seat"] != -1).mean()
        assert getattr(of(variant, "equal scores"), side) == games["tie_broken"].mean()
        assert getattr(of(variant, "plies"), side) == games["plies"].mean()
        assert getattr(of(variant, "lead changes"), side) == games["lead_changes"].mean()
    for patch in ("p21", "p30"):
        for side, run in zip(("base", "new"), runs, strict=True):
            seats = run.patches(["seat"], filters=[("patch", "==", patch)])["seat"]
            assert getattr(of(variant, f"{patch} bought"), side) == (seats >= 0).mean()
    assert variant.unchanged.share == np.mean(base["actions"] == new["actions"])
    assert 0 < variant.unchanged.share < 1


def test_common_random_numbers_pay(compare):
    [variant] = compare(changes=["patches.p21.cost=1"], pairs=400).variants
    assert of(variant, "score").variance_ratio > 1.5


def test_several_values_are_compared_in_turn(compare):
    found = compare(changes=["patches.p21.cost=0..2"])
    assert [variant.label for variant in found.variants] == [f"patches.p21.cost={cost}" for cost in range(3)]
    scores = [of(variant, "score").new for variant in found.variants]
    assert scores[0] > scores[1] > scores[2]


def test_another_ruleset_is_compared_and_changed_too(compare):
    [plain] = compare(against="revised").variants
    assert (plain.label, plain.ruleset_id) == ("revised", Ruleset.load("revised").ruleset_id)
    assert not [one for one in plain.differences if one.name.endswith("bought")]
    [changed] = compare(against="revised", changes=["start_buttons=6"]).variants
    assert changed.label == "revised,start_buttons=6"
    assert changed.ruleset_id == Ruleset.load("revised").with_changes({"start_buttons": 6}).ruleset_id


def test_it_is_gone_on_with_and_grows(compare, tmp_path):
    first = compare(changes=["patches.p21.cost=1"])
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "whatif").rglob("*")}
    assert compare(changes=["patches.p21.cost=1"]) == first
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "whatif").rglob("*")} == times
    assert compare(changes=["patches.p21.cost=1"], pairs=80).games == 80
    alone = whatif(agents=GREEDY, pairs=80, seed=5, changes=["patches.p21.cost=1"])
    assert alone.variants[0].differences == compare(changes=["patches.p21.cost=1"], pairs=80).variants[0].differences


def test_without_a_directory_nothing_is_left(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    whatif(agents=GREEDY, pairs=4, changes=["patches.p21.cost=1"])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({}, RunError, "nothing is changed; give a change such as patches.p21.cost=1, or another ruleset"),
        ({"changes": ["patches.p21.price=1"]}, RulesetError, "patches.p21.price: no such key"),
        ({"changes": ["patches.p21.cost=-3"]}, RulesetError, "patches.p21.cost"),
        ({"changes": ["patches.p21.cost=2..0"]}, RunError, "a range begins with its lower end, such as 0..2"),
        ({"changes": ["patches.p21.cost=0..250"]}, RunError, "these are 251 rulesets; at most 200"),
        ({"changes": ["start_buttons=1", "start_buttons=2"]}, RunError, "start_buttons is changed twice"),
        ({"changes": ["start_buttons"]}, RulesetError, "is not of the form key=value"),
        ({"against": "orignal"}, RulesetError, "no such ruleset"),
        ({"changes": ["start_buttons=6"], "pairs": 1}, RunError, "pairs must be a whole number from 2 on, not 1"),
        ({"changes": ["start_buttons=6"], "agents": ["greedy"]}, RunError, "two agents are needed"),
        ({"changes": ["start_buttons=6"], "agents": ["greedy", "gredy"]}, AgentError, "did you mean greedy"),
        ({"changes": ["start_buttons=6"], "out": ""}, RunError, "out must be the path of a directory"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_anything_is_played(compare, tmp_path, settings, error, message):
    with pytest.raises(error, match=message):
        compare(**settings)
    assert not list(tmp_path.iterdir())


def test_a_directory_that_holds_a_run_is_refused(compare, tmp_path):
    patchstats.simulate(games=4, seed=1, agents=GREEDY, out=tmp_path / "whatif")
    with pytest.raises(RunError, match="holds a run; those of an experiment need a directory that is none"):
        compare(changes=["start_buttons=6"])


@pytest.mark.parametrize(
    ("agent", "base", "changes", "told"),
    [
        ("puct:iterations=2", "original", ["bonus_points=0"], True),
        ("alphabeta:depth=1", Ruleset.load("original").with_changes({"bonus_points": 0}), ["bonus_points=7"], True),
        ("puct:iterations=2", "original", ["bonus_points=7"], False),
        ("puct:evaluation=hand,iterations=2", "original", ["bonus_points=0"], False),
        ("puct:evaluation=learned,iterations=2", "original", ["bonus_points=0"], False),
        ("greedy", "original", ["bonus_points=0"], False),
    ],
)
def test_who_judges_the_rulesets_by_different_evaluations_is_named(compare, agent, base, changes, told):
    found = compare(agents=[agent, "random"], pairs=2, ruleset=base, changes=changes)
    both = f"{agent} judges {found.base} and {changes[0]} by different evaluations"
    told_of = f"{both}, so that differences are also its own;"
    assert [remark.partition(" evaluation=")[0] for remark in found.remarks] == ([told_of] if told else [])
    assert found.to_dict()["remarks"] == list(found.remarks)
