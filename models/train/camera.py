"""What cameras do to pictures: resampling, blur, smearing and sharpening, colour, noise, JPEG, specks."""

from __future__ import annotations

import random
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.vision.images import Image

Floats = NDArray[Any]  # OpenCV widens the type it is given
_GREY = np.array([0.114, 0.587, 0.299], np.float32)


def _optics(x: Floats, rng: random.Random, scale: float) -> Floats:
    """Loss of detail. ``scale`` is pixels of ``x`` for one of the camera's, so blur shrinks with it."""
    height, width = x.shape[:2]
    if rng.random() < 0.55:
        fx, fy = (min(1.0, rng.uniform(low, 1) / max(scale, 0.3)) for low in (0.45, 0.5))
        if rng.random() < 0.5:
            fx, fy = fy, fx
        small = cv2.resize(x, (max(8, int(width * fx)), max(8, int(height * fy))), interpolation=cv2.INTER_AREA)
        x = cv2.resize(small, (width, height), interpolation=rng.choice((cv2.INTER_LINEAR, cv2.INTER_CUBIC)))
    if rng.random() < 0.5:
        x = cv2.GaussianBlur(x, (0, 0), max(0.15, rng.uniform(0.3, 1.7) * scale))
    elif rng.random() < 0.25:
        length = max(2, int(rng.randint(2, 7) * scale))
        kernel = np.zeros((length, length), np.float32)
        kernel[length // 2] = 1 / length
        x = cv2.filter2D(x, -1, kernel if rng.random() < 0.5 else kernel.T.copy())
    if rng.random() < 0.3:  # a webcam's smearing of noise, then its sharpening
        x = cv2.medianBlur(np.clip(x, 0, 255).astype(np.uint8), 3).astype(np.float32)
    if rng.random() < 0.3:
        x = x + (x - cv2.GaussianBlur(x, (0, 0), 1.2)) * rng.uniform(0.3, 1.3)
    return x


def _colours(x: Floats, rng: random.Random) -> Floats:
    grey = (x @ _GREY)[..., None]
    saturation = rng.uniform(0.3, 1.2) if rng.random() < 0.88 else rng.choice((0.0, 0.0, 0.1))
    x = grey + (x - grey) * saturation
    if rng.random() < 0.4:  # dull and brown reds
        redness = np.clip((x[..., 2] - np.maximum(x[..., 1], x[..., 0])) / 120, 0, 1)[..., None]
        x = x * (1 - redness * rng.uniform(0, 0.5))
    balance = np.array([rng.uniform(0.82, 1.15) for _ in range(3)], np.float32)
    gain, lift = rng.uniform(0.35, 1.25), rng.uniform(-5, 45) if rng.random() < 0.5 else 0.0
    x = np.clip(x / 255, 0, 1.3) ** rng.uniform(0.65, 1.6) * 255
    x = x * balance * gain * (1 - lift / 255) + lift
    return (x - 128) * rng.uniform(0.5, 1.4) + 128 if rng.random() < 0.15 else x


def _noise(x: Floats, rng: random.Random, strength: float) -> Floats:
    if rng.random() > 0.85:
        return x
    source = np.random.default_rng(rng.getrandbits(32))
    noise = source.normal(0, 1, (*x.shape[:2], rng.choice((1, 3)))).astype(np.float32)
    if rng.random() < 0.5:
        soft = cv2.GaussianBlur(noise, (0, 0), rng.uniform(0.4, 1))
        noise = 2 * np.asarray(soft, np.float32).reshape(noise.shape)
    return x + noise * rng.uniform(0, 9) * strength


def _damage(x: Image, rng: random.Random, scale: float) -> Image:
    """JPEG blocks, black and white specks, a few squares cut out."""
    height, width = x.shape[:2]
    if rng.random() < 0.7:
        packed = cv2.imencode(".jpg", x, [cv2.IMWRITE_JPEG_QUALITY, rng.randint(28, 95)])[1]
        x = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
    if rng.random() < 0.2:
        share = rng.uniform(0.0005, 0.02)
        dice = np.random.default_rng(rng.getrandbits(32)).random((height, width), np.float32)
        x[dice < share / 2] = 0
        x[dice > 1 - share / 2] = 255
    if rng.random() < 0.1:
        for _ in range(rng.randint(1, 6)):
            left, top, side = rng.randint(0, width), rng.randint(0, height), rng.randint(3, max(4, int(14 * scale)))
            x[top : top + side, left : left + side] = rng.choice((0, 0, 128))
    return x


def degrade(image: Image, rng: random.Random, strength: float = 1.0, scale: float = 1.0) -> Image:
    """The picture as some camera would have given it; the same size."""
    x = _optics(image.astype(np.float32), rng, scale)
    x = _noise(_colours(x, rng), rng, strength)
    return _damage(np.clip(x, 0, 255).astype(np.uint8), rng, scale)


def ink_gain(patch: Image, rng: random.Random) -> Image:
    """Thicker or thinner ink, as cheap printing and smearing cameras make it; half of the time nothing."""
    dice = rng.random()
    if dice > 0.5:
        return patch
    shape = cv2.MORPH_ELLIPSE if rng.random() < 0.5 else cv2.MORPH_CROSS
    kernel = cv2.getStructuringElement(shape, (3, 3))
    changed = cv2.erode(patch, kernel) if dice < 0.38 else cv2.dilate(patch, kernel)
    share = rng.uniform(0.2, 1)
    return np.asarray(cv2.addWeighted(changed, share, patch, 1 - share, 0), np.uint8)
