"""A mat without fiducials: four clicked corners, a bumped camera all the same, and the set-up picture."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from table_controller.cards import SEATS
from table_controller.errors import InputError
from table_controller.geometry import load_geometry
from table_controller.sim import faults
from table_controller.sim.scene import Scene
from table_controller.table.events import CameraLost, CardsSeen, Event
from table_controller.vision.corner_file import save_corners, save_reference, stored_corners
from table_controller.vision.corners import Clicked, CornerFinder, checked_corners
from table_controller.vision.mat import MatPose, corner_shift_px, glimpse_of
from table_controller.vision.setup import mat_corners, setup_picture, setup_report

GEOMETRY = load_geometry()
SIZE = GEOMETRY.frame_px


def plain(scene: Scene) -> np.ndarray:
    """The scene's frame, its fiducials painted over with the mat's colour."""
    frame = scene.render()
    for x, y in GEOMETRY.fiducials.values():
        at = cv2.perspectiveTransform(np.array([[[x, y]]], dtype=float), scene.to_frame).ravel().round().astype(int)
        cv2.rectangle(frame, tuple(at - 56), tuple(at + 56), (92, 105, 118), -1)
    return frame


def clicked(scene: Scene) -> list[tuple[float, float]]:
    return mat_corners(MatPose(scene.to_frame, 0, 0.0), GEOMETRY)


@pytest.mark.parametrize(
    ("shift", "turn", "zoom"), [((25, -14), 0.7, 1.0), ((80, 60), -2.0, 0.985), ((2, 1), 0.05, 1.0)]
)
def test_a_bumped_camera_is_followed_without_fiducials(shift: tuple[int, int], turn: float, zoom: float) -> None:
    scene = Scene(random.Random(4))
    finder = CornerFinder(GEOMETRY, checked_corners(clicked(scene), SIZE))
    first = plain(scene)
    assert finder.find(first, glimpse_of(first)) is not None
    scene.hand("S", "play")
    scene.lay("N", ["AS", "KS"])
    move = faults.bump(SIZE, shift, turn, zoom)
    frame = faults.seen_through(plain(scene), move)
    pose = finder.find(frame, glimpse_of(frame))
    assert pose is not None
    assert corner_shift_px(GEOMETRY, pose.to_frame, move @ scene.to_frame) < 5


def test_plays_are_read_by_corners_and_a_camera_turned_away_is_lost(make_table: Callable[..., object]) -> None:
    table = make_table(seed=61)
    table.eye.align(checked_corners(clicked(table.scene), SIZE))
    events: list[Event] = []

    def frames(count: int, move: np.ndarray) -> None:
        for _ in range(count):
            events.extend(table.eye.see(faults.seen_through(plain(table.scene), move), table.ms))
            table.ms += 100

    frames(4, np.eye(3))
    table.scene.lay("S", ["9C", "9D"])
    frames(6, np.eye(3))
    moved = faults.bump(SIZE, (30, 20), 0.8)
    frames(10, moved)
    table.scene.lay("E", ["4H"])
    frames(6, moved)
    assert [event.cards for event in events if isinstance(event, CardsSeen)] == [("9C", "9D"), ("4H",)]
    assert len(events) == 2
    assert "moved" in [hint.code for hint in table.eye.hints]
    events.clear()
    frames(20, faults.bump(SIZE, (900, 0), 70))
    assert [type(event) for event in events] == [CameraLost]
    assert "/setup" in table.eye.lost


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([(0, 0), (2000, 0), (2000, 2000)], "four"),
        ([(0, 0), (2000, 0), (2000, 2000), "x"], "numbers"),
        ([(0, 0), (2000, 0), (2000, 2000), (0, 9000)], "outside"),
        ([(0, 0), (0, 2000), (2000, 2000), (2000, 0)], "clockwise"),
        ([(0, 0), (2000, 0), (1400, 1300), (0, 2000)], "unequal"),
        ([(0, 0), (500, 0), (500, 500), (0, 500)], "small"),
        ([(0, 0), (float("nan"), 0), (500, 500), (0, 500)], "finite"),
        ([(0, 0), (2000, 0), (2000, 2000), (-90, 2000)], "-90,2000 lies outside the frame of 2160 × 2160"),
    ],
)
def test_corners_that_cannot_be_are_refused_in_words(points: list[object], words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        checked_corners(points, SIZE)
    assert error.value.code == "CORNERS"


def test_corners_are_kept_and_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "corners.json"
    assert stored_corners(file) is None
    corners = checked_corners([(100, 100), (2000, 110), (2010, 2000), (95, 2020)], SIZE)
    save_corners(file, corners)
    assert stored_corners(file) == Clicked(corners)
    save_corners(file, corners, (1080, 1080))
    save_reference(file, np.full((30, 30), 7, dtype=np.uint8))
    kept = stored_corners(file)
    assert kept is not None and kept.frame_px == (1080, 1080) and kept.reference is not None
    assert kept.in_frame(2160, 2160)[2] == (4020, 4000)
    save_corners(file, corners)
    assert stored_corners(file) == Clicked(corners), "of other corners nothing is remembered"
    file.with_suffix(".png").write_bytes(b"no picture")
    assert stored_corners(file) == Clicked(corners)
    save_corners(file, None)
    assert stored_corners(file) is None
    file.write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match="damaged"):
        stored_corners(file)


def test_the_set_up_picture_shows_areas_and_fiducials_and_no_card(make_table: Callable[..., object]) -> None:
    table = make_table(seed=62)
    for seat in SEATS:
        table.scene.hold(seat, ["AS", "KS", "QS", "JS"], face_up=True, u_mm=0, v_mm=330)
        table.scene.lay(seat, ["7H"])
    frame = table.scene.render()
    pose = table.eye.pose
    assert pose is not None
    shown = setup_picture(frame, pose, GEOMETRY, draw=False)
    bright = (shown.min(axis=2) > 190).astype(np.uint8)
    for x, y in GEOMETRY.fiducials.values():
        at = cv2.perspectiveTransform(np.array([[[x, y]]], dtype=float), pose.to_frame).ravel() / 2
        cv2.circle(bright, tuple(at.round().astype(int)), 40, 0, -1)
    solid = cv2.erode(bright, np.ones((5, 5), dtype=np.uint8))
    assert np.count_nonzero(solid) == 0
    drawn = setup_picture(frame, pose, GEOMETRY)
    assert np.count_nonzero(np.any(drawn != shown, axis=2)) > 3000
    report = setup_report(table.eye, frame, drawn, GEOMETRY)
    assert report["markers"] == 8
    assert len(report["corners"]) == 4
    assert all(2.8 < scale < 3.4 for scale in report["px_per_mm"].values())


@pytest.mark.parametrize(("style", "light"), [("classic", 1.0), ("bridge", 0.35), ("club", 1.0), ("bold", 0.6)])
@pytest.mark.parametrize("known", [True, False])
def test_no_part_of_a_court_a_joker_or_a_back_is_left_in_the_set_up_picture(
    style: str, light: float, known: bool
) -> None:
    scene = Scene(random.Random(7), style=style)
    bare = scene.render()
    for seat, cards in zip(SEATS, (["KS", "QH", "JD"], ["BJ"], ["SJ", "QC"], ["JH", "KD"]), strict=True):
        scene.lay(seat, cards)
        scene.hold(seat, ["KH", "QS", "JC", "BJ", "AS"], face_up=True, u_mm=0, v_mm=340)
    scene.lay("W", ["QD"])
    scene.clear("W")
    frame = scene.render()
    pose = MatPose(scene.to_frame, 8, 0.0) if known else None
    shown = setup_picture(faults.lit(frame, light), pose, GEOMETRY, draw=False, side_px=SIZE[0])
    assert shown.shape == frame.shape
    painted = np.all(shown == 110, axis=2)
    there = (cv2.absdiff(frame, bare).max(axis=2) > 45).astype(np.uint8)
    cards = cv2.morphologyEx(there, cv2.MORPH_OPEN, np.ones((7, 7), dtype=np.uint8)) > 0
    assert np.count_nonzero(cards) > 200_000
    assert np.count_nonzero(cards & ~painted) == 0
    assert np.count_nonzero(painted) < 0.35 * painted.size


def test_cards_in_a_shadow_that_makes_paper_as_dark_as_the_table_keep_their_faces_hidden() -> None:
    scene = Scene(random.Random(8))
    scene.lay("S", ["9C", "8S"], slot=1)
    corner = [faults.at_frame(scene.to_frame, "S", u, v) for u, v in ((-220, 120), (220, 120), (220, 310), (-220, 310))]
    lit = scene.render()
    frame = faults.shadow(lit, corner, 0.68)
    shown = setup_picture(frame, MatPose(scene.to_frame, 8, 0.0), GEOMETRY, draw=False, side_px=SIZE[0])
    x0, y0 = (round(value) for value in faults.at_frame(scene.to_frame, "S", -170, 165))
    x1, y1 = (round(value) for value in faults.at_frame(scene.to_frame, "S", 170, 290))
    left = ~np.all(shown[y0:y1, x0:x1] == 110, axis=2)
    print_on_paper = lit[y0:y1, x0:x1].max(axis=2) < 60
    assert np.count_nonzero(print_on_paper) > 3000
    assert np.count_nonzero(print_on_paper & left) == 0


def test_an_empty_mat_keeps_its_fiducials_in_the_set_up_picture() -> None:
    scene = Scene(random.Random(9))
    frame = scene.render()
    shown = setup_picture(frame, MatPose(scene.to_frame, 8, 0.0), GEOMETRY, draw=False, side_px=SIZE[0])
    for x, y in GEOMETRY.fiducials.values():
        at = cv2.perspectiveTransform(np.array([[[x, y]]], dtype=float), scene.to_frame).ravel().round().astype(int)
        rows, columns = slice(at[1] - 40, at[1] + 40), slice(at[0] - 40, at[0] + 40)
        assert np.array_equal(shown[rows, columns], frame[rows, columns])


def began(finder: CornerFinder, scene: Scene, move: np.ndarray, light: float = 1.0) -> MatPose | None:
    frame = faults.lit(faults.seen_through(plain(scene), move), light)
    return finder.find(frame, glimpse_of(frame))


@pytest.mark.parametrize(
    ("shift", "turn", "light"),
    [((0, 0), 0.0, 0.75), ((25, -14), 0.7, 1.0), ((-40, 30), 1.5, 0.7), ((12, 5), -0.4, 1.3)],
)
def test_a_camera_bumped_while_the_table_was_off_is_found_again(
    shift: tuple[int, int], turn: float, light: float
) -> None:
    scene = Scene(random.Random(4))
    clicks = checked_corners(clicked(scene), SIZE)
    before = CornerFinder(GEOMETRY, clicks)
    scene.lay("S", ["2C", "3C"])
    assert began(before, scene, np.eye(3)) is not None and before.reference is not None
    scene.clear("S")
    scene.lay("N", ["AS", "KS"])
    scene.hand("E", "play")
    after = CornerFinder(GEOMETRY, Clicked(clicks, SIZE, before.reference))
    move = faults.bump(SIZE, shift, turn, 1.0)
    pose = began(after, scene, move, light)
    assert pose is not None
    assert corner_shift_px(GEOMETRY, pose.to_frame, move @ scene.to_frame) < 5


def test_what_is_kept_of_the_table_shows_no_card_and_another_table_is_not_taken_for_it(tmp_path: Path) -> None:
    scene = Scene(random.Random(4))
    finder = CornerFinder(GEOMETRY, checked_corners(clicked(scene), SIZE))
    scene.lay("S", ["2C", "3C", "4C"])
    scene.hold("E", ["AS", "KS", "QS"], face_up=True)
    assert began(finder, scene, np.eye(3)) is not None and finder.reference is not None
    paper = cv2.erode((finder.reference > 150).astype(np.uint8), np.ones((3, 3), dtype=np.uint8))
    assert not paper.any(), "printed lines are thin, cards are not"
    elsewhere = CornerFinder(GEOMETRY, Clicked(finder._clicked.corners, SIZE, finder.reference))
    assert began(elsewhere, scene, faults.bump(SIZE, (900, 0), 70, 1.0)) is None


def test_corners_of_a_smaller_frame_are_taken_to_a_larger_one() -> None:
    scene = Scene(random.Random(4))
    half = checked_corners([(x / 2, y / 2) for x, y in clicked(scene)], (SIZE[0] // 2, SIZE[1] // 2))
    finder = CornerFinder(GEOMETRY, Clicked(half, (SIZE[0] // 2, SIZE[1] // 2)))
    pose = began(finder, scene, np.eye(3))
    assert pose is not None and corner_shift_px(GEOMETRY, pose.to_frame, scene.to_frame) < 1
