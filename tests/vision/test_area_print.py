"""What an area's print showed before, by drawn views."""

from __future__ import annotations

import numpy as np
import pytest

from table_controller.geometry import load_geometry
from table_controller.vision.area_print import AreaPrint
from table_controller.vision.cards_on_mat import SeenCard
from table_controller.vision.gate import play_border
from table_controller.vision.images import Image
from table_controller.vision.seat_eye import READ_PX_PER_MM, reading_window
from table_controller.vision.things import PatientGate

WINDOW = reading_window(load_geometry(), "S")
AT_MM = (0.0, 200.0)
NEW = SeenCard("3C", 0.99, False, AT_MM, None, 0.0)


def view(*strokes: tuple[int, int, int, int]) -> Image:
    """Paper with black strokes: x and y from the index's place, width and height (px)."""
    picture = np.full((*reversed(WINDOW.size_px(READ_PX_PER_MM)), 3), 240, dtype=np.uint8)
    x, y = (round(value) for value in WINDOW.to_px(*AT_MM, READ_PX_PER_MM))
    for dx, dy, wide, high in strokes:
        picture[y + dy : y + dy + high, x + dx : x + dx + wide] = 20
    return picture


def showed(before: Image, now: Image) -> bool:
    border, ends = play_border(WINDOW)
    area = AreaPrint(WINDOW, PatientGate(border, ends), READ_PX_PER_MM)
    area.accept(before)
    return area.showed(now, NEW)


PIP, INDEX = (-6, -4, 10, 8), (-8, -24, 14, 40)


@pytest.mark.parametrize(
    ("before", "there"),
    [
        ([INDEX], True),
        ([], False),
        ([PIP], False),  # a pip of another card lay where the new index is printed: not all of that showed before
    ],
)
def test_print_showed_before_only_where_all_of_it_did(before: list[tuple[int, int, int, int]], there: bool) -> None:
    assert showed(view(*before), view(INDEX)) is there
