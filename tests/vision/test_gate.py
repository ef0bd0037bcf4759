"""The change gate: movement, rest, change, hands."""

from __future__ import annotations

import cv2
import numpy as np

from table_controller.geometry import load_geometry
from table_controller.vision.gate import GATE_PX_PER_MM, AreaGate, play_border
from table_controller.vision.mat import play_window

WINDOW = play_window(load_geometry(), "S")
WIDTH, HEIGHT = WINDOW.size_px(GATE_PX_PER_MM)
NOISE = np.random.default_rng(3)


def mat(*things: tuple[tuple[float, float, float, float], tuple[int, int, int]], light: float = 1.0) -> np.ndarray:
    """A small picture of the area with rectangles (u0, v0, u1, v1) of a colour on it, and a camera's noise."""
    picture = np.full((HEIGHT, WIDTH, 3), (96, 106, 116), dtype=np.float32)
    for (u0, v0, u1, v1), colour in things:
        (x0, y0), (x1, y1) = WINDOW.to_px(u0, v0, GATE_PX_PER_MM), WINDOW.to_px(u1, v1, GATE_PX_PER_MM)
        cv2.rectangle(picture, (round(x0), round(y0)), (round(x1), round(y1)), colour, -1)
    return np.clip(picture * light + NOISE.normal(0, 1.2, picture.shape), 0, 255).astype(np.uint8)


CARD = ((-30.0, 186.0, 28.0, 274.0), (240, 245, 245))
ARM = ((20.0, 230.0, 60.0, 300.0), (120, 150, 200))
SLEEVE = ((20.0, 230.0, 80.0, 300.0), (40, 40, 44))


def gate() -> AreaGate:
    return AreaGate(*play_border(WINDOW))


def test_a_quiet_area_comes_to_rest_and_stays_unchanged() -> None:
    area = gate()
    states = [area.look(mat()) for _ in range(6)]
    assert [state.rest for state in states] == [0, 1, 2, 3, 4, 5]
    area.accept()
    assert not any(area.look(mat()).changed for _ in range(20))


def test_a_card_is_a_movement_then_a_change_at_rest() -> None:
    area = gate()
    for _ in range(3):
        area.look(mat())
    area.accept()
    first = area.look(mat(CARD))
    assert (first.rest, first.changed) == (0, True)
    second = area.look(mat(CARD))
    assert (second.rest, second.changed, second.hand) == (1, True, False)
    area.accept()
    assert not area.look(mat(CARD)).changed


def test_a_card_moved_by_three_millimetres_is_a_change() -> None:
    area = gate()
    for _ in range(2):
        area.look(mat(CARD))
    area.accept()
    moved = ((-27.0, 186.0, 31.0, 274.0), CARD[1])
    assert area.look(mat(moved)).changed


def test_a_change_of_light_is_none() -> None:
    area = gate()
    for _ in range(2):
        area.look(mat(light=1.0))
    area.accept()
    assert not area.look(mat(light=0.93)).changed


def test_skin_and_sleeves_across_the_near_border_are_a_hand_and_cards_are_not() -> None:
    assert gate().look(mat(CARD, ARM)).hand
    assert gate().look(mat(CARD, SLEEVE)).hand
    assert not gate().look(mat(CARD)).hand
    assert not gate().look(mat()).hand


def test_a_row_may_reach_over_the_ends_but_paper_over_the_near_border_is_a_held_card() -> None:
    paper = (240, 245, 245)
    assert not gate().look(mat(((150, 192, 195, 270), paper))).hand
    assert gate().look(mat(((-40, 250, 40, 296), paper))).hand
