"""Who decides: what an agent is, the agents there are, and the strings that name them."""

from patchstats.agents.panel import PANEL, RESTRICTIONS, Card
from patchstats.agents.parameters import Parameter, split_specs
from patchstats.agents.protocol import Agent, Choice, Choose
from patchstats.agents.registry import AGENTS, make_agent

__all__ = [
    "AGENTS",
    "PANEL",
    "RESTRICTIONS",
    "Agent",
    "Card",
    "Choice",
    "Choose",
    "Parameter",
    "make_agent",
    "split_specs",
]
