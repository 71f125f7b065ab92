"""Shadow surplus: known surpluses are found again, against a plain loop, and the units of values are known."""

from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats import Ruleset, simulate
from patchstats.analysis.surplus import greedy_advance, in_buttons, shadow_surplus
from patchstats.kernel.search.evaluation import squashed

#: By how much the first patch is worth more than the second.
AHEAD = 1.5


def offered(random, rings=60, turns=5):
    """Offers of two patches in games of two a ring, on which one is worth more or less than the other."""
    games = pd.DataFrame({"game_index": range(2 * rings), "ring_index": np.arange(2 * rings) // 2})
    turn = np.repeat(np.arange(2 * rings), turns)
    ahead = AHEAD + 2 * random.normal(size=rings)[turn // 2] + random.normal(size=len(turn))
    rest = 10 * random.normal(size=len(turn))
    rows = {"game_index": np.repeat(turn, 2), "ply": np.repeat(np.tile(np.arange(turns), 2 * rings), 2)}
    value = np.column_stack([rest + ahead, rest]).ravel()
    return pd.DataFrame({**rows, "patch": ["p01", "p02"] * len(turn), "affordable": True, "value": value}), games


def test_a_surplus_is_within_its_interval_as_often_as_it_says(repetitions, holds_as_it_says):
    random = np.random.default_rng(1)
    held, naive = [], []
    for _ in range(repetitions):
        offers, games = offered(random)
        for kept, rings in ((held, games), (naive, games.assign(ring_index=games["game_index"]))):
            found = shadow_surplus(offers, rings).loc["p01"]
            kept.append([found["low"] <= AHEAD <= found["high"]])
    holds_as_it_says(held)
    assert np.mean(naive) < 0.9


@st.composite
def tables(draw):
    """Some offers of some turns, with values or none, and what the advance is worth in some of these turns."""
    rows, advances = [], []
    for game in range(draw(st.integers(2, 5))):
        for ply in range(draw(st.integers(1, 3))):
            for patch in draw(st.sets(st.sampled_from(["p01", "p02", "p03", "p04"]), max_size=3)):
                value = draw(st.none() | st.integers(-5, 5))
                rows.append((game, ply, patch, draw(st.booleans()), value))
            if draw(st.booleans()):
                advances.append((game, ply, draw(st.integers(-5, 5))))
    names = ["game_index", "ply", "patch", "affordable", "value"]
    offers = pd.DataFrame(rows, columns=names).astype({"value": "Int32"})
    return offers, pd.DataFrame(advances, columns=["game_index", "ply", "value"])


@given(drawn=tables(), with_advance=st.booleans())
def test_a_surplus_is_over_the_best_other_option(drawn, with_advance):
    offers, advances = drawn
    games = pd.DataFrame({"game_index": range(5), "ring_index": range(5)})
    told = [row for row in offers.itertuples(index=False) if row.affordable and row.value is not pd.NA]
    advance = advances if with_advance and len(advances) else None
    if not told:
        with pytest.raises(ValueError, match=r"no offer has a value|the frame of offers has no rows"):
            shadow_surplus(offers, games, advance)
        return
    expected = defaultdict(list)
    for row in told:
        others = [
            other.value
            for other in told
            if (other.game_index, other.ply) == (row.game_index, row.ply) and other.patch != row.patch
        ]
        if advance is not None:
            here = (advance["game_index"] == row.game_index) & (advance["ply"] == row.ply)
            others += advance["value"][here].to_list()
        if others:
            expected[row.patch].append((row.game_index, row.value - max(others)))
    found = shadow_surplus(offers.sample(frac=1, random_state=1), games, advance)
    for patch, row in found.iterrows():
        assert row["n"] == len(expected[patch])
        if len({game for game, _ in expected[patch]}) > 1:
            assert row["estimate"] == pytest.approx(np.mean([value for _, value in expected[patch]]), abs=1e-9)
        else:
            assert np.isnan(row["estimate"])


def test_greedy_tells_hundredths_of_a_button(greedy_run):
    rows = greedy_run.offers(filters=[("game_index", "<", 100), ("ply", "==", 0)])
    rows = rows.assign(button=in_buttons(rows["value"], "greedy"))
    seen = 0
    for row in rows[rows["value"].notna()].itertuples():
        patch = greedy_run.ruleset[row.patch]
        # On an empty quilt a patch in the corner shortens the edge by nothing: two sides of its box lie at the border,
        # and what the box lacks is not counted here, so that only rectangles are looked at.
        if len({row for row, _ in patch.shape}) * len({column for _, column in patch.shape}) == patch.size:
            price = 1.2 * patch.size + 0.8 * 9 * patch.income - patch.cost - 1.8 * patch.time
            assert row.button == pytest.approx(price, abs=1e-9)
            seen += 1
    assert seen > 5


def test_greedy_advances_where_that_is_worth_as_much_as_any_patch(greedy_run):
    turns, games, offers = greedy_run.turns(), greedy_run.games(), greedy_run.offers()
    advance = greedy_advance(turns, games, greedy_run.ruleset)
    assert len(advance) == (turns["kind"] != "place leather").sum()
    best = in_buttons(offers["value"], "greedy").groupby([offers["game_index"], offers["ply"]]).max().rename("best")
    turn = ["game_index", "ply"]
    rows = advance.merge(best.dropna(), on=turn).merge(turns[[*turn, "kind"]], on=turn)
    assert ((rows["value"].round(2) >= rows["best"]) == (rows["kind"] == "advance")).all()
    assert rows["kind"].isin(["advance", "buy"]).all()
    assert (rows["kind"] == "advance").sum() > 100


def test_the_prices_of_greedy_count_for_its_advance(greedy_run):
    turns, games = greedy_run.turns(), greedy_run.games()
    plain = greedy_advance(turns, games, greedy_run.ruleset)["value"]
    other = greedy_advance(turns, games, greedy_run.ruleset, "no-income-3+greedy:time_price=2.8,leather=0")["value"]
    lost = (plain - other).round(9)  # a button a space, and 5.5 where a leather is reached
    assert lost.min() == 1
    assert set(lost % 1) == {0, 0.5}


@pytest.mark.parametrize("points", [-60.0, -3.0, 0.0, 1.0, 15.0, 44.0])
@pytest.mark.parametrize(
    "agent", ["puct:objective=margin", "alphabeta:depth=2", "rollout:objective=own", "ignores-opponent+mcts"]
)
def test_worths_of_points_are_turned_back(points, agent):
    worth = round(1e6 * squashed(points / 15))
    assert in_buttons(pd.Series([worth, None], dtype="Int32"), agent).iloc[0] == pytest.approx(points, abs=0.01)


def test_a_run_of_puct_has_a_surplus_in_buttons(tmp_path):
    agent = "puct:iterations=20,objective=margin,evaluation=hand"
    run = simulate(games=8, seed=1, agents=[agent, agent], log="offers", out=tmp_path / "run", workers=1)
    offers = run.offers()
    found = shadow_surplus(offers.assign(value=in_buttons(offers["value"], agent)), run.games())
    assert found["estimate"].abs().max() < 100
    assert found["n"].sum() > 100


def test_the_best_patch_has_the_greatest_surplus_and_it_falls_with_the_advance(greedy_run):
    offers, games = greedy_run.offers(), greedy_run.games()
    offers["value"] = in_buttons(offers["value"], "greedy")
    advance = greedy_advance(greedy_run.turns(), games, greedy_run.ruleset)
    found, with_advance = shadow_surplus(offers, games), shadow_surplus(offers, games, advance)
    assert found["estimate"].idxmax() == with_advance["estimate"].idxmax() == "p21"
    assert 4 < with_advance.loc["p21", "low"] < with_advance.loc["p21", "high"] < 7
    assert (with_advance["n"] >= found["n"]).all()
    assert with_advance["n"].sum() == offers["value"].notna().sum()


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        ("rollout", "goes for win"),
        ("puct:objective=blend", "goes for blend"),
        ("random", "tells none"),
        ("scored:mine:thrifty", "tells none"),
    ],
)
def test_agents_that_tell_no_buttons_are_refused(agent, why):
    with pytest.raises(ValueError, match=f"agent {agent}: its values are no buttons, as it {why}"):
        in_buttons(pd.Series([1]), agent)


def test_wrong_input_is_refused(tmp_path, greedy_run):
    run = simulate(games=4, seed=1, log="offers", out=tmp_path / "run", workers=1)
    with pytest.raises(
        ValueError, match="no offer has a value that the agent told; these tell some: greedy, scored, puct"
    ):
        shadow_surplus(run.offers(), run.games())
    with pytest.raises(ValueError, match="the frame of offers has no column value"):
        shadow_surplus(run.offers().drop(columns="value"), run.games())
    with pytest.raises(ValueError, match="the frame of advances has no column value"):
        shadow_surplus(greedy_run.offers(), greedy_run.games(), greedy_run.games()[["game_index"]].assign(ply=0))
    with pytest.raises(ValueError, match="agent puct: what an advance is worth to it is not known"):
        greedy_advance(run.turns(), run.games(), Ruleset.load("original"), "puct")
