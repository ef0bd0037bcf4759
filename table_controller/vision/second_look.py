"""A second look between two cards that lie further apart than people lay cards: an index there may have been missed.

Two indices that nearly touch (a new row beginning on an old one) are found as one. With the read ones painted over,
the other shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np

from table_controller.geometry import Point
from table_controller.vision.cards_on_mat import SeenCard
from table_controller.vision.classify import NO_INDEX
from table_controller.vision.images import Image
from table_controller.vision.mat import Window
from table_controller.vision.reader import IndexReading

WIDE_STEP_MM = 23.0
"""Neighbours in a row seldom lie further apart,"""
_TIGHT_MM, _TWICE = 19.0, 1.7
"""and in a row in which some lie tight, not so far apart as this many of the least step."""
_LEAST_STEP_MM = 10.0
"""What lies closer is no row: one card over another."""
_ROW_MM = 18.0
_CLEAR_OF_MM = (7.0, 5.0)
"""What is nearer to the left or the right one of two indices belongs to it."""
_BESIDE_MM = 4.0
MAY_BE = 0.1
"""With a smaller chance of any card, what shows is none. On rendered rows of forty decks one card between two in five
hundred shows less, and one gap without a card in twenty more."""
_CARD_MM = 58.0
_AROUND_MM = (14.0, 24.0)


def gaps(cards: Sequence[SeenCard]) -> Iterator[tuple[SeenCard, SeenCard]]:
    """Neighbours in a row, one card overlapping the other, with room for a third index between theirs."""
    tops = sorted((card for card in cards if card.top is not None), key=lambda card: card.anchor)
    neighbours = [(left, right) for left, right in pairwise(tops) if abs(right.anchor[1] - left.anchor[1]) < _ROW_MM]
    steps = [right.anchor[0] - left.anchor[0] for left, right in neighbours]
    least_mm = min((step for step in steps if step > _LEAST_STEP_MM), default=WIDE_STEP_MM)
    wide_mm = min(WIDE_STEP_MM, max(_TIGHT_MM, _TWICE * least_mm))
    for (left, right), step in zip(neighbours, steps, strict=True):
        if wide_mm < step < _CARD_MM + WIDE_STEP_MM:
            yield left, right


def gap_picture(
    view: Image, window: Window, px_per_mm: float, left: SeenCard, right: SeenCard
) -> tuple[Image, tuple[int, int]]:
    """The part of a view round a gap, the two read indices painted over with paper; and its top left pixel."""
    painted = view.copy()
    paper = _paper_colour(view, window, px_per_mm, left)
    for card in (left, right):
        at = card.anchor
        corners = [window.to_px(u, v, px_per_mm) for u, v in card.index_patch(at)]
        cv2.fillConvexPoly(painted, np.round(np.array(corners)).astype(np.int32), paper)
    x0, y0, x1, y1 = _box(view, window, px_per_mm, (left.anchor, right.anchor))
    return np.ascontiguousarray(painted[y0:y1, x0:x1]), (x0, y0)


def in_gap(reading: IndexReading, window: Window, px_per_mm: float, left: SeenCard, right: SeenCard) -> bool:
    """Whether a reading lies from one index to the other: the picture shows parts of other cards beyond them."""
    u, _ = window.to_seat(*reading.centre, px_per_mm)
    return left.anchor[0] - _BESIDE_MM < u < right.anchor[0] + _BESIDE_MM


def shows_between(
    readings: Sequence[IndexReading], window: Window, px_per_mm: float, left: SeenCard, right: SeenCard
) -> bool:
    """Whether any of the faint readings of a gap may be the index of a card that lies in it."""
    (u0, v0), (u1, _) = left.anchor, right.anchor
    for reading in readings:
        u, v = window.to_seat(*reading.centre, px_per_mm)
        within = u0 + _CLEAR_OF_MM[0] < u < u1 - _CLEAR_OF_MM[1] and abs(v - v0) < _ROW_MM
        if within and 1 - float(reading.probs[NO_INDEX]) > MAY_BE:
            return True
    return False


def placed(readings: Sequence[IndexReading], offset: tuple[int, int]) -> list[IndexReading]:
    """Readings of a part of a view, in the view's own pixels."""
    return [replace(r, centre=(r.centre[0] + offset[0], r.centre[1] + offset[1])) for r in readings]


def _box(view: Image, window: Window, px_per_mm: float, anchors: tuple[Point, Point]) -> tuple[int, int, int, int]:
    us, vs = [u for u, _ in anchors], [v for _, v in anchors]
    x0, y0 = window.to_px(min(us) - _AROUND_MM[0], min(vs) - _AROUND_MM[1], px_per_mm)
    x1, y1 = window.to_px(max(us) + _AROUND_MM[0], max(vs) + _AROUND_MM[1], px_per_mm)
    return max(0, round(x0)), max(0, round(y0)), min(view.shape[1], round(x1)), min(view.shape[0], round(y1))


def _paper_colour(view: Image, window: Window, px_per_mm: float, card: SeenCard) -> tuple[float, ...]:
    mask = np.zeros(view.shape[:2], dtype=np.uint8)
    corners = [window.to_px(u, v, px_per_mm) for u, v in card.index_patch(card.anchor)]
    cv2.fillConvexPoly(mask, np.round(np.array(corners)).astype(np.int32), 1)
    pixels = view[mask > 0]
    if not len(pixels):
        return (240.0, 240.0, 240.0)
    return tuple(float(value) for value in np.percentile(pixels, 75, axis=0))
