"""How far a report can be relied on: what its numbers are of, and what they do not tell."""

from __future__ import annotations

from patchstats.analysis.report.numbers import Missing, Report
from patchstats.analysis.report.pictures import text

#: With fewer rings than these, intervals promise more than they hold: see `clusters.regress`.
_FEW_RINGS = 40


def caveats(report: Report) -> str:
    """The section about what to keep in mind."""
    said = [
        "Everything here is about these agents by these rules. A number that holds for one kind of player need not "
        "hold for another: compare runs of several agents before a rule is changed.",
        "Shares and means of who bought what, who won the bonus and who led are confounded: they are no effects. "
        "Effects are what was drawn by lot: the first offer, and who begins where the same agent plays both seats or "
        "the agents swap them. What a change of the rules does, <code>patchstats whatif</code> tells.",
        "Intervals are 95 % intervals with the ring as unit, each by itself: of twenty, one misses the truth on "
        "average. Of many patches at once, q-values are to be looked at: among all patches with a q-value of at most "
        "0.05, at most 5 % are false reports on average (Benjamini and Hochberg).",
        f"The run has {report.games:,} games. {_sampled(report)}",
    ]
    if isinstance(report.first, Missing) or report.first.rings < _FEW_RINGS:
        said.append(
            f"They were played on fewer than {_FEW_RINGS} rings: too few for intervals and tests to hold what they say."
        )
    if any(agent["ring"] for agent in report.spec["agents"]):
        said.append("A game record laid the ring, the same for all games: they tell nothing of other rings.")
    if report.jitter:
        said.append(
            f"Prices were changed by lot from game to game ({text(report.jitter)}); the table of patches has those "
            "before that."
        )
    said += [
        f"On an agent: {text(one)}" for one in dict.fromkeys(a.get("remark") for a in report.spec["agents"]) if one
    ]
    unlogged = {
        "patches": "who bought what, and the games themselves",
        "turns": "buttons and spaces turn by turn",
        "offers": "what was on offer, and what agents held it to be worth",
    }
    missing = [what for table, what in unlogged.items() if table not in report.seen]
    said.append(f"Not logged in this run: {'; '.join(missing)}." if missing else "Everything that can be is logged.")
    return f"<ul>{''.join(f'<li>{one}</li>' for one in said)}</ul>"


def _sampled(report: Report) -> str:
    parts = [f"{seen:,} for {table}" for table, seen in report.seen.items() if seen < report.games]
    if not parts:
        return "All were read."
    return f"Of larger tables the first games were read, which are as good a sample as any: {', '.join(parts)}."
