"""Rendered photographs of cards on any table: a drawn deck nobody trained on, half to 24 megapixels, any layout.

Rows, fans of 13, heaps and single cards lie any way round on felt, cloth, wood or black; chips with numbers, boxes with
letters and cards face down lie among them. Every corner index is known with the share of it that can be seen.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import full_pack
from table_controller.sim.deck import FACE_PX_PER_MM, deck, to_bgra
from table_controller.sim.deck_style import DRAWN
from table_controller.sim.sprites import flat_sprite

Image = NDArray[np.uint8]
Matrix = NDArray[np.float64]

MEGAPIXELS = (0.5, 1, 2, 6, 12, 24)
LAYOUTS = ("single", "rows", "heaps", "fans", "mixed")
GROUNDS = ("felt", "cloth", "wood", "black")
LEAST_CARD_PX = 95
"""A card's height: its index is then about 17 px high."""
INDEX_MM = ((2.0, 2.5), (11.0, 20.5))
STEP_MM, FACE_DOWN = 22.0, 0.06


@dataclass(frozen=True)
class Index:
    """One corner index: its card, which of the laid cards it is on, its box in pixels and how much of it shows."""

    card: str
    number: int
    box: tuple[int, int, int, int]
    shown: float


@dataclass
class Photograph:
    """A picture with its truth."""

    name: str
    image: Image
    indices: list[Index] = field(default_factory=list)


