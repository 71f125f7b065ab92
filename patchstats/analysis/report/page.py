"""A report as one HTML page: what was played, what came of it, and how far that can be relied on.

Whatever a user wrote, and whatever a file of a run says, is escaped by `pictures.text`.
"""

from __future__ import annotations

from patchstats.analysis.estimate import Estimate
from patchstats.analysis.figures.economy import plot_economy
from patchstats.analysis.figures.scores import plot_scores
from patchstats.analysis.figures.waiting import plot_waiting
from patchstats.analysis.first_player import FirstPlayer
from patchstats.analysis.report.caveats import caveats
from patchstats.analysis.report.elements import (
    Cell,
    captioned,
    interval_of,
    mean_of,
    not_told,
    part_of,
    reasons,
    tabled,
)
from patchstats.analysis.report.frame import framed
from patchstats.analysis.report.numbers import Missing, Report, Shown, Spread
from patchstats.analysis.report.patch_table import patches
from patchstats.analysis.report.pictures import inline, text, within_page
from patchstats.analysis.shares import Share
from patchstats.analysis.tension import CLOSE
from patchstats.dataset.manifest import RECORDED
from patchstats.notation import replay_record
from patchstats.render import Quilt, quilt_svg

#: How many keys of a ruleset that differ are listed.
_MOST_DIFFERENCES = 60

_QUANTITIES = {
    "score": "score",
    "buttons": "buttons",
    "empty": "empty cells",
    "income": "income, buttons a mark",
    "leathers": "leathers",
    "patches": "patches bought",
    "advances": "advances",
}
_MEASURES = {
    "lead_changes": "changes of the lead in points, a game",
    "close": f"games within {CLOSE} points",
    "tie": "equal scores",
    "favourite_changes": "changes of who is more likely to win, a game",
    "drama": "how bad the winner's worst times were, 0 to 1",
    "decided_ply": "ply from which on the winner was sure (90 %)",
    "decided_share": "the same as a share of the game",
}
_SHARES = {"close", "tie", "decided_share"}


def page(report: Report) -> str:
    """Return the page. The same report gives the same text.

    >>> import tempfile
    >>> from patchstats import simulate
    >>> from patchstats.analysis.report import collect
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     words = page(collect(simulate(games=4, seed=1, engine="reference", log="summary", out=folder)))
    >>> words.splitlines()[0], "<h1>Patchwork: random against random</h1>" in words
    ('<!DOCTYPE html>', True)
    """
    title = f"Patchwork: {text(' against '.join(agent['spec'] for agent in report.spec['agents']))}"
    bonus = f"The {_bonus(report)}"
    return framed(
        title,
        _lead(report),
        {
            "What was played": _played(report),
            "Who begins": _first(report),
            "Scores and length": _scores(report),
            "The patches": patches(report),
            "The economy": _economy(report),
            bonus: _bonus_section(report),
            "Tension": _tension(report),
            "Games to look at": _games(report),
            "How far this can be relied on": caveats(report),
        },
    )


def _bonus(report: Report) -> str:
    side = report.ruleset.bonus_square
    return f"{side}x{side} bonus"


def _lead(report: Report) -> str:
    first, length = report.first, report.spreads["plies"]
    said = [f"{report.games:,} games by the ruleset {text(report.ruleset.name)}"]
    if isinstance(first, FirstPlayer):
        said.append(f"seat 0, which begins, won {first.share} of them")
    won = report.bonus["won"]
    if isinstance(won, Share):
        said.append(f"the {_bonus(report)} was won in {won}")
    said.append(f"half of the games took {length.median:g} plies or fewer")
    return f"<p>{'; '.join(said)}. Brackets are 95 % intervals.</p>"


