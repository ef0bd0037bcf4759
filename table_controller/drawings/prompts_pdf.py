"""The four boxes of prompt cards at true scale, on A4 with cut lines: one page a seat."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from table_controller.cards import SEATS, Seat
from table_controller.drawings.page import Page
from table_controller.drawings.words import SEAT_CHINESE, SEAT_LINE_MM, prompt_lines
from table_controller.geometry import Geometry, Point

_A4 = (210.0, 297.0)
_COLUMNS, _ROWS = 4, 6
_CUT_MM = 4.0
MARKER_INSET_MM = 2.0
"""White round a marker at the card's edge: one and a half of its cells."""


def prompt_pages(geometry: Geometry, target: Path | BinaryIO) -> Page:
    """Draw all four boxes; returns the page, not saved yet."""
    page = Page(target, *_A4, "Prompt cards 提示牌")
    for number, seat in enumerate(SEATS):
        if number:
            page.next()
        _sheet(page, geometry, seat)
    return page


def _sheet(page: Page, geometry: Geometry, seat: Seat) -> None:
    width, height = geometry.prompt_card_mm
    left, top = (_A4[0] - _COLUMNS * width) / 2, (_A4[1] - _ROWS * height) / 2
    page.text(_A4[0] / 2, top / 2 - 3, f"{SEAT_CHINESE[seat]} {seat} · 提示牌 prompt cards · 100 %", 4)
    for index in range(len(geometry.prompt_box)):
        corner = (left + index % _COLUMNS * width, top + index // _COLUMNS * height)
        _card(page, geometry, geometry.prompt_marker(seat, index), corner)
    for column in range(_COLUMNS + 1):
        x = left + column * width
        page.line(x, top - _CUT_MM, x, top + _ROWS * height + _CUT_MM, width_mm=0.1, grey=0.6)
    for row in range(_ROWS + 1):
        y = top + row * height
        page.line(left - _CUT_MM, y, left + _COLUMNS * width + _CUT_MM, y, width_mm=0.1, grey=0.6)


def _card(page: Page, geometry: Geometry, marker: int, corner: Point) -> None:
    width, height = geometry.prompt_card_mm
    side = geometry.prompt_marker_mm
    for x in (MARKER_INSET_MM, width - MARKER_INSET_MM - side):
        for y in (MARKER_INSET_MM, height - MARKER_INSET_MM - side):
            page.marker(geometry.fiducial_dictionary, marker, corner[0] + x, corner[1] + y, side)
    prompt = geometry.prompt_of_marker(marker)
    assert prompt is not None
    large, small = prompt_lines(prompt[1])
    page.text(corner[0] + width / 2, corner[1] + SEAT_LINE_MM, f"{SEAT_CHINESE[prompt[0]]} {prompt[0]}", 4)
    page.text(corner[0] + width / 2, corner[1] + height / 2 - 2.2, large, 9)
    page.text(corner[0] + width / 2, corner[1] + height / 2 + 5.0, small, 4.6)
