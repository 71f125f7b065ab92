"""Rounds of self-play and learning: each plays with what the one before has learned."""

from __future__ import annotations

import hashlib
import io
import json
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from patchstats.dataset.store import Store, reason, store_at
from patchstats.errors import RunError
from patchstats.kernel.deciders.puct import puct
from patchstats.kernel.engine import why_not
from patchstats.kernel.lessons import Teacher
from patchstats.kernel.search.features import FEATURES
from patchstats.kernel.search.weights import Network, network_in, network_text, rounded
from patchstats.rules import Ruleset
from patchstats.simulation.executors import check_workers, done_in_threads
from patchstats.simulation.progress import progress as show_progress
from patchstats.simulation.progress import say
from patchstats.streams import GREATEST_SEED
from patchstats.training.fit import fit


@dataclass(frozen=True, slots=True)
class Round:
    """So many games of each ruleset, by an agent that makes so many visits a turn, and so many epochs of learning."""

    games: int
    iterations: int
    epochs: int


#: The rounds by which the shipped network was learned.
PLAN = (Round(4000, 50, 8), Round(8000, 60, 8), Round(12000, 80, 10), Round(16000, 100, 12))

#: A network is fitted to the lessons of so many rounds, the last ones.
_REMEMBERED = 2
#: Games that are written together, so that little is lost when training is broken off.
_GAMES_PER_FILE = 250
#: Every so many-th file is held out, to judge the network by; an odd number, so that both of two rulesets are judged.
_HELD_OUT = 21
#: Fewer lessons teach nothing, and fewer that are held out do not tell how much was learned.
_LEAST_LESSONS = 20
#: Up to so many moves of a game are drawn by lot before there are lessons.
_MOST_RANDOM = 6


def train(
    *,
    out: str | Path,
    rulesets: Sequence[str | Ruleset] = ("original", "revised"),
    plan: Sequence[Round] = PLAN,
    seed: int = 1,
    workers: int = 1,
    progress: str = "off",
) -> str:
    """Learn an evaluation from nothing and return where the network was written.

    Args:
        out: the directory for lessons and networks. What is there of this very training is gone on with.
        rulesets: those to be learned, or their names, folders or files.
        plan: the rounds. The first one plays with the hand-made evaluation.
        seed: of the games and of the fit.
        workers: how many threads play at a time. The games do not depend on it.
        progress: `auto`, `plain`, `json` or `off`; shown on standard error.

    Raises RunError when the directory holds another training or cannot be written, and for rulesets that the compiled
    engine cannot play by, or whose games have nothing to teach.
    """
    check_workers(workers)
    played = [Ruleset.load(one) for one in rulesets]
    for ruleset in played:
        if obstacle := why_not(ruleset):
            raise RunError(f"the compiled engine cannot play this: {obstacle}")
    if not plan or not played:
        raise RunError("training needs a round and a ruleset at least")
    for planned in plan:
        for what, number in asdict(planned).items():
            if type(number) is not int or number < 1:
                raise RunError(f"a round needs a whole number of {what} from 1 on, not {number!r}")
    if len(list(_files(0, plan[0], played))) < 2:
        raise RunError(f"the first round needs more than {_GAMES_PER_FILE} games in all, to hold some out")
    if type(seed) is not int or not 0 <= seed <= GREATEST_SEED:
        raise RunError(f"seed must be a whole number from 0 to {GREATEST_SEED}, not {seed!r}")
    store = store_at(out)
    try:
        _begin(store, played, plan, seed)
        network = None
        for number in range(len(plan)):
            _play(store, number, plan, played, network, seed, workers, progress)
            network = _learned(store, plan[: number + 1], played, seed, progress)
        store.write("network.json", store.read(f"round-{len(plan) - 1}/network.json"))
    except OSError as error:
        raise RunError(f"{error.filename or store} cannot be used: {reason(error)}") from None
    return store.where("network.json")


def _begin(store: Store, rulesets: list[Ruleset], plan: Sequence[Round], seed: int) -> None:
    """Note what is to be trained, or see that what is there is the same."""
    wanted = {
        "rulesets": [ruleset.ruleset_id for ruleset in rulesets],
        "plan": [asdict(planned) for planned in plan],
        "seed": seed,
        "features": hashlib.sha256(repr(FEATURES).encode()).hexdigest(),
    }
    store.make()
    if store.holds("training.json"):
        try:
            there = dict(json.loads(store.read("training.json")))
        except (ValueError, TypeError):
            raise RunError(f"{store.where('training.json')} is damaged, and does not say what was trained") from None
        differing = [key for key, value in wanted.items() if there.get(key) != value]
        if differing:
            raise RunError(f"{store} holds another training; it differs in {', '.join(differing)}")
    else:
        store.write("training.json", (json.dumps(wanted, indent=1) + "\n").encode())


def _files(number: int, planned: Round, rulesets: Sequence[Ruleset]) -> Iterator[tuple[str, int, int, int]]:
    """The name of each file of lessons of a round, its ruleset, its first game and how many it has."""
    for first in range(0, planned.games, _GAMES_PER_FILE):
        for place in range(len(rulesets)):
            name = f"round-{number}/lessons-{first // _GAMES_PER_FILE:05}-{place}.npz"
            yield name, place, first, min(_GAMES_PER_FILE, planned.games - first)


