"""Finds corner indices in a photograph whose scale nobody told: a pyramid, then the two scales they show best at.

The detector sees indices of 12 to 48 px. The pyramid's steps are a factor of two, so every index falls into that range
at one or two of them; the size most of the found ones agree on then sets the scales of two last, sharper looks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from table_controller.vision.detect import UNIT_PX, Corner, Detector, merge
from table_controller.vision.images import Image

SMALLEST_SIDE_PX = 60
LARGEST_PX = 26_000_000
SIZE_RATIO = 1.9
"""Indices of one size differ in height by at most this factor from the usual one."""
FAR_RATIO, FAR_FOUND = 2.2, 0.4
"""In a photograph taken from aside those at the far end of the table may be so many times smaller than the usual one;
they are believed when the detector is as sure of them as this: letters on keys and boxes are small, too."""
SEEN_PX = (11.0, 50.0)
"""Heights, as the detector saw them, in which a find is believed."""
CLOSER = (1.0, 1.5)
"""The last looks, in shares of the scale at which the usual index shows best: close neighbours and cards further away
are told apart at the larger one."""


def _pyramid(image: Image) -> list[float]:
    """The scales tried: a factor of two apart, the largest of them small enough to be quick."""
    height, width = image.shape[:2]
    top = min(1.0, math.sqrt(LARGEST_PX / (height * width)))
    scales: list[float] = []
    while min(height, width) * top >= SMALLEST_SIDE_PX or not scales:
        scales.append(top)
        top /= 2
    return scales


def _believable(corners: Sequence[Corner], scale: float) -> list[Corner]:
    return [c for c in corners if SEEN_PX[0] <= c.height_px * scale <= SEEN_PX[1]]


def usual_height(corners: Sequence[Corner]) -> float:
    """The height most of the finds agree on, each weighing its score squared; in pixels of the photograph."""
    heights = np.log([c.height_px for c in corners])
    weights = np.array([c.score**2 for c in corners])
    spread = math.log(1.25)
    votes = (weights * np.exp(-(((heights[:, None] - heights[None]) / spread) ** 2))).sum(1)
    best = heights[int(votes.argmax())]
    near = np.abs(heights - best) < 2 * spread
    return float(np.exp(np.average(heights[near], weights=weights[near])))


def of_one_size(corners: Sequence[Corner], height_px: float) -> list[Corner]:
    """The corners whose height is within ``SIZE_RATIO`` of ``height_px``."""
    return [c for c in corners if 1 / SIZE_RATIO <= c.height_px / height_px <= SIZE_RATIO]


def _far(corners: Sequence[Corner], height_px: float) -> list[Corner]:
    """The smaller ones that may be cards at the table's far end."""
    return [c for c in corners if 1 / FAR_RATIO <= c.height_px / height_px < 1 / SIZE_RATIO and c.score >= FAR_FOUND]


def find_at_any_scale(detector: Detector, image: Image, threshold: float) -> list[Corner]:
    """The corners of the one size that dominates the photograph, and clear ones that lie further away."""
    rough: list[Corner] = []
    for scale in _pyramid(image):
        rough.extend(_believable(detector.find(image, scale, threshold), scale))
    if not rough:
        return []
    height = usual_height(merge(rough))
    sharp: list[Corner] = []
    for closer in CLOSER:
        scale = min(2.0, closer * UNIT_PX / height)
        sharp.extend(_believable(detector.find(image, scale, threshold), scale))
    merged = merge(sharp)
    return of_one_size(merged, height) + _far(merged, height)
