"""Who takes part in an experiment, and the playing of all its runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from patchstats.agents import make_agent
from patchstats.analysis.sprt import Verdict
from patchstats.dataset.manifest import NAME
from patchstats.dataset.run import Run
from patchstats.dataset.store import reason, store_at
from patchstats.errors import RunError
from patchstats.experiments.match import Match
from patchstats.rules import Ruleset
from patchstats.simulation.progress import progress as show_progress
from patchstats.simulation.progress import say

if TYPE_CHECKING:
    import pandas as pd


def distinct(agents: Sequence[str], ruleset: Ruleset, least: int) -> tuple[str, ...]:
    """Return the specs as the agents write them. Raises RunError for fewer than `least`, and for the same one twice."""
    if isinstance(agents, str) or not isinstance(agents, Sequence) or not all(isinstance(one, str) for one in agents):
        raise RunError(f"agents must be a sequence of spec strings, not {agents!r}")
    if len(agents) < least:
        given = ", ".join(agents) or "none"
        wanted = "two agents or more, such as random,random-patch" if least == 2 else "an agent, such as random"
        raise RunError(f"a ladder needs {wanted}; given {len(agents)}: {given}")
    by_spec: dict[str, str] = {}
    for given in agents:
        agent = make_agent(given, ruleset)
        spec = agent.spec
        if agent.ring is not None:
            raise RunError(f"agent {given!r} plays a game on a ring of its own; a ladder needs agents for any ring")
        if spec in by_spec:
            same = f"{given!r} is given twice" if given == by_spec[spec] else f"{by_spec[spec]!r} and {given!r} are one"
            raise RunError(f"agent {same}; name each agent once")
        by_spec[spec] = given
    return tuple(by_spec)


def refuse_a_run(out: str | Path) -> None:
    """Raise RunError where a run lies in which no others should, and for what is no place for them."""
    if not isinstance(out, str | Path) or out == "":
        raise RunError(f"out must be the path of a directory or a URL, not {out!r}")
    store = store_at(out)
    try:
        if store.holds(NAME):
            raise RunError(f"{store} holds a run; those of an experiment need a directory that is none")
    except OSError as error:
        raise RunError(f"{error.filename or store} cannot be read: {reason(error)}") from None


@contextmanager
def place_of_runs(out: str | Path | None) -> Iterator[str | Path]:
    """The directory, or URL, below which runs lie; for None one that is thrown away in the end. See `refuse_a_run`."""
    if out is None:
        with TemporaryDirectory(prefix="patchstats-") as folder:
            yield folder
    else:
        refuse_a_run(out)
        yield out


def whole_number(what: str, number: int, least: int, why: str = "") -> int:
    """Return a number that must be whole and not too small. Raises RunError when it is not, naming what it is."""
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise RunError(f"{what} must be a whole number from {least} on{why}, not {number!r}")
    return number


def played(matches: Sequence[Match], progress: str, what: str) -> list[tuple[Run, pd.DataFrame, Verdict | None]]:
    """Play what is missing of all matches, and return what came of each, as `Match.play` does."""
    first = matches[0]
    made = [make_agent(spec, match.settings["ruleset"]) for match in matches for spec in match.settings["agents"]]
    for remark in dict.fromkeys(agent.remark for agent in made if agent.remark):
        say(progress, remark)
    done = sum(match.look(progress if match is first else "off") for match in matches)
    with show_progress(progress, what, sum(match.most for match in matches), done) as report:
        return [match.play(report, progress) for match in matches]
