"""How each column of the tables is computed from a game that was played."""

from __future__ import annotations

from typing import Any

from patchstats.dataset.played import PlayedGame
from patchstats.metrics.holes import holes
from patchstats.metrics.lead_changes import LeadChanges
from patchstats.metrics.protocol import watched
from patchstats.metrics.regions import regions
from patchstats.metrics.streaks import Streaks
from patchstats.notation.action_log import ADVANCE, BUY, PLACE_LEATHER, encode_action, pack
from patchstats.rules import Advance, Buy, PlaceLeather, Ply, Position
from patchstats.rules.events import BonusWon, Income, LeatherTaken, Paid

Row = dict[str, Any]


def games_row(game: PlayedGame) -> Row:
    """Return the row of the games table: a value for each column of `schema.GAMES`, and the jitter if there is one."""
    end = game.end
    ruleset = end.ruleset
    turns = [ply for ply in game.plies if not isinstance(ply.action, PlaceLeather)]
    streaks = watched(Streaks(), game.plies)
    bonus_plies = [
        number for number, ply in enumerate(game.plies) if any(isinstance(event, BonusWon) for event in ply.events)
    ]
    row: Row = {
        "game_index": game.game_index,
        "ring_index": game.ring_index,
        "ring": bytes(ruleset.number_of(patch) for patch in game.ring),
        "winner": end.winner,
        "tie_broken": end.score(0) == end.score(1),
        "first_finisher": end.first_finisher,
        "bonus_seat": _or_none(end.bonus_owner),
        "bonus_ply": bonus_plies[0] if bonus_plies else -1,
        "plies": len(game.plies),
        "lead_changes": watched(LeadChanges(), game.plies).lead_changes,
        "actions": pack(encode_action(ply.before, ply.action) for ply in game.plies),
    }
    for seat, player in enumerate(end.players):
        row |= {
            f"agent_{seat}": game.agents[seat],
            f"score_{seat}": end.score(seat),
            f"buttons_{seat}": player.buttons,
            f"empty_{seat}": end.empty_cells(seat),
            f"income_{seat}": player.income,
            f"leathers_{seat}": player.leathers,
            f"patches_{seat}": len(player.patches),
            f"advances_{seat}": sum(ply.seat == seat and isinstance(ply.action, Advance) for ply in turns),
            f"longest_streak_{seat}": streaks.longest_streak[seat],
        }
    return row | ({"jitter": game.jitter} if game.jitter else {})


def turns_rows(game: PlayedGame) -> list[Row]:
    """Return the rows of the turns table: for each ply a value for each column of `schema.TURNS`."""
    return [_turns_row(game, number, ply) for number, ply in enumerate(game.plies)]


def _turns_row(game: PlayedGame, number: int, ply: Ply) -> Row:
    position, seat = ply.before, ply.seat
    before, now = position.players[seat], ply.after.players[seat]
    incomes = [event.buttons for event in ply.events if isinstance(event, Income)]
    kind, patch, slot, orientation, cell = _action_columns(ply)
    return {
        "game_index": game.game_index,
        "ply": number,
        "seat": seat,
        "kind": kind,
        "patch": patch,
        "slot": slot,
        "orientation": orientation,
        "cell": cell,
        "time_before": before.space,
        "time_after": now.space,
        "buttons_before": before.buttons,
        "buttons_after": now.buttons,
        "cost": sum(event.buttons for event in ply.events if isinstance(event, Paid)),
        "income_gained": sum(incomes),
        "marks_crossed": len(incomes),
        "leather_gained": sum(isinstance(event, LeatherTaken) for event in ply.events),
        "legal_actions": len(position.legal_actions),
        "affordable": sum(position.ruleset[patch].cost <= before.buttons for patch in position.offer),
        "placeable": _placeable(position, before.covered),
        "holes": holes(ply.after, seat),
        "regions": len(regions(position.ruleset.quilt & ~now.covered, position.ruleset.quilt_size)),
    }


def offers_rows(game: PlayedGame) -> list[Row]:
    """Return the rows of the offers table: for each patch on offer at a turn a value for each column of
    `schema.OFFERS`.
    """
    return [
        _offers_row(game, number, ply, slot)
        for number, ply in enumerate(game.plies)
        if not isinstance(ply.action, PlaceLeather)
        for slot in range(len(ply.before.offer))
    ]


def _offers_row(game: PlayedGame, number: int, ply: Ply, slot: int) -> Row:
    position = ply.before
    ruleset, player, patch = position.ruleset, position.players[ply.seat], position.offer[slot]
    free = ruleset.quilt & ~player.covered
    return {
        "game_index": game.game_index,
        "ply": number,
        "slot": slot,
        "patch": ruleset.number_of(patch),
        "affordable": ruleset[patch].cost <= player.buttons,
        "placements": sum(way.fits(free).bit_count() for way in ruleset.distinct_ways_to_lay[patch]),
        "value": game.values.get(number, {}).get(patch),
        "probability": game.probabilities.get(number, {}).get(patch),
        "chosen": isinstance(ply.action, Buy) and ply.action.patch == patch,
    }


def _action_columns(ply: Ply) -> tuple[int, int, int, int, int]:
    """Kind, patch, slot, orientation and cell, -1 for what the action does not have."""
    match ply.action:
        case Buy(patch, orientation, cell):
            ruleset = ply.before.ruleset
            lowest = ruleset.ways_to_lay[patch][orientation].number
            return BUY, ruleset.number_of(patch), ply.before.offer.index(patch), lowest, cell
        case PlaceLeather(cell):
            return PLACE_LEATHER, -1, -1, -1, cell
        case Advance():
            return ADVANCE, -1, -1, -1, -1


def _placeable(position: Position, covered: int) -> int:
    free = position.ruleset.quilt & ~covered
    ways = position.ruleset.distinct_ways_to_lay
    return sum(any(way.fits(free) for way in ways[patch]) for patch in position.offer)


def _or_none(seat: int | None) -> int:
    return -1 if seat is None else seat
