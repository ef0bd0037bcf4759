"""Decks as scenes need them: packaged faces as they are, those with the index printed anew, and drawn decks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from models.train.art import CARD_MM, FACE_PX, FACE_PX_PER_MM, DeckArt, card_mask
from models.train.ink import (
    Mask,
    cut_to_ink,
    draw_suit,
    fonts,
    moon_mask,
    rotate_text,
    star_mask,
    text_mask,
    word_fonts,
)
from table_controller.cards import JOKERS, SUITS
from table_controller.vision.images import Image

Colour = tuple[float, float, float]
Box = tuple[float, float, float, float]

# pip columns (share of the width) and rows (share of the height) of the upper half of the cards 2 to 10 and the ace
_LEFT, _MIDDLE, _RIGHT = 0.3, 0.5, 0.7
_PIPS: dict[str, list[tuple[float, float]]] = {
    "A": [(_MIDDLE, 0.5)],
    "2": [(_MIDDLE, 0.17)],
    "3": [(_MIDDLE, 0.17), (_MIDDLE, 0.5)],
    "4": [(_LEFT, 0.17), (_RIGHT, 0.17)],
    "5": [(_LEFT, 0.17), (_RIGHT, 0.17), (_MIDDLE, 0.5)],
    "6": [(_LEFT, 0.17), (_RIGHT, 0.17), (_LEFT, 0.5), (_RIGHT, 0.5)],
    "7": [(_LEFT, 0.17), (_RIGHT, 0.17), (_LEFT, 0.5), (_RIGHT, 0.5), (_MIDDLE, 0.335)],
    "8": [(_LEFT, 0.17), (_RIGHT, 0.17), (_LEFT, 0.5), (_RIGHT, 0.5), (_MIDDLE, 0.335)],
    "9": [(_LEFT, 0.17), (_RIGHT, 0.17), (_LEFT, 0.39), (_RIGHT, 0.39), (_MIDDLE, 0.5)],
    "T": [(_LEFT, 0.17), (_RIGHT, 0.17), (_LEFT, 0.39), (_RIGHT, 0.39), (_MIDDLE, 0.28)],
}


def suit_masks(deck: DeckArt) -> dict[str, Mask]:
    """The suit signs of a packaged deck's indices, where rank and suit are apart; may be empty."""
    x0, y0, x1, y1 = (int(v * FACE_PX_PER_MM) for v in deck.index_mm)
    found = {}
    for suit in SUITS:
        corner = deck.faces["7" + suit][y0 - 3 : y1 + 6, max(0, x0 - 3) : x1 + 4, :3].astype(int)
        ink = np.abs(corner - np.array(deck.paper)).sum(2)
        mask = np.clip(ink * 255 / max(1.0, float(np.percentile(ink, 97))), 0, 255).astype(np.uint8)
        rows = np.nonzero(~(mask > 90).any(1))[0]
        gap = [y for y in rows if 0.45 * len(mask) < y < 0.8 * len(mask)]
        if gap:
            below = mask[gap[len(gap) // 2] :]
            if (below > 90).sum() > 30:
                sign = cut_to_ink(below)
                if min(sign.shape) > 12:
                    found[suit] = sign
    return found


def _lay_ink(
    face: Image, mask: Mask, centre_mm: tuple[float, float], size_mm: tuple[float, float], ink: Colour
) -> None:
    """Prints a mask on a face, centred, in place."""
    width, height = (max(2, round(v * FACE_PX_PER_MM)) for v in size_mm)
    small = cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)[..., None] / 255
    x, y = round(centre_mm[0] * FACE_PX_PER_MM - width / 2), round(centre_mm[1] * FACE_PX_PER_MM - height / 2)
    x0, y0, x1, y1 = max(0, x), max(0, y), min(FACE_PX[0], x + width), min(FACE_PX[1], y + height)
    if x1 <= x0 or y1 <= y0:
        return
    part, small = face[y0:y1, x0:x1, :3], small[y0 - y : y1 - y, x0 - x : x1 - x]
    part[:] = (part * (1 - small) + np.array(ink) * small).astype(np.uint8)


@dataclass
class Style:
    """How a deck's indices are printed; lengths in mm."""

    font: str
    rank_mm: float
    suit_mm: float
    gap_mm: float
    x_mm: float
    top_mm: float
    squeeze: float
    widest_mm: float
    suits: dict[str, Mask]
    red: Colour
    black: Colour
    joker: str
    joker_mm: float
    joker_font: str
    joker_word: str
    joker_in_mm: float
    joker_moon: bool
    joker_signs: int
    joker_accent: int
    pip_mm: float


def _inks(rng: random.Random) -> tuple[Colour, Colour]:
    """(red, black), from bright to brown and from deep to grey."""
    hue = rng.uniform(-9, 9) % 180
    hsv = np.array([[[hue, rng.uniform(165, 255), rng.uniform(125, 235)]]]).astype(np.uint8)
    blue, green, red = (float(v) for v in cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0])
    dark = rng.uniform(8, 62)
    return (blue, green, red), (dark * rng.uniform(0.95, 1.15), dark, dark * rng.uniform(0.85, 1.05))


