"""What an engine says of itself when it is greeted, and what it can so be asked and held to."""

from __future__ import annotations

from dataclasses import dataclass

from patchstats.conformance.conform.connection import Connection, EngineFault
from patchstats.conformance.conform.judging import message_of
from patchstats.conformance.protocol.messages import ABILITIES, PROTOCOL, STATE
from patchstats.errors import PatchstatsError
from patchstats.rules import Ruleset


@dataclass(frozen=True)
class Abilities:
    """What an engine says of itself in its answer to hello.

    `rulesets` are the names of the shipped rulesets that it plays by, or None for any ruleset.
    """

    name: str
    version: str
    can: frozenset[str]
    fields: tuple[str, ...]
    rulesets: tuple[str, ...] | None

    def plays(self, ruleset: Ruleset) -> bool:
        """Whether the engine says that it plays by the ruleset."""
        if self.rulesets is None:
            return True
        return any(_shipped(name) == ruleset for name in self.rulesets)

    @property
    def compared(self) -> frozenset[str]:
        """Everything in which this engine can differ, as `data/protocol/differences.toml` calls it."""
        words = {"refuse": ("accepts", "changes"), "count": ("count",), "list": ("list", "count")}
        more = (word for ability in self.can for word in words.get(ability, ()))
        return frozenset({*self.fields, "refuses", *more})


def _shipped(name: str) -> Ruleset | None:
    try:
        return Ruleset.load(name)
    except PatchstatsError:
        return None


def greet(connection: Connection) -> Abilities:
    """Ask who is there. Raises EngineFault for what is no proper answer."""
    answers, fault = connection.exchange([{"ask": "hello", "protocol": PROTOCOL}])
    if fault is not None:
        raise fault
    [answer] = answers
    if "error" in answer:
        raise EngineFault("error", f"answered hello with an error: {message_of(answer['error'])}")
    texts = [answer.get(key) for key in ("name", "version")]
    if answer.get("protocol") != PROTOCOL or not all(isinstance(text, str) for text in texts):
        raise _wrong(f"protocol {PROTOCOL} and the texts name and version are needed")
    can, fields, rulesets = answer.get("can", []), answer.get("state"), answer.get("rulesets", "any")
    for key, given, known in (("can", can, ABILITIES), ("state", fields, tuple(STATE))):
        if not isinstance(given, list) or not all(isinstance(one, str) and one in known for one in given):
            raise _wrong(f"{key}: a list of some of {', '.join(known)} is needed")
    if rulesets != "any" and (not isinstance(rulesets, list) or not all(isinstance(one, str) for one in rulesets)):
        raise _wrong('rulesets: "any" or a list of names of shipped rulesets is needed')
    plain = ["".join(one if one.isprintable() else "?" for one in str(text))[:60] for text in texts]
    named = None if rulesets == "any" else tuple(rulesets)
    told = tuple(key for key in STATE if key in set(fields or ()))
    return Abilities(plain[0], plain[1], frozenset(can), told, named)


def _wrong(reason: str) -> EngineFault:
    return EngineFault("garbage", f"answered hello wrongly: {reason}")
