"""What is to be simulated: everything the bytes of a run depend on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from patchstats.agents import Agent, is_compiled, make_agent
from patchstats.dataset.manifest import Manifest
from patchstats.dataset.schema import LOG_LEVELS, SCHEMA_VERSION
from patchstats.errors import RunError
from patchstats.rules import Ruleset
from patchstats.streams import GREATEST_SEED

#: Raised by one whenever the same spec gives other games: other streams, another order of legal actions, another agent.
BEHAVIOUR_VERSION = 1

GREATEST_NUMBER_OF_GAMES = 10**9

#: How many games a shard holds unless another number is asked for: a second's work or less for the compiled engine, and
#: for agents that it does not know so few that little is lost when a run is broken off.
GAMES_PER_SHARD, GAMES_PER_SHARD_OF_SCRIPTS = 20_000, 1000


@dataclass(frozen=True, slots=True)
class RunSpec:
    """The spec of a run. Game `i` depends on `ruleset`, `agents`, `seed` and `i` alone.

    Attributes:
        ruleset: what is played with.
        agents: the spec strings of the agents at seat 0 and seat 1.
        seed: the key of every random stream, 0 to 2**64 - 1.
        games: how many games.
        log: what is written: `summary`, `games` or `turns`.
        games_per_shard: how many games a shard holds, the last one perhaps fewer; 0 for what suits the agents.

    Raises RunError for numbers out of bounds and for an unknown level of logging.
    """

    ruleset: Ruleset
    agents: tuple[str, str]
    seed: int
    games: int
    log: str = "games"
    games_per_shard: int = 0

    def __post_init__(self) -> None:
        if len(self.agents) != 2 or not all(isinstance(agent, str) for agent in self.agents):
            given = ", ".join(map(str, self.agents))
            raise RunError(
                f"two agents are needed, one a seat, such as random,random; given {len(self.agents)}: {given}"
            )
        _bounded("games", self.games, 1, GREATEST_NUMBER_OF_GAMES)
        _bounded("seed", self.seed, 0, GREATEST_SEED)
        if self.games_per_shard == 0:
            compiled = all(map(is_compiled, self.agents))
            object.__setattr__(self, "games_per_shard", GAMES_PER_SHARD if compiled else GAMES_PER_SHARD_OF_SCRIPTS)
        _bounded("games_per_shard", self.games_per_shard, 1, GREATEST_NUMBER_OF_GAMES)
        if not isinstance(self.log, str) or self.log not in LOG_LEVELS:
            raise RunError(f"log {self.log!r} is none of {', '.join(LOG_LEVELS)}")

    def make_agents(self) -> tuple[Agent, Agent]:
        """Return the agents for both seats. Raises AgentError when one cannot be made or they need different rings."""
        first, second = (make_agent(spec, self.ruleset) for spec in self.agents)
        if first.ring and second.ring and first.ring != second.ring:
            raise RunError(f"agents {first.spec!r} and {second.spec!r} play records of different rings")
        return first, second

    def to_dict(self) -> dict[str, Any]:
        """Return the spec as plain values, the ruleset by its id, with the hashes and rings of the agents' scripts."""
        return {
            "agents": [
                {"spec": agent.spec, "sha256": agent.sha256, "ring": agent.ring and list(agent.ring)}
                for agent in self.make_agents()
            ],
            "games": self.games,
            "games_per_shard": self.games_per_shard,
            "log": self.log,
            "ruleset_id": self.ruleset.ruleset_id,
            "seed": self.seed,
        }

    @classmethod
    def of(cls, manifest: Manifest) -> RunSpec:
        """Return the spec of a run from its manifest. Raises RunError or RulesetError when it is damaged."""
        spec = manifest.spec
        first, second = (agent["spec"] for agent in spec["agents"])
        ruleset = Ruleset.from_dict(manifest.ruleset, source="manifest.json: ruleset")
        return cls(ruleset, (first, second), spec["seed"], spec["games"], spec["log"], spec["games_per_shard"])

    def manifest(self) -> Manifest:
        """Return the manifest of the run before anything is simulated."""
        versions = {"schema": SCHEMA_VERSION, "behaviour": BEHAVIOUR_VERSION}
        return Manifest(self.to_dict(), self.ruleset.to_dict(), versions, shards=())

    def metadata(self) -> dict[str, Any]:
        """Return what every shard file says of itself."""
        return {
            "schema_version": SCHEMA_VERSION,
            "behaviour_version": BEHAVIOUR_VERSION,
            "ruleset": self.ruleset.to_dict(),
        }

    @property
    def shards(self) -> range:
        """The numbers of the shards."""
        return range(-(-self.games // self.games_per_shard))

    def games_of(self, shard: int) -> range:
        """Return the games that a shard holds."""
        first = shard * self.games_per_shard
        return range(first, min(first + self.games_per_shard, self.games))


def _bounded(name: str, value: int, least: int, greatest: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= greatest:
        raise RunError(f"{name} must be a whole number from {least} to {greatest}, not {value!r}")
