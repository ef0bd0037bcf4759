"""The mat is found in any pose, with fiducials covered, and again after a bump."""

from __future__ import annotations

import copy
import itertools
import random

import cv2
import numpy as np
import pytest

from table_controller.geometry import load_geometry, seat_to_mat
from table_controller.sim.scene import Look, Scene
from table_controller.vision.mat import MatFinder, glimpse_of, own_part, play_window, px_per_mm_at

GEOMETRY = load_geometry()
POINTS = np.array([[[x, y]] for x in (-260, 0, 260) for y in (-260, 0, 260)], dtype=float)


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
    pose = MatFinder(GEOMETRY).find(frame, glimpse_of(frame))
    assert pose is not None
    assert pose.markers == 8
    assert off_px(scene, pose.to_frame) < 1.0


@pytest.mark.parametrize("markers", [(240,), (240, 241, 247), (241, 243, 244, 245, 246)])
def test_found_with_some_fiducials_covered(markers: tuple[int, ...]) -> None:
    scene = Scene(random.Random(5))
    frame = cover(scene.render(), scene, markers)
    pose = MatFinder(GEOMETRY).find(frame, glimpse_of(frame))
    assert pose is not None
    assert pose.markers == 8 - len(markers)
    assert off_px(scene, pose.to_frame) < 2.5


def test_a_pose_once_found_outlives_nearly_all_fiducials_covered() -> None:
    scene = Scene(random.Random(6))
    finder, frame = MatFinder(GEOMETRY), scene.render()
    finder.find(frame, glimpse_of(frame))
    covered = cover(frame, scene, (240, 241, 242, 243, 244, 245, 246))
    pose = finder.find(covered, glimpse_of(covered))
    assert pose is not None
    assert off_px(scene, pose.to_frame) < 1.0


def test_a_bumped_camera_is_noticed_in_the_next_frame() -> None:
    one, other = Scene(random.Random(7)), Scene(random.Random(8))
    finder = MatFinder(GEOMETRY)
    frame = one.render()
    finder.find(frame, glimpse_of(frame))
    frame = other.render()
    pose = finder.find(frame, glimpse_of(frame))
    assert pose is not None
    assert off_px(other, pose.to_frame) < 1.0


def test_once_found_any_two_fiducials_are_enough_for_a_camera_that_was_bumped() -> None:
    scene = Scene(random.Random(5))
    still = scene.render()
    turn = cv2.getRotationMatrix2D((1080, 1080), 1.2, 1.012)
    turn[:, 2] += (24, -17)
    bumped = cv2.warpAffine(still, turn, (2160, 2160), borderMode=cv2.BORDER_REPLICATE)
    before, scene.to_frame = scene.to_frame, np.vstack([turn, [0, 0, 1]]) @ scene.to_frame
    assert off_px(scene, before) > 30
    first = MatFinder(GEOMETRY)
    first.find(still, glimpse_of(still))
    for pair in itertools.combinations(sorted(GEOMETRY.fiducials), 2):
        finder = copy.copy(first)
        finder._patches = dict(first._patches)
        frame = cover(bumped, scene, tuple(marker for marker in GEOMETRY.fiducials if marker not in pair))
        pose = finder.find(frame, glimpse_of(frame))
        assert pose is not None, pair
        assert off_px(scene, pose.to_frame) < 1.5, pair


def test_at_first_close_fiducials_are_not_enough() -> None:
    scene = Scene(random.Random(5))
    frame = cover(scene.render(), scene, (240, 242, 243, 244, 246, 247))
    assert MatFinder(GEOMETRY).find(frame, glimpse_of(frame)) is None


def test_a_rough_first_pose_is_bettered_when_more_fiducials_show() -> None:
    scene = Scene(random.Random(5))
    finder, frame = MatFinder(GEOMETRY), scene.render()
    covered = cover(frame, scene, (240, 243, 244, 245, 246, 247))
    rough = finder.find(covered, glimpse_of(covered))
    assert rough is not None
    assert 3 < off_px(scene, rough.to_frame) < 12
    pose = finder.find(frame, glimpse_of(frame))
    assert pose is not None
    assert off_px(scene, pose.to_frame) < 1.0


def test_the_scale_is_told_for_every_place() -> None:
    straight = np.array([[3.0, 0, 1080], [0, 3.0, 1080], [0, 0, 1]])
    assert px_per_mm_at(straight, 200, -100) == pytest.approx(3.0)
    squeezed = np.array([[3.0, 0, 1080], [0, 2.4, 1080], [0, 0, 1]])
    assert px_per_mm_at(squeezed, 0, 0) == pytest.approx(2.4)


def test_no_mat_no_pose() -> None:
    frame = np.full((2160, 2160, 3), 90, dtype=np.uint8)
    assert MatFinder(GEOMETRY).find(frame, glimpse_of(frame)) is None


def test_windows_show_each_seat_upright() -> None:
    scene = Scene(random.Random(9), look=Look(noise_sigma=0))
    finder, frame = MatFinder(GEOMETRY), scene.render()
    pose = finder.find(frame, glimpse_of(frame))
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
