"""The agents of patchstats: what is told of each, the specs that make them, and the runs that these name."""

import re
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats import simulate
from patchstats.agents import AGENTS, PANEL, RESTRICTIONS, make_agent
from patchstats.dataset.manifest import read_manifest
from patchstats.dataset.store import store_at
from patchstats.errors import AgentError
from patchstats.rules import Advance, Buy, Ruleset
from patchstats.simulation.spec import RunSpec
from patchstats.streams import SEATS, Stream
from patchstats.testing import positions

ORIGINAL = Ruleset.load("original")
CARDS = pytest.mark.parametrize("card", PANEL, ids=lambda card: card.name)
#: What every agent takes: whether an agent looks at its opponent is its own affair.
FOR_ALL = [restriction for restriction in RESTRICTIONS if restriction != "ignores-opponent"]


def values_of(parameter):
    """Texts of values that a parameter can have."""
    if parameter.choices:
        return st.sampled_from(parameter.choices)
    greatest = min(parameter.greatest, 10**6)
    if parameter.kind is int:
        return st.integers(parameter.least, greatest).map(str)
    return st.integers(round(1000 * parameter.least), 1000 * greatest).map(lambda number: str(number / 1000))


@st.composite
def specs(draw, card):
    """Specs of an agent with parameters in any order, and restrictions."""
    told = [one for one in card.parameters if one.choices or one.kind is not str]  # files would have to be there
    given = draw(st.fixed_dictionaries({}, optional={one.name: values_of(one) for one in told}))
    parts = draw(st.permutations([f"{name}={value}" for name, value in given.items()]))
    restrictions = draw(st.lists(st.sampled_from(FOR_ALL), unique=True))
    return "+".join([*restrictions, card.name]) + (f":{','.join(parts)}" if parts else "")


def chosen(spec, position, seed=0):
    """What an agent of this spec does in a position."""
    seat = position.seat_on_turn
    found = make_agent(spec, position.ruleset).sit_down(seat)(
        position, position.legal_actions, Stream(seed, SEATS[seat], 0)
    )
    return getattr(found, "action", found)


# Cards


@CARDS
def test_a_card_tells_all_there_is_to_know(card):
    assert re.fullmatch(r"[a-z][a-z0-9-]*", card.name)
    for text in (card.line, card.style, card.source, *(one.line for one in card.parameters)):
        assert text
        assert text == text.strip()
        assert not text.endswith(".")
    assert card.cost in {"lots", "rule", "search"}
    assert card.seconds_a_game({one.name: one.default for one in card.parameters if one.default is not None}) > 0
    module, colon, function = card.routine.partition(":")
    assert colon
    assert function.isidentifier()
    assert find_spec(f"patchstats.kernel.deciders.{module}")


@CARDS
def test_every_default_is_one_that_could_be_given_and_every_name_stands_once(card):
    assert len({one.name for one in card.parameters}) == len(card.parameters)
    for one in card.parameters:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", one.name)
        if one.default is not None:
            assert one.read(str(one.default)) == one.default
            assert type(one.default) is one.kind
    if card.ignoring_opponent is not None:
        by_name = {one.name: one for one in card.parameters}
        assert card.ignoring_opponent
        assert all(by_name[name].read(str(value)) == value for name, value in card.ignoring_opponent.items())


def test_no_two_agents_have_one_name_and_all_can_be_named():
    assert len({card.name for card in PANEL}) == len(PANEL)
    assert [name for name, entry in AGENTS.items() if entry.card] == [card.name for card in PANEL]
    assert all(AGENTS[card.name].card is card for card in PANEL)


# Specs


@CARDS
def test_the_usage_of_an_agent_is_a_spec_of_it_with_every_parameter_at_its_default(card):
    name, _, parameters = card.usage.partition(":")
    given = [part for part in parameters.split(",") if part and not part.endswith("=..")]
    assert make_agent(name + (f":{','.join(given)}" if given else ""), ORIGINAL).spec == card.name
    assert [part.partition("=")[0] for part in parameters.split(",") if part] == [one.name for one in card.parameters]


@CARDS
@given(data=st.data())
def test_any_spec_of_an_agent_has_one_way_to_be_written_which_makes_the_same_agent(card, data):
    spec = data.draw(specs(card).filter(lambda spec: not ("iterations=" in spec and "seconds=" in spec)))
    agent = make_agent(spec, ORIGINAL)
    again = make_agent(agent.spec, ORIGINAL)
    assert (again.spec, again.reproducible, again.seconds_a_game) == (
        agent.spec,
        agent.reproducible,
        agent.seconds_a_game,
    )
    assert agent.spec.partition(":")[0].rpartition("+")[2] == card.name
    assert agent.reproducible == ("seconds=" not in spec)


