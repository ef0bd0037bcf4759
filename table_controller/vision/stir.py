"""How far print moved between two pictures of one place, to a hundredth of a pixel (least squares, Lucas-Kanade)."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.vision.images import Image

MOST_PX = 4.0
"""Shifts larger than this are not found."""
_ROUNDS = 6
_EDGE_PX = 3
_INK = 0.5
"""What is darker than this share of the way from the lightest to the darkest is print."""
_ROUND_PX = 5
_LEAST_PX = 40
_LOOKS, _OUTLYING, _NOISE = 3, 4.0, 0.5
"""What fits a shift this many times worse than most of the print, noise granted, is something else, and left out."""


def print_shift(before: Image, now: Image) -> float:
    """How far (px) the print of two cuts of one size is shifted from one to the other; at most MOST_PX.

    Only the print and what is close round it is compared: the edge and the shadow of a card laid beside are no shift.
    """
    if before.shape != now.shape or min(before.shape[:2]) < 12:
        return 0.0
    one, other = _smooth(before), _smooth(now)
    inner = _round_print(one)
    shift = np.zeros(2)
    for _ in range(_ROUNDS):
        matrix = np.array([[1.0, 0.0, shift[0]], [0.0, 1.0, shift[1]]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        size = (other.shape[1], other.shape[0])
        moved = np.asarray(
            cv2.warpAffine(other, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), dtype=np.float32
        )
        shift = shift + _step(one, moved, inner)
        if float(np.hypot(*shift)) > MOST_PX:
            return MOST_PX
    return float(np.hypot(*shift))


def _smooth(cut: Image) -> NDArray[np.float32]:
    grey = np.asarray(cv2.cvtColor(cut, cv2.COLOR_BGR2GRAY), dtype=np.float32)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), 1.0), dtype=np.float32)


def _round_print(grey: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Where a cut shows print or what is close to it; all of it where there is hardly any."""
    within = np.zeros(grey.shape, dtype=bool)
    within[_EDGE_PX:-_EDGE_PX, _EDGE_PX:-_EDGE_PX] = True
    light, dark = float(np.percentile(grey, 90)), float(grey.min())
    ink = (grey < light - _INK * (light - dark)).astype(np.uint8)
    near = np.asarray(cv2.dilate(ink, np.ones((_ROUND_PX, _ROUND_PX), dtype=np.uint8))) > 0
    return within & near if np.count_nonzero(within & near) >= _LEAST_PX else within


def _step(one: NDArray[np.float32], moved: NDArray[np.float32], inner: NDArray[np.bool_]) -> NDArray[np.float64]:
    along = np.asarray(cv2.Sobel(moved, cv2.CV_32F, 1, 0, scale=1 / 8))[inner]
    down = np.asarray(cv2.Sobel(moved, cv2.CV_32F, 0, 1, scale=1 / 8))[inner]
    rest = (one - moved)[inner]
    # a shadow falls over the print evenly or more to one side: that is light, and no shift
    y, x = np.nonzero(inner)
    bright = moved[inner]
    causes = np.stack([along, down, bright, bright * (x - x.mean()), bright * (y - y.mean()), np.ones_like(bright)], 1)
    weights = np.ones_like(rest)
    for _ in range(_LOOKS):
        found = np.linalg.lstsq(causes * weights[:, None], rest * weights, rcond=None)[0]
        off = np.abs(rest - causes @ found)
        weights = (off <= _OUTLYING * (float(np.median(off)) + _NOISE)).astype(np.float32)
    return np.asarray(found[:2], dtype=np.float64)
