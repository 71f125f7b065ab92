"""A network of one hidden layer fitted to lessons, by stochastic gradient descent on numpy's arrays.

No library that patchstats needs anyway fits one with these losses. Adam: Kingma and Ba, "Adam: a method for stochastic
optimization", 2015; the rate falls along half a cosine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from patchstats.kernel.search.dense import HIDDEN
from patchstats.kernel.search.weights import HEADS

Floats = NDArray[np.float32]

#: Points are counted in so many at a time, so that a usual difference is about one.
POINTS = 20.0
#: Lessons that a step is made from; fewer when there are few in all.
_BATCH = 4096
_RATE = 2.5e-3
_FADING = (0.9, 0.999)


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted network, in real numbers.

    Attributes:
        hidden: a row of HIDDEN weights by themselves, and one for each feature.
        heads: for each head a weight by itself, and one for each hidden number. The heads are the final points of who
            moves, those of the other, and z, where (1 + z / sqrt(1 + z * z)) / 2 is the probability that who moves
            wins.
        explained: of lessons that it was not fitted to, the share of the variance of the margin that it explains.
        linear: the same of a linear function of the features.
        hits: how often the network tells the winner of those lessons.
    """

    hidden: NDArray[np.float64]
    heads: NDArray[np.float64]
    explained: float
    linear: float
    hits: float


def fit(
    features: NDArray[np.int16],
    outcomes: NDArray[np.int32],
    held_out: NDArray[np.bool_],
    seed: int,
    epochs: int,
    tell: Callable[[int, float], None],
) -> Fit:
    """Fit a network to the lessons that are not held out, and judge it by those that are.

    `tell` gets the number of each epoch and the mean loss in it. The same lessons and seed give the same network on
    one machine; the last digits may differ on another one.
    """
    generator = np.random.default_rng(seed)
    chosen = np.flatnonzero(~held_out)
    mean = features[chosen].mean(axis=0, dtype=np.float64).astype(np.float32)
    spread = np.maximum(features[chosen].std(axis=0, dtype=np.float64), 1e-2).astype(np.float32)
    inputs = features.shape[1]
    weights = [
        generator.normal(size=(inputs, HIDDEN)).astype(np.float32) * math.sqrt(2 / inputs),
        np.zeros(HIDDEN, dtype=np.float32),
        generator.normal(size=(HIDDEN, HEADS)).astype(np.float32) * math.sqrt(1 / HIDDEN),
        np.zeros(HEADS, dtype=np.float32),
    ]
    averages = [np.zeros_like(one) for one in weights]
    squares = [np.zeros_like(one) for one in weights]
    size = min(_BATCH, max(len(chosen) // 20, 1))
    steps = epochs * (len(chosen) // size)
    step = 0
    for epoch in range(epochs):
        losses = []
        order = generator.permutation(chosen)
        for begin in range(0, len(order) - size + 1, size):
            batch = order[begin : begin + size]
            loss, gradients = _gradients((features[batch] - mean) / spread, outcomes[batch], weights)
            losses.append(loss)
            step += 1
            rate = _RATE * 0.5 * (1 + math.cos(math.pi * step / (steps + 1)))
            for weight, gradient, average, square in zip(weights, gradients, averages, squares, strict=True):
                average += (1 - _FADING[0]) * (gradient - average)
                square += (1 - _FADING[1]) * (gradient * gradient - square)
                first, second = 1 - _FADING[0] ** step, 1 - _FADING[1] ** step
                weight -= rate * (average / first) / (np.sqrt(square / second) + 1e-8)
        tell(epoch, float(np.mean(losses)))
    explained, hits = _judge((features[held_out] - mean) / spread, outcomes[held_out], weights)
    rows = weights[0].astype(np.float64) / spread[:, None]
    hidden = np.vstack([weights[1] - mean @ rows, rows])
    heads = np.vstack([weights[3], weights[2]]).T.astype(np.float64)
    heads[:2] *= POINTS
    return Fit(hidden, heads, explained, _linear(features, outcomes, held_out), hits)


def _outputs(x: Floats, weights: list[Floats]) -> tuple[Floats, Floats]:
    hidden = np.maximum(x @ weights[0] + weights[1], 0)
    return hidden, hidden @ weights[2] + weights[3]


def _gradients(x: Floats, outcomes: NDArray[np.int32], weights: list[Floats]) -> tuple[float, list[Floats]]:
    """The mean loss and its gradients: Huber's for both seats' points and for the margin, and the logarithmic one for
    the win.
    """
    hidden, outputs = _outputs(x, weights)
    points = outcomes[:, :2].astype(np.float32) / np.float32(POINTS)
    off = outputs[:, :2] - points
    margin = off[:, 0] - off[:, 1]
    z = outputs[:, 2]
    root = np.sqrt(1 + z * z)
    chance = 0.5 * (1 + z / root)
    won = outcomes[:, 2].astype(np.float32)
    slope = np.empty_like(outputs)
    slope[:, :2] = np.clip(off, -1, 1)
    slope[:, 0] += np.clip(margin, -1, 1)
    slope[:, 1] -= np.clip(margin, -1, 1)
    slope[:, 2] = 2 * (chance - won) / root
    slope /= len(x)
    loss = _huber(off).sum(axis=1) + _huber(margin) - np.log(np.where(won > 0, chance, 1 - chance) + 1e-7)
    back = (slope @ weights[2].T) * (hidden > 0)
    return float(loss.mean()), [x.T @ back, back.sum(axis=0), hidden.T @ slope, slope.sum(axis=0)]


def _huber(off: Floats) -> Floats:
    size = np.abs(off)
    loss: Floats = np.where(size < 1, 0.5 * size * size, size - 0.5)
    return loss


def _judge(x: Floats, outcomes: NDArray[np.int32], weights: list[Floats]) -> tuple[float, float]:
    _, outputs = _outputs(x, weights)
    margin = (outcomes[:, 0] - outcomes[:, 1]).astype(np.float64)
    expected = (outputs[:, 0] - outputs[:, 1]) * POINTS
    explained = 1 - np.mean((expected - margin) ** 2) / np.var(margin)
    return float(explained), float(np.mean((outputs[:, 2] > 0) == (outcomes[:, 2] > 0)))


def _linear(features: NDArray[np.int16], outcomes: NDArray[np.int32], held_out: NDArray[np.bool_]) -> float:
    """The share of the variance of the margin that a linear function explains, of lessons that it was not fitted to."""
    chosen = np.flatnonzero(~held_out)[::4]  # enough for so few weights
    margin = (outcomes[:, 0] - outcomes[:, 1]).astype(np.float64)
    with_one = [np.column_stack([np.ones(len(rows)), features[rows]]) for rows in (chosen, np.flatnonzero(held_out))]
    weights = np.linalg.lstsq(with_one[0], margin[chosen], rcond=None)[0]
    return float(1 - np.mean((with_one[1] @ weights - margin[held_out]) ** 2) / np.var(margin[held_out]))
