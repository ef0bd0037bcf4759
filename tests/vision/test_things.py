"""Cups, phones and held cards over an area's border, and how far print moved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np

from table_controller.cards import SEATS
from table_controller.geometry import load_geometry
from table_controller.sim.poses import Pose
from table_controller.table.events import CardsSeen
from table_controller.vision.gate import GATE_PX_PER_MM, play_border
from table_controller.vision.seat_eye import reading_window
from table_controller.vision.stir import MOST_PX, print_shift
from table_controller.vision.things import STAYED_FRAMES, PatientGate

WINDOW = reading_window(load_geometry(), "S")
MAT, DARK, WHITE = (96, 106, 116), (30, 28, 26), (240, 244, 246)


def picture(*things: tuple[tuple[float, float, float, float], tuple[int, int, int]]) -> np.ndarray:
    """The small picture with rectangles (u0, v0, u1, v1) on it."""
    width, height = WINDOW.size_px(GATE_PX_PER_MM)
    view = np.full((height, width, 3), MAT, dtype=np.uint8)
    for (u0, v0, u1, v1), colour in things:
        (x0, y0), (x1, y1) = WINDOW.to_px(u0, v0, GATE_PX_PER_MM), WINDOW.to_px(u1, v1, GATE_PX_PER_MM)
        view[max(0, round(y0)) : round(y1), max(0, round(x0)) : round(x1)] = colour
    return view


def hands(gate: PatientGate, view: np.ndarray, frames: int) -> list[bool]:
    return [gate.look(view).hand for _ in range(frames)]


PHONE = ((120.0, 240.0, 190.0, 330.0), DARK)
ARM = ((-40.0, 230.0, 20.0, 330.0), (120, 150, 200))


def test_what_stays_put_is_no_hand_and_a_hand_beside_it_still_is() -> None:
    gate = PatientGate(*play_border(WINDOW))
    assert not any(hands(gate, picture(), 2))
    seen = hands(gate, picture(PHONE), STAYED_FRAMES + 3)
    assert all(seen[: STAYED_FRAMES - 1])
    assert not seen[-1]
    assert gate.over.any()
    assert not gate.held.any()
    assert all(hands(gate, picture(PHONE, ARM), 5))
    assert not any(hands(gate, picture(PHONE), 3)), "hands that come and go do not make it strange again"
    assert not any(hands(gate, picture(), 3))


def test_paper_that_stays_over_the_near_border_is_masked_as_far_as_it_hangs_together() -> None:
    gate = PatientGate(*play_border(WINDOW))
    fan, laid = ((-100.0, 255.0, -20.0, 330.0), WHITE), ((40.0, 190.0, 98.0, 278.0), WHITE)
    hands(gate, picture(), 2)
    assert not hands(gate, picture(fan, laid), STAYED_FRAMES + 3)[-1]
    rows = np.nonzero(gate.held)
    left, right = WINDOW.u0 + rows[1].min() / GATE_PX_PER_MM, WINDOW.u0 + rows[1].max() / GATE_PX_PER_MM
    assert left < -98
    assert -22 < right < 0, "what is laid beside it is not masked"


def test_a_discard_turned_up_whose_corner_touches_a_row_masks_no_row() -> None:
    gate = PatientGate(*play_border(WINDOW))
    row = ((-160.0, 190.0, 40.0, 283.0), WHITE)
    view = picture(row)
    corners = [WINDOW.to_px(u, v, GATE_PX_PER_MM) for u, v in ((-60, 284), (-5, 325), (-60, 366), (-115, 325))]
    discard = np.array([[round(x), round(y)] for x, y in corners], dtype=np.int32)
    cv2.fillConvexPoly(view, discard, WHITE)
    hands(gate, picture(), 2)
    assert not hands(gate, view, STAYED_FRAMES + 3)[-1]
    x, y = (round(place) for place in WINDOW.to_px(-60, 236, GATE_PX_PER_MM))
    assert not gate.held[y, x], "the row is read"
    assert gate.held[-3, x], "the discard is not"


def test_a_cup_whose_rim_touches_the_near_border_is_no_held_card_and_masks_no_row_beside_it() -> None:
    gate = PatientGate(*play_border(WINDOW))
    end, rim, tan = ((189.0, 238.0, 195.0, 290.0), DARK), ((164.0, 295.0, 178.0, 304.0), WHITE), (110, 176, 190)
    cup = (end, ((150.0, 236.0, 189.0, 295.0), tan), rim)
    row = ((20.0, 190.0, 150.0, 288.0), WHITE)
    hands(gate, picture(), 2)
    assert not hands(gate, picture(*cup, row), STAYED_FRAMES + 3)[-1]
    assert not gate.held.any()
    fan = ((-100.0, 255.0, -20.0, 330.0), WHITE)
    assert not hands(gate, picture(*cup, fan), STAYED_FRAMES + 3)[-1]
    assert gate.held.any(), "a fan far from the cup is held all the same"


def test_a_fan_held_for_long_is_never_read_and_the_play_beside_it_is(make_table: object) -> None:
    table = make_table(seed=51)  # type: ignore[operator]
    table.scene.hold("S", ["AH", "KH", "QH", "JH"], face_up=True, v_mm=300, u_mm=-110)
    assert table.frames(30) == []
    table.scene.lay("S", ["4D", "4S"], at=[Pose(80, 230, 0), Pose(98, 230, 1)])
    events = table.frames(6)
    assert [event.cards for event in events if isinstance(event, CardsSeen)] == [("4D", "4S")]
    table.scene.hold("S", [])
    assert table.frames(20) == []


def test_the_shift_of_print_is_known_to_a_fraction_of_a_pixel() -> None:
    base = np.full((60, 40, 3), 240, dtype=np.uint8)
    cv2.putText(base, "8", (6, 45), cv2.FONT_HERSHEY_SIMPLEX, 1.4, (20, 20, 24), 4)
    noise = np.random.default_rng(1)

    def cut(dx: float, dy: float) -> np.ndarray:
        moved = cv2.warpAffine(
            base, np.array([[1, 0, dx], [0, 1, dy]], dtype=np.float64), (40, 60), borderMode=cv2.BORDER_REPLICATE
        )
        return np.clip(moved + noise.normal(0, 2.5, base.shape), 0, 255).astype(np.uint8)

    assert print_shift(cut(0, 0), cut(0, 0)) < 0.1
    assert abs(print_shift(cut(0, 0), cut(0.6, -0.8)) - 1.0) < 0.15
    assert print_shift(cut(0, 0), cut(9, 9)) <= MOST_PX

    def with_a_neighbour(picture: np.ndarray) -> np.ndarray:
        """A card laid close beside: its edge, and its shadow over the print."""
        shade = np.ones(40)
        shade[26:36] = np.linspace(1.0, 0.7, 10)
        shade[36:] = 0.9
        return (picture * shade[None, :, None]).astype(np.uint8)

    assert print_shift(cut(0, 0), with_a_neighbour(cut(0, 0))) < 0.1
    assert abs(print_shift(cut(0, 0), with_a_neighbour(cut(0.6, -0.8))) - 1.0) < 0.15


def test_a_card_beside_a_printed_fiducial_is_read(make_table: Callable[..., Any]) -> None:
    for number, seat in enumerate(SEATS):
        table = make_table(seed=90 + number)
        table.frames(30)  # long enough for a thing that stays put
        table.scene.lay(seat, ["BJ"], at=[Pose(-160.0, 236.0, 3.0)])
        assert [(event.cards, event.doubtful) for event in table.look()] == [(("BJ",), ())], seat
