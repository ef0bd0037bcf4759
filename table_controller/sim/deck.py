"""Card faces drawn by our own code: rank and suit in two opposite corners, pips, court figures, jokers and backs.

A face is an RGBA picture of one card at ``FACE_PX_PER_MM``, drawn once and kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from table_controller.geometry import load_geometry
from table_controller.resources import resource
from table_controller.sim.court import draw_court, draw_jester
from table_controller.sim.deck_style import STYLES, Colour, DeckStyle, SuitShape, style_named

Picture = NDArray[np.uint8]
FACE_PX_PER_MM = 6
_FINE = 2
"""Faces are drawn this many times larger, then shrunk, for smooth edges."""
_RED_SUITS = "HD"
PLAIN = SuitShape()


def suit_outline(
    suit: str, size: float, at: tuple[float, float], shape: SuitShape = PLAIN
) -> list[list[tuple[float, float]]]:
    """Polygons that together are the suit's sign, ``size`` high, centred on ``at``."""
    x0, y0 = at
    turns = [2 * math.pi * i / 60 for i in range(60)]
    heart = [
        (
            16 * math.sin(t) ** 3 / 33,
            -(13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)) / 30,
        )
        for t in turns
    ]
    foot = [(-0.05, 0.0), (0.05, 0.0), (0.07, 0.3), (0.2 * shape.foot, 0.5), (-0.2 * shape.foot, 0.5), (-0.07, 0.3)]
    if suit == "H":
        shapes = [[(x * 1.02 * shape.heart, y * 1.0 + -0.05) for x, y in heart]]
    elif suit == "D":
        shapes = [
            [
                (x * shape.diamond * (1 - shape.bend * (abs(x) == 0.17) * 0.5), y)
                for x, y in (
                    (0, -0.52),
                    (0.17, -0.22),
                    (0.4, 0),
                    (0.17, 0.22),
                    (0, 0.52),
                    (-0.17, 0.22),
                    (-0.4, 0),
                    (-0.17, -0.22),
                )
            ]
        ]
    elif suit == "S":
        shapes = [[(x * 0.96 * shape.spade, -y * 0.86 - 0.06) for x, y in heart], foot]
    else:
        leaves = [(0.0, -0.27), (-0.25, 0.1), (0.25, 0.1)]
        leaf = 0.235 * shape.leaf
        shapes = [[(cx + leaf * math.cos(t), cy + leaf * math.sin(t)) for t in turns] for cx, cy in leaves]
        shapes += [foot, [(-0.12, -0.12), (0.12, -0.12), (0.12, 0.12), (-0.12, 0.12)]]
    return [[(x0 + x * size, y0 + y * size) for x, y in outline] for outline in shapes]


_COLUMNS = (0.30, 0.5, 0.70)
_PIPS: dict[str, list[tuple[int, float]]] = {
    "A": [(1, 0.5)],
    "2": [(1, 0.19), (1, 0.81)],
    "3": [(1, 0.19), (1, 0.5), (1, 0.81)],
    "4": [(0, 0.19), (2, 0.19), (0, 0.81), (2, 0.81)],
    "5": [(0, 0.19), (2, 0.19), (1, 0.5), (0, 0.81), (2, 0.81)],
    "6": [(c, y) for c in (0, 2) for y in (0.19, 0.5, 0.81)],
    "7": [(c, y) for c in (0, 2) for y in (0.19, 0.5, 0.81)] + [(1, 0.345)],
    "8": [(c, y) for c in (0, 2) for y in (0.19, 0.5, 0.81)] + [(1, 0.345), (1, 0.655)],
    "9": [(c, y) for c in (0, 2) for y in (0.19, 0.397, 0.603, 0.81)] + [(1, 0.5)],
    "T": [(c, y) for c in (0, 2) for y in (0.19, 0.397, 0.603, 0.81)] + [(1, 0.29), (1, 0.71)],
}


def text_mask(text: str, font: Path, height_px: int) -> Image.Image:
    """``text`` as a mask exactly ``height_px`` high, ink to ink."""
    drawn = ImageFont.truetype(str(font), 200)
    left, top, right, bottom = drawn.getbbox(text)
    mask = Image.new("L", (int(right - left) + 8, int(bottom - top) + 8), 0)
    ImageDraw.Draw(mask).text((4 - left, 4 - top), text, fill=255, font=drawn)
    ink = mask.crop(mask.getbbox())
    return ink.resize((max(1, round(ink.width * height_px / ink.height)), height_px), Image.Resampling.LANCZOS)


