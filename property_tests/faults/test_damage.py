"""Files of a run that were cut, changed or deleted: `verify` names every one, and the same `simulate` mends them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats import simulate, verify
from patchstats.dataset.manifest import NAME
from patchstats.errors import RunError, VerificationError

SETTINGS = {"games": 50, "seed": 3, "agents": ("random", "random-patch"), "log": "offers", "games_per_shard": 20}


@pytest.fixture(scope="module")
def damaged(tmp_path_factory):
    """A run that is damaged and mended again and again."""
    folder = tmp_path_factory.mktemp("damaged") / "run"
    simulate(**SETTINGS, out=folder)
    return folder


@pytest.fixture(scope="module")
def whole(damaged, contents):
    """Its files when it was not damaged."""
    return contents(damaged)


@st.composite
def damages(draw, names):
    """What happens to up to three files of a run, by their names: something that makes other bytes of the bytes."""
    return {
        name: draw(damage()) for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
    }


@st.composite
def damage(draw):
    """A file is cut, a bit of it is flipped, or (with None) it is deleted."""
    place = draw(st.floats(0, 1, exclude_max=True))
    bit = draw(st.integers(0, 7))

    def cut(data):
        return data[: int(place * len(data))]

    def flip(data):
        at = int(place * len(data))
        return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]

    return draw(st.sampled_from([cut, flip, None]))


def strike(folder, whole, happened):
    """Let it happen to the files of a run."""
    for name, happens in happened.items():
        if happens is None:
            (folder / name).unlink()
        else:
            (folder / name).write_bytes(happens(whole[name]))


@given(data=st.data())
def test_every_cut_changed_or_deleted_shard_is_named_and_mended(damaged, whole, contents, data):
    happened = data.draw(damages(sorted(set(whole) - {NAME})))
    strike(damaged, whole, happened)
    with pytest.raises(VerificationError) as found:
        verify(damaged, games=0)
    named = {line.partition(": ")[0].partition(" ")[0] for line in str(found.value).splitlines()}
    assert named == {str(damaged / name) for name in happened}
    simulate(**SETTINGS, out=damaged)
    assert contents(damaged) == whole
    assert verify(damaged, games=1) == 1


@given(data=st.data())
def test_a_cut_or_changed_manifest_is_named_and_mended_with_whatever_else_is_damaged(damaged, whole, contents, data):
    happened = {NAME: data.draw(damage().filter(bool)), **data.draw(damages(sorted(whole)).map(without_manifest))}
    strike(damaged, whole, happened)
    with pytest.raises(VerificationError, match=r"manifest\.json is damaged"):
        verify(damaged, games=0)
    simulate(**SETTINGS, out=damaged)
    assert contents(damaged) == whole


def without_manifest(happened):
    """The same for the other files."""
    return {name: happens for name, happens in happened.items() if name != NAME}


@pytest.mark.parametrize("place", range(0, 100, 7))
def test_a_manifest_cut_anywhere_is_mended_without_playing_a_game(damaged, whole, contents, monkeypatch, place):
    def plays(*_):
        pytest.fail("a shard that is there was played again")

    (damaged / NAME).write_bytes(whole[NAME][: place * len(whole[NAME]) // 100])
    monkeypatch.setattr("patchstats.simulation.compiled.play_compiled", plays)
    simulate(**SETTINGS, out=damaged)
    assert contents(damaged) == whole


@pytest.mark.parametrize("happens", [None, lambda data: data[: len(data) // 2]], ids=["deleted", "cut"])
def test_a_run_without_a_manifest_is_not_mended_by_another_command(damaged, whole, contents, happens):
    strike(damaged, whole, {NAME: happens})
    with pytest.raises(RunError, match=r"no manifest that can be read, and .*part-00000.parquet is of another run"):
        simulate(**{**SETTINGS, "seed": 4}, out=damaged)
    simulate(**SETTINGS, out=damaged)
    assert contents(damaged) == whole
