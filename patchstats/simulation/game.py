"""One game of a run, played by the reference engine."""

from __future__ import annotations

from collections.abc import Mapping

from patchstats.agents import Agent, Choice
from patchstats.agents.protocol import CERTAIN
from patchstats.dataset.jitter import draw_steps, ruleset_of
from patchstats.dataset.played import PlayedGame
from patchstats.errors import AgentError, IllegalAction
from patchstats.rules import Ply, Position, Ruleset
from patchstats.streams import SEATS, SETUP, Stream


def ring_of(ruleset: Ruleset, seed: int, ring_index: int) -> tuple[str, ...]:
    """Return the ring that a setup stream lays, from the neutral token on (2.4, 2.5).

    The patches but the start patch, in the order of the ruleset's table, are shuffled; the start patch comes last.

    >>> ring_of(Ruleset.load("original"), seed=1, ring_index=0)[-1]
    'p01'
    """
    patches = [patch.id for patch in ruleset.patches if patch.id != ruleset.start_patch]
    Stream(seed, SETUP, ring_index).shuffle(patches)
    return (*patches, ruleset.start_patch)


def play_game(
    ruleset: Ruleset, agents: tuple[Agent, Agent], seed: int, game_index: int, ring_index: int, jitter: str = ""
) -> PlayedGame:
    """Play a game of a run and return it; the agents are those at seat 0 and seat 1.

    Raises AgentError, with game, ply and seat, when an agent fails or chooses what is no legal action.

    >>> from patchstats.agents import make_agent
    >>> ruleset = Ruleset.load("original")
    >>> agent = make_agent("random", ruleset)
    >>> play_game(ruleset, (agent, agent), seed=1, game_index=0, ring_index=0).end.winner
    0
    """
    ring = agents[0].ring or agents[1].ring or ring_of(ruleset, seed, ring_index)
    choose = [agent.sit_down(seat) for seat, agent in enumerate(agents)]
    streams = [Stream(seed, kind, game_index) for kind in SEATS]
    steps = draw_steps(ruleset, jitter, seed, ring_index)
    position = Position.start(ruleset_of(ruleset, jitter, steps), ring)
    plies: list[Ply] = []
    values: dict[int, Mapping[str, int]] = {}
    probabilities: dict[int, Mapping[str, int]] = {}
    while (seat := position.seat_on_turn) is not None:
        try:
            chosen = choose[seat](position, position.legal_actions, streams[seat])
            if isinstance(chosen, Choice):
                values[len(plies)] = _values(chosen.values, position)
                if chosen.probabilities is not None:
                    probabilities[len(plies)] = _probabilities(chosen.probabilities, position)
                chosen = chosen.action
            ply = Ply.played(position, chosen)
        except IllegalAction as error:
            raise AgentError(f"{_where(game_index, plies, seat)}: agent {agents[seat].spec!r}: {error}") from None
        except AgentError as error:
            raise AgentError(f"{_where(game_index, plies, seat)}: {error}") from error.__cause__
        plies.append(ply)
        position = ply.after
    specs = (agents[0].spec, agents[1].spec)
    return PlayedGame(game_index, ring_index, ring, specs, tuple(plies), values, probabilities, steps)


def _values(values: Mapping[str, int], position: Position) -> Mapping[str, int]:
    if not isinstance(values, Mapping):
        raise AgentError(f"the values of a choice must be a mapping from patches to whole numbers, not {values!r}")
    for patch, value in values.items():
        if patch not in position.offer:
            raise AgentError(f"a value is given for {patch!r}, which is not on offer: {', '.join(position.offer)}")
        if type(value) is not int or not -(2**31) <= value < 2**31:
            raise AgentError(f"the value of {patch} must be a whole number of 32 bits, not {value!r}")
    return dict(values)


def _probabilities(probabilities: Mapping[str, int], position: Position) -> Mapping[str, int]:
    """Return the probability of each patch on offer."""
    if not isinstance(probabilities, Mapping):
        raise AgentError(
            f"the probabilities of a choice must be a mapping from patches to whole numbers, not {probabilities!r}"
        )
    for patch, parts in probabilities.items():
        if patch not in position.offer:
            raise AgentError(
                f"a probability is given for {patch!r}, which is not on offer: {', '.join(position.offer)}"
            )
        if type(parts) is not int or parts < 0:
            raise AgentError(
                f"the probability of {patch} must be a whole number from 0, in parts of 10**9, not {parts!r}"
            )
    if sum(probabilities.values()) > CERTAIN:
        raise AgentError(f"the probabilities of a choice are {sum(probabilities.values())} together, more than 10**9")
    return {patch: probabilities.get(patch, 0) for patch in position.offer}


def _where(game_index: int, plies: list[Ply], seat: int) -> str:
    return f"game {game_index}, ply {len(plies)}, seat {seat}"
