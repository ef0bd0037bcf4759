"""Glyphs as masks (0-255, cut to their ink): letters from installed fonts, suits drawn with many proportions."""

from __future__ import annotations

import math
import random
import subprocess
from functools import cache, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

Mask = NDArray[np.uint8]

SUIT_PX = 96
_UNFIT = (
    "symbol",
    "d050",
    "z003",
    "emoji",
    "ornament",
    "italic",
    "bdita",
    "oblique",
    "extralight",
    "math",
    "mono",
    "fallback",
)
_UNFIT_FOR_WORDS = ("symbol", "d050", "emoji", "ornament", "math", "fallback")


def cut_to_ink(mask: Mask) -> Mask:
    """The mask without empty rows and columns at its edges."""
    ys, xs = np.nonzero(mask > 60)
    return mask[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]


@lru_cache(4096)
def text_mask(text: str, font: str, size: int = 90) -> Mask:
    """The text in a font as a mask."""
    face = ImageFont.truetype(font, size)
    x0, y0, x1, y1 = face.getbbox(text)
    picture = Picture.new("L", (int(x1 - x0) + 4, int(y1 - y0) + 4), 0)
    ImageDraw.Draw(picture).text((2 - x0, 2 - y0), text, fill=255, font=face)
    return cut_to_ink(np.asarray(picture, np.uint8))


def _tells_letters_apart(font: str) -> bool:
    """Whether the font has real, different digits and letters (symbol fonts draw boxes)."""
    try:
        shapes = [cv2.resize(text_mask(letter, font), (20, 30)).astype(int) for letter in "KQ82J"]
    except (OSError, ValueError):
        return False
    return min(np.abs(a - b).mean() for i, a in enumerate(shapes) for b in shapes[:i]) > 15


@cache
def fonts(unfit: tuple[str, ...] = _UNFIT) -> tuple[str, ...]:
    """The typefaces this machine has for indices, sorted (Debian: fonts-urw-base35, fonts-dejavu, fonts-liberation)."""
    listed = subprocess.run(["fc-list", ":", "file"], capture_output=True, text=True, check=False).stdout
    files = {line.strip().rstrip(":") for line in listed.splitlines()}
    files = {f for f in files if f.endswith((".ttf", ".otf")) and not any(word in f.lower() for word in unfit)}
    found = tuple(f for f in sorted(files) if _tells_letters_apart(f))
    if not found:
        raise RuntimeError("no typeface found: install fontconfig and the fonts fonts-urw-base35, fonts-dejavu")
    return found


def word_fonts() -> tuple[str, ...]:
    """The typefaces for a joker's word: written and slanted ones too."""
    return fonts(_UNFIT_FOR_WORDS)


def _curve(points: list[tuple[float, float]], steps: int = 12) -> list[tuple[float, float]]:
    """A cubic Bézier chain: a start, then (control, control, end) triples."""
    out, start = [points[0]], points[0]
    for i in range(1, len(points), 3):
        a, b, end = points[i : i + 3]
        for k in range(1, steps + 1):
            t = k / steps
            w = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            out.append(tuple(w[0] * start[j] + w[1] * a[j] + w[2] * b[j] + w[3] * end[j] for j in (0, 1)))  # type: ignore[arg-type]
        start = end
    return out


def _fill(mask: Mask, outline: list[tuple[float, float]]) -> None:
    points = (np.array(outline) * SUIT_PX * 16).round().astype(np.int32)
    cv2.fillPoly(mask, [points], 255, cv2.LINE_AA, 4)


def _heart(rng: random.Random, upside_down: bool = False) -> list[tuple[float, float]]:
    notch, shoulder, belly = rng.uniform(0.1, 0.28), rng.uniform(0.0, 0.1), rng.uniform(0.5, 0.75)
    right = [
        (0.5, notch),
        (0.56, shoulder),
        (0.98, shoulder - 0.03),
        (0.98, 0.33),
        (0.98, belly),
        (0.62, 0.74),
        (0.5, 0.98),
    ]
    left = [(1 - x, y) for x, y in reversed(right)]
    outline = _curve(right) + _curve(left)
    return [(x, 1 - y) for x, y in outline] if upside_down else outline


