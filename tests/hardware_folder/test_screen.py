"""The diagonal screen, seen from its edge, hides a strip of the mat: the table's eye must find the mat all the same."""

from __future__ import annotations

import random

import cv2
import numpy as np
import pytest

from hardware.tools import data, pages
from table_controller.geometry import load_geometry
from table_controller.sim.scene import Scene
from table_controller.vision.mat import MatFinder, glimpse_of

GEOMETRY = load_geometry()
HEIGHT = data.toml("hardware/geometry.toml")["camera"]["height_mm"]
POINTS = np.array([[[x, y]] for x in (-260, 0, 260) for y in (-260, 0, 260)], dtype=float)


@pytest.mark.parametrize(("seed", "pushed_mm"), [(0, 0), (1, 0), (2, 30), (3, -45)])
def test_the_mat_is_found_with_the_screen_over_it(seed: int, pushed_mm: float) -> None:
    """``pushed_mm``: how far the tray lies off the middle, square to the screen."""
    scene = Scene(random.Random(seed))
    frame = scene.render()
    corners = np.array([[[at + pushed_mm, at - pushed_mm]] for at in (-500.0, 500.0)])
    ends = cv2.perspectiveTransform(corners, scene.to_frame).reshape(-1, 2)
    width = round(data.shadow_mm(HEIGHT) * GEOMETRY.px_per_mm)
    cv2.line(frame, tuple(map(int, ends[0])), tuple(map(int, ends[1])), (130, 140, 150), width)
    pose = MatFinder(GEOMETRY).find(frame, glimpse_of(frame))
    assert pose is not None
    assert pose.markers >= (8 if pushed_mm == 0 else 6)
    found, true = (cv2.perspectiveTransform(POINTS, matrix) for matrix in (pose.to_frame, scene.to_frame))
    assert float(np.abs(found - true).max()) < 1.5


def test_no_fiducial_lies_under_the_screen() -> None:
    assert pages.hidden_fiducials(HEIGHT) == []
    assert "No fiducial lies under the strip." in pages.camera_page()
