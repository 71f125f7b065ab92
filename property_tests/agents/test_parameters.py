"""The parameters of agents: lists of specs split, values read within their bounds, and the one way to write them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchstats.agents import Parameter, split_specs
from patchstats.agents.parameters import plain_spec, read_parameters
from patchstats.errors import AgentError

PARAMETERS = (
    Parameter("price", "what it costs", 1.0, greatest=10),
    Parameter("time_price", "what a space of time costs", 0.5, least=-2),
    Parameter("depth", "how many plies are looked ahead", 2, least=1, greatest=4, kind=int),
    Parameter("goal", "what it plays for", "margin", choices=("margin", "win"), kind=str),
    Parameter("seconds", "how long it thinks", None, least=0.001, greatest=60),
    Parameter("file", "what it has learned", None, kind=str),
)
DEFAULTS = {"price": 1.0, "time_price": 0.5, "depth": 2, "goal": "margin"}


def thousandths(least, greatest):
    return st.integers(least, greatest).map(lambda number: number / 1000)


#: Values of each parameter, within its bounds.
VALUES = {
    "price": thousandths(0, 10_000),
    "time_price": thousandths(-2000, 10**11),
    "depth": st.integers(1, 4),
    "goal": st.sampled_from(["margin", "win"]),
    "seconds": thousandths(1, 60_000),
    "file": st.text("abc./-_ ", min_size=1),
}
GIVEN = st.fixed_dictionaries({}, optional=VALUES)

NAMES = st.from_regex(r"([a-z-]+\+)?[a-z-]+", fullmatch=True)
ASSIGNMENTS = st.from_regex(r"[a-z0-9_]+=[^,]*", fullmatch=True)
SPECS = st.one_of(
    NAMES,
    st.tuples(NAMES, st.lists(ASSIGNMENTS, min_size=1)).map(lambda both: f"{both[0]}:{','.join(both[1])}"),
    st.sampled_from(["scripted:game.txt", "scripted:games/a=b.txt", "scripted:mine:choose", "scored:mine:score"]),
)


def read(text):
    return read_parameters(f"agent:{text}", text, PARAMETERS)


def refusal(text):
    with pytest.raises(AgentError) as error:
        read(text)
    return str(error.value)


# Lists of specs


@given(st.lists(SPECS, min_size=1))
def test_specs_that_are_joined_with_commas_are_split_again(specs):
    assert split_specs(",".join(specs)) == specs


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("", [""]),
        (",", ["", ""]),
        ("random", ["random"]),
        ("random,", ["random", ""]),
        ("random,price=1", ["random", "price=1"]),
        ("greedy:price=1,random,price=2", ["greedy:price=1", "random", "price=2"]),
        ("greedy:price=1,,goal=win", ["greedy:price=1", "", "goal=win"]),
        ("greedy:price=1,goal=win,scripted:a=b:choose", ["greedy:price=1,goal=win", "scripted:a=b:choose"]),
        ("greedy:price=1,goal = win", ["greedy:price=1", "goal = win"]),
        ("no-income-3+greedy:price=1,goal=win,random", ["no-income-3+greedy:price=1,goal=win", "random"]),
        ("puct:network=a:b.json,greedy", ["puct:network=a:b.json", "greedy"]),
        ("puct:depth=1,network=a:b.json,greedy", ["puct:depth=1,network=a:b.json", "greedy"]),
    ],
)
def test_only_key_and_value_behind_a_colon_go_on_with_the_spec_before_them(text, specs):
    assert split_specs(text) == specs


# Reading


def test_without_any_the_defaults_are_read_and_what_has_none_is_left_out():
    assert read("") == DEFAULTS
    assert read_parameters("agent", "", ()) == {}


@given(given=GIVEN, order=st.randoms())
def test_what_is_given_in_any_order_is_read_and_the_rest_are_defaults(given, order):
    parts = [f"{name}={value}" for name, value in given.items()]
    order.shuffle(parts)
    found = read(",".join(parts))
    assert set(found) == {*DEFAULTS, *given}
    assert list(found) == [one.name for one in PARAMETERS if one.name in found]
    for one in PARAMETERS:
        if one.name in found:
            assert type(found[one.name]) is one.kind
            assert found[one.name] == given.get(one.name, one.default)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("price=10.001", "price must be a number from 0 to 10 with at most three decimals, not 10.001"),
        ("price=-0.001", "price must be a number from 0 to 10 with at most three decimals, not -0.001"),
        ("price=nan", "price must be a number from 0 to 10 with at most three decimals, not nan"),
        ("price=", "price must be a number from 0 to 10 with at most three decimals, not ''"),
        ("price=much", "price must be a number from 0 to 10 with at most three decimals, not 'much'"),
        ("price=0.0004", "price has at most three decimals, not 0.0004"),
        ("price=1e-9", "price has at most three decimals, not 1e-9"),
        ("time_price=12345678.0005", "time_price has at most three decimals, not 12345678.0005"),
        ("time_price=-2.5", "time_price must be a number from -2 on with at most three decimals, not -2.5"),
        ("time_price=inf", "time_price must be a number from -2 on with at most three decimals, not inf"),
        ("time_price=1e400", "time_price must be a number from -2 on with at most three decimals, not 1e400"),
        ("depth=0", "depth must be a whole number from 1 to 4, not 0"),
        ("depth=5", "depth must be a whole number from 1 to 4, not 5"),
        ("depth=2.0", "depth must be a whole number from 1 to 4, not '2.0'"),
        ("goal=draw", "goal must be one of margin, win, not 'draw'"),
        ("price=1,depth=1,price=1", "price is given twice"),
        ("prise=1", "'prise=1' is no parameter of it; did you mean price=?"),
        ("price", "'price' is no parameter of it; it takes price=, time_price=, depth=, goal=, seconds=, file="),
        ("zebra=1", "'zebra=1' is no parameter of it; it takes price=, "),
        ("price=1,", "'' is no parameter of it; it takes price=, "),
        ("price =1", "'price =1' is no parameter of it; write price= without blanks"),
        ("price=1, depth=2", "' depth=2' is no parameter of it; write depth= without blanks"),
        ("file=", "file must be the name of a file, without commas, not ''"),
        ("file=a,b.json", "'b.json' is no parameter of it; file= is the name of a file, without commas"),
        ("file=a,b=c.json", "'b=c.json' is no parameter of it; file= is the name of a file, without commas"),
        ("file=a,b.json,price=1", "'b.json' is no parameter of it; file= is the name of a file, without commas"),
        ("file=a,prise=1", "'prise=1' is no parameter of it; did you mean price=?"),
        ("goal=win,b.json", "'b.json' is no parameter of it; it takes price=, "),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(text, said):
    assert refusal(text).startswith(f"agent 'agent:{text}': {said}")


@pytest.mark.parametrize("text", ["price=0", "price=10", "time_price=-2", "depth=1", "depth=4", "seconds=60"])
def test_the_bounds_themselves_are_within(text):
    name, _, value = text.partition("=")
    assert read(text)[name] == float(value)


def test_where_there_are_no_parameters_none_is_taken():
    with pytest.raises(AgentError, match=r"agent 'plain:3': '3' is no parameter of it; it takes none"):
        read_parameters("plain:3", "3", ())


# The one way to write them


def plain(text):
    return plain_spec("agent", read(text), PARAMETERS)


@given(given=GIVEN, order=st.randoms())
def test_the_one_way_to_write_a_spec_is_read_as_the_same_values_and_written_the_same_again(given, order):
    parts = [f"{name}={value}" for name, value in given.items()]
    order.shuffle(parts)
    values = read(",".join(parts))
    spec = plain_spec("agent", values, PARAMETERS)
    name, _, text = spec.partition(":")
    assert name == "agent"
    assert read(text) == values
    assert plain(text) == spec


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("", "agent"),
        ("price=1,goal=margin,depth=2", "agent"),
        ("price=1.0000000000000002", "agent"),
        ("time_price=-0", "agent:time_price=0"),
        ("goal=win,price=2.50", "agent:price=2.5,goal=win"),
        ("price=1e-1", "agent:price=0.1"),
        ("price=0.30000000000000004", "agent:price=0.3"),
        ("time_price=1e20", "agent:time_price=1e+20"),
        ("depth=+3", "agent:depth=3"),
        ("file=a.bin,seconds=1.0", "agent:seconds=1,file=a.bin"),
    ],
)
def test_spellings_of_the_same_values_are_written_in_one_way(text, spec):
    assert plain(text) == spec


def test_the_bounds_are_told_in_words():
    assert [one.bounds for one in PARAMETERS] == [
        "a number from 0 to 10 with at most three decimals",
        "a number from -2 on with at most three decimals",
        "a whole number from 1 to 4",
        "one of margin, win",
        "a number from 0.001 to 60 with at most three decimals",
        "the name of a file, without commas",
    ]
    million = Parameter("iterations", "how many visits", 1000, 1, 1_000_000, kind=int)
    assert million.bounds == "a whole number from 1 to 1000000"
    assert math.isinf(PARAMETERS[1].greatest)