def _stem(rng: random.Random) -> list[tuple[float, float]]:
    neck, foot, top = rng.uniform(0.015, 0.08), rng.uniform(0.08, 0.28), rng.uniform(0.5, 0.62)
    curve = [(0.5 - neck, top), (0.5 - neck, 0.8), (0.5 - foot * 0.6, 0.93), (0.5 - foot, 0.98)]
    left = _curve(curve)
    return left + [(1 - x, y) for x, y in reversed(left)]


def _club(mask: Mask, rng: random.Random) -> None:
    radius, spread, low = rng.uniform(0.19, 0.255), rng.uniform(0.21, 0.27), rng.uniform(0.52, 0.64)
    for x, y in ((0.5, radius + 0.02), (0.5 - spread, low), (0.5 + spread, low)):
        centre = (round(x * SUIT_PX * 16), round(y * SUIT_PX * 16))
        cv2.circle(mask, centre, round(radius * SUIT_PX * 16), 255, -1, cv2.LINE_AA, 4)
    middle = rng.uniform(0.05, 0.13)
    _fill(mask, [(0.5 - middle, 0.4), (0.5 + middle, 0.4), (0.5 + middle, low + 0.06), (0.5 - middle, low + 0.06)])
    _fill(mask, _stem(rng))


def draw_suit(suit: str, rng: random.Random) -> Mask:
    """A suit sign with proportions of its own."""
    mask = np.zeros((SUIT_PX, SUIT_PX), np.uint8)
    if suit == "H":
        _fill(mask, _heart(rng))
    elif suit == "S":
        high = rng.uniform(0.82, 0.92)
        _fill(mask, [(x, y * high) for x, y in _heart(rng, upside_down=True)])
        _fill(mask, _stem(rng))
    elif suit == "C":
        _club(mask, rng)
    else:
        wide, bow = rng.uniform(0.36, 0.48), rng.uniform(0.0, 0.09)
        side = [(0.5, 0.02), (0.5 + wide / 2 - bow, 0.26 + bow / 2), (0.5 + wide / 2, 0.3), (0.5 + wide, 0.5)]
        quarter = _curve(side)
        right = quarter + [(x, 1 - y) for x, y in reversed(quarter)]
        _fill(mask, right + [(1 - x, y) for x, y in reversed(right)])
    return cut_to_ink(mask)


def rotate_text(mask: Mask, turns: int) -> Mask:
    """The mask turned by quarter turns, counter-clockwise."""
    return np.ascontiguousarray(np.rot90(mask, turns))


def moon_mask(rng: random.Random) -> Mask:
    """A crescent, turned any way."""
    mask = np.zeros((SUIT_PX, SUIT_PX), np.uint8)
    angle, apart = rng.uniform(0, 2 * math.pi), rng.uniform(0.13, 0.25)
    cv2.circle(mask, (SUIT_PX // 2, SUIT_PX // 2), int(0.47 * SUIT_PX), 255, -1, cv2.LINE_AA)
    bite = (int((0.5 + apart * math.cos(angle)) * SUIT_PX), int((0.5 + apart * math.sin(angle)) * SUIT_PX))
    cv2.circle(mask, bite, int(0.42 * SUIT_PX), 0, -1, cv2.LINE_AA)
    return cut_to_ink(mask)


def star_mask(points: int = 5) -> Mask:
    """A star, as some jokers carry."""
    mask = np.zeros((SUIT_PX, SUIT_PX), np.uint8)
    outline = []
    for i in range(2 * points):
        angle, radius = math.pi * i / points - math.pi / 2, 0.48 if i % 2 == 0 else 0.2
        outline.append((0.5 + radius * math.cos(angle), 0.5 + radius * math.sin(angle)))
    _fill(mask, outline)
    return cut_to_ink(mask)
