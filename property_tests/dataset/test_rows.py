"""The columns of the tables, each computed in a second way: from the events and from drawings of the quilts."""

from functools import cache
from itertools import groupby, pairwise

import pytest
from hypothesis import given, settings

from patchstats.agents import make_agent
from patchstats.dataset.played import PlayedGame
from patchstats.dataset.rows import games_row, offers_rows, turns_rows
from patchstats.dataset.schema import GAMES, OFFERS, TURNS
from patchstats.rules import Advance, Buy, PlaceLeather, Ruleset
from patchstats.rules.events import BonusWon, Finished, Income, LeatherPlaced, Moved, Placed
from patchstats.rules.shapes import orientations
from patchstats.simulation.game import play_game
from patchstats.testing import games

LARGEST = {"int8": 2**7 - 1, "int16": 2**15 - 1, "int32": 2**31 - 1, "int64": 2**63 - 1}


def played(game):
    """A drawn game as the tables are computed from it: the fifth of a run, on the third ring."""
    plies = tuple(game.plies)
    return PlayedGame(5, 3, game.ring, ("first agent", "second agent"), plies)


def simulated(ruleset, spec):
    agent = make_agent(spec, ruleset)
    return [play_game(ruleset, (agent, agent), seed=8, game_index=index, ring_index=index) for index in range(3)]


SIMULATED = [
    pytest.param(ruleset, spec, id=f"{spec} on {ruleset}")
    for ruleset in ("original", "revised")
    for spec in ("random", "random-patch")
]


def mover(ply):
    """Who acted, as the events tell."""
    return next(event.seat for event in ply.events if isinstance(event, Moved | LeatherPlaced))


def buttons_along(game, seat):
    """The buttons of a seat after each ply, from the payments alone."""
    buttons = game.end.ruleset.start_buttons
    for ply in game.plies:
        for event in ply.events:
            if hasattr(event, "transfer"):
                source, target, amount = event.transfer
                buttons += (target == seat) * amount - (source == seat) * amount
        yield buttons


def quilts_along(game, seat):
    """The covered (row, column) cells of a seat's quilt after each ply, from what was laid."""
    ruleset = game.end.ruleset
    covered = set()
    for ply in game.plies:
        if mover(ply) == seat:
            match ply.action:
                case Buy(patch, orientation, cell):
                    top, left = divmod(cell, ruleset.quilt_size)
                    shape = orientations(ruleset[patch].shape)[orientation]
                    covered |= {(top + row, left + column) for row, column in shape}
                case PlaceLeather(cell):
                    covered.add(divmod(cell, ruleset.quilt_size))
        yield frozenset(covered)


def all_cells(size):
    return {(row, column) for row in range(size) for column in range(size)}


def flooded(cells):
    """The regions of a set of (row, column) cells, found by a flood from any cell that is still dry."""
    dry, found = set(cells), []
    while dry:
        region, wave = set(), [dry.pop()]
        while wave:
            row, column = wave.pop()
            region.add((row, column))
            for neighbour in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
                if neighbour in dry:
                    dry.remove(neighbour)
                    wave.append(neighbour)
        found.append(region)
    return found


def fits_somewhere(shape, empty, size):
    return any(
        all((top + row, left + column) in empty for row, column in way)
        for way in set(orientations(shape))
        for top in range(size)
        for left in range(size)
    )


@cache
def places_on_an_empty_quilt(shape, size):
    """Every set of (row, column) cells that a shape can cover on a quilt, each once."""
    cells = all_cells(size)
    laid = {
        frozenset((top + row, left + column) for row, column in way)
        for way in orientations(shape)
        for top, left in cells
    }
    return {covered for covered in laid if covered <= cells}


def scores_along(game):
    """The scores of both seats after each ply, from payments, bonus events and what was laid."""
    ruleset = game.end.ruleset
    buttons = [list(buttons_along(game, seat)) for seat in (0, 1)]
    quilts = [list(quilts_along(game, seat)) for seat in (0, 1)]
    bonus = [0, 0]
    for number, ply in enumerate(game.plies):
        for event in ply.events:
            if isinstance(event, BonusWon):
                bonus[event.seat] = ruleset.bonus_points
        yield tuple(
            buttons[seat][number]
            + bonus[seat]
            - ruleset.empty_cell_penalty * (ruleset.quilt_size**2 - len(quilts[seat][number]))
            for seat in (0, 1)
        )


def turn_ends(game):
    """The numbers of the plies behind which no leather is placed: the last ones of each turn."""
    kinds = [type(ply.action) for ply in game.plies]
    return [number for number, following in enumerate([*kinds[1:], None]) if following is not PlaceLeather]


