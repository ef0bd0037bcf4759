"""Where the mat lies in the frame, from its fiducials, and the upright views of each seat's areas.

A pose is looked for in every frame: while the fiducials' pictures stay as they were the old one is kept, which costs
next to nothing; otherwise they are searched for where they should be, then everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import Seat
from table_controller.geometry import Geometry, Point, mat_to_seat, seat_to_mat
from table_controller.vision.images import Image

Matrix = NDArray[np.float64]
PLAY_MARGIN_MM = 15.0
"""A play area is read with this much round it: cards lie a little outside."""
PROMPT_MARGIN_MM = 15.0
GLIMPSE = 4
"""The change gate looks at the frame shrunk by this."""
_MARKER_EDGE_MM = 6.0
_REACH_PX = 64
_LEAST_MARKERS = 2
_OWN_PERSPECTIVE = 4
"""From fewer fiducials the perspective is the last pose's; two that lie close tell none of their own."""
_LEAST_SPREAD_MM = 400.0
_FAR_PX = 1.5


@dataclass(frozen=True)
class MatPose:
    """``to_frame`` maps mat millimetres to frame pixels; ``markers`` fiducials were seen, ``error_px`` off at worst."""

    to_frame: Matrix
    markers: int
    error_px: float

    @property
    def px_per_mm(self) -> float:
        """The scale in the mat's middle."""
        return float(np.sqrt(abs(np.linalg.det(self.to_frame[:2, :2]))) / abs(self.to_frame[2, 2]))


