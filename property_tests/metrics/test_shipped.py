"""The shipped metrics, each computed in a second way, and on games that can be followed by hand."""

from itertools import groupby, pairwise

import pytest
from hypothesis import given

from patchstats.agents import make_agent
from patchstats.metrics import METRICS, make_metric
from patchstats.metrics.regions import regions, single_cells
from patchstats.rules import Advance, Buy, PlaceLeather, Ply, Position, Ruleset
from patchstats.rules.events import BonusWon, Income, LeatherPlaced, Moved, Placed
from patchstats.simulation.game import play_game
from patchstats.testing import games

ORIGINAL = Ruleset.load("original")
RING = tuple(patch.id for patch in ORIGINAL.patches)
LARGEST = {"int8": 2**7 - 1, "int16": 2**15 - 1, "int32": 2**31 - 1, "int64": 2**63 - 1}


def rows_of(name, plies):
    """The rows that a metric gives for the seventh game of a run."""
    rows = make_metric(name).rows(7, tuple(plies))
    assert all(row.pop("game_index") == 7 for row in rows)
    return rows


def row_of(name, plies):
    [row] = rows_of(name, plies)
    return row


def played(*actions, changes=None):
    """The plies of a beginning of a game, on the ring in the order of the table."""
    position = Position.start(ORIGINAL.with_changes(changes or {}), RING)
    plies = []
    for action in actions:
        plies.append(Ply.played(position, action))
        position = plies[-1].after
    return plies


def mover(ply):
    """Who acted, as the events tell."""
    return next(event.seat for event in ply.events if isinstance(event, Moved | LeatherPlaced))


def events(plies, kind):
    """Every event of a kind, with the number of its ply."""
    return [(number, event) for number, ply in enumerate(plies) for event in ply.events if isinstance(event, kind)]


def buttons_along(plies, seat):
    """The buttons of a seat after each ply, from the payments alone."""
    buttons = plies[0].before.ruleset.start_buttons
    for ply in plies:
        for event in ply.events:
            if hasattr(event, "transfer"):
                source, target, amount = event.transfer
                buttons += (target == seat) * amount - (source == seat) * amount
        yield buttons


def empty_along(plies, seat):
    """The empty (row, column) cells of a seat's quilt after each ply, from what was laid."""
    size = plies[0].before.ruleset.quilt_size
    empty = {(row, column) for row in range(size) for column in range(size)}
    for ply in plies:
        for event in ply.events:
            if isinstance(event, Placed) and event.seat == seat:
                empty -= {divmod(cell, size) for cell in range(size * size) if event.cells >> cell & 1}
            if isinstance(event, LeatherPlaced) and event.seat == seat:
                empty.remove(divmod(event.cell, size))
        yield frozenset(empty)


def holes_along(plies, seat):
    """How many empty cells have no empty neighbour after each ply."""
    for empty in empty_along(plies, seat):
        yield sum(
            empty.isdisjoint({(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)})
            for row, column in empty
        )


def leads_along(plies):
    """The lead of seat 0 after each turn, with the number of the turn's last ply."""
    ruleset = plies[0].before.ruleset
    buttons = [list(buttons_along(plies, seat)) for seat in (0, 1)]
    empty = [[len(cells) for cells in empty_along(plies, seat)] for seat in (0, 1)]
    bonus = 0
    for number, (ply, following) in enumerate(zip(plies, [*plies[1:], None], strict=True)):
        bonus += sum((-1) ** event.seat for event in ply.events if isinstance(event, BonusWon)) * ruleset.bonus_points
        if following is None or not isinstance(following.action, PlaceLeather):
            cells = empty[1][number] - empty[0][number]
            yield number, buttons[0][number] - buttons[1][number] + bonus + ruleset.empty_cell_penalty * cells


def expected_lead_changes(plies):
    leads = [(number, lead) for number, lead in leads_along(plies) if lead]
    taken = [now for before, now in pairwise([(-1, 0), *leads]) if before[1] * now[1] <= 0]
    return {
        "lead_changes": max(len(taken) - 1, 0),
        "lead_taken_ply": taken[-1][0] if taken else -1,
        "largest_lead_0": max([0, *(lead for _, lead in leads)]),
        "largest_lead_1": max([0, *(-lead for _, lead in leads)]),
    }


