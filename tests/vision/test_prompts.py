"""Prompt cards: by their markers, and as a stack."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from table_controller.geometry import load_geometry
from table_controller.sim.art import prompt_picture
from table_controller.sim.scene import Pose
from table_controller.table.events import CardsSeen, Event, PromptCircleCleared, PromptLaid, PromptLifted
from table_controller.vision.evidence import circle_picture
from table_controller.vision.mat import prompt_window
from table_controller.vision.prompt_reader import PROMPT_PX_PER_MM, PromptReader, PromptSight, PromptStack

GEOMETRY = load_geometry()
READER = PromptReader(GEOMETRY)


def brief(events: list[Event]) -> list[tuple[str, str]]:
    return [(type(event).__name__, getattr(event, "kind", "")) for event in events]


def sight(paper: bool = True, **markers: int) -> PromptSight:
    return PromptSight({int(name[1:]): count for name, count in markers.items()}, paper)


def picture(marker: int, turn_deg: float, thumb: bool = False) -> np.ndarray:
    """A prompt card at any turn on the mat, 90 mm square at 3 px/mm; a thumb hides its lower half."""
    card = prompt_picture(GEOMETRY, marker, 3.0)
    if thumb:
        card = card.copy()
        card[card.shape[0] // 2 :, :, :3] = (190, 150, 120)
    height, width = card.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), turn_deg, 1)
    matrix[:, 2] += (135 - width / 2, 135 - height / 2)
    warped = cv2.warpAffine(card, matrix, (270, 270))
    alpha = warped[..., 3:] / 255
    base = np.full((270, 270, 3), (116, 106, 96)) * (1 - alpha) + warped[..., :3] * alpha
    noisy = cv2.GaussianBlur(base.astype(np.float32), (0, 0), 0.8) + np.random.default_rng(marker).normal(
        0, 3, base.shape
    )
    return np.clip(noisy[..., ::-1], 0, 255).astype(np.uint8)


@pytest.mark.parametrize("marker", range(0, 96, 5))
def test_every_card_at_any_turn_and_half_under_a_thumb(marker: int) -> None:
    for turn in range(0, 360, 45):
        assert set(READER.read(picture(marker, turn + marker), 106).markers) == {marker}
        assert set(READER.read(picture(marker, turn, thumb=True), 106).markers) == {marker}


def test_an_empty_circle_and_a_playing_card_are_told_apart() -> None:
    empty = np.full((270, 270, 3), 106, dtype=np.uint8)
    card = empty.copy()
    card[30:260, 50:224] = 245
    assert READER.read(empty, 106) == PromptSight({}, False)
    assert READER.read(card, 106) == PromptSight({}, True, True)


def test_pass_on_pass_and_on_a_report() -> None:
    stack = PromptStack("E", GEOMETRY)
    assert brief(stack.settle(sight(m14=4), 1)) == [("PromptLaid", "5")]
    assert brief(stack.settle(sight(m14=2, m0=4), 2)) == [("PromptLaid", "PASS")]
    assert brief(stack.settle(sight(m1=4), 3)) == [("PromptLaid", "PASS")]
    assert stack.stack == [14, 0, 1], "a report stays made while it is covered"


def test_an_old_pass_left_lying_is_no_news() -> None:
    stack = PromptStack("N", GEOMETRY)
    stack.settle(sight(m24=4), 1)
    assert stack.settle(sight(m24=3), 2) == []
    assert stack.settle(sight(m24=4), 3) == []


def test_one_picked_up_reveals_an_older_one_and_that_is_no_lay() -> None:
    stack = PromptStack("E", GEOMETRY)
    stack.settle(sight(m0=4), 1)
    stack.settle(sight(m0=1, m3=4), 2)
    assert brief(stack.settle(sight(m0=4), 3)) == [("PromptLifted", "PASS")]
    assert stack.stack == [0]


def test_all_gone_is_a_cleared_circle() -> None:
    stack = PromptStack("W", GEOMETRY)
    stack.settle(sight(m48=4), 1)
    stack.settle(sight(m49=4), 2)
    assert brief(stack.settle(sight(paper=False), 3)) == [("PromptCircleCleared", "")]
    stack.settle(sight(m50=4), 4)
    assert brief(stack.settle(sight(paper=False), 5)) == [("PromptLifted", "PASS"), ("PromptCircleCleared", "")]


def test_under_a_hand_a_new_card_counts_and_nothing_is_missed() -> None:
    stack = PromptStack("E", GEOMETRY)
    stack.settle(sight(m0=4), 1)
    assert stack.settle(sight(paper=False), 2, hand=True) == []
    assert brief(stack.settle(sight(m5=2), 3, hand=True)) == [("PromptLaid", "PASS")]


def test_a_card_without_markers_is_said_to_be_one() -> None:
    stack = PromptStack("S", GEOMETRY)
    assert brief(stack.settle(sight(), 1)) == [("PromptLaid", "??")]
    assert brief(stack.settle(sight(), 2)) == []


def test_a_playing_card_on_a_stack_is_said_to_be_one_and_taken_away_again() -> None:
    stack = PromptStack("E", GEOMETRY)
    stack.settle(sight(m0=4), 1)
    covered = PromptSight({}, True, large=True)
    assert brief(stack.settle(covered, 2)) == [("PromptLaid", "??")]
    assert stack.settle(covered, 3) == []
    assert brief(stack.settle(sight(m0=4), 4)) == [("PromptLifted", "??")]


def test_a_rendered_playing_card_in_the_circle_is_no_prompt_card_and_its_picture_shows_the_circle_alone(
    make_table: Callable[..., object], tmp_path: Path
) -> None:
    table = make_table(seed=31, evidence=tmp_path)
    table.scene.lay_prompt("E", "PASS")
    table.look()
    play = table.scene.lay("S", ["5H"])
    u, v = GEOMETRY.prompt_centre
    table.scene.place(play, [Pose(u, v, 8.0)])
    (laid,) = [event for event in table.look() if isinstance(event, PromptLaid)]
    assert laid.kind == "??" and laid.evidence.endswith("-S-circle.jpg")
    shown = cv2.imread(str(tmp_path / laid.evidence))
    height, width = shown.shape[:2]
    y, x = np.mgrid[:height, :width]
    out = np.hypot(x - width / 2, y - height / 2) > GEOMETRY.prompt_diameter_mm / 2 * PROMPT_PX_PER_MM + 8
    assert shown[out].max() < 16 and shown[~out].mean() > 150, "the card in the circle, and nothing round it"


def test_each_change_of_a_circle_is_pictured_and_a_play_names_the_circle_as_it_lay(
    make_table: Callable[..., object], tmp_path: Path
) -> None:
    table = make_table(seed=33, evidence=tmp_path)
    table.scene.lay("S", ["4D"])
    (play,) = [event for event in table.look() if isinstance(event, CardsSeen)]
    empty = cv2.imread(str(tmp_path / play.circle))
    table.scene.hold("S", ["AH", "KH", "QH"], face_up=True, v_mm=345, u_mm=0)
    table.scene.lay_prompt("S", "PASS")
    (laid,) = [event for event in table.look() if isinstance(event, PromptLaid)]
    shown = cv2.imread(str(tmp_path / laid.evidence))
    width, height = GEOMETRY.prompt_card_mm
    card_px2 = width * height * PROMPT_PX_PER_MM**2
    assert np.count_nonzero(empty.min(axis=2) > 150) < 0.1 * card_px2, "the bare mat and its ring"
    assert 0.5 * card_px2 < np.count_nonzero(shown.min(axis=2) > 150) < 1.1 * card_px2, "the card, and no other paper"
    table.scene.hold("S", [])
    table.look()
    table.scene.lay("S", ["5D"], slot=1)
    (later,) = [event for event in table.look() if isinstance(event, CardsSeen)]
    assert later.circle == laid.evidence, "nothing has changed there since"
    assert sorted(file.name for file in tmp_path.glob("*-circle.jpg")) == sorted([play.circle, laid.evidence])


def test_what_is_held_over_a_circle_is_black_in_its_picture() -> None:
    window = prompt_window(GEOMETRY, "S")
    width, height = window.size_px(PROMPT_PX_PER_MM)
    view = np.full((height, width, 3), 60, dtype=np.uint8)
    middle = (width / PROMPT_PX_PER_MM / 2, height / PROMPT_PX_PER_MM / 2)
    card = [(middle[0] + u, middle[1] + v) for u, v in ((-30, -20), (0, -20), (0, 20), (-30, 20))]
    held = [(middle[0] + u, middle[1] + v) for u, v in ((8, -12), (30, -12), (30, 12), (8, 12))]
    for corners, grey in ((card, 230), (held, 240)):
        cv2.fillConvexPoly(view, np.round(np.array(corners) * PROMPT_PX_PER_MM).astype(np.int32), (grey, grey, grey))
    shown = circle_picture(view, window, PROMPT_PX_PER_MM, GEOMETRY, [card])
    at = [tuple(round(c * PROMPT_PX_PER_MM) for c in (middle[0] + u, middle[1])) for u in (-15, 18, 4)]
    assert [int(shown[y, x].max()) for x, y in at] == [230, 0, 60], "the prompt card, the held one, the mat between"
    assert circle_picture(view, window, PROMPT_PX_PER_MM, GEOMETRY).max() == 240, "whole where it could not be read"


def test_the_rendered_stack(make_table: Callable[..., object]) -> None:
    table = make_table(seed=11)
    scene = table.scene
    geometry = GEOMETRY
    for seat, kind in (("E", "10"), ("E", "PASS"), ("N", "TD"), ("W", "STOP"), ("S", "1"), ("E", "PASS")):
        marker = scene.lay_prompt(seat, kind)
        assert table.look() == [PromptLaid(table.ms - 100, seat, kind, marker)]
        assert geometry.prompt_of_marker(marker)[1] == kind
    scene.hand("E", "thumb")
    assert table.frames(5) == []
    scene.hand("E")
    assert table.look() == []
    top = scene.lift_prompt("E")
    assert table.look() == [PromptLifted(table.ms - 100, "E", "PASS", top)]
    scene.clear_prompts("E")
    assert table.look() == [PromptCircleCleared(table.ms - 100, "E")]
    assert not any(isinstance(event, CardsSeen) for event in table.frames(2))