def random_style(rng: random.Random, signs: Sequence[dict[str, Mask]]) -> Style:
    """A style nobody printed; its suits come from one packaged deck, from a mix of them, or are drawn anew."""
    kind = rng.random()
    drawn = {suit: draw_suit(suit, rng) for suit in SUITS}
    if kind < 0.5 or not signs:
        suits = drawn
    elif kind < 0.8:
        suits = drawn | rng.choice(signs)
    else:
        suits = {suit: rng.choice(signs).get(suit, drawn[suit]) for suit in SUITS}
    rank = rng.uniform(6.3, 10.8)
    red, black = _inks(rng)
    return Style(
        font=rng.choice(fonts()),
        rank_mm=rank,
        suit_mm=rank * rng.uniform(0.5, 0.95),
        gap_mm=rng.uniform(0.3, 2.2),
        x_mm=rng.uniform(4.4, 7.2),
        top_mm=rng.uniform(2.0, 6.0),
        squeeze=rng.uniform(0.6, 1.05),
        widest_mm=rng.uniform(5.3, 8.6),
        suits=suits,
        red=red,
        black=black,
        joker=rng.choice(("down", "down", "down", "side", "star", "across", "across")),
        joker_mm=rng.uniform(14, 27),
        joker_font=rng.choice(word_fonts()),
        joker_word=rng.choice(("JOKER", "JOKER", "JOKER", "Joker", "joker", "Jolly")),
        joker_in_mm=rng.choice((0.0, rng.uniform(0, 5))),
        joker_moon=rng.random() < 0.4,
        joker_signs=rng.choice((0, 0, rng.randint(1, 5))),
        joker_accent=rng.randrange(len(ACCENTS)),
        pip_mm=rng.uniform(9, 14),
    )


ACCENTS: tuple[Colour, ...] = ((40, 170, 230), (60, 120, 40), (160, 60, 60), (40, 40, 200), (120, 60, 140))
"""What jokers are painted with, BGR: yellow, green, blue, red, purple."""
LEAST_INDEX_MM = 14.0

Part = tuple[Mask, float, float, float]
"""A mask, its top, width and height in mm."""


def _index_parts(card: str, style: Style) -> list[Part]:
    rank = text_mask("10" if card[0] == "T" else card[0], style.font)
    wide = min(style.widest_mm, style.rank_mm * rank.shape[1] / rank.shape[0] * style.squeeze)
    sign = style.suits[card[1]]
    ratio = min(1.15, max(0.65, sign.shape[1] / sign.shape[0]))
    below = style.top_mm + style.rank_mm + style.gap_mm
    return [(rank, style.top_mm, wide, style.rank_mm), (sign, below, style.suit_mm * ratio, style.suit_mm)]


def _joker_parts(style: Style) -> list[Part]:
    if style.joker == "star":
        return [(star_mask(), style.top_mm, style.rank_mm, style.rank_mm)]
    word = text_mask(style.joker_word, style.joker_font)
    if style.joker == "side":
        word = rotate_text(word, -1)
        return [(word, style.top_mm, style.joker_mm * word.shape[1] / word.shape[0], style.joker_mm)]
    if style.joker == "across":
        high = min(style.rank_mm * 0.8, style.joker_mm * word.shape[0] / word.shape[1])
        return [(word, style.top_mm + 1, high * word.shape[1] / word.shape[0], high)]
    letter = style.joker_mm / 5.6
    parts = []
    for i, character in enumerate("JOKER"):
        mask = text_mask(character, style.font)
        wide = min(letter * 1.25, letter * mask.shape[1] / mask.shape[0])
        parts.append((mask, style.top_mm + i * letter * 1.15, wide, letter))
    return parts


def _colour_tells_nothing(style: Style) -> bool:
    """Decks with fancy words print either joker in any colour: which is the big one only its owner can say."""
    return style.joker == "across" and style.joker_signs > 0


