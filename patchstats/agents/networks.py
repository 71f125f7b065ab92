"""Which learned evaluation an agent judges positions by, if any."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from patchstats.agents.parameters import Parameter, Value
from patchstats.errors import AgentError
from patchstats.rules import Ruleset
from patchstats.rules.files import data_directory

#: What an agent that judges positions can be told about it.
EVALUATION = (
    Parameter(
        "evaluation",
        "learned: the learned evaluation, also on rulesets that it was not learned for; hand: the hand-made one; auto: "
        "the learned one where it was learned for, else the hand-made one",
        "auto",
        choices=("auto", "learned", "hand"),
        kind=str,
    ),
    Parameter(
        "network", "the file of a learned evaluation, of `patchstats train`, instead of the shipped one", None, kind=str
    ),
)


class Judgement(NamedTuple):
    """How positions are judged: the text of a network and its hash, or None; and what is to be said about that."""

    network: str | None
    sha256: str | None
    remark: str


def judgement_for(spec: str, evaluation: Value, network: Value | None, ruleset: Ruleset) -> Judgement:
    """Return how an agent judges positions, as the two parameters say.

    Raises AgentError for a file that cannot be read or, whatever the ruleset, holds no network.
    """
    if evaluation == "hand":
        if network is not None:
            raise AgentError(f"agent {spec!r}: evaluation=hand uses no network; leave one of them out")
        return Judgement(None, None, "")
    path = data_directory() / "evaluation" / "network.json" if network is None else Path(str(network))
    try:
        text = path.read_bytes().decode()
        if network is not None:
            from patchstats.kernel.search.weights import network_in

            network_in(text, str(path))
        learned_for = json.loads(text)["ruleset_ids"]
    except OSError as error:
        hint = "; a comma ends the name of a file" if isinstance(error, FileNotFoundError) else ""
        raise AgentError(f"agent {spec!r}: {path}: {error.strerror}{hint}") from None
    except AgentError as error:
        raise AgentError(f"agent {spec!r}: {error}") from None
    except (ValueError, KeyError, TypeError):
        raise AgentError(f"agent {spec!r}: {path}: no network of `patchstats train`") from None
    if evaluation == "auto" and ruleset.ruleset_id not in learned_for:
        remark = (
            f"agent {spec!r} judges positions by hand-made weights, as the network was not learned for ruleset "
            f"{ruleset.name}; evaluation=learned uses it all the same"
        )
        return Judgement(None, None, remark)
    return Judgement(text, hashlib.sha256(text.encode()).hexdigest(), "")
