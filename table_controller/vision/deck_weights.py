"""What an enrolled deck changes in the classifier: the weights of its last layers, and the calibration.

They are put into a copy of the network in memory: the shipped file stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
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
class DeckWeights:
    """The classifier's last layers for one deck: ``arrays`` by the names of the file's initialisers; ``temperature``
    and ``sure_from`` replace the shipped calibration."""

    arrays: Mapping[str, Floats]
    temperature: float
    sure_from: float
    offset: tuple[float, float] | None = None
    """From one corner's index to the other's: index heights to the right and down."""
    strange_jokers: bool = False
    """Whether the shipped weights see no index on this deck's jokers: then they have no say there."""
