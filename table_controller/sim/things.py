"""Things that are no cards and stand on tables: cups and phones, as flat pictures at ``THING_PX_PER_MM``."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

Picture = NDArray[np.uint8]
THING_PX_PER_MM = 4.0
THINGS = ("cup", "phone")
_CUPS = ((238, 236, 230), (52, 70, 104), (150, 44, 40), (96, 100, 104), (44, 44, 46))
_TEAS = ((92, 54, 26), (148, 104, 46), (46, 30, 22), (196, 176, 120))
_CASES = ((24, 24, 28), (40, 46, 62), (88, 30, 34), (70, 74, 78))


def thing_picture(kind: str, rng: random.Random) -> Picture:
    """A cup seen from above, or a phone lying there; BGRA."""
    if kind not in THINGS:
        raise ValueError(f"a thing is one of {', '.join(THINGS)}, not {kind}")
    drawn = _cup(rng) if kind == "cup" else _phone(rng)
    soft = drawn.filter(ImageFilter.GaussianBlur(0.8))
    return np.ascontiguousarray(np.asarray(soft, dtype=np.uint8)[..., [2, 1, 0, 3]])


def _cup(rng: random.Random) -> Image.Image:
    k = THING_PX_PER_MM
    outer, inner, handle = rng.uniform(34, 40) * k, 0.0, rng.random() < 0.6
    inner = outer - rng.uniform(2.5, 4.5) * k
    side = round(2 * outer + 44 * k)
    picture = Image.new("RGBA", (side, side), (0, 0, 0, 0))
    on, middle = ImageDraw.Draw(picture), side / 2
    glaze = rng.choice(_CUPS)
    if handle:
        on.rounded_rectangle((middle + outer - 4 * k, middle - 5 * k, middle + outer + 18 * k, middle + 5 * k), 5 * k,
                             fill=(*glaze, 255))  # fmt: skip
    on.ellipse((middle - outer, middle - outer, middle + outer, middle + outer), fill=(*glaze, 255))
    on.ellipse((middle - inner, middle - inner, middle + inner, middle + inner), fill=(*rng.choice(_TEAS), 255))
    gleam = inner * 0.4
    on.arc((middle - gleam, middle - gleam, middle + gleam, middle + gleam), 200, 260, fill=(250, 246, 236, 255),
           width=round(1.5 * k))  # fmt: skip
    return picture


def _phone(rng: random.Random) -> Image.Image:
    k = THING_PX_PER_MM
    width, height = rng.uniform(70, 78) * k, rng.uniform(145, 165) * k
    picture = Image.new("RGBA", (round(width), round(height)), (0, 0, 0, 0))
    on = ImageDraw.Draw(picture)
    on.rounded_rectangle((0, 0, width - 1, height - 1), 9 * k, fill=(*rng.choice(_CASES), 255))
    screen = (3 * k, 4 * k, width - 3 * k, height - 4 * k)
    lit = rng.random() < 0.35
    on.rounded_rectangle(screen, 7 * k, fill=(38, 62, 110, 255) if lit else (12, 12, 15, 255))
    if lit:
        for row in range(5):
            for column in range(4):
                x, y = (9 + 15.5 * column) * k, (18 + 21 * row) * k
                colour = tuple(rng.randint(40, 250) for _ in range(3))
                on.rounded_rectangle((x, y, x + 10 * k, y + 10 * k), 2.5 * k, fill=(*colour, 255))
    return picture
