"""For your own tests: Hypothesis strategies that draw rulesets, whole games, positions and damaged texts, and positions
set up by hand.

Whoever changes the rules, or writes an agent or another engine, can ask whether a statement holds in every game:

    from hypothesis import given
    from patchstats.testing import games

    @given(games())
    def test_nobody_has_less_than_no_buttons(game):
        assert all(player.buttons >= 0 for position in game.positions for player in position.players)
"""

from patchstats.testing.damage import damaged_texts
from patchstats.testing.games import Game, play_game
from patchstats.testing.positions import positions
from patchstats.testing.situations import buy, situation
from patchstats.testing.strategies import games, rings, rulesets, shapes

__all__ = [
    "Game",
    "buy",
    "damaged_texts",
    "games",
    "play_game",
    "positions",
    "rings",
    "rulesets",
    "shapes",
    "situation",
]
