"""What is painted over in the set-up picture: all that may be a card, with whatever it encloses or touches."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.vision.channels import least
from table_controller.vision.images import Image

_PAPER, _LEAST_LEVEL, _MOST_LEVEL = 1.4, 40.0, 200.0
"""Paper is so many times as light as the table round it, between these levels of 255."""
_SHRINK, _ROUND = 8, 61
_DARKEST_PART = 0.8
"""Beside a dark table a light mat is no paper."""
_FOREIGN = 16.0
"""So far (in Lab's a and b) from the mat's and the table's own colours lies a card's print, a back, or skin."""
_GLYPH_PX, _INK, _LEAST_INK = 21, 0.4, 14.0
"""Ink swallows this share of the paper's light, and at least so many levels."""
_LEAST_PX = 40
_JOIN_PX, _GROW_PX = 25, 15
Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels."""


def covered(picture: Image, spared: tuple[Box, ...] = ()) -> Image:
    """255 where a card may be, else 0 (height × width), of a picture of about 1,080 pixels a side.

    Held hands may lie in sight between deals, so each blob counts with the whole of its convex hull: court art, backs
    and print go with their paper. ``spared``: boxes of fiducials; what lies wholly inside one is none.
    """
    # the mat's printed lines are thinner than any card's rim, and would join everything
    ink = _ink(picture)
    for x0, y0, x1, y1 in spared:  # the mat looks like ink between a fiducial's rim and a printed line
        ink[max(0, y0 - _GLYPH_PX) : y1 + _GLYPH_PX, max(0, x0 - _GLYPH_PX) : x1 + _GLYPH_PX] = 0
    maybe = cv2.bitwise_or(cv2.bitwise_or(_paper(picture), _foreign(picture)), ink)
    # the mat's printed lines are thinner than any card's rim, and would join everything
    maybe = cv2.morphologyEx(maybe, cv2.MORPH_OPEN, np.ones((5, 5), dtype=np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(maybe, connectivity=8)
    kept = np.array([i > 0 and stats[i][cv2.CC_STAT_AREA] >= _LEAST_PX and not _inside(stats[i], spared)
                     for i in range(count)], dtype=np.uint8)  # fmt: skip
    joined = cv2.morphologyEx(kept[labels], cv2.MORPH_CLOSE, np.ones((_JOIN_PX, _JOIN_PX), dtype=np.uint8))
    mask = np.zeros(picture.shape[:2], dtype=np.uint8)
    for outline in cv2.findContours(joined, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]:
        cv2.fillConvexPoly(mask, cv2.convexHull(outline), 255)
    return np.asarray(cv2.dilate(mask, np.ones((_GROW_PX, _GROW_PX), dtype=np.uint8)), dtype=np.uint8)


def _paper(picture: Image) -> Image:
    """255 where it is lighter than the table, measured here and over the whole, so that shadows hide no card."""
    soft = np.asarray(cv2.GaussianBlur(least(picture), (0, 0), 1.0), dtype=np.uint8)
    height, width = soft.shape
    small = cv2.resize(soft, (max(1, width // _SHRINK), max(1, height // _SHRINK)), interpolation=cv2.INTER_AREA)
    near = cv2.resize(cv2.medianBlur(small, _ROUND), (width, height), interpolation=cv2.INTER_LINEAR)
    whole = float(np.median(soft))
    table = np.clip(near.astype(np.float32), _DARKEST_PART * whole, whole)
    return np.asarray((soft > np.clip(table * _PAPER, _LEAST_LEVEL, _MOST_LEVEL)) * np.uint8(255), dtype=np.uint8)


def _ink(picture: Image) -> Image:
    """255 where figures and pips are darker than what lies round them: print on paper that is in shadow itself."""
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    round_it = cv2.morphologyEx(grey, cv2.MORPH_CLOSE, np.ones((_GLYPH_PX, _GLYPH_PX), dtype=np.uint8))
    ink = cv2.subtract(round_it, grey) > np.maximum(_LEAST_INK, round_it * np.float32(_INK))
    joined = cv2.morphologyEx(ink * np.uint8(255), cv2.MORPH_CLOSE, np.ones((7, 7), dtype=np.uint8))
    return np.asarray(joined, dtype=np.uint8)


def _foreign(picture: Image) -> Image:
    """255 where the colour is none of those of the picture's rim, of the mat within, and of the table's middle."""
    lab = cv2.cvtColor(cv2.GaussianBlur(picture, (0, 0), 1.5), cv2.COLOR_BGR2LAB)
    colour: NDArray[np.float32] = lab[:, :, 1:].astype(np.float32)
    height, width = colour.shape[:2]
    part = np.zeros((height, width), dtype=np.uint8)
    for value, share in ((1, 16), (2, 3)):
        part[height // share : height - height // share, width // share : width - width // share] = value
    off = [np.linalg.norm(colour - np.median(colour[part == value], axis=0), axis=2) for value in range(3)]
    return np.asarray((np.minimum.reduce(off) > _FOREIGN) * np.uint8(255), dtype=np.uint8)


def _inside(stat: NDArray[np.int32], boxes: tuple[Box, ...]) -> bool:
    left, top, width, height = (int(value) for value in stat[:4])
    return any(left >= x0 and top >= y0 and left + width <= x1 and top + height <= y1 for x0, y0, x1, y1 in boxes)
