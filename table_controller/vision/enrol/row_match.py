"""Which corner of a play area's picture belongs to which card of the row that was asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from table_controller.cards import FACES, JOKERS
from table_controller.vision.classify import NO_INDEX, VIEWS, Floats, IndexClassifier, cut_patch
from table_controller.vision.detect import UNIT_PX, Corner, Detector
from table_controller.vision.enrol.samples import Matched, turned
from table_controller.vision.images import Image
from table_controller.vision.mat import Window
from table_controller.vision.pairs import offset_between

VIEW_PX_PER_MM = 3.0
INDEX_MM = 16.0
FOUND_FROM = 0.1
LEFT_OUT = 7.0
"""What it costs to leave a card of the row without a corner, as minus a logarithm of a chance."""
SPARE = 3.5
"""What it costs to take a corner for none of the row's top ones."""
FLOOR = 1e-4
UPRIGHT = 0.75
CERTAIN = 0.97
NONE_FROM = 0.5
APART = 0.6
"""How far from the row's own corners, in their heights, a patch without an index is."""
NOTHING_AT_MOST = 12
ROW_MM = 22.0
"""Corners further from the row's usual height are not of it."""


@dataclass(frozen=True)
class Row:
    """A row as found: its corners with their cards, the cards without a corner, and what was read with certainty where
    another card was asked for: (asked for, read)."""

    matched: tuple[Matched, ...]
    missing: tuple[str, ...]
    other: tuple[tuple[str, str], ...]
    nothing: tuple[Image, ...] = ()
    """Patches the detector stopped at in which there is no index, both ways up: frames and figures of courts."""


def _upright(view: Image, corners: Sequence[Corner], classifier: IndexClassifier) -> tuple[list[Corner], Floats]:
    """The corners the way up they read best, and their chances."""
    chances, heads = classifier.read([cut_patch(view, corner) for corner in corners], VIEWS[:4])
    stood = [turned(corner) if head else corner for corner, head in zip(corners, heads, strict=True)]
    return stood, chances


def _nothing(view: Image, corners: Sequence[Corner], chances: Floats, matched: Sequence[Matched]) -> list[Image]:
    """Patches of what is likelier no index than any card and lies apart from the row's own corners."""
    own = [found.corner for found in matched]
    free = [
        corner
        for corner, row in zip(corners, chances, strict=True)
        if row[NO_INDEX] > NONE_FROM
        and all(math.dist(corner.centre, other.centre) > APART * other.height_px for other in own)
    ]
    return [cut_patch(view, way) for corner in free[:NOTHING_AT_MOST] for way in (corner, turned(corner))]


def align(costs: Floats) -> list[int | None]:
    """For each of the row's cards (rows of ``costs``) the corner (column) that is its own, in order from left to right,
    or None: the cheapest way."""
    cards, corners = costs.shape
    best = np.zeros((cards + 1, corners + 1))
    best[1:, 0] = LEFT_OUT * np.arange(1, cards + 1)
    best[0, 1:] = SPARE * np.arange(1, corners + 1)
    for i in range(cards):
        for j in range(corners):
            best[i + 1, j + 1] = min(best[i, j] + costs[i, j], best[i, j + 1] + LEFT_OUT, best[i + 1, j] + SPARE)
    chosen: list[int | None] = [None] * cards
    i, j = cards, corners
    while i and j:
        if best[i, j] == best[i - 1, j - 1] + costs[i - 1, j - 1]:
            chosen[i - 1] = j - 1
            i, j = i - 1, j - 1
        elif best[i, j] == best[i, j - 1] + SPARE:
            j -= 1
        else:
            i -= 1
    return chosen


def match_row(
    view: Image, window: Window, cards: Sequence[str], detector: Detector, classifier: IndexClassifier
) -> Row:
    """Find a row's top corners, left to right, and the lower corner of its last card."""
    scale = min(1.0, UNIT_PX / (INDEX_MM * VIEW_PX_PER_MM))
    everywhere, likely = _upright(view, detector.find(view, scale, FOUND_FROM), classifier)
    keep = [i for i, row in enumerate(likely) if row[NO_INDEX] < CERTAIN]
    corners, chances = [everywhere[i] for i in keep], likely[keep]
    order = sorted(_of_row(corners, chances), key=lambda i: corners[i].centre[0])
    table = np.array([[_cost(chances[i], card) for i in order] for card in cards], np.float32)
    chosen = align(table.reshape(len(cards), len(order)))
    matched, other = [], []
    for card, at in zip(cards, chosen, strict=True):
        if at is None:
            continue
        corner, row = _facing(corners[order[at]]), chances[order[at]]
        matched.append(Matched(card, corner, cut_patch(view, corner)))
        read = int(row[:NO_INDEX].argmax())
        if row[read] > CERTAIN and FACES[read] != card:
            other.append((card, FACES[read]))
    missing = tuple(card for card, at in zip(cards, chosen, strict=True) if at is None)
    if chosen and chosen[-1] is not None:
        matched += _lower(view, matched[-1], corners)
    return Row(tuple(matched), missing, tuple(other), tuple(_nothing(view, everywhere, likely, matched)))


def _facing(corner: Corner) -> Corner:
    """A top corner the way its player sees it: a joker's letters alone do not tell."""
    return corner if corner.up[1] <= 0 else turned(corner)


def _cost(row: Floats, card: str) -> float:
    return float(-np.log(max(FLOOR, float(row[FACES.index(card)]))))


def _of_row(corners: Sequence[Corner], chances: Floats) -> list[int]:
    """The numbers of the corners that can be the row's top ones: upright and in a line."""
    jokers = [FACES.index(card) for card in JOKERS]
    upright = [
        i
        for i, corner in enumerate(corners)
        if corner.up[1] < -UPRIGHT or (corner.up[1] > UPRIGHT and chances[i, jokers].sum() > 0.3)
    ]
    if not upright:
        return []
    usual = float(np.median([corners[i].centre[1] for i in upright if corners[i].up[1] < 0] or [0.0]))
    return [i for i in upright if abs(corners[i].centre[1] - usual) < ROW_MM * VIEW_PX_PER_MM]


def _lower(view: Image, last: Matched, corners: Sequence[Corner]) -> list[Matched]:
    """The other corner of the row's last card, which nothing covers."""
    for corner in corners:
        down = corner if corner.up[1] > 0 else turned(corner)
        if offset_between(last.corner, replace(down, height_px=last.corner.height_px)) is not None:
            return [Matched(last.card, down, cut_patch(view, down))]
    return []
