"""The reference engine: the rules of Patchwork, in the standard library alone, written to be read beside the rulebook.

Read it in this order: `ruleset.py` (what a game is played with), `position.py` (whose turn it is, what is on offer, who
wins), `legal.py` (what may be done), `play.py` (what happens then). Numbers such as 5.8 are clauses of the rulebook in
`data/rulebook/clauses.toml`.
"""

from patchstats.rules.actions import Action, Advance, Buy, PlaceLeather
from patchstats.rules.events import Event
from patchstats.rules.legal import LegalActions
from patchstats.rules.patch import Patch
from patchstats.rules.player import Player
from patchstats.rules.ply import Ply
from patchstats.rules.position import Outcome, Position
from patchstats.rules.ruleset import Ruleset

__all__ = [
    "Action",
    "Advance",
    "Buy",
    "Event",
    "LegalActions",
    "Outcome",
    "Patch",
    "PlaceLeather",
    "Player",
    "Ply",
    "Position",
    "Ruleset",
]
