"""How far apart a deck's two corner indices stand, from cards both of whose corners were seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from table_controller.vision.enrol.samples import Matched
from table_controller.vision.pairs import offset_between

MIN_PAIRS = 3


def usual_offset(photographs: Sequence[Sequence[Matched]]) -> tuple[float | None, float | None]:
    """(across, down) in index heights from one corner to the other of the same card; Nones when too few were seen."""
    offsets = []
    for matched in photographs:
        for i, first in enumerate(matched):
            for second in matched[i + 1 :]:
                if first.card == second.card:
                    offset = offset_between(first.corner, second.corner)
                    if offset is not None:
                        offsets.append(offset)
    if len(offsets) < MIN_PAIRS:
        return None, None
    across, down = np.median(np.array(offsets), axis=0)
    return float(across), float(down)
