"""What is to be simulated: everything the bytes of a run depend on."""

from __future__ import annotations

import math
import re
from dataclasses import InitVar, dataclass
from typing import Any, TypeVar

from patchstats.agents import Agent, make_agent
from patchstats.columns import Column
from patchstats.dataset.jitter import JITTERS
from patchstats.dataset.manifest import Manifest
from patchstats.dataset.schema import LOG_LEVELS, SCHEMA_VERSION, tables_of
from patchstats.errors import RunError
from patchstats.rules import Ruleset
from patchstats.streams import GREATEST_SEED

#: Raised by one whenever the same spec gives other games: other streams, another order of legal actions, another agent.
BEHAVIOUR_VERSION = 1

GREATEST_NUMBER_OF_GAMES = 10**9

#: A shard is made in memory, and its byte strings are counted with 31 bits.
GREATEST_SHARD = 100_000

#: How many games a shard holds unless another number is asked for: a second's work or less for the compiled engine; for
#: agents that it does not know, and for those that search, so few that little is lost when a run is broken off.
GAMES_PER_SHARD, GAMES_PER_SHARD_OF_SCRIPTS = 20_000, 1000
_SECONDS_PER_SHARD = 20.0

_PAIRING = re.compile(r"none|mirrored|rings:([2-9]|[1-9][0-9]{1,8})")
_A = TypeVar("_A")