def expected_lead_changes(game):
    scores = list(scores_along(game))
    leads = [scores[number][0] - scores[number][1] for number in turn_ends(game)]
    leaders = [lead > 0 for lead in leads if lead]
    return sum(one != other for one, other in pairwise(leaders))


def expected_longest_streak(game, seat):
    movers = "".join(str(mover(ply)) for ply in game.plies if not isinstance(ply.action, PlaceLeather))
    return max(map(len, movers.split(str(1 - seat))))


def expected_actions(game):
    log = bytearray()
    for ply in game.plies:
        match ply.action:
            case Advance():
                code = 0
            case Buy(patch, orientation, cell):
                code = 1 + 4 * ply.before.ring.index(patch) + 32 * lowest(ply, patch, orientation) + 256 * cell
            case PlaceLeather(cell):
                code = 2 + 256 * cell
        log += code.to_bytes(2, "little")
    return bytes(log)


def lowest(ply, patch, orientation):
    """The lowest number of an orientation with the same cells."""
    ways = orientations(ply.before.ruleset[patch].shape)
    return ways.index(ways[orientation])


def happened(game, kind, seat):
    return [event for ply in game.plies for event in ply.events if isinstance(event, kind) and event.seat == seat]


def expected_games_row(game):
    ruleset = game.end.ruleset
    ids = [patch.id for patch in ruleset.patches]
    bonus = [(number, mover(ply)) for number, ply in enumerate(game.plies) if BonusWon in map(type, ply.events)]
    finished = [event.seat for ply in game.plies for event in ply.events if isinstance(event, Finished)]
    scores = list(scores_along(game))[-1]
    row = {
        "game_index": game.game_index,
        "ring_index": game.ring_index,
        "ring": bytes(ids.index(patch) + 1 for patch in game.ring),
        "winner": finished[0] if scores[0] == scores[1] else scores.index(max(scores)),
        "tie_broken": len(set(scores)) == 1,
        "first_finisher": finished[0],
        "bonus_seat": bonus[0][1] if bonus else -1,
        "bonus_ply": bonus[0][0] if bonus else -1,
        "plies": sum(1 for _ in game.plies),
        "lead_changes": expected_lead_changes(game),
        "actions": expected_actions(game),
    }
    for seat in (0, 1):
        bought = [ruleset[event.patch] for event in happened(game, Placed, seat)]
        leathers = len(happened(game, LeatherPlaced, seat))
        row |= {
            f"agent_{seat}": ("first agent", "second agent")[seat],
            f"score_{seat}": scores[seat],
            f"buttons_{seat}": list(buttons_along(game, seat))[-1],
            f"empty_{seat}": ruleset.quilt_size**2 - sum(patch.rows.count("1") for patch in bought) - leathers,
            f"income_{seat}": sum(patch.income for patch in bought),
            f"leathers_{seat}": leathers,
            f"patches_{seat}": len(bought),
            f"advances_{seat}": sum(ply.action == Advance() and mover(ply) == seat for ply in game.plies),
            f"longest_streak_{seat}": expected_longest_streak(game, seat),
        }
    return row


def expected_turns_rows(game):
    ruleset = game.end.ruleset
    size = ruleset.quilt_size
    ids = [patch.id for patch in ruleset.patches]
    spaces = [0, 0]
    buttons = [ruleset.start_buttons] * 2
    quilts = [frozenset(), frozenset()]
    ledgers = [buttons_along(game, seat) for seat in (0, 1)]
    drawings = [quilts_along(game, seat) for seat in (0, 1)]
    rows = []
    for number, ply in enumerate(game.plies):
        seat = mover(ply)
        offer = [ruleset[patch] for patch in ply.before.ring[: ruleset.offer_size]]
        row = {
            "game_index": game.game_index,
            "ply": number,
            "seat": seat,
            "time_before": spaces[seat],
            "buttons_before": buttons[seat],
            "legal_actions": len(list(ply.before.legal_actions)),
            "affordable": sum(patch.cost <= buttons[seat] for patch in offer),
            "placeable": sum(fits_somewhere(patch.shape, all_cells(size) - quilts[seat], size) for patch in offer),
        }
        match ply.action:
            case Advance():
                action = (0, -1, -1, -1, -1)
            case Buy(patch, orientation, cell):
                slot = [one.id for one in offer].index(patch)
                action = (1, ids.index(patch) + 1, slot, lowest(ply, patch, orientation), cell)
            case PlaceLeather(cell):
                action = (2, -1, -1, -1, cell)
        row |= dict(zip(("kind", "patch", "slot", "orientation", "cell"), action, strict=True))
        spaces[seat] = max([spaces[seat], *(event.end for event in ply.events if isinstance(event, Moved))])
        buttons = [next(ledger) for ledger in ledgers]
        quilts = [next(drawing) for drawing in drawings]
        regions = flooded(all_cells(size) - quilts[seat])
        incomes = [event.buttons for event in ply.events if isinstance(event, Income)]
        row |= {
            "time_after": spaces[seat],
            "buttons_after": buttons[seat],
            "cost": ruleset[ply.action.patch].cost if isinstance(ply.action, Buy) else 0,
            "income_gained": sum(incomes),
            "marks_crossed": sum(row["time_before"] < mark <= spaces[seat] for mark in ruleset.income_marks),
            "leather_gained": len(ply.before.leather_marks) - len(ply.after.leather_marks),
            "holes": sum(len(region) == 1 for region in regions),
            "regions": len(regions),
        }
        rows.append(row)
    return rows


