"""How well a deck is read, as lines and as a picture: the confusion matrix and the weakest cards with their crops."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import FACES
from table_controller.vision.classify import CLASSES, NO_INDEX
from table_controller.vision.enrol.deck import Deck
from table_controller.vision.enrol.samples import NOTHING
from table_controller.vision.images import Image

NAMES = (*FACES, NOTHING)
CELL, LEFT, TOP = 15, 60, 76
CROP, GAP, ACROSS, DOWN = 116, 14, 6, 6
INK, PAPER, RED, GREEN = (30, 30, 30), (255, 255, 255), (40, 40, 220), (70, 150, 60)
_FONT = cv2.FONT_HERSHEY_SIMPLEX


@dataclass(frozen=True)
class Weakness:
    """A card of a deck: how many of its kept-back corners there were and were read right, and as what else."""

    card: str
    corners: int
    right: int
    others: tuple[tuple[str, int], ...]

    def line(self) -> str:
        """As printed."""
        others = ", ".join(f"{count} as {card}" for card, count in self.others)
        return f"{self.card:<3} {self.right} of {self.corners}" + (f"; {others}" if others else "")


def weaknesses(confusion: NDArray[np.int64]) -> list[Weakness]:
    """The deck's cards that were seen, the weakest first: by share read right, then the fewest seen."""
    found = []
    for number, card in enumerate(FACES):
        row = confusion[number]
        if not row.sum():
            continue
        others = sorted(((int(row[k]), NAMES[k]) for k in range(CLASSES) if k != number and row[k]), reverse=True)
        found.append(Weakness(card, int(row.sum()), int(row[number]), tuple((name, n) for n, name in others)))
    return sorted(found, key=lambda weak: (weak.right / weak.corners, weak.corners, weak.card))


def unseen(confusion: NDArray[np.int64]) -> list[str]:
    """The cards of which the deck was never shown a corner."""
    return [card for number, card in enumerate(FACES) if not confusion[number].sum()]


def summary(deck: Deck) -> str:
    """A few lines about a deck."""
    faces = deck.confusion[:NO_INDEX]
    total, right = int(faces.sum()), int(np.trace(faces[:, :NO_INDEX]))
    lines = [
        f"{deck.name}: {total} corners, learnt from {deck.facts.how}, weights {deck.weights}",
        f"kept back in turn, one view at a time: {right} of {total} read right ({right / max(1, total):.1%})",
        f"sure from {deck.learnt.sure_from:.2f}; prompt cards: {len(deck.prompts)}",
    ]
    weak = [item for item in weaknesses(deck.confusion) if item.right < item.corners]
    lines += [f"  {item.line()}" for item in weak[:12]]
    missing = unseen(deck.confusion)
    if missing:
        lines.append(f"never shown: {' '.join(missing)}")
    return "\n".join(lines)


def _text(picture: Image, words: str, at: tuple[int, int], size: float, colour: tuple[int, int, int] = INK) -> None:
    cv2.putText(picture, words, at, _FONT, size, colour, 1, cv2.LINE_AA)


def _matrix(confusion: NDArray[np.int64]) -> Image:
    """The table: rows are the cards, columns what they were read as; green right, red wrong."""
    side = CELL * CLASSES
    picture = np.full((TOP + side + 10, LEFT + side + 10, 3), 255, np.uint8)
    shares = confusion / np.maximum(confusion.sum(1, keepdims=True), 1)
    for row in range(CLASSES):
        y = TOP + row * CELL
        _text(picture, NAMES[row], (LEFT - 30, y + 11), 0.36)
        for column in range(CLASSES):
            x = LEFT + column * CELL
            if confusion[row, column]:
                colour = np.array(GREEN if row == column else RED, np.float64)
                strength = 0.25 + 0.75 * shares[row, column]
                shade = tuple(float(v) for v in 255 - (255 - colour) * strength)
                cv2.rectangle(picture, (x, y), (x + CELL - 1, y + CELL - 1), shade, -1)
                if row != column:
                    _text(picture, str(confusion[row, column]), (x + 3, y + 11), 0.34)
    for line in range(0, CLASSES + 1, 4):
        at = line * CELL
        cv2.line(picture, (LEFT + at, TOP), (LEFT + at, TOP + side), (210, 210, 210))
        cv2.line(picture, (LEFT, TOP + at), (LEFT + side, TOP + at), (210, 210, 210))
    names = np.full((34, side, 3), 255, np.uint8)
    turned = np.full((side, 34, 3), 255, np.uint8)
    for number, name in enumerate(NAMES):
        _text(turned, name, (2, side - number * CELL - 4), 0.36)
    names = np.asarray(cv2.rotate(turned, cv2.ROTATE_90_CLOCKWISE), np.uint8)
    picture[TOP - 36 : TOP - 2, LEFT : LEFT + side] = names
    _text(picture, "row: the card, column: what its corners were read as when kept back", (LEFT, 16), 0.45)
    return picture


def _crops(deck: Deck) -> Image:
    """The weakest cards, each with crops of its corners."""
    weak = weaknesses(deck.confusion)[:DOWN]
    rows = []
    for item in weak:
        patches = [sample.patch for sample in deck.samples if sample.card == item.card][:ACROSS]
        strip = np.full((CROP + 34, ACROSS * (CROP + GAP), 3), 255, np.uint8)
        _text(strip, item.line()[:70], (2, 16), 0.5, RED if item.right < item.corners else GREEN)
        for number, patch in enumerate(patches):
            x = number * (CROP + GAP)
            strip[24 : 24 + CROP, x : x + CROP] = cv2.resize(patch, (CROP, CROP), interpolation=cv2.INTER_AREA)
        rows.append(strip)
    return np.concatenate(rows) if rows else np.full((CROP, ACROSS * (CROP + GAP), 3), 255, np.uint8)


def picture_of(deck: Deck) -> Image:
    """One picture: the confusion matrix, and beside it the weakest cards (weakest first)."""
    left, right = _matrix(deck.confusion), _crops(deck)
    head = 64
    height = head + max(len(left), len(right) + 40)
    picture = np.full((height, left.shape[1] + right.shape[1] + 30, 3), 255, np.uint8)
    picture[head : head + len(left), : left.shape[1]] = left
    x = left.shape[1] + 20
    picture[head + 40 : head + 40 + len(right), x : x + right.shape[1]] = right
    for number, line in enumerate(summary(deck).splitlines()[:2]):
        _text(picture, line, (20, 26 + 24 * number), 0.6)
    _text(picture, "the weakest cards: right of kept-back corners, and what else was read", (x, head + 20), 0.5)
    return picture