def _played(report: Report) -> str:
    ruleset, spec = report.ruleset, report.spec
    agents = [f"{seat}: <code>{text(agent['spec'])}</code>" for seat, agent in zip("01", spec["agents"], strict=True)]
    pairing = {"none": "a ring a game", "mirrored": "each ring twice, the agents swapping seats for the second game"}
    repeated = f"{spec['pairing'].partition(':')[2]} games a ring"
    facts = {
        "ruleset": f"{text(ruleset.name)}{f', {text(ruleset.title)}' if ruleset.title else ''}",
        "agents": f"seat {', seat '.join(agents)}",
        "games": f"{report.games:,}, {pairing.get(spec['pairing'], text(repeated))}",
        "seed": text(spec["seed"]),
        "log": text(spec["log"]),
        "run": f"<code>{text(report.run_id)}</code>",
    }
    if report.jitter:
        facts["jitter"] = f"{text(report.jitter)} of each patch changed by -1, 0 or 1, by lot, anew for each ring"
    rows = "".join(f"<dt>{name}</dt><dd>{words}</dd>" for name, words in facts.items())
    parts = [f"<dl>{rows}</dl>", _differences(report)]
    parts += ["<h3>The same again</h3>", f"<pre><code>{text(report.command)}</code></pre>"]
    if "--ruleset RULESET" in report.command:
        parts.append("<p>RULESET is the folder of the ruleset, which the manifest of the run holds in full.</p>")
    if all(agent["spec"] == RECORDED for agent in spec["agents"]):
        parts.append("<p>FILE is what the games were read from. They were recorded elsewhere, and not played here.</p>")
        return "\n".join(parts)
    if any(agent["sha256"] for agent in spec["agents"]):
        parts.append("<p>It needs the files of the scripts, networks or records that the agents are of.</p>")
    if any(agent.get("reproducible") is False for agent in spec["agents"]):
        parts.append("<p>An agent is limited by time, so that its games cannot be played again exactly.</p>")
    return "\n".join(parts)


def _differences(report: Report) -> str:
    found = report.differences
    if not found:
        return "<p>All rules and numbers are those of the ruleset <code>original</code>.</p>"
    shown = [
        [Cell(text(one.key)), *(Cell("none" if side is None else text(side)) for side in (one.there, one.here))]
        for one in found[:_MOST_DIFFERENCES]
    ]
    more = len(found) - len(shown)
    rest = f"<p>{more} more keys differ; the manifest of the run has them all.</p>" if more else ""
    heads = ["differs from <code>original</code>", "there", "here"]
    return tabled("Differences from the ruleset original", heads, shown) + rest


def _first(report: Report) -> str:
    found = report.first
    if isinstance(found, Missing):
        return not_told(found)
    _, low, high = found.share
    verdict = (
        "more than half"
        if low > 0.5
        else "less than half"
        if high < 0.5
        else "whether that is more or less than half these games do not tell"
    )
    rows = [
        ["games won by seat 0", str(found.share)],
        ["more than half, percentage points", interval_of(found.advantage, 100)],
        ["margin of seat 0, points", interval_of(found.margin)],
        ["equal scores, won by who finished first", str(found.ties)],
    ]
    parts = [
        f"<p>Seat 0 takes the first turn. It won {found.share.share:.1%} of the games: {verdict}.</p>",
        tabled("The advantage of beginning", ["quantity", "value"], [list(map(Cell, row)) for row in rows]),
        f"<p>{found.games:,} games{part_of(report, 'games')} on {found.rings:,} rings; the unit is the ring, and "
        f"{found.design_effect:.2f} games tell as much as one on a ring of its own.</p>",
    ]
    if len(report.agents) > 1 and report.spec["pairing"] != "mirrored":
        parts.append(
            "<p>The agents differ and never swap seats, so that these numbers are also of who plays better: "
            "<code>--pairing mirrored</code> tells the two apart.</p>"
        )
    if report.first_agent is not None:
        told = report.first_agent
        won = not_told(told) if isinstance(told, Missing) else f"<p>The first agent won {told} of all games.</p>"
        parts.append(won)
    return "\n".join(parts)


def _scores(report: Report) -> str:
    figure = inline(plot_scores(report.scores), "scores", "how often each score was reached")
    heads = ["", "mean", "least", "a quarter up to", "half up to", "three quarters up to", "greatest"]
    rows = [
        [Cell(name), Cell(mean_of(one)), *(Cell(f"{number:g}", number) for number in one[1:])]
        for name, one in report.spreads.items()
    ]
    of = "" if "seat 0" in report.scores else " The first agent is the one that sits at seat 0 in the first game."
    ends = [
        [Cell(_QUANTITIES[str(name)]), *(Cell(f"{number:.2f}") for number in row)]
        for name, row in zip(report.ends.index, report.ends.to_numpy(), strict=True)
    ]
    return "\n".join(
        [
            captioned(figure, f"Scores of {report.seen['games']:,} games{part_of(report, 'games')}.{of}"),
            tabled("How scores and length are spread", heads, rows),
            "<p>A ply is an action of one seat; laying a leather is one of its own.</p>",
            "<h3>What both have in the end, on average</h3>",
            tabled("Means in the end", ["", *map(str, report.ends)], ends),
        ]
    )


