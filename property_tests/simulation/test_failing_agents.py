"""A run whose agent fails: what was finished is kept, and nothing else is left."""

from dataclasses import replace

import pytest

from patchstats import open_run
from patchstats.agents import AGENTS, make_agent
from patchstats.agents.registry import Entry
from patchstats.errors import AgentError

FAILING = {"agents": ("failing", "failing")}


@pytest.fixture
def failing_agent(monkeypatch):
    """An agent that advances until game `failing.game`, and fails in the third ply of that."""

    class Failing:
        game = 0
        seated = -1

    def make(spec, _, ruleset, __):
        def sit_down(seat):
            Failing.seated += seat == 0
            game, plies = Failing.seated, []

            def choose(position, legal, _):
                plies.append(position)
                if game == Failing.game and len(plies) == 2:
                    raise AgentError("agent 'failing' has no idea")
                return legal[0]

            return choose

        return replace(make_agent("random", ruleset), spec=spec, sit_down=sit_down, decider=None)

    monkeypatch.setitem(AGENTS, "failing", Entry("failing", "fails", make))
    return Failing


def test_an_agent_that_fails_in_the_first_shard_leaves_no_directory_behind(tmp_path, run, failing_agent):
    failing_agent.game = 5
    with pytest.raises(AgentError, match="game 5, ply 2, seat 0: agent 'failing' has no idea"):
        run(**FAILING)
    assert list(tmp_path.iterdir()) == []


def test_an_agent_that_fails_leaves_an_empty_directory_empty(run, failing_agent):
    failing_agent.game = 5
    run.folder.mkdir(parents=True)
    with pytest.raises(AgentError, match="game 5"):
        run(**FAILING)
    assert list(run.folder.iterdir()) == []


def test_an_agent_that_fails_later_leaves_what_was_finished_before(run, failing_agent, contents):
    failing_agent.game = 8
    with pytest.raises(AgentError, match="game 8"):
        run(**FAILING)
    assert set(contents(run.folder)) == {"manifest.json", "games/part-00000.parquet", "turns/part-00000.parquet"}


@pytest.mark.parametrize("finished", [5, 7])
def test_an_agent_that_fails_while_a_run_grows_leaves_the_run_as_it_was(run, failing_agent, contents, finished):
    failing_agent.game = -1
    run(**FAILING, games=finished)
    before = contents(run.folder)
    failing_agent.game, failing_agent.seated = 0, -1
    with pytest.raises(AgentError):
        run(**FAILING)
    assert open_run(run.folder).spec["games"] == finished
    assert before.items() <= contents(run.folder).items()
