"""What goes wrong with light and camera, laid over rendered frames: glare, blur, flicker, shadow, a bump."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from table_controller.cards import Seat
from table_controller.geometry import Point, seat_to_mat

Picture = NDArray[np.uint8]
Matrix = NDArray[np.float64]


def at_frame(to_frame: Matrix, seat: Seat, u_mm: float, v_mm: float) -> Point:
    """A place of a seat frame in the frame, in pixels."""
    x, y = cv2.perspectiveTransform(np.array([[seat_to_mat(seat, u_mm, v_mm)]], dtype=np.float64), to_frame).ravel()
    return float(x), float(y)


def lit(frame: Picture, gain: float) -> Picture:
    """The frame with all light times ``gain``."""
    return np.asarray(cv2.convertScaleAbs(frame, alpha=gain), dtype=np.uint8)


def glare(frame: Picture, at: Point, reach_px: float, strength: float = 190.0) -> Picture:
    """A lamp's reflection round ``at``: a soft light spot that bleaches what lies there."""
    height, width = frame.shape[:2]
    y, x = np.ogrid[:height, :width]
    spot = strength * np.exp(-((x - at[0]) ** 2 + (y - at[1]) ** 2) / (2 * reach_px**2))
    return np.asarray(np.clip(frame + spot[..., None], 0, 255), dtype=np.uint8)


def defocus(frame: Picture, sigma_px: float) -> Picture:
    """The frame out of focus."""
    return np.asarray(cv2.GaussianBlur(frame, (0, 0), sigma_px), dtype=np.uint8)


def mains(frame: Picture, number: int, depth: float, bands: float = 2.3) -> Picture:
    """Bands of a lamp on the mains under a rolling shutter; they wander from frame ``number`` to the next."""
    rows = np.arange(frame.shape[0]) / frame.shape[0]
    gain = 1.0 + depth * np.sin(2 * math.pi * (bands * rows + 0.37 * number))
    return np.asarray(np.clip(frame * gain[:, None, None], 0, 255), dtype=np.uint8)


def shadow(frame: Picture, corners: list[Point], depth: float, soft_px: float = 12.0) -> Picture:
    """A shadow over the polygon ``corners`` (pixels): light there is less by the share ``depth``."""
    mask = np.zeros(frame.shape[:2], dtype=np.float32)
    cv2.fillPoly(mask, [np.round(np.array(corners)).astype(np.int32)], 1.0)
    soft = cv2.GaussianBlur(mask, (0, 0), soft_px)
    return np.clip(frame * (1.0 - depth * soft[..., None]), 0, 255).astype(np.uint8)


def screen(frame: Picture, to_frame: Matrix, *, depth: float = 0.38, wide_mm: float = 90.0) -> Picture:
    """A diagonal screen seen from above, a dark strip with a gap for its window, and its shadow on one side."""

    def places(points: list[Point]) -> list[Point]:
        return [at_frame(to_frame, "S", *point) for point in points]

    side = wide_mm / math.sqrt(2)
    far = 420.0
    shaded = shadow(
        frame, places([(-far, -far), (far, far), (far - side, far + side), (-far - side, -far + side)]), depth
    )
    for start, end in ((-far, -130.0), (130.0, far)):
        first, second = places([(start, start), (end, end)])
        cv2.line(shaded, _whole(first), _whole(second), (38, 44, 50), 16, cv2.LINE_AA)
    return shaded


def _whole(point: Point) -> tuple[int, int]:
    return round(point[0]), round(point[1])


def bump(size: tuple[int, int], shift_px: Point, turn_deg: float = 0.0, zoom: float = 1.0) -> Matrix:
    """How a bumped camera sees the frame: a matrix for ``seen_through``, and to be put before a scene's pose."""
    turn = cv2.getRotationMatrix2D((size[0] / 2, size[1] / 2), turn_deg, zoom)
    turn[:, 2] += np.array(shift_px)
    return np.asarray(np.vstack([turn, [0.0, 0.0, 1.0]]), dtype=np.float64)


def seen_through(frame: Picture, move: Matrix) -> Picture:
    """The frame as a moved camera sees it."""
    size = (frame.shape[1], frame.shape[0])
    return np.asarray(cv2.warpPerspective(frame, move, size, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)
