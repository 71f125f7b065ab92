"""What is wrong with a position: everything that no game could show, found by adding up what lies on the table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from patchstats.rules.position import Position


def faults_of(position: Position) -> tuple[str, ...]:
    """Name everything that is wrong with the position; see `Position.status`."""
    return (*_token_faults(position), *_tile_faults(position), *_button_faults(position), *_bonus_faults(position))


def _token_faults(position: Position) -> Iterator[str]:
    ruleset = position.ruleset
    spaces = [player.space for player in position.players]
    for seat, space in enumerate(spaces):
        if not 0 <= space <= ruleset.finish:
            yield f"the token of seat {seat} stands on space {space}, outside 0 to {ruleset.finish} (1.3)"
    if position.top not in (0, 1):
        yield f"the token on top is that of seat {position.top!r}, not 0 or 1 (3.2)"
    elif spaces[position.top] == 0 and (position.top, spaces[1 - position.top]) != (0, 0):
        yield f"seat {position.top} moved last, and yet its token stands on the start (3.2)"
    at_finish: list[int | None] = [seat for seat in (0, 1) if spaces[seat] == ruleset.finish]
    if position.first_finisher not in (at_finish or [None]):
        yield f"the first finisher is {position.first_finisher}, and at the finish are the seats {at_finish} (9.4)"
    if len(at_finish) == 2 and position.top == position.first_finisher:
        yield f"seat {position.top} finished first, and yet its token lies on top (9.4)"


def _tile_faults(position: Position) -> Iterator[str]:
    ruleset = position.ruleset
    places = list(position.ring)
    for seat, player in enumerate(position.players):
        places += player.patches
        if player.covered & ~ruleset.quilt:  # of a number below zero, too
            yield f"seat {seat} has covered cells outside its quilt (5.8)"
        known = [ruleset[patch] for patch in player.patches if patch in ruleset]
        tiles = sum(patch.size for patch in known) + player.leathers
        if player.covered.bit_count() != tiles:
            covered = player.covered.bit_count()
            yield f"seat {seat} has {covered} covered cells under patches and leathers of {tiles} cells (5.8)"
        income = sum(patch.income for patch in known)
        if player.income != income:
            yield f"seat {seat} has an income of {player.income}, and its patches bring {income} (6.2)"
    for patch in sorted(set(places) | {patch.id for patch in ruleset.patches}):
        if patch not in ruleset:
            yield f"patch {patch} is not in the ruleset (1.2)"
        elif places.count(patch) != 1:
            yield f"patch {patch} is {places.count(patch)} times on the ring and the quilts (1.2)"

    if not any(player.patches for player in position.players) and position.ring[-1:] != (ruleset.start_patch,):
        yield f"no patch is bought, and the start patch {ruleset.start_patch} is not the last of the ring (2.5)"

    track = position.leather_marks
    if list(track) != sorted(set(track) & set(ruleset.leather_marks)):
        yield f"leathers lie on the spaces {track}, which are not leather marks in rising order, each once (1.5)"
    furthest = max(player.space for player in position.players)
    if any(mark <= furthest for mark in track):
        yield f"a leather still lies at or behind space {furthest}, where a token has been (6.4)"
    if any(mark > furthest for mark in set(ruleset.leather_marks) - set(track)):
        yield f"a leather is gone from beyond space {furthest}, which no token has reached (6.4)"
    placed = sum(player.leathers for player in position.players)
    counts = {"placed": placed, "waiting": position.waiting, "set aside": position.set_aside}
    for what, count in counts.items():
        if count < 0:
            yield f"{count} leathers are {what} (6.4)"
    if len(track) + sum(counts.values()) != len(ruleset.leather_marks):
        yield (
            f"{len(track)} leathers on the track and {', '.join(f'{count} {what}' for what, count in counts.items())}"
            f" are not {len(ruleset.leather_marks)} (6.4)"
        )
    if position.set_aside > 0 and all(player.covered != ruleset.quilt for player in position.players):
        yield f"{position.set_aside} leathers are set aside, and no quilt is full (6.8)"
    if position.waiting and position.top in (0, 1) and position.players[position.top].covered == ruleset.quilt:
        yield f"a leather waits for the full quilt of seat {position.top} (6.8)"


def _button_faults(position: Position) -> Iterator[str]:
    for seat, player in enumerate(position.players):
        if player.buttons < 0:
            yield f"seat {seat} has {player.buttons} buttons (5.4)"
        if (
            position.players[0].space == position.players[1].space == 0
            and player.buttons != position.ruleset.start_buttons
        ):
            yield f"nobody has moved, and seat {seat} has {player.buttons} buttons (2.1)"
    total = position.bank + sum(player.buttons for player in position.players)
    if total != position.ruleset.button_supply:
        yield f"bank and players hold {total} buttons, and the supply is {position.ruleset.button_supply} (9.5)"


def _bonus_faults(position: Position) -> Iterator[str]:
    complete: list[int | None] = [
        seat
        for seat, player in enumerate(position.players)
        if any(square & ~player.covered == 0 for square in position.ruleset.bonus_squares)
    ]
    if position.bonus_owner not in (complete or [None]):
        yield f"the bonus is with {position.bonus_owner}, and a whole square is covered by the seats {complete} (7.1)"