def expected_streaks(plies):
    turns = [(mover(ply), number) for number, ply in enumerate(plies) if not isinstance(ply.action, PlaceLeather)]
    streaks = [(seat, list(group)) for seat, group in groupby(turns, key=lambda turn: turn[0])]
    row = {}
    for seat in (0, 1):
        mine = [streak for mover, streak in streaks if mover == seat]
        longest = max(mine, key=len)
        row[f"streaks_{seat}"] = sum(len(streak) > 1 for streak in mine)
        row[f"longest_streak_{seat}"] = len(longest)
        row[f"longest_streak_ply_{seat}"] = longest[0][1]
    return row


def expected_holes(plies):
    row = {}
    for seat in (0, 1):
        holes = list(holes_along(plies, seat))
        row[f"holes_{seat}"] = holes[-1]
        row[f"most_holes_{seat}"] = max(holes)
        row[f"most_holes_ply_{seat}"] = holes.index(max(holes)) if max(holes) else -1
    return row


def expected_income_curve(plies):
    buttons = [list(buttons_along(plies, seat)) for seat in (0, 1)]
    rows = []
    for number, ply in enumerate(plies):
        for event in ply.events:
            if isinstance(event, Moved):
                rows += [
                    {
                        "seat": event.seat,
                        "mark": mark,
                        "ply": number,
                        "income": ply.after.players[event.seat].income,
                        "buttons": buttons[event.seat][number],
                    }
                    for mark in sorted(ply.before.ruleset.income_marks)
                    if event.start < mark <= event.end
                ]
    return rows


EXPECTED = {
    "lead-changes": lambda plies: [expected_lead_changes(plies)],
    "streaks": lambda plies: [expected_streaks(plies)],
    "holes": lambda plies: [expected_holes(plies)],
    "income-curve": expected_income_curve,
}


def test_every_shipped_metric_is_tested_here():
    assert set(EXPECTED) == set(METRICS)


@pytest.mark.parametrize("name", EXPECTED)
@given(game=games())
def test_a_metric_tells_of_any_game_what_the_events_tell(name, game):
    plies = list(game.plies)
    assert rows_of(name, plies) == EXPECTED[name](plies)


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("ruleset", ["original", "revised"])
def test_a_metric_tells_of_simulated_games_what_the_events_tell(name, ruleset):
    ruleset = Ruleset.load(ruleset)
    agent = make_agent("random-patch", ruleset)
    for index in range(4):
        plies = play_game(ruleset, (agent, agent), seed=8, game_index=index, ring_index=index).plies
        assert rows_of(name, plies) == EXPECTED[name](plies)


@given(game=games())
def test_every_value_keeps_its_type_and_the_bounds_that_its_column_states(game):
    plies = list(game.plies)
    for name in METRICS:
        columns = {column.name: column for column in make_metric(name).columns}
        for row in rows_of(name, plies):
            for column, value in row.items():
                low, _, high = columns[column].bounds.replace("plies - 1", str(len(plies) - 1)).partition(" to ")
                if high:
                    assert int(low) <= value <= int(high), column
                elif low.startswith("from "):
                    assert int(low.removeprefix("from ")) <= value <= LARGEST[columns[column].type], column
                else:
                    assert str(value) in low.split(", "), column


@pytest.mark.parametrize(
    ("name", "reached"),
    [
        pytest.param("lead-changes", lambda row: row["lead_changes"] >= 3, id="a lead that changes often"),
        pytest.param("streaks", lambda row: row["longest_streak_1"] >= 3, id="three turns in a row"),
        pytest.param("holes", lambda row: row["most_holes_0"] > row["holes_0"] > 0, id="a hole that was filled"),
    ],
)
def test_drawn_games_reach_the_rare_values(reach, name, reached):
    reach(games(), lambda game: reached(row_of(name, game.plies)))


def test_drawn_games_reach_a_game_without_a_row(reach):
    reach(games(), lambda game: not rows_of("income-curve", game.plies))


# By hand: p02, p03 and p04 are on offer at the start; p02 costs 1 and takes 3 spaces, p03 takes 2, p04 costs 3 and
# takes 1, p05 costs 2 and takes 2. Each seat begins with 5 buttons.


