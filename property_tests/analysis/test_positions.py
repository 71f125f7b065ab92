"""Positions from the turns of a run: those of the reference engine."""

import numpy as np
import pytest

from patchstats.analysis.positions import positions
from patchstats.metrics.holes import holes
from patchstats.notation.replay import replay_record, start_of


def test_positions_are_those_of_the_reference_engine(greedy_run):
    wanted = [("game_index", "in", range(12))]
    found = positions(greedy_run.turns(filters=wanted), greedy_run.games(filters=wanted), greedy_run.ruleset)
    rows = found.itertuples(index=False)
    bonuses = set()
    for game in range(12):
        record = greedy_run.record(game)
        position = start_of(record)
        for number, ply in enumerate(replay_record(record)):
            row = next(rows)
            assert (row.game_index, row.ply, row.seat) == (game, number, ply.seat)
            assert (row.plies, row.winner) == (len(record.actions), record.result.winner)
            for seat, player in enumerate(position.players):
                there = [getattr(row, f"{name}_{seat}") for name in ("space", "buttons", "income", "empty", "holes")]
                empty = 81 - player.covered.bit_count()
                assert there == [player.space, player.buttons, player.income, empty, holes(position, seat)]
            assert row.bonus == {None: 0, 0: 1, 1: -1}[position.bonus_owner]
            bonuses.add(row.bonus)
            position = ply.after
    assert next(rows, None) is None
    assert bonuses == {-1, 0, 1}


def test_the_order_of_rows_does_not_matter(greedy_run):
    turns, games = greedy_run.turns(), greedy_run.games()
    found = positions(turns, games, greedy_run.ruleset)
    mixed = turns.iloc[np.random.default_rng(1).permutation(len(turns))]
    assert positions(mixed, games.iloc[::-1], greedy_run.ruleset).equals(found)


def test_turns_that_lack_plies_and_other_tables_are_refused(greedy_run):
    turns, games = greedy_run.turns(), greedy_run.games()
    for some in (turns[turns["seat"] == 0], turns.iloc[1:], turns.iloc[:-1]):
        with pytest.raises(ValueError, match="the turns lack plies of some games"):
            positions(some, games, greedy_run.ruleset)
    with pytest.raises(ValueError, match="game 399 is not among the games"):
        positions(turns, games.head(399), greedy_run.ruleset)
    with pytest.raises(ValueError, match="the frame of turns has no column holes"):
        positions(turns.drop(columns="holes"), games, greedy_run.ruleset)
    with pytest.raises(ValueError, match="the frame of turns has no rows"):
        positions(turns.head(0), games, greedy_run.ruleset)