def glimpse_of(frame: Image) -> Image:
    """The frame shrunk by GLIMPSE: twice by half, which costs a third of once by a quarter."""
    half = cv2.resize(frame, (frame.shape[1] // 2, frame.shape[0] // 2), interpolation=cv2.INTER_AREA)
    size = (frame.shape[1] // GLIMPSE, frame.shape[0] // GLIMPSE)
    return np.asarray(cv2.resize(half, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def corner_shift_px(geometry: Geometry, one: Matrix, other: Matrix) -> float:
    """How far the mat's corners lie apart in two poses, at worst, in frame pixels."""
    half = geometry.mat_side_mm / 2
    corners = np.array([[[x, y]] for x in (-half, half) for y in (-half, half)], dtype=np.float64)
    apart = cv2.perspectiveTransform(corners, one) - cv2.perspectiveTransform(corners, other)
    return float(np.sqrt((apart**2).sum(axis=2)).max())


def px_per_mm_at(to_frame: Matrix, x_mm: float, y_mm: float) -> float:
    """The scale at a place of the mat: frame pixels a millimetre, in the direction where it is smallest."""
    at = np.array([[[x_mm, y_mm]], [[x_mm + 10, y_mm]], [[x_mm, y_mm + 10]]], dtype=np.float64)
    middle, right, down = cv2.perspectiveTransform(at, to_frame).reshape(3, 2)
    return float(np.linalg.svd(np.array([right - middle, down - middle]) / 10.0)[1][-1])


@dataclass(frozen=True)
class Window:
    """A rectangle of a seat frame, (u0, v0, u1, v1) mm, seen upright for that seat."""

    seat: Seat
    u0: float
    v0: float
    u1: float
    v1: float

    def size_px(self, px_per_mm: float) -> tuple[int, int]:
        """(width, height) of its picture."""
        return round((self.u1 - self.u0) * px_per_mm), round((self.v1 - self.v0) * px_per_mm)

    def to_seat(self, x_px: float, y_px: float, px_per_mm: float) -> Point:
        """A pixel's middle of its picture, as (u, v) mm."""
        return self.u0 + (x_px + 0.5) / px_per_mm, self.v0 + (y_px + 0.5) / px_per_mm

    def to_px(self, u: float, v: float, px_per_mm: float) -> Point:
        """(u, v) mm as a place in its picture."""
        return (u - self.u0) * px_per_mm - 0.5, (v - self.v0) * px_per_mm - 0.5

    def view(self, frame: Image, pose: MatPose, px_per_mm: float, shrunk: int = 1) -> Image:
        """The window cut from a frame (or from one shrunk ``shrunk`` times), upright for the seat."""
        corners = [(self.u0, self.v0), (self.u1, self.v0), (self.u1, self.v1), (self.u0, self.v1)]
        mat = np.array([[seat_to_mat(self.seat, u, v)] for u, v in corners], dtype=np.float64)
        image = cv2.perspectiveTransform(mat, pose.to_frame).reshape(-1, 2).astype(np.float64)
        source = (image + 0.5) / shrunk - 0.5
        width, height = self.size_px(px_per_mm)
        target = np.array([(0, 0), (width, 0), (width, height), (0, height)], dtype=np.float64) - 0.5
        matrix = cv2.getPerspectiveTransform(target.astype(np.float32), source.astype(np.float32))
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(cv2.warpPerspective(frame, matrix, (width, height), flags=flags), dtype=np.uint8)


def play_window(geometry: Geometry, seat: Seat) -> Window:
    """A seat's play area with its margin."""
    u0, v0, u1, v1 = geometry.play_area
    return Window(seat, u0 - PLAY_MARGIN_MM, v0 - PLAY_MARGIN_MM, u1 + PLAY_MARGIN_MM, v1 + PLAY_MARGIN_MM)


def prompt_window(geometry: Geometry, seat: Seat) -> Window:
    """A seat's prompt circle with its margin."""
    u, v = geometry.prompt_centre
    reach = geometry.prompt_diameter_mm / 2 + PROMPT_MARGIN_MM
    return Window(seat, u - reach, v - reach, u + reach, v + reach)


def own_part(window: Window, px_per_mm: float) -> NDArray[np.bool_]:
    """True where a play window belongs to its seat: beyond the diagonals lies the neighbour's area."""
    width, height = window.size_px(px_per_mm)
    u = window.u0 + (np.arange(width) + 0.5) / px_per_mm
    v = window.v0 + (np.arange(height) + 0.5) / px_per_mm
    return np.asarray(np.abs(u)[None, :] <= v[:, None] + 2.0)


def within(
    window: Window, area: tuple[float, float, float, float], grow_mm: float, px_per_mm: float
) -> NDArray[np.bool_]:
    """True where a window's picture shows ``area`` (u0, v0, u1, v1) grown by ``grow_mm``."""
    width, height = window.size_px(px_per_mm)
    u = window.u0 + (np.arange(width) + 0.5) / px_per_mm
    v = window.v0 + (np.arange(height) + 0.5) / px_per_mm
    across = (u >= area[0] - grow_mm) & (u <= area[2] + grow_mm)
    along = (v >= area[1] - grow_mm) & (v <= area[3] + grow_mm)
    return np.asarray(along[:, None] & across[None, :])


def fiducials_in(window: Window, geometry: Geometry, px_per_mm: float) -> NDArray[np.bool_]:
    """True where a window's picture shows a fiducial, its white edge and what is blurred of it."""
    half = geometry.fiducial_mm / 2 + _MARKER_EDGE_MM
    shown = np.zeros(window.size_px(px_per_mm)[::-1], dtype=bool)
    for x, y in geometry.fiducials.values():
        u, v = mat_to_seat(window.seat, x, y)
        shown |= within(window, (u, v, u, v), half, px_per_mm)
    return shown


class MatFinder:
    """Finds the mat in frame after frame."""

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, geometry.fiducial_dictionary))
        parameters = cv2.aruco.DetectorParameters()
        parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        self._detector = cv2.aruco.ArucoDetector(dictionary, parameters)
        self._pose: MatPose | None = None
        self._patches: dict[int, tuple[tuple[int, int, int, int], Image]] = {}

    @property
    def pose(self) -> MatPose | None:
        """The last pose found."""
        return self._pose

    def find(self, frame: Image, glimpse: Image) -> MatPose | None:
        """The mat's pose in this frame; ``glimpse`` is the frame shrunk by GLIMPSE.

        None when no fiducial is seen, or too few to tell where a mat or camera that was moved now is.
        """
        if self._pose is not None and self._pose.markers >= _OWN_PERSPECTIVE and self._still(glimpse):
            return self._pose
        seen = self._near(frame, self._pose) if self._pose is not None else {}
        if len(seen) < 4:
            rough = self._fit(self._everywhere(frame))
            if rough is not None:
                seen = {**seen, **self._near(frame, rough)}
        if self._agrees(seen):
            return self._pose
        pose = self._fit(seen)
        if pose is None:
            return None
        self._pose = pose
        self._remember(glimpse)
        return pose

    def _agrees(self, seen: dict[int, NDArray[np.float64]]) -> bool:
        """Whether the old pose explains few new sightings well: then it is the better one."""
        if self._pose is None or not seen or len(seen) >= self._pose.markers:
            return False
        return all(self._error(self._pose.to_frame, marker, corners) < _FAR_PX for marker, corners in seen.items())

    def _mat_corners(self, marker: int) -> NDArray[np.float64]:
        x, y = self._geometry.fiducials[marker]
        h = self._geometry.fiducial_mm / 2
        return np.array([(x - h, y - h), (x + h, y - h), (x + h, y + h), (x - h, y + h)], dtype=np.float64)

    def _error(self, to_frame: Matrix, marker: int, corners: NDArray[np.float64]) -> float:
        there = cv2.perspectiveTransform(self._mat_corners(marker).reshape(-1, 1, 2), to_frame).reshape(-1, 2)
        return float(np.abs(there - corners).max())

    def _everywhere(self, frame: Image) -> dict[int, NDArray[np.float64]]:
        half = cv2.resize(frame, (frame.shape[1] // 2, frame.shape[0] // 2), interpolation=cv2.INTER_AREA)
        return self._detect(np.asarray(half, dtype=np.uint8), (0, 0), 2)

    def _near(self, frame: Image, pose: MatPose) -> dict[int, NDArray[np.float64]]:
        seen: dict[int, NDArray[np.float64]] = {}
        for marker in self._geometry.fiducials:
            x0, y0, x1, y1 = self._box(marker, pose.to_frame, _REACH_PX, frame.shape)
            if x1 - x0 > _REACH_PX and y1 - y0 > _REACH_PX:
                found = self._detect(frame[y0:y1, x0:x1], (x0, y0), 1)
                if marker in found:
                    seen[marker] = found[marker]
        return seen

    def _detect(self, image: Image, offset: tuple[int, int], shrunk: int) -> dict[int, NDArray[np.float64]]:
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        corners, ids, _ = self._detector.detectMarkers(grey)
        found: dict[int, NDArray[np.float64]] = {}
        for marker, quad in zip(np.asarray([] if len(corners) == 0 else ids).reshape(-1), corners, strict=True):
            if int(marker) in self._geometry.fiducials:
                place = (np.asarray(quad, dtype=np.float64).reshape(4, 2) + 0.5) * shrunk - 0.5
                found[int(marker)] = place + np.array(offset, dtype=np.float64)
        return found

    def _fit(self, seen: dict[int, NDArray[np.float64]]) -> MatPose | None:
        if len(seen) < _LEAST_MARKERS:
            return None
        mat = np.concatenate([self._mat_corners(marker) for marker in seen])
        image = np.concatenate(list(seen.values()))
        if self._pose is None and float(np.ptp(mat, axis=0).max()) < _LEAST_SPREAD_MM:
            return None
        if self._pose is None or len(seen) >= _OWN_PERSPECTIVE:
            to_frame = np.asarray(cv2.findHomography(mat, image, cv2.RANSAC, 3.0)[0], dtype=np.float64)
        else:
            to_frame = self._moved(self._pose.to_frame, mat, image)
        if to_frame.shape != (3, 3):
            return None
        errors = sorted(self._error(to_frame, marker, corners) for marker, corners in seen.items())
        pose = MatPose(to_frame, len(seen), errors[len(errors) // 2])
        return pose if 0.5 < pose.px_per_mm < 20 and pose.error_px < 6 else None

    @staticmethod
    def _moved(last: Matrix, mat: Matrix, image: Matrix) -> Matrix:
        """A pose from few fiducials: the last one shifted, turned and scaled."""
        there = cv2.perspectiveTransform(mat.reshape(-1, 1, 2), last)
        found = cv2.estimateAffinePartial2D(
            there, image.reshape(-1, 1, 2), method=cv2.RANSAC, ransacReprojThreshold=6.0
        )
        move = np.asarray(found[0], dtype=np.float64)  # of no shape where nothing was found
        return np.vstack([move, [0.0, 0.0, 1.0]]) @ last if move.shape == (2, 3) else np.zeros((0, 0))

    def _box(self, marker: int, to_frame: Matrix, pad: int, shape: tuple[int, ...]) -> tuple[int, int, int, int]:
        image = cv2.perspectiveTransform(self._mat_corners(marker).reshape(-1, 1, 2), to_frame).reshape(-1, 2)
        (x0, y0), (x1, y1) = image.min(axis=0) - pad, image.max(axis=0) + pad
        return max(0, int(x0)), max(0, int(y0)), min(shape[1], int(x1)), min(shape[0], int(y1))

    def _remember(self, glimpse: Image) -> None:
        self._patches.clear()
        if self._pose is None:
            return
        shrink = np.diag([1 / GLIMPSE, 1 / GLIMPSE, 1.0])
        for marker in self._geometry.fiducials:
            x0, y0, x1, y1 = self._box(marker, shrink @ self._pose.to_frame, 2, glimpse.shape)
            if x1 - x0 > 8 and y1 - y0 > 8:
                self._patches[marker] = ((x0, y0, x1, y1), glimpse[y0:y1, x0:x1].copy())

    def _still(self, glimpse: Image) -> bool:
        """Whether at least three fiducials (or all that can be seen) look as when the pose was found."""
        same = 0
        for (x0, y0, x1, y1), patch in self._patches.values():
            if float(np.mean(cv2.absdiff(glimpse[y0:y1, x0:x1], patch))) < 7.0:
                same += 1
        return same >= 3
