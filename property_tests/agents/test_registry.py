"""Which agents there are, and the strings that name them."""

import pytest

from patchstats.agents import AGENTS, PANEL, RESTRICTIONS, make_agent
from patchstats.errors import AgentError
from patchstats.rules import Ruleset

ORIGINAL = Ruleset.load("original")


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("randon", "did you mean random?"),
        ("random_patch", "did you mean random-patch?"),
        ("Scripted:game.txt", "did you mean scripted?"),
        ("zebra", f"there are {', '.join(AGENTS)}"),
        ("", f"there are {', '.join(AGENTS)}"),
        ("no-income-3+cheapst", "did you mean cheapest?"),
        (" random", "did you mean random?"),
        (" price=1", "a spec is written without blanks"),
        ("greedy, price=1", "a spec is written without blanks"),
    ],
)
def test_an_unknown_agent_is_named_with_a_suggestion(spec, hint):
    with pytest.raises(AgentError) as error:
        make_agent(spec, ORIGINAL)
    assert str(error.value) == f"agent {spec!r} is unknown; {hint}"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("random:", "no parameters follow its colon"),
        ("random:3", "'3' is no parameter of it; it takes none"),
        ("random-patch:fast", "'fast' is no parameter of it; it takes none"),
        ("no-income-3+cheapest:cost=1", "'cost=1' is no parameter of it; it takes none"),
    ],
)
def test_parameters_are_refused_where_there_are_none(spec, said):
    with pytest.raises(AgentError) as error:
        make_agent(spec, ORIGINAL)
    assert str(error.value) == f"agent {spec!r}: {said}"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("no-income-4+random", "'no-income-4' is no restriction; did you mean no-income-3?"),
        ("zebra+random", f"'zebra' is no restriction; there are {', '.join(RESTRICTIONS)}"),
        ("+random", f"'' is no restriction; there are {', '.join(RESTRICTIONS)}"),
        ("no-income-3+no-income-3+random", "no-income-3 is given twice"),
        ("no-income-3+scripted:game.txt", "no-income-3 goes with the agents of patchstats, not with scripted ones"),
    ],
)
def test_restrictions_that_cannot_be_are_refused(spec, said):
    with pytest.raises(AgentError) as error:
        make_agent(spec, ORIGINAL)
    assert str(error.value) == f"agent {spec!r}: {said}"


@pytest.mark.parametrize("card", PANEL, ids=lambda card: card.name)
def test_an_agent_of_patchstats_is_named_as_it_was_asked_for_and_needs_no_script_and_no_ring(card):
    agent = make_agent(card.name, ORIGINAL)
    assert (agent.spec, agent.ring, agent.reproducible) == (card.name, None, True)
    assert agent.sha256 is None or card.judges


@pytest.mark.parametrize("name", AGENTS)
def test_the_usage_of_an_agent_begins_with_its_name(name):
    usage = AGENTS[name].usage
    assert usage == name or usage.startswith(f"{name}:")
    assert AGENTS[name].line
