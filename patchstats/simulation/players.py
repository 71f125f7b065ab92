"""What plays shards: chosen by the engine, and kept by each thread that plays more than one."""

from __future__ import annotations

import threading
from functools import partial

from patchstats.dataset.manifest import Shard
from patchstats.errors import RunError
from patchstats.simulation.shard import PlayShard, Work, play_shard


def player_for(work: Work, engine: str) -> PlayShard:
    """Return what plays shards of this run with the engine `kernel` or `reference`.

    Raises RunError where not the same would be played as the run was planned with: another version, another script.
    """
    here = work.spec.manifest()
    if here != work.planned:
        raise RunError(
            f"a worker would play something else: it has the versions {here.versions} and the agents "
            f"{here.spec['agents']}, and the run {work.planned.versions} and {work.planned.spec['agents']}"
        )
    if engine == "kernel":
        from patchstats.simulation.compiled import play_compiled, player_of

        return partial(play_compiled, work, player_of(work.spec))
    return partial(play_shard, work, work.spec.make_agents())


class _Kept(threading.local):
    run: tuple[Work, str] | None = None
    play: PlayShard


_kept = _Kept()


def play_here(work: Work, engine: str, shard: int) -> Shard:
    """Play a shard of a run in this thread; what plays it is kept for the next shard of the same run."""
    if _kept.run != (work, engine):
        _kept.play = player_for(work, engine)
        _kept.run = (work, engine)
    return _kept.play(shard)
