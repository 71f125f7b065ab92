"""A report as one HTML page: what was played, what came of it, and how far that can be relied on.

Whatever a user wrote, and whatever a file of a run says, is escaped by `pictures.text`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from patchstats.analysis.estimate import Estimate
from patchstats.analysis.figures.economy import plot_economy
from patchstats.analysis.figures.quilts import plot_quilt
from patchstats.analysis.figures.scores import plot_scores
from patchstats.analysis.figures.waiting import plot_waiting
from patchstats.analysis.first_player import FirstPlayer
from patchstats.analysis.report.frame import framed
from patchstats.analysis.report.numbers import Missing, Report, Shown, Spread
from patchstats.analysis.report.pictures import inline, small_patch, text
from patchstats.analysis.shares import Share
from patchstats.analysis.tension import CLOSE
from patchstats.notation import replay_record

if TYPE_CHECKING:
    import pandas as pd

#: How many keys of a ruleset that differ are listed.
_MOST_DIFFERENCES = 60

#: With fewer rings than these, intervals promise more than they hold: see `clusters.regress`.
_FEW_RINGS = 40

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


class Cell(NamedTuple):
    """A cell of a table: what it shows, as HTML, and the number it is sorted by, if any."""

    shown: str
    value: float | None = None


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
            "The patches": _patches(report),
            "The economy": _economy(report),
            bonus: _bonus_section(report),
            "Tension": _tension(report),
            "Games to look at": _games(report),
            "How far this can be relied on": _caveats(report),
        },
    )


def _bonus(report: Report) -> str:
    side = report.ruleset.bonus_square
    return f"{side}x{side} bonus"


def _lead(report: Report) -> str:
    first, length = report.first, report.spreads["plies"]
    said = [f"{report.games:,} games by the ruleset {text(report.ruleset.name)}"]
    if isinstance(first, FirstPlayer):
        said.append(f"seat 0, which begins, won {_share(first.share)} of them")
    won = report.bonus["won"]
    if isinstance(won, Share):
        said.append(f"the {_bonus(report)} was won in {_share(won)}")
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
    return _table("Differences from the ruleset original", heads, shown) + rest


def _first(report: Report) -> str:
    found = report.first
    if isinstance(found, Missing):
        return _missing(found)
    _, low, high = found.share
    verdict = (
        "more than half"
        if low > 0.5
        else "less than half"
        if high < 0.5
        else "whether that is more or less than half these games do not tell"
    )
    rows = [
        ["games won by seat 0", _share(found.share)],
        ["more than half, percentage points", _interval(found.advantage, 100)],
        ["margin of seat 0, points", _interval(found.margin)],
        ["equal scores, won by who finished first", _share(found.ties)],
    ]
    parts = [
        f"<p>Seat 0 takes the first turn. It won {found.share.share:.1%} of the games: {verdict}.</p>",
        _table("The advantage of beginning", ["quantity", "value"], [list(map(Cell, row)) for row in rows]),
        f"<p>{found.games:,} games{_of(report, 'games')} on {found.rings:,} rings; the unit is the ring, and "
        f"{found.design_effect:.2f} games tell as much as one on a ring of its own.</p>",
    ]
    if len(report.agents) > 1 and report.spec["pairing"] != "mirrored":
        parts.append(
            "<p>The agents differ and never swap seats, so that these numbers are also of who plays better: "
            "<code>--pairing mirrored</code> tells the two apart.</p>"
        )
    if report.first_agent is not None:
        told = report.first_agent
        won = (
            _missing(told) if isinstance(told, Missing) else f"<p>The first agent won {_share(told)} of all games.</p>"
        )
        parts.append(won)
    return "\n".join(parts)


def _scores(report: Report) -> str:
    figure = inline(plot_scores(report.scores), "scores", "how often each score was reached")
    heads = ["", "mean", "least", "a quarter up to", "half up to", "three quarters up to", "greatest"]
    rows = [
        [Cell(name), Cell(_mean(one)), *(Cell(f"{number:g}", number) for number in one[1:])]
        for name, one in report.spreads.items()
    ]
    of = "" if "seat 0" in report.scores else " The first agent is the one that sits at seat 0 in the first game."
    ends = [
        [Cell(_QUANTITIES[str(name)]), *(Cell(f"{number:.2f}") for number in row)]
        for name, row in zip(report.ends.index, report.ends.to_numpy(), strict=True)
    ]
    return "\n".join(
        [
            _figure(figure, f"Scores of {report.seen['games']:,} games{_of(report, 'games')}.{of}"),
            _table("How scores and length are spread", heads, rows),
            "<p>A ply is an action of one seat; laying a leather is one of its own.</p>",
            "<h3>What both have in the end, on average</h3>",
            _table("Means in the end", ["", *map(str, report.ends)], ends),
        ]
    )


def _patches(report: Report) -> str:
    parts = [
        "<ul><li><b>Bought</b>: the share of games in which anybody bought it; <b>space</b>: where the buyer's token "
        "stood on average.</li>"
        "<li><b>Buyer wins (confounded)</b>: how often who bought it won. This is no effect of the patch: who buys a "
        "patch chose it, could pay it and had room for it. q-value of one half.</li>"
        f"<li><b>First offer</b>: by how many percentage points seat 0 wins more often when the patch is among the "
        f"first {report.ruleset.offer_size} of the ring than when it is not. That is drawn by lot, so that it is an "
        "effect: of being the first who may buy it.</li>"
        "<li><b>Price residual</b>: what it costs more than its cells, income and time explain, by a regression over "
        "all patches of the list; no game is needed for it.</li>"
        "<li><b>Surplus</b>: by how many buttons it was worth more than the best other option, to the agent that was "
        "offered it and could pay it: below 0 it is seldom the best choice at its price.</li></ul>"
    ]
    parts += _reasons([report.holders, report.access, *report.surplus.values()])
    if not report.patches["residual"].notna().any():
        parts.append('<p class="missing">The prices are too few or too much alike for a price residual.</p>')
    columns = _columns(report)
    heads = [head for head, _ in columns]
    rows = [[cell(str(patch)) for _, cell in columns] for patch in report.patches.index]
    parts.append('<p class="screen">Click the head of a column to sort by it.</p>')
    parts.append(f'<div class="wide">{_table("The patches", heads, rows, sortable=True)}</div>')
    if "patches" in report.seen:
        parts.append(f"<p>Who bought what: from {report.seen['patches']:,} games{_of(report, 'patches')}.</p>")
    if "offers" in report.seen:
        parts.append(f"<p>Surplus: from {report.seen['offers']:,} games{_of(report, 'offers')}.</p>")
    return "\n".join(parts)


def _columns(report: Report) -> list[tuple[str, Any]]:
    """The heads of the table of patches, and for each what it shows of a patch."""
    numbers: Mapping[Any, Any] = report.patches.to_dict("index")
    ruleset = report.ruleset

    def number(name: str, form: str) -> Any:
        return lambda patch: _number(numbers[patch][name], form)

    columns: list[tuple[str, Any]] = [
        ("patch", lambda patch: Cell(text(patch), ruleset.number_of(patch))),
        ("shape", lambda patch: Cell(small_patch(ruleset, patch))),
        *((head, number(name, "g")) for head, name in (("cost", "cost"), ("time", "time"), ("income", "income"))),
        ("cells", number("size", "g")),
    ]
    if "bought" in report.patches:
        columns += [("bought", number("bought", ".1%")), ("space", number("space", ".1f"))]
    for head, found, factor, form in (
        ("buyer wins, % (confounded)", report.holders, 100, ".1f"),
        ("first offer, pp", report.access, 100, "+.1f"),
    ):
        columns += _estimates(head, found, factor, form)
    columns.append(("price residual, buttons", number("residual", "+.2f")))
    for agent, surplus in report.surplus.items():
        head = "surplus, buttons" if len(report.surplus) == 1 else f"surplus to {text(agent)}, buttons"
        columns += _estimates(head, surplus, 1, "+.2f")
    return columns


def _estimates(head: str, found: pd.DataFrame | Missing, factor: float, form: str) -> list[tuple[str, Any]]:
    """The columns of an estimate of each patch and of its q-value; none where there is no estimate of any."""
    if isinstance(found, Missing) or not found["estimate"].notna().any():
        return []

    rows: Mapping[Any, Any] = found.to_dict("index")

    def estimate(patch: str) -> Cell:
        row = rows.get(patch)
        if row is None or math.isnan(row["estimate"]):
            return Cell("")
        return Cell(_interval(Estimate(row["estimate"], row["low"], row["high"]), factor, form), row["estimate"])

    def q_value(patch: str) -> Cell:
        value = rows.get(patch, {}).get("q_value", math.nan)
        return Cell("&lt;0.001", value) if value < 0.001 else _number(value, ".3f")

    return [(head, estimate), (f"q of {head.partition(',')[0]}", q_value)]


def _economy(report: Report) -> str:
    found = report.economy
    if isinstance(found, Missing):
        return _missing(found)
    figure = inline(
        plot_economy(found, report.ruleset.income_marks), "economy", "buttons, income and empty cells along the track"
    )
    table = "turns" if "turns" in report.seen else "patches"
    parts = [
        _figure(
            figure,
            "What both seats have on average by the time that the token leaves each space: means over "
            f"{report.seen[table]:,} games{_of(report, table)}.",
        )
    ]
    if table == "patches":
        parts.append("<p>Leathers are not counted here: the table of patches does not have them.</p>")
        parts.append(_missing(Missing("buttons, for which the run has no table of turns", report.log_turns)))
    if "income" in report.jitter or "time" in report.jitter:
        parts.append("<p>Income and time are counted as the ruleset has them, before the changes by lot.</p>")
    return "\n".join(parts)


def _bonus_section(report: Report) -> str:
    won, winner, plies = report.bonus["won"], report.bonus["winner"], report.bonus_plies
    parts = []
    if isinstance(won, Share):
        parts.append(
            f"<p>Anybody won its {report.ruleset.bonus_points} points in {_share(won)} of the games"
            f"{_of(report, 'games')}.</p>"
        )
    if isinstance(winner, Share):
        parts.append(
            f"<p>Who won it won the game in {_share(winner)} of these. That is confounded: who fills a square early "
            "has bought well anyway.</p>"
        )
    if isinstance(plies, Spread):
        parts.append(
            f"<p>It was won at ply {plies.median:g} in the median, and in half of the cases between plies "
            f"{plies.quarter:g} and {plies.three_quarters:g}.</p>"
        )
    parts += _reasons([won, winner, plies, report.waiting])
    if not isinstance(report.waiting, Missing) and isinstance(plies, Spread):
        figure = inline(plot_waiting(report.waiting, _bonus(report)), "waiting", "when the bonus is won")
        said = f"{report.seen['turns']:,} games{_of(report, 'turns')}; the band is the 95 % interval at each space."
        parts.append(_figure(figure, said))
    return "\n".join(parts)


def _tension(report: Report) -> str:
    parts, rows = [], []
    for found in (report.tension, report.decided):
        if isinstance(found, Missing):
            continue
        for name, row in found.iterrows():
            factor, form, unit = (100, ".1f", " %") if name in _SHARES else (1, ".2f", "")
            interval = _interval(Estimate(row["estimate"], row["low"], row["high"]), factor, form)
            rows.append([Cell(_MEASURES[str(name)]), Cell(interval + unit), Cell(f"{row['n']:,.0f}")])
    if rows:
        parts.append(_table("Tension", ["a game", "mean", "games"], rows))
    if not isinstance(report.decided, Missing):
        parts.append(
            "<p>Who is how likely to win is told by a model of what both seats have, fitted to games on other rings "
            "than those that it judges.</p>"
        )
    return "\n".join([*parts, *_reasons([report.tension, report.decided])])


def _games(report: Report) -> str:
    if isinstance(report.shown, Missing):
        return _missing(report.shown)
    return "\n".join(_game(shown) for shown in report.shown)


def _game(shown: Shown) -> str:
    record = shown.record
    plies = replay_record(record)
    quilts = []
    for seat in (0, 1):
        result = plies[-1].after
        agent = "" if record.agents is None else f" (<code>{text(record.agents[seat])}</code>)"
        wins = ", wins" if result.winner == seat else ""
        said = (
            f"Seat {seat}{agent}: {result.score(seat)} points{wins}; {result.players[seat].buttons} buttons, "
            f"{result.empty_cells(seat)} empty cells"
        )
        name = f"game-{shown.game_index}-{seat}"
        picture = inline(plot_quilt(record.ruleset, plies, seat), name, f"quilt of seat {seat}, {result.score(seat)}")
        quilts.append(_figure(picture, said))
    return (
        f'<div class="game"><h3>Game {shown.game_index}: {text("; ".join(shown.why))}</h3>'
        f'<div class="quilts">{"".join(quilts)}</div><pre><code>{text(shown.command)}</code></pre></div>'
    )


def _caveats(report: Report) -> str:
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


def _of(report: Report, table: str) -> str:
    """Of how many games a sample is; nothing where it is all of them."""
    return f" (the first of {report.games:,})" if report.seen[table] < report.games else ""


def _reasons(found: Iterable[Any]) -> list[str]:
    """Why some of these are missing, each reason once."""
    return [_missing(one) for one in dict.fromkeys(one for one in found if isinstance(one, Missing))]


def _missing(missing: Missing) -> str:
    how = f"; this logs it: <code>{text(missing.command)}</code>" if missing.command else ""
    return f'<p class="missing">Not told here: {text(missing.why)}{how}.</p>'


def _figure(picture: str, caption: str) -> str:
    return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"


def _table(name: str, heads: Sequence[str], rows: Sequence[Sequence[Cell]], *, sortable: bool = False) -> str:
    """A table in a box of its own, which scrolls where it is too wide for the page; heads are HTML already."""
    sorts = [sortable and any(row[place].value is not None for row in rows) for place in range(len(heads))]
    head = "".join(
        f'<th scope="col"{" data-sorts" if can else ""}>{one}</th>' for one, can in zip(heads, sorts, strict=True)
    )
    body = "\n".join(f"<tr>{''.join(_cell(cell, place) for place, cell in enumerate(row))}</tr>" for row in rows)
    kind = ' class="sortable"' if sortable else ""
    return (
        f'<div class="box" tabindex="0" role="region" aria-label="{text(name)}"><table{kind}>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def _cell(cell: Cell, place: int) -> str:
    value = "" if cell.value is None else f' data-value="{cell.value:.9g}"'
    return f'<th scope="row"{value}>{cell.shown}</th>' if place == 0 else f"<td{value}>{cell.shown}</td>"


def _number(value: float, form: str) -> Cell:
    return Cell("") if math.isnan(value) else Cell(f"{value:{form}}", float(value))


def _share(share: Share) -> str:
    return str(share)


def _interval(estimate: Estimate, factor: float = 1, form: str = "+.2f") -> str:
    return f"{Estimate(*(factor * end for end in estimate)):{form}}"


def _mean(spread: Spread) -> str:
    return "no interval: " + text(spread.mean.why) if isinstance(spread.mean, Missing) else f"{spread.mean:.2f}"
