"""The rendered scene: seeded, incremental, and laid as people lay cards."""

from __future__ import annotations

import random

import cv2
import numpy as np
import pytest

from table_controller.cards import FACES
from table_controller.geometry import load_geometry
from table_controller.sim import poses
from table_controller.sim.deck import STYLES, deck
from table_controller.sim.scene import Look, Pose, Scene

QUIET = Look(noise_sigma=0.0)


def mean_difference(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.mean(cv2.absdiff(one, other)))


@pytest.mark.parametrize("style", STYLES)
def test_every_face_of_a_deck_is_its_own(style: str) -> None:
    faces = [cv2.resize(deck(style).face(card), (58, 88), interpolation=cv2.INTER_AREA).astype(int) for card in FACES]
    corners = [face[2:26, 1:13, :3] for face in faces]
    assert min(np.abs(corners[i] - corners[j]).mean() for i in range(54) for j in range(i)) > 3


def test_the_same_seed_gives_the_same_pictures() -> None:
    frames = []
    for _ in range(2):
        scene = Scene(random.Random(9))
        scene.lay("W", ["BJ", "4D", "4H"], tidy=0.2)
        scene.hand("N", "play")
        frames.append([scene.render(), scene.render()])
    assert np.array_equal(frames[0][0], frames[1][0])
    assert np.array_equal(frames[0][1], frames[1][1])
    assert not np.array_equal(frames[0][0], frames[0][1]), "a camera's noise is never the same twice"


def test_a_frame_is_what_geometry_says_and_is_drawn_anew_only_where_it_changed() -> None:
    scene = Scene(random.Random(2))
    width, height = load_geometry().frame_px
    first = scene.render()
    assert first.shape == (height, width, 3)
    assert first.dtype == np.uint8
    assert not scene.dirty
    before = scene.revision
    scene.lay("S", ["7S"])
    assert scene.dirty
    assert scene.revision > before


def test_what_was_laid_and_taken_back_leaves_the_table_as_it_was() -> None:
    scene = Scene(random.Random(3), look=QUIET)
    empty = scene.render()
    play = scene.lay("E", ["2S", "2H", "2D", "2C"], tidy=0)
    scene.lay_prompt("N", "PASS")
    scene.hand("W", "play")
    scene.sleeve_over("E", True)
    full = scene.render()
    scene.take_back(play)
    scene.clear_prompts("N")
    scene.hand("W")
    scene.sleeve_over("E", False)
    assert mean_difference(full, empty) > 3
    assert mean_difference(scene.render(), empty) < 0.05


def test_drawing_a_part_anew_gives_the_same_as_drawing_all() -> None:
    scene = Scene(random.Random(4), look=Look(noise_sigma=0.0, jpeg_quality=100))
    scene.render()
    scene.lay("S", ["9S", "9H"])
    part = scene.render()
    scene._dirty.append((0, 0, *load_geometry().frame_px))
    assert mean_difference(part, scene.render()) < 0.2


@pytest.mark.parametrize("seed", range(30))
def test_in_a_row_every_index_stays_visible_and_the_row_inside_the_area(seed: int) -> None:
    rng = random.Random(seed)
    card_mm = load_geometry().card_mm
    tidy, count = rng.random(), rng.randint(2, 10)
    pitches = poses.pitches_for(count, tidy, 354, card_mm, rng)
    assert all(12.5 <= pitch <= 24 for pitch in pitches)
    row = poses.row(count, (0, 230), pitches, tidy=tidy, card_mm=card_mm, rng=rng)
    assert all(abs(pose.turn_deg) <= 15 for pose in row)
    assert poses.all_indices_visible(row, card_mm)


def test_a_third_play_that_finds_no_room_covers_an_earlier_one_and_not_the_reverse() -> None:
    scene = Scene(random.Random(6), look=QUIET)
    first = scene.lay("S", ["3S", "3H", "3D", "3C", "4S", "4H", "4D", "4C"])
    second = scene.lay("S", ["JS", "QS", "KS", "AS", "2S", "5S", "6S", "7S"])
    third = scene.lay("S", ["BJ"])
    assert scene.plays("S") == [first, second, third]
    left, right = poses.extent(second.poses, load_geometry().card_mm)
    assert left >= -181
    assert right <= 181
    shown = scene.render()
    u, v = third.poses[0].u_mm, third.poses[0].v_mm
    scene.take_back(first)
    scene.take_back(second)
    alone = scene.render()
    corners = poses.outline(Pose(u, v, third.poses[0].turn_deg), (44.0, 74.0))
    from table_controller.geometry import seat_to_mat
    from table_controller.sim.light import project

    image = project(scene.to_frame, [seat_to_mat("S", *corner) for corner in corners])
    (x0, y0), (x1, y1) = image.min(axis=0).astype(int), image.max(axis=0).astype(int)
    assert mean_difference(shown[y0:y1, x0:x1], alone[y0:y1, x0:x1]) < 1.0


def test_prompt_cards_are_a_stack_with_a_card_of_its_own_each() -> None:
    scene = Scene(random.Random(7))
    one, two = scene.lay_prompt("E", "PASS"), scene.lay_prompt("E", "PASS")
    seven = scene.lay_prompt("N", "7")
    geometry = load_geometry()
    assert one != two
    assert [geometry.prompt_of_marker(m) for m in (one, seven)] == [("E", "PASS", 0), ("N", "7", 16)]
    assert scene.prompts("E") == (one, two)
    assert scene.lift_prompt("E") == two
    scene.clear_prompts("E")
    assert scene.prompts("E") == ()
    assert scene.lift_prompt("E") is None


def test_pushing_and_straightening_keep_the_cards() -> None:
    scene = Scene(random.Random(8))
    play = scene.lay("N", ["5S", "6S", "7S"], tidy=0)
    before = [pose.u_mm for pose in play.poses]
    scene.nudge(play, 12, -3)
    assert [round(pose.u_mm - u, 6) for pose, u in zip(play.poses, before, strict=True)] == [12, 12, 12]
    scene.straighten(play)
    assert max(abs(pose.turn_deg) for pose in play.poses) < 4
    assert play.cards == ("5S", "6S", "7S")
    scene.clear("N")
    assert scene.plays("N") == []


def test_a_hand_goes_over_something_that_is_there() -> None:
    with pytest.raises(ValueError, match="not moon"):
        Scene(random.Random(1)).hand("S", "moon")