@dataclass(frozen=True, slots=True)
class RunSpec:
    """The spec of a run. Game `i` depends on `ruleset`, `agents`, `seed` and `i` alone.

    Attributes:
        ruleset: what is played with.
        agents: the spec strings of the agents at seat 0 and seat 1, each in the one way to write it.
        seed: the key of every random stream, 0 to 2**64 - 1.
        games: how many games.
        log: what is written: `summary`, `games`, `turns` or `offers`.
        pairing: `none`, a ring a game; `rings:K`, K games a ring; `mirrored`, two games a ring, the agents swapping
            seats for the second.
        stop_when: `ci:W`, to end with the first shard after which the 95 % interval of the share of games that seat 0
            won is at most W wide; None to play all games.
        games_per_shard: how many games a shard holds, the last one perhaps fewer; 0 for what suits the agents.
        jitter: which numbers of each patch are changed by -1, 0 or 1 in each game, such as `cost+time`, see
            `dataset.jitter`; nothing for none.
        played: whether the agents have played it: their scripts, which may be gone since, are not looked at then.

    Raises RunError for numbers out of bounds, and for words that are none of those, and AgentError for agents that
    cannot be made.
    """

    ruleset: Ruleset
    agents: tuple[str, str]
    seed: int
    games: int
    log: str = "games"
    pairing: str = "none"
    stop_when: str | None = None
    games_per_shard: int = 0
    jitter: str = ""
    played: InitVar[bool] = False

    def __post_init__(self, played: bool) -> None:
        if len(self.agents) != 2 or not all(isinstance(agent, str) for agent in self.agents):
            given = ", ".join(map(str, self.agents))
            raise RunError(
                f"two agents are needed, one a seat, such as random,random; given {len(self.agents)}: {given}"
            )
        agents: tuple[Agent, ...] = () if played else self.make_agents()
        if agents:
            object.__setattr__(self, "agents", tuple(agent.spec for agent in agents))
        _bounded("games", self.games, 1, GREATEST_NUMBER_OF_GAMES)
        _bounded("seed", self.seed, 0, GREATEST_SEED)
        if not isinstance(self.log, str) or self.log not in LOG_LEVELS:
            raise RunError(f"log {self.log!r} is none of {', '.join(LOG_LEVELS)}")
        if not isinstance(self.pairing, str) or not _PAIRING.fullmatch(self.pairing):
            raise RunError(f"pairing {self.pairing!r} is none of none, mirrored, and rings:K with a number K from 2 on")
        if not isinstance(self.jitter, str) or self.jitter not in ("", *JITTERS):
            raise RunError(f"jitter {self.jitter!r} is none of {', '.join(JITTERS)}")
        if self.stop_when is not None:
            object.__setattr__(self, "stop_when", _plain_rule(self.stop_when))
        repeats = self.games_per_ring
        if self.games % repeats:
            raise RunError(f"games must be a multiple of {repeats} with pairing {self.pairing}, not {self.games}")
        if self.games_per_shard == 0 and agents:
            object.__setattr__(self, "games_per_shard", max(_usual_shard(agents) // repeats, 1) * repeats)
        _bounded("games_per_shard", self.games_per_shard, 1, GREATEST_SHARD)
        if self.games_per_shard % repeats:
            raise RunError(f"games_per_shard must be a multiple of {repeats} with pairing {self.pairing}")

    def make_agents(self) -> tuple[Agent, Agent]:
        """Return the agents for both seats.

        Raises AgentError when one cannot be made, and RunError when they need different rings.
        """
        first, second = (make_agent(spec, self.ruleset) for spec in self.agents)
        if first.ring and second.ring and first.ring != second.ring:
            raise RunError(f"agents {first.spec!r} and {second.spec!r} play records of different rings")
        return first, second

    def to_dict(self) -> dict[str, Any]:
        """Return the spec as plain values, the ruleset by its id, with the hashes and rings of the agents' scripts.

        Of an agent whose games cannot be played again it says so, and what is remarked on an agent, and which prices
        are changed; of others nothing, as it always did.
        """
        return ({"jitter": self.jitter} if self.jitter else {}) | {
            "agents": [
                {"spec": agent.spec, "sha256": agent.sha256, "ring": agent.ring and list(agent.ring)}
                | ({} if agent.reproducible else {"reproducible": False})
                | ({"remark": agent.remark} if agent.remark else {})
                for agent in self.make_agents()
            ],
            "games": self.games,
            "games_per_shard": self.games_per_shard,
            "log": self.log,
            "pairing": self.pairing,
            "ruleset_id": self.ruleset.ruleset_id,
            "seed": self.seed,
            "stop_when": self.stop_when,
        }

    @classmethod
    def of(cls, manifest: Manifest) -> RunSpec:
        """Return the spec of a run from its manifest. Raises RunError or RulesetError when it is damaged."""
        spec = manifest.spec
        first, second = (agent["spec"] for agent in spec["agents"])
        ruleset = Ruleset.from_dict(manifest.ruleset, source="manifest.json: ruleset")
        settings = {key: spec[key] for key in ("seed", "games", "log", "pairing", "stop_when", "games_per_shard")}
        return cls(ruleset, (first, second), **settings, jitter=manifest.jitter, played=True)

    def manifest(self) -> Manifest:
        """Return the manifest of the run before anything is simulated."""
        versions = {"schema": SCHEMA_VERSION, "behaviour": BEHAVIOUR_VERSION}
        return Manifest(self.to_dict(), self.ruleset.to_dict(), versions)

    @property
    def tables(self) -> dict[str, tuple[Column, ...]]:
        """The columns of each table that is written."""
        return tables_of(self.log, self.jitter)

    @property
    def games_per_ring(self) -> int:
        """How many games are played on each ring; they follow one another."""
        if self.pairing == "mirrored":
            return 2
        return int(self.pairing.partition(":")[2] or 1)

    @property
    def mirrored(self) -> bool:
        """Whether the agents swap seats in every second game."""
        return self.pairing == "mirrored"

    @property
    def greatest_width(self) -> float | None:
        """How wide the interval may be at which the run stops, or None."""
        return None if self.stop_when is None else float(self.stop_when.partition(":")[2])

    def ring_index(self, game_index: int) -> int:
        """Return the index of the setup stream that shuffles the ring of a game."""
        return game_index // self.games_per_ring

    def seated(self, agents: tuple[_A, _A], game_index: int) -> tuple[_A, _A]:
        """Return the agents (or their specs) as they sit in a game: the one at seat 0 first."""
        return agents[::-1] if self.mirrored and game_index % 2 else agents

    @property
    def shards(self) -> range:
        """The numbers of the shards of all games."""
        return range(-(-self.games // self.games_per_shard))

    def games_of(self, shard: int) -> range:
        """Return the games that a shard holds."""
        first = shard * self.games_per_shard
        return range(first, min(first + self.games_per_shard, self.games))


def _usual_shard(agents: tuple[Agent, ...]) -> int:
    """How many games a shard holds: one, two or five times a power of ten or two, so that it takes not too long."""
    most = GAMES_PER_SHARD if all(agent.decider for agent in agents) else GAMES_PER_SHARD_OF_SCRIPTS
    seconds = max(agent.seconds_a_game for agent in agents)
    sizes = [number * 10**power for power in range(5) for number in (1, 2, 5)]
    return max([size for size in sizes if size <= most and size * seconds <= _SECONDS_PER_SHARD], default=1)


def _bounded(name: str, value: int, least: int, greatest: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= greatest:
        raise RunError(f"{name} must be a whole number from {least} to {greatest}, not {value!r}")


def _plain_rule(rule: Any) -> str:
    """The same rule for stopping, its number written in the one way."""
    kind, _, width = rule.partition(":") if isinstance(rule, str) else ("", "", "")
    try:
        greatest = float(f"{float(width):.6g}")
    except ValueError:
        greatest = math.nan
    if kind != "ci" or not 0 < greatest < 1:
        raise RunError(f"stop_when {rule!r} is not ci:W with a width W between 0 and 1, such as ci:0.01")
    return f"ci:{greatest:.6g}"
