"""Experiments: questions that take several runs, which are simulated as far as they are needed and then analysed."""

from patchstats.analysis.sprt import Sprt
from patchstats.experiments.mirror import MirrorResult, mirror
from patchstats.experiments.pairs import AgentScores, PairResult
from patchstats.experiments.round_robin import Ladder, ladder
from patchstats.experiments.screen import Screening, screen
from patchstats.experiments.whatif import WhatIf, whatif

__all__ = [
    "AgentScores",
    "Ladder",
    "MirrorResult",
    "PairResult",
    "Screening",
    "Sprt",
    "WhatIf",
    "ladder",
    "mirror",
    "screen",
    "whatif",
]
