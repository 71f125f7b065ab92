"""Which agents there are, and the strings that name them."""

import pytest

from patchstats.agents import AGENTS, make_agent
from patchstats.errors import AgentError
from patchstats.rules import Ruleset

ORIGINAL = Ruleset.load("original")


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("randon", "did you mean random?"),
        ("random_patch", "did you mean random-patch?"),
        ("Scripted:game.txt", "did you mean scripted?"),
        ("zebra", "there are random, random-patch, scripted"),
        ("", "there are random, random-patch, scripted"),
        (" random", "did you mean random?"),
    ],
)
def test_an_unknown_agent_is_named_with_a_suggestion(spec, hint):
    with pytest.raises(AgentError) as error:
        make_agent(spec, ORIGINAL)
    assert str(error.value) == f"agent {spec!r} is unknown; {hint}"


@pytest.mark.parametrize("spec", ["random:", "random:3", "random-patch:fast"])
def test_parameters_are_refused_where_there_are_none(spec):
    with pytest.raises(AgentError, match=f"'{spec}': {spec.partition(':')[0]} takes no parameters"):
        make_agent(spec, ORIGINAL)


@pytest.mark.parametrize("spec", [name for name in AGENTS if name != "scripted"])
def test_an_agent_of_patchstats_is_named_as_it_was_asked_for_and_needs_no_file_and_no_ring(spec):
    agent = make_agent(spec, ORIGINAL)
    assert (agent.spec, agent.sha256, agent.ring) == (spec, None, None)


@pytest.mark.parametrize("name", AGENTS)
def test_the_usage_of_an_agent_begins_with_its_name(name):
    usage = AGENTS[name].usage
    assert usage == name or usage.startswith(f"{name}:")
    assert AGENTS[name].line