@dataclass
class Deck:
    """Faces and backs of one style. ``face("5S")`` and ``back()`` are RGBA at FACE_PX_PER_MM."""

    style: DeckStyle
    _faces: dict[str, Picture] = field(default_factory=dict)

    def face(self, card: str) -> Picture:
        """The face of a card code (as cards.py), drawn at the first call."""
        if card not in self._faces:
            self._faces[card] = self._shrink(self._draw(card))
        return self._faces[card]

    def back(self) -> Picture:
        """The back all cards share."""
        if "back" not in self._faces:
            self._faces["back"] = self._shrink(self._draw_back())
        return self._faces["back"]

    @property
    def _k(self) -> float:
        return float(FACE_PX_PER_MM * _FINE)

    def _blank(self) -> Image.Image:
        width, height = load_geometry().card_mm
        return Image.new("RGB", (round(width * self._k), round(height * self._k)), self.style.paper)

    def _shrink(self, drawn: Image.Image) -> Picture:
        geometry = load_geometry()
        alpha = Image.new("L", drawn.size, 0)
        radius = geometry.card_radius_mm * self._k
        ImageDraw.Draw(alpha).rounded_rectangle((0, 0, drawn.width - 1, drawn.height - 1), radius, fill=255)
        edge = ImageDraw.Draw(drawn)
        edge.rounded_rectangle((0, 0, drawn.width - 1, drawn.height - 1), radius, outline=(196, 194, 190), width=3)
        drawn.putalpha(alpha)
        size = (drawn.width // _FINE, drawn.height // _FINE)
        return np.asarray(drawn.resize(size, Image.Resampling.LANCZOS), dtype=np.uint8).copy()

    def _colour(self, card: str) -> Colour:
        return self.style.red if card == "BJ" or card[1] in _RED_SUITS else self.style.black

    def _draw(self, card: str) -> Image.Image:
        face = self._blank()
        if card in ("SJ", "BJ"):
            draw_jester(face, self._k, coloured=card == "BJ")
        elif card[0] in "JQK":
            draw_court(face, self._k, card, self._sign(card[1], 9.0), self._colour(card), frame=self.style.court_frame)
        else:
            self._pips(face, card)
        half = self._blank()
        self._index(half, card)
        ink = Image.eval(_distance(half, self.style.paper), lambda value: min(255, value * 2))
        for turned in (half, half.transpose(Image.Transpose.ROTATE_180)):
            face.paste(turned, (0, 0), ink)
            ink = ink.transpose(Image.Transpose.ROTATE_180)
        return face

    def _sign(self, suit: str, size_mm: float) -> Image.Image:
        size = round(size_mm * self._k * 1.1)
        mask = Image.new("L", (size, size), 0)
        on = ImageDraw.Draw(mask)
        for outline in suit_outline(suit, size_mm * self._k, (size / 2, size / 2), self.style.shape):
            on.polygon(outline, fill=255)
        return mask

    def _pips(self, face: Image.Image, card: str) -> None:
        rank, suit = card[0], card[1]
        size = self.style.pip_mm * (1.9 if card == "AS" else 1.35 if rank == "A" else 1.0)
        sign = self._sign(suit, size)
        for column, y in _PIPS[rank]:
            pip = sign.transpose(Image.Transpose.ROTATE_180) if y > 0.5 else sign
            at = (round(_COLUMNS[column] * face.width - pip.width / 2), round(y * face.height - pip.height / 2))
            face.paste(self._colour(card), (at[0], at[1], at[0] + pip.width, at[1] + pip.height), pip)

    def _index(self, face: Image.Image, card: str) -> None:
        style, k, colour = self.style, self._k, self._colour(card)
        font = resource(f"table_controller/sim/fonts/{style.font}")
        if card in ("SJ", "BJ"):
            self._joker_word(face, font, colour)
            return
        mask = self._rank_mask("10" if card[0] == "T" else card[0], font)
        self._stamp(face, mask, style.index_x_mm * k, style.index_top_mm * k, colour)
        sign = self._sign(card[1], style.suit_mm)
        top = (style.index_top_mm + style.rank_mm + style.gap_mm) * k - (sign.height - style.suit_mm * k) / 2
        self._stamp(face, sign, style.index_x_mm * k, top, colour)

    def _rank_mask(self, text: str, font: Path) -> Image.Image:
        style, k = self.style, self._k
        mask = text_mask(text, font, round(style.rank_mm * k))
        if style.weight_mm:
            mask = _weighted(mask, style.weight_mm * k)
        if style.slant:
            mask = _slanted(mask, style.slant)
        width = min(round(mask.width * style.stretch), round(style.widest_mm * k))
        return mask if width == mask.width else mask.resize((width, mask.height), Image.Resampling.LANCZOS)

    def _joker_word(self, face: Image.Image, font: Path, colour: Colour) -> None:
        style, k = self.style, self._k
        if style.joker_word == "turned":
            word = text_mask("JOKER", font, round(5.6 * k)).transpose(Image.Transpose.ROTATE_270)
            word = word.resize((word.width, round(style.joker_mm * k)), Image.Resampling.LANCZOS)
            self._stamp(face, word, style.index_x_mm * k, style.index_top_mm * k, colour)
            return
        letter_mm = style.joker_mm / 5.6
        for i, letter in enumerate("JOKER"):
            mask = text_mask(letter, font, round(letter_mm * k))
            self._stamp(face, mask, style.index_x_mm * k, (style.index_top_mm + i * letter_mm * 1.14) * k, colour)

    @staticmethod
    def _stamp(face: Image.Image, mask: Image.Image, centre_x: float, top: float, colour: Colour) -> None:
        x, y = round(centre_x - mask.width / 2), round(top)
        face.paste(colour, (x, y, x + mask.width, y + mask.height), mask)

    def _draw_back(self) -> Image.Image:
        back, k = self._blank(), self._k
        on = ImageDraw.Draw(back)
        frame = (3.5 * k, 3.5 * k, back.width - 3.5 * k, back.height - 3.5 * k)
        on.rectangle(frame, fill=self.style.back)
        step = 3.2 * k
        pale = (235, 233, 226)
        for i in range(-40, 60):
            on.line((i * step, 0, i * step + back.height, back.height), fill=pale, width=round(0.35 * k))
            on.line((i * step, back.height, i * step + back.height, 0), fill=pale, width=round(0.35 * k))
        trimmed = self._blank()
        box = tuple(round(value) for value in frame)
        trimmed.paste(back.crop((box[0], box[1], box[2], box[3])), (box[0], box[1]))
        ImageDraw.Draw(trimmed).rectangle(frame, outline=self.style.back, width=round(0.8 * k))
        return trimmed


def _weighted(mask: Image.Image, by_px: float) -> Image.Image:
    """The mask's strokes thicker by ``by_px`` on each side (thinner where negative), as high as before."""
    size = 2 * max(1, round(abs(by_px))) + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    pixels = np.pad(np.asarray(mask), size)
    changed = cv2.dilate(pixels, kernel) if by_px > 0 else cv2.erode(pixels, kernel)
    ink = Image.fromarray(np.asarray(changed, dtype=np.uint8))
    return ink.crop(ink.getbbox()).resize(mask.size, Image.Resampling.LANCZOS)


def _slanted(mask: Image.Image, lean: float) -> Image.Image:
    width = mask.width + round(lean * mask.height)
    sheared = mask.transform(
        (width, mask.height), Image.Transform.AFFINE, (1, lean, -lean * mask.height, 0, 1, 0), Image.Resampling.BICUBIC
    )
    return sheared.crop(sheared.getbbox()).resize((width, mask.height), Image.Resampling.LANCZOS)


def _distance(picture: Image.Image, paper: Colour) -> Image.Image:
    pixels = np.asarray(picture, dtype=np.int16)
    return Image.fromarray(np.abs(pixels - np.array(paper, dtype=np.int16)).max(axis=2).astype(np.uint8))


def to_bgra(face: Picture) -> Picture:
    """RGBA to OpenCV's order."""
    return np.asarray(cv2.cvtColor(face, cv2.COLOR_RGBA2BGRA), dtype=np.uint8)


@lru_cache(maxsize=8)
def deck(name: str) -> Deck:
    """The deck of a style (see ``style_named``), shared."""
    return Deck(style_named(name))


__all__ = ["Deck", "DeckStyle", "FACE_PX_PER_MM", "STYLES", "deck", "suit_outline", "text_mask", "to_bgra"]
