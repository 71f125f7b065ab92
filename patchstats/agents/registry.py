"""Which agents there are, by the strings that name them."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from patchstats.agents.protocol import Agent, Choose
from patchstats.agents.scripted import scripted
from patchstats.agents.uniform import choose_any, choose_patch_first
from patchstats.errors import AgentError
from patchstats.rules import Ruleset


@dataclass(frozen=True, slots=True)
class Entry:
    """An agent that can be named: how its spec is written, a line about it, and how it is made.

    `make` gets the whole spec, what follows its first colon (empty when there is none) and the ruleset to be played.
    `compiled` says whether the compiled engine plays it, too.
    """

    usage: str
    line: str
    make: Callable[[str, str, Ruleset], Agent]
    compiled: bool = False


def _plain(choose: Choose) -> Callable[[str, str, Ruleset], Agent]:
    """An agent without parameters and without memory."""

    def make(spec: str, parameters: str, ruleset: Ruleset) -> Agent:  # noqa: ARG001
        if parameters or ":" in spec:
            raise AgentError(f"agent {spec!r}: {spec.partition(':')[0]} takes no parameters")
        return Agent(spec, lambda _: choose)

    return make


AGENTS: dict[str, Entry] = {
    "random": Entry(
        "random",
        "every complete legal action is equally likely",
        _plain(choose_any),
        compiled=True,
    ),
    "random-patch": Entry(
        "random-patch",
        "the advance and each buyable patch are equally likely, then each placement of the chosen patch",
        _plain(choose_patch_first),
        compiled=True,
    ),
    "scripted": Entry(
        "scripted:FILE or scripted:module:function",
        "plays the moves of a game record, on its ring; or asks a function of a Python module",
        scripted,
    ),
}


def is_compiled(spec: str) -> bool:
    """Whether the compiled engine plays the agent of this spec, too.

    >>> is_compiled("random"), is_compiled("scripted:game.txt")
    (True, False)
    """
    return spec in AGENTS and AGENTS[spec].compiled


def make_agent(spec: str, ruleset: Ruleset) -> Agent:
    """Return the agent that a spec string such as `random` or `scripted:game.txt` names.

    Raises AgentError for an unknown agent, wrong parameters, and a script that cannot be used.

    >>> make_agent("random", Ruleset.load("original")).spec
    'random'
    """
    name, _, parameters = spec.partition(":")
    if name not in AGENTS:
        close = difflib.get_close_matches(name, AGENTS, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(AGENTS)}"
        raise AgentError(f"agent {spec!r} is unknown; {hint}")
    return AGENTS[name].make(spec, parameters, ruleset)
