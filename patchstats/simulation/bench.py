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
from patchstats.rules import Ruleset
from patchstats.simulation.game import play_game
from patchstats.simulation.simulate import simulate


class Figure(NamedTuple):
    """Games a second of CPU time of one core: what was measured, and the median, least and greatest of the rounds."""

    what: str
    median: float
    least: float
    most: float


def measure(games: int, rounds: int) -> list[Figure]:
    """Play so many games in each of several rounds, in every way that is measured, and return the figures."""
    ruleset = Ruleset.load("original")
    with tempfile.TemporaryDirectory() as folder:
        ways: dict[str, Callable[[int], None]] = {
            "play random": partial(_play, ruleset, "random", games),
            "play random-patch": partial(_play, ruleset, "random-patch", games),
            "simulate --log games": partial(_simulate, Path(folder), "games", games),
            "simulate --log turns": partial(_simulate, Path(folder), "turns", games),
        }
        rates: dict[str, list[float]] = {what: [] for what in ways}
        for number in range(rounds):
            for what, way in ways.items():
                started = time.process_time()
                way(number)
                rates[what].append(games / (time.process_time() - started))
    return [Figure(what, statistics.median(found), min(found), max(found)) for what, found in rates.items()]


def _play(ruleset: Ruleset, spec: str, games: int, seed: int) -> None:
    agent = make_agent(spec, ruleset)
    for game_index in range(games):
        play_game(ruleset, (agent, agent), seed, game_index)


def _simulate(folder: Path, log: str, games: int, seed: int) -> None:
    simulate(games=games, seed=seed, out=folder / f"{log}-{seed}", log=log)
