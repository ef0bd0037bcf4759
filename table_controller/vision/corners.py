"""A mat without fiducials: its four corners, clicked once, give the pose; the table round the areas keeps it honest.

The corners are those of the printed mat's square (geometry.toml, ``mat.side_mm``), in frame pixels, as seen with N on
top: left above, right above, right below, left below. What is followed afterwards are marks of the picture outside
the areas: the mat's own edges, lines and print, the table's grain. What they looked like when the corners were clicked
is kept with them (corner_file.py), so that a camera bumped while the table was off is found again, or said to be lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import SEATS
from table_controller.errors import InputError
from table_controller.geometry import Geometry, Point, seat_to_mat
from table_controller.vision.images import Image
from table_controller.vision.mat import GLIMPSE, MatPose, Matrix, Window, play_window, prompt_window
from table_controller.vision.paint import covered

Corners = tuple[Point, Point, Point, Point]
_LEAST_SHARE, _MOST_ASPECT, _OUTSIDE = 0.2, 1.25, 0.02
_MARKS, _LEAST_MARKS, _LEAST_SHARE_SEEN = 160, 8, 0.3
_PATCH = 5
_SAME = 9.0
_BACK_PX = 0.7
_COVER_PX = 1080
_LEVEL_PX, _LEVEL, _LEAST_DEVIATION = 31, 45.0, 5.0
_RIM = np.ones((7, 7), dtype=np.uint8)
_TO_FRAME = np.array([[GLIMPSE, 0, (GLIMPSE - 1) / 2], [0, GLIMPSE, (GLIMPSE - 1) / 2], [0, 0, 1.0]])


@dataclass(frozen=True)
class Clicked:
    """Four clicked corners, the frame (width, height) whose pixels they are, and what the table looked like then.

    ``frame_px`` None: that of whatever frame comes. ``reference``: ``CornerFinder.reference`` of then, where known.
    """

    corners: Corners
    frame_px: tuple[int, int] | None = None
    reference: Image | None = None

    def in_frame(self, width: int, height: int) -> Corners:
        """The corners in pixels of a frame of another size: cameras cut the same square out of each of their modes."""
        if self.frame_px is None:
            return self.corners
        across, down = width / self.frame_px[0], height / self.frame_px[1]
        first, second, third, fourth = ((x * across, y * down) for x, y in self.corners)
        return first, second, third, fourth


def checked_corners(points: Any, frame_px: tuple[int, int]) -> Corners:
    """Four clicked corners as Corners; raises InputError (code CORNERS) saying what is wrong with them."""
    try:
        quad = np.array([(float(x), float(y)) for x, y in points], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _wrong("A corner is two numbers, X and Y.") from error
    if not np.all(np.isfinite(quad)):
        raise _wrong("A corner is two finite numbers, X and Y: nan and inf are no place in the picture.")
    if quad.shape != (4, 2):
        raise _wrong(f"The mat has four corners; {len(quad)} were given.")
    size = np.array(frame_px, dtype=np.float64)
    frame = f"the frame of {frame_px[0]} × {frame_px[1]} pixels"
    outside = np.any((quad < -_OUTSIDE * size) | (quad > (1 + _OUTSIDE) * size), axis=1)
    for x, y in quad[outside]:
        raise _wrong(f"The corner {x:g},{y:g} lies outside {frame}.")
    sides = np.roll(quad, -1, axis=0) - quad
    after = np.roll(sides, -1, axis=0)
    if np.any(sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0] <= 0):
        raise _wrong("The corners must go round the mat clockwise, beginning at the left of N.")
    lengths = np.hypot(sides[:, 0], sides[:, 1])
    if float(lengths.max()) > _MOST_ASPECT * float(lengths.min()):
        raise _wrong("The four sides are too unequal: the mat is a square seen from above.")
    if cv2.contourArea(quad.astype(np.float32)) < _LEAST_SHARE * frame_px[0] * frame_px[1]:
        raise _wrong(f"The mat is too small in {frame}. Were the corners read off a smaller picture?")
    first, second, third, fourth = ((float(x), float(y)) for x, y in quad)
    return first, second, third, fourth


def _wrong(words: str) -> InputError:
    return InputError(words, way_out="Click left and right of N, then right and left of S.", code="CORNERS")


def corner_pose(geometry: Geometry, corners: Sequence[Point]) -> MatPose:
    """The pose that four corners tell; it has no fiducials."""
    half = geometry.mat_side_mm / 2
    mat = np.array([(-half, -half), (half, -half), (half, half), (-half, half)], dtype=np.float32)
    to_frame = cv2.getPerspectiveTransform(mat, np.array(corners, dtype=np.float32))
    return MatPose(np.asarray(to_frame, dtype=np.float64), 0, 0.0)


class CornerFinder:
    """Finds a mat without fiducials: the corners' pose, moved as the marks round the areas moved."""

    def __init__(self, geometry: Geometry, corners: Corners | Clicked) -> None:
        self._geometry = geometry
        self._clicked = corners if isinstance(corners, Clicked) else Clicked(corners)
        self._first = corner_pose(geometry, self._clicked.corners)
        self.pose: MatPose | None = None
        self.reference: Image | None = None
        """The table's marks as they were when the corners were clicked, a small grey picture with its areas painted
        over: to be kept for the next start. None before the first frame."""
        self._then: Image = np.zeros((0, 0), dtype=np.uint8)
        self._now: Image = self._then
        self._marks: NDArray[np.float32] = np.zeros((0, 1, 2), dtype=np.float32)
        self._places: NDArray[np.float32] = self._marks

    def find(self, frame: Image, glimpse: Image) -> MatPose | None:
        """The pose in this frame; None when too few marks are where they can be explained."""
        grey = np.asarray(cv2.cvtColor(glimpse, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
        if self.reference is None:
            self._begin(grey, frame)
        if self.pose is None or not self._still(grey):
            moved = self._moved(grey)
            if moved is None:
                return None
            self.pose, self._now = moved, grey
        return self.pose

    def _begin(self, grey: Image, frame: Image) -> None:
        self._first = corner_pose(self._geometry, self._clicked.in_frame(frame.shape[1], frame.shape[0]))
        background = self._background(frame, grey.shape)
        kept = self._clicked.reference
        if kept is None:
            self._then, self.pose = grey, self._first
            self.reference = _painted(grey, background)
        else:
            size = (grey.shape[1], grey.shape[0])
            self._then = self.reference = np.asarray(cv2.resize(kept, size, interpolation=cv2.INTER_AREA), np.uint8)
        found = cv2.goodFeaturesToTrack(self.reference, _MARKS, 0.02, 8, mask=cv2.erode(background, _RIM))
        self._marks = np.zeros((0, 1, 2), dtype=np.float32) if found is None else np.asarray(found, dtype=np.float32)
        self._places, self._now = self._marks, self._then

    def _background(self, frame: Image, shape: tuple[int, ...]) -> Image:
        """255 where neither cards nor prompt cards may lie, nor anything is that may be one: hands are held there."""
        small = cv2.resize(frame, (_COVER_PX, _COVER_PX), interpolation=cv2.INTER_AREA)
        cards = cv2.resize(covered(np.asarray(small, np.uint8)), shape[1::-1], interpolation=cv2.INTER_NEAREST)
        mask = np.asarray(255 - cards, dtype=np.uint8)
        to_glimpse = np.linalg.inv(_TO_FRAME) @ self._first.to_frame
        for seat in SEATS:
            for window in (play_window(self._geometry, seat), prompt_window(self._geometry, seat)):
                cv2.fillConvexPoly(mask, np.round(_outline(window, to_glimpse)).astype(np.int32), 0)
        return mask

    def _still(self, grey: Image) -> bool:
        """Whether most marks look as when the pose was last found."""
        same = seen = 0
        for x, y in np.round(self._places.reshape(-1, 2)[:40]).astype(int):
            if _PATCH <= x < grey.shape[1] - _PATCH and _PATCH <= y < grey.shape[0] - _PATCH:
                rows, columns = slice(y - _PATCH, y + _PATCH + 1), slice(x - _PATCH, x + _PATCH + 1)
                seen += 1
                same += float(np.mean(cv2.absdiff(grey[rows, columns], self._now[rows, columns]))) < _SAME
        return seen > 0 and same >= seen * 0.6

    def _moved(self, grey: Image) -> MatPose | None:
        """The pose by how the marks moved since the corners were clicked: shifted, turned and scaled."""
        if len(self._marks) < _LEAST_MARKS:
            return None
        then, now = _levelled(self._then), _levelled(grey)
        there, ok, _ = cv2.calcOpticalFlowPyrLK(
            then, now, self._marks, self._places.copy(), winSize=(31, 31), maxLevel=4,
            flags=cv2.OPTFLOW_USE_INITIAL_FLOW,
        )  # fmt: skip
        back, ok_back, _ = cv2.calcOpticalFlowPyrLK(now, then, there, self._marks.copy(), winSize=(31, 31))
        off = np.linalg.norm((back - self._marks).reshape(-1, 2), axis=1)
        good = (ok.ravel() > 0) & (ok_back.ravel() > 0) & (off < _BACK_PX)
        if np.count_nonzero(good) < _LEAST_MARKS:
            return None
        move, inside = cv2.estimateAffinePartial2D(
            self._marks[good], there[good], method=cv2.RANSAC, ransacReprojThreshold=1.0
        )
        least = max(_LEAST_MARKS, _LEAST_SHARE_SEEN * len(self._marks))
        if move is None or np.count_nonzero(inside) < least:
            return None
        whole = np.vstack([move, [0.0, 0.0, 1.0]])
        self._places = np.asarray(cv2.perspectiveTransform(self._marks, whole), dtype=np.float32)
        return MatPose(_TO_FRAME @ whole @ np.linalg.inv(_TO_FRAME) @ self._first.to_frame, 0, 0.0)


def _levelled(grey: Image) -> Image:
    """Print alone, at one strength, whatever the light: lamps differ from evening to evening."""
    light = grey.astype(np.float32)
    mean = cv2.blur(light, (_LEVEL_PX, _LEVEL_PX))
    # a running sum of even ground may end a hair below nought
    deviation = np.sqrt(np.maximum(cv2.blur((light - mean) ** 2, (_LEVEL_PX, _LEVEL_PX)), 0))
    return np.asarray(np.clip(128 + _LEVEL * (light - mean) / (deviation + _LEAST_DEVIATION), 0, 255), dtype=np.uint8)


def _painted(grey: Image, background: Image) -> Image:
    """The picture with all but the background in the usual colour of that: no card is kept."""
    kept = grey.copy()
    kept[background == 0] = round(float(np.median(grey[background > 0]))) if background.any() else 0
    return kept


def _outline(window: Window, matrix: Matrix) -> Matrix:
    """A window's corners through a matrix, (4, 2)."""
    corners = [(window.u0, window.v0), (window.u1, window.v0), (window.u1, window.v1), (window.u0, window.v1)]
    mat = np.array([[seat_to_mat(window.seat, u, v)] for u, v in corners], dtype=np.float64)
    return np.asarray(cv2.perspectiveTransform(mat, matrix), dtype=np.float64).reshape(-1, 2)