def expected_offers_rows(game):
    ruleset = game.end.ruleset
    ids = [patch.id for patch in ruleset.patches]
    start = game.ring.index(ruleset.start_patch) + 1
    ring = [*game.ring[start:], *game.ring[:start]]
    buttons = [ruleset.start_buttons] * 2
    quilts = [frozenset(), frozenset()]
    ledgers = [buttons_along(game, seat) for seat in (0, 1)]
    drawings = [quilts_along(game, seat) for seat in (0, 1)]
    rows = []
    for number, ply in enumerate(game.plies):
        seat = mover(ply)
        bought = ply.action.patch if isinstance(ply.action, Buy) else None
        if not isinstance(ply.action, PlaceLeather):
            rows += [
                {
                    "game_index": game.game_index,
                    "ply": number,
                    "slot": slot,
                    "patch": ids.index(patch) + 1,
                    "affordable": buttons[seat] >= ruleset[patch].cost,
                    "placements": sum(
                        covered.isdisjoint(quilts[seat])
                        for covered in places_on_an_empty_quilt(ruleset[patch].shape, ruleset.quilt_size)
                    ),
                    "value": None,
                    "probability": None,
                    "chosen": patch == bought,
                }
                for slot, patch in enumerate(ring[: ruleset.offer_size])
            ]
        if bought:
            place = ring.index(bought)
            ring = ring[place + 1 :] + ring[:place]
        buttons = [next(ledger) for ledger in ledgers]
        quilts = [next(drawing) for drawing in drawings]
    return rows


def allowed(bounds, plies):
    """The values that the bounds of a column of integers name, as ranges."""
    for part in bounds.replace("games - 1", "5").replace("plies - 1", str(plies - 1)).split(", "):
        if part.startswith("from "):
            yield range(int(part.removeprefix("from ")), 2**63)
        else:
            low, _, high = part.replace("10**9", str(10**9)).partition(" to ")
            yield range(int(low), int(high or low) + 1)


def assert_within_schema(columns, row, plies):
    """The value of each column fits its type and keeps the bounds that the schema states."""
    for column in columns:
        value = row[column.name]
        if value is None:
            assert column.nullable, column.name
        elif column.type == "bool":
            assert type(value) is bool, column.name
        elif column.type in LARGEST:
            assert type(value) is int, column.name
            assert -LARGEST[column.type] - 1 <= value <= LARGEST[column.type], column.name
            if column.bounds:
                assert any(value in values for values in allowed(column.bounds, plies)), column.name


@given(game=games())
def test_a_game_gives_exactly_the_columns_of_the_schema(game):
    assert set(games_row(played(game))) == {column.name for column in GAMES}
    for row in turns_rows(played(game)):
        assert set(row) == {column.name for column in TURNS}
    for row in offers_rows(played(game)):
        assert set(row) == {column.name for column in OFFERS}


@given(game=games())
def test_every_column_of_games_can_be_computed_from_the_events(game):
    assert games_row(played(game)) == expected_games_row(played(game))


@settings(max_examples=25)
@given(game=games())
def test_every_column_of_turns_can_be_computed_from_the_events(game):
    assert turns_rows(played(game)) == expected_turns_rows(played(game))


@settings(max_examples=25)
@given(game=games())
def test_every_column_of_offers_can_be_computed_from_the_events(game):
    assert offers_rows(played(game)) == expected_offers_rows(played(game))


@pytest.mark.parametrize(("ruleset", "spec"), SIMULATED)
def test_the_columns_of_simulated_games_can_be_computed_from_the_events(ruleset, spec):
    for game in simulated(Ruleset.load(ruleset), spec):
        assert games_row(game) == expected_games_row(game) | {"agent_0": spec, "agent_1": spec}
        assert turns_rows(game) == expected_turns_rows(game)
        assert offers_rows(game) == expected_offers_rows(game)


