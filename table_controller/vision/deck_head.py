"""What an enrolled deck adds to the classifier: a correction of its last layer, and a calibration of its own.

The network gives, beside its logits, the features that its last layer is a linear function of. A deck's head is another
linear function of the same features whose outcome is added: the shipped weights stay untouched.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from table_controller.cards import FACES, RANKS, SUITS

PARTS = len(RANKS) + len(SUITS) + len(FACES) - len(RANKS) * len(SUITS) + 1
"""A logit for each rank and suit (a face has the sum of two), one for each joker and one for "no index"."""

Floats = NDArray[np.float32]


def to_faces(parts: NDArray[np.floating]) -> NDArray[np.floating]:
    """N × PARTS logits as N × 55: ranks and suits added, over FACES and "no index"."""
    ranks, suits = parts[:, : len(RANKS)], parts[:, len(RANKS) : len(RANKS) + len(SUITS)]
    pairs = (ranks[:, :, None] + suits[:, None, :]).reshape(len(parts), -1)
    return np.concatenate([pairs, parts[:, len(RANKS) + len(SUITS) :]], axis=1)


def to_parts(faces: NDArray[np.floating]) -> NDArray[np.floating]:
    """N × 55 values summed up to N × PARTS: the transpose of ``to_faces``, as gradients need it."""
    pairs = faces[:, : len(RANKS) * len(SUITS)].reshape(len(faces), len(RANKS), len(SUITS))
    return np.concatenate([pairs.sum(2), pairs.sum(1), faces[:, len(RANKS) * len(SUITS) :]], axis=1)


@dataclass(frozen=True)
class DeckHead:
    """The correction for one deck: ``weight`` is F × PARTS, ``bias`` PARTS; ``temperature`` and ``sure_from`` replace
    the shipped calibration."""

    weight: Floats
    bias: Floats
    temperature: float
    sure_from: float

    def __call__(self, logits: Floats, features: Floats) -> Floats:
        """The deck's logits, N × 55, from the network's logits and features (N × F)."""
        return np.asarray(logits + to_faces(features @ self.weight + self.bias), np.float32)
