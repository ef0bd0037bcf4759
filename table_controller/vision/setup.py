"""The set-up picture: table, areas, fiducials and figures, with everything that may be a card painted over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from table_controller.cards import SEATS
from table_controller.geometry import Geometry, seat_to_mat
from table_controller.vision.enrol.guide import Mark
from table_controller.vision.eye import Eye
from table_controller.vision.images import Image
from table_controller.vision.mat import MatPose, Matrix
from table_controller.vision.paint import Box, covered

SIDE_PX = 1080
_EDGE_MM = 6.0
_GREY = (110, 110, 110)
_GOLD, _CALM = (78, 193, 242), (140, 208, 111)


def setup_picture(
    frame: Image,
    pose: MatPose | None,
    geometry: Geometry,
    *,
    draw: bool = True,
    side_px: int = SIDE_PX,
    marks: Sequence[Mark] = (),
) -> Image:
    """The frame at ``side_px`` a side, cards painted over, with the areas and fiducials drawn where the mat was found.

    With ``side_px`` of the frame's own side its pixels are the frame's.
    """
    scale = side_px / max(frame.shape[:2])
    shown = np.asarray(cv2.resize(frame, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    _paint_over(shown, frame, None if pose is None or not pose.markers else pose.to_frame, geometry)
    if draw and pose is not None:
        _draw(shown, np.diag([scale, scale, 1.0]) @ pose.to_frame, geometry)
        _draw_marks(shown, np.diag([scale, scale, 1.0]) @ pose.to_frame, marks)
    return shown


def _draw_marks(picture: Image, to_picture: Matrix, marks: Sequence[Mark]) -> None:
    """A dot and the card's name where a card that was asked for was found."""
    for mark in marks:
        there = cv2.perspectiveTransform(np.array([[seat_to_mat(mark.seat, mark.u, mark.v)]]), to_picture).reshape(2)
        x, y = (int(at) for at in np.round(there))
        cv2.circle(picture, (x, y), 6, _CALM, cv2.FILLED, cv2.LINE_AA)
        cv2.putText(picture, mark.card, (x - 10, y - 9), cv2.FONT_HERSHEY_SIMPLEX, 0.42, _CALM, 1, cv2.LINE_AA)


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


def _paint_over(picture: Image, frame: Image, to_frame: Matrix | None, geometry: Geometry) -> None:
    """Unplayed hands may still be held between deals: whatever may be a card goes, but the fiducials."""
    scale = SIDE_PX / max(frame.shape[:2])
    small = np.asarray(cv2.resize(frame, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    spared: tuple[Box, ...] = ()
    if to_frame is not None:
        to_small = np.diag([scale, scale, 1.0]) @ to_frame
        spared = tuple(
            _spared(_box(to_small, x, y, geometry.fiducial_mm / 2 + _EDGE_MM)) for x, y in geometry.fiducials.values()
        )
    mask = cv2.resize(covered(small, spared), (picture.shape[1], picture.shape[0]), interpolation=cv2.INTER_NEAREST)
    picture[mask > 0] = _GREY


def _spared(corners: Image) -> Box:
    (left, top), (right, bottom) = corners.reshape(-1, 2).min(axis=0), corners.reshape(-1, 2).max(axis=0)
    return int(left), int(top), int(right), int(bottom)


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
