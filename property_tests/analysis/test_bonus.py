"""When the bonus is won: the life table against that of statsmodels, and intervals that hold the truth."""

import numpy as np
import pandas as pd
import pytest

from patchstats import Ruleset
from patchstats.analysis.bonus import award_share, award_table, confounded_winner_share, won_by_points
from patchstats.analysis.estimate import share_of_rings

ORIGINAL = Ruleset.load("original")
#: How likely the bonus is to be won on each space, if it was not before.
HAZARD = np.where(np.arange(53) < 30, 0.0, 0.04)


def played(random, rings=100, repeats=3):
    """Games in which the bonus is won by lot, in some of them with the same lot on the same ring; half by each seat."""
    ring = np.repeat(np.arange(rings), repeats)
    lots = np.where(random.random(rings) < 0.5, random.random(rings), np.nan)[ring]
    lots = np.where(np.isnan(lots), random.random(len(ring)), lots)
    waiting = np.cumprod(1 - HAZARD)
    space = (waiting[None, :] > lots[:, None]).sum(axis=1)
    won = space < 53
    seat = np.where(won, random.integers(0, 2, size=len(ring)), -1)
    holder_wins = random.random(len(ring)) < 0.8
    winner = np.where(won, np.where(holder_wins, seat, 1 - seat), 0)
    games = pd.DataFrame({"game_index": np.arange(len(ring)), "ring_index": ring, "bonus_seat": seat, "winner": winner})
    games["bonus_ply"] = np.where(won, 20, -1)
    plies = pd.DataFrame({"game_index": games["game_index"], "ply": 20, "time_before": np.minimum(space, 52)})
    return games, pd.concat([plies, plies.assign(ply=21, time_before=0)])


def test_shares_and_the_table_are_within_their_intervals_as_often_as_they_say(repetitions, holds_as_it_says):
    random = np.random.default_rng(1)
    waiting = np.cumprod(1 - HAZARD)
    held = []
    for _ in range(repetitions):
        games, turns = played(random)
        share, holder = award_share(games), confounded_winner_share(games)
        table = award_table(games, turns, ORIGINAL).loc[[35, 45]]
        held.append(
            [
                share.low <= 1 - waiting[-1] <= share.high,
                holder.low <= 0.8 <= holder.high,
                *((table["waiting_low"] <= waiting[[35, 45]]) & (table["waiting_high"] >= waiting[[35, 45]])),
            ]
        )
    holds_as_it_says(held)


def test_hazards_are_found_again():
    games, turns = played(np.random.default_rng(2), rings=4000)
    table = award_table(games, turns, ORIGINAL)
    assert np.abs(table["hazard"] - HAZARD).max() < 0.01
    assert ((table["hazard_low"] <= HAZARD) & (table["hazard_high"] >= HAZARD)).mean() > 0.9


def test_the_table_is_that_of_kaplan_and_meier(greedy_run):
    from statsmodels.duration.survfunc import SurvfuncRight

    games, turns = greedy_run.games(), greedy_run.turns()
    table = award_table(games, turns, greedy_run.ruleset)
    ply = turns.merge(games[["game_index", "bonus_ply"]], on="game_index")
    space = ply[ply["ply"] == ply["bonus_ply"]].set_index("game_index")["time_before"].reindex(games["game_index"])
    curve = SurvfuncRight(space.fillna(53).to_numpy(), space.notna().to_numpy())
    at = curve.surv_times.astype(int)
    assert table["waiting"][at].to_list() == pytest.approx(curve.surv_prob)
    assert table["open"][at].to_list() == curve.n_risk.tolist()
    assert table["won"][at].to_list() == curve.n_events.tolist()
    assert table["won"].sum() == (games["bonus_seat"] >= 0).sum()
    assert table["waiting"].iloc[-1] == pytest.approx(1 - award_share(games).share)
    assert confounded_winner_share(games).low > 0.6


def test_games_that_repeat_those_on_their_ring_tell_no_more_than_they():
    games, turns = played(np.random.default_rng(3), repeats=1)
    often = [
        pd.concat([frame.assign(game_index=frame["game_index"] + 100 * copy) for copy in range(4)])
        for frame in (games, turns)
    ]
    assert award_share(often[0]) == pytest.approx(award_share(games))
    pd.testing.assert_frame_equal(
        award_table(*often, ORIGINAL).drop(columns=["open", "won"]),
        award_table(games, turns, ORIGINAL).drop(columns=["open", "won"]),
    )


def test_wrong_input_is_refused():
    games, turns = played(np.random.default_rng(4))
    with pytest.raises(ValueError, match="the frame of games has no column bonus_seat"):
        award_share(games.drop(columns="bonus_seat"))
    with pytest.raises(ValueError, match="nobody won the bonus in any of 300 games"):
        confounded_winner_share(games.assign(bonus_seat=-1))
    with pytest.raises(ValueError, match="the turns lack the ply that won the bonus of game"):
        award_table(games, turns[turns["ply"] == 21], ORIGINAL)
    with pytest.raises(ValueError, match="game 299 is not among the games"):
        award_table(games.head(299), turns, ORIGINAL)
    with pytest.raises(ValueError, match="the frame of games has no rows"):
        award_share(games.head(0))


@pytest.mark.parametrize("owner", [0, 1])
@pytest.mark.parametrize(("ahead", "turned"), [(3, True), (7, False), (8, False)])
def test_points_win_a_game_when_without_them_the_other_seat_would_have_won(owner, ahead, turned):
    owner_first = {"score_0": 10 + ahead, "score_1": 10} if owner == 0 else {"score_0": 10, "score_1": 10 + ahead}
    games = pd.DataFrame({"ring_index": range(20), "winner": owner, "bonus_seat": owner, **owner_first})
    assert won_by_points(games.assign(first_finisher=owner), ORIGINAL).share == turned
    second = won_by_points(games.assign(first_finisher=1 - owner), ORIGINAL).share
    assert second == (turned or ahead == ORIGINAL.bonus_points)
    assert won_by_points(games.assign(first_finisher=owner, bonus_seat=-1), ORIGINAL).share == 0


def test_points_are_those_of_the_ruleset_and_rings_are_the_unit():
    games = pd.DataFrame({"ring_index": np.arange(40) // 2, "winner": 0, "score_0": 13, "score_1": 10})
    games = games.assign(bonus_seat=np.where(np.arange(40) < 20, 0, -1), first_finisher=0)
    many, few = ORIGINAL, ORIGINAL.with_changes({"bonus_points": 2})
    assert won_by_points(games, few).share == 0
    found = won_by_points(games, many)
    assert found == share_of_rings(games["bonus_seat"] == 0, games["ring_index"])
    with pytest.raises(ValueError, match="no column first_finisher"):
        won_by_points(games.drop(columns="first_finisher"), many)
