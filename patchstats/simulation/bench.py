"""How many games a second are played: several measurements in turn, so that noise of the machine meets all of them."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from patchstats.agents import make_agent
from patchstats.kernel.asking import Asked
from patchstats.kernel.engine import Player, compile_engine, count_sequences
from patchstats.rules import Position, Ruleset
from patchstats.simulation.game import play_game, ring_of
from patchstats.simulation.simulate import simulate

#: For one game of the reference engine so many are played by the compiled one, and so many are written by it.
KERNEL_GAMES, KERNEL_RUNS = 100, 400
PERFT_DEPTH = 3
#: The same of `greedy`; and iterations of agents that search, and playouts after each move, on each of a few positions.
GREEDY_GAMES, ITERATIONS, PLAYOUTS = 20, 4, 10


class Figure(NamedTuple):
    """How much is done a second: what was measured and in which unit, and the median, least and greatest of the rounds.

    A unit of CPU is a second of CPU time of one core, one of wall time a second on the clock. `ratio` is the median of
    the kernel's figure divided by the reference engine's of the same round, where both do the same, else 0.
    """

    what: str
    unit: str
    median: float
    least: float
    most: float
    ratio: float


class _Way(NamedTuple):
    """One thing to measure: what it does in a round, how much that is, and the clock."""

    run: Callable[[int], float]
    clock: Callable[[], float]
    unit: str
    like: str = ""


def measure(games: int, rounds: int, workers: int) -> list[Figure]:
    """Let the reference engine play so many games in each of several rounds, in every way that is measured, and the
    compiled engine in proportion more; return the figures.
    """
    ruleset = Ruleset.load("original")
    start = Position.start(ruleset, ring_of(ruleset, seed=1, ring_index=0))
    compile_engine()
    for agent in ("greedy", "mcts", "puct", "rollout"):
        _player(ruleset, agent)
    count_sequences(start, depth=1)
    cpu, wall = time.process_time, time.perf_counter
    games_of_cpu, games_of_wall = "games/s of CPU", f"games/s of wall time, {workers} workers"
    with tempfile.TemporaryDirectory() as folder:
        ways: dict[str, _Way] = {}
        for agent in ("random", "random-patch"):
            ways[f"reference, {agent}"] = _Way(partial(_play, ruleset, agent, games), cpu, games_of_cpu)
            kernel = partial(_play_compiled, _player(ruleset, agent), games * KERNEL_GAMES)
            ways[f"kernel, {agent}"] = _Way(kernel, cpu, games_of_cpu, like=f"reference, {agent}")
        kernel = partial(_play_compiled, _player(ruleset, "greedy"), games * GREEDY_GAMES)
        ways["kernel, greedy"] = _Way(kernel, cpu, games_of_cpu)
        early = _early_positions(ruleset)
        for spec in (f"mcts:iterations={games * ITERATIONS}", f"puct:iterations={games * ITERATIONS}"):
            run = partial(_search, spec, early, lambda _: games * ITERATIONS)
            ways[f"kernel, {spec.partition(':')[0]}"] = _Way(run, cpu, "iterations/s of CPU, early in the game")
        run = partial(_search, f"rollout:k={games * PLAYOUTS}", early, partial(_playouts, games * PLAYOUTS))
        ways["kernel, rollout"] = _Way(run, cpu, "playouts/s of CPU, early in the game")
        ways["kernel, perft"] = _Way(partial(_count, start), cpu, "leaves/s of CPU")
        for log in ("summary", "games", "turns", "offers"):
            for engine, number in (("reference", games), ("kernel", games * KERNEL_RUNS)):
                run = partial(_simulate, Path(folder), log, engine, number, workers if engine == "kernel" else 1)
                clock, unit = (wall, games_of_wall) if engine == "kernel" else (cpu, games_of_cpu)
                ways[f"{engine}, simulate --log {log}"] = _Way(run, clock, unit)
        rates: dict[str, list[float]] = {what: [] for what in ways}
        for number in range(rounds):
            for what, way in ways.items():
                started = way.clock()
                done = way.run(number)
                rates[what].append(done / (way.clock() - started))
    return [
        Figure(
            what,
            way.unit,
            statistics.median(rates[what]),
            min(rates[what]),
            max(rates[what]),
            statistics.median(map(float.__truediv__, rates[what], rates[way.like])) if way.like else 0.0,
        )
        for what, way in ways.items()
    ]


def _play(ruleset: Ruleset, spec: str, games: int, seed: int) -> float:
    agent = make_agent(spec, ruleset)
    for game_index in range(games):
        play_game(ruleset, (agent, agent), seed, game_index, ring_index=game_index)
    return games


def _player(ruleset: Ruleset, spec: str) -> Player:
    decider = make_agent(spec, ruleset).decider
    assert decider, "an agent of patchstats"
    return Player(ruleset, (decider(), decider()))


def _play_compiled(player: Player, games: int, seed: int) -> float:
    player.play(seed, first=0, count=games)
    return games


def _early_positions(ruleset: Ruleset) -> list[Position]:
    """Some of the first turns of games, with something to choose."""
    agent = make_agent("greedy", ruleset)
    games = [play_game(ruleset, (agent, agent), seed=1, game_index=game, ring_index=game) for game in range(3)]
    plies = [game.plies[ply].before for game in games for ply in range(6)]
    return [position for position in plies if len(position.legal_actions.purchases.patches) > 1]


def _search(spec: str, positions: list[Position], amount: Callable[[Position], int], seed: int) -> float:
    """Let an agent decide each position afresh, and return how much it has done for that."""
    done = 0
    for position in positions:
        decider = make_agent(spec, position.ruleset).decider
        assert decider, "an agent of patchstats"
        Asked(position.ruleset, decider(), seed, game_index=0).choose(position)
        done += amount(position)
    return done


def _playouts(after_each_move: int, position: Position) -> int:
    """How often a game is played out: after the advance, and after the one best placement of each patch."""
    return after_each_move * (1 + len(position.legal_actions.purchases.patches))


def _count(position: Position, _: int) -> float:
    return count_sequences(position, PERFT_DEPTH)


def _simulate(folder: Path, log: str, engine: str, games: int, workers: int, seed: int) -> float:
    simulate(games=games, seed=seed, out=folder / f"{log}-{engine}-{seed}", log=log, engine=engine, workers=workers)
    return games
