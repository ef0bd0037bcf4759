"""Whether a prompt card lies where it lay, told by its markers: one in each corner, of which any may be hidden."""

from __future__ import annotations

import math
from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.geometry import Geometry, Point

SAME_PLACE_MM = 0.9
"""A card that is merely uncovered again shows its markers where they were, within this. People lay within ±5 mm and
±16 degrees: twice as much took one card in a hundred that was laid anew for one uncovered."""
_INSET_MM = 2.0
"""The markers' distance from the card's edges, as it is printed."""
_CORNERS = 4

Places = tuple[Point, ...]


def _steps_mm(geometry: Geometry) -> tuple[float, ...]:
    """How far apart two markers of one card lie: across, down, from corner to corner."""
    width, height = (side - 2 * _INSET_MM - geometry.prompt_marker_mm for side in geometry.prompt_card_mm)
    return width, height, math.hypot(width, height)


def same_place(before: Places, now: Places, geometry: Geometry) -> bool:
    """Whether the markers seen now are of a card that lies where it lay when ``before`` was seen of it.

    Of two sights of one card at least so many markers show in both as they have more than four together; where these
    may be none, the others must be as far apart as the corners of one card.
    """
    still = sum(any(math.dist(at, was) < SAME_PLACE_MM for was in before) for at in now)
    shared = len(now) + len(before) - _CORNERS
    if still >= min(len(now), len(before)):
        return True
    return still >= shared and _of_one_card(before, now, geometry)


def _of_one_card(before: Places, now: Places, geometry: Geometry) -> bool:
    steps = (0.0, *_steps_mm(geometry))
    return all(min(abs(math.dist(at, was) - step) for step in steps) < SAME_PLACE_MM for at in now for was in before)


def merged(before: Places, now: Places) -> Places:
    """All markers known of a card that lies where it lay: those seen now, and those seen before that are hidden now."""
    hidden = [was for was in before if all(math.dist(at, was) >= SAME_PLACE_MM for at in now)]
    return (*now, *hidden[: _CORNERS - len(now)])


def card_outline(places: Places, geometry: Geometry, grown_mm: float) -> NDArray[np.float32] | None:
    """The corners (4 × 2, mm of the window) of a card all of whose markers are known, grown by so much; else None."""
    if len(places) < _CORNERS:
        return None
    middle, sides, turn = cv2.minAreaRect(np.array(places, dtype=np.float32))
    more = 2 * _INSET_MM + geometry.prompt_marker_mm + 2 * grown_mm
    return np.asarray(cv2.boxPoints((middle, (sides[0] + more, sides[1] + more), turn)), dtype=np.float32)


def covered(outlines: Iterable[NDArray[np.float32]], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Which places of a window (a pixel a millimetre, rows × columns) lie within any of these outlines."""
    mask = np.zeros(shape[:2], np.uint8)
    for outline in outlines:  # a pixel's middle is half a millimetre from its edge
        cv2.fillConvexPoly(mask, np.rint(16 * (outline - 0.5)).astype(np.int32), 1, shift=4)
    return mask > 0


def step_between(before: Places, now: Places) -> Point | None:
    """How far a card moved, by its markers that both sights show (each the nearest to where one was)."""
    if not before or not now:
        return None
    steps = []
    for at in now:
        was = min(before, key=lambda place: math.dist(place, at))
        steps.append((at[0] - was[0], at[1] - was[1]))
    return min(steps, key=lambda step: math.hypot(*step))