def _play(
    store: Store,
    number: int,
    plan: Sequence[Round],
    rulesets: Sequence[Ruleset],
    network: Network | None,
    seed: int,
    workers: int,
    progress: str,
) -> None:
    """Play the games of a round that are missing, and write their lessons, unless all is learned from them."""
    there, planned = set(store.names()), plan[number]
    files = list(_files(number, planned, rulesets))
    missing = [file for file in files if file[0] not in there]
    learning = range(number, min(number + _REMEMBERED, len(plan)))
    if all(f"round-{one}/network.json" in there for one in learning) or not missing:
        return
    total = sum(count for *_, count in files)
    done = total - sum(count for *_, count in missing)

    def play(file: tuple[str, int, int, int]) -> int:
        name, place, first, count = file
        ruleset = rulesets[place]
        agent = puct(ruleset, network, planned.iterations, objective="margin")
        teacher = Teacher(ruleset, agent, _MOST_RANDOM)
        # Each round and ruleset has rings of its own; none is ever played in a match with a small seed.
        features, outcomes = teacher.lessons(_seed(seed, number, place), first, count)
        text = io.BytesIO()
        np.savez_compressed(text, features=features, outcomes=outcomes)
        store.write(name, text.getvalue())
        return count

    with (
        show_progress(progress, f"round {number + 1}", total, done) as report,
        closing(done_in_threads(play, missing, workers)) as played,
    ):
        for count in played:
            report(count)


def _seed(seed: int, number: int, place: int) -> int:
    text = f"lessons of training {seed}, round {number}, ruleset {place}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def _learned(store: Store, plan: Sequence[Round], rulesets: Sequence[Ruleset], seed: int, progress: str) -> Network:
    """Return what the last of these rounds has taught, and write it unless it is there."""
    number, epochs = len(plan) - 1, plan[-1].epochs
    name = f"round-{number}/network.json"
    if store.holds(name):
        return network_in(store.read(name).decode(errors="replace"), store.where(name))
    features, outcomes, held_out = [], [], []
    remembered = range(max(number + 1 - _REMEMBERED, 0), number + 1)
    files = sorted(file for one in remembered for file, *_ in _files(one, plan[one], rulesets))
    for place, file in enumerate(files):
        try:
            with np.load(io.BytesIO(store.read(file))) as lessons:
                features.append(lessons["features"])
                outcomes.append(lessons["outcomes"])
        except (ValueError, KeyError, EOFError, BadZipFile, zlib.error):
            raise RunError(f"{store.where(file)} is damaged; without it, its games are played again") from None
        held_out.append(np.full(len(features[-1]), place % _HELD_OUT == 0))
    outcome, held = np.concatenate(outcomes), np.concatenate(held_out)
    _check_lessons(outcome, held, f"{store}: round {number + 1}")
    found = fit(
        np.concatenate(features),
        outcome,
        held,
        seed,
        epochs,
        lambda epoch, loss: say(progress, f"round {number + 1}: epoch {epoch + 1} of {epochs}, loss {loss:.4f}"),
    )
    say(
        progress,
        f"round {number + 1}: of games held out it explains {found.explained:.1%} of the variance of the margin, "
        f"a linear one {found.linear:.1%}, and it tells {found.hits:.1%} of the winners",
    )
    try:
        network = rounded(found.hidden, found.heads, tuple(ruleset.ruleset_id for ruleset in rulesets))
    except (ValueError, OverflowError) as error:
        raise RunError(
            f"{store}: round {number + 1}: what was learned cannot be written in whole numbers: {error}; "
            "more games, or a ruleset whose games differ more, are needed"
        ) from None
    notes: dict[str, Any] = {
        "learned_by": "patchstats train",
        "rulesets": [ruleset.name for ruleset in rulesets],
        "plan": [asdict(one) for one in plan],
        "seed": seed,
        "explained_of_margin": round(found.explained, 4),
        "explained_by_a_linear_one": round(found.linear, 4),
        "winners_told": round(found.hits, 4),
    }
    store.write(name, network_text(network, notes).encode())
    return network


def _check_lessons(outcomes: NDArray[np.int32], held_out: NDArray[np.bool_], where: str) -> None:
    """Raise RunError where nothing can be learned, or where nobody could tell how much."""
    margin = outcomes[:, 0] - outcomes[:, 1]
    for what, chosen in (("to learn from", margin[~held_out]), ("held out", margin[held_out])):
        if len(chosen) < _LEAST_LESSONS:
            raise RunError(
                f"{where}: the games {what} have {len(chosen)} positions after their first moves, which are drawn by "
                f"lot, and {_LEAST_LESSONS} are needed; a longer track, or more games, give more"
            )
        if np.ptp(chosen) == 0:
            raise RunError(
                f"{where}: all games {what} end with the same margin, so that there is nothing to learn; rulesets are "
                "needed whose games end differently"
            )
