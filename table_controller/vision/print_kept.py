"""How much of an index's print is still where it was when an area was last read."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.geometry import Point
from table_controller.vision.cards_on_mat import SeenCard
from table_controller.vision.images import Image
from table_controller.vision.mat import Window

_HALF_PX = (13, 28)
_LEAST_INK_PX = 60
_SAME_COLOUR = 40
_SHADE_MM = 2.0


def share_kept(
    last: Image, now: Image, window: Window, px_per_mm: float, at: Point, by: SeenCard | None = None
) -> float:
    """Of an index that was read at a place (u, v), the share of its print, or of its paper if that is less, that looks
    the same in two views of a window; where a card lies ``by``, of what that card leaves free. 0 where no print was."""
    x, y = window.to_px(*at, px_per_mm)
    rows = slice(max(0, round(y - _HALF_PX[1])), max(1, round(y + _HALF_PX[1])))
    columns = slice(max(0, round(x - _HALF_PX[0])), max(1, round(x + _HALF_PX[0])))
    was = np.asarray(last[rows, columns], dtype=np.int16)
    present = np.asarray(now[rows, columns], dtype=np.int16)
    if by is not None and was.size:
        corners = np.array([window.to_px(u, v, px_per_mm) for u, v in by.outline(_SHADE_MM)])
        free = _free_of(corners, (columns.start, rows.start), was)
        was, present = was[free], present[free]
    if not was.size:
        return 0.0  # a card that reaches out of the view, or is covered: nothing of this corner shows
    same = np.abs(was - present).max(axis=-1) < _SAME_COLOUR
    dark = was.min(axis=-1)
    ink = dark < float(np.percentile(dark, 80)) - 60
    if np.count_nonzero(ink) < _LEAST_INK_PX or np.all(ink):
        return 0.0
    return min(float(np.mean(same[ink])), float(np.mean(same[~ink])))


def _free_of(corners: NDArray[np.float64], at_px: tuple[int, int], cut: NDArray[np.int16]) -> NDArray[np.bool_]:
    """The pixels of a cut that begins ``at_px`` of the view, over which neither a card of these corners nor its shade
    lies."""
    free = np.ones(cut.shape[:2], dtype=np.uint8)
    cv2.fillConvexPoly(free, np.round(corners).astype(np.int32) - at_px, 0)
    return free > 0