def _print_index(face: Image, card: str, style: Style, paper: Colour, old: Box) -> Box:
    """Prints the index into both corners over the old one; its box in mm."""
    parts = _joker_parts(style) if card in JOKERS else _index_parts(card, style)
    ink = style.red if card == "BJ" or (card != "SJ" and card[1] in "DH") else style.black
    wide = max(part[2] for part in parts)
    bottom = max(top + height for _, top, _, height in parts)
    x_mm, colours = style.x_mm, [ink] * len(parts)
    if card in JOKERS:
        x_mm = max(x_mm, wide / 2 + 1.5) + (style.joker_in_mm if style.joker == "across" else 0)
        if _colour_tells_nothing(style):
            number = style.joker_accent + (card == "BJ") * (style.joker_signs - 1)
            colours = [(style.red, style.black, *ACCENTS)[number % (2 + len(ACCENTS))]] * len(parts)
        elif style.joker_moon and card == "BJ":
            colours = [ACCENTS[(i + style.joker_accent) % len(ACCENTS)] for i in range(len(parts))]
    box = (x_mm - wide / 2, style.top_mm, x_mm + wide / 2, bottom)
    if card in JOKERS and style.joker == "across":
        # a lying word has no height to tell the scale by: it is framed as an ordinary index at its place
        box = (x_mm - 5, style.top_mm, x_mm + 5, style.top_mm + max(LEAST_INDEX_MM, bottom - style.top_mm))
    right, low = max(old[2], box[2]) + 0.8, max(old[3], box[3]) + 1.2
    left = max(0.0, min(old[0], x_mm - wide / 2, box[0]) - 1)
    right = max(right, x_mm + wide / 2 + 0.8)
    for _ in range(2):
        x0, x1, y1 = (int(v * FACE_PX_PER_MM) for v in (left, right, low))
        face[:y1, x0:x1, :3] = paper
        for (mask, top, width, height), colour in zip(parts, colours, strict=True):
            _lay_ink(face, mask, (x_mm, top + height / 2), (width, height), colour)
        if card in JOKERS and style.joker_moon:
            at = (x_mm + 3 - 6 * (style.joker_accent % 2), bottom + 2.5)
            _lay_ink(face, star_mask(5 + style.joker_accent % 2), at, (3.5, 3.5), ACCENTS[style.joker_accent])
        if card in JOKERS and style.joker == "across":
            _strew_signs(face, style, (x_mm - wide / 2, style.top_mm, bottom))
        face[:] = face[::-1, ::-1].copy()
    return box


def _strew_signs(face: Image, style: Style, beside: tuple[float, float, float]) -> None:
    """Stars and moons round the beginning (left, top, bottom in mm) of a joker's word, the same on both its ends."""
    rng = random.Random(f"{style.joker_signs}/{style.joker_mm}")
    left, top, bottom = beside
    for _ in range(style.joker_signs):
        size = rng.uniform(2, 4.5)
        sign = star_mask(5) if rng.random() < 0.5 else moon_mask(rng)
        at = (max(2.0, left + rng.uniform(-4, 3)), rng.choice((top - 1, bottom + 1)) + rng.uniform(-1, 2))
        _lay_ink(face, sign, at, (size, size), ACCENTS[(style.joker_accent + (rng.random() < 0.2)) % len(ACCENTS)])


def _paint_figure(face: Image, coloured: bool, rng: random.Random) -> None:
    """A jester's worth of coloured (or grey) shapes in the middle of a joker."""
    wide, high = FACE_PX
    for _ in range(rng.randint(4, 14)):
        colour = rng.choice(ACCENTS) if coloured else (float(rng.randint(10, 170)),) * 3
        at = (int(wide * rng.uniform(0.32, 0.68)), int(high * rng.uniform(0.25, 0.75)))
        axes = (int(wide * rng.uniform(0.02, 0.15)), int(high * rng.uniform(0.02, 0.15)))
        cv2.ellipse(face, at, axes, rng.uniform(0, 180), 0, 360, (*colour, 255), -1, cv2.LINE_AA)