@given(game=games())
def test_every_value_keeps_its_type_and_the_bounds_that_the_schema_states(game):
    row = games_row(played(game))
    assert_within_schema(GAMES, row, row["plies"])
    for turn in turns_rows(played(game)):
        assert_within_schema(TURNS, turn, row["plies"])
    for offer in offers_rows(played(game)):
        assert_within_schema(OFFERS, offer, row["plies"])


@given(game=games())
def test_the_tables_of_games_and_turns_agree_with_each_other(game):
    row, turns = games_row(played(game)), turns_rows(played(game))
    ruleset = game.ruleset
    assert row["plies"] == len(turns)
    for seat in (0, 1):
        mine = [turn for turn in turns if turn["seat"] == seat]
        assert sum(turn["kind"] == 0 for turn in mine) == row[f"advances_{seat}"]
        assert sum(turn["kind"] == 1 for turn in mine) == row[f"patches_{seat}"]
        assert sum(turn["kind"] == 2 for turn in mine) == row[f"leathers_{seat}"]
        assert (mine[0]["time_before"], mine[-1]["time_after"]) == (0, ruleset.finish)
        assert (mine[0]["buttons_before"], mine[-1]["buttons_after"]) == (ruleset.start_buttons, row[f"buttons_{seat}"])
        for turn, following in pairwise(mine):
            assert turn["time_after"] == following["time_before"]
            assert turn["buttons_after"] == following["buttons_before"]
        for turn in mine:
            earned = turn["time_after"] - turn["time_before"] if turn["kind"] == 0 else 0
            gain = earned + turn["income_gained"] - turn["cost"]
            assert turn["buttons_after"] - turn["buttons_before"] == gain


@given(game=games())
def test_the_tables_of_turns_and_offers_agree_with_each_other(game):
    turns = [turn for turn in turns_rows(played(game)) if turn["kind"] != 2]
    offers = {ply: list(rows) for ply, rows in groupby(offers_rows(played(game)), key=lambda row: row["ply"])}
    assert set(offers) <= {turn["ply"] for turn in turns}
    for turn in turns:
        rows = offers.get(turn["ply"], [])
        costs = {row["slot"]: game.ruleset.patches[row["patch"] - 1].cost for row in rows}
        assert list(costs) == list(range(len(rows)))
        assert [row["affordable"] for row in rows] == [cost <= turn["buttons_before"] for cost in costs.values()]
        assert turn["affordable"] == sum(row["affordable"] for row in rows)
        assert turn["placeable"] == sum(row["placements"] > 0 for row in rows)
        assert turn["legal_actions"] == 1 + sum(row["placements"] for row in rows if row["affordable"])
        bought = [(turn["slot"], turn["patch"])] if turn["kind"] == 1 else []
        assert [(row["slot"], row["patch"]) for row in rows if row["chosen"]] == bought


@pytest.mark.parametrize(
    "reached",
    [
        pytest.param(lambda row: row["bonus_seat"] >= 0, id="a bonus"),
        pytest.param(lambda row: row["tie_broken"] and row["winner"] == 1, id="a tie that seat 1 wins"),
        pytest.param(lambda row: row["lead_changes"] >= 3, id="a lead that changes often"),
        pytest.param(lambda row: row["longest_streak_0"] >= 3, id="three turns in a row"),
        pytest.param(lambda row: row["leathers_0"] and row["leathers_1"], id="leathers on both quilts"),
    ],
)
def test_drawn_games_reach_the_rare_values_of_games(reach, reached):
    reach(games(), lambda game: reached(games_row(played(game))))


@pytest.mark.parametrize(
    "reached",
    [
        pytest.param(lambda row: row["holes"] >= 2 and row["regions"] > row["holes"], id="holes and other regions"),
        pytest.param(lambda row: row["marks_crossed"] >= 2 and row["income_gained"], id="two incomes at once"),
        pytest.param(lambda row: 0 < row["placeable"] < row["affordable"], id="patches that do not fit"),
        pytest.param(lambda row: row["orientation"] == 7, id="the last orientation"),
    ],
)
def test_drawn_games_reach_the_rare_values_of_turns(reach, reached):
    reach(games(), lambda game: any(map(reached, turns_rows(played(game)))))


@pytest.mark.parametrize(
    "reached",
    [
        pytest.param(lambda row: row["placements"] and not row["affordable"], id="a patch that fits but is too dear"),
        pytest.param(lambda row: row["affordable"] and not row["placements"], id="a payable patch that does not fit"),
        pytest.param(lambda row: row["placements"] == 1 and row["chosen"], id="the only placement"),
        pytest.param(lambda row: row["slot"] > 3 and row["chosen"], id="a slot further off"),
    ],
)
def test_drawn_games_reach_the_rare_values_of_offers(reach, reached):
    reach(games(), lambda game: any(map(reached, offers_rows(played(game)))))
