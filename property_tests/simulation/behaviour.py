"""The checked-in hashes of over a thousand games: if one changes, the same spec gives other games than before.

`python property_tests/simulation/behaviour.py` computes it anew and writes it to the file beside this module.
"""

import hashlib
import json
from pathlib import Path

from patchstats.agents import make_agent
from patchstats.dataset.rows import games_row
from patchstats.rules import Ruleset
from patchstats.simulation.game import play_game
from patchstats.simulation.spec import BEHAVIOUR_VERSION

FILE = Path(__file__).with_suffix(".json")
COMMAND = "python property_tests/simulation/behaviour.py"

SEED = 1
#: How many games by each agent count, on each shipped ruleset.
GAMES = {
    "random": 250,
    "random-patch": 250,
    "advance-only": 1,
    "first-legal": 10,
    "cheapest": 10,
    "biggest": 10,
    "most-income": 10,
    "greedy": 10,
    "greedy:denial=0.3,temperature=2": 10,
    "no-advance-unless-forced+no-income-3+random": 10,
    "seven-by-seven+leather-racer+greedy": 10,
    "rollout:k=2": 4,
    "mcts:iterations=20": 4,
    "alphabeta:depth=2": 4,
    "alphabeta:depth=2,evaluation=hand": 4,
    "puct:iterations=20": 4,
    "puct:iterations=20,objective=own,evaluation=hand": 4,
}
PARTS = [f"{spec} on {ruleset}" for spec in GAMES for ruleset in ("original", "revised")]


def sha256_of(part):
    """The hash over ring, actions and scores of the games of a part, one after another."""
    spec, _, name = part.partition(" on ")
    ruleset = Ruleset.load(name)
    agent = make_agent(spec, ruleset)
    sha256 = hashlib.sha256()
    for game_index in range(GAMES[spec]):
        row = games_row(play_game(ruleset, (agent, agent), SEED, game_index, ring_index=game_index))
        sha256.update(row["ring"] + row["actions"] + f"{row['score_0']} {row['score_1']}\n".encode())
    return sha256.hexdigest()


def written():
    """What was checked in."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def write():
    """Compute the hashes and write them."""
    values = {"behaviour_version": BEHAVIOUR_VERSION, "sha256": {part: sha256_of(part) for part in PARTS}}
    FILE.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
