"""Which agents there are, by the strings that name them, and how they are sat down."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from patchstats.agents.networks import Judgement, judgement_for
from patchstats.agents.panel import PANEL, RESTRICTIONS, Card
from patchstats.agents.parameters import Value, plain_spec, read_parameters
from patchstats.agents.protocol import Agent, Choice, Choose
from patchstats.agents.scripted import scripted
from patchstats.agents.uniform import choose_any, choose_patch_first
from patchstats.errors import AgentError
from patchstats.notation.action_log import decode_action
from patchstats.rules import Action, LegalActions, Position, Ruleset
from patchstats.scripts import IN_MODULE, ScriptError, load_script
from patchstats.streams import Stream

if TYPE_CHECKING:
    from patchstats.kernel.deciders.deciding import Decider

#: The agents of chance are written in Python, too, and the reference engine plays those.
_IN_PYTHON: dict[str, Choose] = {"random": choose_any, "random-patch": choose_patch_first}


@dataclass(frozen=True, slots=True)
class Entry:
    """An agent that can be named: how its spec is written, a line about it, and how it is made.

    `make` gets the whole spec, what follows its first colon (empty when there is none), the ruleset to be played, and
    the restrictions that stand before it. `card` has more about the agents of patchstats, and is None for others.
    """

    usage: str
    line: str
    make: Callable[[str, str, Ruleset, Sequence[str]], Agent]
    card: Card | None = None


def _make_scripted(spec: str, script: str, ruleset: Ruleset, restrictions: Sequence[str]) -> Agent:
    if restrictions:
        raise AgentError(
            f"agent {spec!r}: {restrictions[0]} goes with the agents of patchstats, not with scripted ones"
        )
    return scripted(spec, script, ruleset)


def _make_scored(spec: str, script: str, ruleset: Ruleset, restrictions: Sequence[str]) -> Agent:
    """Return the agent that does what a function of the user's own gives the greatest score."""
    named = IN_MODULE.fullmatch(script)
    if not named:
        raise AgentError(f"agent {spec!r}: a score is named by module:function, not by {script!r}")
    if "ignores-opponent" in restrictions:
        raise AgentError(f"agent {spec!r}: whether it looks at its opponent is up to {script}")
    try:
        module, sha256 = load_script(named["module"])
    except ScriptError as error:
        raise AgentError(f"agent {spec!r}: {error}") from error.__cause__
    function = getattr(module, named["name"], None)
    if not callable(function):
        raise AgentError(f"agent {spec!r}: module {named['module']} has no function {named['name']}")

    from patchstats.kernel.deciders.deciding import restricted
    from patchstats.kernel.deciders.scored import scored

    try:
        found = restricted(scored(function, sha256), restrictions)
    except ValueError as error:
        raise AgentError(f"agent {spec!r}: {script}: {error}") from error.__cause__
    plain = "+".join([*restrictions, f"scored:{script}"])
    return Agent(
        plain,
        lambda _: _asked(plain, ruleset, found),
        sha256=sha256,
        decider=lambda: found,
        module="scored",
        asked=True,
        seconds_a_game=5e-5,
    )


def _make_carded(card: Card, spec: str, parameters: str, ruleset: Ruleset, restrictions: Sequence[str]) -> Agent:
    """Return an agent of patchstats, its spec in the one way to write it."""
    if ":" in spec and not parameters:
        raise AgentError(f"agent {spec!r}: no parameters follow its colon")
    values = read_parameters(spec, parameters, card.parameters)
    defaults = {one.name: one.default for one in card.parameters}
    if "seconds" in values and values["iterations"] != defaults["iterations"]:
        raise AgentError(f"agent {spec!r}: it thinks for so many seconds or iterations; give one of them")
    overruled: Mapping[str, Value] = {}
    if "ignores-opponent" in restrictions:
        if card.ignoring_opponent is None:
            raise AgentError(f"agent {spec!r}: {card.name} does not look at its opponent anyway")
        overruled = card.ignoring_opponent
    counting = {name: value for name, value in values.items() if name not in overruled}
    plain = "+".join([*restrictions, plain_spec(card.name, counting, card.parameters)])
    values |= overruled
    judgement = Judgement(None, None, "")
    if card.judges:
        judgement = judgement_for(spec, values.pop("evaluation"), values.pop("network", None), ruleset)
    decider = partial(_decider, card, ruleset, values, judgement.network, tuple(restrictions))
    in_python = None if restrictions else _IN_PYTHON.get(card.name)
    return Agent(
        plain,
        (lambda _: in_python) if in_python else lambda _: _asked(plain, ruleset, decider()),
        sha256=judgement.sha256,
        decider=decider,
        module=card.routine.partition(":")[0],
        asked=in_python is None,
        remark=judgement.remark,
        reproducible="seconds" not in values,
        seconds_a_game=card.seconds_a_game(values),
    )


