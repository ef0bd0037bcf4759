"""Learns a deck's head from its samples: a regularised correction of the classifier's last layer, by L-BFGS.

Features of many varied crops are brought down to their main directions first, so that time and memory stay bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from table_controller.vision.classify import PLAIN, IndexClassifier
from table_controller.vision.deck_head import PARTS, Floats, to_faces, to_parts
from table_controller.vision.enrol.samples import Sample
from table_controller.vision.enrol.vary import varied

DIRECTIONS = 256
BASIS_CROPS = 1_400
ROUNDS = 24
"""Varied crops of each sample, beside the plain one."""
STEPS = 120
HISTORY = 8
SEED = 20_261

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Features:
    """What the network makes of M crops: its logits (M × 55), its features in the main directions (M × K), and those
    directions (F × K, orthonormal); the sample each crop is of."""

    logits: Floats
    values: Floats
    basis: Floats
    sample: NDArray[np.int64]


def main_directions(features: Floats, count: int) -> Floats:
    """The ``count`` orthonormal directions (F × count) in which the features vary most round zero."""
    gram = features @ features.T
    strengths, vectors = np.linalg.eigh(gram.astype(np.float64))
    best = np.argsort(strengths)[::-1][:count]
    best = best[strengths[best] > strengths[best[0]] * 1e-7]
    return np.asarray((features.T @ vectors[:, best].astype(np.float32)) / np.sqrt(strengths[best]), np.float32)


def gather(
    samples: Sequence[Sample],
    classifier: IndexClassifier,
    rounds: int = ROUNDS,
    tell: Callable[[float], None] = lambda share: None,
) -> Features:
    """The features of every sample, plain and ``rounds`` times varied. ``tell`` hears the share that is done."""
    patches = [sample.patch for sample in samples]
    count = len(patches)
    plain = classifier.crops(patches, [False] * count, [PLAIN] * count)
    parts = [classifier.outputs(plain)]
    early = [parts[0][1]]
    while sum(map(len, early)) < BASIS_CROPS and len(early) <= rounds:
        early.append(classifier.outputs(varied(patches, classifier, SEED + len(early)))[1])
    basis = main_directions(np.concatenate(early)[:BASIS_CROPS], DIRECTIONS)
    logits, values = [parts[0][0]], [parts[0][1] @ basis]
    for turn in range(1, rounds + 1):
        tell(turn / rounds)
        some_logits, some = classifier.outputs(varied(patches, classifier, SEED + turn))
        logits.append(some_logits)
        values.append(some @ basis)
    return Features(np.concatenate(logits), np.concatenate(values), basis, np.tile(np.arange(count), rounds + 1))


def minimise(function: Callable[[Doubles], tuple[float, Doubles]], start: Doubles, steps: int = STEPS) -> Doubles:
    """The point where ``function`` (value and gradient) is least, by L-BFGS with halving steps."""
    point = start.copy()
    value, slope = function(point)
    past: list[tuple[Doubles, Doubles]] = []
    for _ in range(steps):
        way = _direction(slope, past)
        length = 1.0 if past else 1.0 / max(1.0, float(np.abs(slope).sum()))
        fall = float(slope @ way)
        while True:
            there = point + length * way
            new_value, new_slope = function(there)
            if new_value <= value + 1e-4 * length * fall or length < 1e-10:
                break
            length /= 2
        step, change = there - point, new_slope - slope
        if float(step @ change) > 1e-12:
            past = [*past, (step, change)][-HISTORY:]
        done = value - new_value < 1e-7 * max(1.0, abs(value))
        point, value, slope = there, new_value, new_slope
        if done:
            break
    return point


def _direction(slope: Doubles, past: Sequence[tuple[Doubles, Doubles]]) -> Doubles:
    """L-BFGS's two loops."""
    way = -slope
    shares: list[float] = []
    for step, change in reversed(past):
        shares.append(float(step @ way) / float(step @ change))
        way = way - shares[-1] * change
    if past:
        step, change = past[-1]
        way = way * (float(step @ change) / float(change @ change))
    for step, change in past:
        share = shares.pop()
        way = way + step * (share - float(change @ way) / float(step @ change))
    return way


def fit(features: Features, targets: NDArray[np.int64], rows: NDArray[np.int64], hold: float) -> tuple[Floats, Floats]:
    """(K × PARTS correction in the main directions, PARTS bias) from the crops in ``rows``.

    ``targets`` are classes by sample; ``hold`` is how strongly the correction is held at nothing.
    """
    values, logits = features.values[rows], features.logits[rows]
    truth = targets[features.sample[rows]]
    seen = np.bincount(truth, minlength=logits.shape[1])
    weights = 1 / np.sqrt(seen[truth])
    weights = (weights / weights.sum()).astype(np.float32)
    spread = float(np.sqrt((values**2).sum(1).mean()))
    inputs = np.concatenate([values / spread, np.ones((len(values), 1), np.float32)], axis=1).astype(np.float32)
    picked = np.arange(len(truth))

    def loss(flat: Doubles) -> tuple[float, Doubles]:
        correction = flat.reshape(-1, PARTS)
        scores = logits + to_faces(inputs @ correction.astype(np.float32))
        scores = scores - scores.max(1, keepdims=True)
        powers = np.exp(scores)
        sums = powers.sum(1)
        error = powers / sums[:, None]
        lost = float(weights @ (np.log(sums) - scores[picked, truth])) + 0.5 * hold * float((correction**2).sum())
        error[picked, truth] -= 1
        slope = inputs.T @ to_parts(error * weights[:, None])
        return lost, (slope.astype(np.float64) + hold * correction).ravel()

    best = minimise(loss, np.zeros(inputs.shape[1] * PARTS)).reshape(-1, PARTS)
    return np.asarray(best[:-1] / spread, np.float32), np.asarray(best[-1], np.float32)
