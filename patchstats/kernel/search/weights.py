"""The learned evaluation as whole numbers: read from its file, written, and held to the bounds of `dense.py`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchstats.errors import AgentError
from patchstats.kernel.search.dense import HIDDEN
from patchstats.kernel.search.features import FEATURES

#: What a network tells of a position: the final points of who moves, those of the other, and how sure the win is.
HEADS = 3
#: What a file must hold, beside notes.
_PARTS = ("ruleset_ids", "features", "shift", "hidden", "heads")
#: Sums must be smaller, so that 32-bit floating point holds them exactly.
_BOUND = 2**24
#: Weights near nothing are not written finer, so that the numbers of the heads stay within 64 bits.
_FINEST = 30
_GREATEST = np.array([max(abs(one.least), abs(one.greatest)) for one in FEATURES], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Network:
    """A network of one hidden layer, in whole numbers.

    Attributes:
        hidden: a row of HIDDEN numbers by itself, and one for each feature.
        heads: for each head a number by itself, and one for each hidden number.
        shift: the sums of the heads are to be divided by 2**shift.
        ruleset_ids: the rulesets whose games it was learned from.
    """

    hidden: NDArray[np.float32]
    heads: NDArray[np.int64]
    shift: int
    ruleset_ids: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.hidden.shape != (len(FEATURES) + 1, HIDDEN) or self.heads.shape != (HEADS, HIDDEN + 1):
            raise ValueError(f"a network of other features or another size: {self.hidden.shape}, {self.heads.shape}")
        reach = _reach(self.hidden)
        if np.any(reach >= _BOUND):
            raise ValueError("its hidden numbers may be too large to be exact")
        if np.any(np.abs(self.heads.astype(np.float64)) @ np.append(1.0, reach) >= 2.0**62) or not 0 <= self.shift < 63:
            raise ValueError("the sums of its heads may be too large")


def _reach(hidden: NDArray[Any]) -> NDArray[np.float64]:
    """How large the sums of each hidden number can be on the way."""
    rows: NDArray[np.float64] = np.abs(hidden.astype(np.float64))
    reach: NDArray[np.float64] = rows[0] + _GREATEST @ rows[1:]
    return reach


def rounded(hidden: NDArray[Any], heads: NDArray[Any], ruleset_ids: tuple[str, ...]) -> Network:
    """Return a network of real weights in whole numbers, as fine as the bounds allow.

    `hidden` and `heads` are shaped as those of `Network`, and the outputs are `heads` times the positive parts of the
    hidden sums.
    """
    fine = 0
    while fine < _FINEST and np.all(_reach(np.round(hidden * 2.0 ** (fine + 1))) < _BOUND):
        fine += 1
    shift = fine + 16
    numbers = np.round(heads * 2.0**16).astype(np.int64)
    numbers[:, 0] = np.round(heads[:, 0] * 2.0**shift)
    return Network(np.round(hidden * 2.0**fine).astype(np.float32), numbers, shift, ruleset_ids)


def network_text(network: Network, notes: dict[str, Any]) -> str:
    """Return a network as JSON, with notes about how it was learned."""
    values = {
        "notes": notes,
        "ruleset_ids": list(network.ruleset_ids),
        "features": [feature.name for feature in FEATURES],
        "shift": network.shift,
        "hidden": network.hidden.astype(np.int64).tolist(),
        "heads": network.heads.tolist(),
    }
    return "{\n" + ",\n".join(f" {json.dumps(key)}: {_lines(value)}" for key, value in values.items()) + "\n}\n"


def _lines(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "[\n" + ",\n".join("  " + json.dumps(row) for row in value) + "\n ]"
    return json.dumps(value)


def network_in(text: str, source: str) -> Network:
    """Return the network in a JSON text.

    Raises AgentError, naming the source, for a text that is none, or one that does not fit the features or the bounds.
    """
    try:
        values = json.loads(text)
        lacking = [part for part in _PARTS if part not in values] if isinstance(values, dict) else list(_PARTS)
        if lacking:
            raise ValueError(f"it lacks {', '.join(lacking)}")
        if values["features"] != [feature.name for feature in FEATURES]:
            raise AgentError(f"{source}: a network for other features; `patchstats train` learns it anew")
        hidden, heads, shift = (np.array(values[key]) for key in ("hidden", "heads", "shift"))
        if not hidden.dtype.kind == heads.dtype.kind == shift.dtype.kind == "i":
            raise ValueError("there are numbers in it that are not whole, or too large")
        ruleset_ids = values["ruleset_ids"]
        if not isinstance(ruleset_ids, list) or not all(isinstance(one, str) for one in ruleset_ids):
            raise ValueError("ruleset_ids is no list of ids")
        return Network(hidden.astype(np.float32), heads, int(shift), tuple(ruleset_ids))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise AgentError(f"{source}: no network of `patchstats train`: {error}") from None
