"""Golden games: each replays to exactly its file, and shows the situations and clauses that it is there for.

A situation is told here from the positions before and after each ply and from what was done, not from the events that
the engine reports, so that a game cannot show something only because the engine says so.
"""

import itertools
import shlex
from functools import cache

import pytest
from click.testing import CliRunner

from patchstats.cli import patchstats
from patchstats.conformance.golden import COMMAND, first_difference, golden_games, make, situations, transcript
from patchstats.notation import format_position, format_record, parse_position, replay_record
from patchstats.rules import Advance, Buy, PlaceLeather, Ruleset
from patchstats.rules.cells import cells_in
from patchstats.rules.rulebook import clauses

GAMES = golden_games()
EACH_GAME = pytest.mark.parametrize(
    "golden",
    [pytest.param(golden, id=golden.name, marks=pytest.mark.clause(*sorted(golden.clauses))) for golden in GAMES],
)

#: Clauses that no legal game can show, and why. Of 6.7 and 8.1 games show all but one thing: that a waiting leather
#: keeps a game from ending with both tokens on the finish. The second to arrive finds none, the first took them all.
NOT_SEEN_IN_A_GAME = {
    "2.4": "one ring says nothing about how likely the others were",
    "2.7": "that nothing is hidden is said of the players, not of the play",
    "5.13": "an illegal action is refused, so that it stands in no game",
}


@cache
def plies_of(golden):
    return replay_record(golden.record())


# What a ply is about: everything here is worked out from positions and actions.


def turns(plies):
    return [ply for ply in plies if not isinstance(ply.action, PlaceLeather)]


def start(ply):
    return ply.before.players[ply.seat].space


def end(ply):
    return ply.after.players[ply.seat].space


def other(ply):
    return ply.before.players[1 - ply.seat].space


def finish(ply):
    return ply.before.ruleset.finish


def quilt(ply, moment="before"):
    return getattr(ply, moment).players[ply.seat].covered


def income(ply):
    return ply.after.players[ply.seat].income


def gained(ply):
    return ply.after.players[ply.seat].buttons - ply.before.players[ply.seat].buttons


def crossed(ply, marks):
    return [mark for mark in marks if start(ply) < mark <= end(ply)]


def incomes(ply):
    return crossed(ply, ply.before.ruleset.income_marks)


def leathers(ply):
    """The marks crossed on which a leather lay."""
    return [mark for mark in crossed(ply, ply.before.leather_marks) if mark not in ply.after.leather_marks]


def cost(ply):
    return ply.before.ruleset[ply.action.patch].cost


def time(ply):
    return ply.before.ruleset[ply.action.patch].time


def put_aside(ply):
    return ply.after.set_aside - ply.before.set_aside


def has_square(position, seat):
    """Whether a whole bonus square is covered, looked for cell by cell."""
    size, side = position.ruleset.quilt_size, position.ruleset.bonus_square
    covered = set(cells_in(position.players[seat].covered))
    return any(
        all((top + row) * size + left + column in covered for row in range(side) for column in range(side))
        for top in range(size - side + 1)
        for left in range(size - side + 1)
    )


def completes(ply):
    return has_square(ply.after, ply.seat) and not has_square(ply.before, ply.seat)


def placeable(ply, patch):
    """Whether the patch fits anywhere on the quilt, tried cell by cell."""
    size = ply.before.ruleset.quilt_size
    free = {divmod(cell, size) for cell in range(size * size)} - {divmod(cell, size) for cell in cells_in(quilt(ply))}
    faces = [set(ply.before.ruleset[patch].shape)]
    faces += [{(column, -row) for row, column in faces[0]}]
    faces += [{(-row, -column) for row, column in face} for face in faces]
    faces += [{(row, -column) for row, column in face} for face in faces]
    moves = list(itertools.product(range(-2 * size, 2 * size), repeat=2))
    return any(
        {(row + down, column + right) for row, column in face} <= free for face in faces for down, right in moves
    )


def offered(ply):
    return ply.before.ring[: ply.before.ruleset.offer_size]


def affordable(ply):
    buttons = ply.before.players[ply.seat].buttons
    return [patch for patch in offered(ply) if ply.before.ruleset[patch].cost <= buttons]


def is_hole(ply):
    """Whether the leather went into an empty cell without an empty neighbour."""
    size = ply.before.ruleset.quilt_size
    row, column = divmod(ply.action.cell, size)
    beside = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return all(quilt(ply) >> r * size + c & 1 for r, c in beside if r in range(size) and c in range(size))


def advances(plies):
    return [ply for ply in plies if isinstance(ply.action, Advance)]


def purchases(plies):
    return [ply for ply in plies if isinstance(ply.action, Buy)]


