"""The set-up picture: table, areas, fiducials and figures, with everything bright that may be a card painted over."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from table_controller.cards import SEATS
from table_controller.geometry import Geometry, seat_to_mat
from table_controller.vision.eye import Eye
from table_controller.vision.images import Image, darkest
from table_controller.vision.mat import MatPose, Matrix

SIDE_PX = 1080
_PAPER = 1.4
_LEAST_CARD_PX = 60
_GREY = (110, 110, 110)
_GOLD, _CALM = (78, 193, 242), (140, 208, 111)


def setup_picture(frame: Image, pose: MatPose | None, geometry: Geometry, *, draw: bool = True) -> Image:
    """The frame shrunk to SIDE_PX, cards painted over, with the areas and fiducials drawn where the mat was found."""
    scale = SIDE_PX / max(frame.shape[:2])
    small = np.asarray(cv2.resize(frame, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    to_small = None if pose is None else np.diag([scale, scale, 1.0]) @ pose.to_frame
    _paint_over_paper(small, to_small, geometry)
    if draw and to_small is not None:
        _draw(small, to_small, geometry)
    return small


def setup_report(eye: Eye, frame: Image, small: Image, geometry: Geometry) -> dict[str, Any]:
    """What goes with the picture, as the page reads it: sizes, corners, scales, rate, hints."""
    pose, report = eye.pose, eye.report
    height, width = frame.shape[:2]
    return {
        "frame_px": [width, height],
        "picture_px": [small.shape[1], small.shape[0]],
        "found": pose is not None and not eye.lost,
        "markers": pose.markers if pose is not None else 0,
        "by_corners": eye.by_corners,
        "corners": [] if pose is None else [[round(x, 1), round(y, 1)] for x, y in mat_corners(pose, geometry)],
        "px_per_mm": {seat: round(scale, 2) for seat, scale in report.px_per_mm.items()},
        "fps": round(report.fps, 1),
        "lost": eye.lost,
        "hints": [hint.document() for hint in eye.hints],
    }


def mat_corners(pose: MatPose, geometry: Geometry) -> list[tuple[float, float]]:
    """The mat's corners in the frame, as they are clicked: left and right of N, right and left of S."""
    half = geometry.mat_side_mm / 2
    mat = np.array([[(-half, -half)], [(half, -half)], [(half, half)], [(-half, half)]], dtype=np.float64)
    return [(float(x), float(y)) for x, y in cv2.perspectiveTransform(mat, pose.to_frame).reshape(-1, 2)]


def _paint_over_paper(picture: Image, to_picture: Matrix | None, geometry: Geometry) -> None:
    """Unplayed hands may still be held between deals: whatever is as bright as paper goes, but the fiducials."""
    soft = cv2.GaussianBlur(darkest(picture), (0, 0), 1.0)
    limit = min(200.0, max(120.0, float(np.median(soft)) * _PAPER))
    paper = (soft > limit).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(paper, connectivity=8)
    large = [i for i in range(1, count) if stats[i][cv2.CC_STAT_AREA] >= _LEAST_CARD_PX]
    found = np.isin(labels, large).astype(np.uint8)
    # print inside a card is darker than paper: close over it
    closed = cv2.morphologyEx(found, cv2.MORPH_CLOSE, np.ones((31, 31), dtype=np.uint8))
    cards = np.asarray(cv2.dilate(closed, np.ones((9, 9), dtype=np.uint8)), dtype=np.uint8)
    if to_picture is not None:
        for x, y in geometry.fiducials.values():
            cv2.fillConvexPoly(cards, _box(to_picture, x, y, geometry.fiducial_mm / 2 + 2), 0)
    picture[cards > 0] = _GREY


def _box(to_picture: Matrix, x: float, y: float, half: float) -> Image:
    corners = [[(x - half, y - half)], [(x + half, y - half)], [(x + half, y + half)], [(x - half, y + half)]]
    return np.asarray(
        np.round(cv2.perspectiveTransform(np.array(corners, dtype=np.float64), to_picture)), dtype=np.int32
    )


def _draw(picture: Image, to_picture: Matrix, geometry: Geometry) -> None:
    u0, v0, u1, v1 = geometry.play_area
    for seat in SEATS:
        area = [[seat_to_mat(seat, u, v)] for u, v in [(u0, v0), (u1, v0), (u1, v1), (u0, v1)]]
        _lines(picture, to_picture, area, _GOLD)
        u, v = geometry.prompt_centre
        angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        reach = geometry.prompt_diameter_mm / 2
        ring = [[seat_to_mat(seat, u + reach * float(np.cos(a)), v + reach * float(np.sin(a)))] for a in angles]
        _lines(picture, to_picture, ring, _GOLD)
    for x, y in geometry.fiducials.values():
        cv2.polylines(picture, [_box(to_picture, x, y, geometry.fiducial_mm / 2)], True, _CALM, 2, cv2.LINE_AA)


def _lines(picture: Image, to_picture: Matrix, points: list[list[tuple[float, float]]], colour: Any) -> None:
    there = cv2.perspectiveTransform(np.array(points, dtype=np.float64), to_picture)
    cv2.polylines(picture, [np.round(there).astype(np.int32)], True, colour, 2, cv2.LINE_AA)
