"""Cards drawn by these tests: white paper, a rank in a shipped typeface, a suit of simple shapes, at 3 px/mm."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from table_controller.resources import resource
from table_controller.vision.reader import Reader

Pixels = NDArray[np.uint8]
PX_PER_MM = 3
FINE = 4
CARD_MM = (58, 88)
INK = {"H": (200, 26, 34), "D": (200, 26, 34), "S": (24, 22, 24), "C": (24, 22, 24)}


def _suit(on: ImageDraw.ImageDraw, suit: str, x: float, y: float, size: float) -> None:
    """A suit sign with its centre at (x, y)."""
    r, fill = size / 2, INK[suit]
    if suit == "D":
        on.polygon([(x, y - r), (x + 0.8 * r, y), (x, y + r), (x - 0.8 * r, y)], fill=fill)
        return
    way = 1 if suit == "H" else -1
    if suit in "HS":
        for side in (-1, 1):
            cx, cy, q = x + side * 0.47 * r, y - way * 0.35 * r, 0.5 * r
            on.ellipse((cx - q, cy - q, cx + q, cy + q), fill=fill)
        on.polygon(
            [(x - 0.93 * r, y - way * 0.18 * r), (x + 0.93 * r, y - way * 0.18 * r), (x, y + way * r)], fill=fill
        )
    else:
        for cx, cy in ((x, y - 0.5 * r), (x - 0.52 * r, y + 0.15 * r), (x + 0.52 * r, y + 0.15 * r)):
            on.ellipse((cx - 0.47 * r, cy - 0.47 * r, cx + 0.47 * r, cy + 0.47 * r), fill=fill)
    if suit in "SC":
        on.polygon([(x, y), (x + 0.35 * r, y + r), (x - 0.35 * r, y + r)], fill=fill)


def draw_card(card: str) -> Pixels:
    """One card, straight, BGR, at PX_PER_MM."""
    k = PX_PER_MM * FINE
    face = Picture.new("RGB", (CARD_MM[0] * k, CARD_MM[1] * k), (250, 249, 246))
    on = ImageDraw.Draw(face)
    font = ImageFont.truetype(str(resource("table_controller/sim/fonts/Century.otf")), 12 * k)
    text = "10" if card[0] == "T" else card[0]
    for _ in range(2):
        on = ImageDraw.Draw(face)
        on.text((6.4 * k, 3.6 * k), text, font=font, fill=INK[card[1]], anchor="mt")
        _suit(on, card[1], 6.4 * k, 17 * k, 7 * k)
        _suit(on, card[1], 19 * k, 20 * k, 11 * k)
        face = face.transpose(Picture.Transpose.ROTATE_180)
    small = face.resize((CARD_MM[0] * PX_PER_MM, CARD_MM[1] * PX_PER_MM), Picture.Resampling.LANCZOS)
    return np.ascontiguousarray(np.asarray(small, np.uint8)[..., ::-1])


def lay_row(cards: Sequence[str], pitch_mm: float = 66) -> Pixels:
    """Cards in a row on a grey table, a little blurred, as a camera over the table sees them."""
    pitch = round(pitch_mm * PX_PER_MM)
    wide, high = CARD_MM[0] * PX_PER_MM, CARD_MM[1] * PX_PER_MM
    table = np.full((high + 120, wide + pitch * (len(cards) - 1) + 120, 3), (96, 106, 116), np.uint8)
    for i, card in enumerate(cards):
        table[60 : 60 + high, 60 + i * pitch : 60 + i * pitch + wide] = draw_card(card)
    return np.asarray(cv2.GaussianBlur(table, (0, 0), 0.7), np.uint8)


@pytest.fixture
def row() -> Callable[..., Pixels]:
    """``lay_row``."""
    return lay_row


@pytest.fixture(scope="session")
def reader() -> Reader:
    """The reader with the shipped weights."""
    return Reader.load()
