"""One deck's indices are of one size: what is read off a small pip or a court's figure is smaller than the cards', and
an index half covered by a card laid over it is narrower."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from table_controller.cards import JOKERS
from table_controller.vision.reading import IndexReading

_LEAST = 0.8
"""Of the usual height. In rendered scenes one index in a thousand measures less than 0.87 of it, no joker's word less
than 1.0; what was read off pips and figures 0.5 to 0.75."""
_NARROW = 0.7
"""Of the usual width by height. Whole indices seen from above measure 0.74 and more, half covered ones 0.6."""
_FAINT = 0.4
"""What is narrow and was found no more clearly than this is left out; else it is doubted."""
_TOLD_BY = 3


def usual_height_px(readings: Sequence[IndexReading]) -> float | None:
    """The height of the sure suit cards' indices in a view of known scale; None where too few are sure."""
    heights = [r.height_px for r in readings if not r.doubtful and r.card not in JOKERS]
    return float(np.median(heights)) if len(heights) >= _TOLD_BY else None


def of_one_print(readings: Sequence[IndexReading], usual_px: float | None) -> list[IndexReading]:
    """The readings without those too small to be an index of the deck, narrow ones doubted.

    ``usual_px``: how high indices are, where the view does not tell."""
    here = usual_height_px(readings)
    usual = here if here is not None else usual_px
    high = [r for r in readings if usual is None or r.height_px >= _LEAST * usual]
    whole = [_slim(r) for r in high if not r.doubtful and r.card not in JOKERS]
    narrow = _NARROW * float(np.median(whole)) if len(whole) >= _TOLD_BY else 0.0
    cut = [r.card not in JOKERS and _slim(r) < narrow for r in high]
    return [replace(r, doubtful=r.doubtful or c) for r, c in zip(high, cut, strict=True) if not c or r.found > _FAINT]


def _slim(reading: IndexReading) -> float:
    return reading.width_px / reading.height_px
