"""The parameters of an agent, and the spec strings that give them: `greedy:time_price=1.5,denial=0.6`."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from patchstats.errors import AgentError

Value = int | float | str

#: What goes on with the spec before it when a list of specs is split at its commas.
_PARAMETER = re.compile(r"[a-z0-9_]+=")


@dataclass(frozen=True, slots=True)
class Parameter:
    """What an agent can be told in its spec.

    Attributes:
        name: how it is written.
        line: what it means, and its unit.
        default: its value where none is given; None if one must be chosen, or the agent does without. The kind of the
            default is the kind of the values.
        least, greatest: the bounds of a number, both included.
        choices: the words that can be given; none for numbers.
        kind: `int`, `float` or `str`; a `str` without choices is the name of a file.
    """

    name: str
    line: str
    default: Value | None
    least: float = 0
    greatest: float = math.inf
    choices: tuple[str, ...] = ()
    kind: type[int] | type[float] | type[str] = float

    @property
    def bounds(self) -> str:
        """What a value must be, in words.

        >>> Parameter("depth", "how many plies are looked ahead", 2, least=1, greatest=4, kind=int).bounds
        'a whole number from 1 to 4'
        """
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.kind is str:
            return "the name of a file, without commas"
        what = "a whole number" if self.kind is int else "a number"
        bounds = f"{what} from {self.least:.12g} {f'to {self.greatest:.12g}' if self.greatest < math.inf else 'on'}"
        return bounds if self.kind is int else f"{bounds} with at most three decimals"

    def read(self, text: str) -> Value:
        """Return the value that a text gives, with the 12 digits that `plain_spec` writes.

        Raises ValueError, saying what it must be.
        """
        if self.choices or self.kind is str:
            if text not in self.choices if self.choices else not text:
                raise ValueError(f"must be {self.bounds}, not {text!r}")
            return text
        try:
            value = int(text) if self.kind is int else float(f"{float(text) + 0.0:.12g}")  # -0 is 0
        except ValueError:
            raise ValueError(f"must be {self.bounds}, not {text!r}") from None
        if not self.least <= value <= self.greatest or math.isinf(value):
            raise ValueError(f"must be {self.bounds}, not {text}")
        if self.kind is float and round(value, 3) != value:
            raise ValueError(f"has at most three decimals, not {text}")
        return value


def split_specs(text: str) -> list[str]:
    """Return the specs of a list with commas between them; `key=value` goes on with the spec before it.

    >>> split_specs("greedy:time_price=1.5,denial=0.6,random")
    ['greedy:time_price=1.5,denial=0.6', 'random']
    """
    specs: list[str] = []
    for part in text.split(","):
        if specs and ":" in specs[-1] and _PARAMETER.match(part):
            specs[-1] += "," + part
        else:
            specs.append(part)
    return specs


def read_parameters(spec: str, text: str, parameters: Sequence[Parameter]) -> dict[str, Value]:
    """Return the values that the text after a spec's colon gives, and the defaults of those it does not.

    Raises AgentError for a parameter that there is not, that is given twice, or whose value cannot be.
    """
    by_name = {parameter.name: parameter for parameter in parameters}
    given: dict[str, Value] = {}
    before = None
    for part in text.split(",") if text else []:
        name, equals, written = part.partition("=")
        if name not in by_name or not equals:
            raise AgentError(f"agent {spec!r}: {part!r} is no parameter of it; {_hint(part, by_name, before)}")
        if name in given:
            raise AgentError(f"agent {spec!r}: {name} is given twice")
        try:
            given[name] = by_name[name].read(written)
        except ValueError as error:
            raise AgentError(f"agent {spec!r}: {name} {error}") from None
        before = by_name[name]
    defaults = {name: one.default for name, one in by_name.items() if one.default is not None}
    return {name: value for name in by_name if (value := (defaults | given).get(name)) is not None}


def plain_spec(name: str, values: Mapping[str, Value], parameters: Sequence[Parameter]) -> str:
    """Return the one way to write a spec: parameters in the order of the agent's page, without those at their defaults.

    >>> cost = Parameter("time_price", "what a space of time costs, in buttons", default=1.0)
    >>> plain_spec("greedy", {"time_price": 1.5}, [cost]), plain_spec("greedy", {"time_price": 1.0}, [cost])
    ('greedy:time_price=1.5', 'greedy')
    """
    written = [
        f"{one.name}={values[one.name]:.12g}" if one.kind is float else f"{one.name}={values[one.name]}"
        for one in parameters
        if one.name in values and values[one.name] != one.default
    ]
    return f"{name}:{','.join(written)}" if written else name


def _hint(part: str, by_name: Mapping[str, Parameter], before: Parameter | None) -> str:
    """What could be right instead of a part of a spec, which follows what was given of the parameter before it."""
    name, equals, _ = part.partition("=")
    if equals and name.strip() in by_name:
        return f"write {name.strip()}= without blanks"
    close = difflib.get_close_matches(name, by_name, n=1)
    if equals and close:
        return f"did you mean {close[0]}=?"
    if before is not None and before.kind is str and not before.choices:
        return f"{before.name}= is {before.bounds}"
    return f"it takes {', '.join(f'{one}=' for one in by_name) or 'none'}"
