"""The mat is found in any pose, with fiducials covered, and again after a bump."""

from __future__ import annotations

import random

import cv2
import numpy as np
import pytest

from table_controller.geometry import load_geometry, seat_to_mat
from table_controller.sim.scene import Look, Scene
from table_controller.vision.mat import GLIMPSE, MatFinder, own_part, play_window

GEOMETRY = load_geometry()
POINTS = np.array([[[x, y]] for x in (-260, 0, 260) for y in (-260, 0, 260)], dtype=float)


def glimpse(frame: np.ndarray) -> np.ndarray:
    return cv2.resize(frame, None, fx=1 / GLIMPSE, fy=1 / GLIMPSE, interpolation=cv2.INTER_AREA)


def off_px(scene: Scene, to_frame: np.ndarray) -> float:
    return float(
        np.abs(cv2.perspectiveTransform(POINTS, scene.to_frame) - cv2.perspectiveTransform(POINTS, to_frame)).max()
    )


def cover(frame: np.ndarray, scene: Scene, markers: tuple[int, ...]) -> np.ndarray:
    """The frame with a cup standing on some fiducials."""
    covered = frame.copy()
    for marker in markers:
        at = cv2.perspectiveTransform(np.array([[GEOMETRY.fiducials[marker]]], dtype=float), scene.to_frame).ravel()
        cv2.circle(covered, (round(at[0]), round(at[1])), 90, (60, 80, 120), -1)
    return covered


@pytest.mark.parametrize("seed", range(4))
def test_found_to_a_pixel_however_the_camera_hangs(seed: int) -> None:
    scene = Scene(random.Random(seed), look=Look(turn_deg=4, tilt_px=30))
    frame = scene.render()
    pose = MatFinder(GEOMETRY).find(frame, glimpse(frame))
    assert pose is not None
    assert pose.markers == 8
    assert off_px(scene, pose.to_frame) < 1.0


@pytest.mark.parametrize("markers", [(240,), (240, 241, 247), (241, 243, 244, 245, 246)])
def test_found_with_some_fiducials_covered(markers: tuple[int, ...]) -> None:
    scene = Scene(random.Random(5))
    frame = cover(scene.render(), scene, markers)
    pose = MatFinder(GEOMETRY).find(frame, glimpse(frame))
    assert pose is not None
    assert pose.markers == 8 - len(markers)
    assert off_px(scene, pose.to_frame) < 2.5


def test_a_pose_once_found_outlives_nearly_all_fiducials_covered() -> None:
    scene = Scene(random.Random(6))
    finder, frame = MatFinder(GEOMETRY), scene.render()
    finder.find(frame, glimpse(frame))
    covered = cover(frame, scene, (240, 241, 242, 243, 244, 245, 246))
    pose = finder.find(covered, glimpse(covered))
    assert pose is not None
    assert off_px(scene, pose.to_frame) < 1.0


def test_a_bumped_camera_is_noticed_in_the_next_frame() -> None:
    one, other = Scene(random.Random(7)), Scene(random.Random(8))
    finder = MatFinder(GEOMETRY)
    frame = one.render()
    finder.find(frame, glimpse(frame))
    frame = other.render()
    pose = finder.find(frame, glimpse(frame))
    assert pose is not None
    assert off_px(other, pose.to_frame) < 1.0


def test_no_mat_no_pose() -> None:
    frame = np.full((2160, 2160, 3), 90, dtype=np.uint8)
    assert MatFinder(GEOMETRY).find(frame, glimpse(frame)) is None


def test_windows_show_each_seat_upright() -> None:
    scene = Scene(random.Random(9), look=Look(noise_sigma=0))
    finder, frame = MatFinder(GEOMETRY), scene.render()
    pose = finder.find(frame, glimpse(frame))
    assert pose is not None
    for seat in "ENWS":
        scene.lay(seat, ["AS"], slot=0)
    frame = scene.render()
    views = [play_window(GEOMETRY, seat).view(frame, pose, 3.0) for seat in "ENWS"]
    for view in views:
        assert view.shape == (390, 1170, 3)
        assert view[:, :585].mean() > view[:, 585:].mean() + 5, "slot 0 is the player's left"


def test_a_window_belongs_to_its_seat_up_to_the_diagonals() -> None:
    window = play_window(GEOMETRY, "S")
    own = own_part(window, 1.0)
    for u, v in ((0, 200), (-170, 190), (190, 285)):
        x, y = window.to_px(u, v, 1.0)
        assert own[round(y), round(x)]
    x, y = window.to_px(190, 170, 1.0)
    assert not own[round(y), round(x)]
    assert seat_to_mat("S", 190, 170) == (190, 170)