def _economy(report: Report) -> str:
    found = report.economy
    if isinstance(found, Missing):
        return not_told(found)
    figure = inline(
        plot_economy(found, report.ruleset.income_marks), "economy", "buttons, income and empty cells along the track"
    )
    table = "turns" if "turns" in report.seen else "patches"
    parts = [
        captioned(
            figure,
            "What both seats have on average by the time that the token leaves each space: means over "
            f"{report.seen[table]:,} games{part_of(report, table)}.",
        )
    ]
    if table == "patches":
        parts.append("<p>Leathers are not counted here: the table of patches does not have them.</p>")
        parts.append(not_told(Missing("buttons, for which the run has no table of turns", report.log_turns)))
    if "income" in report.jitter or "time" in report.jitter:
        parts.append("<p>Income and time are counted as the ruleset has them, before the changes by lot.</p>")
    return "\n".join(parts)


def _bonus_section(report: Report) -> str:
    won, winner, plies = report.bonus["won"], report.bonus["winner"], report.bonus_plies
    parts = []
    if isinstance(won, Share):
        parts.append(
            f"<p>Anybody won its {report.ruleset.bonus_points} points in {won} of the games"
            f"{part_of(report, 'games')}.</p>"
        )
    if isinstance(winner, Share):
        parts.append(
            f"<p>Who won it won the game in {winner} of these. That is confounded: who fills a square early "
            "has bought well anyway.</p>"
        )
    if isinstance(plies, Spread):
        parts.append(
            f"<p>It was won at ply {plies.median:g} in the median, and in half of the cases between plies "
            f"{plies.quarter:g} and {plies.three_quarters:g}.</p>"
        )
    parts += reasons([won, winner, plies, report.waiting])
    if not isinstance(report.waiting, Missing) and isinstance(plies, Spread):
        figure = inline(plot_waiting(report.waiting, _bonus(report)), "waiting", "when the bonus is won")
        said = f"{report.seen['turns']:,} games{part_of(report, 'turns')}; the band is the 95 % interval at each space."
        parts.append(captioned(figure, said))
    return "\n".join(parts)


def _tension(report: Report) -> str:
    parts, rows = [], []
    for found in (report.tension, report.decided):
        if isinstance(found, Missing):
            continue
        for name, row in found.iterrows():
            factor, form, unit = (100, ".1f", " %") if name in _SHARES else (1, ".2f", "")
            interval = interval_of(Estimate(row["estimate"], row["low"], row["high"]), factor, form)
            rows.append([Cell(_MEASURES[str(name)]), Cell(interval + unit), Cell(f"{row['n']:,.0f}")])
    if rows:
        parts.append(tabled("Tension", ["a game", "mean", "games"], rows))
    if not isinstance(report.decided, Missing):
        parts.append(
            "<p>Who is how likely to win is told by a model of what both seats have, fitted to games on other rings "
            "than those that it judges.</p>"
        )
    return "\n".join([*parts, *reasons([report.tension, report.decided])])


def _games(report: Report) -> str:
    if isinstance(report.shown, Missing):
        return not_told(report.shown)
    return "\n".join(_game(shown) for shown in report.shown)


def _game(shown: Shown) -> str:
    record = shown.record
    plies = replay_record(record)
    events = [event for ply in plies for event in ply.events]
    quilts = []
    for seat in (0, 1):
        result = plies[-1].after
        agent = "" if record.agents is None else f" (<code>{text(record.agents[seat])}</code>)"
        wins = ", wins" if result.winner == seat else ""
        said = (
            f"Seat {seat}{agent}: {result.score(seat)} points{wins}; {result.players[seat].buttons} buttons, "
            f"{result.empty_cells(seat)} empty cells"
        )
        quilt = Quilt.after(record.ruleset, events, seat)
        quilts.append(captioned(within_page(quilt_svg(quilt, f"Seat {seat}")), said))
    return (
        f'<div class="game"><h3>Game {shown.game_index}: {text("; ".join(shown.why))}</h3>'
        f'<div class="quilts">{"".join(quilts)}</div><pre><code>{text(shown.command)}</code></pre></div>'
    )
