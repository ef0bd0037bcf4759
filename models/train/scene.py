"""Scenes of lying cards, and where their corner indices are."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.art import CARD_MM, FACE_PX_PER_MM, DeckArt
from models.train.ground import Floats, draw_chip, random_ground
from models.train.ink import Mask
from models.train.printing import PrintedDeck, card_back, random_deck
from table_controller.cards import FACES, JOKERS, SUITS
from table_controller.vision.images import Image

SCENE_PX = 640
LABEL_COLUMNS = 10
"""A label: class (-1 unknown), visible share, then x and y of top left, top right, bottom right, bottom left."""
SEEN_FROM = 0.25
"""Indices of which less than this can be seen get no label."""

COURTS = tuple(face for face in FACES if face[0] in "JQK" and face[1] in SUITS)
"""Dealt more often than others: their frames and inner pips look most like indices."""

Matrix = NDArray[np.float64]
Labels = NDArray[np.float32]


@dataclass
class _Lying:
    """A card in the scene: its number in the map of what is on top, its face and its place."""

    number: int
    card: str
    matrix: Matrix
    index_mm: tuple[float, float, float, float]

    def quads(self) -> Labels:
        """The corners of both indices in the scene, 2 × 4 × 2."""
        x0, y0, x1, y1 = self.index_mm
        wide, high = CARD_MM
        upper = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]
        corners = np.array([upper, [[wide - x, high - y] for x, y in upper]], np.float32)
        return np.asarray(cv2.perspectiveTransform(corners.reshape(1, 8, 2), self.matrix), np.float32).reshape(2, 4, 2)


class _Scene:
    """A scene being laid."""

    def __init__(self, rng: random.Random, pictures: Sequence[Image] = ()) -> None:
        self.rng = rng
        self.image: Floats = random_ground(SCENE_PX, rng, pictures)
        self.top = np.zeros((SCENE_PX, SCENE_PX), np.int16)
        self.cards: list[_Lying] = []
        self.count = 0
        self.shade = rng.uniform(0.05, 0.6)

    def lay(self, face: Image, matrix: Matrix) -> int:
        """Lays a picture (BGRA) with its soft shadow; its number, or 0 when it lies outside."""
        corners = np.array([[[0, 0], [CARD_MM[0], 0], list(CARD_MM), [0, CARD_MM[1]]]], np.float32)
        quad = cv2.perspectiveTransform(corners, matrix)[0]
        x0, y0 = (max(0, int(v) - 5) for v in quad.min(0))
        x1, y1 = (min(SCENE_PX, int(v) + 6) for v in quad.max(0))
        if x1 - x0 < 6 or y1 - y0 < 6:
            return 0
        self.count += 1
        rng = self.rng
        move = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]])
        shrink = np.diag([1 / FACE_PX_PER_MM, 1 / FACE_PX_PER_MM, 1])
        seen = cv2.warpPerspective(face, move @ matrix @ shrink, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR)
        alpha = seen[..., 3].astype(np.float32) / 255
        shadow = cv2.GaussianBlur(alpha, (0, 0), rng.uniform(0.8, 4))
        if rng.random() < 0.5:
            shadow = np.roll(shadow, (rng.randint(-3, 3), rng.randint(-3, 3)), (0, 1))
        light_x = np.linspace(rng.uniform(0.85, 1), rng.uniform(0.85, 1), x1 - x0, dtype=np.float32)
        light_y = np.linspace(rng.uniform(0.85, 1), rng.uniform(0.85, 1), y1 - y0, dtype=np.float32)
        part = self.image[y0:y1, x0:x1]
        part *= ((1 - shadow * self.shade) * (1 - alpha))[..., None]
        part += seen[..., :3] * (alpha * light_y[:, None] * light_x[None])[..., None]
        self.top[y0:y1, x0:x1][alpha > 0.5] = self.count
        return self.count

    def cover_with_hand(self) -> None:
        """A few thick fingers over the cards."""
        rng = self.rng
        mask = np.zeros((SCENE_PX, SCENE_PX), np.uint8)
        at, turn = np.array([rng.uniform(0, SCENE_PX), rng.uniform(0, SCENE_PX)]), rng.uniform(0, 2 * math.pi)
        for _ in range(rng.randint(1, 5)):
            angle = turn + rng.uniform(-0.3, 0.3)
            tip = at + rng.uniform(60, 220) * np.array([math.cos(angle), math.sin(angle)])
            start, end = ((int(p[0]), int(p[1])) for p in (at, tip))
            cv2.line(mask, start, end, 255, rng.randint(20, 45))
            at = at + np.array([rng.uniform(-40, 40), rng.uniform(-40, 40)])
        self.top[mask > 0] = -1
        soft = cv2.GaussianBlur(mask, (0, 0), 1.2)[..., None].astype(np.float32) / 255
        skin = np.array([rng.uniform(60, 150), rng.uniform(80, 170), rng.uniform(120, 220)]) * rng.uniform(0.6, 1)
        self.image = (self.image * (1 - soft) + skin * soft).astype(np.float32)

    def labels(self) -> Labels:
        """The indices that can be seen, as rows of ``LABEL_COLUMNS``."""
        rows = []
        for lying in self.cards:
            for quad in lying.quads():
                left, right = (quad[0] + quad[3]) / 2, (quad[1] + quad[2]) / 2
                rank = np.array([quad[0], quad[1], right, left])
                suit = np.array([left, right, quad[2], quad[3]])
                share = min(self._visible(lying.number, rank), self._visible(lying.number, suit))
                if share > SEEN_FROM:
                    rows.append(np.concatenate([[FACES.index(lying.card), share], quad.reshape(-1)]))
        return np.array(rows, np.float32).reshape(-1, LABEL_COLUMNS)

    def _visible(self, number: int, quad: Labels) -> float:
        low, high = quad.min(0), quad.max(0)
        if (high < 0).any() or (low > SCENE_PX).any():
            return 0.0
        x0, y0 = (max(0, int(v)) for v in low)
        part = self.top[y0 : int(high[1]) + 2, x0 : int(high[0]) + 2]
        inside = np.zeros(part.shape, np.uint8)
        cv2.fillConvexPoly(inside, (quad - [x0, y0]).round().astype(np.int32), 1)
        return float(((part == number) & (inside > 0)).sum() / max(1.0, abs(cv2.contourArea(quad))))


def _view(rng: random.Random) -> tuple[tuple[float, float], float]:
    """(perspective along and across, stretch): mostly from above, sometimes from well aside."""
    aside = rng.random() < 0.25
    tilt, most = (0.0014, 0.3) if aside else (0.0006, 0.07)
    return (rng.gauss(0, tilt), rng.gauss(0, tilt)), rng.uniform(1 - most, 1 + most)


def _lay_card(scene: _Scene, deck: PrintedDeck, matrix: Matrix) -> None:
    """A random card of the deck, now and then face down."""
    rng = scene.rng
    if rng.random() < 0.07:
        scene.lay(card_back(rng), matrix)
        return
    card = rng.choices((rng.choice(FACES), rng.choice(COURTS), rng.choice(JOKERS)), (0.77, 0.15, 0.08))[0]
    face, index_mm = deck.face(card)
    if number := scene.lay(face, matrix):
        scene.cards.append(_Lying(number, card, matrix, index_mm))


def _lay_hand(scene: _Scene, deck: PrintedDeck, px_per_mm: float) -> None:
    """A fan as a hand holds it: turned round a point below the cards, each covering most of the one before."""
    rng = scene.rng
    count, step = rng.randint(5, 13), math.radians(rng.uniform(3, 9))
    radius, start = rng.uniform(90, 190), rng.uniform(0, 2 * math.pi)
    pivot = np.array([rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9)]) * SCENE_PX
    pivot += radius * px_per_mm * np.array([math.sin(start), -math.cos(start)]) * -1
    tilt, stretch = _view(rng)
    stretch *= deck.aspect
    way = rng.choice((-1, 1, 1))
    for i in range(count):
        angle = start + way * (i - (count - 1) / 2) * step + rng.gauss(0, 0.015)
        cos, sin = math.cos(angle) * px_per_mm, math.sin(angle) * px_per_mm
        matrix = np.array([[cos * stretch, -sin, 0], [sin * stretch, cos, 0], [*tilt, 1]])
        middle = matrix[:2, :2] @ (np.array(CARD_MM) / 2)
        out = (radius + rng.gauss(0, 1.5)) * px_per_mm * np.array([math.sin(angle), -math.cos(angle)])
        matrix[:2, 2] = pivot + out - middle
        _lay_card(scene, deck, matrix)


def _lay_group(scene: _Scene, deck: PrintedDeck, px_per_mm: float) -> None:
    """One card, or a row, cascade or fan of several, somewhere."""
    rng = scene.rng
    count = 1 if rng.random() < 0.3 else rng.randint(2, 9)
    turn = rng.uniform(0, 360) if rng.random() < 0.6 else rng.choice((0, 90, 180, 270)) + rng.gauss(0, 5)
    at = np.array([rng.uniform(0.05, 0.95), rng.uniform(0.05, 0.95)]) * SCENE_PX
    pitch = rng.choice((rng.uniform(8.5, 13), rng.uniform(11, 18), rng.uniform(14, 30), rng.uniform(60, 70)))
    along = np.array([0.0, 1.0]) if rng.random() < 0.4 else np.array([1.0, 0.0])
    fan = rng.gauss(0, 6) if rng.random() < 0.3 else 0.0
    jitter = 1.5 if rng.random() < 0.6 else 6.0
    tilt, stretch = _view(rng)
    stretch *= deck.aspect
    way, angle0 = rng.choice((-1, 1)), math.radians(turn)
    spin = np.array([[math.cos(angle0), -math.sin(angle0)], [math.sin(angle0), math.cos(angle0)]])
    for i in range(count):
        off = np.array([rng.gauss(0, 1.2), rng.gauss(0, 1.2)]) + (i - (count - 1) / 2) * pitch * way * along
        angle = angle0 + math.radians(rng.gauss(0, jitter) + fan * i) + (math.pi if rng.random() < 0.15 else 0)
        cos, sin = math.cos(angle) * px_per_mm, math.sin(angle) * px_per_mm
        matrix = np.array([[cos * stretch, -sin, 0], [sin * stretch, cos, 0], [*tilt, 1]])
        middle = matrix[:2, :2] @ (np.array(CARD_MM) / 2)
        matrix[:2, 2] = at + spin @ off * px_per_mm - middle
        _lay_card(scene, deck, matrix)


def _light(image: Floats, rng: random.Random) -> Floats:
    """A gradient, soft shadows and a glare."""
    side = SCENE_PX
    across = np.linspace(rng.uniform(0.7, 1.1), rng.uniform(0.7, 1.1), side, dtype=np.float32)
    down = np.linspace(rng.uniform(0.7, 1.1), rng.uniform(0.7, 1.1), side, dtype=np.float32)
    image = image * (down[:, None] * across[None])[..., None]
    small = side // 4
    for _ in range(rng.choice((0, 0, 1, 2))):
        mask = np.zeros((small, small), np.float32)
        corners = [[rng.randint(-40, small + 40), rng.randint(-40, small + 40)] for _ in range(rng.randint(3, 5))]
        cv2.fillPoly(mask, [np.array(corners, np.int32)], 1)
        soft = cv2.GaussianBlur(mask, (0, 0), rng.uniform(1, 15))
        image = image * (1 - rng.uniform(0.1, 0.55) * cv2.resize(soft, (side, side))[..., None])
    if rng.random() < 0.3:
        mask = np.zeros((small, small), np.float32)
        axes = (rng.randint(3, 30), rng.randint(2, 15))
        cv2.ellipse(mask, (rng.randint(0, small), rng.randint(0, small)), axes, rng.uniform(0, 180), 0, 360, 1, -1)
        soft = cv2.GaussianBlur(mask, (0, 0), rng.uniform(1, 8))
        image = image + rng.uniform(30, 140) * cv2.resize(soft, (side, side))[..., None]
    return image


def render(
    rng: random.Random,
    arts: Sequence[DeckArt],
    signs: Sequence[dict[str, Mask]],
    pictures: Sequence[Image] = (),
) -> tuple[Image, Labels]:
    """A scene (640 × 640, BGR, sharp and clean: the camera comes later) and its labels; ``pictures`` to lie on."""
    scene = _Scene(rng, pictures)
    decks = [random_deck(rng, arts, signs) for _ in range(rng.choice((1, 2, 2, 3)))]
    px_per_mm = math.exp(rng.uniform(math.log(1.7), math.log(4.2)))
    wanted = rng.randint(5, 22)
    while scene.count < wanted:
        lay = _lay_hand if rng.random() < 0.2 else _lay_group
        lay(scene, rng.choice(decks), px_per_mm)
    for _ in range(rng.randint(1, 4) if rng.random() < 0.2 else 0):
        _lay_chip(scene)
    if rng.random() < 0.25:
        scene.cover_with_hand()
    image = np.clip(_light(scene.image, rng), 0, 255).astype(np.uint8)
    return image, scene.labels()


def _lay_chip(scene: _Scene) -> None:
    """A chip on top of what lies there; what it covers is no longer seen."""
    before = scene.image.copy()
    draw_chip(scene.image, scene.rng)
    scene.top[(before != scene.image).any(2)] = -1
