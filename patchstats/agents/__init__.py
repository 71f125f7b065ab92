"""Who decides: what an agent is, the agents there are, and the strings that name them."""

from patchstats.agents.protocol import Agent, Choice, Choose
from patchstats.agents.registry import AGENTS, is_compiled, make_agent

__all__ = ["AGENTS", "Agent", "Choice", "Choose", "is_compiled", "make_agent"]
