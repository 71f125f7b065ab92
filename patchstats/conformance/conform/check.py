"""An engine checked: cases, golden games, counts and drawn games one after another, and what is known at the end.

How that is told lives in `report.py` and `junit.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from patchstats.conformance.cases import load_cases
from patchstats.conformance.conform.abilities import Abilities, greet
from patchstats.conformance.conform.connection import Connection, EngineFault, Pace
from patchstats.conformance.conform.counts import check_count, script_of_count, usual_counts
from patchstats.conformance.conform.scripts import Script, script_of_case, script_of_game
from patchstats.conformance.conform.walk import Difference, Fault, Walk, walk
from patchstats.conformance.golden import golden_games
from patchstats.rules.rulebook import Clause, clauses

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from patchstats.conformance.conform.drawn import Drawn

#: The parts of a check, in their order.
PARTS = ("cases", "games", "perft", "drawn")
#: After so many faults there is no use in starting the engine again.
MOST_FAULTS = 3
#: A game of so few actions need not be made shorter, nor one that so many tries have not made plainer.
SHORT, PATIENCE = 1, 40


@dataclass
class Tally:
    """A part of a check: how many scripts there are, how many were played to their end or their first difference, how
    many of those differed, and why others were not played, with how many."""

    of: int = 0
    played: int = 0
    different: int = 0
    left_out: dict[str, int] = field(default_factory=dict)

    def leave_out(self, reason: str) -> None:
        """Count a script that was not played."""
        self.left_out[reason] = self.left_out.get(reason, 0) + 1


@dataclass
class Findings:
    """What a check brought.

    Attributes:
        abilities: what the engine says of itself, or None when it did not get so far.
        held: the clauses that showed themselves right.
        broken: for each clause in which the engine differs the plainest difference.
        faults: where it gave no proper answer.
        tallies: for each part of the check what was played.
        wanting: for clauses that could have been checked what the engine would have to be able to.
        pace: how quickly it answered.
        errors: the last lines that it wrote on standard error, and `error_lines` how many there were.
        out_of_time: whether the check was cut short.
    """

    abilities: Abilities | None = None
    held: set[str] = field(default_factory=set)
    broken: dict[str, Difference] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    tallies: dict[str, Tally] = field(default_factory=dict)
    wanting: dict[str, set[str]] = field(default_factory=dict)
    pace: Pace = field(default_factory=Pace)
    errors: tuple[str, ...] = ()
    error_lines: int = 0
    out_of_time: bool = False

    @property
    def passed(self) -> bool:
        """Whether nothing is broken, the engine always answered, and the check was not cut short."""
        return not (self.broken or self.faults or self.out_of_time)

    def verdict(self, clause: Clause) -> str:
        """Return `held`, `broken` or `not covered`."""
        if clause.number in self.broken:
            return "broken"
        return "held" if clause.number in self.held else "not covered"

    def why_not_covered(self, clause: Clause) -> str:
        """Say why a clause could not be checked."""
        if self.abilities is None:
            return "the engine did not say what it can do"
        if clause.untestable:
            return "no test of an engine can hold it"
        if clause.number in self.wanting:
            return f"needs {' or '.join(sorted(self.wanting[clause.number]))}"
        return "the time for the whole check was over" if self.out_of_time else "nothing that was played shows it"


def check(
    command: Sequence[str],
    *,
    parts: Collection[str] = PARTS,
    examples: int = 200,
    seed: int = 1,
    timeout: float = 10.0,
    limit: float = 600.0,
    progress: Callable[[str], None] = lambda _: None,
) -> Findings:
    """Check the engine that a command starts.

    `parts` are some of PARTS, `examples` is how many games are drawn, `timeout` how many seconds an answer may take,
    and `limit` how many the whole check; `progress` is told what begins. Raises PatchstatsError when the command cannot
    be started.
    """
    with Connection(command, timeout) as connection:
        checking = _Check(connection, time.monotonic() + limit)
        try:
            checking.run([part for part in PARTS if part in parts], examples, seed, progress)
            checking.drop_doubtful()
        except EngineFault as fault:
            checking.findings.faults.append(Fault(fault.kind, fault.reason))
    findings = checking.findings
    findings.pace, findings.errors = connection.pace, tuple(connection.errors)
    findings.error_lines = connection.error_lines
    findings.held -= findings.broken.keys()
    return findings


class _Check:
    """A check under way."""

    def __init__(self, connection: Connection, deadline: float) -> None:
        self.findings = Findings()
        self._connection = connection
        self._deadline = deadline
        #: For each difference the clauses that it may be about, the likeliest first.
        self._seen: list[tuple[str, ...]] = []

    def run(self, parts: Sequence[str], examples: int, seed: int, progress: Callable[[str], None]) -> None:
        """Do the parts. Raises EngineFault when the engine does not say who it is."""
        abilities = self.findings.abilities = greet(self._connection)
        for part in parts:
            progress(part)
            tally = self.findings.tallies[part] = Tally()
            match part:
                case "cases":
                    self._play(tally, [(case.clauses, script_of_case(case)) for case in load_cases()], abilities)
                case "games":
                    games = [((), script_of_game(game)) for game in golden_games()]
                    self._play(tally, games, abilities)
                case "perft":
                    self._count(tally, abilities)
                case "drawn":
                    self._draw(tally, abilities, examples, seed, progress)

    @property
    def _is_over(self) -> str:
        """Why nothing more can be played, or nothing."""
        if time.monotonic() > self._deadline:
            self.findings.out_of_time = True
            return "the time for the whole check was over"
        return "the engine had failed too often" if len(self.findings.faults) >= MOST_FAULTS else ""

    def _play(
        self, tally: Tally, scripts: Iterable[tuple[tuple[str, ...], Script | str]], abilities: Abilities
    ) -> None:
        for numbers, script in scripts:
            tally.of += 1
            reason = script if isinstance(script, str) else _why_not(abilities, script)
            if reason in NEEDED:
                for number in numbers:
                    self.findings.wanting.setdefault(number, set()).add(NEEDED[reason])
            reason = reason or self._is_over
            if reason or isinstance(script, str):
                tally.leave_out(reason)
                continue
            result = self._note(tally, walk(self._connection, abilities, script, self.findings.held))
            if result.is_whole:
                if abilities.compared.issuperset(script.fields):
                    self.findings.held.update(script.clauses)
                else:
                    for number in numbers:
                        missing = map(_named, {*script.fields} - abilities.compared)
                        self.findings.wanting.setdefault(number, set()).update(missing)

    def _note(self, tally: Tally, result: Walk) -> Walk:
        self.findings.held |= result.held
        if result.fault is not None:
            self.findings.faults.append(result.fault)
        elif result.unsupported:
            tally.leave_out(f"the engine says: {result.unsupported}")
            return result
        tally.played += 1
        if result.difference is not None:
            tally.different += 1
            self._keep(result.difference)
        return result

    def _keep(self, difference: Difference) -> None:
        self._seen.append(difference.clauses)
        known = self.findings.broken.get(difference.clause)
        if known is None or difference.rank < known.rank:
            self.findings.broken[difference.clause] = difference

    def drop_doubtful(self) -> None:
        """Of all clauses that seem broken keep so many as explain every difference, those that explain most first.

        A button too few may be an income too few, where the income is 1; not where it is 2.
        """
        left, kept = list(self._seen), set[str]()
        while left:
            named = {clauses[0] for clauses in left}
            most = max(
                sorted(named),
                key=lambda one: (sum(one in clauses for clauses in left), sum(one == clauses[0] for clauses in left)),
            )
            kept.add(most)
            left = [clauses for clauses in left if most not in clauses]
        for clause in self.findings.broken.keys() - kept:
            del self.findings.broken[clause]
            self.findings.held.discard(clause)

    def _count(self, tally: Tally, abilities: Abilities) -> None:
        for count in usual_counts():
            tally.of += 1
            script = script_of_count(count)
            reason = _why_not(abilities, script) if "perft" in abilities.can else "the engine has no perft"
            reason = reason or self._is_over
            if reason:
                tally.leave_out(reason)
                continue
            self._note(tally, check_count(self._connection, abilities, script, count.depth, count.nodes))

    def _draw(
        self, tally: Tally, abilities: Abilities, examples: int, seed: int, progress: Callable[[str], None]
    ) -> None:
        from patchstats.conformance.conform.drawn import Enough, drawn_games, plain_games, search

        games = drawn_games(abilities.plays)
        known: dict[Drawn, str] = {}

        def broken_in(game: Drawn) -> str:
            """The clause that the engine breaks in a game, or nothing; each game is played once."""
            if game not in known:
                if self._is_over:
                    raise Enough
                result = self._note(tally, walk(self._connection, abilities, game.script, self.findings.held))
                known[game] = result.difference.clause if result.difference else ""
            return known[game]

        def never(game: Drawn) -> bool:
            broken_in(game)
            return False

        for game in plain_games(abilities.plays):
            if not self._is_over:
                broken_in(game)
        search(games, examples, seed, never, shrink=False)
        self.drop_doubtful()
        if reason := self._is_over:
            tally.leave_out(reason)
        drawn = (tally.played, tally.different)
        for clause in sorted(set(filter(None, known.values())) & self.findings.broken.keys()):
            progress(f"the shortest game for {clause}")
            self._shorten(games, examples, seed, clause, broken_in)
        tally.played, tally.different = drawn
        tally.of = tally.played + sum(tally.left_out.values())

    def _shorten(
        self,
        games: SearchStrategy[Drawn],
        examples: int,
        seed: int,
        clause: str,
        broken_in: Callable[[Drawn], str],
    ) -> None:
        """Look for shorter games that show a clause to be broken, until there has been none for a while."""
        from patchstats.conformance.conform.drawn import Enough, search

        best, in_vain = self.findings.broken[clause], -1

        def breaks(game: Drawn) -> bool:
            nonlocal best, in_vain
            if best.length <= SHORT or in_vain >= PATIENCE:
                raise Enough
            breaks = broken_in(game) == clause
            plainest = self.findings.broken[clause]
            in_vain = 0 if plainest.rank < best.rank else in_vain + (in_vain >= 0 or breaks)
            best = plainest
            return breaks

        search(games, examples, seed, breaks, shrink=True)


#: Why a script is not played, when the engine could learn to.
SET_UP = "needs the request position"
RULESETS = "needs another ruleset"
NEEDED = {SET_UP: "the request position", RULESETS: "any ruleset"}


def _named(word: str) -> str:
    return {"accepts": "refuse", "count": "count", "list": "list"}.get(word, f"{word} in the state")


def _why_not(abilities: Abilities, script: Script) -> str:
    if script.ring is None and "position" not in abilities.can:
        return SET_UP
    return "" if abilities.plays(script.ruleset) else RULESETS


def all_verdicts(findings: Findings) -> list[tuple[Clause, str]]:
    """Return every clause of the rulebook with its verdict."""
    return [(clause, findings.verdict(clause)) for clause in clauses()]
