"""How many games a notebook plays, and when a number of it is in its range."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.analysis import ranges
from patchstats.analysis.estimate import Estimate
from patchstats.analysis.shares import share

NUMBERS = st.floats(-1e6, 1e6)


@given(ends=st.lists(NUMBERS, min_size=5, max_size=5))
def test_a_check_fails_just_when_the_whole_interval_misses_the_range(ends):
    least, value, most = sorted(ends[:3])
    low, high = sorted(ends[3:])
    apart = most < low or high < least
    try:
        ranges.check("a number", Estimate(value, least, most), low, high)
    except AssertionError:
        assert apart
    else:
        assert not apart


def test_what_a_check_says(capsys):
    ranges.check("wins", share(489, 1000), 0.45, 0.5)
    assert capsys.readouterr().out == "wins: 48.9% [45.8%, 52.0%] within 45.0% to 50.0%\n"
    with pytest.raises(
        AssertionError, match=r"^wins: 48\.9% \[45\.8%, 52\.0%\] misses the range from 53\.0% to 54\.0%$"
    ):
        ranges.check("wins", share(489, 1000), 0.53, 0.54)


def test_no_number_is_within_no_range():
    with pytest.raises(AssertionError):
        ranges.check("nothing", float("nan"), 0, 1)


@given(
    games=st.integers(1, 10**6),
    least=st.integers(1, 1000),
    of=st.integers(1, 100),
    scale=st.sampled_from(["0.001", "0.02", "0.5", "1", "3"]),
)
def test_games_are_a_multiple_and_never_too_few(games, least, of, scale):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(ranges.SCALE, scale)
        found = ranges.scaled(games, least, of)
    assert found % of == 0
    assert found >= least
    assert found < max(least, games * float(scale)) + of


@pytest.mark.parametrize("given", ["0", "-1", "nan", "inf", "much", ""])
def test_a_scale_is_a_number_above_0(monkeypatch, given):
    monkeypatch.setenv(ranges.SCALE, given)
    with pytest.raises(ValueError, match="PATCHSTATS_NOTEBOOK_SCALE must be a number above 0, not '"):
        ranges.scaled(100)


def test_a_seed_is_a_whole_number(monkeypatch):
    monkeypatch.setenv(ranges.SEED, "902")
    assert ranges.seed() == 902
    for other in ("-1", "1.5", "", "²"):
        monkeypatch.setenv(ranges.SEED, other)
        with pytest.raises(ValueError, match="PATCHSTATS_NOTEBOOK_SEED must be a whole number from 0 on"):
            ranges.seed()
