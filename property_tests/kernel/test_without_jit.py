"""The kernel in plain Python, its JIT off: what is compiled means what is written."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import runpy, sys
import numpy as np
from patchstats.agents import AGENTS
from patchstats.conformance.perft import perft
from patchstats.kernel import layout, philox, words
from patchstats.kernel.engine import count_sequences
from patchstats.kernel.tables import arena_for
from patchstats.rules import Position, Ruleset
from patchstats.streams import Stream
from patchstats.testing import situation

assert not hasattr(words.nth_bit, "py_func"), "the JIT is on"
both, telling = map(runpy.run_path, sys.argv[1:])
AGENTS["telling"] = telling["ENTRY"]

original = Ruleset.load("original")
for seed, (ruleset, agents) in enumerate(
    [
        ("original", ("random", "random-patch")),
        ("revised", ("random-patch", "cheapest")),
        ("original", ("no-advance-unless-forced+most-income", "telling")),
    ]
):
    asked = (Ruleset.load(ruleset), agents, 2**64 - 1 - seed, 10**9 - 1, 1)
    pairing = {"games_per_ring": 1 + seed, "mirrored": seed == 1, "jitter": "cost+time+income" if seed else ""}
    assert both["kernel_rows"](*asked, **pairing) == both["reference_rows"](*asked, **pairing), asked

small = Ruleset.from_dict({
    **original.to_dict(), "quilt_size": 3, "bonus_square": 2, "finish": 9, "leather_marks": [1, 3], "start_patch": "a",
    "income_marks": [2, 9],
    "patches": {
        "a": {"rows": "1", "cost": 0, "time": 2, "income": 1},
        "b": {"rows": "11/10", "cost": 2, "time": 1, "income": 0},
    },
})
large = small.with_changes({"quilt_size": 11, "patches.b.rows": "11111/10000/10000/10000/10000"})
for ruleset in (small, large):
    start = Position.start(ruleset, ["a", "b"])
    assert count_sequences(start, 2) == perft(start, 2)
start = Position.start(small, ["a", "b"])
assert count_sequences(start, 3) == perft(start, 3)
bare = situation(small, ring=[])
assert count_sequences(bare, 3) == perft(bare, 3)

arena = arena_for(small)
for name in ((0, 0, 0), (2**64 - 1, 2, 10**12)):
    arena[layout.SEED], kind, arena[layout.INDEX] = name
    philox.open_stream(arena, layout.STREAMS, np.uint64(kind))
    stream = Stream(*name)
    for bound in (1, 2, 3, 2**63, 2**63 + 1, 2**63 + 1, 2**63 + 1, 2**64 - 1):
        assert philox.below(arena, layout.STREAMS, np.uint64(bound)) == stream.below(bound), (name, bound)
print("the same")
"""


def test_with_the_jit_off_games_counts_and_streams_are_those_of_the_reference_without_a_warning():
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, *map(Path(__file__).with_name, ("both.py", "telling.py"))],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout, ran.stderr, ran.returncode) == ("the same\n", "", 0)