def placed(plies):
    return [ply for ply in plies if isinstance(ply.action, PlaceLeather)]


def points(position, seat):
    ruleset, player = position.ruleset, position.players[seat]
    empty = ruleset.quilt_size**2 - len(list(cells_in(player.covered)))
    bonus = ruleset.bonus_points if position.bonus_owner == seat else 0
    return player.buttons + bonus - ruleset.empty_cell_penalty * empty


def scores(plies):
    return [points(plies[-1].after, seat) for seat in (0, 1)]


def first_to_finish(plies):
    return next(ply.seat for ply in turns(plies) if end(ply) == finish(ply))


def is_set_up(position):
    ruleset = position.ruleset
    return (
        all(
            (player.space, player.buttons, player.covered) == (0, ruleset.start_buttons, 0)
            for player in position.players
        )
        and position.bank == ruleset.button_supply - 2 * ruleset.start_buttons
        and position.leather_marks == ruleset.leather_marks
        and position.bonus_owner is None
        and position.ring[-1] == ruleset.start_patch
        and (position.top, position.seat_on_turn) == (0, 0)
    )


def is_shipped(plies, name):
    return plies[0].before.ruleset.ruleset_id == Ruleset.load(name).ruleset_id


def last_turns(plies):
    return [[ply for ply in turns(plies) if ply.seat == seat][-1] for seat in (0, 1)]


def pairs(plies):
    return itertools.pairwise(turns(plies))


