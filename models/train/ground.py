"""What cards lie on and what lies about: tables, cloth, wood, text, keys, chips."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.backgrounds import piece_of
from models.train.ink import fonts, text_mask
from table_controller.vision.images import Image

Floats = NDArray[np.float32]
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789"
_SMALL = "abcdefghijklmnopqrstuvwxyz"


def _colour(rng: random.Random) -> NDArray[np.float64]:
    kind = rng.random()
    if kind < 0.25:  # felt
        return np.array([rng.uniform(20, 80), rng.uniform(60, 140), rng.uniform(10, 70)])
    if kind < 0.65:  # greys
        value = rng.uniform(12, 238)
        return np.array([value * rng.uniform(0.85, 1.1), value, value * rng.uniform(0.9, 1.1)])
    if kind < 0.8:  # wood
        value = rng.uniform(60, 200)
        return np.array([value * rng.uniform(0.4, 0.7), value * rng.uniform(0.65, 0.85), value])
    return np.array([rng.uniform(15, 235) for _ in range(3)])


def _spread(values: Floats, side: int) -> Floats:
    return np.asarray(cv2.resize(values, (side, side), interpolation=cv2.INTER_LINEAR), np.float32)


def _texture(side: int, rng: random.Random, noise: np.random.Generator) -> Floats:
    """Grain, stripes and weave, as one grey layer to add."""
    layer = np.zeros((side, side), np.float32)
    strength = rng.choice((4, 12, 28))
    for cell in (2, 5, 16, 64):
        grain = noise.normal(0, rng.uniform(0, strength), (side // cell + 2,) * 2).astype(np.float32)
        layer += _spread(grain, side)
    if rng.random() < 0.4:  # wood grain: long in one direction
        grain = noise.normal(0, rng.uniform(4, 28), (side // rng.choice((1, 2, 4)), max(2, side // 60))).astype(
            np.float32
        )
        stripes = _spread(grain, side)
        layer += stripes if rng.random() < 0.5 else stripes.T
    if rng.random() < 0.25:  # weave and knit
        yy, xx = np.mgrid[:side, :side].astype(np.float32)
        period, angle = rng.uniform(5, 26), rng.uniform(0, math.pi)
        along = xx * math.cos(angle) + yy * math.sin(angle)
        across = xx * math.sin(angle) - yy * math.cos(angle)
        wave = np.sin(along * 6.28 / period) * np.sin(across * 6.28 / period / rng.uniform(0.5, 2))
        layer += rng.uniform(8, 38) * wave.astype(np.float32)
    return layer


def _write(image: Floats, rng: random.Random, at: tuple[int, int], colour: NDArray[np.float64]) -> None:
    """Writes letters or a word somewhere, upright or turned by quarter turns: they are no indices."""
    letters = _LETTERS if rng.random() < 0.5 else _SMALL
    text = "".join(rng.choice(letters) for _ in range(rng.randint(1, 7)))
    mask = np.rot90(text_mask(text, rng.choice(fonts()), 60), rng.randint(0, 3))
    scale = rng.uniform(12, 55) / 60
    small = cv2.resize(np.ascontiguousarray(mask), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    height, width = small.shape
    y, x = at[1] - height // 2, at[0] - width // 2
    if x < 0 or y < 0 or x + width > image.shape[1] or y + height > image.shape[0]:
        return
    ink = small.astype(np.float32)[..., None] / 255
    part = image[y : y + height, x : x + width]
    part[:] = part * (1 - ink) + colour * ink


def _keys(image: Floats, rng: random.Random) -> None:
    """Rows of keys, tiles or labels with a sign on each: the hardest things that are no cards."""
    size, gap = rng.randint(24, 70), rng.randint(2, 10)
    x0, y0 = rng.randint(-40, image.shape[1] - 60), rng.randint(-40, image.shape[0] - 60)
    cap = np.full(3, rng.uniform(20, 245)) * np.array([rng.uniform(0.9, 1.05) for _ in range(3)])
    ink = np.full(3, 20.0 if cap.mean() > 120 else 235.0)
    for row in range(rng.randint(1, 4)):
        for column in range(rng.randint(2, 8)):
            x, y = x0 + column * (size + gap), y0 + row * (size + gap)
            cv2.rectangle(image, (x, y), (x + size, y + size), cap.tolist(), -1)
            _write(image, rng, (x + size // 2, y + size // 2), ink)


def draw_chip(image: Floats, rng: random.Random) -> None:
    """A gaming chip: rings and wedges."""
    centre = (rng.randint(0, image.shape[1]), rng.randint(0, image.shape[0]))
    radius = rng.randint(25, 70)
    base, mark = ([rng.uniform(0, 255) for _ in range(3)] for _ in range(2))
    cv2.circle(image, centre, radius, base, -1, cv2.LINE_AA)
    for k in range(wedges := rng.randint(4, 8)):
        turn = 360 * k / wedges + rng.uniform(0, 20)
        cv2.ellipse(image, centre, (radius, radius), turn, 0, rng.uniform(10, 24), mark, -1, cv2.LINE_AA)
    cv2.circle(image, centre, int(radius * rng.uniform(0.5, 0.75)), base, -1, cv2.LINE_AA)
    cv2.circle(image, centre, int(radius * 0.5), mark, rng.randint(1, 3), cv2.LINE_AA)
    _write(image, rng, centre, np.array(mark))


def _plain_ground(side: int, rng: random.Random) -> Floats:
    noise = np.random.default_rng(rng.getrandbits(32))
    image = np.full((side, side, 3), _colour(rng), np.float32)
    image += _texture(side, rng, noise)[..., None]
    return image


def random_ground(side: int, rng: random.Random, pictures: Sequence[Image] = ()) -> Floats:
    """A square of table, side × side × 3, 0-255; a third of them from ``pictures`` where there are any."""
    if pictures and rng.random() < 0.35:
        image = piece_of(pictures, side, rng).astype(np.float32)
        image = (image - 128) * rng.uniform(0.4, 1.1) + rng.uniform(60, 170)
    else:
        image = _plain_ground(side, rng)
    for _ in range(rng.randint(0, 10) if rng.random() < 0.6 else 0):
        grey = rng.uniform(0, 255)
        colour = [grey] * 3 if rng.random() < 0.6 else [rng.uniform(0, 255) for _ in range(3)]
        at = (rng.randint(0, side), rng.randint(0, side))
        kind = rng.random()
        if kind < 0.25:
            cv2.line(image, at, (rng.randint(0, side), rng.randint(0, side)), colour, rng.randint(1, 20))
        elif kind < 0.5:
            cv2.circle(image, at, rng.randint(3, 120), colour, -1 if rng.random() < 0.6 else rng.randint(1, 12))
        elif kind < 0.7:
            corners = [[at[0] + rng.randint(-150, 150), at[1] + rng.randint(-150, 150)] for _ in range(4)]
            cv2.fillPoly(image, [np.array(corners, np.int32)], colour)
        else:
            _write(image, rng, at, np.array(colour))
    if rng.random() < 0.15:
        _keys(image, rng)
    return np.clip(image, 0, 255)
