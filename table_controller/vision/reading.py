"""What a read corner index is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class IndexReading:
    """One corner index that was read. Positions are pixels of the picture; ``probs`` is over FACES and "no index".

    ``card`` is ``??`` when no face is likelier than "no index". ``up`` is a unit vector from the index's suit to its
    rank: towards the card's top as printed at that corner. ``box`` is (x0, y0, x1, y1), upright.
    """

    card: str
    confidence: float
    doubtful: bool
    centre: tuple[float, float]
    up: tuple[float, float]
    height_px: float
    width_px: float
    box: tuple[float, float, float, float]
    found: float
    probs: NDArray[np.float32]