def test_two_seats_that_only_advance_take_the_lead_in_turns():
    # Spaces and buttons: seat 0 moves to 1 (6 to 5), seat 1 to 2 (6 to 7), seat 0 to 3 (8 to 7).
    plies = played(Advance(), Advance(), Advance())
    assert row_of("lead-changes", plies) == {
        "lead_changes": 2,
        "lead_taken_ply": 2,
        "largest_lead_0": 1,
        "largest_lead_1": 1,
    }


@pytest.mark.parametrize(
    ("last", "leads", "changes", "taken"),
    [(Buy("p04", 0, 4), [-1, 0, 3], 1, 2), (Advance(), [-1, 0, -2], 0, 0)],
)
def test_a_level_score_is_no_change_of_the_lead(last, leads, changes, taken):
    # Seat 0 pays 1 button, seat 1 pays as much, and goes on.
    cells_do_not_count = {"empty_cell_penalty": 0, "patches.p03.cost": 1}
    plies = played(Buy("p02", 0, 0), Buy("p03", 0, 0), last, changes=cells_do_not_count)
    assert [lead for _, lead in leads_along(plies)] == leads
    row = row_of("lead-changes", plies)
    assert (row["lead_changes"], row["lead_taken_ply"]) == (changes, taken)


def test_before_anybody_leads_nobody_has_taken_the_lead():
    plies = played(Buy("p02", 0, 0), changes={"empty_cell_penalty": 0, "patches.p02.cost": 0})
    assert set(row_of("lead-changes", plies).values()) == {0, -1}
    assert row_of("lead-changes", plies)["lead_taken_ply"] == -1


def test_a_patch_that_takes_little_time_leaves_its_buyer_on_turn():
    # Seat 0 advances to 1; seat 1 buys p04, which takes it to 1 and on top, so that it may buy p05, too.
    plies = played(Advance(), Buy("p04", 0, 0), Buy("p05", 0, 4))
    assert row_of("streaks", plies) == {
        "streaks_0": 0,
        "streaks_1": 1,
        "longest_streak_0": 1,
        "longest_streak_1": 2,
        "longest_streak_ply_0": 0,
        "longest_streak_ply_1": 1,
    }


def test_a_hole_is_an_empty_cell_that_nothing_but_a_leather_fills():
    quilt = ("..#..", ".#.#.", "..#..", "#....", ".#...")
    empty = sum(1 << 5 * row + column for row in range(5) for column in range(5) if quilt[row][column] == ".")
    assert single_cells(empty, quilt_size=5) == 1 << 5 * 1 + 2 | 1 << 5 * 4 + 0
    assert [part.bit_count() for part in regions(empty, quilt_size=5) if part.bit_count() == 1] == [1, 1]


@given(game=games())
def test_single_cells_are_the_regions_of_one_cell(game):
    size = game.ruleset.quilt_size
    for position in game.positions[::5]:
        for player in position.players:
            for cells in (player.covered, game.ruleset.quilt & ~player.covered):
                ones = [part for part in regions(cells, size) if part.bit_count() == 1]
                assert single_cells(cells, size) == sum(ones)


def test_every_income_mark_that_a_seat_crosses_is_a_row_even_without_income():
    # Seat 0 buys p02 and stands on 3, seat 1 moves to 4, seat 0 to 5, seat 1 to 6.
    marks = {"income_marks": [4, 5], "patches.p02.income": 2}
    plies = played(Buy("p02", 0, 0), Advance(), Advance(), Advance(), changes=marks)
    assert [(number, event.mark) for number, event in events(plies, Income)] == [(1, 4), (2, 4), (2, 5), (3, 5)]
    assert rows_of("income-curve", plies) == [
        {"seat": 1, "mark": 4, "ply": 1, "income": 0, "buttons": 9},
        {"seat": 0, "mark": 4, "ply": 2, "income": 2, "buttons": 10},
        {"seat": 0, "mark": 5, "ply": 2, "income": 2, "buttons": 10},
        {"seat": 1, "mark": 5, "ply": 3, "income": 0, "buttons": 11},
    ]