def _decider(
    card: Card, ruleset: Ruleset, values: dict[str, Value], network: str | None, restrictions: tuple[str, ...]
) -> Decider:
    """Return what plays the agent in the compiled engine; its routine is compiled now unless it was before."""
    from patchstats.kernel.deciders.deciding import restricted
    from patchstats.kernel.engine import why_not

    if obstacle := why_not(ruleset):
        raise AgentError(f"agent {card.name!r} needs the compiled engine, which cannot play this: {obstacle}")
    module, _, function = card.routine.partition(":")
    routine = getattr(import_module(f"patchstats.kernel.deciders.{module}"), function)
    try:
        found: Decider = routine(ruleset, network, **values) if card.judges else routine(ruleset, **values)
    except AgentError as error:
        raise AgentError(f"agent {card.name!r}: {error}") from None
    return restricted(found, restrictions)


def _asked(spec: str, ruleset: Ruleset, decider: Decider) -> Choose:
    """Return what chooses at one seat of one game of the reference engine, by asking the compiled engine's agent.

    It raises AgentError by a ruleset that the compiled engine cannot serve.
    """
    asked = None

    def choose(position: Position, legal: LegalActions, stream: Stream) -> Action | Choice:  # noqa: ARG001
        nonlocal asked
        if asked is None:
            from patchstats.kernel.asking import Asked
            from patchstats.kernel.engine import why_not

            if obstacle := why_not(ruleset):
                raise AgentError(f"agent {spec!r} is compiled, and cannot play this: {obstacle}")
            asked = Asked(ruleset, decider, stream.seed, stream.index)
        decision = asked.choose(position)
        action = decode_action(position, decision.code)
        if not decision.values and decision.probabilities is None:
            return action
        offer = position.offer
        values = {offer[slot]: value for slot, value in decision.values.items()}
        if decision.probabilities is None:
            return Choice(action, values)
        return Choice(action, values, {offer[slot]: parts for slot, parts in decision.probabilities.items()})

    return choose


AGENTS: dict[str, Entry] = {
    card.name: Entry(card.usage, card.line, partial(_make_carded, card), card) for card in PANEL
}
AGENTS["scripted"] = Entry(
    "scripted:FILE or scripted:module:function",
    "plays the moves of a game record, on its ring; or asks a function of a Python module",
    _make_scripted,
)
AGENTS["scored"] = Entry(
    "scored:module:function",
    "does what a function of a Python module gives the greatest score; the function is compiled",
    _make_scored,
)


def make_agent(spec: str, ruleset: Ruleset) -> Agent:
    """Return the agent that a spec string such as `random` or `scripted:game.txt` names.

    Its own spec is the one way to write it: without parameters at their defaults, and in the order of the agent's page.
    Raises AgentError for an unknown agent, wrong parameters, and a script that cannot be used.

    >>> make_agent("random", Ruleset.load("original")).spec
    'random'
    """
    name, _, parameters = spec.partition(":")
    *restrictions, name = name.split("+")
    if name not in AGENTS:
        close = difflib.get_close_matches(name, AGENTS, n=1)
        blanks = any(character.isspace() for character in name)
        others = "a spec is written without blanks" if blanks else f"there are {', '.join(AGENTS)}"
        raise AgentError(f"agent {spec!r} is unknown; {f'did you mean {close[0]}?' if close else others}")
    for place, restriction in enumerate(restrictions):
        if restriction not in RESTRICTIONS:
            close = difflib.get_close_matches(restriction, RESTRICTIONS, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(RESTRICTIONS)}"
            raise AgentError(f"agent {spec!r}: {restriction!r} is no restriction; {hint}")
        if restriction in restrictions[:place]:
            raise AgentError(f"agent {spec!r}: {restriction} is given twice")
    return AGENTS[name].make(spec, parameters, ruleset, [one for one in RESTRICTIONS if one in restrictions])
