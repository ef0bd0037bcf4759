"""Sums over pictures that run for every frame, many times faster than numpy's own."""

from __future__ import annotations

from typing import Any, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = TypeVar("Pixels", NDArray[np.uint8], NDArray[np.float32])


def greatest(picture: Pixels) -> Pixels:
    """The greatest of the three channels, pixel by pixel."""
    blue, green, red = cv2.split(picture)
    return np.asarray(cv2.max(cv2.max(blue, green), red), dtype=picture.dtype)


def least(picture: Pixels) -> Pixels:
    """The least of the three channels, pixel by pixel."""
    blue, green, red = cv2.split(picture)
    return np.asarray(cv2.min(cv2.min(blue, green), red), dtype=picture.dtype)


def median_of_steps(values: NDArray[Any]) -> float:
    """The median of small whole numbers from 0 on, by counting them; ``values`` may hold them as floats."""
    sums = np.cumsum(np.bincount(values.ravel().astype(np.intp)))
    low, high = np.searchsorted(sums, [(sums[-1] - 1) // 2, sums[-1] // 2], side="right")
    return (int(low) + int(high)) / 2


def medians(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The median of each channel of pixels (N × 3)."""
    return np.array([median_of_steps(pixels[:, channel]) for channel in range(pixels.shape[1])], dtype=np.float32)
