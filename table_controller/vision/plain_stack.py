"""Which of the cards in a circle a plain prompt card is: plain cards carry no number, so their places tell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.geometry import Point
from table_controller.vision.images import Image
from table_controller.vision.plain_match import PX_PER_MM
from table_controller.vision.plain_prompts import PlainSight

FIRST = 1000
"""Plain cards are numbered from here: markers have smaller numbers."""
_SAME_MM = 1.3
_ROUGH_MM = 3.5
_ERROR_MM = 0.5
"""A whole card's place is known this well."""
_LEAST_RIM_MM2 = 9.0
_STILL_THERE = 0.35
"""So much of where a card stuck out shows paper still: a thumb may lie on it, and its shadow."""
_ALONE_SHARE = 0.4
_OFF_MAT = 26.0
_SHRUNK = 3
_RIM_PX = 4


class PlainNames:
    """The numbers given to plain cards in one circle."""

    def __init__(self) -> None:
        self._kinds: dict[int, str] = {}
        self.rough: set[int] = set()
        """Cards whose place is known roughly only: they were partly covered whenever they were seen."""

    def kind(self, marker: int) -> str:
        """The kind of a card that got this number, or ""."""
        return self._kinds.get(marker, "")

    def number_of(
        self,
        sight: PlainSight,
        view: Image | None,
        stack: Sequence[int],
        places: Mapping[int, tuple[Point, ...]],
        *,
        hand: bool = False,
    ) -> int | None:
        """The number of the card seen: one of ``stack`` that lies there or was pushed there, else a new one.

        None for a card that cannot be told and lies where none lay before, and where a hand may hide the one it would
        lie on: whether it was pushed or came new shows when the hand is gone.
        """
        for marker in reversed(stack):
            if marker in places and self._is(marker, sight) and self._lies(marker, places, sight):
                return marker
        if not sight.sure:
            return None
        top = stack[-1] if stack else -1
        lower = [places[marker] for marker in stack[:-1] if marker in places]
        if top in places and self.kind(top) == sight.kind and not _still_lies(places[top], sight, view, lower):
            return None if hand else top
        marker = FIRST + len(self._kinds)
        self._kinds[marker] = sight.kind
        return marker

    def _lies(self, marker: int, places: Mapping[int, tuple[Point, ...]], sight: PlainSight) -> bool:
        rough = marker in self.rough or not sight.whole
        return far_apart(places[marker], sight.corners()) < (_ROUGH_MM if rough else _SAME_MM)

    def _is(self, marker: int, sight: PlainSight) -> bool:
        return bool(self.kind(marker)) and (not sight.sure or self.kind(marker) == sight.kind)


def occupied(view: Image) -> float:
    """The share of a prompt window where anything but the mat shows, thin lines left out."""
    size = (view.shape[1] // _SHRUNK, view.shape[0] // _SHRUNK)
    small = np.asarray(cv2.resize(view, size, interpolation=cv2.INTER_AREA), dtype=np.float32)
    off = (np.abs(small - _mat(small)).max(axis=2) > _OFF_MAT).astype(np.uint8)
    return float(np.mean(cv2.morphologyEx(off, cv2.MORPH_OPEN, np.ones((3, 3), dtype=np.uint8))))


def _mat(view: NDArray[np.float32]) -> NDArray[np.float32]:
    rim = np.concatenate([view[:_RIM_PX].reshape(-1, 3), view[-_RIM_PX:].reshape(-1, 3)])
    return np.asarray(np.median(rim, axis=0), dtype=np.float32)


def far_apart(before: Sequence[Point], now: Sequence[Point]) -> float:
    """How far the furthest corner moved (mm)."""
    return max(math.dist(one, other) for one, other in zip(before, now, strict=True))


def _still_lies(
    before: Sequence[Point], sight: PlainSight, view: Image | None, lower: Sequence[Sequence[Point]]
) -> bool:
    """Whether a card still lies where one lay before, beside the one seen now: that one came on top of it.

    Where those that lie ``lower`` would show too it tells nothing, unless it hardly shows elsewhere.
    """
    if view is None:
        return True
    old, inside, new = (_filled(view, corners) for corners in (before, sight.corners(-3.0), sight.corners(_ERROR_MM)))
    error = round(_ERROR_MM * PX_PER_MM) * 2 + 1
    rim = (cv2.erode(old.astype(np.uint8), np.ones((error, error), np.uint8)) > 0) & ~new
    alone = rim.copy()
    for corners in lower:
        alone &= ~_filled(view, corners)
    least = max(_LEAST_RIM_MM2 * PX_PER_MM**2, _ALONE_SHARE * np.count_nonzero(rim))
    rim = alone if np.count_nonzero(alone) >= least else rim
    if np.count_nonzero(rim) < _LEAST_RIM_MM2 * PX_PER_MM**2:
        return False
    pixels = np.asarray(cv2.GaussianBlur(view, (0, 0), 0.8), dtype=np.float32)
    paper, mat = np.median(pixels[inside], axis=0), _mat(pixels)
    # shadow beside a card is no card: it is nearer to the mat's colour than to the paper's
    like_paper = np.linalg.norm(pixels[rim] - paper, axis=1) < np.linalg.norm(pixels[rim] - mat, axis=1)
    return float(like_paper.mean()) > _STILL_THERE


def _filled(view: Image, corners: Sequence[Point]) -> NDArray[np.bool_]:
    mask = np.zeros(view.shape[:2], dtype=np.uint8)
    points = np.array([(x * PX_PER_MM - 0.5, y * PX_PER_MM - 0.5) for x, y in corners])
    cv2.fillConvexPoly(mask, np.round(points).astype(np.int32), 1)
    return mask > 0