def _drawn_body(card: str, style: Style, paper: Colour, rng: random.Random) -> Image:
    """A whole face of our own: paper, pips or a framed court, no index yet."""
    face = np.empty((FACE_PX[1], FACE_PX[0], 4), np.uint8)
    face[..., :3], face[..., 3] = paper, card_mask()
    ink = style.red if card == "BJ" or (card != "SJ" and card[1] in "DH") else style.black
    wide, high = CARD_MM
    if card not in JOKERS and card[0] in _PIPS:
        size = style.pip_mm * (2.2 if card[0] == "A" else 1.0)
        for x, y in _PIPS[card[0]]:
            _lay_ink(face, style.suits[card[1]], (x * wide, y * high), (size * 0.95, size), ink)
    else:
        frame = np.array([0.22 * wide, 0.1 * high, 0.78 * wide, 0.9 * high]) * FACE_PX_PER_MM
        x0, y0, x1, y1 = (int(v) for v in frame)
        if rng.random() < 0.8:
            line = rng.choice((ink, (150.0, 60.0, 40.0), (60.0, 60.0, 60.0)))
            cv2.rectangle(face, (x0, y0), (x1, y1), (*line, 255), rng.randint(1, 5))
        if card not in JOKERS:
            pip = (0.22 * wide + rng.uniform(3.5, 8), 0.1 * high + rng.uniform(4, 10))
            _lay_ink(face, style.suits[card[1]], pip, (style.pip_mm * rng.uniform(0.4, 1),) * 2, ink)
            letter = text_mask(card[0], style.font)
            _lay_ink(face, letter, (0.5 * wide, 0.4 * high), (16, 22), ink)
        else:
            _paint_figure(face, card == "BJ", rng)
    return np.minimum(face, face[::-1, ::-1])


@dataclass
class PrintedDeck:
    """A deck of one style. ``face`` gives a card's straight picture (BGRA) and its index box in mm."""

    art: DeckArt
    style: Style
    kind: str
    rng: random.Random
    aspect: float = 1.0
    _made: dict[str, tuple[Image, Box]] = field(default_factory=dict)

    def face(self, card: str) -> tuple[Image, Box]:
        """The card's face and the box of its upper left index."""
        if card not in self._made:
            self._made[card] = self._make(card)
        return self._made[card]

    def _make(self, card: str) -> tuple[Image, Box]:
        if self.kind == "as is" and card not in JOKERS:
            return self.art.faces[card], self.art.index_mm
        if self.kind == "drawn":
            paper, old = self.art.paper, (3.0, 3.0, 4.0, 4.0)
            body = _drawn_body(card, self.style, paper, self.rng)
        else:
            paper, old = self.art.paper, self.art.index_mm
            body = self.art.faces.get(card, self.art.faces["KS"]).copy()
        return body, _print_index(body, card, self.style, paper, old)


def random_deck(rng: random.Random, arts: Sequence[DeckArt], signs: Sequence[dict[str, Mask]]) -> PrintedDeck:
    """A deck for one scene: 35 % as packaged, 45 % with a new index, 20 % drawn; all drawn without packaged faces."""
    kind = rng.choices(("as is", "index", "drawn"), (0.35, 0.45, 0.2))[0] if signs else "drawn"
    return PrintedDeck(rng.choice(arts), random_style(rng, signs), kind, rng, rng.uniform(0.9, 1.05))


_BACK_KINDS = ("plain", "lattice", "rings", "frame")


def card_back(rng: random.Random) -> Image:
    """A card's back: plain, lattice, rings or a framed pattern, in one or two colours."""
    face = np.empty((FACE_PX[1], FACE_PX[0], 4), np.uint8)
    dark = tuple(rng.uniform(10, 190) for _ in range(3))
    light = (255.0, 255.0, 255.0) if rng.random() < 0.6 else tuple(rng.uniform(120, 255) for _ in range(3))
    yy, xx = np.mgrid[: FACE_PX[1], : FACE_PX[0]].astype(np.float32)
    kind, period = rng.choice(_BACK_KINDS), rng.uniform(5, 40)
    if kind == "lattice":
        wave = np.sin((xx + yy) * 6.28 / period) * np.sin((xx - yy) * 6.28 / period)
    elif kind == "rings":
        wave = np.sin(np.hypot(xx % (period * 3) - period * 1.5, yy % (period * 3) - period * 1.5) * 6.28 / period)
    else:
        wave = np.full(xx.shape, 1.0 if kind == "plain" else 0.0, np.float32) + np.sin(xx * 6.28 / period) * 0.5
    ink = np.clip(wave * 3 + 0.5, 0, 1)[..., None]
    face[..., :3] = ink * np.array(dark) + (1 - ink) * np.array(light)
    if rng.random() < 0.7:
        margin = rng.randint(6, 22)
        cv2.rectangle(face, (0, 0), (FACE_PX[0] - 1, FACE_PX[1] - 1), (*light, 255), margin)
    face[..., 3] = card_mask()
    return face
