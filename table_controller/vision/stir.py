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


def print_shift(before: Image, now: Image) -> float:
    """How far (px) the print of two cuts of one size is shifted from one to the other; at most MOST_PX."""
    if before.shape != now.shape or min(before.shape[:2]) < 12:
        return 0.0
    one, other = _smooth(before), _smooth(now)
    other += float(np.median(one) - np.median(other))
    shift = np.zeros(2)
    for _ in range(_ROUNDS):
        matrix = np.array([[1.0, 0.0, shift[0]], [0.0, 1.0, shift[1]]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        size = (other.shape[1], other.shape[0])
        moved = np.asarray(
            cv2.warpAffine(other, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), dtype=np.float32
        )
        shift = shift + _step(one, moved)
        if float(np.hypot(*shift)) > MOST_PX:
            return MOST_PX
    return float(np.hypot(*shift))


def _smooth(cut: Image) -> NDArray[np.float32]:
    grey = np.asarray(cv2.cvtColor(cut, cv2.COLOR_BGR2GRAY), dtype=np.float32)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), 1.0), dtype=np.float32)


def _step(one: NDArray[np.float32], moved: NDArray[np.float32]) -> NDArray[np.float64]:
    inner = (slice(_EDGE_PX, -_EDGE_PX), slice(_EDGE_PX, -_EDGE_PX))
    along = np.asarray(cv2.Sobel(moved, cv2.CV_32F, 1, 0, scale=1 / 8))[inner].ravel()
    down = np.asarray(cv2.Sobel(moved, cv2.CV_32F, 0, 1, scale=1 / 8))[inner].ravel()
    rest = (one - moved)[inner].ravel()
    normal = np.array([[along @ along, along @ down], [along @ down, down @ down]], dtype=np.float64) + 1e-3 * np.eye(2)
    return np.asarray(
        np.linalg.solve(normal, np.array([along @ rest, down @ rest], dtype=np.float64)), dtype=np.float64
    )
