"""Whoever plays a shard plays what was planned, or refuses: versions and scripts may differ from machine to machine."""

from dataclasses import replace

import pytest

from patchstats.dataset.store import store_at
from patchstats.errors import RunError
from patchstats.rules import Ruleset
from patchstats.simulation import players
from patchstats.simulation.players import play_here, player_for
from patchstats.simulation.shard import Work
from patchstats.simulation.spec import RunSpec

SPEC = RunSpec(Ruleset.load("original"), ("random", "random-patch"), seed=3, games=6, games_per_shard=2)


@pytest.fixture
def work(tmp_path):
    """What a worker must know of a small run."""

    def work(spec=SPEC):
        return Work(spec, spec.manifest(), store_at(tmp_path / "run"))

    return work


@pytest.mark.parametrize("part", ["schema", "behaviour"])
@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_a_worker_of_another_version_refuses(work, engine, part):
    asked = work()
    planned = replace(asked.planned, versions={**asked.planned.versions, part: 99})
    with pytest.raises(RunError, match=rf"a worker would play something else: .* and the run .*'{part}': 99"):
        player_for(replace(asked, planned=planned), engine)


def test_a_worker_with_another_script_refuses(work, script):
    spec = replace(SPEC, agents=(script("return legal[0]"), "random"))
    asked = work(spec)
    planned = asked.planned.spec["agents"][0]["sha256"]
    script("return legal[-1]")
    with pytest.raises(RunError, match=f"a worker would play something else: .*{planned}"):
        player_for(asked, "reference")
    with pytest.raises(RunError, match="a worker would play something else"):
        play_here(asked, "reference", 0)
    assert not list(asked.store.names())


def test_a_worker_with_another_ruleset_refuses(work):
    asked = work()
    other = Ruleset.load("revised").to_dict()
    with pytest.raises(RunError, match="a worker would play something else"):
        player_for(replace(asked, planned=replace(asked.planned, ruleset=other)), "kernel")


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_what_plays_a_run_is_made_once_for_all_its_shards_and_anew_for_another_run(work, monkeypatch, engine):
    made = []
    monkeypatch.setattr(
        players, "player_for", lambda work, engine: (made.append((work, engine)), player_for(work, engine))[1]
    )
    one, another = work(), work(replace(SPEC, seed=8))
    entries = [play_here(asked, engine, shard) for asked, shard in ((one, 0), (one, 2), (another, 0), (one, 0))]
    assert made == [(one, engine), (another, engine), (one, engine)]
    assert [(entry.shard, entry.first_game) for entry in entries] == [(0, 0), (2, 4), (0, 0), (0, 0)]
    assert entries[0] == entries[3] != entries[2]


def test_a_worker_that_has_played_a_run_by_one_engine_plays_it_by_the_other_too(work):
    assert play_here(work(), "kernel", 1) == play_here(work(), "reference", 1) == play_here(work(), "kernel", 1)
