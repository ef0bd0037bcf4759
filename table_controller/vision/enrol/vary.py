"""Many slightly different crops of a patch, as the same index would look on another day: seeded."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from table_controller.vision.classify import PATCH_PX, IndexClassifier, View
from table_controller.vision.images import Image

SIZE, TURN, SHIFT = 0.11, 0.11, 0.05
"""Spreads (uniform) of the views: share of the size, radians, index heights."""
ASIDE = 0.35
"""How much narrower (a logarithm) or slanted an index may look from another side."""


def _view(draw: np.random.Generator) -> View:
    size, turn, dx, dy = draw.uniform(-1, 1, 4)
    return View(1 + SIZE * size, TURN * turn, SHIFT * dx, SHIFT * dy)


def _blurred(crop: Image, draw: np.random.Generator) -> Image:
    sigma = float(draw.uniform(0.4, 1.5))
    if draw.random() < 0.5:
        return np.asarray(cv2.GaussianBlur(crop, (0, 0), sigma), np.uint8)
    length, angle = int(draw.integers(2, 6)), float(draw.uniform(0, 180))
    line = np.zeros((7, 7), np.float32)
    line[3, 3 - length // 2 : 3 - length // 2 + length] = 1
    kernel = cv2.warpAffine(line, cv2.getRotationMatrix2D((3, 3), angle, 1.0), (7, 7))
    return np.asarray(cv2.filter2D(crop, -1, kernel / kernel.sum()), np.uint8)


def _inked(crop: Image, draw: np.random.Generator) -> Image:
    """Thicker or thinner print, in part."""
    shape = np.ones((3, 3), np.uint8)
    other = cv2.erode(crop, shape) if draw.random() < 0.6 else cv2.dilate(crop, shape)
    share = float(draw.uniform(0.1, 0.6))
    return np.asarray(cv2.addWeighted(crop, 1 - share, other, share, 0), np.uint8)


def _coarse(crop: Image, draw: np.random.Generator) -> Image:
    height, width = crop.shape[:2]
    factor = float(draw.uniform(0.45, 0.9))
    small = cv2.resize(crop, (round(width * factor), round(height * factor)), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)


def _toned(crop: Image, draw: np.random.Generator) -> Image:
    """Gamma, gain and colour cast."""
    values = (crop.astype(np.float32) / 255) ** float(draw.uniform(0.75, 1.35))
    gains = draw.uniform(0.8, 1.1) * draw.uniform(0.93, 1.07, 3)
    return np.clip(values * gains.astype(np.float32) * 255, 0, 255).astype(np.uint8)


def _noisy(crop: Image, draw: np.random.Generator) -> Image:
    noise = draw.normal(0, float(draw.uniform(2, 10)), crop.shape)
    return np.clip(crop + noise, 0, 255).astype(np.uint8)


def _aside(patch: Image, draw: np.random.Generator) -> Image:
    """The patch as from another side: narrower or wider, and slanted."""
    narrow, slant = float(np.exp(ASIDE * draw.uniform(-1, 0.5))), float(ASIDE * draw.uniform(-1, 1))
    middle = (PATCH_PX - 1) / 2
    matrix = np.array([[narrow, slant, middle * (1 - narrow - slant)], [0.0, 1.0, 0.0]])
    return np.asarray(
        cv2.warpAffine(patch, matrix, (PATCH_PX, PATCH_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
        np.uint8,
    )


def varied(patches: Sequence[Image], classifier: IndexClassifier, seed: int) -> Image:
    """One varied crop of each patch (N × height × width × 3); the same seed, the same crops."""
    draw = np.random.default_rng(seed)
    turned = [_aside(patch, draw) for patch in patches]
    crops = classifier.crops(turned, [False] * len(turned), [_view(draw) for _ in turned])
    for i, crop in enumerate(crops):
        for change, chance in ((_inked, 0.35), (_blurred, 0.35), (_coarse, 0.25), (_toned, 0.5), (_noisy, 0.35)):
            if draw.random() < chance:
                crop = change(crop, draw)  # noqa: PLW2901
        crops[i] = crop
    return crops
