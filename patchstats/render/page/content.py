"""What the page of a game says and shows, as HTML: drawn once, as the game ends, with marks for the script that steps
through it. What a user wrote is escaped here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from patchstats.notation.record import GameRecord
from patchstats.notation.replay import replay_record, start_of
from patchstats.render.explained import Step, clauses_of, explained, place_of, setup
from patchstats.render.page.chart import chart
from patchstats.render.page.frame import framed
from patchstats.render.page.states import leathers_until, patches_until, places_of, states_of, tiles_since
from patchstats.render.story import ply_text
from patchstats.render.svg import quilt, ring, track
from patchstats.render.svg.quilt import Quilt
from patchstats.render.svg.ring import Ring
from patchstats.render.svg.writer import group, picture, words
from patchstats.render.text import ring_text, track_text, turn_text
from patchstats.rules.events import BonusWon
from patchstats.rules.ply import Ply
from patchstats.rules.position import Position
from patchstats.rules.rulebook import clauses


def game_page(record: GameRecord) -> str:
    """Return a game as one HTML page that steps through it and needs nothing else: no network, and no other file.

    Without JavaScript it shows how the game ends, and the list of its plies. Raises RecordError for a game that cannot
    be played.

    >>> from patchstats.notation import record_of
    >>> from patchstats.rules import Advance, Ruleset
    >>> ring = [f"p{number:02}" for number in range(1, 34)]
    >>> page = game_page(record_of(Ruleset.load("original"), ring, [Advance()]))
    >>> page.count('<li id="ply-'), page.count("<svg "), "<link" in page
    (1, 5, False)
    """
    plies = replay_record(record)
    start = start_of(record)
    final = plies[-1].after if plies else start
    scores = [(position.score(0), position.score(1)) for position in (start, *(ply.after for ply in plies))]
    data = {"states": states_of(start, plies), **places_of(start)}
    return framed(
        title=f"A game of Patchwork by the ruleset {words(record.ruleset.name)}",
        lead=_lead(record, final),
        now=_now(plies, final),
        acted=f' data-seat="{plies[-1].seat}"' if plies else "",
        last=len(plies),
        chart=chart(scores),
        quilts="".join(_quilt(record, plies, final, seat) for seat in (0, 1)),
        boards=_boards(start, plies, final),
        steps=_steps(explained(plies[-1]) if plies else setup(start)),
        plies="\n".join(_ply(number, ply) for number, ply in enumerate(plies)),
        rulebook=_rulebook(start, plies),
        # No word of a user is in the data; if one ever is, it cannot end the element that holds them.
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    )


def _lead(record: GameRecord, final: Position) -> str:
    rules = f"Ruleset <strong>{words(record.ruleset.name)}</strong> (<code>{record.ruleset.ruleset_id}</code>)"
    agents = (
        ""
        if record.agents is None
        else "".join(
            f'; <span class="seat-{seat}">seat {seat}</span>: <strong>{words(agent)}</strong>'
            for seat, agent in enumerate(record.agents)
        )
    )
    unfinished = "" if final.finished else "The game is not over. "
    return f"<p>{rules}{agents}.</p>\n<p>{unfinished}{words(turn_text(final))}</p>"


def _now(plies: Sequence[Ply], final: Position) -> str:
    """What the live region says, in words that the script puts together in the same way."""
    if not plies:
        return f"Before the first ply. {words(turn_text(final))}"
    last = plies[-1]
    return f"Ply {len(plies) - 1}: seat {last.seat} {words(ply_text(last))}. {words(turn_text(final))}"


def _quilt(record: GameRecord, plies: Sequence[Ply], final: Position, seat: int) -> str:
    events = [event for ply in plies for event in ply.events]
    shown = Quilt.after(record.ruleset, events, seat)
    won = next((number for number, ply in enumerate(plies, start=1) if BonusWon(seat) in ply.events), None)
    drawn = quilt.drawn(shown, since=tiles_since(plies, seat), bonus_since=won)
    side = quilt.SIDE + quilt.MARGIN + 4
    title = f"Quilt of seat {seat}: {shown.summary}"
    svg = picture((side, side), title, quilt.text_of(shown), group(drawn, at=(quilt.MARGIN, quilt.MARGIN)))
    player = final.players[seat]
    bonus = "yes" if final.bonus_owner == seat else "no"
    values = {
        "score": final.score(seat),
        "buttons": player.buttons,
        "income": player.income,
        "empty": final.empty_cells(seat),
        "bonus": bonus,
    }
    numbers = "".join(f'<span>{name} <b data-is="{name}">{value}</b></span> ' for name, value in values.items())
    agent = "" if record.agents is None else f'<span class="agent">{words(record.agents[seat])}</span>'
    turn = " on-turn" if final.seat_on_turn == seat else ""
    name = f'<strong><span class="disc seat-{seat}">{seat}</span> seat {seat}</strong>'
    return (
        f'<figure class="quilt{turn}" data-seat="{seat}"><figcaption>{name}{agent}</figcaption>{svg}'
        f'<p class="numbers">{numbers}</p></figure>\n'
    )


def _boards(start: Position, plies: Sequence[Ply], final: Position) -> str:
    patches = patches_until(plies)
    places = Ring.of(final, start.ring, list(patches)[-1] if patches else None)
    spaces = ", ".join(f"seat {seat} on space {player.space}" for seat, player in enumerate(final.players))
    ever = dict.fromkeys(patch for position in (start, *(ply.after for ply in plies)) for patch in position.offer)
    boards = {
        "track": picture(
            (track.WIDTH, track.height(start.ruleset)),
            f"Time board: {spaces}",
            track_text(final),
            track.drawn(final, until=leathers_until(plies)),
        ),
        "ring": picture(
            (ring.WIDTH, ring.WIDTH),
            ring.title_of(final),
            ring_text(final),
            ring.drawn(places, until=patches, ever=ever),
        ),
    }
    captions = {
        "track": "Time board: buttons are income marks, brown squares leathers.",
        "ring": f'On offer: <span id="offer">{words(", ".join(final.offer) or "nothing")}</span>.',
    }
    return "".join(
        f'<figure class="{name}">{svg}<figcaption>{captions[name]}</figcaption></figure>\n'
        for name, svg in boards.items()
    )


def _steps(steps: Sequence[Step]) -> str:
    return "".join(
        f"<li>{words(step.words)} {' '.join(_chip(clause) for clause in step.clauses)}</li>" for step in steps
    )


def _chip(clause: str) -> str:
    return f'<a class="clause" href="#clause-{clause}">{clause}</a>'


def _ply(number: int, ply: Ply) -> str:
    touched = " ".join(clauses_of(ply))
    return (
        f'<li id="ply-{number}"><a href="#ply-{number}"><span class="number">{number}</span> '
        f'<span class="disc seat-{ply.seat}">{ply.seat}</span> <span class="told">{words(ply_text(ply))}</span></a> '
        f'<span class="touched">{touched}</span></li>'
    )


def _rulebook(start: Position, plies: Sequence[Ply]) -> str:
    """The clauses that the game touches, each once."""
    at_first = {clause for step in setup(start) for clause in step.clauses}
    touched = sorted(at_first.union(*map(clauses_of, plies)), key=place_of)
    book = {clause.number: clause for clause in clauses()}
    return "\n".join(
        f'<div id="clause-{number}"><dt>{number} {words(book[number].title)}</dt>'
        f"<dd>{words(' '.join(book[number].text.split()))}</dd></div>"
        for number in touched
    )