#: For each situation how it is recognised in the plies of a game.
SHOWN = {
    "the ruleset original": lambda plies: is_shipped(plies, "original"),
    "the ruleset revised": lambda plies: is_shipped(plies, "revised"),
    "the setup": lambda plies: is_set_up(plies[0].before),
    "only advances": lambda plies: all(not isinstance(ply.action, Buy) for ply in plies),
    "the seat behind takes several turns in a row": lambda plies: any(
        first.seat == second.seat and end(first) < other(first) for first, second in pairs(plies)
    ),
    "a purchase that lands level, and the same seat moves again": lambda plies: any(
        isinstance(first.action, Buy) and end(first) == other(first) < finish(first) and first.seat == second.seat
        for first, second in pairs(plies)
    ),
    "an advance from a shared space": lambda plies: any(
        start(ply) == other(ply) > 0 and gained(ply) == 1 for ply in advances(plies) if not incomes(ply)
    ),
    "an advance of several spaces": lambda plies: any(
        end(ply) == other(ply) + 1 and gained(ply) == end(ply) - start(ply) > 1
        for ply in advances(plies)
        if not incomes(ply)
    ),
    "an advance that the other token on the finish stops": lambda plies: any(
        other(ply) == finish(ply) == end(ply) and gained(ply) == end(ply) - start(ply) + len(incomes(ply)) * income(ply)
        for ply in advances(plies)
    ),
    "two incomes in one advance": lambda plies: any(
        len(incomes(ply)) == 2 and income(ply) and gained(ply) == end(ply) - start(ply) + 2 * income(ply)
        for ply in advances(plies)
    ),
    "two incomes in one purchase": lambda plies: any(
        len(incomes(ply)) == 2 and income(ply) and gained(ply) == 2 * income(ply) - cost(ply)
        for ply in purchases(plies)
    ),
    "an income of 0": lambda plies: any(incomes(ply) and not income(ply) for ply in turns(plies)),
    "an income on the finish": lambda plies: all(
        finish(ply) in incomes(ply) and income(ply) > 0 for ply in last_turns(plies)
    ),
    "an income that the patch just bought adds to": lambda plies: any(
        incomes(ply)
        and ply.before.ruleset[ply.action.patch].income > 0
        and gained(ply) == len(incomes(ply)) * income(ply) - cost(ply)
        for ply in purchases(plies)
    ),
    "an income by landing on the mark": lambda plies: any(
        end(ply) in incomes(ply) and income(ply) and end(ply) < finish(ply) for ply in turns(plies)
    ),
    "patches are bought from every place of the offer": lambda plies: (
        {ply.before.ring.index(ply.action.patch) for ply in purchases(plies)}
        == set(range(plies[0].before.ruleset.offer_size))
    ),
    "skipped patches go to the end of the ring": lambda plies: any(
        ply.before.ring[0] != ply.action.patch and ply.after.ring[-1] == ply.before.ring[slot - 1]
        for ply in purchases(plies)
        for slot in [ply.before.ring.index(ply.action.patch)]
    ),
    "a purchase with the last button": lambda plies: any(
        cost(ply) == ply.before.players[ply.seat].buttons > 0 for ply in purchases(plies)
    ),
    "a purchase for nothing": lambda plies: any(cost(ply) == 0 for ply in purchases(plies)),
    "a patch is too dear": lambda plies: any(set(offered(ply)) - set(affordable(ply)) for ply in turns(plies)),
    "a patch that could be paid fits nowhere": lambda plies: any(
        not placeable(ply, patch) and patch not in ply.before.legal_actions.purchases.patches
        for ply in turns(plies)
        if 2 * quilt(ply).bit_count() > ply.before.ruleset.quilt_size**2
        for patch in affordable(ply)
    ),
    "a flipped patch": lambda plies: any(ply.action.orientation >= 4 for ply in purchases(plies)),
    "a purchase past the finish": lambda plies: any(
        start(ply) + time(ply) > finish(ply) == end(ply) for ply in purchases(plies)
    ),
    "fewer patches than the offer": lambda plies: any(
        0 < len(ply.before.ring) < ply.before.ruleset.offer_size and ply.action.patch in ply.before.ring
        for ply in purchases(plies)
    ),
    "an empty ring": lambda plies: any(not ply.before.ring for ply in advances(plies)),
    "a leather by landing on it": lambda plies: any(end(ply) in leathers(ply) for ply in turns(plies)),
    "a leather by passing it": lambda plies: any(min(leathers(ply), default=99) < end(ply) for ply in turns(plies)),
    "the second token gets no leather": lambda plies: any(
        set(crossed(ply, ply.before.ruleset.leather_marks)) - set(ply.before.leather_marks)
        and not leathers(ply)
        and ply.after.waiting == 0
        for ply in turns(plies)
    ),
    "two leathers in one move": lambda plies: any(len(leathers(ply)) == 2 for ply in turns(plies)),
    "two leathers laid one after another": lambda plies: any(
        first.seat == second.seat and (first.before.waiting, second.before.waiting) == (2, 1)
        for first, second in itertools.pairwise(placed(plies))
    ),
    "income and leather on one space": lambda plies: any(
        income(ply) and set(incomes(ply)) & set(leathers(ply)) for ply in turns(plies)
    ),
    "a leather is laid before the other seat's turn": lambda plies: any(
        isinstance(second.action, PlaceLeather)
        and second.seat == first.seat
        and second.after.seat_on_turn != first.seat
        for first, second in itertools.pairwise(plies)
    ),
    "a leather is laid by a token on the finish": lambda plies: any(
        ply.before.players[ply.seat].space == finish(ply) for ply in placed(plies)
    ),
    "a leather in a hole of one cell": lambda plies: any(is_hole(ply) for ply in placed(plies)),
    "a leather is set aside, as the quilt is full": lambda plies: any(
        put_aside(ply) and quilt(ply, "after") == ply.before.ruleset.quilt for ply in turns(plies)
    ),
    "of two leathers one is laid and one set aside": lambda plies: any(
        ply.before.waiting == 2 and put_aside(ply) == 1 for ply in placed(plies)
    ),
    "a full quilt goes on by advances": lambda plies: any(
        quilt(ply) == ply.before.ruleset.quilt and affordable(ply) for ply in advances(plies)
    ),
    "the bonus by a patch": lambda plies: any(
        completes(ply) and (ply.before.bonus_owner, ply.after.bonus_owner) == (None, ply.seat)
        for ply in purchases(plies)
    ),
    "the bonus by a leather": lambda plies: any(
        completes(ply) and (ply.before.bonus_owner, ply.after.bonus_owner) == (None, ply.seat) for ply in placed(plies)
    ),
    "a second square wins nothing": lambda plies: any(
        completes(ply) and ply.before.bonus_owner == ply.after.bonus_owner == 1 - ply.seat for ply in plies
    ),
    "as many covered cells as the square has win nothing": lambda plies: any(
        len(list(cells_in(quilt(ply, "after")))) >= ply.before.ruleset.bonus_square**2
        and not has_square(ply.after, ply.seat)
        and ply.after.bonus_owner is None
        for ply in plies
    ),
    "the bonus decides": lambda plies: (
        plies[-1].after.bonus_owner == plies[-1].after.winner
        and abs(scores(plies)[0] - scores(plies)[1]) < plies[-1].after.ruleset.bonus_points
    ),
    "the seat behind takes all turns once the other has finished": lambda plies: any(
        first.seat == second.seat and other(first) == other(second) == finish(first) for first, second in pairs(plies)
    ),
    "the last moves of both seats cross marks": lambda plies: all(
        incomes(ply) and income(ply) for ply in last_turns(plies)
    ),
    "the last turn is a purchase": lambda plies: (
        isinstance(turns(plies)[-1].action, Buy) and turns(plies)[-1].after.finished
    ),
    "no action after the end": lambda plies: len(plies[-1].after.legal_actions) == 0,
    "the first to finish loses": lambda plies: plies[-1].after.winner == 1 - first_to_finish(plies),
    "a tie, won by the first to finish": lambda plies: (
        len(set(scores(plies))) == 1 and plies[-1].after.winner == first_to_finish(plies)
    ),
    "a score below zero wins": lambda plies: (
        max(scores(plies)) < 0 and scores(plies)[plies[-1].after.winner] == max(scores(plies)) > min(scores(plies))
    ),
    "incomes do not score": lambda plies: (
        all(player.income > 0 for player in plies[-1].after.players)
        and [plies[-1].after.score(seat) for seat in (0, 1)] == scores(plies)
    ),
    "the bank below zero": lambda plies: any(ply.after.bank < 0 for ply in plies),
}