def ground(kind: str, size: tuple[int, int], rng: np.random.Generator) -> Image:
    """What the cards lie on, ``size`` wide and high."""
    width, height = size
    y, x = np.mgrid[:height, :width].astype(np.float32)
    if kind == "felt":
        grain = cv2.GaussianBlur(rng.normal(0, 40, (height, width)).astype(np.float32), (0, 0), 1.2)
        picture = rng.integers(20, 120, 3) + grain[..., None]
    elif kind == "cloth":
        pitch = rng.uniform(6, 30)
        weave = 18 * (np.sin(2 * np.pi * x / pitch) + np.sin(2 * np.pi * y / pitch))
        picture = rng.integers(60, 200, 3) + weave[..., None]
    elif kind == "wood":
        bend = cv2.resize(rng.normal(0, 1, (8, max(4, width // 300))).astype(np.float32), size)
        fine = cv2.resize(rng.normal(0, 1, (height // 2, width // 60 + 2)).astype(np.float32), size)
        picture = np.array([50, 90, 150]) * (0.8 + 0.12 * np.sin(0.05 * y + 8 * bend) + 0.05 * fine)[..., None]
    else:
        picture = np.full((height, width, 3), rng.integers(10, 40)) + rng.normal(0, 4, (height, width, 1))
    return np.clip(picture, 0, 255).astype(np.uint8)


def chip(rng: random.Random, side: int) -> Image:
    """A gaming chip with a number on it (BGRA)."""
    picture, middle = np.zeros((side, side, 4), np.uint8), side // 2
    cv2.circle(picture, (middle, middle), middle - 1, (*(rng.randint(20, 235) for _ in "bgr"), 255), -1, cv2.LINE_AA)
    for spot in range(8):
        at = [int(side / 2 + 0.42 * side * turn(spot * math.pi / 4)) for turn in (math.cos, math.sin)]
        cv2.circle(picture, (at[0], at[1]), max(1, side // 14), (235, 235, 235, 255), -1, cv2.LINE_AA)
    cv2.circle(picture, (middle, middle), int(0.3 * side), (235, 235, 230, 255), -1, cv2.LINE_AA)
    words, scale = rng.choice(("5", "10", "25", "100", "A", "8")), side / 90
    thick = max(1, round(2.5 * scale))
    (wide, high), _ = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, scale, thick)
    ink = rng.choice(((20, 20, 20, 255), (30, 30, 180, 255)))
    at = ((side - wide) // 2, (side + high) // 2)
    cv2.putText(picture, words, at, cv2.FONT_HERSHEY_SIMPLEX, scale, ink, thick, cv2.LINE_AA)
    return picture


def box_of_cards(rng: random.Random, px_per_mm: float) -> Image:
    """The box of a deck, with letters and figures on it (BGRA)."""
    width, height = round(66 * px_per_mm), round(92 * px_per_mm)
    picture = np.full((height, width, 4), 255, np.uint8)
    picture[..., :3] = [rng.randint(0, 255) for _ in "bgr"]
    for words in rng.sample(("POKER", "777", "PLAYING CARDS", "A", "BEE", "10", "No. 8", "JQK"), 3):
        scale = rng.uniform(0.5, 2) * px_per_mm / 4
        at = (rng.randint(0, width // 3), rng.randint(height // 5, height - 5))
        ink = (*(rng.randint(0, 255) for _ in "bgr"), 255)
        cv2.putText(picture, words, at, cv2.FONT_HERSHEY_DUPLEX, scale, ink, max(1, round(2 * scale)), cv2.LINE_AA)
    return picture


def group(kind: str, rng: random.Random) -> list[tuple[float, float, float]]:
    """The cards of a group: (x mm, y mm, degrees) each, the group upright."""
    count = {"single": 1, "rows": rng.randint(3, 10), "heaps": rng.randint(2, 5), "fans": 13}[kind]
    if kind == "rows":
        return [(STEP_MM * (i - (count - 1) / 2), rng.gauss(0, 1), rng.gauss(0, 1)) for i in range(count)]
    if kind == "heaps":
        return [(rng.gauss(0, 22), rng.gauss(0, 18), rng.gauss(0, 35)) for _ in range(count)]
    if kind == "fans":
        step = rng.uniform(6.4, 7.2)
        turns = [math.radians(step * (i - 6)) for i in range(count)]
        return [(110 * math.sin(t), 110 * (1 - math.cos(t)), math.degrees(t)) for t in turns]
    return [(0.0, 0.0, 0.0)]


class Table:
    """A picture on which things are laid, and what has come to lie where."""

    def __init__(self, size: tuple[int, int], px_per_mm: float, picture: Image) -> None:
        self.size, self.px_per_mm, self.picture = size, px_per_mm, picture
        self.top = np.zeros(picture.shape[:2], np.int32)
        self.cards: list[tuple[str, Matrix, tuple[int, int]]] = []
        self.taken: list[tuple[float, float, float]] = []

    def lay(self, sprite: Image, at: tuple[float, float], degrees: float, scale: float) -> Matrix:
        """Lay a picture with its middle at a place; returns the matrix from its pixels to the table's."""
        high, wide = sprite.shape[:2]
        c, s = (scale * turn(math.radians(degrees)) for turn in (math.cos, math.sin))
        matrix = np.array(
            [[c, -s, at[0] - (c * wide - s * high) / 2], [s, c, at[1] - (s * wide + c * high) / 2], [0, 0, 1]]
        )
        laid = flat_sprite(sprite, matrix, self.size, lift_px=max(0.6, 0.5 * self.px_per_mm))
        if laid is not None:
            x0, y0, x1, y1 = laid.box
            laid.blend(self.picture[y0:y1, x0:x1], laid.box)
        return matrix

    def room(self, radius: float, rng: random.Random) -> tuple[float, float] | None:
        """A free place for something of this radius (pixels); None when none was found."""
        edge = 0.8 * radius
        if min(self.size) < 2 * edge:
            return None
        for _ in range(30):
            at = rng.uniform(edge, self.size[0] - edge), rng.uniform(edge, self.size[1] - edge)
            if all(math.dist(at, other[:2]) > radius + other[2] for other in self.taken):
                self.taken.append((*at, radius))
                return at
        return None

    def indices(self) -> Iterator[Index]:
        """The corner indices of the cards that lie face up, wholly inside the picture."""
        for number, (card, matrix, (wide, high)) in enumerate(self.cards, 1):
            (x0, y0), (x1, y1) = (np.array(corner) * FACE_PX_PER_MM for corner in INDEX_MM)
            first = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
            for places in (first, np.array([wide, high]) - first):
                at = cv2.perspectiveTransform(places[:, None], matrix)[:, 0]
                low, far = np.floor(at.min(0)).astype(int), np.ceil(at.max(0)).astype(int)
                if card and low.min() >= 0 and far[0] < self.size[0] and far[1] < self.size[1]:
                    patch = np.zeros((far[1] - low[1] + 1, far[0] - low[0] + 1), np.uint8)
                    cv2.fillConvexPoly(patch, np.round(at - low).astype(np.int32), 1)
                    seen = self.top[low[1] : far[1] + 1, low[0] : far[0] + 1] == number
                    shown = float((seen & (patch > 0)).sum() / patch.sum())
                    yield Index(card, number, (int(low[0]), int(low[1]), int(far[0]), int(far[1])), shown)


def photograph(seed: int) -> Photograph:
    """The photograph of a seed."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    megapixels, layout, kind = rng.choice(MEGAPIXELS), rng.choice(LAYOUTS), rng.choice(GROUNDS)
    height = round(math.sqrt(megapixels * 1e6 / (shape := rng.choice((4 / 3, 3 / 2, 16 / 9)))))
    size = (round(height * shape), height)
    share = rng.uniform(0.14, 0.34) if megapixels <= 2 else rng.uniform(0.07, 0.2)
    px_per_mm = max(share * height, LEAST_CARD_PX) / 88
    table = Table(size, px_per_mm, ground(kind, size, numbers))
    _lay_cards(table, layout, rng)
    for _ in range(rng.randint(0, 8)):
        thing = (
            chip(rng, round(rng.uniform(30, 45) * px_per_mm)) if rng.random() < 0.7 else box_of_cards(rng, px_per_mm)
        )
        at = table.room(math.hypot(*thing.shape[:2]) / 2, rng)
        if at is not None:
            table.lay(thing, at, rng.uniform(0, 360), 1.0)
    truth = list(table.indices())
    return Photograph(f"{seed} {layout} {kind} {megapixels} MP", _taken(table.picture, rng, numbers), truth)


def _lay_cards(table: Table, layout: str, rng: random.Random) -> None:
    faces, pack = deck(f"{DRAWN}{rng.randrange(300_000)}"), full_pack()
    rng.shuffle(pack)
    wanted = {"single": (1, 14), "rows": (2, 8), "heaps": (2, 10), "fans": (1, 5), "mixed": (3, 12)}[layout]
    scale = table.px_per_mm / FACE_PX_PER_MM
    for _ in range(rng.randint(*wanted)):
        kind = layout if layout != "mixed" else rng.choice(LAYOUTS[:-1])
        turn = rng.uniform(0, 360) if rng.random() < 0.5 else rng.choice((0, 90, 180, 270)) + rng.gauss(0, 4)
        cards = group(kind, rng)
        at = table.room((max(math.hypot(x, y) for x, y, _ in cards) + 54) * table.px_per_mm, rng)
        if at is None or len(pack) < len(cards):
            continue
        c, s = (table.px_per_mm * way(math.radians(turn)) for way in (math.cos, math.sin))
        for x, y, degrees in cards:
            card = "" if kind != "fans" and rng.random() < FACE_DOWN else pack.pop()
            picture = to_bgra(faces.face(card) if card else faces.back())
            matrix = table.lay(picture, (at[0] + c * x - s * y, at[1] + s * x + c * y), turn + degrees, scale)
            high, wide = picture.shape[:2]
            table.cards.append((card, matrix, (wide, high)))
            outline = np.array([[[0, 0]], [[wide, 0]], [[wide, high]], [[0, high]]], dtype=np.float64)
            corners = np.round(cv2.perspectiveTransform(outline, matrix)).astype(np.int32)
            cv2.fillConvexPoly(table.top, corners, len(table.cards))


def _taken(picture: Image, rng: random.Random, numbers: np.random.Generator) -> Image:
    """As a decent camera takes it: uneven light, a cast, a little blur, noise, JPEG."""
    height, width = picture.shape[:2]
    light = 1 + 0.25 * cv2.resize(
        numbers.normal(0, 1, (3, 3)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC
    )
    cast = np.array([rng.uniform(0.88, 1.08) for _ in "bgr"], np.float32)
    lit = picture.astype(np.float32) * np.clip(light, 0.5, 1.3)[..., None] * cast
    blurred = cv2.GaussianBlur(lit, (0, 0), rng.uniform(0.4, 1.1))
    noisy = blurred + numbers.normal(0, rng.uniform(1, 5), (height, width, 1)).astype(np.float32)
    quality = [cv2.IMWRITE_JPEG_QUALITY, rng.randint(75, 95)]
    coded = cv2.imencode(".jpg", np.clip(noisy, 0, 255).astype(np.uint8), quality)[1]
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR_BGR), np.uint8)