@given(order=st.permutations(FOR_ALL), many=st.integers(1, len(FOR_ALL)))
def test_restrictions_stand_in_one_order(order, many):
    expected = "+".join([*(one for one in RESTRICTIONS if one in order[:many]), "cheapest"])
    assert make_agent("+".join([*order[:many], "cheapest"]), ORIGINAL).spec == expected


@CARDS
def test_an_agent_can_be_told_to_ignore_its_opponent_only_if_it_looks_at_it(card):
    if card.ignoring_opponent is None:
        with pytest.raises(AgentError, match=f"{card.name} does not look at its opponent anyway"):
            make_agent(f"ignores-opponent+{card.name}", ORIGINAL)
    else:
        assert make_agent(f"ignores-opponent+{card.name}", ORIGINAL).spec == f"ignores-opponent+{card.name}"


# Restrictions


@pytest.mark.parametrize("spec", ["random", "random-patch", "advance-only", "cheapest"])
@given(position=positions(), seed=st.integers(0, 2**64 - 1))
def test_who_may_not_advance_unless_forced_buys_whenever_anything_can_be_bought(spec, position, seed):
    if position.finished or position.waiting:
        return
    action = chosen(f"no-advance-unless-forced+{spec}", position, seed)
    assert isinstance(action, Buy if position.legal_actions.purchases else Advance)
    assert action in list(position.legal_actions)


@pytest.mark.parametrize("spec", ["random", "random-patch", "most-income", "no-advance-unless-forced+first-legal"])
@given(position=positions(), seed=st.integers(0, 2**64 - 1))
def test_who_may_not_have_an_income_of_3_buys_no_patch_with_one(spec, position, seed):
    if position.finished or position.waiting:
        return
    action = chosen(f"no-income-3+{spec}", position, seed)
    assert action in list(position.legal_actions)
    if isinstance(action, Buy):
        assert position.ruleset[action.patch].income < 3


# Runs


def spellings():
    """Two specs of one agent, and the one way to write it."""
    card = next(card for card in PANEL if card.parameters and type(card.parameters[0].default) is float)
    first, second = card.parameters[:2]
    less = first.default / 2
    return [
        ("no-income-3+no-advance-unless-forced+cheapest", "no-advance-unless-forced+no-income-3+cheapest"),
        (f"{card.name}:{second.name}={second.default},{first.name}={less:.15f}", f"{card.name}:{first.name}={less:g}"),
    ]


@pytest.mark.parametrize(("spelled", "plain"), spellings())
def test_a_run_holds_the_one_way_to_write_its_agents_and_is_the_same_run_however_they_are_spelled(
    tmp_path, contents, spelled, plain
):
    asked = {"games": 2, "seed": 1, "out": tmp_path / "run"}
    run = simulate(**asked, agents=[spelled, "random"])
    manifest = read_manifest(store_at(tmp_path / "run"))
    assert [agent["spec"] for agent in manifest.spec["agents"]] == [plain, "random"]
    assert run.games()["agent_0"].unique().tolist() == [plain]
    before = contents(tmp_path / "run")
    assert simulate(**asked, agents=[plain, "random"]).run_id == run.run_id
    assert contents(tmp_path / "run") == before
    specs = [RunSpec(ORIGINAL, (one, "random"), seed=1, games=2) for one in (spelled, plain)]
    assert specs[0] == specs[1]


@pytest.mark.parametrize(
    ("spec", "plain"),
    [
        ("ignores-opponent+greedy:denial=0.5,time_price=2", "ignores-opponent+greedy:time_price=2"),
        ("ignores-opponent+puct:objective=win", "ignores-opponent+puct"),
        ("puct:iterations=1000,seconds=0.02", "puct:seconds=0.02"),
    ],
)
def test_what_is_overruled_is_no_part_of_the_spec(spec, plain):
    assert make_agent(spec, Ruleset.load("original")).spec == plain


@pytest.mark.parametrize("spec", ["mcts:seconds=0.01,iterations=5", "puct:iterations=10,seconds=0.02"])
def test_seconds_and_iterations_are_not_given_together(spec):
    with pytest.raises(AgentError, match="give one of them"):
        make_agent(spec, Ruleset.load("original"))
