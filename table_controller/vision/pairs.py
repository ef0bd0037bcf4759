"""Reads the two corners of a card together.

How far apart a deck's two indices are, measured in index heights, is learnt from the picture itself: from pairs that
point in opposite directions and read the same card. Other corners that lie just so belong to one card too, and an
unsure one then listens to its partner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from table_controller.vision.classify import NO_INDEX
from table_controller.vision.reading import IndexReading

OPPOSITE = -0.94
"""The product of two corners' directions below which they oppose each other (20° of a half turn)."""
SIZE_RATIO = 1.35
ACROSS, DOWN = (1.6, 5.5), (2.2, 7.0)
"""Where the other index can be at all, in index heights to the right and down."""
NEAR = 0.11
"""How far, as a share of the distance, a pair may differ from what the picture's other cards show."""
SHOWN_BY = 3
"""So many pairs of a picture tell better than the deck where the other index stands (the camera may look aslant)."""
AGREED_FROM = 0.5
ASLANT_FROM = 0.4
"""Two corners that read the same card may be its own although perspective moved them: each this likely,"""
ASLANT_APART, ASLANT_DOWN, ASLANT_SIZE = (0.6, 1.5), 1.5, 1.6
"""so far apart in shares of the usual distance, the other this far down, and their heights within this factor."""
SURE = 0.9
FLOOR = 1e-4
HARDLY = 0.02
SHARED = 0.75
"""Both corners are the same print under the same light: their evidence counts less than twice."""


class Placed(Protocol):
    """What lies somewhere, some way up."""

    @property
    def centre(self) -> tuple[float, float]:
        """Pixels."""

    @property
    def up(self) -> tuple[float, float]:
        """A unit vector towards the card's top."""

    @property
    def height_px(self) -> float:
        """The index's height."""


Pair = tuple[int, int, float, float]
"""Two readings and where the second lies from the first: heights to the right, heights down."""


def offset_between(first: Placed, second: Placed) -> tuple[float, float] | None:
    """Where the second corner lies from the first, in index heights to the right and down; None where the two cannot
    be corners of one card."""
    if first.up[0] * second.up[0] + first.up[1] * second.up[1] > OPPOSITE:
        return None
    big, small = max(first.height_px, second.height_px), min(first.height_px, second.height_px)
    if big > SIZE_RATIO * small:
        return None
    up = np.subtract(first.up, second.up)
    up = up / np.hypot(*up)
    off = np.subtract(second.centre, first.centre) / ((big + small) / 2)
    across, down = float(-up[1] * off[0] + up[0] * off[1]), float(-(up @ off))
    if ACROSS[0] < across < ACROSS[1] and DOWN[0] < down < DOWN[1]:
        return across, down
    return None


def _opposing(readings: Sequence[IndexReading]) -> list[Pair]:
    pairs = []
    for i, first in enumerate(readings):
        for j in range(i + 1, len(readings)):
            offset = offset_between(first, readings[j])
            if offset is not None:
                pairs.append((i, j, *offset))
    return pairs


def _face(reading: IndexReading) -> tuple[int, float]:
    best = int(reading.probs.argmax())
    return best, float(reading.probs[best])


def _agree(first: IndexReading, second: IndexReading) -> bool:
    (a, p), (b, q) = _face(first), _face(second)
    return a == b and min(p, q) > AGREED_FROM


def _both_sure_of_different(first: IndexReading, second: IndexReading) -> bool:
    (a, p), (b, q) = _face(first), _face(second)
    return a != b and min(p, q) > SURE


def _could_agree(first: IndexReading, second: IndexReading) -> bool:
    """Whether either's card is at all likely to the other: a frame's corner lies where an index could be, too."""
    (a, _), (b, _) = _face(first), _face(second)
    return float(first.probs[b]) > HARDLY or float(second.probs[a]) > HARDLY


def _joined(first: IndexReading, second: IndexReading) -> tuple[IndexReading, IndexReading]:
    """Both with their common chances."""
    logs = np.log(np.maximum(first.probs, FLOOR)) + np.log(np.maximum(second.probs, FLOOR))
    chances = np.exp(SHARED * (logs - logs.max()))
    common = (chances / chances.sum()).astype(np.float32)
    return replace(first, probs=common), replace(second, probs=common)


def _aslant(readings: Sequence[IndexReading], taken: set[int], apart: float) -> list[tuple[int, int]]:
    """Pairs left over that agree, as corners of a card seen very much from aside; those nearest to ``apart`` first."""
    found = []
    free = [i for i, reading in enumerate(readings) if i not in taken and _face(reading)[1] > ASLANT_FROM]
    for n, i in enumerate(free):
        for j in free[n + 1 :]:
            first, second = readings[i], readings[j]
            if _face(first)[0] != _face(second)[0] or np.dot(first.up, second.up) > OPPOSITE:
                continue
            small, big = sorted((first.height_px, second.height_px))
            off = np.subtract(second.centre, first.centre) / ((big + small) / 2)
            up = np.subtract(first.up, second.up) / 2
            share = float(np.hypot(*off)) / apart
            if big <= ASLANT_SIZE * small and -float(up @ off) > ASLANT_DOWN and _within(share, ASLANT_APART):
                found.append((abs(share - 1), i, j))
    return [(i, j) for _, i, j in sorted(found)]


def _within(value: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] < value < bounds[1]


def _lone(readings: list[IndexReading], pairs: Sequence[Pair]) -> list[IndexReading]:
    """The readings of a picture that shows no pair alike: corners that oppose each other and nothing else are one
    card's where either's card is likely enough to the other, as on a lone card half in the dark."""
    opposing = Counter(k for i, j, _, _ in pairs for k in (i, j))
    for i, j, _, _ in pairs:
        first, second = readings[i], readings[j]
        alone = opposing[i] == opposing[j] == 1 and NO_INDEX not in (_face(first)[0], _face(second)[0])
        if alone and _could_agree(first, second) and not _both_sure_of_different(first, second):
            readings[i], readings[j] = _joined(first, second)
    return readings


def join_corners(
    readings: Sequence[IndexReading], offset: tuple[float, float] | None = None, from_aside: bool = False
) -> list[IndexReading]:
    """The readings in the same order, the chances of paired corners made one.

    ``offset``: where the deck's other index stands, when that is known and the picture does not show it better.
    ``from_aside``: a photograph, in which a card at the edge may be drawn out of shape.
    """
    joined = list(readings)
    pairs = _opposing(readings)
    alike = [(across, down) for i, j, across, down in pairs if _agree(readings[i], readings[j])]
    if offset is not None and len(alike) < SHOWN_BY:
        alike = [*alike, offset]
    if not alike:
        return _lone(joined, pairs) if from_aside else joined
    usual = np.median(np.array(alike), axis=0)
    apart = float(np.hypot(*usual))
    ranked = sorted((float(np.hypot(across - usual[0], down - usual[1])), i, j) for i, j, across, down in pairs)
    taken: set[int] = set()
    for far, i, j in ranked:
        if far > NEAR * apart:
            break
        if offset is not None and not _could_agree(readings[i], readings[j]):
            continue
        if i in taken or j in taken or _both_sure_of_different(readings[i], readings[j]):
            continue
        taken |= {i, j}
        joined[i], joined[j] = _joined(readings[i], readings[j])
    for i, j in _aslant(readings, taken, apart) if from_aside else []:
        if not taken & {i, j}:
            taken |= {i, j}
            joined[i], joined[j] = _joined(readings[i], readings[j])
    return joined
