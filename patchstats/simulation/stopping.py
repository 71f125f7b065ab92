"""With which shard a run ends: the last one, or the first that makes an interval narrow enough."""

from __future__ import annotations

from patchstats.analysis.shares import share_by_ring
from patchstats.dataset.manifest import Shard
from patchstats.dataset.tally import Tally
from patchstats.simulation.spec import RunSpec

#: Where rings are played more than once, an interval is not believed before so many were: how much they differ is
#: uncertain till then.
LEAST_RINGS = 30


class Ending:
    """Takes the shards in whatever order they come, and judges them in the order of their numbers.

    So a run ends with the same shard however many play it.

    Attributes:
        shards: how many shards the run has, once that is known; else None.
    """

    def __init__(self, spec: RunSpec) -> None:
        self._spec = spec
        self._early: dict[int, Tally] = {}
        self._judged = 0
        self._tally = Tally()
        self.shards: int | None = None

    def note(self, shard: Shard) -> None:
        """Take a finished shard."""
        self._early[shard.shard] = shard.tally
        while self.shards is None and self._judged in self._early:
            self._tally += self._early.pop(self._judged)
            self._judged += 1
            if self._judged == len(self._spec.shards) or self._is_narrow():
                self.shards = self._judged

    def _is_narrow(self) -> bool:
        width, tally = self._spec.greatest_width, self._tally
        if width is None or tally.rings < min(tally.games, LEAST_RINGS):
            return False
        found = share_by_ring(tally.games, tally.wins, tally.rings, tally.squares)
        return found.high - found.low <= width