@EACH_GAME
def test_each_golden_game_replays_event_by_event_to_its_file(golden):
    difference = first_difference(golden.written(), transcript(golden, golden.record()))
    if difference is not None:
        where = "before the first ply" if difference.ply is None else f"at ply {difference.ply}"
        pytest.fail(
            f"golden game {golden.name}: the replay parts from {golden.path.name} {where}\n{difference.lines}\n"
            f"if this is meant, make the files again with: {COMMAND}",
            pytrace=False,
        )


@EACH_GAME
def test_each_golden_game_is_made_again_as_its_entry_says(golden):
    made, written = make(golden), golden.record()
    parted = [ply for ply, (a, b) in enumerate(zip(made.actions, written.actions, strict=False)) if a != b]
    assert made == written, (
        f"golden game {golden.name} is made otherwise from ply {parted[:1]} on; if this is meant: {COMMAND}"
    )


@EACH_GAME
def test_each_golden_game_shows_the_situations_it_is_there_for(golden):
    assert [name for name in golden.shows if not SHOWN[name](plies_of(golden))] == []


@EACH_GAME
def test_the_changes_written_in_a_file_lead_to_the_position_after_each_ply(golden):
    comments = [line[1:].split() for line in golden.written().splitlines() if line.startswith("#")]
    told = {kind: [fields for first, *fields in comments if first == kind] for kind in ("start:", "now", "end:")}
    (fields,) = told["start:"]
    position = dict(field.split("=") for field in fields)
    for ply, changes in zip(plies_of(golden), told["now"], strict=True):
        position |= (field.split("=") for field in changes)
        assert " ".join(map("=".join, position.items())) == format_position(ply.after)
    (fields,) = told["end:"]
    ended = parse_position(" ".join(fields), golden.rules)
    assert ended == plies_of(golden)[-1].after
    assert ended.finished
    assert ended.status() == ()


@EACH_GAME
def test_the_command_at_the_top_of_a_file_replays_it(golden, monkeypatch):
    monkeypatch.chdir(golden.path.parent)
    command = golden.written().splitlines()[1].removeprefix("# patchstats ")
    told = CliRunner().invoke(patchstats, [*shlex.split(command), "--record"], catch_exceptions=False)
    assert told.output == format_record(golden.record())


def test_there_are_at_least_twenty_golden_games_a_file_each_by_both_rulesets_and_each_agent():
    assert len({golden.path for golden in GAMES}) == len(GAMES) >= 20
    assert {path.name for path in GAMES[0].path.parent.glob("*.txt")} == {golden.path.name for golden in GAMES}
    unchanged = {(golden.ruleset, golden.agents) for golden in GAMES if not golden.changes and golden.agents}
    assert {
        (ruleset, (agent, agent)) for ruleset in ("original", "revised") for agent in ("random", "random-patch")
    } <= unchanged


def test_every_situation_is_shown_by_a_golden_game():
    assert set(situations()) == set(SHOWN)
    assert set(situations()) == {name for golden in GAMES for name in golden.shows}


def test_every_clause_of_play_that_a_game_can_show_is_shown_by_a_golden_game():
    numbers = {clause.number for clause in clauses() if clause.number[0] in "23456789"}
    assert set(NOT_SEEN_IN_A_GAME) <= numbers
    shown = {clause for golden in GAMES for clause in golden.clauses}
    assert {number for number in shown if number[0] != "1"} == numbers - set(NOT_SEEN_IN_A_GAME)


def test_a_replay_that_parts_from_its_file_is_reported_with_the_ply_and_the_lines():
    golden = GAMES[0]
    written = golden.written()
    lines = written.splitlines(keepends=True)
    (place, *_) = [number for number, line in enumerate(lines) if line.startswith(("0 ", "1 "))][3:]
    lines[place + 1] = lines[place + 1].replace("=", "=9", 1)
    difference = first_difference("".join(lines), written)
    assert difference.ply == 3
    assert f"-{lines[place + 1]}" in difference.lines + "\n"
    assert first_difference(written, written) is None
